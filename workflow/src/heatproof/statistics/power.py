"""How many problems would settle it."""

from __future__ import annotations

from math import ceil, isfinite
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from heatproof.statistics.contrasts import affordable, compare, null_maxima
from heatproof.statistics.estimates import cell_estimates
from heatproof.statistics.flips import panel, signs
from heatproof.statistics.matrices import scores
from heatproof.statistics.quantiles import normal

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from heatproof.statistics.flips import Panel


class Separation(NamedTuple):
    """The two best cells, their gap in the unit of the scores, and what would part them.

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

    n · ((q + z_power) · se / gap)², with se that of the paired difference today: the sample-size
    formula of Miller 2024, section 5, with the panel's own critical value q in place of z_{α/2},
    since the two must stand out among all cells. The largest gap of many is overrated: read it as
    "at least".
    """
    value = cell_estimates(total, count, task).value
    ranked = [int(cell) for cell in np.argsort(-value, kind="stable") if not np.isnan(value[cell])]
    if len(ranked) < 2:
        return None
    best, second = ranked[:2]
    problems, gap, se = _paired(total, count, task, group, best, second)
    needed = None
    if gap > 0 and isfinite(se):
        q = _critical(panel(total, count, task, group), ranked, alpha, permutations, seed)
        needed = max(ceil(problems * ((q + normal(power)) * se / gap) ** 2), ceil(q * q))
    return Separation(best, second, float(value[best] - value[second]), problems, needed)


def _paired(
    total: ArrayLike,
    count: ArrayLike,
    task: ArrayLike | None,
    group: ArrayLike | None,
    best: int,
    second: int,
) -> tuple[int, float, float]:
    """Common problems of two cells, their mean difference and its standard error."""
    pair = scores(total, count).numerator[:, [best, second]] / scores(total, count).scale
    shared = ~np.isnan(pair).any(axis=1)
    if not shared.any():
        return 0, np.nan, np.nan
    tasks, groups = (None if x is None else np.asarray(x)[shared] for x in (task, group))
    difference = (pair[shared, :1] - pair[shared, 1:]).reshape(-1, 1)
    one = cell_estimates(difference, np.ones_like(difference, dtype=int), tasks, group=groups)
    return int(shared.sum()), float(one.value[0]), float(one.se[0])


def _critical(data: Panel, cells: list[int], alpha: float, permutations: int, seed: int) -> float:
    """What the clearest pair of equal cells would score, exceeded with probability alpha."""
    data = data._replace(x=data.x[:, cells], present=data.present[:, cells])
    norms = compare(data)[1]
    patterns = signs(data.units, affordable(permutations, len(cells)), seed)
    *_, maxima = null_maxima(data, norms, list(range(len(cells))), patterns)
    return float(np.quantile(maxima, 1 - alpha, method="inverted_cdf"))


def separation_words(separation: Separation | None, power: float = 0.8) -> str:
    """One plain sentence for below a panel.

    "about 840 problems would part the best from the runner-up (80 % power); there are 30"
    """
    if separation is None:
        return "there is no runner-up"
    if separation.needed is None:
        return "no number of problems can be said to part the best from the runner-up"
    chance = f"{100 * power:g} % power"
    return (
        f"about {separation.needed:,} problems would part the best from the runner-up "
        f"({chance}); there are {separation.problems:,}"
    )
