"""Records that are the items of a list or object in a document, which may have a head beside it.

A document is a file, or a line of one. All of it is held in memory.
"""

from __future__ import annotations

from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from heatproof.readers import mapping
from heatproof.readers.api import Batch, Place, Reject, excerpt, sift
from heatproof.readers.decoding import Decoder
from heatproof.readers.documents import members, one, places, require_whole, span
from heatproof.readers.faults import FAULTS, MISFITS
from heatproof.readers.head_places import HEAD
from heatproof.readers.mapping import KEY
from heatproof.readers.params import excerpted
from heatproof.readers.records import Look, Misfits, columns_of, missing, record_type, value_at
from heatproof.util.errors import Error, choices

if TYPE_CHECKING:
    from collections.abc import Iterator

    from heatproof.readers.lines import Explain
    from heatproof.readers.mapping import Field, Listed


class Items(NamedTuple):
    """The records of a document, each by its key or place in the list."""

    pairs: list[tuple[str, msgspec.Raw]]
    head: bytes
    """The document without them: `null` stands in their place."""


def items(data: bytes, each: str) -> Items:
    """The records that lie at the place `each`; without one, the document is the record.

    Raises:
        Error: the place holds no array or object, or an empty one.
        Repeated: a key on the way to the records, or that of a record, stands twice.
        msgspec.DecodeError, RecursionError: it is no JSON.
    """
    raw = msgspec.Raw(data)
    if not each:
        msgspec.json.decode(data, type=msgspec.Raw)
        return Items([("", raw)], b"null")
    for part in [] if each == "$" else each.split("."):
        level = members(raw, [part])
        if part not in level:
            raise Error(f"each: the document has no {part!r}; {choices(part, level)}")
        raw = level[part]
    held = msgspec.json.decode(raw, type=dict[str, msgspec.Raw] | list[msgspec.Raw])
    if isinstance(held, dict):
        require_whole(raw, held)
    if not held:
        raise Error(f"each: {each!r} holds no records")
    pairs = held.items() if isinstance(held, dict) else enumerate(held)
    start, stop = span(data, raw)
    head = b"null" if each == "$" else data[:start] + b"null" + data[stop:]
    return Items([(str(key), item) for key, item in pairs], head)


class Part:
    """Places of a record, or of a head, decoded into columns."""

    def __init__(self, entry: Listed, wanted: list[Field]) -> None:
        kind, getters = record_type(wanted)
        self.wanted = wanted
        self.decoder = Decoder(msgspec.json.Decoder(kind))
        self.columns = columns_of(entry, wanted, getters)


class Layout:
    """How the documents of a source are read: made once for all of them."""

    def __init__(self, entry: Listed) -> None:
        wanted = mapping.fields(entry)
        self.entry = entry
        self.keyed = [field.column for field in wanted if field.place == KEY]
        self.record = Part(entry, [field for field in wanted if field.place != KEY])
        head = mapping.heads(entry)
        self.head = Part(entry, head) if head else None

    def told(self, head: bytes) -> dict[str, Any]:
        """Column → what the head of a document says of all its records.

        Raises:
            Error: it lacks a place, or holds something else there than the column does.
        """
        if self.head is None:
            return {}
        try:
            found = self.head.columns([one(self.head.decoder, head)])
        except (Error, *MISFITS, *FAULTS) as error:
            why, _ = Misfits(self.head.wanted, {})(str(error), head)
            raise Error(f"the head of the document: {why}") from error
        return {name: values[0] for name, values in found.items()}

    def read(self, data: bytes, shared: dict[str, Any]) -> Iterator[Batch | Reject]:
        """The records of a document with their places in it.

        Raises: as `items` and `told`.
        """
        found = items(data, self.entry.each)
        head = self.told(found.head)
        settings = {*mapping.IDENTITY, *self.entry.params}
        alike = {name: value for name, value in head.items() if name in settings}
        rest = {name: value for name, value in head.items() if name not in settings}
        return self._records(data, found, shared | alike, rest)

    def _records(
        self, data: bytes, found: Items, shared: dict[str, Any], alike: dict[str, Any]
    ) -> Iterator[Batch | Reject]:
        """`alike`: columns that are the same in all rows, and are no settings."""
        explain = _Beside(self.record.wanted, shared, found.head)
        records, keys, numbers, places_ = [], [], [], []
        where = places(data, [raw for _, raw in found.pairs])
        for number, ((key, raw), place) in enumerate(zip(found.pairs, where, strict=True)):
            record = bytes(memoryview(raw))
            try:
                records.append(one(self.record.decoder, record))
                keys.append(key)
                numbers.append(number)
                places_.append(place)
            except Error as error:
                why, known = explain(str(error), record, document=not self.entry.each)
                yield Reject(place, why, excerpt(record), told=known)
        if records:
            named = {name: numbers if name == "epoch" else keys for name in self.keyed}
            same = {name: [value] * len(records) for name, value in alike.items()}
            batch = Batch({"record": records, **named, **same}, places_, shared)
            for part in fitted(batch, self.record.columns, data, explain):
                yield from sift(part, partial(_bytes, data)) if isinstance(part, Batch) else (part,)


_LAST: list[Layout] = []


def layout(entry: Listed) -> Layout:
    """The layout of a source: the same object for all its logs."""
    if not _LAST or _LAST[0].entry is not entry:
        _LAST[:] = [Layout(entry)]
    return _LAST[0]


class _Beside(Misfits):
    """Looks at refused records of a document, and at its head for what they lack."""

    def __init__(self, wanted: list[Field], shared: dict[str, Any], head: bytes) -> None:
        super().__init__(wanted, shared)
        self._bytes = head

    @cached_property
    def _head(self) -> Any:
        return msgspec.json.decode(self._bytes)

    def __call__(self, reason: str, data: bytes, *, document: bool = False) -> Look:
        why, told = super().__call__(reason, data, document=document)
        if not missing(reason):
            return why, told
        lacking = [place for column, place in self.places.items() if column not in told]
        there = {place: value_at(self._head, place) for place in lacking}
        hints = [
            f"; beside the list of records stands {place}, {excerpted(value)}: write {HEAD}{place}"
            for place, value in there.items()
            if value is not None
        ]
        return (reason + hints[0] if hints else why), told


def fitted(batch: Batch, columns: Any, data: bytes, explain: Explain) -> Iterator[Batch | Reject]:
    """The batch with its records turned into columns; those that do not fit one by one."""
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
            own = _bytes(data, place)
            why, known = explain(f"does not fit: {error}", own)
            yield Reject(place, why, excerpt(own), told=known)
    kept = {name: [values[at] for at in good] for name, values in given.items()}
    kept |= columns([records[at] for at in good])
    yield Batch(kept, [batch.places[at] for at in good], batch.shared)


def _bytes(data: bytes, place: Place) -> bytes:
    return data[place.offset : place.offset + place.length]
