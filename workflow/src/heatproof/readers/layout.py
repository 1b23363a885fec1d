"""Records found one by one, in documents or lines, on their way to rows.

What is done here takes a few microseconds a record more than lines decoded by the chunk
(`readers/lines.py`): so are read records with a head, those of which some are passed over, those
that hold a column group for each model, and those that are no objects.
"""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from heatproof.config.entries import spelling
from heatproof.readers import aggregates, id_lists, items, mapping, sidecars
from heatproof.readers.api import Batch, Passed, Place, Reject, excerpt, sift
from heatproof.readers.column_groups import Groups
from heatproof.readers.decoding import Decoder, Repeated
from heatproof.readers.documents import one
from heatproof.readers.faults import FAULTS, MISFITS
from heatproof.readers.head_places import HEAD, POINT
from heatproof.readers.mapping import KEY, ROW, VALUE, Field
from heatproof.readers.params import excerpted
from heatproof.readers.records import Look, Misfits, columns_of, missing, record_type, value_at
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from heatproof.readers.api import Declared, Log
    from heatproof.readers.items import Found
    from heatproof.readers.lines import Explain
    from heatproof.readers.mapping import Listed, Mapped

SHOWN = 6
"""Values of records passed over that are named at most."""


class Part:
    """Places of a record, or of a head, decoded into columns."""

    def __init__(self, entry: Mapped, wanted: list[Field]) -> None:
        kind, getters = record_type(wanted)
        self.wanted = wanted
        self.wraps = any(field.place.split(".")[0] == VALUE for field in wanted)
        self.columns = columns_of(entry, wanted, getters)
        self._decoder = Decoder(msgspec.json.Decoder(kind))

    def decode(self, data: bytes) -> Any:
        """A record. Raises Error as `documents.one`."""
        try:
            return one(self._decoder, self.wrapped(data))
        except Error as error:
            raise Error(_unwrapped(str(error))) from error.__cause__

    def wrapped(self, data: bytes) -> bytes:
        """The record; one that is no object, within one."""
        return b'{"%b": %b}' % (VALUE.encode(), data) if self.wraps else data

    def first(self, data: bytes, what: str) -> dict[str, Any]:
        """Column → value, of a head; `what`: what that is.

        Raises:
            Error: it lacks a place, or holds something else there than the column does.
        """
        try:
            found = self.columns([self.decode(data)])
        except (Error, *MISFITS, *FAULTS) as error:
            why, _ = Misfits(self.wanted, {})(str(error), data)
            raise Error(f"{what}: {why}") from error
        return {name: values[0] for name, values in found.items()}


def _unwrapped(reason: str) -> str:
    return reason.replace(f"$.{VALUE}", "$")


class Only:
    """Which records are read; the others are passed over."""

    def __init__(self, entry: Listed) -> None:
        wanted = [Field(place, place, "text", required=False) for place in entry.only]
        kind, self._getters = record_type(wanted)
        self._decoder = Decoder(msgspec.json.Decoder(kind))
        self._values = mapping.only_values(entry.only)

    def keeps(self, data: bytes, seen: Counter[str]) -> bool:
        """Whether a record is read; what others have is counted in `seen`.

        Raises:
            Error: a wanted key stands twice.
        """
        try:
            record = one(self._decoder, data)
        except Error as error:
            if isinstance(error.__cause__, Repeated):
                raise
            seen["no such keys"] += 1
            return False
        for place, get in self._getters.items():
            value = get(record)
            if value is None or spelling(value) not in self._values[place]:
                seen[f"{place}: {excerpted(value)}" if value is not None else f"no {place}"] += 1
                return False
        return True


class Layout:
    """How the records of a source are decoded: made once for all its logs."""

    def __init__(self, entry: Listed) -> None:
        self.entry = entry
        self._wanted = [field for field in mapping.fields(entry) if field.place != ROW]
        self.keyed = [field.column for field in self._wanted if field.place == KEY]
        self.only = Only(entry) if entry.only else None
        self.groups = Groups(entry) if entry.group() else None
        self.printed = aggregates.Items(entry.aggregates) if entry.aggregates else None
        head = mapping.heads(entry)
        self.head = Part(entry, head) if head else None
        self._parts: dict[str | None, Part] = {}

    def part(self, group: str | None) -> Part:
        """How a record is decoded; of those that hold several groups, one of these."""
        if group not in self._parts:
            inside = [field for field in self._wanted if field.place != KEY]
            if group is not None:
                hole, name = f"{{{self.entry.group()}}}", group.replace(".", POINT)
                inside = [f._replace(place=f.place.replace(hole, name)) for f in inside]
            self._parts[group] = Part(self.entry, inside)
        return self._parts[group]

    def of_log(self, log: Log) -> Rows:
        """The rows of a log, of which none is read yet. Raises as `beside`."""
        return Rows(self, *beside(self.entry, log))

    def told(self, head: bytes, what: str) -> dict[str, Any]:
        """Column → what a head says of all its records. Raises Error as `Part.first`."""
        return self.head.first(head, what) if self.head else {}


def by_itself(entry: Listed) -> bool:
    """Whether each record of a source is looked at by itself."""
    places = [field.place.split(".")[0] for field in mapping.fields(entry)]
    told = entry.each or entry.only or entry.group() or entry.ids or entry.aggregates
    return bool(told or VALUE in places or mapping.heads(entry))


_LAST: list[Layout] = []


def layout(entry: Listed) -> Layout:
    """The layout of a source: the same object for all its logs."""
    if not _LAST or _LAST[0].entry is not entry:
        _LAST[:] = [Layout(entry)]
    return _LAST[0]


def beside(entry: Mapped, log: Log) -> tuple[dict[str, Any], dict[str, Any], bytes]:
    """What path and config say of all records of a log, what its sidecar says, and the sidecar.

    Raises:
        Error: the path does not fit, or the sidecar is not there or does not fit.
        Unreadable: the sidecar is damaged.
    """
    shared = mapping.shared(entry, log.path)
    if not entry.sidecar:
        return shared, {}, b"null"
    path, data = sidecars.content(log, entry.sidecar)
    return shared, Part(entry, mapping.heads(entry)).first(data, path), data


class _Gathered(NamedTuple):
    """Records that are decoded alike."""

    records: list[Any]
    found: list[Found]


class Rows:
    """The rows of a log."""

    def __init__(
        self, layout: Layout, shared: Mapping[str, Any], head: Mapping[str, Any], beside: bytes
    ) -> None:
        """`shared`: what path and config say of all records; `head`, `beside`: a head that the
        whole log has, its columns and its bytes, if there is one.
        """
        self._layout, self._shared = layout, shared
        self._head, self._beside = head, beside
        self._read = self._passed = 0
        self._others: Counter[str] = Counter()
        self._held = layout.groups.of_log() if layout.groups else None

    def begin(self, head: bytes) -> None:
        """Take the first line of the log for its head. Raises Error as `Part.first`."""
        self._head = self._layout.told(head, "the head of the log, its first line")
        self._beside = head
        self._passed += 1

    def rows(
        self,
        found: Iterable[Found],
        head: Mapping[str, Any] | None = None,
        beside: bytes = b"null",
        *,
        document: bool = False,
        told: Mapping[str, Any] | None = None,
    ) -> Iterator[Batch | Reject]:
        """The rows of some records, and those that are refused.

        `head`, `beside`: of a head that these records have to themselves. `document`: the record is
        all of the log. `told`: settings that the keys on the way to them tell.
        """
        head, beside = (self._head, self._beside) if head is None else (head, beside)
        settings, alike = mapping.split(self._layout.entry, head)
        shared = {**self._shared, **settings, **(told or {})}
        gathered: dict[str | None, _Gathered] = {}
        for record in found:
            data = bytes(record.data)
            try:
                kept = self._groups(data, record.place)
            except Error as error:
                self._read += 1
                yield Reject(record.place, str(error), excerpt(data), told=shared)
                continue
            for group in kept:
                here = gathered.setdefault(group, _Gathered([], []))
                try:
                    here.records.append(self._layout.part(group).decode(data))
                    here.found.append(record)
                except Error as error:
                    explain = self._explain(group, shared, beside)
                    why, known = explain(str(error), data, document=document)
                    yield Reject(record.place, why, excerpt(data), told=known)
        for group, here in gathered.items():
            if here.records:
                explain = self._explain(group, shared, beside)
                yield from self._batch(group, here, shared, alike, explain)

    def _groups(self, data: bytes, place: Place) -> list[str | None]:
        """The groups of a record; nothing if it is passed over. Raises Error if it has none."""
        if self._layout.only and not self._layout.only.keeps(data, self._others):
            self._passed += 1
            return []
        if self._layout.printed and (other := self._layout.printed.has(data)):
            self._passed += 1
            self._others[other] += 1
            return []
        kept: list[str | None] = [None] if self._held is None else [*self._held.of(data, place)]
        self._read += 1
        return kept

    def _told(self, group: str | None) -> dict[str, Any]:
        """What a group says of its rows."""
        if group is None:
            return {}
        return mapping.told_by_group(self._layout.entry, group)

    def _explain(self, group: str | None, shared: dict[str, Any], beside: bytes) -> _Beside:
        part = self._layout.part(group)
        return _Beside(part, shared | self._told(group), beside)

    def _batch(
        self,
        group: str | None,
        here: _Gathered,
        shared: dict[str, Any],
        alike: dict[str, Any],
        explain: Explain,
    ) -> Iterator[Batch | Reject]:
        """`alike`: columns that are the same in all rows, and are no settings."""
        named = {
            name: [f.number if name == "epoch" else f.key for f in here.found]
            for name in self._layout.keyed
        }
        same = {name: [value] * len(here.found) for name, value in alike.items()}
        places = [record.place for record in here.found]
        bytes_of = {record.place: record.data for record in here.found}

        def read(place: Place) -> bytes:
            return bytes(bytes_of[place])

        batch = Batch({"record": here.records, **named, **same}, places, shared | self._told(group))
        for part in fitted(batch, self._layout.part(group).columns, read, explain):
            yield from sift(part, read) if isinstance(part, Batch) else (part,)

    def runs(self, data: bytes, begins: Place | None = None) -> Iterator[Batch | Reject]:
        """The rows of all lists that `each` leads to. Raises as `items.runs`."""
        entry, layout = self._layout.entry, self._layout
        heads = layout.head is not None and not entry.sidecar
        for run in items.runs(data, entry.each, begins, heads=heads):
            if isinstance(run, items.Lost):
                yield Reject(run.place, run.why, excerpt(run.data))
                continue
            try:
                told = mapping.told_by_keys(entry, run.told)
                head = layout.told(run.head, "the head of the document") if heads else None
            except Error as error:
                for one in run.found:
                    yield Reject(one.place, str(error), excerpt(bytes(one.data)))
                continue
            yield from self.rows(run.found, head, run.head, told=told)

    def reported(
        self, data: bytes, begins: Place | None = None
    ) -> Iterator[Batch | Reject | Declared]:
        """The rows of a report that lists ids. Raises as `id_lists.read` and `Part.first`."""
        entry, head = self._layout.entry, self._head
        if not entry.sidecar:
            head = self._layout.told(data, "the report")
        settings, alike = mapping.split(entry, head)
        yield from id_lists.read(data, entry.ids, {**self._shared, **settings}, alike, begins)

    def rest(self) -> Iterator[Reject | Passed]:
        """What is to be told when all records were looked at."""
        if self._held:
            yield from self._held.lacking()
        if self._others and not self._read:
            seen = ", ".join(f"{what} ({n} ×)" for what, n in self._others.most_common(SHOWN))
            why = f"`only` leaves no record; there are {seen}"
            if self._layout.printed and not self._layout.only:
                why = self._layout.printed.none(seen)
            yield Reject(Place(1, 0, 0), why)
        if self._passed:
            yield Passed(self._passed)


class _Beside(Misfits):
    """Looks at refused records, and at what stands beside them for what they lack."""

    def __init__(self, part: Part, shared: Mapping[str, Any], head: bytes) -> None:
        super().__init__(part.wanted, shared)
        self._part, self._bytes = part, head

    @cached_property
    def _head(self) -> Any:
        return msgspec.json.decode(self._bytes)

    def __call__(self, reason: str, data: bytes, *, document: bool = False) -> Look:
        why, told = super().__call__(reason, self._part.wrapped(data), document=document)
        if not missing(reason):
            return _unwrapped(why), told
        lacking = [place for column, place in self.places.items() if column not in told]
        there = {place: value_at(self._head, place) for place in lacking}
        hints = [
            f"; beside the records stands {place}, {excerpted(value)}: write {HEAD}{place}"
            for place, value in there.items()
            if value is not None
        ]
        return (reason + hints[0] if hints else why), told


def fitted(batch: Batch, columns: Any, read: Any, explain: Explain) -> Iterator[Batch | Reject]:
    """The batch with its records turned into columns; those that do not fit one by one.

    `read` gives the bytes at a place.
    """
    given = dict(batch.columns)
    records = given.pop("record")
    good: list[int] = []
    try:
        batch.columns = given | columns(records)
    except (*FAULTS, *MISFITS):
        pass
    else:
        yield batch
        return
    for at, (record, place) in enumerate(zip(records, batch.places, strict=True)):
        try:
            columns([record])
            good.append(at)
        except (*FAULTS, *MISFITS) as error:
            own = read(place)
            why, known = explain(f"does not fit: {error}", own)
            yield Reject(place, why, excerpt(own), told=known)
    kept = {name: [values[at] for at in good] for name, values in given.items()}
    kept |= columns([records[at] for at in good])
    yield Batch(kept, [batch.places[at] for at in good], batch.shared)
