"""JSON documents of any layout: one run a file or many, mapped by config.yaml."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec

from heatproof.logs.streams import Unreadable
from heatproof.readers import jsonl_format, mapping
from heatproof.readers.api import Batch, Place, Reject, excerpt, sift
from heatproof.readers.decoding import Decoder
from heatproof.readers.detection import ONLY_ENDING, plain
from heatproof.readers.documents import (
    LIMIT,
    document,
    document_fault,
    members,
    one,
    places,
    require_whole,
)
from heatproof.readers.epochs import finished
from heatproof.readers.faults import FAULTS, MISFITS
from heatproof.readers.mapping import KEY, Listed
from heatproof.readers.records import Misfits, columns_of, record_type
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Iterator

    from heatproof.readers.api import Log
    from heatproof.readers.lines import Explain


class Entry(Listed, kw_only=True):
    """Keys of a `json` source."""

    numbers: ClassVar[str] = KEY
    each: str = ""
    """Place of the array or object whose items are the records (`$`: the document itself);
    without it the document is one record."""
    max_document: int = LIMIT
    """Bytes of a document at most: larger ones are refused."""


def resembles(path: str, head: bytes) -> str:
    """Why a file can be read as a JSON document; empty if nothing tells that it can."""
    if not plain(path).endswith(".json") or jsonl_format.resembles(path, head):
        return ""
    sign = {b"{": "an object", b"[": "a list"}.get(head.lstrip()[:1])
    return f"it is {sign}" if sign else ONLY_ENDING


def read(log: Log, entry: Entry) -> Iterator[Batch | Reject]:
    """The samples of a document; all of it is refused when it is no JSON or has no records."""
    try:
        data = document(log, entry.max_document)
        shared = mapping.shared(entry, log.path)
        items = _items(data, entry.each)
    except Unreadable as error:
        yield Reject(Place(error.line, error.offset, 0), str(error))
    except Error as error:
        yield Reject(Place(1, 0, 0), str(error))
    except FAULTS as error:
        yield Reject(Place(1, 0, len(data)), document_fault(error, data), excerpt(data))
    else:
        yield from finished(_records(data, items, entry, shared), entry)


def _items(data: bytes, each: str) -> list[tuple[str, msgspec.Raw]]:
    """Key and bytes of each record.

    Raises:
        Error: the place holds no array or object.
        Repeated: a key on the way to the records, or that of a record, stands twice.
    """
    raw = msgspec.Raw(data)
    if not each:
        msgspec.json.decode(data, type=msgspec.Raw)
        return [("", raw)]
    for part in [] if each == "$" else each.split("."):
        level = members(raw, [part])
        if part not in level:
            raise Error(f"each: the document has no {part!r}")
        raw = level[part]
    held = msgspec.json.decode(raw, type=dict[str, msgspec.Raw] | list[msgspec.Raw])
    if isinstance(held, dict):
        require_whole(raw, held)
    if not held:
        raise Error(f"each: {each!r} holds no records")
    pairs = held.items() if isinstance(held, dict) else enumerate(held)
    return [(str(key), item) for key, item in pairs]


def _records(
    data: bytes, items: list[tuple[str, msgspec.Raw]], entry: Entry, shared: dict[str, Any]
) -> Iterator[Batch | Reject]:
    wanted = mapping.fields(entry)
    keyed = [field.column for field in wanted if field.place == KEY]
    inside = [field for field in wanted if field.place != KEY]
    kind, getters = record_type(inside)
    decoder = Decoder(msgspec.json.Decoder(kind))
    explain = Misfits(inside, shared)
    records, keys, numbers, found = [], [], [], []
    all_places = places(data, [raw for _, raw in items])
    for number, ((key, raw), place) in enumerate(zip(items, all_places, strict=True)):
        record = bytes(memoryview(raw))
        try:
            records.append(one(decoder, record))
            keys.append(key)
            numbers.append(number)
            found.append(place)
        except Error as error:
            why, known = explain(str(error), record, document=not entry.each)
            yield Reject(place, why, excerpt(record), told=known)
    if records:
        columns = columns_of(entry, inside, getters)
        named = {name: numbers if name == "epoch" else keys for name in keyed}
        batch = Batch({"record": records, **named}, found, shared)
        for part in fitted(batch, columns, data, explain):
            yield from sift(part, partial(_bytes, data)) if isinstance(part, Batch) else (part,)


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
