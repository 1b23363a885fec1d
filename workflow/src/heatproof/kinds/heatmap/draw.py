"""draw: the grid of a heatmap → its figure: marks summed to panels, panels and bars in rows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from heatproof.charts import bars, sheet, spec, theme, wording
from heatproof.charts.lettering import PAD, widest
from heatproof.charts.spec import data_chart, datum
from heatproof.charts.wording import names_cut, names_left_out
from heatproof.kinds import looks
from heatproof.kinds.heatmap import axes, cells, marks, planning, remarks, words
from heatproof.kinds.heatmap.cell import read_cells
from heatproof.kinds.heatmap.panels import all_cells, split_panels
from heatproof.kinds.heatmap.verdicts import verdicts
from heatproof.kinds.lattice import MEAN, crossings
from heatproof.kinds.picture import Picture, Remark, aside
from heatproof.util.lazy import altair as alt

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from heatproof.charts.spec import ChartKeys, Datum
    from heatproof.kinds.columns import Grid
    from heatproof.kinds.heatmap.cell import DrawnCells, Shown
    from heatproof.kinds.heatmap.entry import Entry
    from heatproof.kinds.heatmap.layout import Slot
    from heatproof.kinds.heatmap.panels import AllPanels, Panel
    from heatproof.kinds.heatmap.planning import HeatmapPlan
    from heatproof.kinds.picture import Layers
    from heatproof.kinds.question import Question

HIGH = "more `columns` of panels, a larger `width` or fewer values make it lower"
LOW = "a larger `width` or fewer values make it lower"
KEYED = 8  # names that are spelled out below the figure, at most: more would be a page of their own


def picture(grid: Grid, entry: Entry) -> Picture:
    """The picture of a heatmap.

    Its margins are unweighted means of rows and columns in which all cells have values: others
    would compare different settings.
    """
    question = entry.question
    shown_spread: Shown = question.uncertainty
    if question.marks == "none":
        shown_spread = "none"
    table = read_cells(grid, question, shown_spread)
    names = cells.names_of_figure(grid, table, question)
    judged = verdicts(table, question, names.numbers)
    panels = split_panels(table, entry, names, judged)
    plan = planning.plan_heatmap(panels, entry, names)
    meanings = _heatmap_meanings(panels, plan, entry)
    spelled = entry.footer and len(plan.short) <= KEYED
    cut = list(plan.axes.title_cut)
    if spelled:
        for short_name, full in plan.short.items():
            meanings.append(Remark(f"{short_name} = {full}"))
    else:
        cut += plan.short.values()
    omitted = _numbers_left_out(panels, plan, entry) + names_cut(cut)
    x_words, y_words = words.axis_words(question)
    return Picture(
        shows=f"{question.value_title} by {x_words} (across) and {y_words} (up)",
        noun="cell",
        rows=all_cells(panels),
        sheet=plan.sheet,
        charts=lambda: charts(panels, plan),
        meanings=meanings,
        spoken=[_opening(names.value, question), *(panel.description for panel in panels)],
        places=plan.layout.places() if entry.margins else [],
        omitted=omitted + names_left_out(plan.axes.unprinted),
        mend=LOW if question.nested else HIGH,
    )


def _opening(value: str, question: Question) -> str:
    """The figure in a sentence; `value`: what its values are called."""
    titled = question.relative_to or question.several  # by a title that has the unit
    percent = ""
    if question.shows_percent and not titled:
        percent = " in percent"
    x_words, y_words = words.axis_words(question)
    opening = f"Heatmap of {value}{percent} over {x_words} (x) and {y_words} (y)."
    if not question.relative_to:
        return opening
    base = words.baseline_name(question)
    return f"{opening} Each cell is its own value minus that of the baseline: {base}."


def _heatmap_meanings(panels: AllPanels, plan: HeatmapPlan, entry: Entry) -> list[Remark]:
    """What marks mean, why cells are not judged, and of what there are means."""
    question = entry.question
    bold = any(plan.axes.bold_labels(panel.verdict.tops) for panel in panels)
    errors = plan.layout.errors
    values = bool(plan.value)
    rows = all_cells(panels)
    meanings = remarks.figure_remarks(panels, entry, errors, values, bold)
    if question.marks != "none" and not question.relative_to:
        meanings += map(aside, words.doubts(rows, question))
    if entry.margins:
        text = f"set apart: means of {words.means_words(rows, question)}"
        if any(cell.missing and not cell.meets_itself for cell in rows):
            text += f", {looks.MISSING.mark} where one has a cell without a value"
        meanings.append(Remark(text))
    return meanings


def _numbers_left_out(panels: AllPanels, plan: HeatmapPlan, entry: Entry) -> list[str]:
    """A line on numbers without room in their cells, with the way out."""
    question = entry.question
    layout = plan.layout
    wider = ""
    if entry.page_width < theme.ROOMY:
        wider = "a larger `width` makes room, "
    elif layout.columns > 1:
        neighbours = f"{words.panel_noun(question)}s beside each other"
        wider = f"fewer {neighbours if layout.grid else '`columns`'} make room, "
    if entry.prints is None and not plan.value:
        way = "`text: true` prints them anyway, `text: false` leaves them out"
        return [f"the numbers in its cells, which are too small for them: {wider}{way}"]
    if not plan.value or layout.errors:
        return []
    if not any(cell.spread for cell in all_cells(panels)):
        return []
    key = f"uncertainty: {entry.uncertainty}"
    if entry.annotate:
        key = f"annotate: {question.noted}"
    second_line = f"the `{key}` below its numbers, which does not fit into the cells"
    return [f"{second_line}: {wider}the tables have it"]


# -------------------------------------------------------------------------------------- the charts


def charts(
    panels: AllPanels, plan: HeatmapPlan
) -> tuple[list[list[Any]], dict[str, Sequence[Any]]]:
    """Rows of panels with their bars, and the data sets that they name."""
    rows: list[list[Any]] = []
    for number, panel in enumerate(panels):
        slot = plan.layout.slot(number)
        if slot.first:
            rows.append([])
        rows[-1].append(_draw_panel(panel, slot, plan))
        rows[-1] += _bar_beside(number, panels, plan)
    data: dict[str, Sequence[Any]] = {}
    for panel in panels:
        data[panel.name] = [cell.data() for cell in panel.rows]
    for panel in panels:
        if panel.question.means:
            data[_means(panel)] = _means_rows(panel, plan)
    return rows, data


def _bar_beside(number: int, panels: AllPanels, plan: HeatmapPlan) -> list[Any]:
    """The bar right of a panel, or the room of one; at the end of a row, where bars are shared.

    A bar of several rows reaches out of its box.
    """
    layout = plan.layout
    page = plan.sheet
    last = (number + 1) % layout.columns == 0
    spanned = layout.tall and not layout.slot(number).top  # the first row's reaches down here
    ends = last or number == len(panels) - 1
    if not plan.room or (layout.shared and (spanned or not ends)):
        return []
    owner = number
    if layout.shared:
        owner = number - number % layout.columns
    room: float = plan.room
    if not (layout.shared or last):
        room += layout.gap - bars.GAP
    bar = None
    if not spanned:
        bar = panels[owner].legend
    if bar is None:
        return [sheet.blank(room, page.height)]
    if layout.grid and number >= layout.columns:  # rows of a grid have no room above them
        bar = replace(bar, title="")
    high = page.height
    if layout.tall:
        high = page.reach
    return [bars.chart(bar, high, room, axes.LIFT, page.height)]


def _draw_panel(panel: Panel, slot: Slot, plan: HeatmapPlan) -> alt.LayerChart:
    width, height = plan.layout.box
    _, high = plan.layout.panel
    bold = plan.axes.bold_labels(panel.verdict.tops)
    channels = plan.axes.channels(slot, plan.sheet.reach, bold)
    base = alt.Chart().encode(*channels)
    layers = marks.cell_marks(panel, base, plan)
    lines = plan.titles.get(panel.name)
    if lines:
        layers += sheet.name(lines, panel.letter, axes.LIFT)
    if slot.first and plan.axes.rows:  # the name of the row, turned, left of all that is its
        style = {"align": "center", "baseline": "alphabetic", "angle": 270, "fontWeight": "bold"}
        name = sheet.words(
            plan.axes.rows[slot.row], theme.TITLE - plan.axes.left, high / 2, theme.TITLE,
            lineHeight=theme.line_height(theme.TITLE), **style,
        )  # fmt: skip
        layers.append(name)
    layers += plan.axes.marks(slot, plan.sheet.reach)
    if panel.question.means:
        layers += _means_layers(panel, plan, slot)
    answers = cells.cell_answers(panel.rows, panel.question)
    layers.append(spec.layer(base, _cell_places(panel, plan), answers))
    return alt.LayerChart(
        layer=layers,
        data=alt.NamedData(panel.name),
        width=width,
        height=height,
        description=panel.description,
    )


def _cell_places(panel: Panel, plan: HeatmapPlan) -> dict[str, str]:
    """What a cell answers of its place: title → expression of its text."""
    question, places = panel.question, {}
    if question.nested:
        for number, name in enumerate(question.panels):
            title = wording.column(name, question.labels) or name
            places[title] = f"datum.panel[{number}]"
    x, y = plan.axes.texts.names
    # Titles that are alike get the name of their axis, which stands alone where there is none.
    if x == y:
        return places | {f"{x} (x)": "datum.x", f"{y} (y)": "datum.y"}
    return places | {x or "x": "datum.x", y or "y": "datum.y"}


# ----------------------------------------------------------------------------------------- margins


def _means(panel: Panel) -> str:
    """Name of the data set of its means."""
    return f"means {panel.label}".strip()


def _means_rows(panel: Panel, plan: HeatmapPlan) -> list[Datum]:
    """A row per mean, with its box and, for the page, of which cells and groups it is.

    `of`: the first and the last number of the cells along x, and along y, counted as in the grid.
    """
    x_labels = dict.fromkeys(cell.x for cell in panel.rows)
    y_labels = dict.fromkeys(cell.y for cell in panel.rows)
    column_numbers = {label: number for number, label in enumerate(x_labels)}
    row_numbers = {label: number for number, label in enumerate(y_labels)}
    lattice = plan.layout.lattice
    means = []
    for crossing in crossings(panel.rows, lattice.lines):
        if not crossing.is_mean:
            continue
        x = lattice.lines[0][crossing.column]
        y = lattice.lines[1][crossing.row]
        ends = column_numbers[x.values[0]], column_numbers[x.values[-1]]
        reach = sorted(ends)
        ends = row_numbers[y.values[0]], row_numbers[y.values[-1]]
        reach += sorted(ends)
        groups = [x.group if x.mean else "", y.group if y.mean else ""]
        sides = lattice.box(crossing.column, crossing.row)._asdict().items()
        row = {side: round(place, 3) for side, place in sides}
        bare = x.outer and y.outer  # the mean of all has no colour
        row |= _mean_look(crossing.cells, panel, bare=bare)
        means.append(row | {"of": reach, "groups": groups})
    return means


def _mean_look(rows: DrawnCells, panel: Panel, *, bare: bool) -> Datum:
    """The mean of some cells, and how it is drawn; `bare`: without a colour."""
    mean = cells.mean_of(rows)
    ink = theme.INK
    filled = mean is not None and not bare
    if panel.bar and mean is not None and not bare:
        ink = panel.bar.scale.ink(mean)
    return {
        "value": mean,
        "label": cells.mean_text(rows, panel.digits, ""),
        "ink": ink,
        "filled": filled,
        "missing": mean is None and not bare,
    }


def _means_layers(panel: Panel, plan: HeatmapPlan, slot: Slot) -> Layers:
    """The marks of the means, and the word `mean` among labels where these leave room."""
    middle: ChartKeys = {
        "x": alt.expr("(datum.left + datum.right) / 2"),
        "y": alt.expr("(datum.top + datum.foot) / 2"),
    }
    base = data_chart(_means(panel))
    layers = marks.missing_marks(base, plan.layout.cell, **middle)
    layers += _mean_labels(plan, slot)
    if not panel.bar:
        return layers
    boxes = spec.boxed().properties(data=alt.NamedData(_means(panel)))
    filled = boxes.transform_filter("datum.filled")
    layers.append(bars.filled(filled, panel.bar, **marks.EDGE))
    if plan.value:
        numbers = base.mark_text(
            baseline="middle", align="center", color=datum("ink"), fontSize=plan.value,
            fontStyle="italic", dy=marks.centred(plan.value), aria=False, **middle,
        )  # fmt: skip
        layers.append(numbers.encode(alt.Text("label:N")))
    return layers


def _mean_labels(plan: HeatmapPlan, slot: Slot) -> Iterator[alt.Chart]:
    """The word `mean` below the last column, and left of the last row."""
    layout = plan.layout
    wide, high = plan.layout.cell
    x = layout.box[0] - wide / 2
    y = layout.box[1] - high / 2
    style: ChartKeys = {"fontStyle": "italic", "color": theme.INK}
    last_label = plan.axes.texts.x[-1:]
    room = widest([MEAN], theme.LABEL) + widest(last_label, theme.LABEL) + 4.0
    last_middle = layout.panel[0] - wide / 2
    fits = room / 2 <= x - last_middle
    if layout.margins[0] and slot.bottom and fits:
        top = layout.box[1] + PAD
        yield sheet.words([MEAN], x, top, align="center", baseline="top", **style)
    if layout.margins[1] and slot.first:
        yield sheet.words([MEAN], -PAD, y, align="right", baseline="middle", **style)
