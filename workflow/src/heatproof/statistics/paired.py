"""Two models on the same instances: by how much one is ahead, and whether chance would do it.

Intervals of all pairs of models hold together (`joint`): 95 % that none misses its truth.

For m pairs each is the mean of the paired differences ± Student's t at 1 − α / 2m times its
standard error (Bonferroni; Dunn 1961, "Multiple Comparisons Among Means"). So pairs may rest on
different problems, and two models differ where the interval leaves out zero. For all pairs of 8
models it is 3 % wider than Tukey's, which needs the same problems.

If all differences are on one side, t may be large however few they are. So a pair has an interval
only if chance would rarely do that: k fair coins fall alike with 2 / 2ᵏ, which must be at most
α / m for the k units with a difference.

Coverage is measured (tests/bench/coverage.py pairs; docs/statistics.md): of equal models some pair
is told apart in 0 to .065 of runs. Where one model always has the mean that the other scatters
about, a few problems make the difference, and it was up to .36: boards tell no pair apart that is
`Doubts.skewed`, then it is 0 to .06.
"""

from __future__ import annotations

from math import comb, floor, isnan, log2, nan, sqrt
from typing import TYPE_CHECKING, NamedTuple

from heatproof.statistics.contrasts import ALPHA
from heatproof.statistics.estimates import incomplete_beta, settled, student, total
from heatproof.util.lazy import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from numpy.typing import NDArray

EXACT = 1000  # instances up to which the sign test adds whole binomial coefficients


class Paired(NamedTuple):
    """Differences x − y over common instances, in the unit of the scores."""

    n: int
    wins: int
    ties: int
    losses: int
    difference: float
    se: float
    low: float  # NaN, as `high`, with fewer than two units
    high: float
    p: float  # of the exact sign test over units, uncorrected (`holm`)
    units: int  # independent problems or families that the instances are of
    decided: int  # units in which one of the two is ahead


EQUAL = 1e-9  # a mean difference of a unit below this is rounding: neither model is ahead


def ahead(difference: NDArray[np.float64], group: NDArray[Any] | None = None) -> Paired:
    """Compare two models by the differences x − y of their scores, (instances,), none of them NaN.

    `group`: label of each instance's problem or family; without, each is its own. The interval is
    the mean ± Student's t times the standard error of paired differences (Miller 2024, section 4),
    clustered by group; the sign test counts the groups in which x is above y, and below.

    With N instances in G groups, d̄ their mean: se² = G / (G − 1) · Σ_g (Σ_{i in g} (d_i − d̄))² / N²
    (Liang and Zeger 1986; G / (G − 1) as for few clusters), G − 1 degrees of freedom.
    """
    n, wins, losses = len(difference), int((difference > 0).sum()), int((difference < 0).sum())
    mean = total(difference) / n if n else np.nan
    if group is None or not n:
        units, ups, downs = n, wins, losses
        spread = total((difference - mean) ** 2) if n else np.nan
    else:
        number = np.unique(group, return_inverse=True)[1]
        size, order = np.bincount(number), np.lexsort((difference, number))
        # In the order of their values: the order of instances changes no bit.
        units, sums = len(size), np.bincount(number[order], difference[order])
        level = sums / size
        ups, downs = int((level > EQUAL).sum()), int((level < -EQUAL).sum())
        spread = total((sums - size * mean) ** 2)
    se = sqrt(spread / (units - 1) / n * (units / n)) if units > 1 else np.nan
    half = student(1 - ALPHA / 2, units - 1) * se if units > 1 else np.nan
    ties, p = n - wins - losses, sign_test(ups, downs)
    return Paired(n, wins, ties, losses, mean, se, mean - half, mean + half, p, units, ups + downs)


def sign_test(wins: int, losses: int) -> float:
    """Two-sided exact binomial test of wins against losses (probability ½); 1 without either."""
    n, k = wins + losses, min(wins, losses)
    if n <= EXACT:
        return float(min(1.0, sum(comb(n, i) for i in range(k + 1)) * 2 / 2**n))
    return min(1.0, settled(2 * incomplete_beta(0.5, n - k, k + 1)))


def holm(p: Sequence[float]) -> list[float]:
    """P values corrected for their number, in their order (Holm 1979); NaN is left out."""
    ranked = sorted((value, place) for place, value in enumerate(p) if not isnan(value))
    corrected, highest = list(p), 0.0
    for rank, (value, place) in enumerate(ranked):
        highest = max(highest, min(1.0, (len(ranked) - rank) * value))
        corrected[place] = highest
    return corrected


def joint(pairs: Sequence[Paired | None]) -> list[tuple[float, float]]:
    """The interval of each mean difference x − y; NaN without one. None: not compared."""
    share = ALPHA / max(sum(pair is not None for pair in pairs), 1)
    fewest = 1 - floor(log2(share))  # 2 / 2ᵏ ≤ share: 6 for one pair, 11 for 28, 13 for 190
    intervals = []
    for pair in pairs:
        low = high = nan
        if pair is not None and pair.units > 1 and pair.decided >= fewest:
            half = student(1 - share / 2, pair.units - 1) * pair.se
            low, high = pair.difference - half, pair.difference + half
        intervals.append((low, high))
    return intervals
