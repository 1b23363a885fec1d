"""Cells against a baseline, on common problems, with intervals that hold together.

Each cell has a difference δ = mean(own − base) over common problems (over tasks, the unweighted
mean of the task differences) and an interval δ ± q · se. The factor q makes all intervals of a
panel hold at once: it is the 95 % quantile of max_c |t*_c|, where t*_c is Student's statistic of
the residuals of cell c, centred in each task, their signs flipped at random, the same for a problem
in all cells. That keeps what cells have in common, such as the baseline: Dunnett (1955) by
resampling (Westfall and Young 1993; Romano and Wolf 2005, "Exact and approximate stepdown
methods"). q is never below Student's own quantile.

Where differences are skewed, q grows (`lead.stretched`), and no interval is narrower than
`least_lead` problems to either side: so a cell differs from its baseline by no less. Over tasks a
problem is worth what one of the smallest task is.

Coverage is measured (`tests/bench/coverage.py baseline`; docs/statistics.md). Of numbers without
bounds, lognormal costs, it was .66 to .80: they have no interval.
"""

from __future__ import annotations

from math import lcm, sqrt
from typing import TYPE_CHECKING, NamedTuple

from heatproof.statistics.contrasts import (
    ALPHA,
    LARGEST,
    Scores,
    affordable,
    flipped,
    integers,
    signs,
    units,
)
from heatproof.statistics.estimates import column_sums, estimates, settle_digits, student
from heatproof.statistics.lead import least_lead, skewness, stretched
from heatproof.util.lazy import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Flags = NDArray[np.bool_]


STARS = (0.05, 0.01, 0.001)
"""Levels of one, two and three stars."""


class Pairs(NamedTuple):
    """Cells of the same tasks, each beside its baseline, (problems, cells)."""

    own: Scores
    base: Scores
    task: Ints  # number of the task of each problem, (problems,)
    group: Ints  # number of its family, the same in all `Pairs` of a panel, (problems,)

    @property
    def common(self) -> Flags:
        """Common problems."""
        return self.own.present & self.base.present


class Gaps(NamedTuple):
    """An entry per cell, NaN where a task has no common problem."""

    own: Floats  # mean of the cell on common problems
    base: Floats  # that of its baseline
    difference: Floats
    se: Floats  # standard error of the difference, clustered by family
    freedom: Floats
    problems: Ints


class DifferenceLimits(NamedTuple):
    """Intervals of differences, an entry per cell; NaN where there is none."""

    low: Floats
    high: Floats


def gaps(pairs: Pairs) -> Gaps:
    """Means on common problems and of the paired differences, each rounded once."""
    common = pairs.common
    own, base = (
        Scores(np.where(common, side.numerator, np.nan), side.scale)
        for side in (pairs.own, pairs.base)
    )
    scale = lcm(own.scale, base.scale)  # over one scale: whole numbers where both are
    if scale > LARGEST:
        difference = Scores(own.mean - base.mean, 1)
    else:
        above, below = (side.numerator * (scale // side.scale) for side in (own, base))
        difference = Scores(above - below, scale)
    gap, upper, lower = (
        estimates(points, common, pairs.task, pairs.group) for points in (difference, own, base)
    )
    return Gaps(upper.value, lower.value, gap.value, gap.se, gap.freedom, gap.problems)


def stars(panel: Sequence[tuple[Pairs, Gaps]], *, grown: float | None = None) -> list[list[int]]:
    """How many of `STARS` each cell meets: at which its interval, with all others, leaves out 0."""
    counts = [[0] * len(gap.difference) for _, gap in panel]
    for level in STARS:
        limits = simultaneous(panel, grown=grown, level=level)
        for numbers, limit in zip(counts, limits, strict=True):
            for cell in np.flatnonzero((limit.low > 0) | (limit.high < 0)):
                numbers[cell] += 1
    return counts


def simultaneous(
    panel: Sequence[tuple[Pairs, Gaps]],
    permutations: int = 10_000,
    *,
    grown: float | None = None,
    claims: int | None = None,
    level: float = ALPHA,
) -> list[DifferenceLimits]:
    """Intervals of all cells of a panel that hold together; none from −1 to 1.

    There is none where all differences are 0: nothing says how others would scatter.
    `level` is the chance of one false interval or more. `grown`: as in `tied.best_p_values`.
    `claims`: cells that may be wronged, of which the least lead is counted; all of the panel.
    """
    alpha, part = (level, 1.0) if grown is None else (level / 2, grown)
    number = max((int(pairs.group.max(initial=-1)) + 1 for pairs, _ in panel), default=0)
    residuals = [_residuals(pairs, gap, number) for pairs, gap in panel]
    varied = [(gap.se > 0) & (gap.freedom > 0) for _, gap in panel]
    judged = [column_sums[:, some] for column_sums, some in zip(residuals, varied, strict=True)]
    freedom = [gap.freedom[some] for (_, gap), some in zip(panel, varied, strict=True)]
    q = _critical(np.concatenate(judged, 1), np.concatenate(freedom), permutations, alpha)
    if claims is None:
        claims = sum(int((~np.isnan(gap.difference)).sum()) for _, gap in panel)
    limits = []
    for (pairs, gap), pulls in zip(panel, residuals, strict=True):
        least = [
            student(1 - alpha / 2, settle_digits(f)) if f else np.inf for f in gap.freedom.tolist()
        ]
        alike = (gap.se == 0) & (gap.difference == 0)
        factor = stretched(np.maximum(q, least) / sqrt(part), np.abs(skewness(pulls)))
        with np.errstate(invalid="ignore"):
            error = factor * gap.se  # no number where there is no freedom
        half = np.maximum(error, least_lead(claims, ALPHA / level) * _worth(pairs))
        half[alike | ~np.isfinite(half)] = np.nan
        low, high = gap.difference - half, gap.difference + half
        none = (low <= -1) & (high >= 1)
        low, high = (np.where(none, np.nan, np.clip(end, -1, 1)) for end in (low, high))
        limits.append(DifferenceLimits(low, high))
    return limits


def _worth(pairs: Pairs) -> Floats:
    """What a problem of each cell is worth in its difference: one of its smallest task."""
    common, tasks = pairs.common, np.unique(pairs.task)
    sizes = []
    for task in tasks:
        rows = pairs.task == task
        sizes.append(units(common[rows], pairs.group[rows]))
    return np.asarray(1 / np.maximum(np.min(sizes, axis=0), 1) / len(tasks))


def _residuals(pairs: Pairs, gap: Gaps, units: int) -> Floats:
    """What each unit adds to own − base, centred in each task, (units, cells)."""
    points = pairs.own.mean - pairs.base.mean
    pulls = np.zeros((units, points.shape[1]))
    for task in np.unique(pairs.task):
        rows = pairs.task == task
        there = ~np.isnan(points[rows])
        x, n = np.where(there, points[rows], 0), there.sum(axis=0)
        centred = np.where(there, n * x - column_sums(x), 0) / np.maximum(n, 1) ** 2
        np.add.at(pulls, pairs.group[rows], centred)
    return np.where(np.isnan(gap.difference), 0, pulls)


def _critical(residuals: Floats, freedom: Floats, permutations: int, alpha: float) -> float:
    """The 1 − `alpha` quantile of the largest |t| of all cells; 0 without cells."""
    units, cells = residuals.shape
    if not cells:
        return 0.0
    values = integers(residuals, axis=0)
    norms = 1 / np.sqrt(np.maximum((values**2).sum(axis=0), 1))
    patterns = signs(units, affordable(permutations, cells, units))
    if alpha < ALPHA / 2 and len(patterns) * alpha < 1:
        return np.inf  # so few flips do not reach so far
    largest = np.zeros(len(patterns))
    for part, sums in flipped(patterns, values):
        score = (sums * norms) ** 2
        left = np.maximum(freedom + 1 - score, 0)
        with np.errstate(divide="ignore"):
            largest[part] = (score * freedom / left).max(axis=1)
    return float(np.sqrt(np.quantile(largest, 1 - alpha, method="inverted_cdf")))
