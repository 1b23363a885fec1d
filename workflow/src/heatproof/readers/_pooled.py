"""Small logs in a pool: decoded together, or in halves where that fails, down to single logs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.readers._batch import Batch, Cut, Part, Places
from heatproof.readers._chunk import extents, single
from heatproof.readers._faults import FAULTS, MISFITS
from heatproof.readers._scores import all_scores

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from heatproof.logs.pools import Held, Pool
    from heatproof.logs.streams import Limits
    from heatproof.readers._keys import Decoder

    Columns = Callable[[Sequence[Any]], dict[str, list[Any]]]


class Decoded(NamedTuple):
    """Rows of several logs: those of log n are from `rows[n - first]` to `rows[n - first + 1]`."""

    columns: dict[str, list[Any]]
    places: Places
    first: int
    rows: list[int]


def batch(
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
