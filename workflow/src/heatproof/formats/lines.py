"""Logs of one JSON record a line: decoded by the chunk, or line by line where that fails.

By the chunk takes a fifth of the time where records are short (150 bytes): the lines are found by
numpy, and their places stay an array. Small logs are joined to one chunk.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec.structs import replace

from heatproof.formats.api import Batch, Declared, Place, Reject
from heatproof.formats.decoding import FAULTS, excerpt, fault, plain
from heatproof.logs.streams import CHUNK, EMPTY, Oversize, Text, Unreadable, lines, oversize
from heatproof.util.errors import Error
from heatproof.util.lazy import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from heatproof.formats.api import Log, Passed
    from heatproof.formats.decoding import Decoder


RETURN, OPENING, CLOSING = b"\r{}"


class Lines(NamedTuple):
    """Lines of a log that are not blank."""

    places: np.ndarray  # a row for each: line, offset and length
    records: list[Any]  # decoded, or a refusal
    data: list[bytes]  # empty where all were decoded at once

    def each_place(self) -> Iterator[Place]:
        return map(Place._make, self.places.tolist())


def texts(log: Log, member: str = "") -> Iterator[Text | Reject]:
    """The lines of a log, some at a time; refusals of lines that are too long, and of its rest."""
    empty = True
    try:
        for text in lines(log.file, log.path, member):
            if isinstance(text, Oversize):
                place = Place(text.line, text.offset, text.length)
                why = Error(oversize(log.file), "damage")
                yield Reject.of_error(place, why, excerpt(text.head))
                empty = False
            elif not text.data.isspace():
                yield text
                empty = False
    except Unreadable as error:
        place = Place(error.line, error.offset, 0)
        yield Reject.of_error(place, error, spoils=error.spoiled)
        return
    if empty:
        yield Reject.of_log(Error(EMPTY, "empty"))


def text_lines(log: Log) -> Iterator[tuple[Place, str, bytes] | Reject]:
    """The lines of a log that are not blank: place, text and bytes; refusals of what is no line."""
    for text in texts(log):
        if isinstance(text, Reject):
            yield text
            continue
        for place, line in _lines(text):
            try:
                if place.record_bytes > log.limits.record:
                    raise Error(oversize(log.file), "damage")
                yield place, line.decode(), line
            except (Error, UnicodeDecodeError) as error:
                if isinstance(error, Error):
                    why = error
                else:
                    why = fault(error, line)
                yield Reject.of_error(place, why, excerpt(line))


def read_lines(log: Log, decoder: Decoder) -> Iterator[Lines | Reject]:
    """The records of a log, one JSON value a line; refusals of what is no line."""
    if log.portion and (decoded := log.portion.lines_of(log, decoder)):
        yield decoded
        return
    for text in texts(log):
        if isinstance(text, Reject):
            yield text
            continue
        try:
            yield _at_once(text, decoder, log.limits.record)
        except FAULTS:
            yield _one_by_one(log, text, decoder)


class Portion:
    """Small logs that are decoded together: at once, or each alone where one has a fault."""

    def __init__(self, logs: Sequence[Log]) -> None:
        self._logs = logs
        self._decoder: Decoder | None = None
        self._lines: dict[str, Lines] = {}

    def lines_of(self, log: Log, decoder: Decoder) -> Lines | None:
        """The records of a log, if it was decoded with others by this decoder."""
        if self._decoder is None:
            self._decoder = decoder
            # A document of a source of both kinds is read by its own reader.
            unread = [small for small in self._logs if small.has_lines and not small.file.closed]
            texts = map(_objects_alone, unread)
            self._decode([pair for pair in zip(unread, texts, strict=True) if pair[1]], decoder)
        if self._decoder is decoder:
            return self._lines.pop(log.path, None)
        return None

    def _decode(self, logs: Sequence[tuple[Log, bytes]], decoder: Decoder) -> None:
        if not logs:
            return
        joined = Text(b"".join(data for _, data in logs), 0, 1)
        try:
            lines = _at_once(joined, decoder, logs[0][0].limits.record)
        except FAULTS:
            if len(logs) == 1:
                logs[0][0].file.rewind()
                return
            for pair in logs:
                self._decode([pair], decoder)
            return
        last_line = int(lines.places[-1, 0])
        has_blank_lines = last_line > len(lines.places)
        line = offset = first = 0
        for log, data in logs:
            end = offset + len(data)
            last = int(np.searchsorted(lines.places[:, 1], end))
            places = lines.places[first:last] - (line, offset, 0)
            self._lines[log.path] = Lines(places, lines.records[first:last], [])
            line += data.count(b"\n") if has_blank_lines else last - first
            offset = end
            first = last


def _objects_alone(log: Log) -> bytes:
    """A small log from `{` to the end of a line; of any other, nothing has been read."""
    with suppress(OSError):
        data = log.file.read(CHUNK)
        if data.startswith(b"{") and data.endswith(b"\n") and not log.file.read(1):
            return data
    log.file.rewind()
    return b""


def _at_once(text: Text, decoder: Decoder, limit: int) -> Lines:
    """The records of some lines. Raises FAULTS where one of them is no good."""
    places = _objects(text)
    records = decoder.lines(text.data)
    if len(records) != len(places) or places[:, 2].max() > limit:
        raise ValueError
    return Lines(places, records, [])


def _objects(text: Text) -> np.ndarray:
    """The places of lines that are not empty. Raises ValueError: one is no object from `{` to `}`.

    No record goes on over a line's end: `}` and `{` meet in no JSON value.
    """
    data = np.frombuffer(text.data, np.uint8)
    ends = text.ends
    if not text.data.endswith(b"\n"):
        ends = np.append(ends, len(data))
    begins = np.zeros_like(ends)
    begins[1:] = ends[:-1] + 1
    stops = ends - (data[ends - 1] == RETURN)
    (filled,) = (stops > begins).nonzero()
    begins = begins[filled]
    stops = stops[filled]
    if (data[begins] != OPENING).any() or (data[stops - 1] != CLOSING).any():
        raise ValueError
    places = np.empty((len(filled), 3), np.int64)
    places.T[:] = text.line + filled, text.offset + begins, stops - begins
    return places


def _one_by_one(log: Log, text: Text, decoder: Decoder) -> Lines:
    part = Lines(np.array([place for place, _ in _lines(text)]), [], [])
    for place, line in _lines(text):
        data = plain(line)
        try:
            if place.record_bytes > log.limits.record:
                raise Error(oversize(log.file), "damage")
            record = decoder.single(data)
        except (Error, *FAULTS) as error:
            cut = place.offset + place.record_bytes == text.offset + len(text.data)
            if isinstance(error, Error):
                why = error
            else:
                why = fault(error, data, cut=cut)
            record = Reject.of_error(place, why, excerpt(data))
        part.records.append(record)
        part.data.append(data)
    return part


def _lines(text: Text) -> Iterator[tuple[Place, bytes]]:
    """The lines that are not blank, and where each lies."""
    offset = text.offset
    for number, whole in enumerate(text.data.split(b"\n"), text.line):
        line = whole.removesuffix(b"\r")
        if line.strip():
            yield Place(number, offset, len(line)), line
        offset += len(whole) + 1


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
        if isinstance(part, Reject) and not part.place.record_bytes and not several:
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
            long = [(Place(text.line, text.offset, 0), b"")]
            for place, _ in long if isinstance(text, Oversize) else _lines(text):
                yield replace(refusal, place=place._replace(record_bytes=0))
                count += 1
    if not count:
        yield refusal
