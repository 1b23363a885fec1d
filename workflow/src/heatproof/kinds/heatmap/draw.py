"""draw: the grid of a heatmap → its figure: marks summed to panels, panels and bars in rows.

Stamps are outlines in pt around the middle of a cell: Vega takes an SVG path for a point's shape
and draws it in pixels at `size=4`.

Margins are of the picture, not of the grid: the unweighted mean of what a row or column shows, and
only where all its cells are there; else it would compare different settings.
"""

from __future__ import annotations

from dataclasses import replace
from math import fsum
from typing import TYPE_CHECKING, Any

from heatproof.charts import bars, sheet, spec, theme, wording
from heatproof.charts.labels import PAD
from heatproof.charts.lettering import widest
from heatproof.charts.wording import count
from heatproof.kinds.heatmap import (
    baseline_words,
    borders,
    cells,
    grouping,
    highlight,
    margin_bars,
    ruler,
    sizing,
    verdict,
    words,
)
from heatproof.util.lazy import altair as alt
from heatproof.util.numerals import show

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heatproof.charts.bars import Bar
    from heatproof.kinds.heatmap.cells import Panel, Place, Row
    from heatproof.kinds.heatmap.entry import Entry
    from heatproof.kinds.heatmap.layout import Slot
    from heatproof.kinds.heatmap.sizing import Plan
    from heatproof.kinds.heatmap.verdict import Verdict
    from heatproof.util.lazy import polars as pl

    Size = tuple[float, float]


HIGH = "more `columns` of panels, a larger `width` or fewer values make it lower"


def draw(grid: pl.DataFrame, entry: Entry, *, notes: Sequence[str] = ()) -> alt.TopLevelConcatSpec:
    """The figure of a grid; `notes` are printed first below the panels."""
    highlight.require_cells(grid, entry)
    factor = 100.0 if entry.shows_percent else 1.0
    shown = "none" if entry.marks == "none" else entry.uncertainty
    rows = cells.cell_table(grid, entry, factor, shown)
    names = cells.panel_names(grid, rows, entry)
    judged = (grid, entry, factor, names.format)
    said, short = _verdicts(*judged)
    short = baseline_words.verdicts(rows, entry) if entry.relative_to else short
    parts = cells.split_panels(rows, entry, names, said, short)
    plan = sizing.plan(parts, entry, names, words.ruler_end(parts, entry))
    lines = footer_lines(parts, plan, notes, entry)
    if entry.margins == "bar":
        margin_bars.require_lengths(parts, entry)
    opening = words.spoken_figure(names, entry.shows_percent and not entry.relative_to)
    opening += f" {baseline_words.spoken_baseline(entry)}" if entry.relative_to else ""
    told = [opening, *(part.description for part in parts)]
    chart = compose_figure(parts, plan, names.format, lines, " ".join([*told, *notes]))
    high = wording.beyond_page(plan.sheet.tall(lines), entry, HIGH)
    spec.with_omitted(chart, [*words.omitted(parts, plan, entry), *high])
    uneven = entry.margins or entry.groups
    return spec.with_places(chart, sizing.places(plan.layout) if uneven else [])


def _verdicts(
    grid: pl.DataFrame, entry: Entry, factor: float, spec: str
) -> tuple[dict[Place, list[str]], dict[Place, Verdict]]:
    """Labels of a panel → what is read out of its verdict, and what is shown."""
    if (
        entry.uncertainty != "tied"
        or entry.relative_to
        or (entry.marks == "none" and not entry.rulers)
    ):
        return {}, {}
    short = verdict.verdicts_by_panel(grid, entry, factor, spec)
    if entry.marks == "none":
        short = {label: one._replace(line="") for label, one in short.items()}
    return words.verdicts_of(grid, entry, factor, spec), short


def cell_marks(base: alt.Chart, title: str, of: alt.Scale, **sides: Any) -> alt.Chart:
    """Filled cells; a hairline keeps the light ones apart from the paper."""
    fill = alt.Color("value:Q", scale=of, legend=None, title=title)
    edge: dict[str, Any] = {"stroke": "#000000", "strokeOpacity": 0.14, "strokeWidth": 0.5}
    shown = base.transform_filter("!datum.missing")
    layer: alt.Chart = shown.mark_rect(aria=False, **edge, **sides).encode(fill)
    return layer


def value_marks(base: alt.Chart, size: float, lift: float = 0.0) -> alt.Chart:
    """The value of each cell in the ink that reads best on it, the best one bold."""
    weight = alt.expr("datum.bold ? 'bold' : 'normal'")
    return _text(base, "label:N", size, 0.5 - lift, fontWeight=weight)


def spread_marks(base: alt.Chart, drop: float) -> alt.Chart:
    """The uncertainty of each cell, small, below its value."""
    return _text(base, "spread:N", theme.SMALL, drop)


def _text(base: alt.Chart, field: str, size: float, dy: float, **how: Any) -> alt.Chart:
    ink = alt.expr("datum.ink")
    mark = base.mark_text(fontSize=size, dy=dy, baseline="middle", color=ink, aria=False, **how)
    layer: alt.Chart = mark.encode(alt.Text(field))
    return layer


def frame_marks(base: alt.Chart, cell: Size, inset: float) -> alt.Chart:
    """A frame inside each cell that is framed, in its ink, `inset` from its edge."""
    path = rounded(cell[0] - 2 * inset, cell[1] - 2 * inset, min(1.5, min(cell) / 8))
    return _stamp(base, "framed", path, stroke=alt.expr("datum.ink"), strokeWidth=0.9)


def dot_marks(base: alt.Chart, cell: Size) -> alt.Chart:
    """A dot in the upper right corner of cells that are not distinguishable from the best."""
    radius = 0.85 if min(cell) >= 8 else min(cell) / 10
    path = disc(cell[0] / 2 - 2.4 * radius, 2.4 * radius - cell[1] / 2, radius)
    return _stamp(base, "dotted", path, fill=alt.expr("datum.ink"))


def middle_marks(base: alt.Chart, cell: Size) -> alt.Chart:
    """A dot in the middle of cells without digits that would be bold."""
    path = disc(0.0, 0.0, min(cell) / 8)
    return _stamp(base, "bold", path, fill=alt.expr("datum.ink"))


def corner_marks(base: alt.Chart, cell: Size) -> alt.Chart:
    """A filled lower left corner in cells that are incomplete."""
    side, (x, y) = min(4.0, 0.3 * min(cell)), (-cell[0] / 2, cell[1] / 2)
    path = f"M{x:.3f},{y:.3f}v{-side:.3f}l{side:.3f},{side:.3f}Z"
    return _stamp(base, "incomplete", path, fill=alt.expr("datum.ink"))


def hatch_marks(base: alt.Chart, cell: Size) -> alt.Chart:
    """Slanted lines in cells without data: no palette has them."""
    path = hatching(*cell, 3.2 if min(cell) >= 8 else 2.2)
    ground: dict[str, Any] = {"fill": theme.FAINT, "stroke": theme.LINE, "strokeWidth": 0.5}
    return _stamp(base, "missing", path, **ground)


def _stamp(base: alt.Chart, flag: str, path: str, **how: Any) -> alt.Chart:
    style: dict[str, Any] = {
        "fill": "transparent",
        "stroke": None,
        "opacity": 1,
        "aria": False,
        **how,
    }
    layer: alt.Chart = base.transform_filter(f"datum.{flag}").mark_point(
        shape=path, size=4, **style
    )
    return layer


def rounded(width: float, height: float, radius: float) -> str:
    """Path of a rounded rectangle around 0, 0."""
    wide, high, r = width - 2 * radius, height - 2 * radius, radius
    start = f"M{-wide / 2:.3f},{-height / 2:.3f}h{wide:.3f}"
    turns = (f"{r},{r}", f"{-r},{r}", f"{-r},{-r}", f"{r},{-r}")
    sides = (f"v{high:.3f}", f"h{-wide:.3f}", f"v{-high:.3f}", "Z")
    return start + "".join(f"a{r},{r},0,0,1,{t}{s}" for t, s in zip(turns, sides, strict=True))


def disc(x: float, y: float, radius: float) -> str:
    """Path of a disc around x, y."""
    r, across = radius, f"{2 * radius:.3f}"
    start = f"M{x - r:.3f},{y:.3f}"
    return f"{start}a{r},{r},0,1,1,{across},0a{r},{r},0,1,1,-{across},0Z"


def hatching(width: float, height: float, spacing: float) -> str:
    """Path of an outline around 0, 0 with slanted lines, all inside it."""
    x, y = width / 2, height / 2
    path, at = (
        f"M{-x:.3f},{-y:.3f}h{width:.3f}v{height:.3f}h{-width:.3f}v{-height:.3f}",
        spacing / 2,
    )
    while at < width + height:
        # The line x + y = at, counted from the upper left corner, clipped to the cell.
        low, high = min(at, height), min(at, width)
        path += f"M{at - low - x:.3f},{low - y:.3f}L{high - x:.3f},{at - high - y:.3f}"
        at += spacing * 2**0.5
    return path


STAMPS = {
    "missing": hatch_marks,
    "dotted": dot_marks,
    "incomplete": corner_marks,
}
"""Flag of a cell → the mark that shows it, where any cell has it."""


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
        data |= _margins(panels, plan, spec)
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
    layers += [*_row_name(slot, plan), *plan.axes.brackets_of(plan.layout, slot)]
    layers += margin_layers(panel, plan, slot) if plan.layout.needs.margins else []
    layers += _verdict(panel, plan, slot)
    places = _apart(dict(zip(("x", "y"), plan.axes.titles, strict=True)))
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
        layers.append(cell_marks(base, panel.bar.title, scale, **grouping.sides(plan.layout)))
    if count(panel.rows, "framed"):
        layers.append(frame_marks(base, cell, plan.inset))
    layers += [stamp(base, cell) for flag, stamp in STAMPS.items() if count(panel.rows, flag)]
    layers += borders.borders(panel, plan)
    if not plan.value and any(row["bold"] and row.get("differs") for row in panel.rows):
        layers.append(middle_marks(base, cell))
    if plan.value and panel.bar:
        layers.append(value_marks(base, plan.value, sizing.SECOND_LINE / 2 if plan.errors else 0.0))
        if plan.errors:
            layers.append(spread_marks(base, plan.value / 2))
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
    said = [
        ": ".join([*panel.title[-1:], panel.verdict.line])
        for panel in panels
        if panel.verdict.line and not plan.lines
    ]
    meant = words.occurring_meanings(panels, entry, plan.errors, bool(plan.value))
    meant += (
        [margin_meaning(panels, plan.layout.needs.bars is not None)]
        if plan.layout.needs.margins
        else []
    )
    meant += words.key_words(plan, entry)
    return sheet.lines([*notes, *said], meant, plan.sheet.text)


MARGINS = "set apart: means of rows and columns"
MARGINS_LACKING = ", hatched where one has a cell without a value"
BARS_LACKING = ", – where one has a cell without a value"


def margin_meaning(panels: Sequence[Panel], bars: bool) -> str:
    """What stands apart, and why some of it is hatched."""
    lacking = any(row["missing"] for panel in panels for row in panel.rows)
    if bars:
        return MARGINS + ", bars from 0" + BARS_LACKING * lacking
    return MARGINS + MARGINS_LACKING * lacking


def _margins(panels: Sequence[Panel], plan: Plan, spec: str) -> dict[str, Sequence[Any]]:
    """The data sets of the means of all panels."""
    found = {margin_data(panel): margin_rows(panel, plan, spec) for panel in panels}
    if not plan.layout.needs.bars:
        return {**found}
    most = margin_bars.longest(found.values())
    return {name: margin_bars.rows(means, plan, most) for name, means in found.items()}


def margin_data(panel: Panel) -> str:
    """Name of the data set of a panel's means."""
    return panel.name.replace("cells", "means", 1)


def margin_rows(panel: Panel, plan: Plan, spec: str) -> list[Row]:
    """A row per mean, with its middle `px`, `py` in pt, label and ink; the last is that of all."""
    columns, lines = (_by(panel.rows, axis) for axis in ("x", "y"))
    (x_end, y_end), (wide, high) = plan.layout.apart, sizing.spans(plan.layout)
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


def margin_layers(panel: Panel, plan: Plan, slot: Slot) -> list[alt.Chart]:
    """The marks of the means and the words that name them, where labels of the axes stand."""
    at: dict[str, Any] = {"x": alt.expr("datum.px"), "y": alt.expr("datum.py"), "aria": False}
    base = alt.Chart(alt.NamedData(margin_data(panel)))
    if plan.layout.needs.bars:
        return [*margin_bars.layers(base, plan.value), *_names(plan, slot)]
    found = [_hatches(base, plan, at), *_names(plan, slot)]
    if panel.bar:
        found.append(_fills(base, panel.bar, plan, at))
    if panel.bar and plan.value:
        text: dict[str, Any] = {"fontSize": plan.value, "fontStyle": "italic", "dy": 0.5}
        ink = alt.expr("datum.ink")
        mark = base.mark_text(baseline="middle", align="center", color=ink, **text, **at)
        found.append(mark.encode(alt.Text("label:N")))
    return found


def _fills(base: alt.Chart, bar: Bar, plan: Plan, at: dict[str, Any]) -> alt.Chart:
    edge: dict[str, Any] = {"stroke": "#000000", "strokeOpacity": 0.14, "strokeWidth": 0.5}
    scale = bars.scale(bar.scale)
    fill = alt.Color("value:Q", scale=scale, legend=None, title=bar.title)
    shape = rounded(*plan.layout.cell, 0.0)
    shown = base.transform_filter("datum.filled")
    layer: alt.Chart = shown.mark_point(
        shape=shape, size=4, opacity=1, filled=True, **edge, **at
    ).encode(fill)
    return layer


def _hatches(base: alt.Chart, plan: Plan, at: dict[str, Any]) -> alt.Chart:
    ground: dict[str, Any] = {"fill": theme.FAINT, "stroke": theme.LINE, "strokeWidth": 0.5}
    path = hatching(*plan.layout.cell, 3.2 if min(plan.layout.cell) >= 8 else 2.2)
    missing = base.transform_filter("datum.missing")
    layer: alt.Chart = missing.mark_point(shape=path, size=4, opacity=1, **ground, **at)
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
