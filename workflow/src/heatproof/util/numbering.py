"""A column as numbers: each value by its number among those that occur, null first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.util.lazy import numpy as np
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Numbered(NamedTuple):
    """A column: the number of each row's value, and the values, sorted."""

    codes: NDArray[np.int32]
    values: pl.Series


class Column:
    """A column that comes piece by piece, its values numbered as they come."""

    def __init__(self, name: str, kind: pl.DataType) -> None:
        self._name, self._kind = name, kind
        self._categories = pl.Categories.random()
        self._type = pl.Categorical(self._categories)
        # Categories are forgotten with the last column that has them.
        self._alive = pl.Series(["all"], dtype=self._type) if kind == pl.String else None
        self._numbers: dict[Any, int] = {}
        self._same: dict[Any, NDArray[np.int32]] = {}
        self._parts: list[NDArray[np.int32]] = []

    def take(self, piece: pl.Series) -> None:
        """Number the next rows. They do not repeat in memory if all are the same."""
        if not len(piece) or piece.null_count() or not (piece == piece[0]).all():
            self._parts.append(self._codes(piece))
            return
        value = piece[0]
        if value not in self._same:
            self._same[value] = self._codes(piece[:1])
        self._parts.append(np.broadcast_to(self._same[value], len(piece)))

    def _codes(self, piece: pl.Series) -> NDArray[np.int32]:
        """Numbers by order of first sight; of a text the number of its category, after null."""
        if self._kind == pl.String:
            own = piece.cast(self._type).to_physical()
            if own.null_count():
                own = own.cast(pl.Int64).fill_null(-1)
            return own.to_numpy().astype(np.int32) + 1
        # Settings hardly change from row to row.
        if piece.null_count() or not len(piece):
            runs = piece.rle().struct.unnest()
            values, lengths = runs["value"].to_list(), runs["len"].to_numpy()
        else:
            array = piece.to_numpy()
            first = np.flatnonzero(np.append(True, array[1:] != array[:-1]))
            values, lengths = array[first].tolist(), np.diff(np.append(first, len(array)))
        numbers = [self._numbers.setdefault(value, len(self._numbers)) for value in values]
        return np.repeat(np.array(numbers, np.int32), lengths)

    def numbered(self) -> Numbered:
        """All rows, by the order of the values that occur."""
        texts = self._kind == pl.String
        known = [None, *self._categories.to_series()] if texts else [*self._numbers]
        there = np.zeros(len(known), bool)
        for part in self._parts:
            there[part] = True
        found = np.flatnonzero(there)
        values = pl.Series(self._name, known, self._kind)[found]
        order = values.arg_sort().to_numpy()
        ranks = np.zeros(len(known), np.int32)
        ranks[found[order]] = np.arange(len(found), dtype=np.int32)
        count = sum(map(len, self._parts))
        if len(found) < 2:
            return Numbered(np.broadcast_to(np.zeros(1, np.int32), count), values)
        codes, start = np.empty(count, np.int32), 0
        for part in self._parts:
            np.take(ranks, part, out=codes[start : start + len(part)], mode="clip")
            start += len(part)
        return Numbered(codes, values[order])
