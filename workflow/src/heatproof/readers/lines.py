"""Logs of one JSON record a line: decoded by the chunk, line by line only where that fails."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from heatproof.logs.refusals import EMPTY
from heatproof.logs.streams import HEAD, Lines, Oversize, Text, Unreadable, lines, oversize
from heatproof.readers.api import Batch, Cut, Part, Place, Places, Reject, all_scores, excerpt, sift
from heatproof.readers.decoding import Decoder
from heatproof.readers.documents import plain
from heatproof.readers.faults import FAULTS, MISFITS, reason

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from heatproof.logs.pools import Held, Pool
    from heatproof.logs.streams import Limits
    from heatproof.readers.api import Log

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

    `columns` turns decoded records into columns; `shared` is what all rows have in common. Small
    logs are decoded many at a time, if decoder and `columns` are the same objects for them.
    `explain` gives of a refused record the reason, maybe with a hint, and what it says by column.
    """
    seen, careful = False, _decoder(decoder)
    if log.held and (batch := pooled_batch(log.held, careful, columns, shared, log.limits)):
        yield batch
        return
    try:
        for chunk in lines(log.file, log.path):
            if isinstance(chunk, Oversize):
                place = Place(chunk.line, chunk.offset, chunk.length)
                parts: Iterator[Batch | Reject] = iter(
                    [Reject(place, oversize(log.file), excerpt(chunk.head))]
                )
            else:
                parts = Chunk(chunk, careful, columns, shared, log, explain).parts()
            for part in parts:
                seen = True
                yield part
    except Unreadable as error:
        yield Reject(Place(error.line, error.offset, 0), str(error), spoils=error.spoiled)
        return
    if not seen:
        yield Reject(Place(1, 0, 0), EMPTY)


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
            return Reject(place, oversize(self.log.file), excerpt(data))
        try:
            data.decode()
            record = self._decoded(data)
            self.columns([record])
        except FAULTS as error:
            why = reason(error, data, cut=last)
        except MISFITS as error:
            why = f"does not fit: {error}"
        else:
            return (record,)
        why, known = self.explain(why, data)
        return Reject(place, why, excerpt(data), told=known)


class Decoded(NamedTuple):
    """Rows of several logs: those of log n are from `rows[n - first]` to `rows[n - first + 1]`."""

    columns: dict[str, list[Any]]
    places: Places
    first: int
    rows: list[int]


def pooled_batch(
    held: Held, decoder: Decoder, columns: Columns, shared: dict[str, Any], limits: Limits
) -> Batch | None:
    """All rows of a log; None if it is to be read by itself: it is damaged, or blank in places."""
    known, how = held.pool.decoded, (decoder, columns)
    parts: list[Decoded | None] | None = known.get(how)
    if parts is None:
        parts = known[how] = [None] * len(held.pool.held)
        _decode(held.pool, held.number, len(parts), (*how, limits.record), parts)
    found = parts[held.number]
    if found is None:
        return None
    at = held.number - found.first
    start, stop = found.rows[at], found.rows[at + 1]
    if start == stop:
        return None
    return Batch(Cut(found.columns, start, stop), Part(found.places, start, stop), shared)


def _decode(
    pool: Pool, first: int, stop: int, how: tuple[Any, ...], parts: list[Decoded | None]
) -> None:
    """Decode the logs from `first` to before `stop`; what fails together is tried in halves."""
    try:
        parts[first:stop] = [_together(pool, first, stop, *how)] * (stop - first)
    except (*FAULTS, *MISFITS):
        if stop - first > 1:
            middle = (first + stop) // 2
            _decode(pool, first, middle, how, parts)
            _decode(pool, middle, stop, how, parts)


def _together(
    pool: Pool, first: int, stop: int, decoder: Decoder, columns: Columns, record: int
) -> Decoded:
    """The rows of the logs. Raises FAULTS or MISFITS when not all of them are good."""
    import numpy as np

    text = pool.text(first, stop)
    records = decoder.lines(text)
    starts, lengths = extents(text)
    if lengths.max() > record:
        raise ValueError
    if len(records) != len(starts) or not single(text, starts, lengths):
        raise ValueError
    found = columns(records)
    if not all_scores(found.get("score", [])):
        raise ValueError
    logs = np.array([held.start for held in pool.held[first:stop]]) - pool.held[first].start
    rows = np.append(np.searchsorted(starts, logs), len(starts))
    counts = np.diff(rows)
    numbers = np.arange(1, len(starts) + 1) - np.repeat(rows[:-1], counts)
    places = Places(numbers, starts - np.repeat(logs, counts), lengths)
    return Decoded(found, places, first, rows.tolist())
