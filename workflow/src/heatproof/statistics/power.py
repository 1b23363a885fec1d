"""How many problems would settle it."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from heatproof.statistics.chance import levels
from heatproof.statistics.contrasts import affordable, compare, null_maxima
from heatproof.statistics.estimates import cell_estimates
from heatproof.statistics.flips import panel, signs
from heatproof.statistics.matrices import scores
from heatproof.statistics.quantiles import normal

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from heatproof.statistics.estimates import Estimate
    from heatproof.statistics.flips import Panel


NONE = 1e-9
"""Gaps up to this, in standard errors or, where these are small, in the unit of the scores."""


class Separation(NamedTuple):
    """The two best cells, their gap on common problems, in the unit of the scores, and what would
    part them.

    `needed` counts problems of all tasks together, in the proportions of today; None if no number
    would do (the gap is zero) or nothing is known of the variance.
    """

    best: int
    runner_up: int
    gap: float
    problems: int
    needed: int | None


def problems_needed(
    total: ArrayLike,
    count: ArrayLike,
    task: ArrayLike | None = None,
    alpha: float = 0.05,
    power: float = 0.8,
    permutations: int = 10_000,
    seed: int = 0,
    *,
    group: ArrayLike | None = None,
) -> Separation | None:
    """Problems with which the tied set would leave out the runner-up; None without one.

    n · ((q + z_power) · se / gap)², with gap and se those of the paired differences today: the
    sample-size formula of Miller 2024, section 5, with the panel's own critical value q in place
    of z_{α/2}. The runner-up leaves the set last, so the number is the largest that any cell asks
    for: the k-th best, judged among the best k. The largest gap of many is overrated: read it as
    "at least".
    """
    value = _standing(total, count, task)
    ranked = [int(cell) for cell in np.argsort(-value, kind="stable") if not np.isnan(value[cell])]
    if len(ranked) < 2:
        return None
    apart = _behind(total, count, task, group, ranked)
    q = _critical(panel(total, count, task, group), ranked, alpha, permutations, seed)[1:]
    # A gap below this is what rounding leaves of none; the number would have thirty digits.
    known = (apart.value > NONE * np.maximum(apart.se, 1.0)) & ~np.isnan(apart.se)
    with np.errstate(invalid="ignore", divide="ignore"):
        asked = apart.problems * ((q + normal(power)) * apart.se / apart.value) ** 2
    needed = ceil(np.maximum(asked, q * q)[known].max()) if known[0] else None
    gap = float(apart.value[0])
    return Separation(ranked[0], ranked[1], gap, int(apart.problems[0]), needed)


def _standing(total: ArrayLike, count: ArrayLike, task: ArrayLike | None) -> NDArray[np.float64]:
    """What the cells are ranked by: their values or, where problems are missing, their levels."""
    value = cell_estimates(total, count, task).value
    there = np.asarray(count)[:, ~np.isnan(value)] > 0
    if np.all(there == there.any(axis=1, keepdims=True)):
        return value
    return levels(total, count, task)


def _behind(
    total: ArrayLike,
    count: ArrayLike,
    task: ArrayLike | None,
    group: ArrayLike | None,
    ranked: list[int],
) -> Estimate:
    """By how much the first of `ranked` leads each other on their common problems."""
    points = scores(total, count)
    x, others = points.numerator / points.scale, ranked[1:]
    both = points.present[:, ranked[:1]] & points.present[:, others]
    lead = np.where(both, x[:, ranked[:1]] - x[:, others], 0.0)
    return cell_estimates(lead, both.astype(np.int64), task, group=group)


def _critical(
    data: Panel, ranked: list[int], alpha: float, permutations: int, seed: int
) -> NDArray[np.float64]:
    """What the clearest pair of the first k equal cells would score, exceeded with chance alpha."""
    data = data._replace(x=data.x[:, ranked], present=data.present[:, ranked])
    patterns = signs(data.units, affordable(permutations, len(ranked), data.units), seed)
    maxima = null_maxima(data, compare(data)[1], list(range(len(ranked))), patterns)
    return np.array([np.quantile(m, 1 - alpha, method="inverted_cdf") for m in maxima])
