"""How two models agree on the same instances: share of equal outcomes, Cohen's κ, correlation.

The interval of κ and of a correlation is the jackknife over problems, or families, of Fisher's z:
z = atanh(r), and z₋ᵢ without unit i of G, have the variance (G − 1) / G · Σ (z₋ᵢ − z̄)², and
tanh(z ± t · s) with G − 1 degrees of freedom is the interval (Hinkley 1978, "Improving the
jackknife with special reference to correlation estimation"; Fleiss and Davies 1982, "Jackknifing
functions of multinomial frequencies, with an application to a measure of concordance"). It holds
for right and wrong as for graded scores, where Fisher's own 1 / (G − 3) takes both for normal.

The share of equal outcomes is a mean of 0 and 1, and has the interval of one
(`heatproof.statistics.interval`).
"""

from __future__ import annotations

from math import atanh, nan, sqrt, tanh
from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.statistics.contrasts import count_labels, largest_size, undefined
from heatproof.statistics.estimates import interval, settle_digits, total, two_sided
from heatproof.util.lazy import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

EQUAL = 1e-9
"""Differences up to this are rounding of the logs: such scores are equal."""
FEWEST = 5
"""Units with which a correlation has an interval; of κ, those with another outcome than most: with
fewer it held the truth in 84 of 100 samples (`tests/bench/coverage.py alike`)."""


class Likeness(NamedTuple):
    """A number of two models; NaN where it is not defined, or has no interval."""

    value: float
    low: float = nan
    high: float = nan


def agreement(x: Floats, y: Floats, group: Ints) -> Likeness:
    """The share of instances on which both have the same score; `group`: unit of each."""
    equal = np.abs(x - y) <= EQUAL
    outcomes = equal.astype(np.float64)[:, None]
    limits = interval(outcomes, np.ones_like(outcomes, np.int64), group=group)
    value = float(outcomes.sum()) / len(x)
    return Likeness(value, settle_digits(limits.low[0]), settle_digits(limits.high[0]))


def kappa(x: Floats, y: Floats, group: Ints) -> Likeness:
    """Cohen's κ of outcomes, which are distinct scores; NaN where both have one and the same.

    κ = (pₒ − pₑ) / (1 − pₑ), where pₒ is the share of equal outcomes, and pₑ what it would be if
    both had theirs independently (Cohen 1960, "A Coefficient of Agreement for Nominal Scales").
    """
    both = np.concatenate([x, y])
    outcomes, codes = outcome_codes(both)
    x_code = codes[: len(x)]
    y_code = codes[len(x) :]
    units = count_labels(group)
    size = np.bincount(group, minlength=units)
    equal = np.bincount(group[x_code == y_code], minlength=units)
    x_counts = _cross_counts(group, x_code, units, len(outcomes))
    y_counts = _cross_counts(group, y_code, units, len(outcomes))
    by_unit = (size, equal, x_counts, y_counts)
    sums = [counts.sum(axis=0) for counts in by_unit]
    value = float(_kappa_of_counts(*sums))
    rare = min(_count_rare(x_counts), _count_rare(y_counts))
    if rare < FEWEST:
        return Likeness(settle_digits(value))
    without_unit = map(np.subtract, sums, by_unit)
    return _jackknifed(value, _kappa_of_counts(*without_unit))


def _count_rare(counts: Ints) -> int:
    """How many units have an outcome that is not the most frequent; `counts`: (units, outcomes)."""
    frequent = int(counts.sum(axis=0).argmax())
    rare = np.delete(counts, frequent, axis=1)
    return int(rare.any(axis=1).sum())


def outcome_codes(scores: Floats) -> tuple[Floats, Ints]:
    """The distinct scores, and the number of each score among them."""
    distinct, codes = np.unique(np.round(scores, 9), return_inverse=True)
    return distinct, codes.reshape(-1)


def _cross_counts(group: Ints, code: Ints, units: int, outcomes: int) -> Ints:
    """How often each unit has each outcome, (units, outcomes)."""
    counts = np.bincount(group * outcomes + code, minlength=units * outcomes)
    return counts.reshape(units, outcomes)


def _kappa_of_counts(size: Any, equal: Any, x_counts: Ints, y_counts: Ints) -> Floats:
    """κ from counts; NaN where outcomes cannot differ."""
    by_chance = (x_counts * y_counts).sum(axis=-1)
    squared = size * size
    with undefined():
        kappa = (equal * size - by_chance) / (squared - by_chance)
    return np.asarray(kappa, np.float64)


def correlation(x: Floats, y: Floats, group: Ints) -> Likeness:
    """Pearson's correlation of scores; NaN where those of one side are all equal."""
    if np.ptp(x) <= EQUAL or np.ptp(y) <= EQUAL:
        return Likeness(nan)
    units = count_labels(group)
    u = x - total(x) / len(x)
    v = y - total(y) / len(y)
    order = np.lexsort((v, u, group))  # the order of instances changes no bit
    ordered = group[order]
    ones = np.ones(len(u), np.float64)
    by_unit = []
    for product in (ones, u, v, u * u, v * v, u * v):
        unit_sums = np.bincount(ordered, product[order], units)
        by_unit.append(unit_sums.astype(float))
    sums = [total(unit_sums) for unit_sums in by_unit]
    value = float(_correlation_of_sums(*sums))
    without_unit = map(np.subtract, sums, by_unit)
    return _jackknifed(value, _correlation_of_sums(*without_unit))


def _correlation_of_sums(n: Any, x: Any, y: Any, xx: Any, yy: Any, xy: Any) -> Floats:
    """Pearson's r from sums; NaN where one side does not vary."""
    x_spread = n * xx - x * x
    y_spread = n * yy - y * y
    varies = (x_spread > EQUAL) & (y_spread > EQUAL)
    x_scale = np.sqrt(np.where(varies, x_spread, 1.0))
    y_scale = np.sqrt(np.where(varies, y_spread, 1.0))
    r = (n * xy - x * y) / (x_scale * y_scale)
    r = np.clip(r, -1.0, 1.0)
    return np.where(varies, r, nan)


def _jackknifed(value: float, left_out: Floats) -> Likeness:
    """A number with its interval; `left_out`: the same without each unit."""
    settled = settle_digits(value)
    units = len(left_out)
    numbers = np.append(left_out, value)
    largest = largest_size(numbers)
    if units < FEWEST or not largest < 1 - EQUAL:
        return Likeness(settled)
    scores = np.array([atanh(number) for number in left_out.tolist()])
    mean = total(scores) / units
    deviations = scores - mean
    squares = total(deviations**2)
    error = sqrt((units - 1) / units * squares)
    if error <= EQUAL:
        return Likeness(settled)
    quantile = two_sided(units - 1)
    reach = quantile * error
    middle = atanh(value)
    low = tanh(middle - reach)
    high = tanh(middle + reach)
    return Likeness(settled, settle_digits(low), settle_digits(high))
