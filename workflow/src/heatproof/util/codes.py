"""Rows as numbers: each value is replaced by its number among those that occur.

A text stands once in memory, not once a row, and rows are compared and placed in arrays by whole
numbers. Numbers follow the order of the values; a null comes first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.util.lazy import numpy as np
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    Array = NDArray[Any]
    Ints = NDArray[np.int64]


class Numbered(NamedTuple):
    """A column: of each row the number of its value, and the values, sorted."""

    codes: NDArray[np.int32]
    values: pl.Series

    def value_of(self, row: int) -> Any:
        """The value of a row."""
        return self.values[int(self.codes[row])]


LARGEST = 1 << 62  # of the numbers of rows


class Rows(NamedTuple):
    """Rows: columns whose values are numbered, and columns of numbers."""

    columns: dict[str, Numbered]
    numbers: dict[str, Array]

    def take(self, order: Array) -> Rows:
        """Some of the rows, or all in another order."""
        columns = {}
        for name, column in self.columns.items():
            columns[name] = Numbered(column.codes[order], column.values)
        numbers = {name: values[order] for name, values in self.numbers.items()}
        return Rows(columns, numbers)

    def frame(self, names: Iterable[str]) -> pl.DataFrame:
        """The values of some of the columns."""
        columns = {}
        for name in names:
            column = self.columns[name]
            columns[name] = column.values[column.codes]
        return pl.DataFrame(columns)


def gather_rows(shards: Sequence[pl.LazyFrame], numbers: Sequence[str]) -> Rows:
    """The rows of shards: `numbers`, none of them null, as they are, other columns numbered."""
    texts = pl.Categorical(pl.Categories.random())  # forgotten with the last column that has them
    tables = []
    for shard in shards:
        table = shard.collect()
        tables.append(table.with_columns(pl.col(pl.String).cast(texts)))
    rows = pl.concat(tables)
    columns = [name for name in rows.columns if name not in numbers]
    numbered = {name: _number_values(rows[name]) for name in columns}
    return Rows(numbered, {name: rows[name].to_numpy() for name in numbers})


def _number_values(column: pl.Series) -> Numbered:
    values = column.unique().sort()
    numbers = values.to_frame().with_row_index(" number")  # no column has a blank in its name
    rows = column.to_frame().join(
        numbers, on=column.name, how="left", nulls_equal=True, maintain_order="left"
    )
    if isinstance(values.dtype, pl.Categorical):
        values = values.cast(pl.String)
    return Numbered(rows[" number"].to_numpy().astype(np.int32), values)


def codes(rows: Rows, names: Iterable[str]) -> Ints:
    """A number for each row, equal for rows with equal values, in the order of these columns."""
    columns = [rows.columns[name] for name in names]
    code = np.zeros(len(columns[0].codes), np.int64)
    size = 1
    for column in columns:
        count = len(column.values)
        if count < 2:
            continue
        if size * count >= LARGEST:
            uniques, code = np.unique(code, return_inverse=True)
            size = len(uniques)
        code = code * count + column.codes
        size *= count
    return code


def distinct(rows: Rows, names: Sequence[str]) -> pl.DataFrame:
    """The distinct rows of some columns, sorted."""
    _, first = np.unique(codes(rows, names), return_index=True)
    columns = [rows.columns[name] for name in names]
    return pl.DataFrame([column.values[column.codes[first]] for column in columns])


def is_unique(rows: Rows, names: Iterable[str]) -> bool:
    """Whether no two rows have the same values in some columns."""
    code = codes(rows, names)
    return len(np.unique(code)) == len(code)
