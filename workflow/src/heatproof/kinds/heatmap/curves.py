"""The curve through each line of a grid, and where it crosses a level (`statistics.fits`).

What is found stands in the row of each cell of the line. A curve is fitted to the values of
problems; those of several tasks have weights by which each task counts alike, as it does in cells:
the weighted mean at each x is the value drawn there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from heatproof.charts.quantity import clamped
from heatproof.statistics.fits import LEAST, fit_curve, rounded
from heatproof.util.lazy import numpy as np
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heatproof.charts.quantity import Domain
    from heatproof.kinds.columns import Grid
    from heatproof.kinds.heatmap.grid import Flags, Floats, Ints, PanelCounts
    from heatproof.kinds.question import Question
    from heatproof.metrics import Metric
    from heatproof.statistics.fits import Form

CELL = "#cell"  # column of the number of a cell in the grid
ROUNDING = 1e-9  # values that differ by less are alike


class Found(NamedTuple):
    """Columns of the grid, the same in all cells of a line (`kinds.columns`)."""

    curve_start: float | None = None
    curve_slope: float | None = None
    curve_gap: str | None = None
    curve_crossing: float | None = None
    curve_low: float | None = None
    curve_high: float | None = None


class ProblemValues(NamedTuple):
    """Values of problems in some cells of the grid, arrays of shape (problems, cells)."""

    cells: Ints
    value: Floats
    weight: Floats  # 0 where a problem is missing
    family: Ints  # shape (problems,)


def with_curves(
    grid: Grid, panels: Sequence[PanelCounts], metric: Metric, question: Question
) -> Grid:
    """The grid with the curve of each of its lines.

    Raises:
        Error: a value of x has no logarithm.
    """
    lowest = min(grid["x"].to_list())
    if lowest <= 0:
        why = f"curves are over log2 {question.x}, but {lowest:g} has no logarithm"
        raise question.fault("fit", f"{why}; choose others under where")
    values = [_panel_values(panel, metric) for panel in panels]
    fits = [Found() for _ in range(len(grid))]
    line_columns = [name for name in question.places if name != "x"]
    for line in grid.with_row_index(CELL).partition_by(line_columns):
        line_found = _find_curve(line, values, question)
        for cell in line[CELL]:
            fits[cell] = line_found
    columns = []
    for name in Found._fields:
        kind = pl.String if name == "curve_gap" else pl.Float64
        columns.append(pl.Series(name, [getattr(row, name) for row in fits], kind))
    return grid.with_columns(columns)


def _panel_values(panel: PanelCounts, metric: Metric) -> ProblemValues:
    dividend, divisor = metric.points(panel.count, panel.total)
    there = divisor > 0
    value = np.where(there, dividend / np.maximum(divisor, 1), 0.0)
    return ProblemValues(panel.cells, value, _weights(there, panel), panel.family)


def _join_values(cells: Ints, panels: Sequence[ProblemValues]) -> ProblemValues:
    """The values in some cells, given in order; problems of different panels are different ones."""
    parts = []
    families = 0
    for panel in panels:
        shared = np.isin(panel.cells, cells)
        value, weight = np.zeros((2, len(panel.value), len(cells)))
        places = np.searchsorted(cells, panel.cells[shared])
        value[:, places] = panel.value[:, shared]
        weight[:, places] = panel.weight[:, shared]
        present = (weight > 0).any(axis=1)
        parts.append((value[present], weight[present], panel.family[present] + families))
        families += int(panel.family.max(initial=-1)) + 1
    value, weight, family = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    return ProblemValues(cells, value, weight, family)


def _weights(there: Flags, panel: PanelCounts) -> Floats:
    """Weights of problems: in each cell they add up to its problems, and are equal by task."""
    tasks = range(len(panel.tasks))
    sizes = np.stack([there[panel.task == task].sum(axis=0) for task in tasks])
    shares = sizes * (sizes > 0).sum(axis=0)
    weights = there.sum(axis=0) / np.maximum(shares, 1)
    return np.where(there, weights[panel.task], 0.0)


def _find_curve(line: Grid, panels: Sequence[ProblemValues], question: Question) -> Found:
    """The curve of a line, or the code of why it has none; `line`: its rows of the grid."""
    form: Form = question.fit or "logistic"
    line = line.filter(pl.col("value").is_not_null())
    why = _why_none(line, form)
    x = line["x"].cast(pl.Float64).to_numpy()
    if why == "separated":
        return Found(curve_gap=why, **_change_of_values(x, line["value"].to_numpy()))
    if why:
        return Found(curve_gap=why)
    joined = _join_values(line[CELL].to_numpy(), panels)
    curve = fit_curve(x, joined.value, joined.weight, joined.family, form)
    start = rounded(curve.start - curve.slope * curve.centre)
    fit = Found(start, rounded(curve.slope))
    if question.crossing is None:
        return fit
    if curve.rises is None:
        return fit._replace(curve_gap="flat")
    unit = question.unit
    crossing = curve.crossing((question.crossing - unit.start) / unit.factor)
    return _within(fit, crossing, (float(x.min()), float(x.max())))


def _why_none(line: Grid, form: Form) -> str:
    """The code of why the values of a line have no curve; empty where they have one."""
    means = line.sort("x")["value"].to_numpy()
    if len(means) < LEAST:
        return "few"
    if line["low"].null_count():
        return "doubtful"
    if means.max() - means.min() < ROUNDING:
        return "alike"
    if form == "logistic" and _is_separated(means):
        return "separated"
    return ""


def _within(fit: Found, crossing: tuple[float, float, float], reach: Domain) -> Found:
    """A curve with its crossing, as far as x reaches."""
    at, *ends = crossing
    low, high = (clamped(end, *reach) for end in ends)
    fit = fit._replace(curve_low=low, curve_high=high)
    if at < reach[0]:
        return fit._replace(curve_gap="before")
    if at > reach[1]:
        return fit._replace(curve_gap="beyond")
    return fit._replace(curve_crossing=at)


def _is_separated(means: Floats) -> bool:
    """Whether all right turns into all wrong along x, or the reverse, with one mixed x at most.

    No logistic curve is steep enough for these.
    """
    turned = means
    if means[-1] <= means[0]:
        turned = means[::-1]
    wrong = int((turned <= ROUNDING).sum())
    right = int((turned >= 1 - ROUNDING).sum())
    in_order = turned[:wrong].max(initial=0) <= ROUNDING
    in_order &= turned[len(turned) - right :].min(initial=1) >= 1 - ROUNDING
    return bool(in_order) and wrong + right >= len(means) - 1


def _change_of_values(x: Floats, means: Floats) -> dict[str, float | None]:
    """The last x before the change and the first behind it; none where only one side is pure."""
    order = np.argsort(x)
    places, ends = x[order], np.rint(means[order])
    pure = np.abs(means[order] - ends) <= ROUNDING
    before = pure & (ends == ends[pure][0])
    behind = pure & ~before
    if behind.any():
        low, high = places[before].max(), places[behind].min()
        return {"curve_low": float(low), "curve_high": float(high)}
    if pure[0]:
        return {"curve_low": float(places[before].max())}
    return {"curve_high": float(places[before].min())}
