"""Logs of one JSON record a line: decoded by the chunk, line by line only where that fails."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heatproof.readers._batch import Batch, Log, Place, Places, Reject, excerpt, sift
from heatproof.readers._faults import FAULTS, MISFITS, reason, require_utf8
from heatproof.readers._keys import Decoder
from heatproof.reading.streams import HEAD, Lines, Oversize, Unreadable, lines, oversize

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import msgspec
    import numpy as np
    from numpy.typing import NDArray

    Columns = Callable[[list[Any]], dict[str, list[Any]]]

__all__ = ["FAULTS", "MISFITS", "read_lines", "reason"]

OPEN, CLOSE, SPACE = b"{} "


def read_lines(
    log: Log, decoder: msgspec.json.Decoder[Any], columns: Columns, shared: dict[str, Any]
) -> Iterator[Batch | Reject]:
    """Batches of the records of a log, one JSON value a line; blank lines are no records.

    `columns` turns decoded records into columns; `shared` is what all rows have in common.
    """
    seen, careful = False, _decoder(decoder)
    try:
        for chunk in lines(log.file, log.path):
            if isinstance(chunk, Oversize):
                place = Place(chunk.line, chunk.offset, chunk.length)
                parts: Iterator[Batch | Reject] = iter(
                    [Reject(place, oversize(log.file), excerpt(chunk.head))]
                )
            else:
                parts = _Chunk(chunk, careful, columns, shared, log).parts()
            for part in parts:
                seen = True
                yield part
    except Unreadable as error:
        yield Reject(Place(error.line, error.offset, 0), str(error))
        return
    if not seen:
        yield Reject(Place(1, 0, 0), "the log is empty")


_DECODERS: dict[int, tuple[Any, Decoder]] = {}


def _decoder(decoder: msgspec.json.Decoder[Any]) -> Decoder:
    """Made once for each decoder: a reader may have one for thousands of small logs."""
    key = id(decoder)
    if key not in _DECODERS or _DECODERS[key][0] is not decoder:
        if len(_DECODERS) > 8:
            _DECODERS.clear()
        _DECODERS[key] = decoder, Decoder(decoder)
    return _DECODERS[key][1]


class _Chunk:
    """Some lines of a log on their way to rows."""

    def __init__(
        self, lines: Lines, decoder: Decoder, columns: Columns, shared: dict[str, Any], log: Log
    ) -> None:
        self.data, self.offset, self.line, self.ends = lines
        self.decoder, self.columns, self.shared = decoder, columns, shared
        self.log = log

    def parts(self) -> Iterator[Batch | Reject]:
        import numpy as np

        starts, lengths = self._extents()
        try:
            if lengths.max() > self.log.file.limits.record:
                raise ValueError
            require_utf8(self.data)
            records = self.decoder.lines(self.data, self.ends)
            numbers = np.arange(self.line, self.line + len(starts))
            if len(records) != len(starts):
                full = self._full(starts, lengths)
                starts, lengths, numbers = starts[full], lengths[full], numbers[full]
            if not records:
                return
            if len(records) != len(starts) or not self._single(starts, lengths):
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

    def _extents(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Start and length of each line, its ending left out."""
        import numpy as np

        starts = np.empty_like(self.ends)
        starts[:1] = 0
        starts[1:] = self.ends[:-1] + 1
        lengths = self.ends - starts
        data = np.frombuffer(self.data, np.uint8)
        lengths -= (lengths > 0) & (data[np.maximum(self.ends - 1, 0)] == 13)
        return starts, lengths

    def _single(self, starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> bool:
        """Whether no record goes on over a line's end: `}` and `{` meet in no JSON value."""
        import numpy as np

        data = np.frombuffer(self.data, np.uint8)
        first, last = data[starts], data[starts + lengths - 1]
        return bool(((first == OPEN) & (last == CLOSE)).all())

    def _full(self, starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which lines are not blank."""
        import numpy as np

        data = np.frombuffer(self.data, np.uint8)
        full = (lengths > 0) & (data[np.minimum(starts, len(data) - 1)] > SPACE)
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
        starts, lengths = self._extents()
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

    def _one(self, place: Place, data: bytes, *, last: bool) -> Reject | tuple[Any]:
        if place.length > self.log.file.limits.record:
            return Reject(place, oversize(self.log.file), excerpt(data))
        try:
            data.decode()
            record = self.decoder.one(data)
            self.columns([record])
        except FAULTS as error:
            return Reject(place, reason(error, data, cut=last), excerpt(data))
        except MISFITS as error:
            return Reject(place, f"does not fit: {error}", excerpt(data))
        return (record,)
