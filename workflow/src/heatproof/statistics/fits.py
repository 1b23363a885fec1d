"""A curve over log2 x through the values of problems, and where it crosses a level.

`logistic`: 1 / (1 + exp(−(a + b log2 x))), by quasi-likelihood, so that scores between 0 and 1
count as they are (Papke and Wooldridge 1996). Its crossing of one half, x being how long a task
takes a person, is a time horizon (Kwa et al. 2025, "Measuring AI Ability to Complete Long Tasks").
There, tasks are weighted by family and the slope is regularised; here neither is.
`log-linear`: a + b log2 x, by least squares.

The interval of a crossing holds each x at which the curve cannot be told apart from the level
(Fieller 1954; Finney 1971, "Probit Analysis", chapter 4). Errors are clustered by problem (Liang
and Zeger 1986), as those of values are, and their quantile is Student's with two degrees of freedom
less than there are problems. Coverage: tests/statistics/test_fits.py.

A curve is fitted by Newton's steps from the weighted means of the values at each x, as all problems
there have the same x. Numbers are rounded to ten digits: exponentials differ between machines.
"""

from __future__ import annotations

from math import log, sqrt
from typing import TYPE_CHECKING, Literal, NamedTuple

from heatproof.statistics.contrasts import count_labels, largest_size
from heatproof.statistics.estimates import two_sided
from heatproof.util.lazy import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

Form = Literal["logistic", "log-linear"]
LEAST = 3  # values of x that a curve needs: through two it always goes
STEPS = 100  # at most; five to ten are usual
CLOSE = 1e-12  # a step so short is the last
FARTHEST = 1000.0  # power of two of a crossing


class Link(NamedTuple):
    """How the mean of a problem follows from a + b log2 x."""

    mean: Callable[[Floats], Floats]
    steepness: Callable[[Floats], Floats]  # of the mean, where it has this value
    inverse: Callable[[float], float]


def _logistic(linear: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-linear)))


LOGIT = Link(_logistic, lambda mean: mean * (1 - mean), lambda p: log(p / (1 - p)))
IDENTITY = Link(lambda linear: linear, lambda mean: mean * 0 + 1, lambda level: level)
LINKS: dict[Form, Link] = {"logistic": LOGIT, "log-linear": IDENTITY}


class FittedCurve(NamedTuple):
    """A fitted curve, over the distance of log2 x from `centre`."""

    form: Form
    centre: float
    start: float  # a, at the centre
    slope: float  # b
    variance: Floats  # of both, shape (2, 2)
    freedom: int

    @property
    def rises(self) -> bool | None:
        """Whether it rises with x; None if it cannot be told apart from a level line."""
        error = sqrt(self.variance[1, 1])
        if abs(self.slope) <= self._quantile * error:
            return None
        return self.slope > 0

    @property
    def _quantile(self) -> float:
        return two_sided(self.freedom)

    def values(self, x: Floats) -> Floats:
        """Its values at some x."""
        logarithms = np.log2(x)
        rise = self.slope * (logarithms - self.centre)
        link = LINKS[self.form]
        return link.mean(self.start + rise)

    def crossing(self, level: float) -> tuple[float, float, float]:
        """Where it crosses a level, and the ends of the 95 % interval; of a curve that `rises`."""
        link = LINKS[self.form]
        line_level = link.inverse(level)
        height = self.start - line_level
        (var_start, covariance), (_, var_slope) = self.variance * self._quantile**2
        square = self.slope**2 - var_slope
        middle = (covariance - height * self.slope) / square
        root = middle**2 - (height**2 - var_start) / square
        half = sqrt(max(root, 0.0))
        crossing = self._number(-height / self.slope)
        low = self._number(middle - half)
        high = self._number(middle + half)
        return crossing, low, high

    def _number(self, place: float) -> float:
        """The x that lies so far from the centre, as far as there are numbers."""
        power = max(self.centre + place, -FARTHEST)
        return rounded(2.0 ** min(power, FARTHEST))


def rounded(number: float) -> float:
    """A number to ten digits."""
    return float(f"{number:.10g}")


def fit_curve(x: Floats, value: Floats, weight: Floats, group: Ints, form: Form) -> FittedCurve:
    """The curve of a line. Its values are not `separated`, and not all alike.

    `x`: shape (cells,). `value`, `weight`: shape (problems, cells), weights 0 where a problem is
    missing. `group`: shape (problems,), names problems that are not independent.
    """
    link = LINKS[form]
    logarithms = np.log2(x)
    size = weight.sum(axis=0)
    centre = _weighted_mean(logarithms, size)
    distance = logarithms - centre
    design = np.stack([np.ones(len(x)), distance], axis=1)
    means = (value * weight).sum(axis=0) / size
    mean = _weighted_mean(means, size)
    level = link.inverse(mean)
    start = np.array([level, 0.0])
    line = _newton(start, design, means, size, link)
    fitted = link.mean(design @ line)
    information = _information(design, size * link.steepness(fitted))
    inverse = np.linalg.inv(information)
    _, cluster = np.unique(group, return_inverse=True)
    number = count_labels(cluster)
    clusters = np.zeros((number, 2))
    missed = value - fitted
    residuals = weight * missed
    np.add.at(clusters, cluster, residuals @ design)
    spread = clusters.T @ clusters * number / max(number - 1, 1)
    variance = inverse @ spread @ inverse
    intercept, slope = line.tolist()
    return FittedCurve(form, centre, intercept, slope, variance, number - 2)


def _weighted_mean(values: Floats, weight: Floats) -> float:
    return float((values * weight).sum() / weight.sum())


def _information(design: Floats, weight: Floats) -> Floats:
    return np.asarray(design.T @ (design * weight[:, None]))


def _newton(line: Floats, design: Floats, means: Floats, size: Floats, link: Link) -> Floats:
    """Start and slope at which the fitted means agree with the values on the whole and along x."""
    pull = _pull(line, design, means, size, link)
    for _ in range(STEPS):
        steep = size * link.steepness(link.mean(design @ line))
        step = np.linalg.solve(_information(design, steep), pull)
        if largest_size(step) < CLOSE:
            break
        after = _pull(line + step, design, means, size, link)
        while after @ after > pull @ pull and largest_size(step) >= CLOSE:
            step = step / 2  # far steps can overshoot; short ones cannot
            after = _pull(line + step, design, means, size, link)
        line = line + step
        pull = after
    return line


def _pull(line: Floats, design: Floats, means: Floats, size: Floats, link: Link) -> Floats:
    linear = design @ line
    residuals = means - link.mean(linear)
    pulls = size * residuals
    return np.asarray(pulls @ design)
