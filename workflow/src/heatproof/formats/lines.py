"""Logs of one JSON record a line: decoded by the chunk, or line by line where that fails.

By the chunk takes a third of the time where records are short (150 bytes).
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec.structs import replace

from heatproof.formats.api import Batch, Declared, Place, Reject
from heatproof.formats.decoding import FAULTS, excerpt, fault, plain
from heatproof.logs.streams import EMPTY, Oversize, Text, Unreadable, lines, oversize
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from heatproof.formats.api import Log, Passed
    from heatproof.formats.decoding import Decoder

OPEN, CLOSE, SPACE, RETURN = b"{} \r"


class Lines(NamedTuple):
    """Lines of a log that are not blank."""

    places: list[Place]
    records: list[Any]  # decoded, or a refusal
    data: list[bytes]  # empty where all were decoded at once


def read_lines(log: Log, decoder: Decoder) -> Iterator[Lines | Reject]:
    """The records of a log, one JSON value a line; refusals of what is no line."""
    empty = True
    try:
        for text in lines(log.file, log.path):
            if isinstance(text, Oversize):
                place = Place(text.line, text.offset, text.length)
                why = Error(oversize(log.file), "damage")
                yield Reject.of_error(place, why, excerpt(text.head))
                empty = False
                continue
            try:
                part = _at_once(text, decoder, log.limits.record)
            except FAULTS:
                part = _one_by_one(log, text, decoder)
            if part.places:
                empty = False
                yield part
    except Unreadable as error:
        place = Place(error.line, error.offset, 0)
        yield Reject.of_error(place, error, spoils=error.spoiled)
        return
    if empty:
        yield Reject.of_log(Error(EMPTY, "empty"))


def _at_once(text: Text, decoder: Decoder, limit: int) -> Lines:
    """The records of some lines. Raises FAULTS where one of them is no good."""
    import numpy as np

    records = decoder.lines(text.data)
    octets = np.frombuffer(text.data, np.uint8)
    ends = text.ends
    if not len(ends) or ends[-1] != len(octets) - 1:  # the last line has no end
        ends = np.append(ends, len(octets))
    starts = np.zeros_like(ends)
    starts[1:] = ends[:-1] + 1
    lengths = ends - starts
    lengths -= (lengths > 0) & (octets[ends - 1] == RETURN)  # of an empty line anything
    if lengths.max() > limit:
        raise ValueError
    numbers = np.arange(text.line, text.line + len(starts))
    if len(records) != len(starts):
        full = octets[starts] > SPACE  # of blank lines, none but those of spaces alone
        starts, lengths, numbers = starts[full], lengths[full], numbers[full]
    # No record goes on over a line's end: `}` and `{` meet in no JSON value.
    first, last = octets[starts], octets[starts + lengths - 1]
    if len(records) != len(starts) or (first != OPEN).any() or (last != CLOSE).any():
        raise ValueError
    offsets = starts + text.offset
    return Lines([*map(Place, numbers.tolist(), offsets.tolist(), lengths.tolist())], records, [])


def _one_by_one(log: Log, text: Text, decoder: Decoder) -> Lines:
    part = Lines([], [], [])
    for place in _places(text):
        start = place.offset - text.offset
        data = plain(bytes(text.data[start : start + place.length]))
        try:
            if place.length > log.limits.record:
                raise Error(oversize(log.file), "damage")
            record = decoder.single(data)
        except (Error, *FAULTS) as error:
            cut = start + place.length == len(text.data)
            why = error if isinstance(error, Error) else fault(error, data, cut=cut)
            record = Reject.of_error(place, why, excerpt(data))
        part.places.append(place)
        part.records.append(record)
        part.data.append(data)
    return part


def _places(text: Text) -> Iterator[Place]:
    offset = text.offset
    for number, line in enumerate(bytes(text.data).split(b"\n"), text.line):
        if line.strip():
            yield Place(number, offset, len(line) - line.endswith(b"\r"))
        offset += len(line) + 1


def line_by_line(
    log: Log, parts: Iterable[Batch | Reject | Declared | Passed]
) -> Iterator[Batch | Reject | Declared | Passed]:
    """The parts of a log; if the only one is its refusal, that for each line: all are counted."""
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
    """The refusal of each line; one alone if the log has no lines that can be read."""
    count = 0
    with suppress(Unreadable):
        for text in lines(log.open(log.path), log.path) if log.has_lines else ():
            long = [Place(text.line, text.offset, 0)]
            for place in long if isinstance(text, Oversize) else _places(text):
                yield replace(refusal, place=place._replace(length=0))
                count += 1
    if not count:
        yield refusal
