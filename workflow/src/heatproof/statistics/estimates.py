"""The value of a cell, its standard error and its interval, for problems like these.

The value is the mean over problems of each problem's mean over its epochs; over several tasks, the
unweighted mean of the task values. The standard error is clustered by problem (Miller 2024, "Adding
Error Bars to Evals", section 2.2). Intervals hold for few problems and stay within 0…1 (coverage:
tests/bench/coverage.py).

Sums are rounded once, so that their order cannot matter. Values are cut at a common bit, so high
that what lies above it adds up without rounding; what lies below is cut again, until nothing is
left (Rump, Ogita and Oishi 2008, "Accurate floating-point summation", section 3: error-free vector
transformation). `math.fsum` adds the few parts.

Quantiles of the normal and of Student's t need no scipy. They are rounded to twelve digits, as the
last bits of a logarithm differ between machines.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from math import exp, fsum, inf, lgamma, log, nan, sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING, NamedTuple

from heatproof.statistics.contrasts import ALPHA, Scores, by_group, labels, scores, units
from heatproof.util.lazy import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from heatproof.statistics.contrasts import Labels

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]


EXACT_UP_TO = 2.0**900  # above, and where they are no numbers, values are added one by one
PRIOR = 2  # pseudo-problems at the largest variance; see `_clustered`


class Estimate(NamedTuple):
    """An entry per cell, in the unit of the scores."""

    value: Floats  # NaN where a cell has no problem, or none of a task
    se: Floats  # NaN where a task has fewer than two problems
    problems: Ints
    epochs: Ints
    freedom: Floats
    """Degrees of freedom of `se`, by groups; over tasks Satterthwaite's. 0 where `se` is NaN."""


def cell_estimates(
    total: ArrayLike, count: ArrayLike, task: Labels = None, *, group: Labels = None
) -> Estimate:
    """Mean score of each cell of a panel (matrices as in `heatproof.statistics`)."""
    return estimates(scores(total, count), count, task, group)


def estimates(points: Scores, count: ArrayLike, task: Labels, group: Labels) -> Estimate:
    """The estimate of every column of `points`."""
    problems, cells = points.numerator.shape
    tasks, groups = labels(task, problems, apart=False), labels(group, problems, apart=True)
    number = int(tasks.max(initial=0)) + 1
    influence = np.zeros((int(groups.max(initial=0)) + 1, cells))
    sums, freedom, variances = [], [], []
    unknown = np.zeros(cells, dtype=bool)
    for index in range(number):
        rows = tasks == index
        there, own = points.present[rows], groups[rows]
        x, n = np.where(there, points.numerator[rows], 0), there.sum(axis=0)
        total = column_sums(x)
        sums.append((total, n * points.scale))
        clusters = units(there, own)
        unknown |= clusters < 2
        size = np.maximum(n, 1).astype(np.float64) ** 2 * points.scale * number
        weight = np.sqrt(clusters / np.maximum(clusters - 1, 1)) / size
        pull = np.where(there, (n * x - total) * weight, 0)
        np.add.at(influence, own, pull)
        freedom.append(clusters - 1)
        if number > 1:
            variances.append(column_sums(by_group(pull, own) ** 2))
    value, se = _task_mean(sums), np.sqrt(column_sums(influence**2))
    unknown |= np.isnan(value)
    freedom_of_sum = _freedom(np.array(freedom), np.array(variances))
    epochs = np.where(points.present, np.asarray(count), 0).sum(axis=0, dtype=np.int64)
    return Estimate(
        value,
        np.where(unknown, np.nan, se),
        points.present.sum(axis=0, dtype=np.int64),
        epochs,
        np.where(unknown, 0, freedom_of_sum),
    )


def _freedom(own: Ints, variances: Floats) -> Floats:
    """Degrees of freedom of a sum of independent variances v, each with its own f.

    (Σ v)² / Σ (v² / f) (Satterthwaite 1946, equation 17), between the smallest f and their sum.
    """
    least, most = np.asarray(own.min(axis=0), np.float64), own.sum(axis=0)
    if not len(variances):
        return least
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = variances / variances.sum(axis=0)
        freedom = 1 / (shares**2 / np.maximum(own, 1)).sum(axis=0)
    freedom = np.where(np.isfinite(freedom), freedom, least)  # no variance at all
    return np.asarray(np.clip(freedom, least, most))


def _task_mean(sums: Sequence[tuple[Floats, Ints]]) -> Floats:
    """The mean over tasks of sum / size, rounded once; NaN where a task has no problem."""
    cells = zip(*(zip(*map(np.ndarray.tolist, part), strict=True) for part in sums), strict=True)
    means = (
        sum((Fraction(total) / size for total, size in cell), Fraction(0)) / len(cell)
        if all(size for _, size in cell)
        else nan
        for cell in cells
    )
    return np.array([float(mean) for mean in means])


def column_sums(values: Floats) -> Floats:
    """Sum of each column."""
    parts = _sum_parts(values)
    if len(parts) == 1:
        return parts[0]
    return np.array([fsum(column) for column in zip(*(p.tolist() for p in parts), strict=True)])


def total(values: Floats) -> float:
    """Sum of the values, (instances,)."""
    return fsum(float(part) for part in _sum_parts(values))


def _sum_parts(values: Floats) -> list[Floats]:
    """A few numbers for each column that have exactly the same sum as its values."""
    most = np.abs(values).max(axis=0, initial=0)
    if not np.all(most < EXACT_UP_TO):
        return list(values)
    more, parts = len(values).bit_length(), []
    while most.any():
        # So many values cannot add up to more than 2**53 of its last bits.
        above = np.ldexp(1.0, np.frexp(most)[1] + more)
        high = (values + above) - above
        parts.append(np.asarray(high.sum(axis=0)))
        values = values - high
        most = np.abs(values).max(axis=0, initial=0)
    return parts or [np.zeros(values.shape[1:])]


class Interval(NamedTuple):
    """Limits, an entry per cell; NaN where the value is."""

    low: Floats
    high: Floats


def wilson(value: ArrayLike, trials: ArrayLike, quantile: ArrayLike) -> Interval:
    """Wilson's score interval (1927) of a share of `trials`, which may be fractional."""
    p, n, z = (np.asarray(numbers, float) for numbers in (value, trials, quantile))
    with np.errstate(invalid="ignore", divide="ignore"):
        centre = (p + z * z / (2 * n)) / (1 + z * z / n)
        half = z / (1 + z * z / n) * np.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return Interval(np.clip(centre - half, 0, p), np.clip(centre + half, p, 1))


def interval(
    total: ArrayLike, count: ArrayLike, task: Labels = None, *, group: Labels = None
) -> Interval:
    """Interval of each cell's value for problems like these, clustered by problem or group.

    Those of several tasks are combined by the square-and-add rule (MOVER; Zou and Donner 2008),
    which keeps their asymmetry.
    """
    epochs = np.asarray(count)
    tasks = labels(task, len(epochs), apart=False)
    groups = labels(group, len(epochs), apart=True)
    points = scores(total, count)
    parts = []
    for index in range(int(tasks.max(initial=0)) + 1):
        rows = tasks == index
        own = points._replace(numerator=points.numerator[rows])
        of_task = estimates(own, epochs[rows], None, groups[rows])
        clusters = units(own.present, groups[rows]).astype(np.float64)
        parts.append((of_task.value, *_clustered(of_task, clusters)))
    return _mover(parts)


def _clustered(estimate: Estimate, units: Floats) -> Interval:
    """Wilson's interval with the effective number of trials and Student's t.

    p(1 − p) / se² independent trials would tell as much (Dean and Pagano 2015). The variance is
    first drawn towards p(1 − p) / units, the largest that units of one mean can have, as if by two
    more units, for near 0 and 1 a standard error from few problems is often far too small. With one
    sample of 0 or 1 for each problem it is plain Wilson. Else the ends leave room for a share of
    the problems that are all 0, or all 1, and of which the sample shows none (`hidden`): with a
    chance of α / 2 it is no larger than −ln(α / 2) / units.
    """
    p = estimate.value
    most = p * (1 - p)
    freedom = np.maximum(units - 1, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        variance = np.where(units > 1, estimate.se**2, 0)
        drawn = (freedom * variance + PRIOR * most / units) / (freedom + PRIOR)
        trials = np.where(most > 0, most / drawn, units)
        single = (estimate.epochs == units) & (np.abs(variance * freedom - most) <= 1e-9)
    z = normal(1 - ALPHA / 2)
    distinct, which = np.unique(freedom, return_inverse=True)
    t = np.array([student(1 - ALPHA / 2, f) if f > 0 else z for f in distinct.tolist()])[which]
    low, high = wilson(p, np.where(single, units, trials), np.where(single, z, t))
    with np.errstate(divide="ignore"):
        hidden = np.where(single, 0.0, np.minimum(log(2 / ALPHA) / units, 1.0))
    return Interval(np.minimum(low, p * (1 - hidden)), np.maximum(high, p + (1 - p) * hidden))


def _mover(parts: Sequence[tuple[Floats, ...]]) -> Interval:
    if len(parts) == 1:
        return Interval(*parts[0][1:])
    value, low, high = (np.array(column) for column in zip(*parts, strict=True))
    mean, number = value.sum(axis=0) / len(parts), len(parts)
    below = np.sqrt(((value - low) ** 2).sum(axis=0)) / number
    above = np.sqrt(((high - value) ** 2).sum(axis=0)) / number
    return Interval(np.clip(mean - below, 0, 1), np.clip(mean + above, 0, 1))


def count_estimates(correct: ArrayLike, trials: ArrayLike) -> tuple[Estimate, Interval]:
    """Estimate and interval of (tasks, cells) or (cells,) correct answers of `trials` samples.

    For counts that were printed, where it is not known which problem was solved: every sample is a
    trial of its own. That covers chance in sampling these very problems, and is too narrow for
    problems like these. `problems` is 0.
    """
    right, tried = np.atleast_2d(np.asarray(correct)), np.atleast_2d(np.asarray(trials))
    mean = cell_estimates(right, tried, np.arange(len(right))).value
    points = scores(right, tried).mean
    with np.errstate(invalid="ignore", divide="ignore"):
        se = np.sqrt((points * (1 - points) / tried).sum(axis=0)) / len(points)
    z = normal(1 - ALPHA / 2)
    parts = [(share, *wilson(share, n, z)) for share, n in zip(points, tried, strict=True)]
    epochs = tried.sum(axis=0).astype(np.int64)
    unknown = np.zeros_like(epochs)
    return Estimate(mean, se, unknown, epochs, unknown.astype(np.float64)), _mover(parts)


def normal(probability: float) -> float:
    """Quantile of the standard normal distribution."""
    return settle_digits(NormalDist().inv_cdf(probability))


def settle_digits(number: float) -> float:
    """A number to twelve digits, the same on every machine."""
    return float(f"{number:.12g}")


@cache
def student(probability: float, freedom: float) -> float:
    """Quantile of Student's t, for a probability of at least one half, by bisection.

    P(|T| > t) is the regularised incomplete beta function at ν / (ν + t²) with ν/2 and 1/2
    (Abramowitz and Stegun 26.7.1). Infinite without degrees of freedom.
    """
    if probability == 0.5:
        return 0.0
    if freedom <= 0:
        return inf
    low, high = 0.0, 1.0

    def is_below(t: float) -> bool:
        tail = incomplete_beta(freedom / (freedom + t * t), freedom / 2, 0.5) / 2
        return tail > 1 - probability

    while is_below(high):
        low, high = high, 2 * high
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if is_below(middle) else (low, middle)
    return settle_digits((low + high) / 2)


def incomplete_beta(x: float, a: float, b: float) -> float:
    """Regularised incomplete beta function I_x(a, b) by its continued fraction (DLMF 8.17.22).

    1 + d1/(1 + d2/(1 + …)) from the inside out; the terms that it needs grow with sqrt(max(a, b)).
    """
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):
        return 1 - incomplete_beta(1 - x, b, a)
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(1 - x)) / a
    fraction = 1.0
    for step in range(100 + int(8 * sqrt(max(a, b))), 0, -1):
        m = step // 2
        if step % 2:
            term = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        else:
            term = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        fraction = 1 + term / fraction
    return front / fraction
