"""Records of JSON taken out of documents and lines, and reshaped on their way to rows.

All that config.yaml says of the shape of records is done here, before they are mapped to columns:
`each` and the head beside it, `{model}` in a place, and which records are read at all (`only`).
It takes a few microseconds a record more than lines decoded by the chunk (`formats/lines.py`).
A document is a file, or a line of one; it is held in memory.
"""

from __future__ import annotations

from array import array
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from heatproof.formats import aggregates, mapping, sidecars
from heatproof.formats.api import Batch, Passed, Place, Reject, excerpt, sift
from heatproof.formats.decoding import FAULTS, MISFITS, Decoder, Repeated, fault
from heatproof.formats.documents import members, one, places, span
from heatproof.formats.mapping import Field
from heatproof.formats.params import excerpted
from heatproof.formats.places import (
    EACH,
    GROUP,
    HEAD,
    KEY,
    POINT,
    ROW,
    VALUE,
    group_pattern,
    grouped_place,
)
from heatproof.formats.records import Misfits, columns_of, missing, record_type, value_at
from heatproof.util.errors import Error, choices

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from heatproof.formats.api import Log
    from heatproof.formats.mapping import Listed, Mapped

MOST_VALUES = 6
"""Values of records passed over that are named at most."""


class Record(NamedTuple):
    """A record that is yet to be decoded."""

    key: str
    """Its key in the object that holds the records, or its number in the list."""
    number: int
    data: bytes
    place: Place

    def refused(self, why: object, cells: dict[str, Any], kind: Any = "type") -> Reject:
        return Reject(self.place, str(why), excerpt(self.data), told=cells, kind=kind)


class Run(NamedTuple):
    """Records of a document that have a head in common."""

    document: msgspec.Raw
    cut: msgspec.Raw
    """What is no part of the head."""
    items: msgspec.Raw
    """What holds the records: an array or an object."""
    keys: dict[str, str]
    """Column → the key on the way to the records that fills it."""
    records: list[Record] = []

    def head(self) -> bytes:
        """The document without the records: `null` stands in their place."""
        data = bytes(memoryview(self.document))
        start, stop = span(self.document, self.cut)
        return data[:start] + b"null" + data[stop:]


class Lost(NamedTuple):
    """A document in a list that has no records where it should."""

    error: Error
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
        yield Run(document, document, document, {}, [Record("", 0, data, place)])
        return
    ways = [*_ways(document, [] if each == "$" else each.split("."))]
    lost = [way for way in ways if isinstance(way, Lost)]
    where = places(data, [way.document for way in lost], begins)
    for (error, raw), place in zip(lost, where, strict=True):
        yield Reject(place, str(error), excerpt(bytes(memoryview(raw))), kind=error.kind)
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


def _ways(document: msgspec.Raw, parts: list[str]) -> Iterator[Run | Lost]:
    """The ways that a place leads, and the documents of a list where it leads nowhere."""
    raw = document
    for at, part in enumerate(parts):
        if part == EACH:
            for item in msgspec.json.decode(raw, type=list[msgspec.Raw]):
                try:
                    yield from [*_ways(item, parts[at + 1 :])]
                except Error as error:
                    yield Lost(error, item)
                except FAULTS as error:
                    yield Lost(fault(error, bytes(memoryview(item))), item)
            return
        if GROUP.fullmatch(part):
            yield from _ways_by_key(document, raw, part[1:-1], parts[at + 1 :])
            return
        level = members(raw, [part])
        if part not in level:
            why = f"each: the document has no {part!r}; {choices(part, level)}"
            raise Error(why, "missing")
        raw = level[part]
    yield Run(document, raw, raw, {})


def _ways_by_key(
    document: msgspec.Raw, raw: msgspec.Raw, column: str, parts: list[str]
) -> Iterator[Run | Lost]:
    for key, value in members(raw).items():
        for way in _ways(value, parts):
            if isinstance(way, Lost):
                yield way
                continue
            keys = {column: key, **way.keys}
            if way.document is value:  # and no list of documents lies between
                yield Run(document, raw, way.items, keys)
            else:
                yield way._replace(keys=keys)


def _items(raw: msgspec.Raw) -> list[tuple[str, msgspec.Raw]]:
    """Key or number, and bytes, of each record of a list or object."""
    items = msgspec.json.decode(raw, type=dict[str, msgspec.Raw] | list[msgspec.Raw])
    if isinstance(items, dict):
        return [*members(raw).items()]
    return [(str(number), item) for number, item in enumerate(items)]


class Part:
    """Places of a record, or of a head, decoded into columns."""

    def __init__(self, entry: Mapped, fields: list[Field]) -> None:
        kind, getters = record_type(fields)
        self.fields = fields
        self.columns = columns_of(entry, fields, getters)
        self.plain = msgspec.json.Decoder(kind)
        self._wraps = any(field.place.split(".")[0] == VALUE for field in fields)
        self._decoder = Decoder(self.plain)

    def decode(self, data: bytes) -> Any:
        """A record. Raises Error as `documents.one`."""
        try:
            return one(self._decoder, self.wrapped(data))
        except Error as error:
            raise Error(_unwrapped(str(error)), error.kind) from error.__cause__

    def wrapped(self, data: bytes) -> bytes:
        """The record; one that is no object, within one."""
        return b'{"%b": %b}' % (VALUE.encode(), data) if self._wraps else data

    def first(self, data: bytes, what: str) -> dict[str, Any]:
        """Column → value, of a head; `what`: what that is.

        Raises:
            Error: it lacks a place, or holds something else there than the column does.
        """
        try:
            columns = self.columns([self.decode(data)])
        except (Error, *MISFITS, *FAULTS) as error:
            why, _ = Misfits(self.fields, {})(str(error), data)
            kind = error.kind if isinstance(error, Error) else "type"
            raise Error(f"{what}: {why}", kind) from error
        return {name: values[0] for name, values in columns.items()}


def _unwrapped(reason: str) -> str:
    return reason.replace(f"$.{VALUE}", "$")


class Layout:
    """How the records of a source are decoded: made once for all its logs."""

    def __init__(self, entry: Listed) -> None:
        self.entry = entry
        self._fields = [field for field in mapping.fields(entry) if field.place != ROW]
        self.keyed = [field.column for field in self._fields if field.place == KEY]
        self.items = aggregates.Items(entry.aggregates) if entry.aggregates else None
        only = [Field(place, place, "text", required=False) for place in entry.only]
        kind, self._only = record_type(only)
        self._only_decoder = Decoder(msgspec.json.Decoder(kind))
        self._only_values = mapping.only_values(entry.only)
        head = mapping.heads(entry)
        self.head = Part(entry, head) if head else None
        self._parts: dict[str, Part] = {}

    def by_itself(self) -> bool:
        """Whether each record is looked at by itself."""
        keys = self.entry.each or self._only or self.entry.group() or self.items or self.head
        return bool(keys) or any(f.place.split(".")[0] == VALUE for f in self._fields)

    def part(self, group: str = "") -> Part:
        """How a record is decoded; of those that hold several groups, one of these."""
        if group not in self._parts:
            fields = [field for field in self._fields if field.place != KEY]
            if group:
                hole, name = f"{{{self.entry.group()}}}", group.replace(".", POINT)
                fields = [f._replace(place=f.place.replace(hole, name)) for f in fields]
            self._parts[group] = Part(self.entry, fields)
        return self._parts[group]

    def read_head(self, head: bytes, what: str) -> dict[str, Any]:
        """Column → what a head says of all its records. Raises Error as `Part.first`."""
        return self.head.first(head, what) if self.head else {}

    def passes(self, data: bytes) -> str:
        """What a record has that is not read, by `only` or `aggregates`; empty if it is.

        Raises:
            Error: a key that tells so stands twice.
        """
        if self._only:
            try:
                record = one(self._only_decoder, data)
            except Error as error:
                if isinstance(error.__cause__, Repeated):
                    raise
                return "no such keys"
            for place, get in self._only.items():
                value = get(record)
                if (isinstance(value, bool), value) not in self._only_values[place]:
                    return f"no {place}" if value is None else f"{place}: {excerpted(value)}"
        return self.items.has(data) if self.items else ""


_LAST: list[Layout] = []


def layout(entry: Listed) -> Layout:
    """The layout of a source: the same object for all its logs."""
    if not _LAST or _LAST[0].entry is not entry:
        _LAST[:] = [Layout(entry)]
    return _LAST[0]


def settings_beside(entry: Mapped, log: Log) -> tuple[dict[str, Any], dict[str, Any], bytes]:
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


class Rows:
    """The rows of a log."""

    def __init__(self, layout: Layout, log: Log) -> None:
        """Raises as `settings_beside`."""
        self._layout, self._entry = layout, layout.entry
        self._shared, self._head, beside = settings_beside(layout.entry, log)
        self._beside: Callable[[], bytes] = partial(bytes, beside)
        """The bytes of what stands beside the records: head, or sidecar."""
        self._groups = Groups(layout.entry) if layout.entry.group() else None
        self._read = self._passed = 0
        self._others: Counter[str] = Counter()

    def begin(self, head: bytes) -> None:
        """Take the first line of the log for its head. Raises Error as `Part.first`."""
        self._head = self._layout.read_head(head, "the head of the log, its first line")
        self._beside = partial(bytes, head)
        self._passed += 1

    def of_document(self, data: bytes, begins: Place | None = None) -> Iterator[Batch | Reject]:
        """The rows of a document.

        Raises, before the first of them, as `runs`, and Error where the one head does not fit.
        """
        entry = self._entry
        for run in runs(data, entry.each, begins):
            if isinstance(run, Reject):
                yield run
                continue
            try:
                keys = mapping.columns_of_keys(entry, run.keys)
                if not entry.sidecar:
                    # Of aggregates at `$`, some items of the document are no records.
                    itself = entry.aggregates and entry.each == "$"
                    self._beside = partial(bytes, data) if itself else run.head
                    head = self._beside() if self._layout.head else b""
                    self._head = self._layout.read_head(head, "the head of the document")
            except Error as error:
                if not entry.several():
                    raise
                for record in run.records:
                    yield record.refused(error, {}, error.kind)
                continue
            yield from self.of_records(run.records, keys, document=not entry.each)

    def of_records(
        self,
        records: Iterable[Record],
        keys: Mapping[str, Any] | None = None,
        *,
        document: bool = False,
    ) -> Iterator[Batch | Reject]:
        """The rows of some records, and those that are refused.

        `keys`: settings that the keys on the way to them tell. `document`: the record is all of the
        log.
        """
        settings, alike = mapping.split(self._entry, self._head)
        shared = {**self._shared, **settings, **(keys or {})}
        pairs: dict[str, list[tuple[Record, Any]]] = {}
        for record in records:
            try:
                groups = self._groups_of(record)
            except Error as error:
                yield record.refused(error, shared, error.kind)
                continue
            for group in groups:
                try:
                    decoded = self._layout.part(group).decode(record.data)
                except Error as error:
                    explain = self._explain(group, shared)
                    why, cells = explain(str(error), record.data, document=document)
                    yield record.refused(why, cells, error.kind)
                else:
                    pairs.setdefault(group, []).append((record, decoded))
        for group, good in pairs.items():
            yield from self._batch(group, good, shared, alike)

    def _groups_of(self, record: Record) -> list[str]:
        """The groups of a record; nothing if it is passed over. Raises Error if it has none."""
        other = self._layout.passes(record.data)
        if other:
            self._passed += 1
            self._others[other] += 1
            return []
        self._read += 1
        return self._groups.of_record(record) if self._groups else [""]

    def _shared_by_group(self, group: str, shared: dict[str, Any]) -> dict[str, Any]:
        """What path, config, head and the name of a group say of its rows."""
        keys = {self._entry.group(): group} if group else {}
        return shared | mapping.columns_of_keys(self._entry, keys)

    def _explain(self, group: str, shared: dict[str, Any]) -> _Explain:
        part = self._layout.part(group)
        return _Explain(part, self._shared_by_group(group, shared), self._beside)

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
        part = self._layout.part(group)
        try:
            columns = part.columns([decoded for _, decoded in pairs])
        except (*FAULTS, *MISFITS):
            fitting = []
            for record, decoded in pairs:
                try:
                    part.columns([decoded])
                    fitting.append((record, decoded))
                except (*FAULTS, *MISFITS) as error:
                    explain = self._explain(group, shared)
                    yield record.refused(*explain(f"does not fit: {error}", record.data))
            pairs = fitting
            columns = part.columns([decoded for _, decoded in pairs])
        for name in self._layout.keyed:
            columns[name] = [r.number if name == "epoch" else r.key for r, _ in pairs]
        columns |= {name: [value] * len(pairs) for name, value in alike.items()}
        texts = {record.place: record.data for record, _ in pairs}
        cells = self._shared_by_group(group, shared)
        yield from sift(Batch(columns, [*texts], cells), texts.__getitem__)

    def rest(self) -> Iterator[Reject | Passed]:
        """What is to be told when all records were looked at."""
        if self._groups:
            yield from self._groups.lacking()
        if self._others and not self._read:
            others = ", ".join(f"{o} ({n} ×)" for o, n in self._others.most_common(MOST_VALUES))
            why = f"`only` leaves no record; there are {others}"
            if self._layout.items and not self._entry.only:
                why = self._layout.items.none(others)
            yield Reject(Place(1, 0, 0), why, kind="missing", whole=True)
        if self._passed:
            yield Passed(self._passed)


class _Explain(Misfits):
    """Looks at refused records, and at what stands beside them for what they lack."""

    def __init__(self, part: Part, shared: Mapping[str, Any], head: Callable[[], bytes]) -> None:
        super().__init__(part.fields, shared)
        self._part, self._head = part, head

    def __call__(
        self, reason: str, data: bytes, *, document: bool = False
    ) -> tuple[str, dict[str, Any]]:
        why, cells = super().__call__(reason, self._part.wrapped(data), document=document)
        if not missing(reason):
            return _unwrapped(why), cells
        head = msgspec.json.decode(self._head())
        for column, place in self.places.items():
            value = None if column in cells else value_at(head, place)
            if value is not None:
                hint = f"beside the records stands {place}, {excerpted(value)}: write {HEAD}{place}"
                return f"{reason}; {hint}", cells
        return why, cells
