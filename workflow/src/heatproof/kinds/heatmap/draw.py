"""draw: the grid of a heatmap → its figure: marks summed to panels, panels and bars in rows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from heatproof.charts import bars, sheet, spec, theme, wording
from heatproof.charts.lettering import PAD, widest
from heatproof.charts.wording import names_cut, names_left_out
from heatproof.kinds import states
from heatproof.kinds.heatmap import axes, cells, marks, planning, remarks, words
from heatproof.kinds.heatmap.cell import read_cells
from heatproof.kinds.heatmap.ordering import MEAN
from heatproof.kinds.heatmap.panels import split_panels
from heatproof.kinds.heatmap.verdicts import verdicts
from heatproof.kinds.picture import Picture, Remark, aside
from heatproof.util.lazy import altair as alt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heatproof.kinds.heatmap.entry import Entry
    from heatproof.kinds.heatmap.layout import Slot
    from heatproof.kinds.heatmap.panels import Panel
    from heatproof.kinds.heatmap.planning import Plan
    from heatproof.util.lazy import polars as pl

HIGH = "more `columns` of panels, a larger `width` or fewer values make it lower"
LOW = "a larger `width` or fewer values make it lower"
KEYED = 8  # names that are spelled out below the figure, at most: more would be a page of their own


def picture(grid: pl.DataFrame, entry: Entry) -> Picture:
    """The picture of a heatmap.

    Its margins are unweighted means of rows and columns in which all cells have values: others
    would compare different settings.
    """
    question = entry.question
    shown = "none" if question.marks == "none" else question.uncertainty
    table = read_cells(grid, question, shown)
    names = cells.figure_names(grid, table, question)
    judged = verdicts(table, question, names.numbers)
    parts = split_panels(table, entry, names, judged)
    plan = planning.plan(parts, entry, names)
    titled = question.relative_to or question.several  # by a title that has the unit
    percent = " in percent" if question.shows_percent and not titled else ""
    along, up = words.axis_words(question)
    opening = f"Heatmap of {names.value}{percent} over {along} (x) and {up} (y)."
    if entry.relative_to:
        base = words.baseline_name(question)
        opening += f" Each cell is its own value minus that of the baseline: {base}."
    bold = any(plan.axes.bold_labels(panel.verdict.tops) for panel in parts)
    meanings = remarks.figure_remarks(parts, entry, plan.layout.errors, bool(plan.value), bold)
    if question.marks != "none" and not question.relative_to:
        meanings += map(aside, words.doubts(grid, question))
    rows = [row for panel in parts for row in panel.rows]
    if entry.margins:
        lacking = any(row.missing for row in rows)
        hatched = ", hatched where one has a cell without a value" * lacking
        meanings.append(Remark(f"set apart: means of {words.means_words(rows, question)}{hatched}"))
    spelled = entry.footer and len(plan.short) <= KEYED
    short = [f"{part} = {full}" for part, full in plan.short.items()]
    lost = _numbers_left_out(parts, plan, entry)
    names_gone = [*plan.axes.title_cut, *([] if spelled else plan.short.values())]
    return Picture(
        shows=f"{question.value_title} by {along} (across) and {up} (up)", noun="cell", rows=rows,
        sheet=plan.sheet, charts=lambda: charts(parts, plan),
        meanings=[*meanings, *(map(Remark, short) if spelled else [])],
        spoken=[opening, *(part.description for part in parts)],
        places=plan.layout.places() if entry.margins else [],
        omitted=[*lost, *names_cut(names_gone), *names_left_out(plan.axes.unprinted)],
        mend=LOW if question.nested else HIGH,
    )  # fmt: skip


def charts(panels: Sequence[Panel], plan: Plan) -> tuple[list[list[Any]], dict[str, Sequence[Any]]]:
    """Rows of panels with their bars, and the data sets that they name.

    Bars stand beside panels, or at the end of a row; a bar of several rows reaches out of its box.
    One has a title: the last in the first row.
    """
    layout, page = plan.layout, plan.sheet
    columns = 1 if layout.shared else layout.columns
    with_bars = [n for n, panel in enumerate(panels) if panel.legend]
    titled = max((n for n in with_bars if n < columns), default=min(with_bars, default=0))
    rows: list[list[Any]] = []
    for n, panel in enumerate(panels):
        slot, last = layout.slot(n), (n + 1) % layout.columns == 0
        rows += [[]] if slot.first else []
        rows[-1].append(_panel(panel, slot, plan))
        spanned = layout.tall and not slot.top  # the bar of the first row reaches down here
        between = layout.shared and (spanned or not (last or n == len(panels) - 1))
        if not plan.room or between:
            continue
        number = n - n % layout.columns if layout.shared else n  # of the panel whose bar it is
        room = plan.room if layout.shared or last else plan.room + layout.gap - bars.GAP
        bar = None if spanned else panels[number].legend
        if bar is None:
            rows[-1].append(sheet.blank(room, page.height))
        else:
            bar = bar if number == titled else replace(bar, title="")
            high = page.reach if layout.tall else page.height
            rows[-1].append(bars.chart(bar, high, room, axes.LIFT, page.height))
    data: dict[str, Sequence[Any]] = {
        panel.name: [row.data() for row in panel.rows] for panel in panels
    }
    if any(panel.question.means for panel in panels):
        data |= {_means(panel): _means_rows(panel, plan) for panel in panels}
    return rows, data


def _panel(panel: Panel, slot: Slot, plan: Plan) -> alt.LayerChart:
    width, height = plan.layout.box
    bold = plan.axes.bold_labels(panel.verdict.tops)
    base = alt.Chart().encode(*plan.axes.channels(slot, plan.sheet.reach, bold))
    if panel.bare:  # without any record: words alone
        wide, high = plan.layout.panel
        layers = [sheet.words(
            [states.NO_RECORD], wide / 2, high / 2, theme.SMALL,
            align="center", baseline="middle", color=theme.QUIET, aria=False,
        )]  # fmt: skip
    else:
        layers = marks.cell_marks(panel, base, plan)
    if lines := plan.titles.get(panel.name):
        layers += sheet.name(lines, panel.letter, axes.LIFT)
    if slot.first and plan.axes.rows:  # the name of the row, turned, left of all that is its
        layers.append(sheet.words(
            plan.axes.rows[slot.row], theme.TITLE - plan.axes.left, plan.layout.panel[1] / 2,
            theme.TITLE, fontWeight="bold", lineHeight=theme.line_height(theme.TITLE),
            angle=270, align="center", baseline="alphabetic",
        ))  # fmt: skip
    layers += plan.axes.marks(slot, plan.sheet.reach)
    layers += _means_layers(panel, plan, slot) if panel.question.means else []
    x, y = plan.axes.texts.names
    # Titles that are alike get the name of their axis, which stands alone where there is none.
    places = {f"{x} (x)": "x", f"{y} (y)": "y"} if x == y else {x or "x": "x", y or "y": "y"}
    own = panel.question
    blocks = [wording.column(name, own.labels) or name for name in own.panels if own.nested]
    answers = {title: f"datum.panel[{n}]" for n, title in enumerate(blocks)}
    answers |= {title: f"datum.{at}" for title, at in places.items()}
    layers.append(spec.layer(base, answers, cells.cell_answers(panel.rows, own)))
    return alt.LayerChart(
        layer=layers, data=alt.NamedData(panel.name),
        width=width, height=height, description=panel.description,
    )  # fmt: skip


def _numbers_left_out(panels: Sequence[Panel], plan: Plan, entry: Entry) -> list[str]:
    """A line on numbers without room in their cells, with the way out."""
    question = entry.question
    part = "blocks" if question.nested else "panels"
    fewer = f"{part} beside each other" if plan.layout.grid else "`columns`"
    wider = f"fewer {fewer} make room, " * (plan.layout.columns > 1)
    if theme.width(entry.width) < theme.ROOMY:
        wider = "a larger `width` makes room, "
    if entry.prints is None and not plan.value:
        way = "`text: true` prints them anyway, `text: false` leaves them out"
        return [f"the numbers in its cells, which are too small for them: {wider}{way}"]
    if plan.value and not plan.layout.errors and any(r.spread for p in panels for r in p.rows):
        key = (
            f"annotate: {question.noted}" if entry.annotate else f"uncertainty: {entry.uncertainty}"
        )
        below = f"the `{key}` below its numbers, which does not fit into the cells"
        return [f"{below}: {wider}the tables have it"]
    return []


def _means(panel: Panel) -> str:
    """Name of the data set of its means."""
    return panel.name.replace("cells", "means", 1)


def _means_rows(panel: Panel, plan: Plan) -> list[dict[str, Any]]:
    """A row per mean, with its box and, for the page, of which cells and groups it is.

    `of`: the first and the last number of the cells along x, and along y, counted as in the grid.
    """
    order = {at: [*dict.fromkeys(getattr(row, at) for row in panel.rows)] for at in ("x", "y")}
    means, (across, down) = [], map(plan.layout.all_spans, (0, 1))
    for (m, y), (n, x), rows in cells.crossings(panel.rows, plan.axes.texts.lines):
        if not (x.mean or y.mean):
            continue
        mean, (left, right), (top, foot) = cells.mean_of(rows), across[n], down[m]
        of = [
            sorted(order[axis].index(line.values[end]) for end in (0, -1))
            for axis, line in (("x", x), ("y", y))
        ]
        bare = x.outer and y.outer  # the mean of all has no colour
        filled = mean is not None and not bare
        box = {"left": left, "right": right, "top": top, "foot": foot}
        means.append({
            **{side: round(place, 3) for side, place in box.items()}, "value": mean,
            "label": cells.mean_text(rows, panel.digits, ""),
            "ink": panel.bar.scale.ink(mean) if panel.bar and filled else theme.INK,
            "filled": filled, "missing": mean is None and not bare,
            "of": [*of[0], *of[1]],
            "groups": [x.group * x.mean, y.group * y.mean],
        })  # fmt: skip
    return means


def _means_layers(panel: Panel, plan: Plan, slot: Slot) -> list[alt.Chart]:
    """The marks of the means, and the word `mean` among labels where these leave room."""
    layout, (wide, high) = plan.layout, plan.layout.cell
    x, y = layout.box[0] - wide / 2, layout.box[1] - high / 2
    style: dict[str, Any] = {"fontStyle": "italic", "color": theme.INK}
    middle: dict[str, Any] = {
        "x": alt.expr("(datum.left + datum.right) / 2"),
        "y": alt.expr("(datum.top + datum.foot) / 2"),
    }
    base = alt.Chart(alt.NamedData(_means(panel)))
    layers = [marks.hatch_marks(base, layout.cell, **middle)]
    room = widest([MEAN], theme.LABEL) + widest(plan.axes.texts.x[-1:], theme.LABEL) + 4.0
    if layout.margins[0] and slot.bottom and room / 2 <= x - (layout.panel[0] - wide / 2):
        top = layout.box[1] + PAD
        layers.append(sheet.words([MEAN], x, top, align="center", baseline="top", **style))
    if layout.margins[1] and slot.first:
        layers.append(sheet.words([MEAN], -PAD, y, align="right", baseline="middle", **style))
    if not panel.bar:
        return layers
    boxes = spec.boxed().properties(data=alt.NamedData(_means(panel)))
    layers.append(bars.filled(boxes.transform_filter("datum.filled"), panel.bar, **marks.EDGE))
    if plan.value:
        numbers = base.mark_text(
            baseline="middle", align="center", color=alt.expr("datum.ink"), fontSize=plan.value,
            fontStyle="italic", dy=marks.centred(plan.value), aria=False, **middle,
        )  # fmt: skip
        layers.append(numbers.encode(alt.Text("label:N")))
    return layers
