"""What a panel could show: the spread of equal settings, and the least difference it would tell."""

from __future__ import annotations

from math import nan, sqrt
from typing import TYPE_CHECKING, NamedTuple

from heatproof.statistics.contrasts import (
    ALPHA,
    EQUAL,
    GRID,
    by_group,
    compare,
    count_labels,
    few_clusters,
    flipped,
    integers,
    null_maxima,
    panel,
    problems_of_cells,
    task_rows,
    undefined,
    units,
    weighted,
)
from heatproof.statistics.estimates import cell_estimates, column_sums
from heatproof.statistics.lead import least_lead
from heatproof.util.lazy import numpy as np

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import ArrayLike, NDArray

    from heatproof.statistics.contrasts import ContrastPanel, Labels, Patterns

    Floats = NDArray[np.float64]


POWER = 0.84  # standard errors beyond a bound that four of five samples pass


class Chance(NamedTuple):
    """The spread of a panel, in the unit of the scores, and that of equal settings.

    All but `spread` are NaN with fewer than two cells or problems.
    """

    spread: float  # highest minus lowest cell
    equal: float  # the same on equal problems (`leads_on_equal`)
    median: float  # of equal settings
    high: float  # their quantile of 1 − α
    p: float  # share of their spreads that are at least the observed one


def chance_range(
    total: ArrayLike,
    count: ArrayLike,
    task: Labels = None,
    permutations: int = 10_000,
    *,
    group: Labels = None,
) -> Chance:
    """Spread under the null of `contrasts`; matrices as in `heatproof.statistics`.

    Signs of the scores themselves are flipped. Where these refute the null (`p` ≤ ALPHA), settings
    differ, and equal ones would show flips of residuals: scores less the mean of their cell. Where
    problems are missing, cells are compared by their leads on equal problems (`leads_on_equal`). A
    cell without a value is left out.
    """
    data, cells = panel(total, count, task, group)
    spread = nan
    if len(cells):
        value = cell_estimates(total, count, task).value[cells]
        spread = float(np.ptp(value))
    if len(cells) < 2 or data.units < 2:
        return Chance(spread, nan, nan, nan, nan)
    steps, unit = _steps(data)
    patterns = data.signs(permutations)
    spreads = _spreads(steps, unit, patterns)
    ends = _median_and_end(spreads)
    p = np.mean(spreads >= spreads[0] * EQUAL)
    if p <= ALPHA:
        residuals, unit = _steps(data, level=True)
        if residuals.any():
            noise = _spreads(residuals, unit, patterns)
            ends = np.minimum(ends, _median_and_end(noise))
    equal = spread
    if not data.present.all():
        equal = float(spreads[0])
    middle, high = ends.tolist()
    return Chance(spread, equal, middle, high, float(p))


def _median_and_end(spreads: Floats) -> Floats:
    return np.quantile(spreads, [0.5, 1 - ALPHA], method="inverted_cdf")


class Resolution(NamedTuple):
    """The least difference that is told in four of five samples, of scores from 0 to 1.

    NaN where none would be.
    """

    now: float
    epochs: float  # with any number of epochs; NaN also where one of them tells nothing of these
    problems: float  # with four times the problems


UNTOLD = Resolution(nan, nan, nan)


def resolution(
    total: ArrayLike,
    count: ArrayLike,
    task: Labels = None,
    permutations: int = 2_048,
    *,
    group: Labels = None,
    grown: float | None = None,
) -> Resolution:
    """What the first step of `tied.best_p_values` could tell; matrices as there.

    Of two cells with a typical variance V of their differences over n problems: the larger of
    `least_lead` problems and q standard errors, where q is the quantile of the largest pair of
    equal cells, and POWER standard errors more. A part of V is the variance of epochs, in each cell
    p (1 − p) / (k − 1), and vanishes with more of them. It rests on variances alone, not on any gap
    seen. NaN where problems are missing, or cells are means over tasks.
    """
    data, cells = panel(total, count, task, group)
    units = data.units
    size = len(cells)
    if size < 2 or units < 3 or not data.present.all() or data.task.any():
        return UNTOLD
    patterns = data.signs(permutations)
    norms = compare(data).norms
    *_, largest = null_maxima(data, norms, list(range(size)), patterns)
    alpha = ALPHA
    growth = 1.0
    if grown is not None:
        alpha = ALPHA / 2
        growth = grown
    end = np.quantile(largest, 1 - alpha, method="inverted_cdf")
    score = float(end) / sqrt(growth)
    square = score**2
    if square >= units * EQUAL:
        return UNTOLD
    quantile = score * sqrt((units - 1) / (units - square))  # as Student's t
    spread, firm = _pair_variances(data, np.asarray(count)[:, cells])

    def least_difference(variance: float, problems: float) -> float:
        error = sqrt(variance / problems)
        bound = max(quantile * error, least_lead(size) / problems)
        least = bound + POWER * error
        if least < 1:
            return least
        return nan

    variance = float(np.median(spread))
    firm_variance = float(np.median(firm))  # NaN if one is
    return Resolution(
        now=least_difference(variance, units),
        epochs=least_difference(firm_variance, units),
        problems=least_difference(variance, 4 * units),
    )


def _pair_variances(data: ContrastPanel, epochs: NDArray[Any]) -> tuple[Floats, Floats]:
    """Variances of the differences of each pair of cells, and these without that of epochs."""
    units = data.units
    first, second = np.triu_indices(len(data.x.T), 1)
    pulls = by_group(data.x - data.x.mean(axis=0), data.group) / len(data.x) * units
    covariance = np.cov(pulls.T)
    variance = covariance.diagonal()
    spread = variance[first] + variance[second] - 2 * covariance[first, second]
    spread = np.maximum(spread, 0.0)
    with undefined():
        share = np.abs(data.x)  # scores are negative where the lowest is the best
        of_epochs = share * (1 - share) / (epochs - 1)
        noise = of_epochs.mean(axis=0) * len(share) / units
    firm = spread - noise[first] - noise[second]
    return spread, np.maximum(firm, 0.0)


def leads_on_equal(total: ArrayLike, count: ArrayLike, task: Labels = None) -> Floats:
    """How far each cell lies above the others on equal problems, (cells,), in units of the scores.

    The mean over its problems (over tasks, the mean of these means) of its score less the mean of
    the same problem over all cells that hold it. Without missing problems, the value less the mean
    value. NaN for a cell without a value.
    """
    data, cells = panel(total, count, task, None)
    leads = np.full(np.shape(total)[1], nan)
    if len(cells):
        steps, unit = _steps(data)
        leads[cells] = unit * steps.sum(axis=0)
    return leads


def _spreads(steps: Floats, unit: float, patterns: Patterns) -> Floats:
    """Highest less lowest cell under each pattern of signs."""
    spreads = []
    for _, sums in flipped(patterns, steps):
        spreads.append(unit * np.ptp(sums, axis=1))
    return np.concatenate(spreads)


def _steps(data: ContrastPanel, *, level: bool = False) -> tuple[Floats, float]:
    """What each unit adds to the level of each cell, in whole numbers, and the unit of these.

    `level`: of residuals, in which all cells have the same level in each task, times
    √(n / (n − 1)) for n units, as they scatter less than scores about the true means.
    """
    size = np.maximum(data.present.sum(axis=1, keepdims=True), 1)
    x = integers(data.x)
    means = x.sum(axis=1, keepdims=True) / size
    x = np.where(data.present, x - means, 0.0)
    if level:
        for rows in task_rows(data.task):
            present = data.present[rows]
            means = column_sums(x[rows]) / problems_of_cells(present)
            x[rows] -= np.where(present, means, 0.0)
            groups = data.group[rows]
            families = units(present, groups)
            x[rows] *= np.sqrt(few_clusters(families))
    centred = data._replace(x=x)
    steps = weighted(centred)
    tasks = count_labels(data.task)
    unit = np.abs(data.x).max() * np.abs(steps).max() / GRID**2 / tasks
    return by_group(integers(steps), data.group), float(unit)
