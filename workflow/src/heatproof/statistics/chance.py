"""The spread that equal settings would show, and how many problems would settle it."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from heatproof.statistics.contrasts import (
    EQUAL,
    GRID,
    affordable,
    by_unit,
    compare,
    flipped,
    has_value,
    null_maxima,
    panel,
    scores,
    signs,
    some,
    weighted,
    whole,
)
from heatproof.statistics.estimates import cell_estimates
from heatproof.statistics.intervals import normal

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from heatproof.statistics.contrasts import Panel
    from heatproof.statistics.estimates import Estimate


class Chance(NamedTuple):
    """Highest minus lowest cell of a panel, in the unit of the scores, and what chance gives.

    `equal` is the spread on equal problems (see `levels`): `spread` itself where no problem is
    missing. `median` and `high` are quantiles (½ and 1 − α) of the same spread of equal settings,
    `p` the share of their spreads that is at least the observed one. All but `spread` are NaN with
    fewer than two cells or problems.
    """

    spread: float
    equal: float
    median: float
    high: float
    p: float


def chance_range(
    total: ArrayLike,
    count: ArrayLike,
    task: ArrayLike | None = None,
    alpha: float = 0.05,
    permutations: int = 10_000,
    seed: int = 0,
    *,
    group: ArrayLike | None = None,
) -> Chance:
    """Spread under the null of `contrasts`; matrices as in `heatproof.statistics`.

    Where problems are missing, cells are compared on equal problems: by their `levels`. A cell
    without a value takes no part. The cells should share problems: chance knows of no others.
    """
    data = panel(total, count, task, group)
    value = cell_estimates(total, count, task).value
    cells = np.flatnonzero(~np.isnan(value))
    spread = float(np.ptp(value[cells])) if len(cells) else np.nan
    if len(cells) < 2 or data.units < 2:
        return Chance(spread, np.nan, np.nan, np.nan, np.nan)
    data = some(data, cells)
    steps, unit = _steps(data)
    patterns = signs(data.units, affordable(permutations, len(cells), data.units), seed)
    spreads = np.concatenate([unit * np.ptp(sums, axis=1) for _, sums in flipped(patterns, steps)])
    middle, high = np.quantile(spreads, [0.5, 1 - alpha], method="inverted_cdf")
    p = np.mean(spreads >= spreads[0] * EQUAL)
    equal = spread if data.present.all() else float(spreads[0])
    return Chance(spread, equal, float(middle), float(high), float(p))


def levels(
    total: ArrayLike, count: ArrayLike, task: ArrayLike | None = None
) -> NDArray[np.float64]:
    """How far each cell lies above the others on equal problems, (cells,), in units of the scores.

    The mean over its problems (over tasks, the mean of these means) of the distance of its score
    from the mean of the same problem over all cells that hold it: difficulty cancels. Without
    missing problems, the value less the mean value. NaN for a cell without a value.
    """
    data = panel(total, count, task, None)
    cells = np.flatnonzero(has_value(data))
    found = np.full(data.x.shape[1], np.nan)
    if len(cells):
        steps, unit = _steps(some(data, cells))
        found[cells] = unit * steps.sum(axis=0)
    return found


def _steps(data: Panel) -> tuple[NDArray[np.float64], float]:
    """What each unit adds to the level of each cell, in whole numbers, and the unit of these."""
    found = np.maximum(data.present.sum(axis=1, keepdims=True), 1)
    x = whole(data.x)
    means = weighted(data._replace(x=x - x.sum(axis=1, keepdims=True) / found))
    unit = np.abs(data.x).max() * np.abs(means).max() / GRID**2 / (int(data.task.max()) + 1)
    return by_unit(whole(means), data), float(unit)


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
