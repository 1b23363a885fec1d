"""The value of a cell and its standard error, for problems like these.

The value is the mean over problems of each problem's mean over its epochs (every problem weighs
the same, however many epochs it has); over several tasks, the unweighted mean of the task values.
The standard error is clustered by problem (Miller 2024, "Adding Error Bars to Evals", section 2.2).
"""

from __future__ import annotations

from fractions import Fraction
from math import fsum, nan, sqrt
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from heatproof.statistics.matrices import Scores, labels, scores
from heatproof.statistics.passes import pass_scores

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


class Estimate(NamedTuple):
    """One entry per cell, in the unit of the scores.

    `value` is NaN where a cell has no problem (or lacks one of the tasks), `se` where a task has
    fewer than two problems: one problem says nothing of others like it.
    """

    value: NDArray[np.float64]
    se: NDArray[np.float64]
    problems: NDArray[np.int64]
    epochs: NDArray[np.int64]


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
) -> Estimate:
    """Pass@k of each cell from samples `n` and correct ones `c`, both (problems, cells).

    A problem with fewer than k samples does not count: `problems` says how many did.
    """
    return estimates(pass_scores(n, c, k), n, task, group)


def estimates(
    points: Scores, count: ArrayLike, task: ArrayLike | None, group: ArrayLike | None
) -> Estimate:
    """Estimate every column of `points`; exact sums, so the order of the rows cannot matter."""
    problems = len(points.numerator)
    tasks, groups = labels(task, problems, each=False), labels(group, problems, each=True)
    pairs = [_cell(column, points.scale, tasks, groups) for column in points.numerator.T]
    value, se = np.array(pairs, dtype=np.float64).reshape(-1, 2).T
    epochs = np.where(points.present, np.asarray(count), 0).sum(axis=0, dtype=np.int64)
    return Estimate(value, se, points.present.sum(axis=0, dtype=np.int64), epochs)


def _cell(
    column: NDArray[np.float64], scale: int, task: NDArray[np.intp], group: NDArray[np.intp]
) -> tuple[float, float]:
    """Value and standard error of one cell: the last division is the only one of its value."""
    number = int(task.max(initial=0)) + 1
    values, influence, unknown = Fraction(0), np.zeros(int(group.max(initial=0)) + 1), False
    for index in range(number):
        rows = (task == index) & ~np.isnan(column)
        points = column[rows]
        n = len(points)
        if n == 0:
            return nan, nan
        total = fsum(points)
        values += Fraction(total) / (n * scale)
        clusters = int(np.count_nonzero(np.bincount(group[rows])))
        unknown = unknown or clusters < 2
        weight = sqrt(clusters / max(clusters - 1, 1)) / (float(n) ** 2 * scale * number)
        np.add.at(influence, group[rows], (n * points - total) * weight)
    return float(values / number), nan if unknown else sqrt(fsum(influence**2))
