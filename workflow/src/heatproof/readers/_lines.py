"""Logs of one JSON record a line: decoded by the chunk, line by line only where that fails."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from heatproof.readers._batch import Batch, Log, Place, Reject, excerpt, sift
from heatproof.streams import Chunk, Unreadable, chunks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Columns = Callable[[list[Any]], dict[str, list[Any]]]


def read_lines(
    log: Log, decoder: msgspec.json.Decoder[Any], columns: Columns, shared: dict[str, Any]
) -> Iterator[Batch | Reject]:
    """Batches of the records of a log, one JSON value a line; blank lines are no records.

    `columns` turns decoded records into columns; `shared` is what all rows have in common.
    """
    seen = False
    try:
        for chunk in chunks(log.file, log.path):
            for part in _decode(chunk, decoder, columns, shared):
                seen = True
                yield part
    except Unreadable as error:
        yield Reject(Place(error.line, error.offset, 0), str(error))
        return
    if not seen:
        yield Reject(Place(1, 0, 0), "the log is empty")


def _decode(
    chunk: Chunk, decoder: msgspec.json.Decoder[Any], columns: Columns, shared: dict[str, Any]
) -> Iterator[Batch | Reject]:
    places = _places(chunk)
    if not places:
        return
    try:
        if not chunk.data.isascii():
            chunk.data.decode()  # the decoder does not look into the strings that it skips
        records = decoder.decode_lines(chunk.data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        records, places, refused = _one_by_one(chunk, places, decoder)
        yield from refused

    def record(place: Place) -> bytes:
        return chunk.data[place.offset - chunk.offset :][: place.length]

    if records:
        yield from sift(Batch(columns(records), places, shared), record)


def _places(chunk: Chunk) -> list[Place]:
    """Where the lines of a chunk lie, blank ones left out."""
    data, offset, line = chunk
    places, start = [], 0
    while start < len(data):
        end = data.find(b"\n", start)
        end = len(data) if end < 0 else end
        if end - start > 1 or not data[start:end].isspace() and end > start:
            places.append(Place(line, offset + start, end - start))
        start, line = end + 1, line + 1
    return places


def _one_by_one(
    chunk: Chunk, places: list[Place], decoder: msgspec.json.Decoder[Any]
) -> tuple[list[Any], list[Place], list[Reject]]:
    records, good, refused = [], [], []
    ends_open = not chunk.data.endswith(b"\n")
    for place in places:
        data = chunk.data[place.offset - chunk.offset :][: place.length]
        try:
            data.decode()
            records.append(decoder.decode(data))
            good.append(place)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            last = ends_open and place is places[-1]
            refused.append(Reject(place, reason(error, data, cut=last), excerpt(data)))
    return records, good, refused


def reason(error: Exception, data: bytes, *, cut: bool = False) -> str:
    """Why a record could not be decoded, in words for the rejected table."""
    if isinstance(error, UnicodeDecodeError):
        return f"invalid UTF-8: byte 0x{error.object[error.start]:02x} at {error.start}"
    if isinstance(error, RecursionError):
        return "nested too deeply"
    if isinstance(error, msgspec.ValidationError):
        return str(error)
    if cut:
        return f"the log ends within this line: {error}"
    for word in (b"NaN", b"Infinity"):
        if word in data:
            return f"not JSON: {word.decode()} (a bare word): {error}"
    return f"not JSON: {error}"
