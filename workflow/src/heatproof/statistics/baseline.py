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

from math import inf, lcm, nan, sqrt
from typing import TYPE_CHECKING, NamedTuple

from heatproof.statistics.contrasts import (
    ALPHA,
    LARGEST,
    Scores,
    affordable,
    count_labels,
    flipped,
    integers,
    inverse_roots,
    signs,
    task_rows,
    undefined,
    units,
)
from heatproof.statistics.estimates import column_sums, estimates, settle_digits, two_sided
from heatproof.statistics.lead import least_lead, skewness, stretched
from heatproof.util.lazy import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Flags = NDArray[np.bool_]
    Panel = Sequence[tuple["Pairs", "Gaps"]]


STARS = (0.05, 0.01, 0.001)
"""Levels of one, two and three stars."""


class Pairs(NamedTuple):
    """Cells of the same tasks, each beside its baseline, (problems, cells)."""

    cell: Scores
    base: Scores
    task: Ints  # number of the task of each problem, (problems,)
    group: Ints  # number of its family, the same in all `Pairs` of a panel, (problems,)

    @property
    def common(self) -> Flags:
        """Common problems."""
        return self.cell.present & self.base.present


class Gaps(NamedTuple):
    """An entry per cell, NaN where a task has no common problem."""

    cell: Floats  # mean of the cell on common problems
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
    cell = pairs.cell.only(common)
    base = pairs.base.only(common)
    scale = lcm(cell.scale, base.scale)  # over one scale: whole numbers where both are
    if scale > LARGEST:
        difference = Scores(cell.mean - base.mean, 1)
    else:
        numerator = cell.over(scale) - base.over(scale)
        difference = Scores(numerator, scale)
    labels = pairs.task, pairs.group
    gap = estimates(difference, common, *labels)
    cell_value = estimates(cell, common, *labels).value
    base_value = estimates(base, common, *labels).value
    return Gaps(cell_value, base_value, gap.value, gap.se, gap.freedom, gap.problems)


def stars(panel: Panel, *, grown: float | None = None) -> list[list[int]]:
    """How many of `STARS` each cell meets: at which its interval, with all others, leaves out 0."""
    counts = [np.zeros(len(gap.difference), np.int64) for _, gap in panel]
    for level in STARS:
        limits = simultaneous(panel, grown=grown, level=level)
        for numbers, limit in zip(counts, limits, strict=True):
            excludes_zero = (limit.low > 0) | (limit.high < 0)
            np.add(numbers, excludes_zero, out=numbers)
    return [numbers.tolist() for numbers in counts]


def simultaneous(
    panel: Panel,
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
    alpha = level
    growth = 1.0
    if grown is not None:
        alpha = level / 2
        growth = grown
    units = max((count_labels(pairs.group) for pairs, _ in panel), default=0)
    residuals = []
    judged = []
    freedom = []
    for pairs, gap in panel:
        pulls = _residuals(pairs, gap, units)
        varied = (gap.se > 0) & (gap.freedom > 0)
        residuals.append(pulls)
        judged.append(pulls[:, varied])
        freedom.append(gap.freedom[varied])
    pulls = np.concatenate(judged, 1)
    q = _critical(pulls, np.concatenate(freedom), permutations, alpha)
    if claims is None:
        claims = 0
        for _, gap in panel:
            claims += int(np.count_nonzero(~np.isnan(gap.difference)))
    lead = least_lead(claims, ALPHA / level)
    limits = []
    for (pairs, gap), pulls in zip(panel, residuals, strict=True):
        quantiles = np.maximum(q, _student_quantiles(gap.freedom, alpha))
        skewed = skewness(pulls)
        factor = stretched(quantiles / sqrt(growth), np.abs(skewed))
        with undefined():
            error = factor * gap.se  # no number where there is no freedom
        half = np.maximum(error, lead * _worth(pairs))
        all_equal = (gap.se == 0) & (gap.difference == 0)
        half[all_equal] = nan
        is_finite = np.isfinite(half)
        half[~is_finite] = nan
        low = gap.difference - half
        high = gap.difference + half
        says_nothing = (low <= -1) & (high >= 1)
        low[says_nothing] = nan
        high[says_nothing] = nan
        limits.append(DifferenceLimits(np.clip(low, -1, 1), np.clip(high, -1, 1)))
    return limits


def _student_quantiles(freedom: Floats, alpha: float) -> Floats:
    """Student's own quantile of each cell; infinite without degrees of freedom."""
    quantiles = []
    for number in freedom.tolist():
        quantiles.append(two_sided(settle_digits(number), alpha))
    return np.array(quantiles)


def _worth(pairs: Pairs) -> Floats:
    """What a problem of each cell is worth in its difference: one of its smallest task."""
    common = pairs.common
    sizes = []
    for rows in task_rows(pairs.task):
        sizes.append(units(common[rows], pairs.group[rows]))
    smallest = np.maximum(np.min(sizes, axis=0), 1)
    return np.asarray(1 / smallest / len(sizes))


def _residuals(pairs: Pairs, gap: Gaps, units: int) -> Floats:
    """What each unit adds to cell − base, centred in each task, (units, cells)."""
    points = pairs.cell.mean - pairs.base.mean
    pulls = np.zeros((units, points.shape[1]))
    for rows in task_rows(pairs.task):
        present = ~np.isnan(points[rows])
        x = np.where(present, points[rows], 0)
        n = present.sum(axis=0)
        centred = np.where(present, n * x - column_sums(x), 0)
        squared = np.maximum(n, 1) ** 2
        np.add.at(pulls, pairs.group[rows], centred / squared)
    return np.where(np.isnan(gap.difference), 0, pulls)


def _critical(residuals: Floats, freedom: Floats, permutations: int, alpha: float) -> float:
    """The 1 − `alpha` quantile of the largest |t| of all cells; 0 without cells."""
    units, cells = residuals.shape
    if not cells:
        return 0.0
    values = integers(residuals, axis=0)
    norms = inverse_roots((values**2).sum(axis=0))
    patterns = signs(units, affordable(permutations, cells, units))
    number = len(patterns)
    if alpha < ALPHA / 2 and number * alpha < 1:
        return inf  # so few flips do not reach so far
    largest = np.zeros(number)
    for block, sums in flipped(patterns, values):
        score = (sums * norms) ** 2
        rest = np.maximum(freedom + 1 - score, 0)
        with undefined():
            largest[block] = (score * freedom / rest).max(axis=1)
    quantile = np.quantile(largest, 1 - alpha, method="inverted_cdf")
    return float(np.sqrt(quantile))
