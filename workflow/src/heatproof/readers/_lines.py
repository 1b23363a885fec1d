"""Logs of one JSON record a line: decoded by the chunk, line by line only where that fails."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heatproof.logs.refusals import EMPTY
from heatproof.logs.streams import Oversize, Unreadable, lines, oversize
from heatproof.readers import _pooled
from heatproof.readers._batch import Batch, Place, Reject, excerpt
from heatproof.readers._chunk import Chunk
from heatproof.readers._faults import FAULTS, MISFITS, reason
from heatproof.readers._keys import Decoder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import msgspec

    from heatproof.readers._chunk import Explain
    from heatproof.readers._log import Log

    Columns = Callable[[Sequence[Any]], dict[str, list[Any]]]

__all__ = ["FAULTS", "MISFITS", "as_records", "read_lines", "reason"]


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
    if log.held and (batch := _pooled.batch(log.held, careful, columns, shared, log.limits)):
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
