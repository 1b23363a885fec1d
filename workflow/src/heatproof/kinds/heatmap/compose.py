"""A heatmap put together: marks summed to panels, panels and bars laid out in rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heatproof.charts import answers, bars, footer, sheet
from heatproof.charts.wording import count
from heatproof.kinds.heatmap import margins, marks, meanings, sizing, values
from heatproof.util.lazy import altair as alt

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heatproof.kinds.heatmap.entry import Entry
    from heatproof.kinds.heatmap.panels import Panel
    from heatproof.kinds.heatmap.sizing import Plan

STAMPS = {
    "missing": marks.hatches,
    "tied": marks.dots,
    "incomplete": marks.corners,
}
"""Flag of a cell → the mark that shows it, where any cell has it."""


def figure(
    panels: Sequence[Panel], plan: Plan, spec: str, lines: Sequence[str], description: str
) -> alt.TopLevelConcatSpec:
    """The chart: rows of panels with their bars, and `lines` below; `spec`: format of values."""
    columns = plan.layout.columns
    starts = range(0, len(panels), columns)
    rows = [_row(panels[start : start + columns], start == 0, plan) for start in starts]
    data: dict[str, Sequence[Any]] = {panel.name: panel.rows for panel in panels}
    data |= {panel.scale: bars.slices(panel.bar, plan.bar) for panel in panels if panel.bar}
    if plan.layout.needs.margins:
        data |= {margins.data(panel): margins.rows(panel, plan, spec) for panel in panels}
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
    width, height = plan.layout.box
    base = alt.Chart().encode(*plan.axes.encode(plan.layout, first))
    lines = plan.titles[panel.name]
    layers = _marks(panel, base, plan) + ([_title(lines, plan)] if lines else [])
    layers += margins.layers(panel, plan, first) if plan.layout.needs.margins else []
    layers += _verdict(panel, plan)
    places = _apart(dict(zip(("x", "y"), plan.axes.titles, strict=True)))
    layers.append(answers.layer(base, places, panel.answers))
    return alt.LayerChart(
        layer=layers, data=alt.NamedData(panel.name),
        width=width, height=height, description=panel.description,
    )  # fmt: skip


def _apart(titles: Mapping[str, str]) -> dict[str, str]:
    """Title of each axis → expression of a cell's place on it; titles that are alike get its name.

    Of a column there may be none: then the axis itself names the place.
    """
    alike = len(set(titles.values())) < len(titles)
    named = {at: f"{title} ({at})" if alike else title or at for at, title in titles.items()}
    return {title: f"datum.{at}" for at, title in named.items()}


def _marks(panel: Panel, base: alt.Chart, plan: Plan) -> list[alt.Chart]:
    """The marks that a panel needs, bottom first."""
    cell = plan.layout.cell
    layers = []
    if panel.bar:
        scale = bars.scale(panel.bar.domain, panel.bar.colours)
        layers.append(marks.cells(base, panel.bar.title, scale))
    if count(panel.rows, "framed"):
        layers.append(marks.frames(base, cell, plan.inset))
    layers += [stamp(base, cell) for flag, stamp in STAMPS.items() if count(panel.rows, flag)]
    if plan.value and panel.bar:
        layers.append(marks.values(base, plan.value, values.SECOND / 2 if plan.errors else 0.0))
        if plan.errors:
            layers.append(marks.spreads(base, plan.value / 2))
    return layers


def _title(lines: Sequence[str], plan: Plan) -> alt.Chart:
    middle = plan.layout.panel[0] / 2
    return sheet.title(lines, middle, sizing.LIFT, "center", fontWeight="bold")


def _verdict(panel: Panel, plan: Plan) -> list[alt.Chart]:
    """What chance would give, below the labels of x."""
    said = plan.verdicts.get(panel.name)
    top = plan.layout.box[1] + plan.axes.below(plan.layout) + sizing.APART
    return [sheet.quiet(said, 0.0, top)] if said else []


def lines(panels: Sequence[Panel], plan: Plan, notes: Sequence[str], entry: Entry) -> list[str]:
    """Notes, then what the marks mean, wrapped to the width of the figure.

    Verdicts that have no room below their panels come first.
    """
    said = [
        ": ".join([*panel.title[-1:], "; ".join(panel.verdict)])
        for panel in panels
        if panel.verdict and not plan.verdicts
    ]
    meant = meanings.occurring(panels, entry, plan.errors)
    meant += [margins.meaning(panels)] if plan.layout.needs.margins else []
    return footer.lines([*notes, *said], meant, plan.sheet.text)
