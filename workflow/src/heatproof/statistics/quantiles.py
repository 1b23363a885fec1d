"""Quantiles of the normal and of Student's t, so that scipy is not needed at run time.

They are rounded to twelve digits: what is left of a logarithm's last bits differs between machines.
"""

from __future__ import annotations

from functools import cache
from math import exp, inf, lgamma, log, sqrt
from statistics import NormalDist


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
    """Regularised incomplete beta function I_x(a, b) by its continued fraction (DLMF 8.17.22)."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):
        return 1 - incomplete_beta(1 - x, b, a)
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(1 - x)) / a
    return front / _fraction(x, a, b)


def _fraction(x: float, a: float, b: float) -> float:
    """1 + d1/(1 + d2/(1 + …)) from the inside out; the terms needed grow with sqrt(max(a, b))."""
    value = 1.0
    for step in range(100 + int(8 * sqrt(max(a, b))), 0, -1):
        m = step // 2
        if step % 2:
            term = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        else:
            term = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        value = 1 + term / value
    return value
