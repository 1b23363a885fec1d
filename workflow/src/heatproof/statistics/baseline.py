"""Cells against a baseline, on common problems, with intervals that hold together.

Each cell has a difference δ = mean(own − base) over common problems (over tasks, the unweighted
mean of the task differences) and an interval δ ± q · se. The factor q makes all intervals of a
panel hold at once: it is the 95 % quantile of max_c |t*_c|, where t*_c is Student's statistic of
the residuals of cell c, centred in each task, their signs flipped at random, the same for a problem
in all cells. That keeps what cells have in common, such as the baseline: Dunnett (1955) by
resampling (Westfall and Young 1993; Romano and Wolf 2005, "Exact and approximate stepdown
methods"). q is never below Student's own quantile.

Near 0 or 1, and where all problems differ alike, a standard error from few problems is too small.
So shares get two problems more in each task, whose squared difference is that of independent
answers of both means, p + q − 2pq (compare Agresti and Min 2005, "Simple improved confidence
intervals for comparing matched proportions"). Where differences are skewed, or a small task has
nearly all of the uncertainty, flips give no picture of chance (`heatproof.statistics.tied`).

Coverage is measured (tests/bench/coverage.py baseline; docs/statistics.md): all intervals hold in
.92 to 1.00 of panels: of equal cells, half of them lower, a gradient, skewed differences. Of
numbers without bounds, lognormal costs, in .66 to .80: they have no interval.
"""

from __future__ import annotations

from math import lcm
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
from heatproof.statistics.estimates import columns, estimates, settled, student
from heatproof.statistics.tied import doubts
from heatproof.util.lazy import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Flags = NDArray[np.bool_]

PRIOR = 2  # problems more in each task, of independent answers


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


class Limits(NamedTuple):
    """Intervals of differences, an entry per cell; NaN where there is none."""

    low: Floats
    high: Floats
    factor: Floats  # standard errors to either side


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


def simultaneous(panel: Sequence[tuple[Pairs, Gaps]], permutations: int = 10_000) -> list[Limits]:
    """Intervals of all cells of a panel that hold together; none from −1 to 1.

    There is none where all differences are 0: nothing says how others would scatter.
    ALPHA is the chance of one false interval or more.
    """
    units = max((int(pairs.group.max(initial=-1)) + 1 for pairs, _ in panel), default=0)
    judged, freedom = [], []
    for pairs, gap in panel:
        some = (gap.se > 0) & (gap.freedom > 0)
        judged.append(_residuals(pairs, gap, units)[:, some])
        freedom.append(gap.freedom[some])
    q = _critical(np.concatenate(judged, 1), np.concatenate(freedom), permutations)
    limits = []
    for pairs, gap in panel:
        error = _errors(pairs, gap)
        least = [student(1 - ALPHA / 2, settled(f)) if f else np.inf for f in gap.freedom.tolist()]
        alike = (error == 0) | ((gap.se == 0) & (gap.difference == 0))
        factor = np.where(alike, np.nan, np.maximum(q, least))
        factor[~np.isfinite(factor)] = np.nan
        low, high = gap.difference - factor * error, gap.difference + factor * error
        none = (low <= -1) & (high >= 1)
        low, high = (np.where(none, np.nan, np.clip(end, -1, 1)) for end in (low, high))
        limits.append(Limits(low, high, factor))
    return limits


def _errors(pairs: Pairs, gap: Gaps) -> Floats:
    """Standard errors with `PRIOR` problems more in each task."""
    tasks, common = np.unique(pairs.task), pairs.common
    families = np.array(
        [units(common[pairs.task == task], pairs.group[pairs.task == task]) for task in tasks]
    )
    added = (1 / np.maximum(families, 1) ** 2).sum(axis=0) / max(len(tasks), 1) ** 2
    unseen = gap.own + gap.base - 2 * gap.own * gap.base
    return np.asarray(np.sqrt(gap.se**2 + PRIOR * np.maximum(unseen, 0) * added))


def _residuals(pairs: Pairs, gap: Gaps, units: int) -> Floats:
    """What each unit adds to own − base, centred in each task, (units, cells)."""
    points = pairs.own.mean - pairs.base.mean
    pulls = np.zeros((units, points.shape[1]))
    for task in np.unique(pairs.task):
        rows = pairs.task == task
        there = ~np.isnan(points[rows])
        x, n = np.where(there, points[rows], 0), there.sum(axis=0)
        centred = np.where(there, n * x - columns(x), 0) / np.maximum(n, 1) ** 2
        np.add.at(pulls, pairs.group[rows], centred)
    return np.where(np.isnan(gap.difference), 0, pulls)


def _critical(residuals: Floats, freedom: Floats, permutations: int) -> float:
    """The 1 − ALPHA quantile of the largest |t| of all cells; 0 without cells."""
    units, cells = residuals.shape
    if not cells:
        return 0.0
    values = integers(residuals, axis=0)
    norms = 1 / np.sqrt(np.maximum((values**2).sum(axis=0), 1))
    patterns = signs(units, affordable(permutations, cells, units))
    largest = np.zeros(len(patterns))
    for part, sums in flipped(patterns, values):
        score = (sums * norms) ** 2
        left = np.maximum(freedom + 1 - score, 0)
        with np.errstate(divide="ignore"):
            largest[part] = (score * freedom / left).max(axis=1)
    return float(np.sqrt(np.quantile(largest, 1 - ALPHA, method="inverted_cdf")))


def doubtful(pairs: Pairs) -> tuple[list[tuple[int, int] | None], Flags]:
    """Of each cell and its baseline `Doubts.outweighed` and `Doubts.skewed` of `tied`."""
    common = pairs.common
    own, base = pairs.own.mean, pairs.base.mean
    small: list[tuple[int, int] | None] = [None] * common.shape[1]
    few = np.zeros(common.shape[1], bool)
    for cell in range(len(few)):
        rows = common[:, cell]
        if rows.any():
            scores = np.stack([base[rows, cell], own[rows, cell]], axis=1)
            there = np.ones(scores.shape, np.int64)
            labels = pairs.task[rows], pairs.group[rows]
            doubt = doubts(scores, there, *labels, 0, np.array([1]), share=True)
            small[cell], few[cell] = doubt.outweighed, doubt.skewed
    return small, few
