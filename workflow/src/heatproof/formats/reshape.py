"""Records on their way to rows: which are read at all, and what each says of its samples.

All that config.yaml says of the shape of records is done here, before they are mapped to columns:
`each` and the head beside it, `{model}` in a place, and which records are read (`only`). `Rows` is
of records of any format; `Document` is of JSON, in documents or lines. It takes a few microseconds
a record more than lines decoded by the chunk (`formats/lines.py`).
"""

from __future__ import annotations

from array import array
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from heatproof.formats import aggregates, mapping, sidecars
from heatproof.formats.api import Batch, Passed, Place, Reject, excerpt
from heatproof.formats.decoding import FAULTS, MISFITS, Repeated, fault, members
from heatproof.formats.documents import places, span
from heatproof.formats.params import excerpted
from heatproof.formats.places import (
    EACH,
    GROUP,
    KEY,
    ROW,
    VALUE,
    group_pattern,
    grouped_place,
)
from heatproof.formats.records import Misfits, part_of
from heatproof.util.errors import Error, choices

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from heatproof.formats.api import Kind, Log
    from heatproof.formats.mapping import Listed, Mapped

MOST_VALUES = 6
"""Values of records passed over that are named at most."""


class Record(NamedTuple):
    """A record that is yet to be decoded."""

    key: str
    """Its key in the object that holds the records, or its number in the log or list."""
    number: int
    data: bytes
    place: Place
    cells: list[str] = []
    """Of a row of a table."""

    def refused(self, why: object, cells: dict[str, Any], kind: Kind = "type") -> Reject:
        return Reject(self.place, str(why), excerpt(self.data), told=cells, kind=kind)


class Rows:
    """The rows of a log: of each record one for each of its groups, and the refusals among them."""

    def __init__(self, entry: Mapped, log: Log) -> None:
        """Take what path, config and sidecar say of all records.

        Raises:
            Error: the path does not fit, or the sidecar is not there or does not fit.
            Unreadable: the sidecar is damaged.
        """
        self.entry = entry
        self.shared, self.head = mapping.shared(entry, log.path), dict[str, Any]()
        self.beside: Callable[[], bytes] = lambda: b"null"
        """The bytes of what stands beside the records: head, or sidecar."""
        if entry.sidecar:
            path, data = sidecars.content(log, entry.sidecar)
            self.head = part_of(entry, "head").first(data, path)
            self.beside = partial(bytes, data)
        fields = mapping.fields(entry)
        self.numbered = [field.column for field in fields if field.place in (ROW, KEY)]
        self.read = self.passed = 0
        self.others: Counter[str] = Counter()

    # What a format says of its records.

    def other(self, record: Record) -> str:
        """What a record has that is not read; empty if it is. Raises Error: it is damaged."""
        raise NotImplementedError

    def groups(self, record: Record) -> Iterable[str]:
        """The groups of a record; one without a name where there are none. Raises Error."""
        raise NotImplementedError

    def decode(self, record: Record, group: str) -> Any:
        """What a record says of a group. Raises Error."""
        raise NotImplementedError

    def columns(self, decoded: list[Any], group: str) -> dict[str, list[Any]]:
        """The same of many as columns. Raises FAULTS or MISFITS where one is no good."""
        raise NotImplementedError

    def explain(
        self, why: str, record: Record, group: str, shared: dict[str, Any]
    ) -> tuple[str, dict[str, Any]]:
        """Why a record is refused, with a hint, and what it says by column."""
        raise NotImplementedError

    # What is the same for all of them.

    def of_records(
        self, records: Iterable[Record], keys: Mapping[str, Any] | None = None
    ) -> Iterator[Batch | Reject]:
        """The rows of some records, and those that are refused.

        `keys`: settings that the keys on the way to them tell.
        """
        settings, alike = mapping.split(self.entry, self.head)
        shared = {**self.shared, **settings, **(keys or {})}
        pairs: dict[str, list[tuple[Record, Any]]] = {}
        for record in records:
            try:
                if other := self.other(record):
                    self.passed += 1
                    self.others[other] += 1
                    continue
                self.read += 1
                groups = self.groups(record)
            except Error as error:
                yield record.refused(error, shared, error.kind)
                continue
            for group in groups:
                try:
                    pairs.setdefault(group, []).append((record, self.decode(record, group)))
                except Error as error:
                    yield self._refusal(error, record, group, shared)
        for group, good in pairs.items():
            yield from self._batch(group, good, shared, alike) if good else ()

    def _of_group(self, group: str, shared: dict[str, Any]) -> dict[str, Any]:
        """What path, config, head and the name of a group say of its rows."""
        keys = {self.entry.group(): group} if group else {}
        return shared | mapping.columns_of_keys(self.entry, keys)

    def _numbers(self, record: Record) -> dict[str, Any]:
        return {n: record.number if n == "epoch" else record.key for n in self.numbered}

    def _refusal(
        self, error: Exception, record: Record, group: str, shared: dict[str, Any]
    ) -> Reject:
        if not isinstance(error, Error):
            error = Error(f"does not fit: {error}", "type")
        cells = self._of_group(group, shared) | self._numbers(record)
        why, cells = self.explain(str(error), record, group, cells)
        return record.refused(why, cells, error.kind)

    def _batch(
        self,
        group: str,
        pairs: list[tuple[Record, Any]],
        shared: dict[str, Any],
        alike: dict[str, Any],
    ) -> Iterator[Batch | Reject]:
        """Records as columns; those that do not fit one by one.

        `alike`: columns that are the same in all rows, and are no settings.
        """
        try:
            columns = self.columns([decoded for _, decoded in pairs], group)
        except (*FAULTS, *MISFITS):
            fitting = []
            for record, decoded in pairs:
                try:
                    self.columns([decoded], group)
                    fitting.append((record, decoded))
                except (*FAULTS, *MISFITS) as error:
                    yield self._refusal(error, record, group, shared)
            pairs = fitting
            columns = self.columns([decoded for _, decoded in pairs], group)
        numbers = [self._numbers(record) for record, _ in pairs]
        columns |= {name: [row[name] for row in numbers] for name in self.numbered}
        columns |= {name: [value] * len(pairs) for name, value in alike.items()}
        places = [record.place for record, _ in pairs]
        yield Batch(columns, places, self._of_group(group, shared))

    def rest(self) -> Iterator[Reject | Passed]:
        """What is to be told when all records were looked at."""
        if self.others and not self.read:
            others = ", ".join(f"{o} ({n} ×)" for o, n in self.others.most_common(MOST_VALUES))
            why = f"`only` leaves no record; there are {others}"
            if self.entry.aggregates and not self.entry.only:
                why = aggregates.no_item(self.entry.aggregates, others)
            yield Reject(Place(1, 0, 0), why, kind="missing", whole=True)
        if self.passed:
            yield Passed(self.passed)


class Run(NamedTuple):
    """Records of a document that have a head in common."""

    document: msgspec.Raw
    items: msgspec.Raw
    """What holds the records: an array or an object."""
    keys: dict[str, str] = {}
    """Column → the key on the way to the records that fills it."""
    cut: msgspec.Raw | None = None
    """What is no part of the head, if more than the items."""
    records: list[Record] = []

    def head(self) -> bytes:
        """The document without the records: `null` stands in their place."""
        data = bytes(memoryview(self.document))
        start, stop = span(self.document, self.items if self.cut is None else self.cut)
        return data[:start] + b"null" + data[stop:]


class Lost(NamedTuple):
    """A document in a list that has no records where it should."""

    error: Exception
    document: msgspec.Raw


def runs(data: bytes, each: str, begins: Place | None = None) -> Iterator[Run | Reject]:
    """The records that lie at the place `each` of a document; without one, it is the record.

    At `*` each item of a list is a document, whose head is its own; where `{model}` stands, each
    key fills that column. `begins`: where in a log the document does, if it is not all of it.

    Raises:
        Error: the place holds no array or object, or all are empty.
        Repeated: a key on the way to the records, or that of a record, stands twice.
        msgspec.DecodeError, RecursionError: it is no JSON.
    """
    document = msgspec.Raw(data)
    if not each:
        msgspec.json.decode(data, type=msgspec.Raw)
        [place] = places(data, [document], begins)
        yield Run(document, document, records=[Record("", 0, data, place)])
        return
    ways = [*_ways(Run(document, document), [] if each == "$" else each.split("."))]
    lost = [way for way in ways if isinstance(way, Lost)]
    where = places(data, [way.document for way in lost], begins)
    for (error, raw), place in zip(lost, where, strict=True):
        item = bytes(memoryview(raw))
        why = error if isinstance(error, Error) else fault(error, item)
        yield Reject(place, str(why), excerpt(item), kind=why.kind)
    lists = [(way, _items(way.items)) for way in ways if isinstance(way, Run)]
    raws = [raw for _, items in lists for _, raw in items]
    if lists and not raws:
        raise Error(f"each: {each!r} holds no records", "empty")
    where_next = iter(places(data, raws, begins))
    for way, items in lists:
        records = [
            Record(key, number, bytes(memoryview(raw)), next(where_next))
            for number, (key, raw) in enumerate(items)
        ]
        if records:
            yield way._replace(records=records)


def _ways(run: Run, parts: list[str]) -> Iterator[Run | Lost]:
    """The ways that a place leads on, and the documents of a list where it leads nowhere."""
    if not parts:
        yield run
        return
    part, *rest = parts
    if part == EACH:
        for item in msgspec.json.decode(run.items, type=list[msgspec.Raw]):
            try:
                yield from [*_ways(Run(item, item, run.keys), rest)]
            except (Error, *FAULTS) as error:
                yield Lost(error, item)
    elif match := GROUP.fullmatch(part):
        cut = run.items if run.cut is None else run.cut
        for key, value in members(run.items).items():
            keys = {**run.keys, match[1]: key}
            yield from _ways(run._replace(items=value, keys=keys, cut=cut), rest)
    else:
        level = members(run.items, [part])
        if part not in level:
            raise Error(f"each: the document has no {part!r}; {choices(part, level)}", "missing")
        yield from _ways(run._replace(items=level[part]), rest)


def _items(raw: msgspec.Raw) -> list[tuple[str, msgspec.Raw]]:
    """Key or number, and bytes, of each record of a list or object."""
    items = msgspec.json.decode(raw, type=dict[str, msgspec.Raw] | list[msgspec.Raw])
    if isinstance(items, dict):
        return [*members(raw).items()]
    return [(str(number), item) for number, item in enumerate(items)]


class Groups:
    """The groups of columns that the records of a log have: `score: "{model}.is_correct"`.

    The part of a key that stands in the place of `{model}` fills that column, and each group is a
    row. A key that fits, with an object that has no score, is a group that lacks its score if other
    records have that group, and no group at all otherwise.
    """

    def __init__(self, entry: Mapped) -> None:
        self._entry, self._column = entry, entry.group()
        self._place = grouped_place(entry.places())
        parts = self._place.split(".")
        at = next(n for n, part in enumerate(parts) if f"{{{self._column}}}" in part)
        self._above, self._below = parts[:at], parts[at + 1 :]
        self._pattern = group_pattern(parts[at], self._column)
        self._groups: set[str] = set()
        self._without: dict[str, array[int]] = {}
        """Group → line, offset and length of each record in which it has no score."""

    def of_record(self, record: Record) -> list[str]:
        """The groups of a record that have a score.

        Raises:
            Error: it has none, or a key on the way stands twice.
        """
        groups = []
        try:
            level = members(record.data)
            for part in self._above:
                level = members(level[part]) if part in level else {}
            for key, raw in level.items():
                match = self._pattern.fullmatch(key)
                if not match or not self._entry.is_group(key, match[1]):
                    continue
                if self._has_score(raw):
                    groups.append(match[1])
                elif bytes(memoryview(raw)[:1]) in (b"{", b"n"):
                    self._without.setdefault(match[1], array("q")).extend(record.place)
        except FAULTS as error:
            raise Error(str(error), fault(error, record.data).kind) from error
        if not groups:
            raise Error(f"no key fits {self._place!r}; {choices('', level)}", "missing")
        self._groups.update(groups)
        return groups

    def _has_score(self, raw: msgspec.Raw) -> bool:
        for part in self._below:
            if bytes(memoryview(raw)[:1]) != b"{":
                return part.isdigit()
            level = members(raw)
            if part not in level:
                return False
            raw = level[part]
        return True

    def lacking(self) -> Iterator[Reject]:
        """The records in which a group lacks its score, when all were looked at."""
        for group, numbers in self._without.items():
            if group not in self._groups:
                continue
            why = f"nothing at {self._place.replace(f'{{{self._column}}}', group)}"
            for at in range(0, len(numbers), 3):
                place, cells = Place(*numbers[at : at + 3]), {self._column: group}
                yield Reject(place, why, told=cells, kind="missing")


class Document(Rows):
    """The rows of a log of JSON."""

    entry: Listed

    def __init__(self, entry: Listed, log: Log) -> None:
        super().__init__(entry, log)
        self.headed = bool(part_of(entry, "head").fields) and not entry.sidecar
        """Whether something of the head of the log, or of each document, is read."""
        self._only = mapping.only_values(entry.only)
        self._groups = Groups(entry) if entry.group() else None
        self._alone = False
        """Whether a record is all of the log."""

    def by_itself(self) -> bool:
        """Whether each record is looked at by itself."""
        entry = self.entry
        if entry.each or entry.only or entry.aggregates or self._groups or self.headed:
            return True
        places = (field.place.split(".")[0] for field in mapping.fields(entry))
        return bool(entry.sidecar) or not {VALUE, ROW}.isdisjoint(places)

    def begin(self, head: bytes, what: str = "the head of the log, its first line") -> None:
        """Take a document, or the first line of the log, for its head. Raises Error."""
        self.beside = partial(bytes, head)
        self.head = part_of(self.entry, "head").first(head, what)

    def of_document(self, data: bytes, begins: Place | None = None) -> Iterator[Batch | Reject]:
        """The rows of a document.

        Raises, before the first of them, as `runs`, and Error where the one head does not fit.
        """
        entry = self.entry
        self._alone = not entry.each
        for run in runs(data, entry.each, begins):
            if isinstance(run, Reject):
                yield run
                continue
            try:
                keys = mapping.columns_of_keys(entry, run.keys)
                if not entry.sidecar:
                    # Of aggregates at `$`, some items of the document are no records.
                    itself = entry.aggregates and entry.each == "$"
                    self.beside = partial(bytes, data) if itself else run.head
                if self.headed:
                    self.begin(self.beside(), "the head of the document")
            except Error as error:
                if not entry.several():
                    raise
                for record in run.records:
                    yield record.refused(error, {}, error.kind)
                continue
            yield from self.of_records(run.records, keys)

    def other(self, record: Record) -> str:
        if self._only:
            part = part_of(self.entry, "only")
            try:
                columns = part.columns([part.decode(record.data)])
            except Error as error:
                if isinstance(error.__cause__, Repeated):
                    raise
                return "no such keys"
            for place, values in self._only.items():
                [value] = columns[f"={place}"]
                if (isinstance(value, bool), value) not in values:
                    return f"no {place}" if value is None else f"{place}: {excerpted(value)}"
        return aggregates.other(self.entry.aggregates, record.data)

    def groups(self, record: Record) -> list[str]:
        return self._groups.of_record(record) if self._groups else [""]

    def decode(self, record: Record, group: str) -> Any:
        return part_of(self.entry, group=group).decode(record.data)

    def columns(self, decoded: list[Any], group: str) -> dict[str, list[Any]]:
        return part_of(self.entry, group=group).columns(decoded)

    def explain(
        self, why: str, record: Record, group: str, shared: dict[str, Any]
    ) -> tuple[str, dict[str, Any]]:
        part = part_of(self.entry, group=group)
        misfits = Misfits(part.fields, shared, self.beside)
        return misfits(why, part.wrapped(record.data), document=self._alone)

    def rest(self) -> Iterator[Reject | Passed]:
        if self._groups:
            yield from self._groups.lacking()
        yield from super().rest()
