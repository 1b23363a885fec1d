"""Logs of one JSON record a line: decoded by the chunk, line by line only where that fails.

Decoding by the chunk takes a third of the time where records are short (150 bytes).
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from heatproof.formats.api import Batch, Declared, Place, Reject, excerpt, sift
from heatproof.formats.decoding import FAULTS, MISFITS, Decoder, fault, plain
from heatproof.logs.raw import EMPTY
from heatproof.logs.streams import HEAD, Oversize, Text, Unreadable, lines, oversize

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
    empty, reader = True, _Lines(log, _counting(decoder), columns, shared, explain)
    try:
        for text in lines(log.file, log.path):
            if isinstance(text, Oversize):
                empty = False
                place = Place(text.line, text.offset, text.length)
                yield Reject(place, oversize(log.file), excerpt(text.head), kind="damage")
                continue
            for part in reader.parts(text):
                empty = False
                yield part
    except Unreadable as error:
        place = Place(error.line, error.offset, 0)
        yield Reject(place, str(error), spoils=error.spoiled, kind=error.kind)
        return
    if empty:
        yield Reject(Place(1, 0, 0), EMPTY, kind="empty", whole=True)


@lru_cache(maxsize=8)
def _counting(decoder: msgspec.json.Decoder[Any]) -> Decoder:
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
    starts, lengths = extents(text)
    for at, (start, length) in enumerate(zip(starts.tolist(), lengths.tolist(), strict=True)):
        if bytes(text.data[start : start + length]).strip():
            yield Place(text.line + at, text.offset + start, length)


OPEN, CLOSE, SPACE, RETURN = b"{} \r"


def extents(text: Text) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Start and length of each line, its ending left out."""
    import numpy as np

    ends = text.ends
    starts = np.zeros_like(ends)
    starts[1:] = ends[:-1] + 1
    lengths = ends - starts
    last = text.octets[ends - 1]  # of an empty line anything
    lengths -= (lengths > 0) & (last == RETURN)
    return starts, lengths


class _Lines:
    """What makes rows of the lines of a log."""

    def __init__(
        self, log: Log, decoder: Decoder, columns: Columns, shared: dict[str, Any], explain: Explain
    ) -> None:
        self.log, self.decoder, self.columns = log, decoder, columns
        self.shared, self.explain = shared, explain

    def parts(self, text: Text) -> Iterator[Batch | Reject]:
        try:
            batch = self._at_once(text)
        except (*FAULTS, *MISFITS):
            rows: list[tuple[Place, Any]] = []
            for place in records_of(text):
                record = self._alone(text, place)
                if isinstance(record, Reject):
                    yield record
                else:
                    rows.append((place, record[0]))
            columns = self.columns([record for _, record in rows]) if rows else {}
            batch = Batch(columns, [place for place, _ in rows], self.shared)
        if len(batch.places):
            yield from sift(batch, lambda place: _bytes(text, place, HEAD))

    def _at_once(self, text: Text) -> Batch:
        """The records of some lines. Raises FAULTS or MISFITS where one of them is no good."""
        import numpy as np

        records = self.decoder.lines(text.data)
        starts, lengths = extents(text)
        if lengths.max() > self.log.limits.record:
            raise ValueError
        numbers = np.arange(text.line, text.line + len(starts))
        if len(records) != len(starts):
            full = text.octets[starts] > SPACE  # of blank lines, none but those of spaces alone
            starts, lengths, numbers = starts[full], lengths[full], numbers[full]
        # No record goes on over a line's end: `}` and `{` meet in no JSON value.
        ends = text.octets[starts], text.octets[starts + lengths - 1]
        if len(records) != len(starts) or (ends[0] != OPEN).any() or (ends[1] != CLOSE).any():
            raise ValueError
        extent = numbers.tolist(), (starts + text.offset).tolist(), lengths.tolist()
        return Batch(self.columns(records) if records else {}, [*map(Place, *extent)], self.shared)

    def _alone(self, text: Text, place: Place) -> Reject | tuple[Any]:
        data = _bytes(text, place, place.length)
        if place.length > self.log.limits.record:
            return Reject(place, oversize(self.log.file), excerpt(data), kind="damage")
        cut = place.offset + place.length == text.offset + len(text.data)
        try:
            data.decode()
            record = self._decoded(data)
            self.columns([record])
        except FAULTS as error:
            misfit = fault(error, data, cut=cut)
            why, kind = str(misfit), misfit.kind
        except MISFITS as error:
            why, kind = f"does not fit: {error}", "type"
        else:
            return (record,)
        why, cells = self.explain(why, data)
        return Reject(place, why, excerpt(data), told=cells, kind=kind)

    def _decoded(self, data: bytes) -> Any:
        """A record; bare NaN and Infinity, which Python writes, stand where nothing is read."""
        try:
            return self.decoder.single(data)
        except msgspec.ValidationError:
            raise
        except msgspec.DecodeError as error:
            without = plain(data)
            try:
                if without != data:
                    return self.decoder.single(without)
            except FAULTS:
                pass
            raise error from None


def _bytes(text: Text, place: Place, size: int) -> bytes:
    """The first bytes at a place."""
    start = place.offset - text.offset
    return bytes(text.data[start : start + min(place.length, size)])
