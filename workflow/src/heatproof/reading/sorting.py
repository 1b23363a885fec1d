"""Sort more rows than memory holds: sorted runs, on disk if need be, merged block by block."""

from __future__ import annotations

import tempfile
from bisect import bisect_right
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

MEMORY = 24 << 20
"""Bytes of rows that are kept in memory."""

BLOCK = 4096
"""Rows read at a time from a run on disk: of each run, so many are held while runs are merged."""


FAN = 32
"""Runs merged at a time; more are merged to longer ones first."""


class Sorter:
    """Rows that come in any order, as tables of one schema, and leave sorted by `key`.

    Rows of equal key leave in the order in which they came. What is too much for the memory lies
    in a folder of its own below `folder` meanwhile.
    """

    def __init__(self, key: Sequence[str], folder: Path | None = None) -> None:
        self.key, self._folder = tuple(key), folder
        self._runs: list[_Run] = []
        self._size = 0
        self._room: tempfile.TemporaryDirectory[str] | None = None

    def add(self, table: pa.Table) -> None:
        """Take rows in. Logs are read in order, so that most rows continue the last run."""
        if not len(table):
            return
        table = ordered(table, self.key)
        if not self._runs or _at(table, 0, self.key) < self._runs[-1].last:
            self._runs.append(_Run())
        run = self._runs[-1]
        run.held.append(table)
        run.last = _at(table, len(table) - 1, self.key)
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

    def _joined(self, number: int, runs: list[_Run]) -> _Run:
        """One run on disk out of several; these are used up."""
        run = _Run()
        for piece in merged(runs, self.key):
            run.held.append(piece)
            run.spill(self._path(f"{number}-{len(self._runs)}"), last=True)
        for used in runs:
            used.remove()
        return run

    def _path(self, name: str) -> Path:
        if self._room is None:
            self._room = tempfile.TemporaryDirectory(dir=self._folder, prefix=".sorting-")
        return Path(self._room.name, f"{name}.arrow")


def merged(runs: Sequence[_Run], key: tuple[str, ...]) -> Iterator[pa.Table]:
    """The rows of sorted runs in order: what of all is certain to come next, again and again."""
    if len(runs) == 1:
        yield from runs[0].blocks()
        return
    heads = [_Head(run.blocks(), key) for run in runs]
    while heads := [head for head in heads if head.fill()]:
        cut = min(head.last for head in heads)
        parts = [part for head in heads if (part := head.until(cut)) is not None]
        yield parts[0] if len(parts) == 1 else ordered(pa.concat_tables(map(trimmed, parts)), key)


class _Run:
    """Rows in order: first those on disk, then those held."""

    def __init__(self) -> None:
        self.held: list[pa.Table] = []
        self.last: tuple[Any, ...] = ()
        self._path: Path | None = None
        self._writer: pa.RecordBatchStreamWriter | None = None

    def spill(self, path: Path, *, last: bool) -> None:
        """Write what is held; the last run stays open for more."""
        if self.held and self._writer is None:
            self._path = path
            options = pa.ipc.IpcWriteOptions(compression="lz4", use_threads=False)
            self._writer = pa.ipc.new_stream(path, self.held[0].schema, options=options)
        for table in self.held:
            assert self._writer is not None  # noqa: S101 - what is held has opened it
            for start in range(0, len(table), BLOCK):
                self._writer.write_table(trimmed(table[start : start + BLOCK]))
        self.held = []
        if not last:
            self._close()

    def _close(self) -> None:
        if self._writer:
            self._writer.close()
        self._writer = None

    def remove(self) -> None:
        """Give the room back that the run takes."""
        self.held = []
        if self._path:
            self._path.unlink()

    def blocks(self) -> Iterator[pa.Table]:
        """The rows in order, in tables of no fixed size."""
        self._close()
        if self._path:
            with pa.OSFile(str(self._path)) as file, pa.ipc.open_stream(file) as stream:
                for batch in stream:
                    yield pa.Table.from_batches([batch])
        yield from self.held


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
            self.first = _at(self.rows, 0, self._key)
            self.last = _at(self.rows, len(self.rows) - 1, self._key)
        return True

    def until(self, cut: tuple[Any, ...]) -> pa.Table | None:
        """The rows up to `cut`, taken out of the block; None if all of it comes later."""
        rows = self.rows
        if rows is None or self.first > cut:
            return None
        count = len(rows)
        if self.last > cut:
            count = bisect_right(range(count), cut, key=lambda row: _at(rows, row, self._key))
            self.first = _at(rows, count, self._key)
        self.rows = rows[count:]
        return rows[:count]


def _at(table: pa.Table, row: int, key: Sequence[str]) -> tuple[Any, ...]:
    return tuple(table[name][row].as_py() for name in key)


def trimmed(table: pa.Table) -> pa.Table:
    """The table without texts that do not occur, where there are many of them."""
    for at, field in enumerate(table.schema):
        if not pa.types.is_dictionary(field.type):
            continue
        column = table[at].combine_chunks()
        if len(column.dictionary) <= max(len(column), 64):
            continue
        plain = column.cast(field.type.value_type)
        table = table.set_column(at, field, plain.dictionary_encode())
    return table


def ordered(table: pa.Table, key: Sequence[str]) -> pa.Table:
    """The rows in the order of the key; those of equal key as they were."""
    table = table.unify_dictionaries().combine_chunks()
    order = _order(table, key)
    return table if order is None else table.take(pa.array(order))


def _order(table: pa.Table, key: Sequence[str]) -> NDArray[np.int64] | None:
    """The positions of the rows in order; None if they are in order already."""
    ranked = [_ranks(table[name].combine_chunks()) for name in key]
    size = 1
    for _, count in ranked:
        size *= count
    if size >= 1 << 62:
        return np.lexsort([codes for codes, _ in reversed(ranked)])
    total = np.zeros(len(table), np.int64)
    for codes, count in ranked:
        if count > 1:
            total *= count
            total += codes
    if (total[1:] >= total[:-1]).all():
        return None
    return np.argsort(total, kind="stable")


def _ranks(array: pa.Array) -> tuple[NDArray[np.int64], int]:
    """For each value its number in order, and how many numbers there are."""
    if pa.types.is_dictionary(array.type):
        ranks = np.empty(len(array.dictionary), np.int64)
        ranks[np.from_dlpack(pc.sort_indices(array.dictionary))] = np.arange(len(ranks))
        return ranks[np.from_dlpack(array.indices)], len(ranks)
    values = np.asarray(np.from_dlpack(array), np.int64)
    low = int(values.min())
    return values - low, int(values.max()) - low + 1
