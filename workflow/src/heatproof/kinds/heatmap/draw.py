"""draw: the grid of a heatmap → its figure: marks summed to panels, panels and bars in rows."""

from __future__ import annotations

from dataclasses import replace
from math import fsum
from typing import TYPE_CHECKING, Any

from heatproof.charts import bars, sheet, spec, theme, wording
from heatproof.charts.lettering import PAD, widest
from heatproof.charts.wording import count, names_cut, names_left_out
from heatproof.kinds import picture as pictures
from heatproof.kinds.heatmap import (
    annotation,
    axes,
    baseline_words,
    cells,
    marks,
    ordering,
    verdict,
    words,
)
from heatproof.kinds.heatmap import (
    plan as plans,
)
from heatproof.kinds.picture import Picture
from heatproof.util.lazy import altair as alt

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heatproof.kinds.heatmap.entry import Entry
    from heatproof.kinds.heatmap.layout import Layout, Slot
    from heatproof.kinds.heatmap.panel import Names, Panel, Place, Row, Verdict
    from heatproof.kinds.heatmap.plan import Plan
    from heatproof.util.lazy import polars as pl
    from heatproof.util.numerals import Digits

    Size = tuple[float, float]


HIGH = "more `columns` of panels, a larger `width` or fewer values make it lower"

LOW = "a larger `width` or fewer values make it lower"


def draw(grid: pl.DataFrame, entry: Entry, *, notes: Sequence[str] = ()) -> alt.TopLevelConcatSpec:
    """The figure of a grid; `notes` are printed first below the panels."""
    return pictures.draw(picture(grid, entry), entry, notes)


def picture(grid: pl.DataFrame, entry: Entry) -> Picture:
    """All that a heatmap shows and says."""
    parts, plan, names = planned(grid, entry)
    nested = ordering.nested_words(entry) if entry.nested else None
    opening = words.spoken_figure(names, entry.shows_percent and not entry.relative_to, nested)
    opening += f" {baseline_words.spoken_baseline(entry)}" if entry.relative_to else ""
    x, y = nested or (wording.column(name, entry.labels) for name in (entry.x, entry.y))
    return Picture(
        shows=f"{cells.value_title(entry)} by {x} (across) and {y} (up)",
        rows=[row for part in parts for row in part.rows],
        noun="cell",
        sheet=plan.sheet,
        charts=lambda: charts(parts, plan, names.digits),
        meanings=[*meanings(parts, plan, entry), *key_words(plan, entry)],
        caption=meanings(parts, plan, entry, whole=True),
        spoken=[opening, *(part.description for part in parts)],
        places=plan.layout.places() if entry.margins or entry.groups else [],
        above=[] if plan.lines else words.verdicts_below(parts, entry),
        omitted=[*omitted(parts, plan, entry), *ordering.empty_words(grid, entry)],
        mend=LOW if entry.nested else HIGH,
    )


def planned(grid: pl.DataFrame, entry: Entry) -> tuple[list[Panel], Plan, Names]:
    """The panels of a figure, their places, and what things are called."""
    annotation.require_framed(grid, entry)
    shown = "none" if entry.marks == "none" else entry.uncertainty
    rows = cells.cell_table(grid, entry, entry.unit, shown)
    names = cells.panel_names(grid, rows, entry)
    sentences, short = _verdicts(grid, entry, names.digits)
    short = baseline_words.verdicts(rows, entry) if entry.relative_to else short
    parts = cells.split_panels(rows, entry, names, sentences, short)
    plan = plans.plan(parts, entry, names, words.ruler_end(parts, entry))
    if plan.scale and plan.ruler < marks.RULER_SHORTEST and entry.ruler is None:
        parts = [replace(panel, verdict=panel.verdict._replace(spread=None)) for panel in parts]
        plan = plans.plan(parts, entry, names)
    return parts, plan, names


def _verdicts(
    grid: pl.DataFrame, entry: Entry, digits: Digits
) -> tuple[dict[Place, list[str]], dict[Place, Verdict]]:
    """Labels of a panel → what is read out of its verdict, and what is shown."""
    if (
        entry.uncertainty not in ("tied", "interval")
        or entry.relative_to
        or (entry.marks == "none" and not entry.rulers)
    ):
        return {}, {}
    short = verdict.verdicts_by_panel(grid, entry, digits)
    if entry.marks == "none":
        short = {label: one._replace(line="") for label, one in short.items()}
    return words.verdicts_of(grid, entry, entry.unit.factor, digits), short


NO_RECORD = "no record"


def charts(
    panels: Sequence[Panel], plan: Plan, digits: Digits
) -> tuple[list[list[Any]], dict[str, Sequence[Any]]]:
    """Rows of panels with their bars, and the data sets that they name; `digits`: of values."""
    columns = plan.layout.columns
    starts = range(0, len(panels), columns)
    titled = _titled_bar(panels, plan)
    rows = [_row(panels[start : start + columns], start, plan, titled) for start in starts]
    rows[0][0].layer += _head(plan)
    texts, layout = plan.axes.texts, plan.layout
    data: dict[str, Sequence[Any]] = {
        panel.name: axes.moved(panel.rows, texts, layout) for panel in panels
    }
    data |= {panel.scale: bars.slices(bar, plan.bar) for panel in panels if (bar := panel.legend)}
    if layout.needs.margins:
        data |= _means_data(panels, plan, digits)
    return rows, data


def _head(plan: Plan) -> list[alt.Chart]:
    """The title of the figure, from where the lines below it begin."""
    if not plan.head:
        return []
    x, lift = plan.sheet.inset - plan.sheet.left, plan.sheet.above + plans.HEAD_APART
    return [sheet.title(plan.head, x, lift, "left", theme.HEAD, fontWeight=600)]


def _titled_bar(panels: Sequence[Panel], plan: Plan) -> str:
    """Name of the panel whose bar has the title of all: the last in the first row that has one."""
    columns = 1 if plan.layout.needs.shared else plan.layout.columns
    with_bars = [n for n, panel in enumerate(panels) if panel.legend]
    last = max((n for n in with_bars if n < columns), default=min(with_bars, default=0))
    return panels[last].name


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
    base = alt.Chart().encode(*plan.axes.channels(slot, plan.sheet.reach))
    lines = plan.titles.get(panel.name)
    layers = _marks(panel, base, plan) + ([_title(lines, plan)] if lines else [])
    layers += [*_row_name(slot, plan), *plan.axes.marks(slot, plan.sheet.reach)]
    layers += _means_layers(panel, plan, slot) if plan.layout.needs.margins else []
    layers += _verdict(panel, plan, slot)
    titles = dict(zip(("x", "y"), plan.axes.texts.titles, strict=True))
    places = {**panel.blocks, **_apart(titles)}
    sides = axes.sides(plan.layout)
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
    names = {at: f"{title} ({at})" if alike else title or at for at, title in titles.items()}
    return {title: f"datum.{at}" for at, title in names.items()}


def _marks(panel: Panel, base: alt.Chart, plan: Plan) -> list[alt.Chart]:
    """The marks that a panel needs, bottom first; of one without any record, words alone."""
    cell = plan.layout.cell
    if panel.bare:
        return [_nothing(plan)]
    layers = []
    if panel.bar:
        scale = bars.scale(panel.bar.scale)
        layers.append(marks.cell_marks(base, panel.bar.title, scale, **axes.sides(plan.layout)))
    if count(panel.rows, "framed") and not (plan.value and count(panel.rows, "excluded")):
        layers.append(marks.frame_marks(base, cell, plan.inset))
    layers += [stamp(base, cell) for flag, stamp in marks.STAMPS.items() if count(panel.rows, flag)]
    layers += marks.borders(panel, plan)
    if count(panel.rows, "incomplete"):
        layers += marks.corner_marks(base, cell, marks.outline_reach(panel, plan))
    if not plan.value and any(row["bold"] and row.get("differs") for row in panel.rows):
        layers.append(marks.middle_marks(base, cell))
    if plan.value and panel.bar:
        layers.append(
            marks.value_marks(base, plan.value, plans.SECOND_LINE / 2 if plan.errors else 0.0)
        )
        if plan.errors:
            layers.append(marks.spread_marks(base, plan.value / 2))
    return layers


ASCENT = 0.79
"""From the top of a line to its baseline, as a part of its size: what Vega takes."""


def _nothing(plan: Plan) -> alt.Chart:
    """What stands where a grid of panels has a place for records that there are none of."""
    width, height = plan.layout.panel
    layer: alt.Chart = sheet.single().mark_text(
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
    layer: alt.Chart = sheet.single().mark_text(
        text=list(lines) if len(lines) > 1 else lines[0],
        x=x, y=plan.layout.panel[1] / 2, angle=270, align="center", baseline="alphabetic",
        fontSize=theme.TITLE, fontWeight="bold", lineHeight=high,
    )  # fmt: skip
    return [layer]


def _verdict(panel: Panel, plan: Plan, slot: Slot) -> list[alt.Chart]:
    """The line below the name of a panel, and its ruler below the labels of x."""
    layers, lines = [], plan.lines.get(panel.name)
    if lines:
        last = axes.LIFT + ASCENT * theme.SMALL
        most = max(map(len, plan.lines.values()))  # those with fewer begin on the same line
        top = last + (most - 1) * theme.line_height(theme.SMALL)
        layers.append(sheet.quiet(lines, 0.0, -top))
    if plan.scale and panel.verdict.spread:
        under = plan.layout.box[1] + plan.below(slot)
        first = slot.first and slot.last
        layers += marks.ruler_marks(panel.verdict.spread, plan.scale, plan.ruler, under, first)
    return layers


def meanings(panels: Sequence[Panel], plan: Plan, entry: Entry, whole: bool = False) -> list[str]:
    """What the marks of a figure mean; `whole`: in the sentences of a caption."""
    explained = words.figure_meanings(panels, entry, plan.errors, bool(plan.value), whole)
    if plan.layout.needs.margins:
        explained.append(_means_meaning(panels))
    return explained


def omitted(panels: Sequence[Panel], plan: Plan, entry: Entry) -> list[str]:
    """A line each, with what would give room; nothing if all is there."""
    missing = []
    if entry.prints is None and not plan.value:
        missing.append(
            f"the numbers in its cells, which are too small for them: {_wider(plan, entry)}"
            "`text: true` prints them all the same, `text: false` asks for none"
        )
    elif plan.value and not plan.errors and any(r["spread"] for p in panels for r in p.rows):
        missing.append(
            f"the `{_second(entry)}` below its numbers, which the cells are too "
            f"small for: {_wider(plan, entry)}the tables have it"
        )
    without = [] if key_words(plan, entry) else plan.short.values()
    missing += names_cut([*plan.axes.title_cut, *without])
    return missing + names_left_out(plan.axes.unprinted)


def _second(entry: Entry) -> str:
    """What asks for a second line in cells."""
    return f"annotate: {entry.noted}" if entry.annotate else f"uncertainty: {entry.uncertainty}"


KEYED = 8
"""Names that are told below the figure, at most: more of them would be a page of their own."""


def key_words(plan: Plan, entry: Entry) -> list[str]:
    """What labels that are cut stand for; none where they are too many to be told."""
    if len(plan.short) > KEYED or not entry.footer:
        return []
    return [f"{part} = {full}" for part, full in plan.short.items()]


def _wider(plan: Plan, entry: Entry) -> str:
    if theme.width(entry.width) < theme.ROOMY:
        return "a larger `width` gives more room, "
    if plan.layout.columns == 1:
        return ""
    part = "blocks" if entry.nested else "panels"
    fewer = f"{part} beside each other" if plan.layout.needs.grid else "`columns`"
    return f"fewer {fewer} give more room, "


def _means_meaning(panels: Sequence[Panel]) -> str:
    """What stands apart, and why some of it is hatched.

    Means are of the picture, not of the grid: the unweighted mean of what a row or column shows,
    and only where all its cells are there; else it would compare different settings.
    """
    lacking = any(row["missing"] for panel in panels for row in panel.rows)
    return "set apart: means of rows and columns" + (
        ", hatched where one has a cell without a value" * lacking
    )


def _means_data(panels: Sequence[Panel], plan: Plan, digits: Digits) -> dict[str, Sequence[Any]]:
    """The data sets of the means of all panels."""
    return {_means_name(panel): _means_rows(panel, plan.layout, digits) for panel in panels}


def _means_name(panel: Panel) -> str:
    return panel.name.replace("cells", "means", 1)


def _means_middle(layout: Layout) -> tuple[float, float]:
    """Middles of the column and the row of means, which end where the box does."""
    return layout.box[0] - layout.cell[0] / 2, layout.box[1] - layout.cell[1] / 2


def _means_rows(panel: Panel, layout: Layout, digits: Digits) -> list[Row]:
    """A row per mean: columns, then rows from the lowest, then that of all.

    With its middle `px`, `py` in pt, label and ink.
    """
    (across, down), (x_end, y_end) = layout.spans, _means_middle(layout)
    columns, lines = (_line_values(panel.rows, axis) for axis in ("x", "y"))
    upright = [((a + b) / 2, y_end, part) for (a, b), part in zip(across, columns, strict=True)]
    level = [(x_end, (a + b) / 2, part) for (a, b), part in zip(down[::-1], lines, strict=True)]
    means = [_mean(px, py, part, panel, digits) for px, py, part in [*upright, *level]]
    corner = _mean(x_end, y_end, [row["value"] for row in panel.rows], panel, digits)
    return [*means, corner | {"filled": False, "missing": False, "ink": theme.INK}]


def _line_values(rows: Sequence[Row], axis: str) -> list[list[float | None]]:
    """The values of each row or column of cells."""
    names = dict.fromkeys(row[axis] for row in rows)
    return [[row["value"] for row in rows if row[axis] == name] for name in names]


def _mean(
    px: float, py: float, values: Sequence[float | None], panel: Panel, digits: Digits
) -> Row:
    numbers = [value for value in values if value is not None]
    mean = fsum(numbers) / len(numbers) if numbers and len(numbers) == len(values) else None
    return {
        "px": round(px, 3),
        "py": round(py, 3),
        "value": mean,
        "label": "" if mean is None else digits.value(mean),
        "ink": panel.bar.scale.ink(mean) if panel.bar else theme.INK,
        "filled": mean is not None,
        "missing": mean is None,
    }


def _means_layers(panel: Panel, plan: Plan, slot: Slot) -> list[alt.Chart]:
    """The marks of the means and the words that name them, where labels of the axes stand."""
    at: dict[str, Any] = {"x": alt.expr("datum.px"), "y": alt.expr("datum.py"), "aria": False}
    base = alt.Chart(alt.NamedData(_means_name(panel)))
    layers = [marks.hatch_marks(base, plan.layout.cell, **at), *_mean_words(plan, slot)]
    if panel.bar:
        fill = alt.Color(
            "value:Q", scale=bars.scale(panel.bar.scale), legend=None, title=panel.bar.title
        )
        style: dict[str, Any] = {"opacity": 1, "filled": True, **marks.EDGE, **at}
        cells = base.transform_filter("datum.filled").mark_point(
            shape=marks.rounded(*plan.layout.cell, 0.0), size=4, **style
        )
        layers.append(cells.encode(fill))
    if panel.bar and plan.value:
        numbers = base.mark_text(
            baseline="middle", align="center", color=alt.expr("datum.ink"), fontSize=plan.value,
            fontStyle="italic", dy=marks.centred(plan.value), **at,
        )  # fmt: skip
        layers.append(numbers.encode(alt.Text("label:N")))
    return layers


def _mean_words(plan: Plan, slot: Slot) -> list[alt.Chart]:
    """`mean` on the line of the labels of x, where these leave room, and beside those of y."""
    layout = plan.layout
    x, y = _means_middle(layout)
    room = widest([plans.MEAN], theme.LABEL) + widest(plan.axes.texts.x[-1:], theme.LABEL) + 4.0
    layers = []
    if slot.bottom and room / 2 <= x - (layout.panel[0] - layout.cell[0] / 2):
        layers.append(_mean_word(x, layout.box[1] + PAD, align="center", baseline="top"))
    if slot.first:
        layers.append(_mean_word(-PAD, y, align="right", baseline="middle"))
    return layers


def _mean_word(x: float, y: float, **style: Any) -> alt.Chart:
    layer: alt.Chart = sheet.single().mark_text(
        text=plans.MEAN,
        x=x,
        y=y,
        fontSize=theme.LABEL,
        fontStyle="italic",
        color=theme.INK,
        **style,
    )
    return layer
