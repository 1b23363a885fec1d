"""The marks of a heatmap's cells, and frames around some of them.

Stamps are paths around the middle of a cell, as in `looks`. A frame runs in the white around its
cells, so that it hides no value; cells side by side that one item of `highlight` names have one
frame. Lengths are pt.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heatproof.charts import bars, sheet, theme
from heatproof.charts.spec import datum
from heatproof.kinds import looks
from heatproof.kinds.looks import corner_dot_path, dot_path, stamp
from heatproof.util.lazy import altair as alt

if TYPE_CHECKING:
    from heatproof.charts.spec import ChartKeys
    from heatproof.kinds.heatmap.panels import Panel
    from heatproof.kinds.heatmap.planning import HeatmapPlan
    from heatproof.kinds.lattice import Size, Spot
    from heatproof.kinds.picture import Layers


EDGE: ChartKeys = {"stroke": "#000000", "strokeOpacity": 0.14, "strokeWidth": 0.5}
"""Of cells: a hairline keeps the light ones apart from the paper."""
LINED = 10.0  # side of a cell from which it has this line: on smaller ones it would be a grid
DIGITS = 0.66  # height of digits as a part of their size
FRAME = "#d6006c"
"""No palette holds it, and it is neither the black nor the grey of other marks."""
FRAME_WIDTH, FRAME_CASING, FRAME_BEYOND = 1.2, 2.8, 0.4
"""Of the frame, and of the white under it, by which it is seen on dark cells in grey print; and how
far it lies outside the edges of the cells: half of the white between them."""


def cell_marks(panel: Panel, base: alt.Chart, plan: HeatmapPlan) -> Layers:
    """The marks of the cells of a panel, bottom first."""
    cell = plan.layout.cell
    rows = panel.rows
    value = plan.value
    ink = {"fill": {"expr": "datum.ink"}}
    layers: Layers = []
    if panel.bar:
        valued = base.transform_filter("!datum.missing")
        edge = EDGE if min(cell) >= LINED else {}
        layers.append(bars.filled(valued, panel.bar, **edge))
    if any(row.missing for row in rows):
        layers += missing_marks(base, cell)
    layers += frame_marks(panel, plan)
    small = min(cell) / 8  # radius of a dot in the middle
    if any(row.incomplete for row in rows):
        path = _corner_dagger(plan)
        layers.append(stamp(base, looks.INCOMPLETE.flagged, path, **ink))
    if any(row.dotted for row in rows):
        path = corner_dot_path(cell) if value else dot_path(small)
        layers.append(stamp(base, looks.TIED.flagged, path, **ink))
    if not value and any(row.differs for row in rows):
        path = dot_path(small)
        layers.append(stamp(base, "datum.bold", path, **ink))
    elif not value and any(row.bold for row in rows):
        ring = {"stroke": datum("ink"), "strokeWidth": 0.8}
        radius = min(cell) / 5
        path = dot_path(radius)
        layers.append(stamp(base, "datum.bold", path, **ring))
    if value and panel.bar:
        layers += text_marks(base, value, plan.layout.errors)
    return layers


def _corner_dagger(plan: HeatmapPlan) -> str:
    """A dagger in a corner of a cell, below what is printed there."""
    digits = DIGITS * plan.value
    if plan.layout.errors:
        digits += theme.line_height(theme.SMALL)
    return looks.corner_dagger_path(plan.layout.cell, digits)


def text_marks(base: alt.Chart, size: float, errors: bool) -> Layers:
    """The value of each cell in the ink that reads best on it, and below it its uncertainty."""
    drop = centred(size)
    if errors:
        drop -= theme.line_height(theme.SMALL) / 2
    style: ChartKeys = {"baseline": "middle", "color": datum("ink"), "aria": False}
    weight = alt.expr("datum.bold ? 'bold' : 'normal'")
    value = base.mark_text(fontSize=size, dy=round(drop, 3), fontWeight=weight, **style)
    marks = [value.encode(alt.Text("label:N"))]
    if errors:
        spread = base.mark_text(fontSize=theme.SMALL, dy=size / 2, **style)
        marks.append(spread.encode(alt.Text("spread:N")))
    return marks


def centred(size: float) -> float:
    """How much lower digits must be set to stand in the middle.

    Vega sets their foot a rounded 0.3 of their size below it.
    """
    foot = int(0.3 * size + 0.5)
    return round(DIGITS / 2 * size - foot, 3)


def missing_marks(base: alt.Chart, cell: Size, **place: Any) -> Layers:
    """A dash in each cell without a value; `place`: of cells that lie on no axes."""
    edges: ChartKeys = {"fill": theme.FAINT, "stroke": theme.LINE, "strokeWidth": 0.5}
    flagged = looks.MISSING.flagged
    return [
        stamp(base, flagged, _cell_path(cell), **edges, **place),
        stamp(base, flagged, looks.dash_path(cell), fill=theme.QUIET, **place),
    ]


def _cell_path(cell: Size) -> str:
    """The edges of a cell, around its middle."""
    width, height = cell
    return f"M{-width / 2:.3f},{-height / 2:.3f}h{width:.3f}v{height:.3f}h{-width:.3f}Z"


def frame_marks(panel: Panel, plan: HeatmapPlan) -> Layers:
    """The frames around highlighted cells, with the white under them."""
    path = _frame_path(panel, plan)
    if not path:
        return []
    return [
        sheet.shape(path, 0.0, 0.0, stroke=colour, strokeWidth=width, strokeCap="square")
        for colour, width in ((theme.PAPER, FRAME_CASING), (FRAME, FRAME_WIDTH))
    ]


def _frame_path(panel: Panel, plan: HeatmapPlan) -> str:
    """The border around the cells of each item of `highlight`."""
    lattice = plan.layout.lattice
    items: dict[int, list[Spot]] = {}
    for cell in panel.rows:
        for item in cell.highlighted:
            items.setdefault(item, []).append(lattice.spot(cell))
    return " ".join(lattice.outline(spots, -FRAME_BEYOND) for spots in items.values())
