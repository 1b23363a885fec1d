"""The value of a cell and its standard error, for problems like these.

The value is the mean over problems of each problem's mean over its epochs (every problem weighs the
same, however many epochs it has); over several tasks, the unweighted mean of the task values. The
standard error is clustered by problem (Miller 2024, "Adding Error Bars to Evals", section 2.2).

Sums are rounded once, so that the order of what is added cannot matter. Values are cut at a common
bit, so high that what lies above it adds up without rounding in any order; what lies below is cut
once more, until nothing is left (Rump, Ogita and Oishi 2008, "Accurate floating-point summation",
section 3: error-free vector transformation). Few such parts remain, which `math.fsum` adds.
"""

from __future__ import annotations

from fractions import Fraction
from math import fsum, nan
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from heatproof.statistics.contrasts import Scores, add, labels, scores, units
from heatproof.statistics.repeats import pass_scores

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]


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
    tasks, groups = labels(task, problems, apart=False), labels(group, problems, apart=True)
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
    freedom, variances = [], []
    for index in range(number):
        rows = slice(None) if number == 1 else task == index
        there, own = ~np.isnan(points[rows]), group[rows]
        x, n = np.where(there, points[rows], 0), there.sum(axis=0)
        total = columns(x)
        sums.append((total, n * scale))
        clusters = units(there, own)
        unknown |= clusters < 2
        size = np.maximum(n, 1).astype(np.float64) ** 2 * scale * number
        weight = np.sqrt(clusters / np.maximum(clusters - 1, 1)) / size
        pull = np.where(there, (n * x - total) * weight, 0)
        add(influence, own, pull)
        freedom.append(clusters - 1)
        if number > 1:
            pulls = np.zeros((int(own.max(initial=0)) + 1, pull.shape[1]))
            add(pulls, own, pull)
            variances.append(columns(pulls**2))
    value, se = _mean(sums), np.sqrt(columns(influence**2))
    unknown |= np.isnan(value)
    freedom_of_sum = _freedom(np.array(freedom), np.array(variances))
    return value, np.where(unknown, np.nan, se), np.where(unknown, 0, freedom_of_sum)


def _freedom(own: NDArray[np.int64], variances: Floats) -> Floats:
    """Degrees of freedom of a sum of independent variances, each with its own.

    (Σ v)² / Σ v² / f (Satterthwaite 1946, equation 17), between the smallest f and their sum.
    """
    least, most = np.asarray(own.min(axis=0), np.float64), own.sum(axis=0)
    if not len(variances):
        return least
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = variances / variances.sum(axis=0)
        freedom = 1 / (shares**2 / np.maximum(own, 1)).sum(axis=0)
    freedom = np.where(np.isfinite(freedom), freedom, least)  # no variance at all
    return np.asarray(np.clip(freedom, least, most))


def _mean(sums: Sequence[tuple[NDArray[np.float64], NDArray[np.int64]]]) -> NDArray[np.float64]:
    """Mean over tasks of sum / size in each cell, rounded once; NaN where a task has no problem."""
    if len(sums) == 1 and sums[0][1].max(initial=0) < EXACT:
        total, size = sums[0]
        return np.asarray(total / np.where(size > 0, size, np.nan))
    cells = zip(*(zip(*map(np.ndarray.tolist, part), strict=True) for part in sums), strict=True)
    means = (
        sum((Fraction(total) / size for total, size in cell), Fraction(0)) / len(cell)
        if all(size for _, size in cell)
        else nan
        for cell in cells
    )
    return np.array([float(mean) for mean in means])


EXACT_UP_TO = 2.0**900
"""Beyond that, and for what is no number, values are added one by one."""


def columns(values: Floats) -> Floats:
    """Sum of each column."""
    parts = _parts(values)
    if len(parts) == 1:
        return parts[0]
    return np.array([fsum(column) for column in zip(*(p.tolist() for p in parts), strict=True)])


def total(values: Floats) -> float:
    """Sum of the values, (instances,)."""
    return fsum(float(part) for part in _parts(values))


def _parts(values: Floats) -> list[Floats]:
    """Numbers for each column that have the same sum as its values, none of it rounded."""
    most = np.abs(values).max(axis=0, initial=0)
    if not np.all(most < EXACT_UP_TO):
        return [*values]
    more, parts = len(values).bit_length(), []
    while most.any():
        # Below 2**53 of its last bits: so many values as there are cannot add up to more.
        above = np.ldexp(1.0, np.frexp(most)[1] + more)
        high = (values + above) - above
        parts.append(np.asarray(high.sum(axis=0)))
        values = values - high
        most = np.abs(values).max(axis=0, initial=0)
    return parts or [np.zeros(values.shape[1:])]
