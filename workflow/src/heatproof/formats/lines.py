"""Logs of one JSON record a line: decoded by the chunk, line by line only where that fails."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from heatproof.formats.api import (
    Batch,
    Declared,
    Place,
    Places,
    Reject,
    excerpt,
    sift,
)
from heatproof.formats.decoding import Decoder
from heatproof.formats.documents import plain
from heatproof.formats.faults import FAULTS, MISFITS, fault_kind, reason
from heatproof.logs.refusals import EMPTY
from heatproof.logs.streams import HEAD, Lines, Oversize, Text, Unreadable, lines, oversize

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from heatproof.formats.api import Log, Passed

    Columns = Callable[[Sequence[Any]], dict[str, list[Any]]]
    Explain = Callable[[str, bytes], tuple[str, dict[str, Any]]]


def as_records(records: Sequence[Any]) -> dict[str, list[Any]]:
    """The records themselves as the one column, for a reader that makes several rows of each."""
    return {"record": list(records)}


def unexplained(reason: str, data: bytes) -> tuple[str, dict[str, Any]]:  # noqa: ARG001
    """Of a reader that knows no more of a refused record than why it was refused."""
    return reason, {}


def read_lines(
    log: Log,
    decoder: msgspec.json.Decoder[Any],
    columns: Columns,
    shared: dict[str, Any],
    explain: Explain = unexplained,
) -> Iterator[Batch | Reject]:
    """Batches of the records of a log, one JSON value a line; blank lines are no records.

    `columns` turns decoded records into columns; `shared` is what all rows have in common.
    `explain` gives of a refused record the reason, maybe with a hint, and what it says by column.
    """
    seen, careful = False, _decoder(decoder)
    try:
        for chunk in lines(log.file, log.path):
            if isinstance(chunk, Oversize):
                place = Place(chunk.line, chunk.offset, chunk.length)
                parts: Iterator[Batch | Reject] = iter(
                    [Reject(place, oversize(log.file), excerpt(chunk.head), kind="damage")]
                )
            else:
                parts = Chunk(chunk, careful, columns, shared, log, explain).parts()
            for part in parts:
                seen = True
                yield part
    except Unreadable as error:
        yield Reject(
            Place(error.line, error.offset, 0), str(error), spoils=error.spoiled, kind=error.kind
        )
        return
    if not seen:
        yield Reject(Place(1, 0, 0), EMPTY, kind="empty", whole=True)


def line_by_line(
    log: Log, parts: Iterable[Batch | Reject | Declared | Passed]
) -> Iterator[Batch | Reject | Declared | Passed]:
    """The parts of a log; if its refusal is all there is, that for each line: all are counted."""
    whole, several = None, False
    for part in parts:
        if isinstance(part, Declared):
            yield part
            continue
        if whole:
            yield whole
        whole = None
        if isinstance(part, Reject) and not part.place.length and not several:
            whole = part
        else:
            yield part
        several = True
    if whole:
        yield from _refused_lines(log, whole)


def _refused_lines(log: Log, whole: Reject) -> Iterator[Reject]:
    """The refusal once if the log has no lines, or none that can be read."""
    count = 0
    try:
        for chunk in lines(log.again(), log.path) if log.has_lines() else ():
            for line, offset in _beginnings(chunk):
                yield replace(whole, place=Place(line, offset, 0))
                count += 1
    except Unreadable:
        pass
    if not count:
        yield whole


def _beginnings(chunk: Lines | Oversize) -> Iterator[tuple[int, int]]:
    """Number and offset of each line that is not blank."""
    if isinstance(chunk, Oversize):
        yield chunk.line, chunk.offset
        return
    starts, lengths = extents(chunk.text)
    for at, (start, length) in enumerate(zip(starts.tolist(), lengths.tolist(), strict=True)):
        if bytes(chunk.text.data[start : start + length]).strip():
            yield chunk.line + at, chunk.offset + start


_DECODERS: dict[int, tuple[Any, Decoder]] = {}
"""By the id of a decoder, which is kept beside, so that no other gets its id."""


def _decoder(decoder: msgspec.json.Decoder[Any]) -> Decoder:
    """Made once for each decoder: a reader may have one for thousands of small logs."""
    key = id(decoder)
    if key not in _DECODERS:
        if len(_DECODERS) > 8:
            _DECODERS.clear()
        _DECODERS[key] = decoder, Decoder(decoder)
    return _DECODERS[key][1]


OPEN, CLOSE, SPACE, RETURN = b"{} \r"


def extents(text: Text) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Start and length of each line, its ending left out."""
    import numpy as np

    ends = text.ends
    starts = np.empty_like(ends)
    starts[:1] = 0
    starts[1:] = ends[:-1] + 1
    lengths = ends - starts
    last = text.octets[ends - 1]  # of an empty line anything
    lengths -= (lengths > 0) & (last == RETURN)
    return starts, lengths


def single(text: Text, starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> bool:
    """Whether no record goes on over a line's end: `}` and `{` meet in no JSON value."""
    first, last = text.octets[starts], text.octets[starts + lengths - 1]
    return bool(((first == OPEN) & (last == CLOSE)).all())


class Chunk:
    """Some lines of a log on their way to rows."""

    def __init__(
        self,
        lines: Lines,
        decoder: Decoder,
        columns: Columns,
        shared: dict[str, Any],
        log: Log,
        explain: Explain,
    ) -> None:
        self.text, self.offset, self.line = lines
        self.data = self.text.data
        self.decoder, self.columns, self.shared = decoder, columns, shared
        self.log, self.explain = log, explain

    def parts(self) -> Iterator[Batch | Reject]:
        import numpy as np

        try:
            records = self.decoder.lines(self.text)
            starts, lengths = extents(self.text)
            if lengths.max() > self.log.limits.record:
                raise ValueError
            numbers = np.arange(self.line, self.line + len(starts))
            if len(records) != len(starts):
                full = self._full(starts, lengths)
                starts, lengths, numbers = starts[full], lengths[full], numbers[full]
            if not records:
                return
            if len(records) != len(starts) or not single(self.text, starts, lengths):
                raise ValueError  # a record over several lines, or several in a line
            batch = Batch(
                self.columns(records),
                Places(numbers, starts + self.offset, lengths),
                self.shared,
            )
        except (*FAULTS, *MISFITS):
            yield from self._one_by_one()
        else:
            yield from sift(batch, self._record)

    def _full(self, starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which lines are not blank."""
        import numpy as np

        full = self.text.octets[starts] > SPACE
        for at in np.flatnonzero((lengths > 0) & ~full):
            full[at] = not self._blank(int(starts[at]), int(lengths[at]))
        return full

    def _blank(self, start: int, length: int) -> bool:
        head = bytes(self.data[start : start + min(length, 64)])
        return not head or (head.isspace() and bytes(self.data[start : start + length]).isspace())

    def _record(self, place: Place) -> bytes:
        start = place.offset - self.offset
        return bytes(self.data[start : start + min(place.length, HEAD)])

    def _one_by_one(self) -> Iterator[Batch | Reject]:
        import numpy as np

        records, places = [], []
        starts, lengths = extents(self.text)
        for at in np.flatnonzero(self._full(starts, lengths)).tolist():
            start, length = int(starts[at]), int(lengths[at])
            place = Place(self.line + at, self.offset + start, length)
            last = start + length == len(self.data)
            found = self._one(place, bytes(self.data[start : start + length]), last=last)
            if isinstance(found, Reject):
                yield found
            else:
                records.append(found[0])
                places.append(place)
        if records:
            yield from sift(Batch(self.columns(records), places, self.shared), self._record)

    def _decoded(self, data: bytes) -> Any:
        """A record; bare NaN and Infinity, which Python writes, stand where nothing is wanted."""
        try:
            return self.decoder.one(data)
        except msgspec.ValidationError:
            raise
        except msgspec.DecodeError:
            told = plain(data)
            if told == data:
                raise
            try:
                return self.decoder.one(told)
            except FAULTS:
                pass
            raise

    def _one(self, place: Place, data: bytes, *, last: bool) -> Reject | tuple[Any]:
        if place.length > self.log.limits.record:
            return Reject(place, oversize(self.log.file), excerpt(data), kind="damage")
        try:
            data.decode()
            record = self._decoded(data)
            self.columns([record])
        except FAULTS as error:
            why, kind = reason(error, data, cut=last), fault_kind(error, cut=last)
        except MISFITS as error:
            why, kind = f"does not fit: {error}", "type"
        else:
            return (record,)
        why, known = self.explain(why, data)
        return Reject(place, why, excerpt(data), told=known, kind=kind)
