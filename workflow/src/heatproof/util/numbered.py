"""Rows as numbers: each value by its number among those that occur, so that rows are small.

A text stands once in memory, not once a row, and rows are compared, found and placed in arrays by
whole numbers. Numbers follow the order of the values; a null comes first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.util.lazy import numpy as np
from heatproof.util.lazy import polars as pl
from heatproof.util.numbering import Column, Numbered

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    Array = NDArray[Any]
    Ints = NDArray[np.int64]

PIECE = 1 << 17
"""Rows looked at at a time."""

LARGEST = 1 << 62


class Rows(NamedTuple):
    """Rows of which some columns are numbered, and the others are numbers themselves."""

    columns: dict[str, Numbered]
    numbers: dict[str, Array]

    def at(self, which: Array) -> Rows:
        """Some of the rows, or all in another order."""
        columns = {name: Numbered(c.codes[which], c.values) for name, c in self.columns.items()}
        return Rows(columns, {name: values[which] for name, values in self.numbers.items()})


def pieces(
    shards: Iterable[pl.LazyFrame], chosen: Callable[[pl.LazyFrame], pl.LazyFrame]
) -> Iterator[pl.DataFrame]:
    """What is `chosen` of the shards, one after the other: of texts one shard is held at a time."""
    for shard in shards:
        yield from chosen(shard).collect().iter_slices(PIECE)


def gather(
    shards: Sequence[pl.LazyFrame],
    numbers: Sequence[str],
    chosen: Callable[[pl.LazyFrame], pl.LazyFrame] = lambda rows: rows,
) -> Rows:
    """What is `chosen` of the shards: `numbers`, none of them null, and the others numbered."""
    kinds = chosen(shards[0]).collect_schema()
    columns = {name: Column(name, kind) for name, kind in kinds.items() if name not in numbers}
    parts: dict[str, list[Array]] = {name: [] for name in numbers}
    for piece in pieces(shards, chosen):
        for name, column in columns.items():
            column.take(piece[name])
        for name, found in parts.items():
            found.append(piece[name].to_numpy())
    numbered = {name: column.numbered() for name, column in columns.items()}
    return Rows(numbered, {name: np.concatenate(found) for name, found in parts.items()})


def codes(rows: Rows, names: Iterable[str]) -> tuple[Ints, int]:
    """A number for each row, the same for those, and only those, with the same values.

    They follow the order of the rows by these columns, and are smaller than the second number.
    """
    columns = [rows.columns[name] for name in names]
    code, size = np.zeros(len(columns[0].codes), np.int64), 1
    for one in columns:
        count = len(one.values)
        if count < 2:
            continue
        if size * count >= LARGEST:
            seen, code = np.unique(code, return_inverse=True)
            size = len(seen)
        code *= count
        code += one.codes
        size *= count
    return code, size


def dense(code: Ints, size: int) -> tuple[Ints, Ints]:
    """The numbers that occur, sorted, and for each row which of them."""
    if size > 4 * len(code) + 64:
        found, at = np.unique(code, return_inverse=True)
        return found, at
    there = np.zeros(size, bool)
    there[code] = True
    found = np.flatnonzero(there)
    ranks = np.zeros(size, np.int64)
    ranks[found] = np.arange(len(found))
    return found, ranks[code]


def distinct(rows: Rows, names: Sequence[str]) -> pl.DataFrame:
    """The values that occur together in columns, a row each, by their order."""
    _, first = np.unique(codes(rows, names)[0], return_index=True)
    columns = [rows.columns[name] for name in names]
    return pl.DataFrame([one.values[one.codes[first]] for one in columns])


def is_unique(rows: Rows, names: Iterable[str]) -> bool:
    """Whether no two rows have the same values."""
    code, size = codes(rows, names)
    if size > 16 * len(code) + 64:
        return len(np.unique(code)) == len(code)
    there = np.zeros(size, bool)
    there[code] = True
    return int(np.count_nonzero(there)) == len(code)
