"""The two matrices of a panel, checked and brought to one scale."""

from __future__ import annotations

from math import lcm
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

LARGEST = 2**31  # a scale beyond this could push the numerators past the integers of a float64


class Scores(NamedTuple):
    """Mean score of each problem in each cell as `numerator / scale`.

    `numerator` (problems, cells) is float64, NaN where the problem is missing; where the totals are
    integers it holds integers, so that sums of it are exact.
    """

    numerator: NDArray[np.float64]
    scale: int

    @property
    def present(self) -> NDArray[np.bool_]:
        """Where there is a score, (problems, cells)."""
        return ~np.isnan(self.numerator)


def scores(total: ArrayLike, count: ArrayLike) -> Scores:
    """Problem means over the least common multiple of the epoch counts.

    Raises:
        ValueError: the shapes are not one (problems, cells); a count is negative or fractional.
    """
    sums = np.asarray(total, dtype=np.float64)
    epochs = np.asarray(count)
    if sums.ndim != 2 or sums.shape != epochs.shape:
        raise ValueError(f"total {sums.shape}, count {epochs.shape}: not (problems, cells)")
    whole = epochs.dtype.kind in "iu" or not np.any(epochs != np.floor(epochs))
    if epochs.size and (not whole or np.any(epochs < 0)):
        raise ValueError("count must hold whole numbers of epochs, 0 for a missing problem")
    epochs = epochs.astype(np.int64, copy=False)
    scale = lcm(*(int(n) for n in _distinct(epochs) if n))
    if scale > LARGEST:
        return Scores(np.divide(sums, epochs, where=epochs > 0, out=np.full(sums.shape, np.nan)), 1)
    factor = np.maximum(epochs, 1)
    np.floor_divide(scale, factor, out=factor)
    numerator = sums * factor
    numerator[epochs <= 0] = np.nan
    return Scores(numerator, scale)


def _distinct(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """The counts that occur."""
    if counts.max(initial=0) > counts.size:
        return np.unique(counts)
    return np.flatnonzero(np.bincount(counts.ravel(order="K")))


def labels(values: ArrayLike | None, problems: int, each: bool) -> NDArray[np.intp]:
    """Labels as 0…n − 1; without any, each problem has its own (`each`) or all share one.

    Raises:
        ValueError: there is not one label for each problem.
    """
    if values is None:
        return np.arange(problems) if each else np.zeros(problems, dtype=np.intp)
    array = np.asarray(values)
    if array.shape != (problems,):
        raise ValueError(f"{array.shape} labels for {problems} problems")
    inverse: NDArray[np.intp] = np.unique(array, return_inverse=True)[1]
    return inverse


def units(present: NDArray[np.bool_], group: NDArray[np.intp]) -> NDArray[np.int64]:
    """Number of groups that are there in each cell, (cells,)."""
    if len(np.unique(group)) == len(group):
        return np.asarray(present.sum(axis=0), dtype=np.int64)
    found = np.zeros((int(group.max(initial=0)) + 1, present.shape[1]), dtype=np.int64)
    add(found, group, present)
    return np.asarray(np.count_nonzero(found, axis=0), dtype=np.int64)


def add(sums: NDArray[Any], group: NDArray[np.intp], rows: NDArray[Any]) -> None:
    """Add each row to that of its group, one after the other."""
    if len(np.unique(group)) == len(group):
        sums[group] += rows
    else:
        np.add.at(sums, group, rows)
