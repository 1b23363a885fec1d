"""Rows as numbers: each value by its number among those that occur, so that rows are small.

A text stands once in memory, not once a row, and rows are compared, found and placed in arrays by
whole numbers. Numbers follow the order of the values; a null comes first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.lazy import numpy as np
from heatproof.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from numpy.typing import NDArray

    Ints = NDArray[np.int64]

PIECE = 1 << 17
"""Rows read at a time."""

LARGEST = 1 << 62
NUMBER = "number of the value"


class Numbered(NamedTuple):
    """A column: the number of each row's value, and the values, sorted."""

    codes: NDArray[np.integer[Any]]
    values: pl.Series


def pieces(
    rows: pl.LazyFrame, chosen: Callable[[pl.LazyFrame], pl.LazyFrame], size: int = PIECE
) -> Iterator[pl.DataFrame]:
    """What is `chosen` of the rows, in memory piece by piece, one at least.

    Rows are cut before they are chosen: a file is read once, however few of its rows are wanted.
    """
    count = int(rows.select(pl.len()).collect().item())
    for start in range(0, max(count, 1), size):
        yield chosen(rows.slice(start, size)).collect()


def gather(
    rows: pl.LazyFrame, chosen: Callable[[pl.LazyFrame], pl.LazyFrame], size: int = PIECE
) -> pl.DataFrame:
    """What is `chosen` of the rows, texts as categories."""
    schema = chosen(rows).collect_schema()
    texts = [name for name, kind in schema.items() if kind == pl.String]
    kinds: dict[Any, Any] = {name: pl.Categorical(pl.Categories.random()) for name in texts}
    return pl.concat([piece.cast(kinds) for piece in pieces(rows, chosen, size)], rechunk=False)


def plain(values: pl.Series) -> pl.Series:
    """Categories spelled out."""
    return values.cast(pl.String) if isinstance(values.dtype, pl.Categorical) else values


def numbered(column: pl.Series) -> Numbered:
    """The values of a column and their numbers."""
    if isinstance(column.dtype, pl.Categorical):
        own = column.to_physical()
        low, high = -1, int(own.max() or 0)  # type: ignore[arg-type]
        return _small(own.cast(pl.Int32).fill_null(low).to_numpy() - low, high - low, column)
    if column.dtype.is_integer() and not column.null_count() and len(column):
        low, high = int(column.min()), int(column.max())  # type: ignore[arg-type]
        if high - low <= 4 * len(column) + 64:
            return _small((column - low).cast(pl.Int32).to_numpy(), high - low, column)
    values = column.unique().sort()
    ranks = values.to_frame().with_row_index(NUMBER)
    found = column.to_frame().join(
        ranks, on=column.name, how="left", nulls_equal=True, maintain_order="left"
    )
    return Numbered(found[NUMBER].to_numpy().astype(np.int64), values)


def _small(own: NDArray[np.int32], largest: int, column: pl.Series) -> Numbered:
    """The same from small numbers that tell the values apart, in any order."""
    row = np.full(largest + 1, -1)
    row[own] = np.arange(len(own), dtype=np.int32)
    found = np.flatnonzero(row >= 0)
    values = plain(column[row[found]])
    order = values.arg_sort().to_numpy()
    ranks = np.zeros(largest + 1, np.int32)
    ranks[found[order]] = np.arange(len(found))
    return Numbered(ranks[own], values[order])


def codes(rows: pl.DataFrame, names: Iterable[str]) -> tuple[Ints, int]:
    """A number for each row, the same for those, and only those, with the same values.

    They follow the order of the rows by these columns, and are smaller than the second number.
    """
    code, size = np.zeros(len(rows), np.int64), 1
    for name in names:
        one = numbered(rows[name])
        count = len(one.values)
        if count < 2:
            continue
        if size * count >= LARGEST:
            seen, code = np.unique(code, return_inverse=True)
            size = len(seen)
        code = code * count + one.codes
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


def is_unique(rows: pl.DataFrame, names: Iterable[str]) -> bool:
    """Whether no two rows have the same values."""
    code, size = codes(rows, names)
    if size > 16 * len(code) + 64:
        return pl.Series(code).n_unique() == len(code)
    there = np.zeros(size, bool)
    there[code] = True
    return int(np.count_nonzero(there)) == len(code)
