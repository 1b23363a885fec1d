"""Sort more rows than memory holds: runs of sorted rows on disk, merged block by block."""

from __future__ import annotations

import tempfile
from bisect import bisect_right
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    Change = Callable[[pa.Table], pa.Table]

MEMORY = 32 << 20
"""Bytes of rows that are kept in memory; sorting them takes three times as much."""

BLOCK = 4096
"""Rows of each run that are held while runs are merged."""

PIECE = 1 << 16
"""Rows handed on at a time."""


class Sorter:
    """Rows that come in any order, as tables of one schema, and leave sorted by `key`.

    Rows of equal key leave in the order in which they came. What is too much for the memory lies
    in a folder of its own below `folder` meanwhile.
    """

    def __init__(self, key: Sequence[str], folder: Path | None = None) -> None:
        self.key, self._folder = tuple(key), folder
        self._held: list[pa.Table] = []
        self._size = 0
        self._spilled: list[Path] = []
        self._room: tempfile.TemporaryDirectory[str] | None = None

    def add(self, table: pa.Table) -> None:
        self._held.append(table)
        self._size += table.nbytes
        if self._size >= MEMORY:
            self._spill()

    def _spill(self) -> None:
        if self._held:
            self._spilled.append(self._write(self._held, PIECE))
        self._held, self._size = [], 0

    def pieces(self, change: Change = lambda rows: rows) -> Iterator[pa.Table]:
        """All rows, sorted after `change` was done to them, in tables of no fixed size."""
        with self:
            if not self._spilled:
                if self._held:
                    yield from self._sorted(change(pa.concat_tables(self._held)))
                return
            self._spill()
            unsorted, self._spilled = self._spilled, []
            for path in unsorted:
                self._spilled.append(self._write(self._sorted(change(pq.read_table(path))), BLOCK))
                path.unlink()
            yield from self._merged([_blocks(path) for path in self._spilled])

    def _write(self, tables: Iterable[pa.Table], rows: int) -> Path:
        if self._room is None:
            self._room = tempfile.TemporaryDirectory(dir=self._folder, prefix=".sorting-")
        path = Path(self._room.name, f"{len(self._spilled)}-{rows}.parquet")
        writer = None
        for table in tables:
            writer = writer or pq.ParquetWriter(path, table.schema, compression="lz4")
            writer.write_table(table, row_group_size=rows)
        if writer:
            writer.close()
        return path

    def _sorted(self, table: pa.Table) -> Iterator[pa.Table]:
        table = table.unify_dictionaries().combine_chunks()
        order = _order(table, self.key)
        for start in range(0, len(table), PIECE):
            if order is None:
                yield table[start : start + PIECE]
            else:
                yield table.take(pa.array(order[start : start + PIECE]))

    def _merged(self, runs: list[Iterator[pa.Table]]) -> Iterator[pa.Table]:
        """What of all runs is certain to come next, again and again."""
        heads = [_Head(run, self.key) for run in runs]
        while heads := [head for head in heads if head.fill()]:
            cut = min(head.last for head in heads)
            parts = [part for head in heads if (part := head.until(cut)) is not None]
            if len(parts) == 1:
                yield parts[0]
            else:
                yield from self._sorted(pa.concat_tables(parts))

    def __enter__(self) -> Sorter:
        return self

    def __exit__(self, *_: object) -> None:
        if self._room:
            self._room.cleanup()


class _Head:
    """The block of a run that has been read but not yet handed on."""

    def __init__(self, run: Iterator[pa.Table], key: tuple[str, ...]) -> None:
        self._run, self._key = run, key
        self.rows: pa.Table | None = None

    def fill(self) -> bool:
        """Read the next block if this one is used up; whether there is any."""
        if self.rows is None or not len(self.rows):
            self.rows = next(self._run, None)
            if self.rows is None:
                return False
            self.last = self._at(len(self.rows) - 1)
            self.first = self._at(0)
        return True

    def _at(self, row: int) -> tuple[Any, ...]:
        assert self.rows is not None
        return tuple(self.rows[name][row].as_py() for name in self._key)

    def until(self, cut: tuple[Any, ...]) -> pa.Table | None:
        """The rows up to `cut`, taken out of the block; None if all of it comes later."""
        assert self.rows is not None
        if self.first > cut:
            return None
        count = len(self.rows)
        if self.last > cut:
            count = bisect_right(range(count), cut, key=self._at)
        taken, self.rows = self.rows[:count], self.rows[count:]
        if len(self.rows):
            self.first = self._at(0)
        return taken


def _blocks(path: Path) -> Iterator[pa.Table]:
    with pq.ParquetFile(path) as file:
        for number in range(file.num_row_groups):
            yield file.read_row_group(number, use_threads=False)


def _order(table: pa.Table, key: Sequence[str]) -> NDArray[np.int64] | None:
    """The positions of the rows in order; None if they are in order already."""
    ranks = [_ranks(table[name]) for name in key]
    size = 1
    for _, count in ranks:
        size *= count
    if size >= 1 << 62:
        return np.lexsort([codes for codes, _ in reversed(ranks)])
    total = np.zeros(len(table), np.int64)
    for codes, count in ranks:
        total *= count
        total += codes
    if (total[1:] >= total[:-1]).all():
        return None
    return np.argsort(total, kind="stable")


def _ranks(column: pa.ChunkedArray) -> tuple[NDArray[np.int64], int]:
    """For each value its number in order, and how many numbers there are."""
    array = column.combine_chunks()
    if not len(array):
        return np.zeros(0, np.int64), 1
    if pa.types.is_dictionary(array.type):
        ranks = np.empty(len(array.dictionary), np.int64)
        ranks[pc.sort_indices(array.dictionary).to_numpy()] = np.arange(len(ranks))
        return ranks[array.indices.to_numpy()], len(ranks)
    values = array.to_numpy()
    low = int(values.min())
    span = int(values.max()) - low + 1
    if span >= 1 << 62:
        return values, span
    return values - low, span
