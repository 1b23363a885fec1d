"""forest: settings below each other, each with its value and its interval."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from heatproof.charts import quantity, series, sheet, theme, wording
from heatproof.charts.lettering import PAD, cut, widest
from heatproof.charts.spec import data_name, datum
from heatproof.config.choice import Word  # noqa: TC001  msgspec looks it up
from heatproof.kinds import dumbbells, frame, states
from heatproof.kinds.heatmap import words
from heatproof.kinds.heatmap.aggregate import count_cells
from heatproof.kinds.heatmap.cell import valued_cells
from heatproof.kinds.heatmap.unmarked import unmarked
from heatproof.kinds.looks import INCOMPLETE, MISSING, marks_behind, tex_marks
from heatproof.kinds.picture import (
    NONE,
    Charts,
    Latex,
    Picture,
    Remark,
    aside,
    escape,
    tex_line,
    tex_text,
)
from heatproof.util.errors import Mistake
from heatproof.util.lazy import altair as alt
from heatproof.util.numerals import Digits, numbered

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from heatproof.charts.series import Styles
    from heatproof.charts.spec import ChartKeys
    from heatproof.kinds.columns import Grid, Samples
    from heatproof.kinds.heatmap.cell import Names
    from heatproof.kinds.lattice import Span
    from heatproof.kinds.picture import Layers, Legend
    from heatproof.kinds.trace import DerivedNumber


class Entry(frame.View, kw_only=True):
    """A forest in config.yaml."""

    LOOK: ClassVar[set[str]] = {"scale", "domain"}
    KEYS: ClassVar[dict[str, str]] = {"x": "detail", "y": "y", "color": "x"}
    SHOWS: ClassVar[str] = "{x} of each {y}"
    PART: ClassVar[str] = "part"
    ENDS: ClassVar[dict[str, str]] = {"domain": "scale"}

    encoding: frame.DetailEncoding
    """Column along y (a row for each value), and metric along x."""
    verdict: Literal["dots", "none"] = "dots"
    """`dots` mark rows that cannot be told apart from the highest."""
    form: Literal["rows", "dumbbell"] = "rows"
    """A row for each value; or `dumbbell`: one row joins the values of `detail`, such as before and
    after. Rows of two values stand by their change, which is bold where it holds."""
    scale: Literal["linear", "log"] = "linear"
    """Scale of x."""
    domain: list[float] | None = None
    """Ends of x, in the unit shown."""
    relative_to: dict[str, Word | None] = {}
    """Column → its value in the baseline: rows show the difference, as in a heatmap."""

    def mistakes(self) -> list[Mistake]:
        mistakes = super().mistakes()
        if self.form == "dumbbell" and self.encoding.detail is None:
            why = "'dumbbell' joins the values of a column in one row; `encoding.detail` names it"
            mistakes.append(Mistake(".form", why))
        return mistakes


def aggregate(samples: Samples, entry: Entry, partial: Any = None, logs: Any = None) -> Grid:
    """The grid of a heatmap, of a dumbbell with the change of each row."""
    question = entry.question
    grid = count_cells(samples, question, partial, logs)
    if entry.form != "dumbbell" or entry.relative_to:
        return grid
    of_changes = dumbbells.question_of_changes(question, grid)
    if of_changes is None:
        return grid
    return dumbbells.with_changes(grid, count_cells(samples, of_changes, partial, logs))


def derived_numbers(samples: Samples, grid: Grid, entry: Entry) -> Iterator[DerivedNumber]:
    """The change of each row, counted once more."""
    first, second = dumbbells.ends_of(grid) or ("", "")
    for change in dumbbells.count_changes(samples, grid, entry.question):
        yield change._replace(said=f"from {first} to {second} it changes by")


class ForestRow(frame.Row, kw_only=True):
    """A row of a forest, or a point of one that joins several."""

    setting: str = ""  # its name
    part: str = ""  # of a dumbbell, the value of `detail`
    line: str = ""  # name of the row in which it stands; empty behind the first point of a row
    shape: str = "circle"
    dash: Sequence[float] = ()
    colour: str = theme.INK
    text: str = theme.INK  # colour of its texts
    dy: float = 0.0
    n: str = ""  # of how many problems
    printed_as: str = ""  # the numbers of its row
    count: str = ""  # the same of how many problems
    join_low: float | None = None  # ends of the line that joins points
    join_high: float | None = None
    py: float = 0.0
    name: str = ""  # `line` as it is printed
    change: float | None = None  # of a dumbbell, from its first value to its second
    changed: str = ""  # the same as printed, with its interval
    holds: bool = False  # it can be told apart from 0


def forest_rows(grid: Grid, entry: Entry) -> tuple[dict[str, list[ForestRow]], Styles, int]:
    """Title of a panel → its rows from top to bottom, looks, and how many pairs were never run.

    They stand by value, or as `sort` says of y; rows without a value stand last. A dumbbell has one
    row for all values of `detail`.
    """
    cells, names = frame.panels_of(grid, entry, ForestRow, entry.question.marks)
    x_name = frame.words_before(grid["x"], names.x)
    y_name = frame.words_before(grid["y"], names.y)
    has_details = grid["x"].n_unique() > 1
    panels: dict[str, list[ForestRow]] = {}
    for label, rows in cells.items():
        for row in rows:
            row.line = y_name + row.y
            row.part = x_name + row.x
            row.setting = row.line
            if has_details:
                row.setting = f"{row.line} · {row.part}"
            _print_row(row)
            _add_change(row, grid, entry, names)
            if entry.form != "dumbbell":
                row.line = row.setting
        panels[label] = _in_order(rows, entry)
    looks: Styles = {}
    if entry.form == "dumbbell":
        ends = dict.fromkeys(row.part for row in frame.all_rows(cells))
        looks = series.styles(list(ends))
        panels = {label: _join_rows(rows, looks) for label, rows in panels.items()}
    drawn = frame.all_rows(panels)
    values = [(row.value, row.told, row.setting) for row in drawn if row.value is not None]
    frame.require_on_axis(entry, values, "domain", entry.question)
    return panels, looks, len(grid) - len(drawn)


def _add_change(row: ForestRow, grid: Grid, entry: Entry, names: Names) -> None:
    """Set the change of its line."""
    if "change_value" not in grid.columns or grid["change_value"][row.number] is None:
        return
    unit = entry.question.unit
    digits = Digits(f"+{names.digits.spec.removeprefix('+')}")
    row.change = unit.span(grid["change_value"][row.number])
    row.holds = grid["change_differs"][row.number] is True
    low, high = (unit.span(grid[f"change_{end}"][row.number]) for end in ("low", "high"))
    row.changed = digits.value(row.change)
    if low is not None and high is not None:
        row.changed += f" ({digits.value(low)} to {digits.value(high)})"


def _print_row(row: ForestRow) -> None:
    """Set its colours and numbers."""
    row.text = theme.QUIET
    if not row.missing:
        row.text = theme.INK
        row.n = row.size
    row.printed_as = row.label or MISSING.sign
    row.count = row.n


def _in_order(rows: Sequence[ForestRow], entry: Entry) -> list[ForestRow]:
    """By value, or as `sort` says; then those without a value that somebody tried to run."""
    valued = valued_cells(rows)
    if entry.encoding.y not in entry.sort:
        sign = 1 if entry.best == "lowest" else -1
        has_changes = frame.has_any(rows, "change")
        valued.sort(key=lambda row: (sign * _rank(row, has_changes, sign), row.number))
    tried = [row for row in rows if row.missing and not row.state.is_absent]
    return valued + tried


def _rank(row: ForestRow, has_changes: bool, sign: int) -> float:
    """By what rows stand in order: their value, or their change, those without one last."""
    if not has_changes:
        return row.value or 0.0
    if row.change is None:
        return sign * math.inf
    return row.change


def _join_rows(rows: Sequence[ForestRow], looks: Styles) -> list[ForestRow]:
    """The rows of a panel, those with one name beside each other: the first has all numbers."""
    lines: dict[str, list[ForestRow]] = {}
    for row in rows:
        look = looks[row.part]
        number = list(looks).index(row.part)
        row.shape = look.shape
        row.dash = list(look.dash)
        row.colour = look.colour
        from_middle = number - (len(looks) - 1) / 2
        row.dy = round(from_middle * DODGE / len(looks), 2)
        row.text = theme.INK
        row.bold = False
        row.dotted = False
        row.tied = False
        lines.setdefault(row.line, []).append(row)
    for points in lines.values():
        _join_points(points, looks)
    return frame.all_rows(lines)


def _join_points(points: Sequence[ForestRow], looks: Styles) -> None:
    """Give the first point of a line the line's numbers and ends, and the others no text."""
    first, *followers = points
    values = [row.value for row in points if row.value is not None]
    labels = {row.part: row.printed_as for row in points}
    for row in points:
        if row.incomplete:
            labels[row.part] += INCOMPLETE.sign
    first.join_low = min(values, default=None)
    first.join_high = max(values, default=None)
    first.printed_as = ARROW.join(labels.get(detail, MISSING.sign) for detail in looks)
    if first.change is not None:
        short, _, _ = first.changed.partition(" (")
        first.printed_as += f" ({short})"
        first.bold = first.holds
    counts = dict.fromkeys(row.n for row in points if row.n)
    first.count = " / ".join(counts)
    for row in followers:
        row.printed_as = ""
        row.count = ""
        row.line = ""


# -------------------------------------------------------------------------------------- the sizes

ARROW = " → "  # between the numbers of a dumbbell, …
JOINT = 4.0  # … whose points a line of this strength joins
DODGE = 6.0  # height that all points of a row share, lest one lies on another
STEP = 11.5  # from one row to the next
NAMES = 0.42  # part of the width that names may take
GAP = 8.0  # beside the intervals
CLOSE = 4.0  # points of a row that are nearer than this answer beside each other
LEAST = 60.0  # width of the intervals, at least
COUNTED = "n"  # what counts of problems are called
TITLE = 6.0  # and the name of a panel


@dataclass(frozen=True)
class ForestLayout:
    """Places of a forest, in pt."""

    sheet: sheet.Sheet
    plot: int
    names: Mapping[str, str]  # setting → its name as it is printed
    value: float  # the right edge of the values, from the first interval's left end
    count: float  # the right edge of the counts
    x: quantity.Quantity
    looks: Styles
    legend: series.Legend


def lay_out_forest(
    panels: Mapping[str, Sequence[ForestRow]], looks: Styles, entry: Entry
) -> ForestLayout:
    """Names and numbers as wide as they are, and the intervals in what is left."""
    rows = frame.all_rows(panels)
    width = entry.page_width
    texts = widest((row.printed_as for row in rows), theme.LABEL, bold=True)
    counts = [row.count for row in rows]
    count = widest([COUNTED] + counts, theme.LABEL)
    right = math.ceil(GAP + texts + GAP + count + 1)
    left_over = width - right - LEAST - 2 * GAP
    room = max(min(NAMES * width, left_over), 30.0)
    lines = dict.fromkeys(row.line for row in rows if row.line)
    names = cut(list(lines), room, theme.LABEL)
    longest_name = widest(names.values(), theme.LABEL, bold=True)
    left = math.ceil(longest_name + GAP)
    plot = max(int(width - left - right), 20)
    log = entry.scale == "log"
    numbers = frame.reach_of(rows)
    if entry.relative_to:
        numbers.append(0.0)
    ends = frame.domain(numbers, log, entry.domain)
    legend = series.legend(list(looks), width)
    head_room = theme.LABEL + 5.0
    if entry.panel:
        head_room += theme.TITLE + TITLE
    longest = max(len(_rows_by_line(panel_rows)) for panel_rows in panels.values())
    page = sheet.Sheet(
        width=width,
        left=left,
        gap=0.0,
        rows=len(panels),
        margin=0.0,
        with_id=entry.id,
        above=head_room,
        below=quantity.TICK_SIZE + PAD + theme.LABEL + PAD + theme.LABEL,
        height=math.ceil(longest * STEP),
        head=legend.height,
        title=entry.title,
    )
    x = quantity.rightward(ends, plot, log, frame.value_limits(entry.question))
    return ForestLayout(page, plot, names, plot + GAP + texts, plot + right - 1.0, x, looks, legend)


# ------------------------------------------------------------------------------------- the picture


def picture(grid: Grid, entry: Entry) -> Picture:
    """What a forest shows and says."""
    panels, looks, hidden = forest_rows(grid, entry)
    layout = lay_out_forest(panels, looks, entry)
    placed = {label: place_rows(rows, layout) for label, rows in panels.items()}
    rows = frame.all_rows(placed)
    question = entry.question
    title = frame.settings_title(entry, entry.encoding.y)
    doubts: list[str] = []
    if not entry.relative_to:
        doubts = frame.doubts_of(grid, question) if looks else words.doubts(rows, question)
    legend_parts = _row_meanings(rows, looks, hidden, entry)
    meanings = frame.explain(entry, rows, legend_parts, doubts)
    spoken = {
        label: _rows_in_words(label, panel_rows, entry) for label, panel_rows in panels.items()
    }

    def charts() -> Charts:
        drawn = []
        data = {data_name("rows", k): frame.data_of(panel_rows) for k, panel_rows in placed.items()}
        data[frame.LEGEND] = frame.legend_rows(layout.legend, layout.sheet, looks)
        for label in placed:
            layers = _intervals(layout, entry)
            layers += _row_texts(rows, layout)
            layers += _column_heads(label, layout, entry)
            layers.append(frame.answers(entry, rows, {title: "datum.setting"}))
            size = layout.plot, layout.sheet.height
            drawn.append([frame.panel_chart(layers, data_name("rows", label), size, spoken[label])])
        if looks:
            drawn[0][0].layer += layout.legend.layers(frame.LEGEND, line=False)
        return drawn, data

    value = question.value_title
    has_changes = frame.has_any(rows, "change")
    tex = {}
    for label, panel_rows in panels.items():
        tex[label] = [_tex_of_row(row, has_changes) for row in panel_rows]
    heads = [title, value, "95 % interval", "problems"]
    if has_changes:
        heads.append("change (95 % interval)")
    return Picture(
        shows=f"{value} of each {frame.settings_words(entry, entry.encoding.y)}",
        noun="row",
        rows=rows,
        sheet=layout.sheet,
        charts=charts,
        meanings=meanings,
        free=True,
        spoken=[f"{frame.spoken_value(entry)} of each {title}, by value.", *spoken.values()],
        latex=Latex(
            columns="l".ljust(len(heads), "r"),
            head=[frame.tex_row(heads)],
            parts=tex,
            meanings=frame.tex_comments(meanings),
        ),
        facts={"Change": "changed"} if has_changes else {},
        omitted=wording.names_cut([k for k, name in layout.names.items() if k != name]),
    )


def place_rows(rows: Sequence[ForestRow], layout: ForestLayout) -> list[ForestRow]:
    """The rows of a panel with the box that answers for each, and their name as it is printed."""
    for number, points in enumerate(_rows_by_line(rows)):
        top = round(number * STEP, 2)
        for row, (left, right) in zip(points, _reaches(points, layout), strict=True):
            row.put((left, top, right, STEP))
            frame.clip(row, ("lower", "upper", "join_low", "join_high"), layout.x)
            row.py = (number + 0.5) * STEP
            row.name = layout.names.get(row.line, "")
            row.there = row.value is not None and layout.x.holds(row.value)
    return list(rows)


def _reaches(points: Sequence[ForestRow], layout: ForestLayout) -> list[Span]:
    """From where each point of a line answers, and how wide."""
    places = []
    for row in points:
        value = frame.clipped(row.value, layout.x)
        places.append(0.0 if value is None else layout.x.place(value))
    middles = series.spread_out(places, CLOSE, 0.0, layout.plot)
    between = [(left + right) / 2 for left, right in pairwise(sorted(middles))]
    edges = [0.0] + between + [float(layout.plot)]
    reaches = []
    for middle in middles:
        number = sum(neighbour < middle for neighbour in middles)
        left, right = edges[number : number + 2]
        reaches.append((round(left, 2), round(right - left, 2)))
    return reaches


def _rows_by_line(rows: Sequence[ForestRow]) -> list[list[ForestRow]]:
    """The rows of a panel; of a dumbbell, those that lie beside each other together."""
    lines: list[list[ForestRow]] = []
    for row in rows:
        if row.line:
            lines.append([])
        lines[-1].append(row)
    return lines


def _intervals(layout: ForestLayout, entry: Entry) -> Layers:
    """Intervals and values."""
    axis = layout.x.axis(
        title=entry.question.value_title, titleAlign="center", titleX=layout.plot / 2,
        titleY=quantity.TICK_SIZE + PAD + theme.LABEL + PAD, titleBaseline="top",
        grid=True, gridColor=quantity.GRID, gridWidth=0.5,
    )  # fmt: skip
    colour = datum("colour")
    y = alt.value(alt.expr("datum.py + datum.dy"))
    x_keys: ChartKeys = {"scale": layout.x.scale(), "axis": axis}
    placed = alt.Chart().transform_filter("datum.there")
    spanned = placed.transform_filter("isValid(datum.lower) && isValid(datum.upper)")
    lines = spanned.mark_rule(color=colour, strokeWidth=1.1, aria=False)
    spans = lines.encode(alt.X("lower:Q", **x_keys), alt.X2("upper:Q"), y=y)
    dots = placed.mark_point(
        shape=datum("shape"), size=series.MARK, opacity=1, strokeWidth=1.1, stroke=colour,
        fill=colour, aria=False,
    )  # fmt: skip
    points = dots.encode(alt.X("value:Q", **x_keys), y=y)
    if entry.relative_to and layout.x.holds(0.0):
        zero = layout.x.place(0.0)
        high = layout.sheet.height
        line = sheet.box(fill=theme.LINE, x=zero - 0.3, x2=zero + 0.3, y=0, y2=high)
        spans = line + spans
    if entry.form == "rows":
        return [spans, points]
    middle = alt.value(datum("py"))
    joints = alt.Chart().transform_filter("isValid(datum.join_low)")
    joints = joints.mark_rule(color=quantity.GRID, strokeWidth=JOINT, aria=False)
    joined = joints.encode(alt.X("join_low:Q", **x_keys), alt.X2("join_high:Q"), y=middle)
    return [joined, spans, points]


def _row_texts(rows: Sequence[ForestRow], layout: ForestLayout) -> Layers:
    base = alt.Chart()
    weight = alt.expr("datum.bold ? 'bold' : 'normal'")
    style: ChartKeys = {
        "y": datum("py"), "baseline": "middle", "fontSize": theme.LABEL,
        "color": datum("text"), "aria": False,
    }  # fmt: skip
    texts = {
        "name": base.mark_text(x=-layout.sheet.left, align="left", fontWeight=weight, **style),
        "printed_as": base.mark_text(x=layout.value, align="right", fontWeight=weight, **style),
        "count": base.mark_text(x=layout.count, align="right", **style),
    }
    marks = [mark.encode(alt.Text(f"{name}:N")) for name, mark in texts.items()]
    if layout.looks:  # numbers of a row have their signs among them
        return marks
    return marks + marks_behind(rows, base, str(layout.value), theme.LABEL, theme.INK)


def _column_heads(label: str, layout: ForestLayout, entry: Entry) -> Layers:
    style: ChartKeys = {"align": "right", "baseline": "alphabetic", "fontStyle": "italic"}
    head = sheet.words([COUNTED], layout.count, -4.0, **style)
    title_lift = layout.sheet.above - theme.TITLE - TITLE + theme.LABEL * 0.3 - 2
    title = sheet.title([label], -layout.sheet.left, title_lift, "left", fontWeight="bold")
    if entry.panel:
        return [head, title]
    return [head]


def _row_meanings(rows: Sequence[ForestRow], looks: Styles, hidden: int, entry: Entry) -> Legend:
    legend_parts: Legend = []
    legend_parts.append(frame.errors_meaning(rows, entry, "coloured line" if looks else "line"))
    if looks:
        legend_parts.append(Remark("grey line: joins the values of a row"))
    has_changes = frame.has_any(rows, "change")
    if looks and entry.encoding.y not in entry.sort:
        end = "lowest" if entry.best == "lowest" else "highest"
        order = "change" if has_changes else f"{end} value"
        order_words = aside(f"rows in the order of their {order}")
        legend_parts.append(order_words)
    if has_changes:
        legend_parts.append(_change_meaning(rows, entry))
    elif entry.relative_to:
        legend_parts += words.baseline_parts(rows, entry.question, values=True)
    else:
        legend_parts += ["bold", "dot"]
        if not looks:
            legend_parts += unmarked(rows, entry.question)
    if looks:
        change = " (change on shared problems)" if has_changes else ""
        legend_parts.append(Remark(f"numbers: {ARROW.join(looks)}{change}"))
    legend_parts += [Remark("n: problems"), INCOMPLETE.mark, MISSING.mark]
    if hidden:
        nothing = states.GAPS[states.NOTHING].words
        legend_parts.append(Remark(f"not shown: {numbered(hidden, 'pair')} with {nothing}"))
    legend_parts.append(frame.beyond_meaning(rows, "x", "value"))
    return legend_parts


def _change_meaning(rows: Sequence[ForestRow], entry: Entry) -> Remark:
    """What bold rows are, or that none is."""
    part = "the figure"
    if entry.panel:
        part = f"each {entry.PART}"
    how = f" (95\u00a0% interval, paired, for all rows of {part} together)"
    if any(row.holds for row in rows):
        return Remark("the change can be told apart from 0", how, mark="bold")
    if any(" (" in row.changed for row in rows):
        return Remark("no change can be told apart from 0", how)
    return Remark("")


def _rows_in_words(label: str, rows: Sequence[ForestRow], entry: Entry) -> str:
    texts = map(_row_in_words, rows)
    text = "; ".join(texts)
    if entry.panel:
        return f"{label}: {text}."
    return f"{text}."


def _row_in_words(row: ForestRow) -> str:
    text = f"{row.setting}: {row.told}"
    if row.between:
        return f"{text} ({row.between})"
    return text


def _tex_of_row(row: ForestRow, has_changes: bool) -> str:
    value = tex_text(row.label, is_bold=row.bold and not has_changes) + tex_marks(row)
    texts = [escape(row.setting), value, tex_text(row.between), row.n or NONE]
    if has_changes:
        has_change = row.line and row.changed
        texts.append(tex_text(row.changed, is_bold=row.bold) if has_change else "")
    return tex_line(texts)
