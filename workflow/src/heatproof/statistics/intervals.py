"""Intervals that hold for few problems and stay within 0…1 (coverage: tests/bench/coverage.py).

Quantiles of the normal and of Student's t are our own, so that scipy is not needed at run time.
They are rounded to twelve digits: what is left of a logarithm's last bits differs between machines.
"""

from __future__ import annotations

from functools import cache
from math import exp, inf, lgamma, log, sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from heatproof.statistics.contrasts import labels, scores, units
from heatproof.statistics.estimates import Estimate, cell_estimates, estimates

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray


PRIOR = 2  # pseudo-problems at the largest variance; see `_clustered`


class Interval(NamedTuple):
    """Limits, one entry per cell; NaN where the value is."""

    low: NDArray[np.float64]
    high: NDArray[np.float64]


def wilson(value: ArrayLike, trials: ArrayLike, quantile: ArrayLike) -> Interval:
    """Wilson's score interval (1927) of a proportion of `trials`, which may be fractional."""
    p, n, z = (np.asarray(numbers, float) for numbers in (value, trials, quantile))
    with np.errstate(invalid="ignore", divide="ignore"):
        centre = (p + z * z / (2 * n)) / (1 + z * z / n)
        half = z / (1 + z * z / n) * np.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return Interval(np.clip(centre - half, 0, p), np.clip(centre + half, p, 1))


def interval(
    total: ArrayLike,
    count: ArrayLike,
    task: ArrayLike | None = None,
    *,
    group: ArrayLike | None = None,
    alpha: float = 0.05,
) -> Interval:
    """Interval of each cell's value for problems like these, clustered by problem (or group).

    Over several tasks the task intervals are combined by the square-and-add rule (MOVER; Zou and
    Donner 2008), which keeps their asymmetry where a mean ± t·se would not.
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
        parts.append((of_task.value, *_clustered(of_task, clusters, alpha)))
    return _mover(parts)


def _clustered(estimate: Estimate, units: NDArray[np.float64], alpha: float) -> Interval:
    """Wilson's interval with the effective number of trials and Student's t.

    p(1 − p) / se² is how many independent trials would know as much (Dean and Pagano 2015). The
    variance is first drawn towards p(1 − p) / units, the largest that units of one mean can have,
    as if by two more units: a standard error from few problems is often far too small near 0 and 1.
    One 0-or-1 sample for each problem: plain Wilson.
    """
    p = estimate.value
    most = p * (1 - p)
    freedom = np.maximum(units - 1, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        variance = np.where(units > 1, estimate.se**2, 0)
        drawn = (freedom * variance + PRIOR * most / units) / (freedom + PRIOR)
        trials = np.where(most > 0, most / drawn, units)
        single = (estimate.epochs == units) & (np.abs(variance * freedom - most) <= 1e-9)
    z = normal(1 - alpha / 2)
    distinct, which = np.unique(freedom, return_inverse=True)
    t = np.array([student(1 - alpha / 2, f) if f > 0 else z for f in distinct.tolist()])[which]
    return wilson(p, np.where(single, units, trials), np.where(single, z, t))


def _mover(parts: Sequence[tuple[NDArray[np.float64], ...]]) -> Interval:
    if len(parts) == 1:
        return Interval(*parts[0][1:])
    value, low, high = (np.array(column) for column in zip(*parts, strict=True))
    mean, number = value.sum(axis=0) / len(parts), len(parts)
    below = np.sqrt(((value - low) ** 2).sum(axis=0)) / number
    above = np.sqrt(((high - value) ** 2).sum(axis=0)) / number
    return Interval(np.clip(mean - below, 0, 1), np.clip(mean + above, 0, 1))


def student_interval(estimate: Estimate, alpha: float = 0.05) -> Interval:
    """Value ± Student's t times its standard error, for numbers that are no shares.

    Degrees of freedom come from what varies: families, where there are any, and tasks (`Estimate`).
    """
    t = [student(1 - alpha / 2, settled(n)) if n else np.nan for n in estimate.freedom.tolist()]
    half = np.array(t) * estimate.se
    return Interval(estimate.value - half, estimate.value + half)


def count_estimates(
    correct: ArrayLike, trials: ArrayLike, alpha: float = 0.05
) -> tuple[Estimate, Interval]:
    """What counts alone allow: (tasks, cells) or (cells,) correct answers of `trials` samples.

    For logs rebuilt from printed figures, where which problem was solved is not known: every sample
    is taken for a trial of its own. That covers chance in sampling these very problems, and is too
    narrow for problems like these. `problems` is 0: the counts know of none.
    """
    right, tried = np.atleast_2d(np.asarray(correct)), np.atleast_2d(np.asarray(trials))
    mean = cell_estimates(right, tried, np.arange(len(right))).value
    p = scores(right, tried)
    points = p.numerator / p.scale
    with np.errstate(invalid="ignore", divide="ignore"):
        se = np.sqrt((points * (1 - points) / tried).sum(axis=0)) / len(points)
    z = normal(1 - alpha / 2)
    parts = [(share, *wilson(share, n, z)) for share, n in zip(points, tried, strict=True)]
    epochs = tried.sum(axis=0).astype(np.int64)
    unknown = np.zeros_like(epochs)
    return Estimate(mean, se, unknown, epochs, unknown.astype(np.float64)), _mover(parts)


def normal(probability: float) -> float:
    """Quantile of the standard normal distribution."""
    return settled(NormalDist().inv_cdf(probability))


def settled(number: float) -> float:
    """A number to twelve significant digits, the same on every machine."""
    return float(f"{number:.12g}")


@cache
def student(probability: float, freedom: float) -> float:
    """Quantile of Student's t, for a probability of at least one half, by bisection.

    P(|T| > t) is the regularised incomplete beta function at ν / (ν + t²) with ν/2 and 1/2
    (Abramowitz and Stegun 26.7.1). No degrees of freedom: infinite.
    """
    if probability == 0.5:
        return 0.0
    if freedom <= 0:
        return inf
    low, high = 0.0, 1.0
    while _tail(high, freedom) > 1 - probability:
        low, high = high, 2 * high
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _tail(middle, freedom) > 1 - probability else (low, middle)
    return settled((low + high) / 2)


def _tail(t: float, freedom: float) -> float:
    return incomplete_beta(freedom / (freedom + t * t), freedom / 2, 0.5) / 2


def incomplete_beta(x: float, a: float, b: float) -> float:
    """Regularised incomplete beta function I_x(a, b) by its continued fraction (DLMF 8.17.22).

    1 + d1/(1 + d2/(1 + …)) from the inside out; the terms needed grow with sqrt(max(a, b)).
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
