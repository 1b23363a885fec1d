"""Rows as numbers: each value by its number among those that occur, so that rows are small.

A text stands once in memory, not once a row, and rows are compared, found and placed in arrays by
whole numbers. Numbers follow the order of the values; a null comes first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.util.lazy import numpy as np
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    Array = NDArray[Any]
    Ints = NDArray[np.int64]


class Numbered(NamedTuple):
    """A column: the number of each row's value, and the values, sorted."""

    codes: NDArray[np.int32]
    values: pl.Series


class Column:
    """A column that comes piece by piece, its values numbered as they come."""

    def __init__(self, name: str, kind: pl.DataType) -> None:
        self._name, self._kind = name, kind
        self._categories = pl.Categories.random()
        # Categories are forgotten with the last column that has them.
        self._texts = pl.Series(["all"], dtype=pl.Categorical(self._categories))
        self._numbers: dict[Any, int] = {}
        self._parts: list[NDArray[np.int32]] = []

    def take(self, piece: pl.Series) -> None:
        """Number the next rows; a piece of one value takes no memory."""
        if self._kind == pl.String:
            physical = piece.cast(self._texts.dtype).to_physical().cast(pl.Int64) + 1
            codes = physical.fill_null(0).to_numpy().astype(np.int32)
        else:  # settings hardly change from row to row
            runs = piece.rle().struct.unnest()
            values, lengths = runs["value"].to_list(), runs["len"].to_numpy()
            numbers = [self._numbers.setdefault(v, len(self._numbers)) for v in values]
            codes = np.repeat(np.array(numbers, np.int32), lengths)
        single = len(codes) and (codes == codes[0]).all()
        self._parts.append(np.broadcast_to(codes[:1].copy(), len(codes)) if single else codes)

    def numbered(self) -> Numbered:
        """All rows, by the order of the values that occur."""
        texts = self._kind == pl.String
        values = [None, *self._categories.to_series()] if texts else [*self._numbers]
        codes = np.concatenate([np.empty(0, np.int32), *self._parts])
        there = np.flatnonzero(np.bincount(codes, minlength=len(values)))
        present = pl.Series(self._name, values, self._kind)[there]
        if len(present) < 2:
            return Numbered(np.broadcast_to(np.zeros(1, np.int32), len(codes)), present)
        order = present.arg_sort().to_numpy()
        ranks = np.empty(len(values), np.int32)
        ranks[there[order]] = np.arange(len(there), dtype=np.int32)
        return Numbered(ranks[codes], present[order])


PIECE = 1 << 17  # rows looked at at a time

LARGEST = 1 << 62


class Rows(NamedTuple):
    """Rows of which some columns are numbered, and the others are numbers themselves."""

    columns: dict[str, Numbered]
    numbers: dict[str, Array]

    def at(self, which: Array) -> Rows:
        """Some of the rows, or all in another order."""
        columns = {name: Numbered(c.codes[which], c.values) for name, c in self.columns.items()}
        return Rows(columns, {name: values[which] for name, values in self.numbers.items()})

    def frame(self, names: Iterable[str]) -> pl.DataFrame:
        """The values of some of the columns."""
        columns = {name: self.columns[name] for name in names}
        return pl.DataFrame({name: c.values[c.codes] for name, c in columns.items()})


def gather(
    shards: Sequence[pl.LazyFrame],
    numbers: Sequence[str],
    chosen: Callable[[pl.LazyFrame], pl.LazyFrame] = lambda rows: rows,
) -> Rows:
    """What is `chosen` of the shards: `numbers`, none of them null, and the others numbered.

    The shards are read one after the other, and of texts one shard is held at a time.
    """
    kinds = chosen(shards[0]).collect_schema()
    columns = {name: Column(name, kind) for name, kind in kinds.items() if name not in numbers}
    parts: dict[str, list[Array]] = {name: [] for name in numbers}
    for shard in shards:
        for piece in chosen(shard).collect().iter_slices(PIECE):
            for name, column in columns.items():
                column.take(piece[name])
            for name, arrays in parts.items():
                arrays.append(piece[name].to_numpy())
    numbered = {name: column.numbered() for name, column in columns.items()}
    return Rows(numbered, {name: np.concatenate(arrays) for name, arrays in parts.items()})


def codes(rows: Rows, names: Iterable[str]) -> tuple[Ints, int]:
    """A number for each row, the same for those, and only those, with the same values.

    They follow the order of the rows by these columns, and are smaller than the second number.
    """
    columns = [rows.columns[name] for name in names]
    code, size = np.zeros(len(columns[0].codes), np.int64), 1
    for col in columns:
        count = len(col.values)
        if count < 2:
            continue
        if size * count >= LARGEST:
            uniques, code = np.unique(code, return_inverse=True)
            size = len(uniques)
        code *= count
        code += col.codes
        size *= count
    return code, size


def dense(code: Ints, size: int) -> tuple[Ints, Ints]:
    """The numbers that occur, sorted, and for each row which of them."""
    if size > 4 * len(code) + 64:
        arrays, at = np.unique(code, return_inverse=True)
        return arrays, at
    there = np.zeros(size, bool)
    there[code] = True
    arrays = np.flatnonzero(there)
    ranks = np.zeros(size, np.int64)
    ranks[arrays] = np.arange(len(arrays))
    return arrays, ranks[code]


def distinct(rows: Rows, names: Sequence[str]) -> pl.DataFrame:
    """The values that occur together in columns, a row each, by their order."""
    _, first = np.unique(codes(rows, names)[0], return_index=True)
    columns = [rows.columns[name] for name in names]
    return pl.DataFrame([col.values[col.codes[first]] for col in columns])


def is_unique(rows: Rows, names: Iterable[str]) -> bool:
    """Whether no two rows have the same values."""
    code, size = codes(rows, names)
    return len(dense(code, size)[0]) == len(code)
