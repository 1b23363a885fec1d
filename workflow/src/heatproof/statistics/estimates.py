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

from heatproof.statistics.contrasts import (
    ALPHA,
    Scores,
    by_group,
    few_clusters,
    labels,
    scores,
    undefined,
    units,
)
from heatproof.util.lazy import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import ArrayLike, NDArray

    from heatproof.statistics.contrasts import Labels

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]


EXACT_UP_TO = 2.0**900  # above, and where they are no numbers, values are added one by one
NARROW = 4e-16  # distance between the ends of a root, for its size: two neighbouring numbers
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
    tasks = labels(task, problems, distinct=False)
    groups = labels(group, problems, distinct=True)
    number = int(tasks.max(initial=0)) + 1
    influence = np.zeros((int(groups.max(initial=0)) + 1, cells))
    sums = []
    freedom = []
    variances = []
    unknown = np.zeros(cells, dtype=bool)
    for index in range(number):
        rows = tasks == index
        present = points.present[rows]
        task_groups = groups[rows]
        x = np.where(present, points.numerator[rows], 0)
        n = present.sum(axis=0)
        total = column_sums(x)
        sums.append((total, n * points.scale))
        clusters = units(present, task_groups)
        unknown |= clusters < 2
        squared = np.maximum(n, 1).astype(np.float64) ** 2
        scale = squared * points.scale * number
        weight = np.sqrt(few_clusters(clusters)) / scale
        pull = np.where(present, (n * x - total) * weight, 0)
        np.add.at(influence, task_groups, pull)
        freedom.append(clusters - 1)
        if number > 1:
            squares = by_group(pull, task_groups) ** 2
            variances.append(column_sums(squares))
    value = _task_mean(sums)
    unknown |= np.isnan(value)
    variance = column_sums(influence**2)
    se = np.sqrt(variance)
    freedom_of_sum = _freedom(np.array(freedom), np.array(variances))
    epochs = np.where(points.present, np.asarray(count), 0)
    return Estimate(
        value,
        se=np.where(unknown, nan, se),
        problems=points.present.sum(axis=0, dtype=np.int64),
        epochs=epochs.sum(axis=0, dtype=np.int64),
        freedom=np.where(unknown, 0, freedom_of_sum),
    )


def _freedom(task_freedom: Ints, variances: Floats) -> Floats:
    """Degrees of freedom of a sum of independent variances v, each with its own f.

    (Σ v)² / Σ (v² / f) (Satterthwaite 1946, equation 17), between the smallest f and their sum.
    """
    smallest: Floats = task_freedom.min(axis=0).astype(np.float64)
    if not len(variances):
        return smallest
    with undefined():
        shares = variances / variances.sum(axis=0)
        terms = shares**2 / np.maximum(task_freedom, 1)
        freedom = 1 / terms.sum(axis=0)
    freedom = np.where(np.isfinite(freedom), freedom, smallest)  # no variance at all
    largest = task_freedom.sum(axis=0)
    return np.asarray(np.clip(freedom, smallest, largest))


def _task_mean(sums: Sequence[tuple[Floats, Ints]]) -> Floats:
    """The mean over tasks of sum / size, rounded once; NaN where a task has no problem."""
    cells = len(sums[0][0])
    means = [Fraction(0)] * cells
    lacks_task = np.zeros(cells, np.bool_)
    for totals, sizes in sums:
        lacks_task |= sizes == 0
        of_cells = zip(totals.tolist(), sizes.tolist(), strict=True)
        for cell, (total, size) in enumerate(of_cells):
            if size:
                means[cell] += Fraction(total) / size
    values = np.array([float(mean / len(sums)) for mean in means])
    return np.where(lacks_task, nan, values)


def column_sums(values: Floats) -> Floats:
    """Sum of each column."""
    addends = _few_addends(values)
    if len(addends) == 1:
        return addends[0]
    columns = np.array(addends).T.tolist()
    return np.array(list(map(fsum, columns)))


def total(values: Floats) -> float:
    """Sum of the values, (instances,)."""
    addends = _few_addends(values)
    return fsum(map(float, addends))


def _few_addends(values: Floats) -> list[Floats]:
    """A few numbers for each column that have exactly the same sum as its values."""
    largest = np.abs(values).max(axis=0, initial=0)
    if not np.all(largest < EXACT_UP_TO):
        return list(values)
    carry = len(values).bit_length()
    addends = []
    while largest.any():
        # So many values cannot add up to more than 2**53 of its last bits.
        _, exponent = np.frexp(largest)
        cut = np.ldexp(1.0, exponent + carry)
        high = (values + cut) - cut
        addends.append(np.asarray(high.sum(axis=0)))
        values = values - high
        largest = np.abs(values).max(axis=0, initial=0)
    return addends or [np.zeros(values.shape[1:])]


class Interval(NamedTuple):
    """Limits, an entry per cell; NaN where the value is."""

    low: Floats
    high: Floats


def wilson(value: ArrayLike, trials: ArrayLike, quantile: ArrayLike) -> Interval:
    """Wilson's score interval (1927) of a share of `trials`, which may be fractional."""
    p, n, z = (np.asarray(numbers, float) for numbers in (value, trials, quantile))
    with undefined():
        divisor = 1 + z * z / n
        centre = (p + z * z / (2 * n)) / divisor
        variance = p * (1 - p) / n + z * z / (4 * n * n)
        half = z / divisor * np.sqrt(variance)
    low = np.clip(centre - half, 0, p)
    return Interval(low, np.clip(centre + half, p, 1))


def interval(
    total: ArrayLike, count: ArrayLike, task: Labels = None, *, group: Labels = None
) -> Interval:
    """Interval of each cell's value for problems like these, clustered by problem or group.

    Those of several tasks are combined by the square-and-add rule (MOVER; Zou and Donner 2008),
    which keeps their asymmetry.
    """
    epochs = np.asarray(count)
    tasks = labels(task, len(epochs), distinct=False)
    groups = labels(group, len(epochs), distinct=True)
    points = scores(total, count)
    intervals = []
    for index in range(int(tasks.max(initial=0)) + 1):
        rows = tasks == index
        families = groups[rows]
        numerator = points.numerator[rows]
        task_points = points._replace(numerator=numerator)
        of_task = estimates(task_points, epochs[rows], None, families)
        clusters = units(task_points.present, families).astype(np.float64)
        intervals.append((of_task.value, *_clustered(of_task, clusters)))
    return _mover(intervals)


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
    largest = p * (1 - p)
    freedom = np.maximum(units - 1, 0)
    with undefined():
        variance = np.where(units > 1, estimate.se**2, 0)
        spread = freedom * variance
        drawn = (spread + PRIOR * largest / units) / (freedom + PRIOR)
        trials = np.where(largest > 0, largest / drawn, units)
        is_binary = np.abs(spread - largest) <= 1e-9
    has_one_epoch = estimate.epochs == units
    single = is_binary & has_one_epoch
    z = two_sided()
    distinct, place = np.unique(freedom, return_inverse=True)
    quantiles = np.full(len(distinct), z)
    for index, number in enumerate(distinct.tolist()):
        if number > 0:
            quantiles[index] = two_sided(number)
    quantile = np.where(single, z, quantiles[place])
    low, high = wilson(p, np.where(single, units, trials), quantile)
    with undefined():
        rare = np.minimum(log(2 / ALPHA) / units, 1.0)
    hidden = np.where(single, 0.0, rare)
    lowest = p * (1 - hidden)
    rest = (1 - p) * hidden
    highest = p + rest
    return Interval(np.minimum(low, lowest), np.maximum(high, highest))


def _mover(intervals: Sequence[tuple[Floats, ...]]) -> Interval:
    if len(intervals) == 1:
        return Interval(*intervals[0][1:])
    value, low, high = map(np.array, zip(*intervals, strict=True))
    number = len(intervals)
    mean = value.sum(axis=0) / number
    squares_below = ((value - low) ** 2).sum(axis=0)
    squares_above = ((high - value) ** 2).sum(axis=0)
    bottom = mean - np.sqrt(squares_below) / number
    top = mean + np.sqrt(squares_above) / number
    return Interval(np.clip(bottom, 0, 1), np.clip(top, 0, 1))


def count_estimates(correct: ArrayLike, trials: ArrayLike) -> tuple[Estimate, Interval]:
    """Estimate and interval of (tasks, cells) or (cells,) correct answers of `trials` samples.

    For counts that were printed, where it is not known which problem was solved: every sample is a
    trial of its own. That covers chance in sampling these very problems, and is too narrow for
    problems like these. `problems` is 0.
    """
    right = np.atleast_2d(correct)
    tried = np.atleast_2d(trials)
    mean = cell_estimates(right, tried, np.arange(len(right))).value
    points = scores(right, tried).mean
    with undefined():
        variances = points * (1 - points) / tried
        variance = variances.sum(axis=0)
        se = np.sqrt(variance) / len(points)
    z = two_sided()
    intervals = [(share, *wilson(share, n, z)) for share, n in zip(points, tried, strict=True)]
    epochs = tried.sum(axis=0).astype(np.int64)
    none = np.zeros_like(epochs)
    estimate = Estimate(mean, se, none, epochs, none.astype(np.float64))
    return estimate, _mover(intervals)


def normal(probability: float) -> float:
    """Quantile of the standard normal distribution."""
    quantile = NormalDist().inv_cdf(probability)
    return settle_digits(quantile)


def settle_digits(number: float) -> float:
    """A number to twelve digits, the same on every machine."""
    return float(f"{number:.12g}")


def two_sided(freedom: float = inf, alpha: float = ALPHA) -> float:
    """How many standard errors an interval of level 1 − `alpha` reaches to either side."""
    probability = 1 - alpha / 2
    if freedom == inf:
        return normal(probability)
    return student(probability, freedom)


@cache
def student(probability: float, freedom: float) -> float:
    """Quantile of Student's t, for a probability of at least one half.

    P(|T| > t) is the regularised incomplete beta function at ν / (ν + t²) with ν/2 and 1/2
    (Abramowitz and Stegun 26.7.1). Infinite without degrees of freedom.
    """
    if probability == 0.5:
        return 0.0
    if freedom <= 0:
        return inf

    def excess(t: float) -> float:
        x = freedom / (freedom + t * t)
        tail = incomplete_beta(x, freedom / 2, 0.5) / 2
        return tail - (1 - probability)

    high = 1.0
    while excess(high) > 0:
        high *= 2
    root = _falling_root(excess, 0.0, high)
    return settle_digits(root)


def _falling_root(function: Callable[[float], float], low: float, high: float) -> float:
    """Where a function falls through 0, between a place above 0 and one below.

    By secants that keep the root between their ends; the value at an end that stays is halved, so
    that both ends move (the Illinois method: Dowell and Jarratt, BIT 11, 1971). It needs some 15
    values of the function where halving the distance would need 60.
    """
    above = function(low)
    below = function(high)
    moved = ""
    while high - low > NARROW * high:
        middle = (low * below - high * above) / (below - above)
        if not low < middle < high:
            middle = (low + high) / 2
        value = function(middle)
        if value > 0:
            low = middle
            above = value
            if moved == "low":
                below /= 2
            moved = "low"
        else:
            high = middle
            below = value
            if moved == "high":
                above /= 2
            moved = "high"
    return (low + high) / 2


def incomplete_beta(x: float, a: float, b: float) -> float:
    """Regularised incomplete beta function I_x(a, b) by its continued fraction (DLMF 8.17.22).

    1 + d1/(1 + d2/(1 + …)) from the inside out; the terms that it needs grow with sqrt(max(a, b)).
    """
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):
        return 1 - incomplete_beta(1 - x, b, a)
    log_beta = lgamma(a + b) - lgamma(a) - lgamma(b)
    front = exp(log_beta + a * log(x) + b * log(1 - x)) / a
    fraction = 1.0
    steps = 50 + int(3 * sqrt(max(a, b)))
    for step in range(steps, 0, -1):
        m = step // 2
        middle = a + 2 * m
        if step % 2:
            numerator = -(a + m) * (a + b + m) * x
            term = numerator / (middle * (middle + 1))
        else:
            numerator = m * (b - m) * x
            term = numerator / ((middle - 1) * middle)
        fraction = 1 + term / fraction
    return front / fraction
