"""Sort more rows than memory holds: sorted runs, on disk if need be, merged block by block."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from heatproof.samples import temporary
from heatproof.samples.ordering import key_at, ordered
from heatproof.samples.runs import Run, trimmed

if TYPE_CHECKING:
    import tempfile
    from collections.abc import Iterator, Sequence

MEMORY = 24 << 20
"""Bytes of rows that are kept in memory."""

FAN = 32
"""Runs merged at a time; more are merged to longer ones first."""


class Sorter:
    """Rows that come in any order, as tables of one schema, and leave sorted by `key`.

    Rows of equal key leave in the order in which they came. What is too much for the memory lies
    in a folder of its own below `folder` meanwhile.
    """

    def __init__(self, key: Sequence[str], folder: Path | None = None) -> None:
        self.key, self._folder = tuple(key), folder
        self._runs: list[Run] = []
        self._size = 0
        self._room: tempfile.TemporaryDirectory[str] | None = None

    def __bool__(self) -> bool:
        """Whether there are rows."""
        return bool(self._runs)

    def add(self, table: pa.Table) -> None:
        """Take rows in. Logs are read in order, so that most rows continue the last run."""
        if not len(table):
            return
        table = ordered(table, self.key)
        if not self._runs or key_at(table, 0, self.key) < self._runs[-1].last:
            self._runs.append(Run())
        run = self._runs[-1]
        run.held.append(table)
        run.last = key_at(table, len(table) - 1, self.key)
        self._size += table.nbytes
        if self._size >= MEMORY:
            self._spill()

    def _spill(self) -> None:
        for number, run in enumerate(self._runs):
            run.spill(self._path(str(number)), last=run is self._runs[-1])
        self._size = 0

    def pieces(self) -> Iterator[pa.Table]:
        """All rows, sorted, in tables of no fixed size; to be asked for once."""
        try:
            while len(self._runs) > FAN:
                self._runs = [
                    self._joined(start, self._runs[start : start + FAN])
                    for start in range(0, len(self._runs), FAN)
                ]
            yield from merged(self._runs, self.key)
        finally:
            if self._room:
                self._room.cleanup()

    def drop(self) -> None:
        """Give the rows up."""
        self._runs = []
        if self._room:
            self._room.cleanup()

    def _joined(self, number: int, runs: list[Run]) -> Run:
        """One run on disk out of several; these are used up."""
        run = Run()
        for piece in merged(runs, self.key):
            run.held.append(piece)
            run.spill(self._path(f"{number}-{len(self._runs)}"), last=True)
        for used in runs:
            used.remove()
        return run

    def _path(self, name: str) -> Path:
        if self._room is None:
            self._room = temporary.room(self._folder)
        return Path(self._room.name, f"{name}.arrow")


def merged(runs: Sequence[Run], key: tuple[str, ...]) -> Iterator[pa.Table]:
    """The rows of sorted runs in order: what of all is certain to come next, again and again.

    Of the first run of which the block ends at a key, more rows may have this key: those of later
    runs come behind them.
    """
    if len(runs) == 1:
        yield from runs[0].blocks()
        return
    heads = [_Head(run.blocks(), key) for run in runs]
    while heads := [head for head in heads if head.fill()]:
        cut = min(head.last for head in heads)
        ends = next(at for at, head in enumerate(heads) if head.last == cut)
        found = (head.until(cut, also=at <= ends) for at, head in enumerate(heads))
        parts = [part for part in found if part is not None]
        yield parts[0] if len(parts) == 1 else ordered(pa.concat_tables(map(trimmed, parts)), key)


class _Head:
    """The block of a run that has been read but not yet handed on."""

    def __init__(self, blocks: Iterator[pa.Table], key: tuple[str, ...]) -> None:
        self._blocks, self._key = blocks, key
        self.rows: pa.Table | None = None

    def fill(self) -> bool:
        """Read the next block if this one is used up; whether there is any."""
        if self.rows is None or not len(self.rows):
            self.rows = next(self._blocks, None)
            if self.rows is None:
                return False
            self.first = key_at(self.rows, 0, self._key)
            self.last = key_at(self.rows, len(self.rows) - 1, self._key)
        return True

    def until(self, cut: tuple[Any, ...], *, also: bool) -> pa.Table | None:
        """The rows before `cut`, or `also` those at it, taken out of the block; None if none is."""
        rows = self.rows
        if rows is None or self.first > cut:
            return None
        count = len(rows)
        if self.last > cut or not also:
            find = bisect_right if also else bisect_left
            count = find(range(count), cut, key=lambda row: key_at(rows, row, self._key))
            self.first = key_at(rows, count, self._key)
        self.rows = rows[count:]
        return rows[:count] if count else None
