"""A heatmap put together: marks summed to panels, panels and bars laid out in rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heatproof import bars, footer, marks, sheet, sizing
from heatproof.lazy import altair as alt
from heatproof.wording import count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heatproof.panels import Panel
    from heatproof.sizing import Plan

STAMPS = {
    "missing": marks.hatches,
    "tied": marks.dots,
    "incomplete": marks.corners,
}
"""Flag of a cell → the mark that shows it, where any cell has it."""


def figure(
    panels: Sequence[Panel], plan: Plan, lines: Sequence[str], description: str
) -> alt.ConcatChart:
    """The chart: rows of panels with their bars, and `lines` below."""
    columns = plan.layout.columns
    starts = range(0, len(panels), columns)
    rows = [_row(panels[start : start + columns], start == 0, plan) for start in starts]
    data: dict[str, Sequence[Any]] = {panel.name: panel.rows for panel in panels}
    data |= {panel.scale: bars.slices(panel.bar, plan.bar) for panel in panels if panel.bar}
    return plan.sheet.assemble(rows, data, lines, description)


def _row(panels: Sequence[Panel], top: bool, plan: Plan) -> list[Any]:
    """Panels of one row, the first with labels of y; bars beside them, or one beside the top row.

    The one bar of a shared scale spans all rows: its marks reach out of its box.
    """
    drawn = [_panel(panel, n == 0, plan) for n, panel in enumerate(panels)]
    if not plan.layout.needs.shared:
        rooms = [plan.room + plan.layout.needs.gap - bars.GAP] * (plan.layout.columns - 1)
        beside = [
            _bar(panel, plan, room)
            for panel, room in zip(panels, [*rooms, plan.room], strict=False)
        ]
        return [chart for pair in zip(drawn, beside, strict=True) for chart in pair]
    return [*drawn, _bar(panels[0], plan, plan.room)] if top else drawn


def _bar(panel: Panel, plan: Plan, room: float) -> Any:
    if panel.bar is None:
        return sheet.blank(room, plan.sheet.height)
    box = plan.sheet.height
    return bars.chart(panel.bar, panel.scale, plan.bar, room, sizing.LIFT, box)


def _panel(panel: Panel, first: bool, plan: Plan) -> alt.LayerChart:
    width, height = plan.layout.panel
    base = alt.Chart().encode(*plan.axes.encode(plan.layout, first))
    layers = _marks(panel, base, plan) + ([_title(panel, plan)] if panel.title else [])
    return alt.LayerChart(
        layer=layers, data=alt.NamedData(panel.name),
        width=width, height=height, description=panel.description,
    )  # fmt: skip


def _marks(panel: Panel, base: alt.Chart, plan: Plan) -> list[alt.Chart]:
    """The marks that a panel needs, bottom first."""
    cell = plan.layout.cell
    layers = []
    if panel.bar:
        scale = marks.scale(panel.bar.domain, panel.bar.colours)
        layers.append(marks.cells(base, panel.bar.title, scale))
    if count(panel.rows, "best"):
        layers.append(marks.frames(base, cell, plan.inset))
    layers += [stamp(base, cell) for flag, stamp in STAMPS.items() if count(panel.rows, flag)]
    if plan.value and panel.bar:
        second = count(panel.rows, "spread") > 0
        layers.append(marks.values(base, plan.value, sizing.SECOND / 2 if second else 0.0))
        if second:
            layers.append(marks.spreads(base, plan.value / 2))
    return layers


def _title(panel: Panel, plan: Plan) -> alt.Chart:
    lines = panel.title if plan.stacked else [" | ".join(panel.title)]
    room = sizing.title_room(plan.layout)
    return sheet.title(
        lines, plan.layout.panel[0] / 2, sizing.LIFT, "center",
        fontWeight="bold", limit=room,
    )  # fmt: skip


def lines(panels: Sequence[Panel], plan: Plan, notes: Sequence[str], shown: str) -> list[str]:
    """Notes, then what the marks mean, wrapped to the width of the figure."""
    rows = [row for panel in panels for row in panel.rows]
    return footer.lines(
        notes, footer.meanings(rows, shown), plan.layout.needs.width - plan.sheet.margin
    )
