"""Borders around cells of a panel: the outline of a tied set, and the frames that a user asks for.

An outline runs on the inner side of the edges of its cells, black on white. A frame runs in the
white around its cells, so that it hides neither an outline nor a value; cells side by side that one
item of `highlight` names have one frame.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heatproof.charts import sheet, theme
from heatproof.kinds.heatmap import outline
from heatproof.kinds.heatmap.layout import spans

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    import altair as alt

    from heatproof.kinds.heatmap.cells import Panel, Row
    from heatproof.kinds.heatmap.sizing import Plan

    Sets = Mapping[Any, list[outline.Cell]]

FRAME = "#d6006c"
"""No palette holds it, and it is neither the black nor the grey of other marks."""
WIDTH, CASING = 1.2, 2.8
"""Of the frame, and of the white under it, by which it is seen on dark cells in grey print."""
BEYOND = 0.4
"""Of a frame, outside the edges of the cells: half of the white between them."""


def borders(panel: Panel, plan: Plan) -> list[alt.Chart]:
    """All borders of a panel, bottom first: the casing of a frame hides no outline."""
    found, framed = [], _sets(panel, plan, lambda row: row.get("highlighted", ()))
    around = _path(framed, plan, -BEYOND)
    if framed:
        found.append(_border(around, theme.PAPER, CASING))
    if tied := _sets(panel, plan, lambda row: [row["peers"]] if row["outlined"] else []):
        line, casing = outline.widths(plan.clear)
        path = _path(tied, plan, line / 2)
        found += [_border(path, theme.PAPER, casing), _border(path, theme.INK, line)]
    return [*found, _border(around, FRAME, WIDTH)] if framed else found


def _sets(panel: Panel, plan: Plan, among: Callable[[Row], Iterable[Any]]) -> Sets:
    """The cells of each set; `among`: the sets that a row is of."""
    across = {name: n for n, name in enumerate(plan.axes.x)}
    down = {name: n for n, name in enumerate(reversed(plan.axes.y))}
    sets: dict[Any, list[outline.Cell]] = {}
    for row in panel.rows:
        for one in among(row):
            sets.setdefault(one, []).append((across[row["x"]], down[row["y"]]))
    return sets


def _path(sets: Sets, plan: Plan, inset: float) -> str:
    across, down = spans(plan.layout)
    found = (outline.paths(cells, across, down, inset) for cells in sets.values())
    return outline.svg(path for paths in found for path in paths)


def _border(path: str, colour: str, width: float) -> alt.Chart:
    joint: dict[str, Any] = {"strokeJoin": "miter", "strokeMiterLimit": 4}
    return sheet.shape(path, 0.0, 0.0, stroke=colour, strokeWidth=width, **joint)
