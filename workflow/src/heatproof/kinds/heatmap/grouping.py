"""Groups of rows and columns of cells: gaps between them, and a bracket with a label for each.

Cells keep their places on a band for each axis; a gap moves those behind it, as an offset. Brackets
stand beyond the labels of the axis. Lengths are pt.
"""

from __future__ import annotations

import json
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any

from heatproof.charts import sheet, theme
from heatproof.charts.labels import LINE
from heatproof.charts.lettering import wrapped
from heatproof.util.lazy import altair as alt

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heatproof.kinds.heatmap.cells import Row
    from heatproof.kinds.heatmap.layout import Layout
    from heatproof.kinds.heatmap.outline import Span

Runs = list[tuple[str, int]]
"""Label and number of cells of each group along an axis; empty for an axis without groups."""

BRACKET = 3.0
"""From the labels of an axis to the brackets, and from these to their own labels."""


def starts(runs: Runs) -> tuple[int, ...]:
    """Cells before which there is a gap."""
    return tuple(accumulate(size for _, size in runs[:-1]))


def words(runs: Runs, spans: Sequence[Span]) -> list[list[str]]:
    """Lines of the label of each group, no wider than its cells."""
    ends = [end - start for start, end in reach(runs, spans)]
    return [
        wrapped(label, max(room, theme.LABEL), theme.LABEL) if label else []
        for (label, _), room in zip(runs, ends, strict=True)
    ]


def room(lines: Sequence[Sequence[str]]) -> float:
    """Room for brackets with labels; 0 where there are none."""
    most = max(map(len, lines), default=0)
    return 2 * BRACKET + theme.LABEL + LINE * (most - 1) if most else 0.0


def reach(runs: Runs, spans: Sequence[Span]) -> list[Span]:
    """Where each group begins and ends; `spans`: of the cells."""
    edges = [0, *accumulate(size for _, size in runs)]
    return [(spans[start][0], spans[end - 1][1]) for start, end in pairwise(edges)]


def moved(rows: Sequence[Row], names: Sequence[Sequence[str]], layout: Layout) -> Sequence[Row]:
    """The rows with how far the middle of each lies from its place on the band: `dx`, `dy`.

    `names`: of x and of y.
    """
    if not any(layout.needs.gaps):
        return rows
    right, up = (
        dict(zip(labels, layout.shifts(axis), strict=True)) for axis, labels in enumerate(names)
    )
    wide, high = (side / 2 for side in layout.cell)
    return [
        row | {"dx": round(right[row["x"]] + wide, 3), "dy": round(high - up[row["y"]], 3)}
        for row in rows
    ]


def offsets(layout: Layout) -> list[Any]:
    """The channels of what `moved` tells, for axes with groups."""
    scale = alt.Scale(type="linear", domain=[0, 1], range=[0, 1], zero=False, nice=False)
    across, upward = layout.needs.gaps
    found: list[Any] = [alt.XOffset("dx:Q", scale=scale)] if across else []
    return found + ([alt.YOffset("dy:Q", scale=scale)] if upward else [])


def sides(layout: Layout) -> dict[str, float]:
    """What a rectangle must be told of its cell, which on a band with offsets it does not know."""
    across, upward = layout.needs.gaps
    found = {"width": layout.cell[0]} if across else {}
    return found | ({"height": layout.cell[1]} if upward else {})


def label_offset(labels: Sequence[str], shifts: Sequence[float]) -> Mapping[str, Any]:
    """Offset of the labels of an axis, as the cells that they name have it."""
    by: dict[float, list[str]] = {}
    for label, shift in zip(labels, shifts, strict=True):
        by.setdefault(shift, []).append(label)
    return {
        "condition": [
            {
                "test": f"indexof({json.dumps(names, ensure_ascii=False)}, datum.value) >= 0",
                "value": round(shift, 3),
            }
            for shift, names in by.items()
            if shift
        ],
        "value": 0,
    }


def below(runs: Runs, spans: Sequence[Span], top: float) -> list[alt.Chart]:
    """Brackets below the labels of x, which end at `top`, and the labels of groups."""
    found, y = [], top + BRACKET
    for (start, end), lines in zip(reach(runs, spans), words(runs, spans), strict=True):
        if lines:
            found.append(bracket(start, y, end, y))
            found.append(label(lines, (start + end) / 2, y + BRACKET, baseline="top"))
    return found


def left(runs: Runs, spans: Sequence[Span], end: float) -> list[alt.Chart]:
    """The same left of the labels of y, which end at `-end`.

    `spans`: of the rows from the lowest, their heights below the panel's top as negative numbers.
    """
    found, x, lines_of = [], -end - BRACKET, words(runs, spans)
    most = max(map(len, lines_of))
    for (low, high), lines in zip(reach(runs, spans), lines_of, strict=True):
        if lines:
            found.append(bracket(x, -high, x, -low))
            at = x - BRACKET - LINE * (most - 1)
            found.append(label(lines, at, -(low + high) / 2, baseline="alphabetic", angle=270))
    return found


def bracket(x: float, y: float, x2: float, y2: float) -> alt.Chart:
    """The line of a bracket, a thin rectangle.

    Where ends are given, Vega-Lite takes no rule without a channel.
    """
    ends: dict[str, Any] = {"x": x - 0.3, "y": y - 0.3, "x2": x2 + 0.3, "y2": y2 + 0.3}
    layer: alt.Chart = sheet.one().mark_rect(fill=theme.INK, stroke=None, aria=False, **ends)
    return layer


def label(lines: Sequence[str], x: float, y: float, **how: Any) -> alt.Chart:
    """Its label."""
    text = list(lines) if len(lines) > 1 else lines[0]
    layer: alt.Chart = sheet.one().mark_text(
        text=text, x=x, y=y, fontSize=theme.LABEL, lineHeight=LINE, **{"align": "center", **how}
    )
    return layer
