"""Some lines of a log on their way to rows: together, and one by one where that fails."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heatproof.logs.streams import HEAD, Lines, Text, oversize
from heatproof.readers._batch import Batch, Place, Places, Reject, excerpt
from heatproof.readers._faults import FAULTS, MISFITS, reason
from heatproof.readers._scores import sift

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from heatproof.readers._keys import Decoder
    from heatproof.readers._log import Log

    Columns = Callable[[Sequence[Any]], dict[str, list[Any]]]
    Explain = Callable[[str, bytes], tuple[str, dict[str, Any]]]

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

    def _one(self, place: Place, data: bytes, *, last: bool) -> Reject | tuple[Any]:
        if place.length > self.log.limits.record:
            return Reject(place, oversize(self.log.file), excerpt(data))
        try:
            data.decode()
            record = self.decoder.one(data)
            self.columns([record])
        except FAULTS as error:
            why = reason(error, data, cut=last)
        except MISFITS as error:
            why = f"does not fit: {error}"
        else:
            return (record,)
        why, known = self.explain(why, data)
        return Reject(place, why, excerpt(data), told=known)
