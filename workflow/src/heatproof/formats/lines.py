"""Logs of one JSON record a line: decoded by the chunk, line by line only where that fails.

Decoding by the chunk takes a third of the time where records are short (150 bytes).
"""

from __future__ import annotations

from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from heatproof.formats.api import Batch, Declared, Place, Reject, excerpt
from heatproof.formats.decoding import FAULTS, MISFITS, Decoder, fault, plain
from heatproof.logs.streams import EMPTY, Oversize, Text, Unreadable, lines, oversize
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from heatproof.formats.api import Log, Passed

    Columns = Callable[[Sequence[Any]], dict[str, list[Any]]]
    Explain = Callable[[str, bytes], tuple[str, dict[str, Any]]]


def as_records(records: Sequence[Any]) -> dict[str, list[Any]]:
    """The records themselves as the one column, for a reader that makes several rows of each."""
    return {"record": list(records)}


def read_lines(
    log: Log,
    decoder: msgspec.json.Decoder[Any],
    columns: Columns,
    shared: dict[str, Any],
    explain: Explain | None = None,
) -> Iterator[Batch | Reject]:
    """Batches of the records of a log, one JSON value a line; blank lines are no records.

    `columns` turns decoded records into columns; `shared` is what all rows have in common.
    `explain` gives of a refused record the reason, maybe with a hint, and what it says by column.
    """
    empty, unique = True, _unique(decoder)
    try:
        for text in lines(log.file, log.path):
            if isinstance(text, Oversize):
                empty = False
                place = Place(text.line, text.offset, text.length)
                yield Reject(place, oversize(log.file), excerpt(text.head), kind="damage")
                continue
            try:
                records, places = _at_once(text, unique, log.limits.record)
                values = columns(records) if records else {}
            except (*FAULTS, *MISFITS):
                parts = [*_one_by_one(log, text, unique, columns, explain)]
                rejects = [part for part in parts if isinstance(part, Reject)]
                yield from rejects
                empty &= not rejects
                pairs = [part for part in parts if not isinstance(part, Reject)]
                places, records = [place for place, _ in pairs], [record for _, record in pairs]
                values = columns(records) if records else {}
            if records:
                empty = False
                yield Batch(values, places, shared)
    except Unreadable as error:
        place = Place(error.line, error.offset, 0)
        yield Reject(place, str(error), spoils=error.spoiled, kind=error.kind)
        return
    if empty:
        yield Reject(Place(1, 0, 0), EMPTY, kind="empty", whole=True)


@lru_cache(maxsize=8)
def _unique(decoder: msgspec.json.Decoder[Any]) -> Decoder:
    """Made once for each decoder: a reader may have one for thousands of small logs."""
    return Decoder(decoder)


def line_by_line(
    log: Log, parts: Iterable[Batch | Reject | Declared | Passed]
) -> Iterator[Batch | Reject | Declared | Passed]:
    """The parts of a log; if its refusal is all there is, that for each line: all are counted."""
    refusal, several = None, False
    for part in parts:
        if isinstance(part, Declared):
            yield part
            continue
        if refusal:
            yield refusal
        refusal = None
        if isinstance(part, Reject) and not part.place.length and not several:
            refusal = part
        else:
            yield part
        several = True
    if refusal:
        yield from _refused_lines(log, refusal)


def _refused_lines(log: Log, refusal: Reject) -> Iterator[Reject]:
    """The refusal once if the log has no lines, or none that can be read."""
    count = 0
    try:
        for text in lines(log.again(), log.path) if log.has_lines() else ():
            if isinstance(text, Oversize):
                places = [Place(text.line, text.offset, 0)]
            else:
                places = [place._replace(length=0) for place in records_of(text)]
            count += len(places)
            yield from (replace(refusal, place=place) for place in places)
    except Unreadable:
        pass
    if not count:
        yield refusal


def records_of(text: Text) -> Iterator[Place]:
    """The places of lines that are not blank."""
    offset = text.offset
    for number, line in enumerate(bytes(text.data).split(b"\n"), text.line):
        if line.strip():
            yield Place(number, offset, len(line) - line.endswith(b"\r"))
        offset += len(line) + 1


OPEN, CLOSE, SPACE, RETURN = b"{} \r"


def _at_once(text: Text, decoder: Decoder, limit: int) -> tuple[list[Any], list[Place]]:
    """The records of some lines. Raises FAULTS or MISFITS where one of them is no good."""
    import numpy as np

    records = decoder.lines(text.data)
    ends = text.ends
    starts = np.zeros_like(ends)
    starts[1:] = ends[:-1] + 1
    lengths = ends - starts
    lengths -= (lengths > 0) & (text.octets[ends - 1] == RETURN)  # of an empty line anything
    if lengths.max() > limit:
        raise ValueError
    numbers = np.arange(text.line, text.line + len(starts))
    if len(records) != len(starts):
        full = text.octets[starts] > SPACE  # of blank lines, none but those of spaces alone
        starts, lengths, numbers = starts[full], lengths[full], numbers[full]
    # No record goes on over a line's end: `}` and `{` meet in no JSON value.
    first, last = text.octets[starts], text.octets[starts + lengths - 1]
    if len(records) != len(starts) or (first != OPEN).any() or (last != CLOSE).any():
        raise ValueError
    offsets = starts + text.offset
    return records, [*map(Place, numbers.tolist(), offsets.tolist(), lengths.tolist())]


def _one_by_one(
    log: Log, text: Text, decoder: Decoder, columns: Columns, explain: Explain | None
) -> Iterator[tuple[Place, Any] | Reject]:
    for place in records_of(text):
        start = place.offset - text.offset
        data = bytes(text.data[start : start + place.length])
        try:
            if place.length > log.limits.record:
                raise Error(oversize(log.file), "damage")
            data.decode()
            record = _single(data, decoder)
            columns([record])
            yield place, record
            continue
        except Error as error:
            why = error
        except FAULTS as error:
            why = fault(error, data, cut=start + place.length == len(text.data))
        except MISFITS as error:
            why = Error(f"does not fit: {error}", "type")
        reason, cells = str(why), dict[str, Any]()
        if explain and why.kind != "damage":
            reason, cells = explain(reason, data)
        yield Reject(place, reason, excerpt(data), told=cells, kind=why.kind)


def _single(data: bytes, decoder: Decoder) -> Any:
    """A record; bare NaN and Infinity, which Python writes, may stand where nothing is read."""
    try:
        return decoder.single(data)
    except msgspec.ValidationError:
        raise
    except msgspec.DecodeError as error:
        without = plain(data)
        with suppress(*FAULTS):
            if without != data:
                return decoder.single(without)
        raise error from None
