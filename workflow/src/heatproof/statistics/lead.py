"""When a lead counts: it must be clear, and large enough that no rare problem can hide behind it.

A random flip of sign takes the differences of two cells for symmetric, and those that the sample
shows for all there are. Neither holds where few problems make up much of a mean: a setting that
breaks on a few problems, one that is right always or never beside one that is right sometimes, a
graded score that is 0 for each failure of format.

*Unseen problems.* A break in a share e of the problems shows nowhere among n with (1 − e)ⁿ ≈ e⁻ⁿᵉ,
and costs up to e of the mean: ne problems' worth in all. For a panel of m cells this is likely up
to ln m problems; so a cell is behind only by `least_lead`, ln(m / UNSEEN) problems' worth.

*Seen but skewed.* The error of Student's t grows with skewness over √n. Hall (1992, "On the Removal
of Skewness by Transformation") removes it by a monotone cubic; here it always lowers a score,
whichever side is skewed: a rare loss of the leader may not have been seen, and rare gains may have
been seen by luck.

Both are needed: without skewness removed, no least lead makes 100 to 200 problems safe, and without
a least lead nothing makes 10 to 50 safe. UNSEEN is the largest with which wrong claims stay at .07
or below in each scenario of `tests/bench/coverage.py lead`, from 10 to 500 problems.
"""

from __future__ import annotations

from math import log
from typing import TYPE_CHECKING

from heatproof.util.lazy import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]

UNSEEN = 1 / 7
NOISE = 1e-9
SMALLEST = 1e-6  # asymmetry below which nothing is removed


def least_lead(claims: float, strictness: float = 1.0) -> float:
    """How many problems' worth a lead has at least; `claims`: cells that may be wronged.

    `strictness`: how many times rarer than 5 % wrong claims are to be.
    """
    return log(max(claims, 1) * strictness / UNSEEN)


def skewness(numbers: Floats, noise: float = NOISE) -> Floats:
    """The third moment of each column, (units, pairs), about 0, over √n; 0 without any spread.

    `noise`: numbers up to it are rounding.
    """
    is_number = np.abs(numbers) > noise
    numbers = np.where(is_number, numbers, 0.0)
    squared = numbers * numbers
    squares = squared.sum(axis=0)
    # Products: powers differ in their last bit between machines, and take ten times as long.
    cubes = (squared * numbers).sum(axis=0)
    scale = np.where(squares > 0, squares, 1.0)
    root = np.sqrt(scale)
    cubed_scale = scale * root
    return np.where(squares > 0, cubes / cubed_scale, 0.0)


def asymmetry(differences: Floats, centred: Floats, noise: float = NOISE) -> Floats:
    """Skewness of differences about their mean, where they are skewed about 0 to the same side.

    Of differences that all lie on one side, a few near 0 do not make the gap: they narrow it.
    """
    about_zero = skewness(differences, noise)
    about_mean = skewness(centred, noise)
    is_same_side = about_zero * about_mean > 0
    return np.where(is_same_side, np.abs(about_mean), 0.0)


def straightened(score: Floats, skewed: Floats) -> Floats:
    """Scores without what `skewed` differences (`asymmetry`) alone would give; never below 0."""
    squared = skewed * score**2 / 3
    cubed = skewed**2 * score**3 / 27
    removed = squared - cubed + skewed / 6
    rest = score - removed
    return np.maximum(rest, 0.0)


def stretched(quantile: ArrayLike, skewed: Floats) -> Floats:
    """The score that is worth `quantile` once it is `straightened`."""
    bent = np.maximum(skewed, SMALLEST)
    shifted = np.asarray(quantile) + bent / 6
    root = np.cbrt(1 - bent * shifted)
    longer = 3 / bent * (1 - root)
    return np.where(skewed > SMALLEST, longer, quantile)
