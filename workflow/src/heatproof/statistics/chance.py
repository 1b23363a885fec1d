"""The spread that equal settings would show."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from heatproof.statistics.contrasts import EQUAL
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
    spreads = _spreads(data, signs(data.units, permutations, seed))
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


def chance_words(
    chance: Chance, distinguished: int = 0, alpha: float = 0.05, percent: bool = True
) -> str:
    """One plain sentence for below a panel; `distinguished`: cells that the tied set leaves out.

    "spread 10.0; equal settings would spread 10.7 (95 %: 14.7): no evidence of a best setting"
    """
    if np.isnan(chance.p):
        return "too few cells or problems to tell a best setting from chance"
    factor, digits = (100, 1) if percent else (1, 3)
    spread, middle, high = (f"{factor * x:.{digits}f}" for x in chance[:3])
    if distinguished:
        verdict = f"{distinguished} of the settings can be told from the best"
    elif chance.p <= alpha:
        verdict = "more than chance, but no setting can be told from the best"
    else:
        verdict = "no evidence of a best setting"
    level = f"{100 * (1 - alpha):g} %"
    return f"spread {spread}; equal settings would spread {middle} ({level}: {high}): {verdict}"
