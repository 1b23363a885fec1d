"""draw: the grid of a heatmap → its figure: marks summed to panels, panels and bars in rows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from heatproof.charts import bars, sheet, spec, theme, wording
from heatproof.charts.wording import count
from heatproof.kinds.heatmap import (
    baseline_words,
    borders,
    cells,
    grouping,
    highlight,
    margin_bars,
    margins,
    marks,
    nesting,
    ruler,
    sizing,
    verdict,
    words,
)
from heatproof.kinds.heatmap.layout import places
from heatproof.util.lazy import altair as alt

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heatproof.kinds.heatmap.cells import Panel, Place
    from heatproof.kinds.heatmap.entry import Entry
    from heatproof.kinds.heatmap.layout import Slot
    from heatproof.kinds.heatmap.sizing import Plan
    from heatproof.kinds.heatmap.verdict import Verdict
    from heatproof.util.lazy import polars as pl

    Size = tuple[float, float]


HIGH = "more `columns` of panels, a larger `width` or fewer values make it lower"

LOW = "a larger `width` or fewer values make it lower"


def draw(grid: pl.DataFrame, entry: Entry, *, notes: Sequence[str] = ()) -> alt.TopLevelConcatSpec:
    """The figure of a grid; `notes` are printed first below the panels."""
    highlight.require_cells(grid, entry)
    shown = "none" if entry.marks == "none" else entry.uncertainty
    rows = cells.cell_table(grid, entry, entry.unit, shown)
    names = cells.panel_names(grid, rows, entry)
    said, short = _verdicts(grid, entry, names.format)
    short = baseline_words.verdicts(rows, entry) if entry.relative_to else short
    parts = cells.split_panels(rows, entry, names, said, short)
    plan = sizing.plan(parts, entry, names, words.ruler_end(parts, entry))
    if plan.scale and plan.ruler < ruler.SHORTEST and entry.ruler is None:
        parts = [replace(one, verdict=one.verdict._replace(spread=None)) for one in parts]
        plan = sizing.plan(parts, entry, names)
    lines = footer_lines(parts, plan, notes, entry)
    if entry.margins == "bar":
        margin_bars.require_lengths(parts, entry)
    nested = nesting.said(entry) if entry.nested else None
    opening = words.spoken_figure(names, entry.shows_percent and not entry.relative_to, nested)
    opening += f" {baseline_words.spoken_baseline(entry)}" if entry.relative_to else ""
    told = [opening, *(part.description for part in parts)]
    chart = compose_figure(parts, plan, names.format, lines, " ".join([*told, *notes]))
    high = wording.beyond_page(plan.sheet.tall(lines), entry, LOW if entry.nested else HIGH)
    empty = nesting.empty_words(grid, entry)
    spec.with_omitted(chart, [*words.omitted(parts, plan, entry), *high, *empty])
    uneven = entry.margins or entry.groups
    return spec.with_places(chart, places(plan.layout) if uneven else [])


def _verdicts(
    grid: pl.DataFrame, entry: Entry, spec: str
) -> tuple[dict[Place, list[str]], dict[Place, Verdict]]:
    """Labels of a panel → what is read out of its verdict, and what is shown."""
    if (
        entry.uncertainty != "tied"
        or entry.relative_to
        or (entry.marks == "none" and not entry.rulers)
    ):
        return {}, {}
    short = verdict.verdicts_by_panel(grid, entry, spec)
    if entry.marks == "none":
        short = {label: one._replace(line="") for label, one in short.items()}
    return words.verdicts_of(grid, entry, entry.unit.factor, spec), short


NO_RECORD = "no record"


def compose_figure(
    panels: Sequence[Panel], plan: Plan, spec: str, lines: Sequence[str], description: str
) -> alt.TopLevelConcatSpec:
    """The chart: rows of panels with their bars, and `lines` below; `spec`: format of values."""
    columns = plan.layout.columns
    starts = range(0, len(panels), columns)
    titled = _titled_bar(panels, plan)
    rows = [_row(panels[start : start + columns], start, plan, titled) for start in starts]
    rows[0][0].layer += _head(plan)
    names = plan.axes.x, plan.axes.y
    data: dict[str, Sequence[Any]] = {
        panel.name: grouping.moved(panel.rows, names, plan.layout) for panel in panels
    }
    data |= {panel.scale: bars.slices(bar, plan.bar) for panel in panels if (bar := panel.legend)}
    if plan.layout.needs.margins:
        data |= margins.data(panels, plan, spec)
    return plan.sheet.assemble(rows, data, lines, description)


def _head(plan: Plan) -> list[alt.Chart]:
    """The title of the figure, from where the lines below it begin."""
    if not plan.head:
        return []
    x, lift = plan.sheet.inset - plan.sheet.left, plan.above + sizing.HEAD_APART
    return [sheet.title(plan.head, x, lift, "left", theme.HEAD, fontWeight=600)]


def _titled_bar(panels: Sequence[Panel], plan: Plan) -> str:
    """Name of the panel whose bar has the title of all: the last in the first row that has one."""
    columns = 1 if plan.layout.needs.shared else plan.layout.columns
    with_bars = [n for n, panel in enumerate(panels) if panel.legend]
    found = max((n for n in with_bars if n < columns), default=min(with_bars, default=0))
    return panels[found].name


def _row(panels: Sequence[Panel], start: int, plan: Plan, titled: str) -> list[Any]:
    """Panels of one row, the first with labels of y; bars beside them, or one at its end.

    A bar of several rows spans them all: its marks reach out of its box. `start`: number of the
    first panel; `titled`: name of the panel whose bar has a title.
    """
    layout, needs = plan.layout, plan.layout.needs
    slots = [layout.slot(start + n) for n in range(len(panels))]
    drawn = [_panel(panel, slot, plan) for panel, slot in zip(panels, slots, strict=True)]
    if not plan.room:
        return drawn
    if needs.shared:
        ends = slots[0].top or not needs.tall
        return [*drawn, _bar(panels[0], slots[0], plan, plan.room, titled)] if ends else drawn
    rooms = [plan.room + needs.gap - bars.GAP] * (layout.columns - 1)
    beside = [
        _bar(panel, slot, plan, room, titled)
        for panel, slot, room in zip(panels, slots, [*rooms, plan.room], strict=False)
    ]
    return [chart for pair in zip(drawn, beside, strict=True) for chart in pair]


def _bar(panel: Panel, slot: Slot, plan: Plan, room: float, titled: str) -> Any:
    """The bar right of a panel, without its title where another one has it."""
    needs, box, bar = plan.layout.needs, plan.sheet.height, panel.legend
    if bar is None or (needs.tall and not slot.top):
        return sheet.blank(room, box)
    bar = bar if panel.name == titled else replace(bar, title="")
    return bars.chart(bar, panel.scale, plan.bar, room, plan.lift, box)


def _panel(panel: Panel, slot: Slot, plan: Plan) -> alt.LayerChart:
    width, height = plan.layout.box
    axes = plan.axes.encode(plan.layout, slot, plan.sheet.reach)
    base = alt.Chart().encode(*axes, *grouping.offsets(plan.layout))
    lines = plan.titles.get(panel.name)
    layers = _marks(panel, base, plan) + ([_title(lines, plan)] if lines else [])
    above = plan.axes.brackets_of(plan.layout, slot, plan.sheet.reach)
    layers += [*_row_name(slot, plan), *above]
    layers += margins.layers(panel, plan, slot) if plan.layout.needs.margins else []
    layers += _verdict(panel, plan, slot)
    titles = dict(zip(("x", "y"), plan.axes.titles, strict=True))
    places = {**panel.blocks, **_apart(titles)}
    sides = grouping.sides(plan.layout)
    layers.append(spec.layer(base, places, panel.answers, **sides))
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
    """The marks that a panel needs, bottom first; of one without any record, words alone."""
    cell = plan.layout.cell
    if panel.bare:
        return [_nothing(plan)]
    layers = []
    if panel.bar:
        scale = bars.scale(panel.bar.scale)
        layers.append(marks.cell_marks(base, panel.bar.title, scale, **grouping.sides(plan.layout)))
    if count(panel.rows, "framed"):
        layers.append(marks.frame_marks(base, cell, plan.inset))
    layers += [stamp(base, cell) for flag, stamp in marks.STAMPS.items() if count(panel.rows, flag)]
    layers += borders.borders(panel, plan)
    if not plan.value and any(row["bold"] and row.get("differs") for row in panel.rows):
        layers.append(marks.middle_marks(base, cell))
    if plan.value and panel.bar:
        layers.append(
            marks.value_marks(base, plan.value, sizing.SECOND_LINE / 2 if plan.errors else 0.0)
        )
        if plan.errors:
            layers.append(marks.spread_marks(base, plan.value / 2))
    return layers


ASCENT = 0.79
"""From the top of a line to its baseline, as a part of its size: what Vega takes."""


def _nothing(plan: Plan) -> alt.Chart:
    """What stands where a grid of panels has a place for records that there are none of."""
    width, height = plan.layout.panel
    layer: alt.Chart = sheet.one().mark_text(
        text=NO_RECORD, x=width / 2, y=height / 2, align="center", baseline="middle",
        color=theme.QUIET, fontSize=theme.SMALL, aria=False,
    )  # fmt: skip
    return layer


def _title(lines: Sequence[str], plan: Plan) -> alt.Chart:
    return sheet.title(lines, 0.0, plan.lift, "left", fontWeight="bold")


def _row_name(slot: Slot, plan: Plan) -> list[alt.Chart]:
    """The name of a row of panels, turned, left of all that belongs to it."""
    if not (slot.first and plan.axes.rows):
        return []
    lines, high = plan.axes.rows[slot.row], theme.line_height(theme.TITLE)
    x = theme.TITLE - plan.axes.left
    layer: alt.Chart = sheet.one().mark_text(
        text=list(lines) if len(lines) > 1 else lines[0],
        x=x, y=plan.layout.panel[1] / 2, angle=270, align="center", baseline="alphabetic",
        fontSize=theme.TITLE, fontWeight="bold", lineHeight=high,
    )  # fmt: skip
    return [layer]


def _verdict(panel: Panel, plan: Plan, slot: Slot) -> list[alt.Chart]:
    """The line below the name of a panel, and its ruler below the labels of x."""
    found, lines = [], plan.lines.get(panel.name)
    if lines:
        last = sizing.LIFT + ASCENT * theme.SMALL
        most = max(map(len, plan.lines.values()))  # those with fewer begin on the same line
        top = last + (most - 1) * theme.line_height(theme.SMALL)
        found.append(sheet.quiet(lines, 0.0, -top))
    if plan.scale and panel.verdict.spread:
        under = plan.layout.box[1] + plan.below(slot)
        first = slot.first and slot.row == plan.layout.rows - 1
        found += ruler.marks(panel.verdict.spread, plan.scale, plan.ruler, under, first)
    return found


def footer_lines(
    panels: Sequence[Panel], plan: Plan, notes: Sequence[str], entry: Entry
) -> list[str]:
    """Notes, then what the marks mean, wrapped to the width of the figure.

    Verdicts that have no room above their panels come first.
    """
    if not entry.footer:
        return []
    said = [] if plan.lines else words.verdicts_below(panels, entry)
    meant = words.occurring_meanings(panels, entry, plan.errors, bool(plan.value))
    meant += (
        [margins.meaning(panels, plan.layout.needs.bars is not None)]
        if plan.layout.needs.margins
        else []
    )
    meant += words.key_words(plan, entry)
    return sheet.lines([*notes, *said], meant, plan.sheet.text)
