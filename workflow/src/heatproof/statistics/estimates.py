"""The value of a cell and its standard error, for problems like these.

The value is the mean over problems of each problem's mean over its epochs (every problem weighs the
same, however many epochs it has); over several tasks, the unweighted mean of the task values. The
standard error is clustered by problem (Miller 2024, "Adding Error Bars to Evals", section 2.2).

Sums are rounded once, so that the order of what is added cannot matter. Values are cut at a common
bit, so high that what lies above it adds up without rounding in any order; what lies below is cut
once more, until nothing is left (Rump, Ogita and Oishi 2008, "Accurate floating-point summation",
section 3: error-free vector transformation). Few such parts remain, which `math.fsum` adds.

pass@k and pass^k are the chance that one, or each, of k samples of a problem is correct.
"""

from __future__ import annotations

from fractions import Fraction
from math import comb, fsum, nan
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from heatproof.statistics.contrasts import LARGEST, Scores, add, labels, scores, units
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

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
        total = columns(mine)
        sums.append((total, n * scale))
        clusters = units(there, own)
        unknown |= clusters < 2
        size = np.maximum(n, 1).astype(np.float64) ** 2 * scale * number
        weight = np.sqrt(clusters / np.maximum(clusters - 1, 1)) / size
        pull = np.where(there, (n * mine - total) * weight, 0)
        add(influence, own, pull)
        parts.append((clusters - 1, _variance(pull, own) if number > 1 else None))
    value, se = _mean(sums), np.sqrt(columns(influence**2))
    unknown |= np.isnan(value)
    return value, np.where(unknown, np.nan, se), np.where(unknown, 0, _freedom(parts))


def _variance(pull: NDArray[np.float64], group: NDArray[np.intp]) -> NDArray[np.float64]:
    """Variance of the value of each cell that comes from one task."""
    found = np.zeros((int(group.max(initial=0)) + 1, pull.shape[1]))
    add(found, group, pull)
    return columns(found**2)


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


EXACT_UP_TO = 2.0**900
"""Beyond that, and for what is no number, values are added one by one."""


def columns(values: Floats) -> Floats:
    """Sum of each column."""
    found = _parts(values)
    if len(found) == 1:
        return found[0]
    return np.array([fsum(column) for column in zip(*(p.tolist() for p in found), strict=True)])


def total(strips: Iterable[Floats]) -> float:
    """Sum of all values, (instances,) each strip."""
    return fsum(float(part) for strip in strips for part in _parts(strip))


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


def pass_at_k(n: ArrayLike, c: ArrayLike, k: int, *, every: bool = False) -> NDArray[np.float64]:
    """Unbiased pass@k of each problem, 1 − C(n − c, k) / C(n, k); NaN where n < k.

    `every`: pass^k instead, C(c, k) / C(n, k), the chance that all k are correct.

    Sources: Chen et al. 2021, "Evaluating Large Language Models Trained on Code", equation 1;
    Yao et al. 2024, "τ-bench: A Benchmark for Tool-Agent-User Interaction in Real-World Domains".

    Raises:
        Error: k is below 1, or no problem has k samples.
        ValueError: the shapes differ, or a c is not between 0 and n.
    """
    points = pass_scores(n, c, k, every=every)
    return points.numerator / points.scale


def pass_scores(n: ArrayLike, c: ArrayLike, k: int, *, every: bool = False) -> Scores:
    """The same as numerators over one scale, exact while C(n, k) is small and n the same."""
    samples, correct = np.asarray(n, dtype=np.int64), np.asarray(c, dtype=np.int64)
    _check(samples, correct, k)
    both = np.stack([samples.ravel(), correct.ravel()], axis=1)
    kinds, place = np.unique(both, axis=0, return_inverse=True)
    sizes = {int(size) for size in kinds[:, 0] if size >= k}
    scale = comb(sizes.pop(), k) if len(sizes) == 1 else 1
    if scale > LARGEST:
        scale = 1
    table = np.array([_points(int(size), int(right), k, scale, every) for size, right in kinds])
    return Scores(table[place.ravel()].reshape(samples.shape), scale)


def _points(n: int, c: int, k: int, scale: int, every: bool) -> float:
    if n < k:
        return float("nan")
    good = comb(c, k) if every else comb(n, k) - comb(n - c, k)
    return scale * good / comb(n, k)


def _check(n: NDArray[np.int64], c: NDArray[np.int64], k: int) -> None:
    if n.shape != c.shape:
        raise ValueError(f"n {n.shape} and c {c.shape} must have one shape")
    if np.any(c < 0) or np.any(c > n):
        raise ValueError("c must lie between 0 and n")
    most = int(n.max(initial=0))
    if k < 1 or k > most:
        raise Error(f"pass@{k}: k must lie between 1 and the {most} samples of a problem")
