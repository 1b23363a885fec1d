"""The spread that equal settings would show."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from heatproof.statistics.contrasts import EQUAL, affordable
from heatproof.statistics.estimates import cell_estimates
from heatproof.statistics.flips import GRID, by_unit, flipped, panel, signs, weighted, whole

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from heatproof.statistics.flips import Panel


class Chance(NamedTuple):
    """Highest minus lowest cell of a panel, in the unit of the scores, and what chance gives.

    `median` and `high` are quantiles (½ and 1 − α) of the spread of equal settings, `p` the share
    of their spreads that is at least the observed one. NaN with fewer than two cells or problems.
    """

    spread: float
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
    """Spread under the null of `heatproof.statistics.flips`; matrices as in `heatproof.statistics`.

    Where problems are missing, p compares cells as if each had met problems of the same difficulty:
    every score counts as its distance from the mean of its problem.
    """
    data = panel(total, count, task, group)
    value = cell_estimates(total, count, task).value
    cells = np.flatnonzero(~np.isnan(value))
    if len(cells) < 2 or data.units < 2:
        return Chance(float(np.ptp(value[cells])) if len(cells) else np.nan, np.nan, np.nan, np.nan)
    data = data._replace(x=data.x[:, cells], present=data.present[:, cells])
    flips = affordable(permutations, len(cells), data.units)
    spreads = _spreads(data, signs(data.units, flips, seed))
    middle, high = np.quantile(spreads, [0.5, 1 - alpha], method="inverted_cdf")
    p = np.mean(spreads >= spreads[0] * EQUAL)
    return Chance(float(np.ptp(value[cells])), float(middle), float(high), float(p))


def _spreads(data: Panel, patterns: NDArray[np.int8]) -> NDArray[np.float64]:
    """Highest minus lowest signed mean of the scores' distances from their problem's mean."""
    found = np.maximum(data.present.sum(axis=1, keepdims=True), 1)
    x = whole(data.x)
    means = weighted(data._replace(x=x - x.sum(axis=1, keepdims=True) / found))
    steps = by_unit(whole(means), data)
    unit = np.abs(data.x).max() * np.abs(means).max() / GRID**2 / (int(data.task.max()) + 1)
    spreads = [unit * np.ptp(sums, axis=1) for _, sums in flipped(patterns, steps)]
    return np.concatenate(spreads)
