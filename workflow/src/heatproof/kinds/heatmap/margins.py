"""Means of rows and columns beside the cells of a heatmap.

They are of the picture, not of the grid: the unweighted mean of what a row or column shows, and
only where all its cells are there; else it would compare different settings.
"""

from __future__ import annotations

from math import fsum
from typing import TYPE_CHECKING, Any

from heatproof.charts import bars, sheet, theme
from heatproof.charts.labels import PAD
from heatproof.charts.lettering import widest
from heatproof.kinds.heatmap import (
    margin_bars,
    marks,
    sizing,
)
from heatproof.kinds.heatmap.layout import spans
from heatproof.util.lazy import altair as alt
from heatproof.util.numerals import show

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heatproof.charts.bars import Bar
    from heatproof.kinds.heatmap.cells import Panel, Row
    from heatproof.kinds.heatmap.layout import Slot
    from heatproof.kinds.heatmap.sizing import Plan

    Size = tuple[float, float]


MEANING = "set apart: means of rows and columns"


LACKING = ", hatched where one has a cell without a value"


BARS_LACKING = ", – where one has a cell without a value"


def meaning(panels: Sequence[Panel], bars: bool) -> str:
    """What stands apart, and why some of it is hatched."""
    lacking = any(row["missing"] for panel in panels for row in panel.rows)
    if bars:
        return MEANING + ", bars from 0" + BARS_LACKING * lacking
    return MEANING + LACKING * lacking


def data(panels: Sequence[Panel], plan: Plan, spec: str) -> dict[str, Sequence[Any]]:
    """The data sets of the means of all panels."""
    found = {data_name(panel): rows(panel, plan, spec) for panel in panels}
    if not plan.layout.needs.bars:
        return {**found}
    most = margin_bars.longest(found.values())
    return {name: margin_bars.rows(means, plan, most) for name, means in found.items()}


def data_name(panel: Panel) -> str:
    """Name of the data set of a panel's means."""
    return panel.name.replace("cells", "means", 1)


def rows(panel: Panel, plan: Plan, spec: str) -> list[Row]:
    """A row per mean, with its middle `px`, `py` in pt, label and ink; the last is that of all."""
    columns, lines = (_by(panel.rows, axis) for axis in ("x", "y"))
    (x_end, y_end), (wide, high) = plan.layout.apart, spans(plan.layout)
    across = [((a + b) / 2, y_end, part) for (a, b), part in zip(wide, columns, strict=True)]
    upward = [(x_end, (a + b) / 2, part) for (a, b), part in zip(high[::-1], lines, strict=True)]
    found = [_mean(px, py, part, panel, spec) for px, py, part in [*across, *upward]]
    corner = _mean(x_end, y_end, [row["value"] for row in panel.rows], panel, spec)
    return [*found, corner | {"filled": False, "missing": False, "ink": theme.INK}]


def _by(rows: Sequence[Row], axis: str) -> list[list[float | None]]:
    names = dict.fromkeys(row[axis] for row in rows)
    return [[row["value"] for row in rows if row[axis] == name] for name in names]


def _mean(px: float, py: float, values: Sequence[float | None], panel: Panel, spec: str) -> Row:
    known = [value for value in values if value is not None]
    mean = fsum(known) / len(known) if known and len(known) == len(values) else None
    bar = panel.bar
    return {
        "px": round(px, 3),
        "py": round(py, 3),
        "value": mean,
        "label": "" if mean is None else show(mean, spec),
        "ink": bar.scale.ink(mean) if bar else theme.INK,
        "filled": mean is not None,
        "missing": mean is None,
    }


def layers(panel: Panel, plan: Plan, slot: Slot) -> list[alt.Chart]:
    """The marks of the means and the words that name them, where labels of the axes stand."""
    at: dict[str, Any] = {"x": alt.expr("datum.px"), "y": alt.expr("datum.py"), "aria": False}
    base = alt.Chart(alt.NamedData(data_name(panel)))
    if plan.layout.needs.bars:
        return [*margin_bars.layers(base, plan.value), *_names(plan, slot)]
    found = [marks.hatch_marks(base, plan.layout.cell, **at), *_names(plan, slot)]
    if panel.bar:
        found.append(_fills(base, panel.bar, plan, at))
    if panel.bar and plan.value:
        text: dict[str, Any] = {"fontSize": plan.value, "fontStyle": "italic", "dy": 0.5}
        ink = alt.expr("datum.ink")
        mark = base.mark_text(baseline="middle", align="center", color=ink, **text, **at)
        found.append(mark.encode(alt.Text("label:N")))
    return found


def _fills(base: alt.Chart, bar: Bar, plan: Plan, at: dict[str, Any]) -> alt.Chart:
    scale = bars.scale(bar.scale)
    fill = alt.Color("value:Q", scale=scale, legend=None, title=bar.title)
    shape = marks.rounded(*plan.layout.cell, 0.0)
    shown = base.transform_filter("datum.filled")
    layer: alt.Chart = shown.mark_point(
        shape=shape, size=4, opacity=1, filled=True, **marks.EDGE, **at
    ).encode(fill)
    return layer


def _names(plan: Plan, slot: Slot) -> list[alt.Chart]:
    """`mean` on the line of the labels of x, where these leave room, and beside those of y."""
    (x, y), height = plan.layout.apart, plan.layout.box[1]
    room = widest([sizing.MEAN], theme.LABEL) + widest(plan.axes.x[-1:], theme.LABEL) + 4.0
    beside = x - (plan.layout.panel[0] - plan.layout.cell[0] / 2)
    found = []
    if slot.bottom and room / 2 <= beside:
        found.append(_name(x, height + PAD, align="center", baseline="top"))
    if slot.first:
        found.append(_name(-PAD, y, align="right", baseline="middle"))
    return found


def _name(x: float, y: float, **how: Any) -> alt.Chart:
    layer: alt.Chart = sheet.one().mark_text(
        text=sizing.MEAN, x=x, y=y, fontSize=theme.LABEL, fontStyle="italic", color=theme.INK, **how
    )
    return layer
