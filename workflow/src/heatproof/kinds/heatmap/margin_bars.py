"""Means of rows and columns as bars: right of the cells, and below them over the labels of x.

All bars of a figure begin at 0 and have one scale, so that they compare. Lengths are pt.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heatproof.charts import theme
from heatproof.kinds.heatmap.layout import APART, spans
from heatproof.kinds.heatmap.sizing import MARGIN_BARS
from heatproof.util.errors import Error
from heatproof.util.lazy import altair as alt

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from heatproof.kinds.heatmap.cells import Panel, Row
    from heatproof.kinds.heatmap.entry import Entry
    from heatproof.kinds.heatmap.sizing import Plan

NUMBER = (18.0, 8.0)
"""Room for the number at the end of a bar: beside it, and above it."""
THICK = 0.6
"""Thickness of a bar as a part of its row or column."""
FILL = "#b8b8b8"


def require_lengths(panels: Sequence[Panel], entry: Entry) -> None:
    """Refuse bars of means that may lie below 0.

    Raises:
        Error: a value is negative; the message says what there is instead.
    """
    if any(row["value"] < 0 for one in panels for row in one.rows if not row["missing"]):
        raise Error(
            f"config.yaml: figures.{entry.name}.margins: 'bar': values below 0 have no length; "
            "there is mean"
        )


def longest(means: Iterable[Sequence[Row]]) -> float:
    """The mean whose bar is as long as there is room."""
    values = [row["value"] for one in means for row in one if row["value"] is not None]
    return max(values, default=0.0) or 1.0


def rows(means: Sequence[Row], plan: Plan, most: float) -> list[Row]:
    """The means (columns, then rows from the bottom, then that of all) with the ends of their bars.

    `x`, `x2`, `y`, `y2`: of the bar; `tx`, `ty`: where its number stands. That of all has none.
    """
    layout = plan.layout
    across, down = spans(layout)
    columns, lines = means[: len(across)], means[len(across) : -1]
    long, high = (room - number for room, number in zip(MARGIN_BARS, NUMBER, strict=True))
    foot, start = layout.box[1], layout.panel[0] + APART
    found = []
    for row, (left, right) in zip(columns, across, strict=True):
        top = foot - high * (row["value"] or 0.0) / most
        at = {"tx": (left + right) / 2, "ty": top - NUMBER[1] / 2}
        x, x2 = _middle(left, right)
        found.append(row | {"x": x, "x2": x2, "y": top, "y2": foot} | at)
    for row, (above, below) in zip(lines, down[::-1], strict=True):
        end = start + long * (row["value"] or 0.0) / most
        at = {"tx": end + 2.0, "ty": (above + below) / 2}
        y, y2 = _middle(above, below)
        found.append(row | {"x": start, "x2": end, "y": y, "y2": y2} | at)
    ends = ("x", "x2", "y", "y2", "tx", "ty")
    beside = [{"upright": n < len(columns)} for n in range(len(found))]
    return [
        row | {key: round(row[key], 3) for key in ends} | turned | _lettered(row)
        for row, turned in zip(found, beside, strict=True)
    ]


def _lettered(row: Row) -> Row:
    """A dash stands for the mean that there is not."""
    return {"label": "–" if row["missing"] else row["label"]}


def _middle(low: float, high: float) -> tuple[float, float]:
    apart = (high - low) * (1 - THICK) / 2
    return low + apart, high - apart


def layers(base: alt.Chart, size: float) -> list[alt.Chart]:
    """The bars, and their numbers in this size; none where cells have none."""
    ends: dict[str, Any] = {key: alt.expr(f"datum.{key}") for key in ("x", "x2", "y", "y2")}
    bars = base.transform_filter("datum.filled").mark_rect(
        fill=FILL, stroke=None, aria=False, **ends
    )
    at: dict[str, Any] = {"x": alt.expr("datum.tx"), "y": alt.expr("datum.ty"), "aria": False}
    text: dict[str, Any] = {"fontSize": size, "fontStyle": "italic", "color": theme.INK, "dy": 0.5}
    upright, beside = (base.transform_filter(f"{no}datum.upright") for no in ("", "!"))
    numbers = [
        upright.mark_text(align="center", baseline="middle", **text, **at),
        beside.mark_text(align="left", baseline="middle", **text, **at),
    ]
    named = [one.encode(alt.Text("label:N")) for one in numbers]
    return [bars, *named] if size else [bars]
