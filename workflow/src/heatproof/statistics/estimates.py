"""The value of a cell and its standard error, for problems like these.

The value is the mean over problems of each problem's mean over its epochs (every problem weighs
the same, however many epochs it has); over several tasks, the unweighted mean of the task values.
The standard error is clustered by problem (Miller 2024, "Adding Error Bars to Evals", section 2.2).
"""

from __future__ import annotations

from fractions import Fraction
from math import nan
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from heatproof.statistics import exact
from heatproof.statistics.matrices import Scores, add, labels, scores, units
from heatproof.statistics.passes import pass_scores

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

STRIP = 512
"""Cells estimated at a time: bounds the memory of large panels."""

EXACT = 2**53
"""Whole numbers up to here are exact as floats."""


class Estimate(NamedTuple):
    """One entry per cell, in the unit of the scores.

    `value` is NaN where a cell has no problem (or lacks one of the tasks), `se` where a task has
    fewer than two problems: one problem says nothing of others like it. `freedom`: degrees of
    freedom of `se`, by groups and not by problems; over tasks Satterthwaite's (1946), as a small
    task beside a large one knows its own variance badly. 0 where `se` is NaN.
    """

    value: NDArray[np.float64]
    se: NDArray[np.float64]
    problems: NDArray[np.int64]
    epochs: NDArray[np.int64]
    freedom: NDArray[np.float64]


def cell_estimates(
    total: ArrayLike,
    count: ArrayLike,
    task: ArrayLike | None = None,
    *,
    group: ArrayLike | None = None,
) -> Estimate:
    """Mean score of each cell of a panel (matrices as in `heatproof.statistics`)."""
    return estimates(scores(total, count), count, task, group)


def pass_estimates(
    n: ArrayLike,
    c: ArrayLike,
    k: int,
    task: ArrayLike | None = None,
    *,
    group: ArrayLike | None = None,
    every: bool = False,
) -> Estimate:
    """Pass@k of each cell from samples `n` and correct ones `c`, both (problems, cells).

    `every`: pass^k instead, for which all k are to be correct.

    A problem with fewer than k samples does not count: `problems` says how many did.
    """
    return estimates(pass_scores(n, c, k, every=every), n, task, group)


def estimates(
    points: Scores, count: ArrayLike, task: ArrayLike | None, group: ArrayLike | None
) -> Estimate:
    """Estimate every column of `points`; exact sums, so the order of the rows cannot matter."""
    problems, cells = points.numerator.shape
    tasks, groups = labels(task, problems, each=False), labels(group, problems, each=True)
    value, se, freedom = np.empty(cells), np.empty(cells), np.empty(cells)
    for start in range(0, cells, STRIP):
        strip = slice(start, start + STRIP)
        value[strip], se[strip], freedom[strip] = _strip(
            points.numerator[:, strip], points.scale, tasks, groups
        )
    epochs = np.where(points.present, np.asarray(count), 0).sum(axis=0, dtype=np.int64)
    return Estimate(value, se, points.present.sum(axis=0, dtype=np.int64), epochs, freedom)


def _strip(
    points: NDArray[np.float64], scale: int, task: NDArray[np.intp], group: NDArray[np.intp]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Value, standard error and its degrees of freedom of some cells.

    The last division is the only one of a value.
    """
    number = int(task.max(initial=0)) + 1
    influence = np.zeros((int(group.max(initial=0)) + 1, points.shape[1]))
    sums, unknown = [], np.zeros(points.shape[1], dtype=bool)
    parts = []
    for index in range(number):
        rows = slice(None) if number == 1 else task == index
        there, own = ~np.isnan(points[rows]), group[rows]
        mine, n = np.where(there, points[rows], 0), there.sum(axis=0)
        total = exact.columns(mine)
        sums.append((total, n * scale))
        clusters = units(there, own)
        unknown |= clusters < 2
        size = np.maximum(n, 1).astype(np.float64) ** 2 * scale * number
        weight = np.sqrt(clusters / np.maximum(clusters - 1, 1)) / size
        pull = np.where(there, (n * mine - total) * weight, 0)
        add(influence, own, pull)
        parts.append((clusters - 1, _variance(pull, own) if number > 1 else None))
    value, se = _mean(sums), np.sqrt(exact.columns(influence**2))
    unknown |= np.isnan(value)
    return value, np.where(unknown, np.nan, se), np.where(unknown, 0, _freedom(parts))


def _variance(pull: NDArray[np.float64], group: NDArray[np.intp]) -> NDArray[np.float64]:
    """Variance of the value of each cell that comes from one task."""
    found = np.zeros((int(group.max(initial=0)) + 1, pull.shape[1]))
    add(found, group, pull)
    return exact.columns(found**2)


def _freedom(
    parts: Sequence[tuple[NDArray[np.int64], NDArray[np.float64] | None]],
) -> NDArray[np.float64]:
    """Degrees of freedom of a sum of independent variances, each with its own.

    (Σ v)² / Σ v² / f (Satterthwaite 1946, equation 17), between the smallest f and their sum.
    """
    own = np.array([freedom for freedom, _ in parts])
    least, most = np.asarray(own.min(axis=0), np.float64), own.sum(axis=0)
    variances = [variance for _, variance in parts if variance is not None]
    if not variances:
        return least
    shares = np.array(variances)
    with np.errstate(invalid="ignore", divide="ignore"):
        shares /= shares.sum(axis=0)
        found = 1 / (shares**2 / np.maximum(own, 1)).sum(axis=0)
    found = np.where(np.isfinite(found), found, least)  # no variance at all
    return np.asarray(np.clip(found, least, most))


def _mean(sums: Sequence[tuple[NDArray[np.float64], NDArray[np.int64]]]) -> NDArray[np.float64]:
    """Mean over tasks of sum / size in each cell, rounded once; NaN where a task has no problem."""
    if len(sums) == 1 and sums[0][1].max(initial=0) < EXACT:
        total, size = sums[0]
        return np.asarray(total / np.where(size > 0, size, np.nan))
    cells = zip(*(zip(*map(np.ndarray.tolist, part), strict=True) for part in sums), strict=True)
    return np.array([_rounded(cell) for cell in cells], dtype=np.float64)


def _rounded(parts: Sequence[tuple[float, int]]) -> float:
    if not all(size for _, size in parts):
        return nan
    return float(sum((Fraction(total) / size for total, size in parts), Fraction(0)) / len(parts))
