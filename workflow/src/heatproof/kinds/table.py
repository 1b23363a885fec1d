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
from heatproof.config.entries import Word, refused
from heatproof.kinds import frame, states
from heatproof.kinds.heatmap import cells, reasons, words
from heatproof.kinds.heatmap.ordering import MEAN, sections
from heatproof.kinds.heatmap.panels import color_scale, is_signed
from heatproof.kinds.picture import NONE, Charts, Picture, Remark, aside, escape
from heatproof.metrics import is_printed
from heatproof.util.errors import Mistake
from heatproof.util.lazy import altair as alt

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from heatproof.kinds.heatmap.cell import Names
    from heatproof.kinds.heatmap.ordering import Line
    from heatproof.kinds.question import Question
    from heatproof.util.lazy import polars as pl


class Encoding(msgspec.Struct, kw_only=True):
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

    encoding: Encoding
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
        margins = self.encoding.x if self.margins is True else self.margins
        return self.ask("text", verdict="none" if unjudged else None, margins=margins)

    def mistakes(self) -> list[Mistake]:
        mistakes = super().mistakes()
        if self.palette:
            mistakes += refused(".palette", colour.palette, self.palette)
        if self.palette and not self.color:
            mistakes.append(Mistake(".palette", f"{self.palette!r} needs `color: true`"))
        return mistakes


DASH = "–"  # stands where there is no number


class Row(frame.Row, kw_only=True):
    """A number of a table."""

    HIDDEN: ClassVar[set[str]] = frame.Row.HIDDEN | {"lower", "upper", "there"}

    shown: str = DASH  # the number, or a dash
    ground: str | None = None  # the colour behind it
    px: float = 0.0  # places of the number, …
    py: float = 0.0
    sx: float = 0.0  # … of its uncertainty, …
    sy: float = 0.0
    centre: float = 0.0  # … and of its middle


@dataclass(frozen=True)
class Blocks:
    """A table: a block of rows for each panel."""

    cells: Mapping[str, Sequence[Row]]  # title of a block → its cells, row by row
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


def blocks_of(grid: pl.DataFrame, entry: Entry) -> Blocks:
    """The table of a grid."""
    question = entry.question
    marks: Literal["none", "dots"] = "none" if question.marks == "none" else "dots"
    panels, names = frame.panels_of(grid, entry, Row, marks)
    table = frame.all_rows(panels)
    scale = None
    if entry.color:
        signed, palette = is_signed(table), entry.palette or "blues"
        wish = ColorScale()
        scale = color_scale(table, question, wish, palette, signed)
    for row in table:
        row.shown = row.label or DASH
        if scale:
            row.ink = scale.ink(row.value)
            row.ground = None if row.value is None else scale.drawn(row.value)
    means = {}
    for title, rows in panels.items():
        means[title] = {
            (m, n): cells.mean_text(part, names.digits, DASH)
            for (m, y), (n, x), part in cells.crossings(rows, names.lines)
            if x.mean or y.mean
        }
    return Blocks(panels, means, names)


# -------------------------------------------------------------------------------------- the sizes

GAPS = (12.0, 8.0, 5.0)  # between columns, the widest first
ROOMY = 26.0  # between columns, at most, where there is more room than they need
DOT = 4.2  # room of a dot behind a number
LEADING = 1.6  # from one row to the next, as a part of the size
NAMES = 0.38  # part of the width that names of rows may take
UPRIGHT = 84.0  # most room of names that stand upright; longer ones are cut
LEAST = 180.0  # the page is no narrower, for the lines below, but where that is asked for
LINES = 3  # of the name of a column, at most
EDGE = 0.8  # of the white around colours
AFTER_MEAN = 4.0  # room between the mean of a group and the next group
RULE, HEAVY = 0.5, 0.9  # strength of the rules between and around, as in booktabs
BESIDE, BELOW, NOT = "beside", "below", "not"
WAYS = (
    (BESIDE, False), (BELOW, False), (BESIDE, True), (BELOW, True), (NOT, False), (NOT, True),
)  # fmt: skip
"""Where uncertainties stand and whether the names of columns are turned, the best first."""


@dataclass(frozen=True)
class Layout:
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
    lines: tuple[Sequence[Line], Sequence[Line]]  # columns and rows, those of means too
    mean: float  # width of a column of means
    tight: bool = False  # whether the columns are narrower than they need

    @property
    def step(self) -> float:
        """From one row to the next."""
        below = theme.line_height(theme.SMALL) if self.spread == BELOW else 0.0
        return self.size * LEADING + below

    @property
    def outer(self) -> bool:
        """Whether the mean of all columns stands at the right."""
        return self.lines[0][-1].outer

    @property
    def box(self) -> tuple[int, int]:
        wide = self.edge(len(self.lines[0]) - self.outer)
        return math.ceil(wide), math.ceil((self.slots[-1] + 1) * self.step)

    @property
    def right(self) -> float:
        return self.box[0] + self.mean * self.outer

    def edge(self, column: int) -> float:
        """The left edge of a column."""
        means = sum(line.mean for line in self.lines[0][:column])
        return (column - means) * self.pitch + means * self.mean

    def number(self, column: int) -> float:
        """The right edge of the numbers of a column."""
        line = self.lines[0][column]
        if line.mean:
            return self.right if line.outer else self.edge(column + 1) - AFTER_MEAN
        return self.edge(column) + self.pitch / 2 - self.block / 2 + self.value

    @cached_property
    def slots(self) -> list[int]:
        """The place of each row, counted from the top: the name of a group takes one too."""
        slots = list[int]()
        for name, numbers in sections(self.lines[1]):
            start = slots[-1] + 1 if slots else 0
            slots += [start + bool(name) + n for n in range(len(numbers))]
        return slots

    def middle(self, row: int) -> float:
        """The middle of a row, from the top of its block."""
        return (self.slots[row] + 0.5) * self.step

    def page(self, blocks: Blocks, entry: Entry) -> sheet.Sheet:
        many, width = len(blocks.cells), theme.width(entry.width)
        needed = max(math.ceil(self.left + self.right), min(width, LEAST))
        return sheet.Sheet(
            width=max(needed, width) if entry.width else needed, left=self.left,
            above=self.size * LEADING + 2 if entry.panel else 2.0,
            below=4.0 if many == 1 else max(4.0 - sheet.ROW_GAP, 0.0), height=self.box[1],
            gap=0.0, rows=many, margin=0.0, head=self.head, title=entry.title, with_id=entry.id,
        )  # fmt: skip


def lay_out(blocks: Blocks, entry: Entry) -> Layout:
    """The best of `WAYS`, and of these the largest type, in which the table fits its width."""
    width = theme.width(entry.width) - entry.color * EDGE
    ways = WAYS if any(row.spread for row in frame.all_rows(blocks.cells)) else WAYS[-2:]
    for (place, turned), size, gap in product(ways, theme.VALUES, GAPS):
        layout = _measure(blocks, entry, place, turned, size, gap)
        means = sum(line.mean for line in layout.lines[0]) * layout.mean
        room = (width - layout.left - means) / len(layout.heads)
        if layout.left + layout.right <= width:  # with air between columns, where there is room
            least = max(layout.block, *(widest(head, size) for head in layout.heads))
            most = room - 0.01
            pitch = most if entry.width else min(most, max(layout.pitch, least + ROOMY))
            return replace(layout, pitch=pitch)
    return replace(layout, pitch=max(room, 4.0), tight=True)


def _measure(
    blocks: Blocks, entry: Entry, place: str, turned: bool, size: float, gap: float
) -> Layout:
    rows = frame.all_rows(blocks.cells)
    value = widest((row.shown for row in rows), size, bold=True)
    spread = widest((row.spread for row in rows), theme.SMALL)
    dots = DOT if any(row.dotted for row in rows) else 0.0
    block = value + (max(dots, 2.0) + spread if place == BESIDE else dots)
    need = max(block, spread if place == BELOW else 0.0)
    names = cut(blocks.y, NAMES * theme.width(entry.width), size)
    left = math.ceil(max(widest([*names.values(), blocks.names.y], size), 10.0) + gap)
    means = [text for texts in blocks.means.values() for text in texts.values()]
    mean = math.ceil(widest([*means, MEAN], size) + gap + AFTER_MEAN)
    spanner = entry.question.value_title + (f" by {blocks.names.x}" if blocks.names.x else "")
    if turned:
        room = max(need, size)
        heads = [[name] for name in cut(blocks.x, UPRIGHT, size).values()]
        high = widest((name for (name,) in heads), size)
    else:
        room = _head_room(blocks.x, size, need)
        heads = [broken(name, room, size) for name in blocks.x]
        high = max(map(len, heads)) * size * 1.2
    spanners = 1 + any(line.group for line in blocks.names.lines[0])
    head = 2 + spanners * size * 1.5 + 3 + high + 3
    return Layout(
        size=size, spread=place, value=value, block=block, left=left, heads=heads, names=names,
        pitch=max(room + gap, (widest([spanner], size) + 4) / len(heads)), turned=turned,
        spanner=spanner, head=head, lines=blocks.names.lines, mean=mean,
    )  # fmt: skip


def _head_room(names: Sequence[str], size: float, least: float) -> float:
    """The least width in which the names of columns stand on few lines."""
    most, room = max(widest(names, size), least), least
    while room < most:
        lines = [broken(name, room, size) for name in names]
        if max(map(len, lines)) <= LINES and max(widest(head, size) for head in lines) <= room:
            return room
        room += 2.0
    return most


# ------------------------------------------------------------------------------------- the picture

RADIUS = 0.95  # of the dot behind a number
TEX_DOT = r"\rlap{$^{\bullet}$}"
"""Behind what is not distinguishable from the best: it takes no room, so that numbers align."""


def picture(grid: pl.DataFrame, entry: Entry) -> Picture:
    """What a table shows and says."""
    blocks = blocks_of(grid, entry)
    layout, question = lay_out(blocks, entry), entry.question
    page = layout.page(blocks, entry)
    placed = {title: cell_rows(title, blocks, layout) for title in blocks.cells}
    rows, names = frame.all_rows(placed), blocks.names
    meanings = _meanings(rows, grid, entry, layout)
    down, along = names.y or entry.encoding.y, names.x or entry.encoding.x
    spoken = {t: words.spoken_panel(t, part, question, names) for t, part in blocks.cells.items()}

    def charts() -> Charts:
        panels, data = [], {}
        for n, (title, part) in enumerate(placed.items()):
            data[f"cells {n}"] = frame.data_of(part)
            data[f"texts {n}"] = [*_texts(n, title, blocks, layout, page)]
            data[f"rules {n}"] = [*_rules(n, n == len(placed) - 1, layout, page)]
            layers = [
                *_numbers(part, layout, f"rules {n}"),
                *_text_marks(f"texts {n}"),
                frame.answers(entry, rows, {down: "datum.y", along: "datum.x"}),
            ]
            panels.append([frame.panel_chart(layers, f"cells {n}", layout.box, spoken[title])])
        return panels, data

    tex_panels = {title: [part] for title, part in blocks.cells.items()}
    asked = filter(None, [reasons.asked_by_all(grid)])
    comments = [meaning.tex for meaning in meanings]
    y, x = (reasons.among_title(name, question) for name in (entry.encoding.y, entry.encoding.x))
    each = f"a row for each {down}, a column for each {along}"
    opening = f"Table of {frame.spoken_value(entry)}, {each}."
    return Picture(
        shows=f"{entry.question.value_title}, a row for each {y}, a column for each {x}",
        noun="number", rows=rows, sheet=page, charts=charts, meanings=meanings,
        spoken=[opening, *spoken.values()], omitted=_omitted(blocks, entry, layout),
        latex=cells.latex(tex_panels, names, _tex, layout.spanner, [*comments, *asked]),
    )  # fmt: skip


def cell_rows(title: str, blocks: Blocks, layout: Layout) -> list[Row]:
    """The cells of a block with the places of them and their texts."""
    placed, below = [], layout.spread == BELOW
    lift = layout.step / 2 - layout.size * 0.8 if below else 0.0
    for (y, down), (x, along), (row, *_) in cells.crossings(blocks.cells[title], layout.lines):
        if down.mean or along.mean:
            continue
        box = layout.edge(x), layout.slots[y] * layout.step, layout.pitch, layout.step
        left, top, wide, high = (round(side, 2) for side in box)
        number, middle, centre = layout.number(x), layout.middle(y), left + wide / 2
        beside = number + layout.block - layout.value - widest([row.spread], theme.SMALL)
        row.put((left, top, wide, high))
        row.px, row.py, row.centre = round(number, 2), round(middle - lift, 2), round(centre, 2)
        row.sx = row.centre if layout.spread != BESIDE else round(beside, 2)
        row.sy = round(middle + layout.size * 0.55 if below else middle, 2)
        placed.append(row)
    return placed


def _numbers(rows: Sequence[Row], layout: Layout, rules: str) -> list[alt.Chart]:
    """Colours behind the numbers; rules; numbers, bold or in italics; dots and uncertainties."""
    base, ink, marks = alt.Chart(), alt.expr("datum.ink"), list[Any]()
    if any(row.ground for row in rows):
        grounds = spec.boxed().transform_filter("isValid(datum.ground)").mark_rect(
            fill=alt.expr("datum.ground"), stroke="#ffffff", strokeWidth=EDGE, aria=False
        )  # fmt: skip
        marks.append(grounds)
    strong = alt.Chart(alt.NamedData(rules)).mark_rule(
        color=theme.INK, strokeWidth=alt.expr("datum.strong"), aria=False
    )
    numbers = spec.texts(
        base, "shown", align="right", fontSize=layout.size, color=ink, aria=False,
        fontWeight=alt.expr("datum.bold ? 'bold' : 'normal'"),
        fontStyle=alt.expr("datum.incomplete ? 'italic' : 'normal'"),
    )  # fmt: skip
    lines = strong.encode(**spec.places(x="x", x2="x2", y="y"))
    marks += [lines, numbers]
    if any(row.dotted for row in rows):
        r = RADIUS
        path = f"M{-r},0a{r},{r},0,1,1,{2 * r},0a{r},{r},0,1,1,{-2 * r},0Z"
        dots = base.transform_filter("datum.dotted").mark_point(
            x=alt.expr("datum.px + 1.9"), y=alt.expr(f"datum.py - {layout.size * 0.22:.2f}"),
            shape=path, size=4, fill=ink, stroke=None, opacity=1, aria=False,
        )  # fmt: skip
        marks.append(dots)
    if layout.spread != NOT:
        beside = layout.spread == BESIDE
        errors = base.transform_filter("datum.spread").mark_text(
            x=alt.expr("datum.sx"), y=alt.expr("datum.sy"), fontSize=theme.SMALL,
            align="left" if beside else "center", baseline="middle",
            dy=0.5 if beside else 0.0, aria=False,
            color=alt.expr(f"isValid(datum.ground) ? datum.ink : '{theme.QUIET}'"),
        )  # fmt: skip
        marks.append(errors.encode(alt.Text("spread:N")))
    return marks


def _texts(
    number: int, title: str, blocks: Blocks, layout: Layout, page: sheet.Sheet
) -> Iterator[dict[str, Any]]:
    """Names of rows and columns, titles and means: text, place, and how it is set."""
    size, left = layout.size, -layout.left
    if number == 0:
        yield from _head(blocks, layout, page)
    if title:
        yield _text(title, left, -page.above + size * 0.85, theme.TITLE, weight="bold")
    for n, y in enumerate(layout.lines[1]):
        style = "italic" if y.mean else "normal"
        yield _text(layout.names.get(y.name, MEAN), left, layout.middle(n), size, style=style)
        for m in range(len(layout.lines[0])):
            if mean := blocks.means[title].get((n, m)):
                yield _text(mean, layout.number(m), layout.middle(n), size, align="right")
    for group, (first, *_) in sections(layout.lines[1]):
        if group:
            yield _text(group, left, layout.middle(first) - layout.step, size, style="italic")


def _text(text: str, x: float, y: float, size: float, **style: Any) -> dict[str, Any]:
    row = {"text": text, "px": round(x, 2), "py": round(y, 2), "align": "left", "size": size}
    return row | {"weight": "normal", "style": "normal", "angle": 0} | style


def _head(blocks: Blocks, layout: Layout, page: sheet.Sheet) -> Iterator[dict[str, Any]]:
    size, left, foot = layout.size, -layout.left, -page.above - 3 - layout.size * 0.6
    wide, up = layout.box[0], _spanner(layout, page)
    yield _text(blocks.names.y, left, foot, size)
    yield _text(fit(layout.spanner, wide, size), wide / 2, up, size, align="center")
    heads = iter(layout.heads)
    for n, x in enumerate(layout.lines[0]):
        if x.mean:
            yield _text(MEAN, layout.number(n), foot, size, align="right", style="italic")
        elif layout.turned:
            middle, (text,) = layout.number(n) - layout.value / 2, next(heads)
            yield _text(text, middle, foot + size * 0.6, size, angle=-90)
        else:
            middle = layout.edge(n) + layout.pitch / 2
            for k, text in enumerate(reversed(next(heads))):
                yield _text(text, middle, foot - k * size * 1.2, size, align="center")
    for name, start, end in _spans(layout):
        middle = (start + end) / 2
        yield _text(fit(name, end - start, size), middle, up + size * 1.5, size, align="center")


def _spans(layout: Layout) -> list[tuple[str, float, float]]:
    """The groups of columns, and from where to where each reaches."""
    return [
        (name, layout.edge(numbers[0]) + 2.0, layout.edge(numbers[-1] + 1) - 2.0)
        for name, numbers in sections(layout.lines[0])
        if name
    ]


def _spanner(layout: Layout, page: sheet.Sheet) -> float:
    """The middle of the title over all columns, from the first block."""
    return -page.above - page.head + 2 + layout.size * 0.8


def _rules(number: int, last: bool, layout: Layout, page: sheet.Sheet) -> Iterator[dict[str, Any]]:
    """The rules of a block: above and below the table, below its head, and between blocks."""
    # Vega takes a line to reach beyond its ends by its strength.
    edge, right = HEAVY - layout.left, layout.right - HEAVY
    rules = [(-page.above, RULE, edge, right)]
    if number == 0:
        under = _spanner(layout, page) + layout.size * 0.75
        rules.append((-page.above - page.head + HEAVY, HEAVY, edge, right))
        rules.append((under, RULE * 0.7, 2.0, layout.box[0] - 2.0))
        below = under + layout.size * 1.5
        rules += [(below, RULE * 0.7, start, end) for _, start, end in _spans(layout)]
    for name, (first, *_) in sections(layout.lines[1])[1:]:
        rules.append(((layout.slots[first] - bool(name)) * layout.step, RULE, edge, right))
    if last:
        rules.append((layout.box[1] + 2, HEAVY, edge, right))
    for y, strong, x, x2 in rules:
        yield {"x": round(x, 2), "x2": round(x2, 2), "y": round(y, 2), "strong": strong}


def _text_marks(data: str) -> Iterator[alt.Chart]:
    base = alt.Chart(alt.NamedData(data))
    keys = {"fontSize": "size", "fontWeight": "weight", "fontStyle": "style", "angle": "angle"}
    style = {key: alt.expr(f"datum.{column}") for key, column in keys.items()}
    for align in ("left", "center", "right"):
        own = base.transform_filter(f"datum.align == '{align}'")
        yield spec.texts(own, "text", align=align, **style)


def _tex(row: Row) -> str:
    if row.missing:
        return NONE
    text = escape(row.shown)
    text = rf"\textbf{{{text}}}" if row.bold else text
    text = rf"\textit{{{text}}}" if row.incomplete else text
    text += TEX_DOT if row.dotted else ""
    return rf"{text}\,{{\scriptsize {escape(row.spread)}}}" if row.spread else text


# --------------------------------------------------------------------------------------- the words


def _meanings(
    rows: Sequence[Row], grid: pl.DataFrame, entry: Entry, layout: Layout
) -> list[Remark]:
    (error, more), question = frame.error_words(rows, entry), entry.question
    of = f"of {words.means_words(rows, question)}" if question.means else ""
    of = "over the numbers of a row" if question.means == [question.x] else of
    sign = words.ERROR_MARKS.get(entry.drawn, "")
    parts: list[str | Remark] = [
        "bold",
        "dot",
        aside(reasons.untested_words(rows)),
        Remark(error if layout.spread != NOT else "", more, mark=sign),
        "italics",
        "–",
        Remark(f"mean: unweighted, {of}" * bool(question.means)),
    ]
    doubts, always = [], []
    for kind in reasons.doubts_of(grid):
        why = reasons.doubt_words(kind, question)
        if kind == states.UNBOUNDED:  # then none has an interval either
            always.append(why)
        elif entry.verdict != "none":
            doubts.append(f"where none is bold: {why}")
    return frame.explain(entry, rows, parts, doubts + always)


def _omitted(blocks: Blocks, entry: Entry, layout: Layout) -> list[str]:
    cut = [name for name, printed in layout.names.items() if name != printed]
    heads = zip(blocks.x, layout.heads, strict=True)
    cut += [name for name, printed in heads if layout.turned and [name] != [*printed]]
    omitted = wording.names_cut(cut)
    if layout.spread == NOT and any(row.spread for row in frame.all_rows(blocks.cells)):
        omitted.append(
            f"the `uncertainty: {entry.drawn}` beside its numbers, which does not fit into "
            "its columns: a larger `width` makes room, and the tables have it"
        )
    if layout.tight:
        omitted.append("room between its columns: a larger `width` makes room")
    return omitted
