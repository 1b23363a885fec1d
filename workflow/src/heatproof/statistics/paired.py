"""Two models on the same instances: by how much one is ahead, and whether chance would do it.

Intervals of all pairs of models hold together (`joint`): 95 % that none misses its truth.

For m pairs each is the mean of the paired differences ± Student's t at 1 − α / 2m times its
standard error (Bonferroni; Dunn 1961, "Multiple Comparisons Among Means"). So pairs may rest on
different problems, and two models differ where the interval leaves out zero. For all pairs of 8
models it is 3 % wider than Tukey's, which needs the same problems.

Where differences are skewed t is larger, and no interval is narrower than the least lead to either
side (`heatproof.statistics.lead`): a few problems tell no two models apart.

Coverage is measured (`tests/bench/coverage.py pairs`; docs/statistics.md).
"""

from __future__ import annotations

from math import nan, sqrt
from typing import TYPE_CHECKING, NamedTuple

from heatproof.statistics.contrasts import ALPHA
from heatproof.statistics.estimates import total, two_sided
from heatproof.statistics.lead import least_lead, skewness, stretched
from heatproof.util.lazy import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from numpy.typing import NDArray


class Paired(NamedTuple):
    """Differences x − y over common instances, in the unit of the scores."""

    n: int
    wins: int
    ties: int
    losses: int
    difference: float
    se: float  # NaN with fewer than two units
    units: int  # independent problems or families that the instances are of
    skewed: float  # skewness of the units, whichever side it is on (`lead.skewness`)


def ahead(difference: NDArray[np.float64], group: NDArray[Any] | None = None) -> Paired:
    """Compare two models by the differences x − y of their scores, (instances,), none of them NaN.

    `group`: label of each instance's problem or family; without, each is its own.

    Standard errors are those of paired differences (Miller 2024, section 4), clustered by group.
    With N instances in G groups, d̄ their mean: se² = G / (G − 1) · Σ_g (Σ_{i in g} (d_i − d̄))² / N²
    (Liang and Zeger 1986; G / (G − 1) as for few clusters), G − 1 degrees of freedom.
    """
    n = len(difference)
    wins = int((difference > 0).sum())
    losses = int((difference < 0).sum())
    mean = nan
    if n:
        mean = total(difference) / n
    pulls = difference - mean
    if group is not None and n:
        _, number = np.unique(group, return_inverse=True)
        # In the order of their values: the order of instances changes no bit.
        order = np.lexsort((difference, number))
        sums = np.bincount(number[order], difference[order])
        pulls = sums - np.bincount(number) * mean
    units = len(pulls)
    spread = total(pulls**2)
    se = nan
    if units > 1:
        se = sqrt(spread / (units - 1) / n * (units / n))
    column = np.sort(pulls)[:, None]
    skewed = skewness(column)
    ties = n - wins - losses
    return Paired(n, wins, ties, losses, mean, se, units, abs(float(skewed[0])))


def joint(pairs: Sequence[Paired | None], models: int) -> list[tuple[float, float]]:
    """The interval of each mean difference x − y of scores (0–1); NaN without one.

    None: not compared. `models`: how many there are, of which any may be wronged.
    """
    compared = sum(pair is not None for pair in pairs)
    share = ALPHA / max(compared, 1)
    lead = least_lead(models)
    intervals = []
    for pair in pairs:
        low = high = nan
        if pair is not None and pair.units > 1:
            quantile = two_sided(pair.units - 1, share)
            skewed = np.array(pair.skewed)
            factor = float(stretched(quantile, skewed))
            least = lead / pair.units
            error = factor * pair.se
            half = max(error, least)
            low = max(pair.difference - half, -1.0)
            high = min(pair.difference + half, 1.0)
        intervals.append((low, high))
    return intervals
