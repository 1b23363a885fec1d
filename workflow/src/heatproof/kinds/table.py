"""table: a metric in rows and columns, as papers print it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import msgspec

from heatproof.charts import colour, sheet, spec, theme, wording
from heatproof.charts.colour import ColorScale
from heatproof.charts.lettering import broken, cut, fit, widest
from heatproof.charts.spec import data_chart, datum
from heatproof.config.choice import Word  # noqa: TC001  msgspec looks it up
from heatproof.config.entries import refused
from heatproof.kinds import frame, looks
from heatproof.kinds.heatmap import cells, reasons, words
from heatproof.kinds.heatmap.panels import color_scale, is_signed
from heatproof.kinds.heatmap.unmarked import unmarked
from heatproof.kinds.lattice import MEAN, Lattice, crossings, sections
from heatproof.kinds.picture import Charts, Picture, Remark, escape, tex_text
from heatproof.metrics import is_printed
from heatproof.util.errors import Mistake
from heatproof.util.lazy import altair as alt

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from heatproof.charts.spec import Datum
    from heatproof.kinds.columns import Grid
    from heatproof.kinds.heatmap.cell import Names
    from heatproof.kinds.lattice import Bracket, Lines, Span
    from heatproof.kinds.picture import Layers, Legend
    from heatproof.kinds.question import Question


class TableEncoding(msgspec.Struct, kw_only=True):
    """The columns along x (a column each) and y (a row each), and the metric that is printed."""

    x: str
    y: str
    text: str


class Entry(frame.View, kw_only=True):
    """A table in config.yaml."""

    LOOK: ClassVar[set[str]] = {"color", "palette", "margins"}
    KEYS: ClassVar[dict[str, str]] = {"x": "x", "y": "y", "color": "text"}
    SHOWS: ClassVar[str] = "{text}, a row for each {y}, a column for each {x}"
    USUAL: ClassVar[str] = "se"
    PART: ClassVar[str] = "part"

    encoding: TableEncoding
    """Columns along x and y, and the metric to print."""
    uncertainty: Literal["none", "se", "interval"] | frame.Deviation = "se"
    """Printed beside numbers, or below them if there is no room: as in lines."""
    verdict: Literal["dots", "none"] = "dots"
    """`dots` mark values that cannot be told apart from the highest."""
    color: bool = False
    """Colour the cells by their values."""
    palette: str = ""
    """Colours of `color: true`."""
    groups: dict[str, str | dict[str, list[Word]]] = {}
    """Column of x or y → the column that groups its values, or label of a group → its values."""
    margins: bool | str | list[str] = False
    """Add unweighted means of numbers that are all there: of each row (`true`), over the columns
    that are listed, or of each group (`groups`)."""

    @property
    def question(self) -> Question:
        unjudged = self.best == "none" or is_printed(self.encoding.text)
        margins = self.margins
        if self.margins is True:
            margins = self.encoding.x
        return self.ask("text", verdict="none" if unjudged else None, margins=margins)

    def mistakes(self) -> list[Mistake]:
        mistakes = super().mistakes()
        if self.palette:
            mistakes += refused(".palette", colour.palette, self.palette)
        if self.palette and not self.color:
            mistakes.append(Mistake(".palette", f"{self.palette!r} needs `color: true`"))
        return mistakes


class TableNumber(frame.Row, kw_only=True):
    """A number of a table."""

    HIDDEN: ClassVar[set[str]] = frame.Row.HIDDEN | {"lower", "upper", "there"}

    shown: str = ""  # the number, or a dash
    ground: str | None = None  # the colour behind it
    px: float = 0.0  # places of the number, …
    py: float = 0.0
    sx: float = 0.0  # … of its uncertainty, …
    sy: float = 0.0
    centre: float = 0.0  # … and of its middle


@dataclass(frozen=True)
class Blocks:
    """A table: a block of rows for each panel."""

    cells: Mapping[str, Sequence[TableNumber]]  # title of a block → its cells, row by row
    means: Mapping[str, Mapping[tuple[int, int], str]]
    """The same → number of a row and of a column that meet in a mean → the mean."""
    names: Names

    @property
    def x(self) -> list[str]:
        """The names of the columns."""
        return [line.name for line in self.names.lines[0] if not line.mean]

    @property
    def y(self) -> list[str]:
        """The names of the rows."""
        return [line.name for line in self.names.lines[1] if not line.mean]


def blocks_of(grid: Grid, entry: Entry) -> Blocks:
    """The table of a grid."""
    question = entry.question
    panels, names = frame.panels_of(grid, entry, TableNumber, question.marks)
    cells_of_all = frame.all_rows(panels)
    for row in cells_of_all:
        row.shown = row.label or looks.MISSING.sign
    if entry.color:
        _colour_cells(cells_of_all, entry)
    means: dict[str, dict[tuple[int, int], str]] = {}
    for title, rows in panels.items():
        means[title] = {}
        for crossing in crossings(rows, names.lines):
            if crossing.is_mean:
                mean = cells.mean_text(crossing.cells, names.digits, looks.MISSING.sign)
                means[title][crossing.row, crossing.column] = mean
    return Blocks(panels, means, names)


def _colour_cells(rows: Sequence[TableNumber], entry: Entry) -> None:
    palette = entry.palette or "blues"
    scale = color_scale(rows, entry.question, ColorScale(), palette, is_signed(rows))
    if scale is None:
        return
    cells.ink_rows(rows, scale)
    for row in rows:
        if row.value is not None:
            row.ground = scale.drawn(row.value)


# -------------------------------------------------------------------------------------- the sizes

GAPS = (12.0, 8.0, 5.0)  # between columns, the widest first
ROOMY = 26.0  # between columns, at most, where there is more room than they need
LEADING = 1.6  # from one row to the next, as a part of the size
NAMES = 0.38  # part of the width that names of rows may take
UPRIGHT = 84.0  # most room of names that stand upright; longer ones are cut
LEAST = 180.0  # the page is no narrower, for the lines below, but where that is asked for
LINES = 3  # of the name of a column, at most
EDGE = 0.8  # of the white around colours
GROUPED = 2.0  # from the edges of a group of columns to the ends of its rule
AFTER_MEAN = 4.0  # room between the mean of a group and the next group
RULE, HEAVY = 0.5, 0.9  # strength of the rules between and around, as in booktabs
BESIDE, BELOW, NOT = "beside", "below", "not"
WAYS = (
    (BESIDE, False), (BELOW, False), (BESIDE, True), (BELOW, True), (NOT, False), (NOT, True),
)  # fmt: skip
"""Where uncertainties stand and whether the names of columns are turned, the best first."""


@dataclass(frozen=True)
class TableLayout:
    """Places of a table, in pt."""

    size: float  # of the type
    spread: str  # where uncertainties stand: `BESIDE`, `BELOW` or `NOT` at all
    pitch: float  # from one column to the next
    value: float  # width of the widest number
    block: float  # the same with what stands beside it
    left: int
    heads: Sequence[Sequence[str]]  # lines of the name of each column
    turned: bool  # whether these stand upright, where there is no room for them to lie
    names: Mapping[str, str]  # row → its name as it is printed
    spanner: str  # what stands over all columns
    head: float
    lines: Lines
    mean: float  # width of a column of means
    tight: bool = False  # whether the columns are narrower than they need

    @property
    def step(self) -> float:
        """From one row to the next."""
        step = self.size * LEADING
        if self.spread == BELOW:
            step += theme.line_height(theme.SMALL)
        return step

    @cached_property
    def lattice(self) -> Lattice:
        return Lattice(self.lines, (self._columns(), self._rows()))

    def _columns(self) -> list[Span]:
        """Where columns begin and end; the mean of all stands behind the rules of the others."""
        spans: list[Span] = []
        cells = means = 0
        for line in self.lines[0]:
            start = cells * self.pitch + means * self.mean
            if line.outer:
                start = math.ceil(start)
                spans.append((start, start + self.mean))
                continue
            if line.mean:
                means += 1
            else:
                cells += 1
            end = cells * self.pitch + means * self.mean
            spans.append((start, end))
        return spans

    def _rows(self) -> list[Span]:
        """Where rows begin and end, from the top; the name of a group takes a row too."""
        slots: list[int] = []
        for name, numbers in sections(self.lines[1]):
            start = 0
            if slots:
                start = slots[-1] + 1
            first = start
            if name:
                first = start + 1
            slots += range(first, first + len(numbers))
        return [(slot * self.step, (slot + 1) * self.step) for slot in slots]

    @property
    def box(self) -> tuple[int, int]:
        """Width and height of a block, without the mean of all columns."""
        columns, rows = self.lattice.spans
        wide = columns[-1][0] if self.lines[0][-1].outer else columns[-1][1]
        return math.ceil(wide), math.ceil(rows[-1][1])

    @property
    def right(self) -> float:
        """The right edge of a block."""
        return max(self.box[0], self.lattice.spans[0][-1][1])

    def number(self, column: int) -> float:
        """The right edge of the numbers of a column."""
        columns = self.lines[0]
        line = columns[column]
        start, end = self.lattice.spans[0][column]
        if line.outer:
            return end
        if line.mean:
            return end - AFTER_MEAN
        left = start + self.pitch / 2 - self.block / 2
        return left + self.value

    def middle(self, row: int) -> float:
        """The middle of a row, from the top of its block."""
        top, foot = self.lattice.spans[1][row]
        return (top + foot) / 2

    @property
    def brackets(self) -> list[Bracket]:
        """The groups of columns."""
        return self.lattice.brackets(0, GROUPED)

    def page(self, blocks: Blocks, entry: Entry) -> sheet.Sheet:
        """The page of all blocks."""
        many = len(blocks.cells)
        width = entry.page_width
        needed = max(math.ceil(self.left + self.right), min(width, LEAST))
        return sheet.Sheet(
            width=max(needed, width) if entry.width else needed,
            left=self.left,
            above=self.size * LEADING + 2 if entry.panel else 2.0,
            below=4.0 if many == 1 else max(4.0 - sheet.ROW_GAP, 0.0),
            height=self.box[1],
            gap=0.0,
            rows=many,
            margin=0.0,
            head=self.head,
            title=entry.title,
            with_id=entry.id,
        )


def lay_out_table(blocks: Blocks, entry: Entry) -> TableLayout:
    """The best of `WAYS`, and of these the largest type, in which the table fits its width."""
    width = entry.page_width
    if entry.color:
        width -= EDGE
    has_spread = any(row.spread for row in frame.all_rows(blocks.cells))
    ways: Sequence[tuple[str, bool]] = WAYS
    if not has_spread:
        ways = WAYS[-2:]
    for (spread, turned), size, gap in product(ways, theme.VALUES, GAPS):
        layout = _measure(blocks, entry, spread, turned, size, gap)
        count = sum(line.mean for line in layout.lines[0])
        means = count * layout.mean
        room = (width - layout.left - means) / len(layout.heads)
        if layout.left + layout.right <= width:  # with air between columns, where there is room
            heads = [widest(head, size) for head in layout.heads]
            narrowest = max(layout.block, *heads)
            pitch = room - 0.01
            if not entry.width:
                pitch = min(pitch, max(layout.pitch, narrowest + ROOMY))
            return replace(layout, pitch=pitch)
    pitch = max(room, 4.0)
    return replace(layout, pitch=pitch, tight=True)


def _measure(
    blocks: Blocks, entry: Entry, place: str, turned: bool, size: float, gap: float
) -> TableLayout:
    """The table in one of `WAYS` and in type of a size."""
    rows = frame.all_rows(blocks.cells)
    x_name = blocks.names.x
    value = widest((row.shown for row in rows), size, bold=True)
    spread = widest((row.spread for row in rows), theme.SMALL)
    behind = looks.room_behind(rows)
    block = value + behind
    if place == BESIDE:
        block = value + max(behind, 2.0) + spread
    need = block
    if place == BELOW:
        need = max(block, spread)
    names = cut(blocks.y, NAMES * entry.page_width, size)
    longest = widest([*names.values(), blocks.names.y], size)
    left = math.ceil(max(longest, 10.0) + gap)
    means: list[str] = []
    for texts in blocks.means.values():
        means += texts.values()
    title = entry.question.value_title
    spanner = title
    if x_name:
        spanner = f"{title} by {x_name}"
    heads, room, high = _measure_heads(blocks.x, size, need, turned=turned)
    spanners = 1 + any(line.group for line in blocks.names.lines[0])
    return TableLayout(
        size=size,
        spread=place,
        value=value,
        block=block,
        left=left,
        heads=heads,
        names=names,
        pitch=max(room + gap, (widest([spanner], size) + 4) / len(heads)),
        turned=turned,
        spanner=spanner,
        head=2 + spanners * size * 1.5 + 3 + high + 3,
        lines=blocks.names.lines,
        mean=math.ceil(widest(means + [MEAN], size) + gap + AFTER_MEAN),
    )


def _measure_heads(
    names: Sequence[str], size: float, need: float, *, turned: bool
) -> tuple[list[list[str]], float, float]:
    """Lines of the names of columns, the width of a column with them, and their height."""
    if turned:
        short = list(cut(names, UPRIGHT, size).values())
        return [[name] for name in short], max(need, size), widest(short, size)
    room = _head_room(names, size, need)
    heads = [broken(name, room, size) for name in names]
    return heads, room, max(map(len, heads)) * size * 1.2


def _head_room(names: Sequence[str], size: float, narrowest: float) -> float:
    """The least width in which the names of columns stand on few lines."""
    longest = max(widest(names, size), narrowest)
    room = narrowest
    while room < longest:
        lines = [broken(name, room, size) for name in names]
        longest_line = max(widest(head, size) for head in lines)
        if longest_line <= room and max(map(len, lines)) <= LINES:
            return room
        room += 2.0
    return longest


# ------------------------------------------------------------------------------------- the picture


def picture(grid: Grid, entry: Entry) -> Picture:
    """What a table shows and says."""
    blocks = blocks_of(grid, entry)
    question = entry.question
    layout = lay_out_table(blocks, entry)
    page = layout.page(blocks, entry)
    placed = {title: cell_rows(title, blocks, layout) for title in blocks.cells}
    rows = frame.all_rows(placed)
    names = blocks.names
    y_words = names.y or entry.encoding.y
    x_words = names.x or entry.encoding.x
    spoken = {}
    for title, panel_rows in blocks.cells.items():
        spoken[title] = words.spoken_panel(title, panel_rows, question, names)

    def charts() -> Charts:
        panels, data = [], {}
        for number, (title, panel_rows) in enumerate(placed.items()):
            last = number == len(placed) - 1
            data[f"cells {number}"] = frame.data_of(panel_rows)
            data[f"texts {number}"] = list(_table_texts(number, title, blocks, layout, page))
            data[f"rules {number}"] = list(_rules(number, last, layout, page))
            layers = _number_marks(panel_rows, layout, f"rules {number}")
            layers += _text_marks(f"texts {number}")
            layers.append(frame.answers(entry, rows, {y_words: "datum.y", x_words: "datum.x"}))
            cells_name = f"cells {number}"
            panels.append([frame.panel_chart(layers, cells_name, layout.box, spoken[title])])
        return panels, data

    meanings = _number_meanings(rows, entry, layout)
    comments = [meaning.tex for meaning in meanings]
    comments += filter(None, [reasons.asked_by_all(grid)])
    tex_panels = {title: [panel_rows] for title, panel_rows in blocks.cells.items()}
    y = reasons.among_title(question.y, question)
    x = reasons.among_title(question.x, question)
    layout_words = f"a row for each {y_words}, a column for each {x_words}"
    return Picture(
        shows=f"{question.value_title}, a row for each {y}, a column for each {x}",
        noun="number",
        rows=rows,
        sheet=page,
        charts=charts,
        meanings=meanings,
        spoken=[f"Table of {frame.spoken_value(entry)}, {layout_words}.", *spoken.values()],
        omitted=_omitted(blocks, entry, layout),
        latex=cells.latex_of_cells(tex_panels, names, _tex_of_number, layout.spanner, comments),
    )


def cell_rows(title: str, blocks: Blocks, layout: TableLayout) -> list[TableNumber]:
    """The cells of a block with the places of them and their texts."""
    placed = []
    for crossing in crossings(blocks.cells[title], layout.lines):
        if not crossing.is_mean:
            _place_cell(crossing.cell, crossing.column, crossing.row, layout)
            placed.append(crossing.cell)
    return placed


def _place_cell(row: TableNumber, column: int, line: int, layout: TableLayout) -> None:
    """Set the box of a cell, and the places of its number and its uncertainty."""
    box = layout.lattice.box(column, line)
    sizes = box.left, box.top, layout.pitch, layout.step
    sides = [round(side, 2) for side in sizes]
    row.put(sides)
    number = layout.number(column)
    middle = layout.middle(line)
    row.px = round(number, 2)
    row.py = round(middle, 2)
    row.centre = round(sides[0] + sides[2] / 2, 2)
    row.sx = row.centre
    row.sy = row.py
    if layout.spread == BESIDE:
        spread = widest([row.spread], theme.SMALL)
        start = number + layout.block - layout.value
        row.sx = round(start - spread, 2)
    elif layout.spread == BELOW:
        lift = layout.step / 2 - layout.size * 0.8
        row.py = round(middle - lift, 2)
        row.sy = round(middle + layout.size * 0.55, 2)


def _number_marks(rows: Sequence[TableNumber], layout: TableLayout, rules: str) -> Layers:
    """Colours behind the numbers; rules; numbers, their marks and uncertainties."""
    base = alt.Chart()
    ink = datum("ink")
    marks = list[Any]()
    if any(row.ground for row in rows):
        filled = spec.boxed().transform_filter("isValid(datum.ground)")
        ground = datum("ground")
        marks.append(filled.mark_rect(fill=ground, stroke="#ffffff", strokeWidth=EDGE, aria=False))
    strong = data_chart(rules).mark_rule(color=theme.INK, strokeWidth=datum("strong"), aria=False)
    numbers = spec.texts(
        base, "shown", align="right", fontSize=layout.size, color=ink, aria=False,
        fontWeight=alt.expr("datum.bold ? 'bold' : 'normal'"),
    )  # fmt: skip
    marks += [strong.encode(**spec.places(x="x", x2="x2", y="y")), numbers]
    marks += looks.marks_behind(rows, base, "datum.px", layout.size, ink)
    if layout.spread != NOT:
        is_beside = layout.spread == BESIDE
        errors = base.transform_filter("datum.spread").mark_text(
            x=datum("sx"), y=datum("sy"), fontSize=theme.SMALL,
            align="left" if is_beside else "center", baseline="middle",
            dy=0.5 if is_beside else 0.0, aria=False,
            color=alt.expr(f"isValid(datum.ground) ? datum.ink : '{theme.QUIET}'"),
        )  # fmt: skip
        marks.append(errors.encode(alt.Text("spread:N")))
    return marks


def _table_texts(
    number: int, title: str, blocks: Blocks, layout: TableLayout, page: sheet.Sheet
) -> Iterator[Datum]:
    """Names of rows and columns, titles and means: text, place, and how it is set."""
    size = layout.size
    left = -layout.left
    if number == 0:
        yield from _head_texts(blocks, layout, page)
    if title:
        yield _text_row(title, left, -page.above + size * 0.85, theme.TITLE, weight="bold")
    for line, y in enumerate(layout.lines[1]):
        style = "italic" if y.mean else "normal"
        middle = layout.middle(line)
        yield _text_row(layout.names.get(y.name, MEAN), left, middle, size, style=style)
        for column in range(len(layout.lines[0])):
            mean = blocks.means[title].get((line, column))
            if mean:
                yield _text_row(mean, layout.number(column), middle, size, align="right")
    for group, (first, *_) in sections(layout.lines[1]):
        if group:
            yield _text_row(group, left, layout.middle(first) - layout.step, size, style="italic")


def _text_row(text: str, x: float, y: float, size: float, **style: Any) -> Datum:
    row = {"text": text, "px": round(x, 2), "py": round(y, 2), "align": "left", "size": size}
    return row | {"weight": "normal", "style": "normal", "angle": 0} | style


def _head_texts(blocks: Blocks, layout: TableLayout, page: sheet.Sheet) -> Iterator[Datum]:
    """The title over all columns, names of groups and of columns, and the title of rows."""
    size = layout.size
    left = -layout.left
    foot = -page.above - 3 - layout.size * 0.6
    wide = layout.box[0]
    spanner_place = _spanner(layout, page)
    yield _text_row(blocks.names.y, left, foot, size)
    yield _text_row(fit(layout.spanner, wide, size), wide / 2, spanner_place, size, align="center")
    heads = iter(layout.heads)
    for column, line in enumerate(layout.lines[0]):
        number = layout.number(column)
        if line.mean:
            yield _text_row(MEAN, number, foot, size, align="right", style="italic")
        elif layout.turned:
            (text,) = next(heads)
            yield _text_row(text, number - layout.value / 2, foot + size * 0.6, size, angle=-90)
        else:
            middle = layout.lattice.spans[0][column][0] + layout.pitch / 2
            for line_number, text in enumerate(reversed(next(heads))):
                yield _text_row(text, middle, foot - line_number * size * 1.2, size, align="center")
    for bracket in layout.brackets:
        text = fit(bracket.name, bracket.room, size)
        yield _text_row(text, bracket.middle, spanner_place + size * 1.5, size, align="center")


def _spanner(layout: TableLayout, page: sheet.Sheet) -> float:
    """The middle of the title over all columns, from the first block."""
    return -page.above - page.head + 2 + layout.size * 0.8


def _rules(number: int, last: bool, layout: TableLayout, page: sheet.Sheet) -> Iterator[Datum]:
    """The rules of a block: above and below the table, below its head, and between blocks."""
    # Vega takes a line to reach beyond its ends by its strength.
    edge = HEAVY - layout.left
    right = layout.right - HEAVY
    yield _rule_row(-page.above, RULE, edge, right)
    if number == 0:
        under = _spanner(layout, page) + layout.size * 0.75
        yield _rule_row(-page.above - page.head + HEAVY, HEAVY, edge, right)
        yield _rule_row(under, RULE * 0.7, 2.0, layout.box[0] - 2.0)
        for bracket in layout.brackets:
            yield _rule_row(under + layout.size * 1.5, RULE * 0.7, bracket.start, bracket.end)
    for name, (first, *_) in sections(layout.lines[1])[1:]:
        top = layout.lattice.spans[1][first][0]
        if name:
            top -= layout.step
        yield _rule_row(top, RULE, edge, right)
    if last:
        yield _rule_row(layout.box[1] + 2, HEAVY, edge, right)


def _rule_row(y: float, strong: float, start: float, end: float) -> Datum:
    return {"x": round(start, 2), "x2": round(end, 2), "y": round(y, 2), "strong": strong}


def _text_marks(data: str) -> Iterator[alt.Chart]:
    base = data_chart(data)
    keys = {"fontSize": "size", "fontWeight": "weight", "fontStyle": "style", "angle": "angle"}
    style = {key: alt.expr(f"datum.{column}") for key, column in keys.items()}
    for align in ("left", "center", "right"):
        aligned = base.transform_filter(f"datum.align == '{align}'")
        yield spec.texts(aligned, "text", align=align, **style)


def _tex_of_number(row: TableNumber) -> str:
    text = tex_text(row.label, is_bold=row.bold)
    if row.spread:
        spread = escape(row.spread)
        text = rf"{text}\,{{\scriptsize {spread}}}"
    return text + looks.tex_marks(row)


# --------------------------------------------------------------------------------------- the words


def _number_meanings(
    rows: Sequence[TableNumber], entry: Entry, layout: TableLayout
) -> list[Remark]:
    """What marks mean, of what there are means, and why cells are not judged."""
    question = entry.question
    legend_parts: Legend = ["bold", "dot"]
    legend_parts += unmarked(rows, question)
    if layout.spread != NOT:
        error, addition = frame.drawn_error_words(rows, entry)
        legend_parts.append(Remark(error, addition, mark=words.ERROR_MARKS.get(entry.drawn, "")))
    legend_parts += [looks.INCOMPLETE.mark, looks.MISSING.mark]
    if question.means == [question.x]:
        legend_parts.append(Remark("mean: unweighted, over the numbers of a row"))
    elif question.means:
        legend_parts.append(Remark(f"mean: unweighted, of {words.means_words(rows, question)}"))
    return frame.explain(entry, rows, legend_parts, words.doubts(rows, question))


def _omitted(blocks: Blocks, entry: Entry, layout: TableLayout) -> list[str]:
    """What has no room."""
    cut = [name for name, printed in layout.names.items() if name != printed]
    if layout.turned:
        heads = zip(blocks.x, layout.heads, strict=True)
        cut += [name for name, printed in heads if [name] != list(printed)]
    omitted = wording.names_cut(cut)
    has_spread = any(row.spread for row in frame.all_rows(blocks.cells))
    if layout.spread == NOT and has_spread:
        omitted.append(
            f"the `uncertainty: {entry.drawn}` beside its numbers, which does not fit into "
            "its columns: a larger `width` makes room, and the tables have it"
        )
    if layout.tight:
        omitted.append("room between its columns: a larger `width` makes room")
    return omitted
