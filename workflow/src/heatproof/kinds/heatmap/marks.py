"""The marks of a heatmap's cells, and the borders around some of them.

Stamps are outlines in pt around the middle of a cell: Vega takes an SVG path for a point's shape
and draws it in pixels at `size=4`. An outline runs on the inner side of the edges of its cells,
black on white. A frame runs in the white around its cells, so that it hides neither an outline nor
a value; cells side by side that one item of `highlight` names have one frame. Lengths are pt.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heatproof.charts import bars, sheet, theme
from heatproof.kinds.heatmap import borders
from heatproof.util.lazy import altair as alt

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from heatproof.kinds.heatmap.cell import Drawn
    from heatproof.kinds.heatmap.panels import Panel
    from heatproof.kinds.heatmap.planning import Plan

    Size = tuple[float, float]


EDGE: dict[str, Any] = {"stroke": "#000000", "strokeOpacity": 0.14, "strokeWidth": 0.5}
"""Of cells: a hairline keeps the light ones apart from the paper."""
DIGITS = 0.66  # height of digits as a part of their size
FRAME = "#d6006c"
"""No palette holds it, and it is neither the black nor the grey of other marks."""
FRAME_WIDTH, FRAME_CASING, FRAME_BEYOND = 1.2, 2.8, 0.4
"""Of the frame, and of the white under it, by which it is seen on dark cells in grey print; and how
far it lies outside the edges of the cells: half of the white between them."""


def cell_marks(panel: Panel, base: alt.Chart, plan: Plan) -> list[alt.Chart]:
    """The marks of the cells of a panel, bottom first.

    The corner of an incomplete cell stands inside of an outline. A dot is bold without values.
    """
    cell, rows, value = plan.layout.cell, panel.rows, plan.value
    ink = {"fill": {"expr": "datum.ink"}}
    layers: list[alt.Chart] = []
    if panel.bar:
        there = base.transform_filter("!datum.missing")
        layers.append(bars.filled(there, panel.bar, **EDGE))
    if any(row.framed for row in rows):
        path = frame_path(cell, plan.inset)
        layers.append(stamp(base, "framed", path, stroke=alt.expr("datum.ink"), strokeWidth=0.9))
    if any(row.missing for row in rows):
        layers.append(hatch_marks(base, cell))
    if any(row.excluded for row in rows):
        layers.append(stamp(base, "excluded", bar_path(cell), **ink))
    layers += border_marks(panel, plan)
    if any(row.incomplete for row in rows):
        outlined = any(row.outlined for row in rows)
        inset = sum(borders.line_widths(plan.clear)) / 2 if outlined else 0.0
        layers.append(stamp(base, "incomplete", corner_path(cell, inset), **ink))
    if not value and any(row.bold and row.differs for row in rows):
        layers.append(stamp(base, "bold", dot_path(min(cell) / 8), **ink))
    if value and panel.bar:
        layers += text_marks(base, value, plan.layout.errors)
    return layers


def frame_path(cell: Size, inset: float) -> str:
    """A frame inside of a cell."""
    wide, high = cell
    return rounded(wide - 2 * inset, high - 2 * inset, min(1.5, min(cell) / 8))


def bar_path(cell: Size) -> str:
    """A thin bar at the foot of a cell."""
    wide, high = cell
    thick = min(max(0.09 * high, 0.5), 1.0)
    foot = min(max(0.08 * high, 0.4), 1.6)
    half, y = 0.36 * wide, high / 2 - foot
    return f"M{-half:.3f},{y:.3f}h{2 * half:.3f}v{-thick:.3f}h{-2 * half:.3f}Z"


def corner_path(cell: Size, inset: float) -> str:
    """A filled corner at the lower left of a cell; `inset`: from its edges."""
    wide, high = cell
    side = min(4.0, 0.3 * min(cell)) - inset / 2
    x, y = inset - wide / 2, high / 2 - inset
    return f"M{x:.3f},{y:.3f}v{-side:.3f}l{side:.3f},{side:.3f}Z"


def dot_path(radius: float) -> str:
    """A dot in the middle of a cell."""
    half_turn = f"a{radius},{radius},0,1,1,"
    turn = f"{half_turn}{2 * radius:.3f},0{half_turn}-{2 * radius:.3f},0Z"
    return f"M{-radius:.3f},{0.0:.3f}{turn}"


def text_marks(base: alt.Chart, size: float, errors: bool) -> list[alt.Chart]:
    """The value of each cell in the ink that reads best on it, and below it its uncertainty."""
    drop = centred(size)
    if errors:
        drop -= theme.line_height(theme.SMALL) / 2
    style: dict[str, Any] = {"baseline": "middle", "color": alt.expr("datum.ink"), "aria": False}
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
    return round(DIGITS / 2 * size - int(0.3 * size + 0.5), 3)


def stamp(base: alt.Chart, flag: str, path: str, **style: Any) -> alt.Chart:
    """A path in the middle of each cell that has a flag."""
    style = {"fill": "transparent", "stroke": None, "opacity": 1, "aria": False, **style}
    flagged = base.transform_filter(f"datum.{flag}")
    layer: alt.Chart = flagged.mark_point(shape=path, size=4, **style)
    return layer


def hatch_marks(base: alt.Chart, cell: Size, **place: Any) -> alt.Chart:
    """Slanted lines in cells without data; `place`: of cells that lie on no axes."""
    ground: dict[str, Any] = {"fill": theme.FAINT, "stroke": theme.LINE, "strokeWidth": 0.5}
    return stamp(base, "missing", hatch_path(cell), **ground, **place)


def hatch_path(cell: Size) -> str:
    """The edges of a cell, and slanted lines in it."""
    width, height = cell
    x, y = width / 2, height / 2
    path = f"M{-x:.3f},{-y:.3f}h{width:.3f}v{height:.3f}h{-width:.3f}v{-height:.3f}"
    spacing = 3.2 if min(cell) >= 8 else 2.2
    reach = spacing / 2
    while reach < width + height:
        # The line x + y = reach, counted from the upper left corner, clipped to the cell.
        low, high = min(reach, height), min(reach, width)
        start = f"M{reach - low - x:.3f},{low - y:.3f}"
        path += f"{start}L{high - x:.3f},{reach - high - y:.3f}"
        reach += spacing * 2**0.5
    return path


def rounded(width: float, height: float, radius: float) -> str:
    """Path of a rounded rectangle around 0, 0."""
    wide, high, r = width - 2 * radius, height - 2 * radius, radius
    path = f"M{-wide / 2:.3f},{-height / 2:.3f}h{wide:.3f}"
    turns = (f"{r},{r}", f"{-r},{r}", f"{-r},{-r}", f"{r},{-r}")
    sides = (f"v{high:.3f}", f"h{-wide:.3f}", f"v{-high:.3f}", "Z")
    for turn, side in zip(turns, sides, strict=True):
        path += f"a{r},{r},0,0,1,{turn}{side}"
    return path


def border_marks(panel: Panel, plan: Plan) -> list[alt.Chart]:
    """The borders of a panel, bottom first, so that no casing hides an outline."""
    line, casing = borders.line_widths(plan.clear)
    frame = _border_path(panel, plan, lambda row: row.highlighted, -FRAME_BEYOND)
    outline = _border_path(panel, plan, lambda row: [row.peers] if row.outlined else [], line / 2)
    lines = [
        (frame, theme.PAPER, FRAME_CASING),
        (outline, theme.PAPER, casing),
        (outline, theme.INK, line),
        (frame, FRAME, FRAME_WIDTH),
    ]
    return [
        sheet.shape(path, 0.0, 0.0, stroke=colour, strokeWidth=width, strokeCap="square")
        for path, colour, width in lines
        if path
    ]


def _border_path(
    panel: Panel, plan: Plan, among: Callable[[Drawn], Iterable[Any]], inset: float
) -> str:
    """The border around each set of cells; `among`: the sets of a cell."""
    columns = {name: n for n, name in enumerate(plan.axes.texts.x)}
    lines = {name: n for n, name in enumerate(reversed(plan.axes.texts.y))}
    sets: dict[Any, list[borders.Spot]] = {}
    for row in panel.rows:
        for number in among(row):
            sets.setdefault(number, []).append((columns[row.x], lines[row.y]))
    across, down = map(plan.layout.spans, (0, 1))
    return " ".join(borders.outline_path(cells, across, down, inset) for cells in sets.values())
