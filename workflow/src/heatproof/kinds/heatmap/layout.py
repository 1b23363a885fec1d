"""All sizes of a heatmap, measured and solved before anything is drawn.

Cells fill the width of the figure, or are as wide as they need to be where none is given. Panels
are laid out by their cells and gaps; labels and titles have room that was measured. Lengths are pt.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from heatproof.charts import bars, theme
from heatproof.charts.lettering import APART, broken, cut, text_width, widest, wrapped
from heatproof.charts.sheet import ROW_GAP, Sheet, letter_room
from heatproof.kinds.heatmap import marks, ordering
from heatproof.kinds.heatmap.axes import FEW, LIFT, Axes, Texts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heatproof.kinds.heatmap.cells import Names, Panel
    from heatproof.kinds.heatmap.entry import Entry
    from heatproof.kinds.question import Question

    Span = tuple[float, float]  # where a row or a column of cells begins and ends

USUAL, LARGEST = 36.0, 60.0  # widest cells, without a label and with one; unless a width is given
NARROWEST, BESIDE = 200.0, 6.0  # least width of a page, and of the room beside its last panel
EDGE = 3.0  # right of cells with which a page ends, for borders around some of them
SMALLEST, LABELLED = 4.0, 8.0  # side of a cell; height of one with a label, for up to `FEW` rows
TALLEST, SLIM, UPRIGHT = 440.0, 240.0, 1.25
"""Highest panel, unless cells would vanish; of few columns, and as a part of its width."""
CELLS_WITH_VALUES = 400  # most cells of a panel with values, unless the user asks for them
MEANS_APART, MEAN_INSET = 4.0, 1.5
"""From the cells to the means of all, and around those of groups, which stand among them."""
GAP, BLOCKS_APART = (8.0, 12.0), 6.0
"""From the labels of one panel's bar to the cells of the next: in narrow figures, in others, and
between the blocks of nested axes."""
PASSES = 9
"""A figure is laid out at most so often: room for labels of groups makes cells smaller, and the
lines of these labels, which are as long as their cells, shorter and more."""
NAME_LINES, WIDER, OVER_ROW = 3, 0.7, 16.0
"""Lines of the name of a panel; part of their length to which a longer name is cut; by how much the
name of a row may be longer than its panels."""
AROUND_VALUES, VALUES_APART = (2.2, 2.6), 2.0  # least room around values; between two lines
FRAME_INSET = (0.6, 1.3)  # from the edge of a cell to the frame of the best: least and usual
CAPITALS = 0.75  # height of digits as a part of their size


class Slot(NamedTuple):
    """The place of a panel among the others."""

    row: int
    top: bool
    bottom: bool  # labels of x stand below it
    first: bool  # labels of y stand left of it
    last: bool  # it is in the last row


@dataclass(frozen=True, kw_only=True)
class Layout:
    """The room that a heatmap needs, and where its cells lie; boxes are whole pt, as Vega's are."""

    width: float
    exact: bool  # whether the figure is as wide, or no wider than it needs to be
    panels: int
    shape: tuple[int, int]  # cells of a panel along x and y
    left: float  # room left of the cells, for the labels of y
    bar: float  # room of a colour bar with labels, and its distance from the cells
    sharing: Literal["independent", "shared", "row", "column"]  # panels with one colour bar
    title: float  # width that a panel should have for its title
    gap: float  # room between the parts of one panel and the next
    asked: int | None  # panels in a row, if the user says so
    nested: bool  # panels are blocks of one strip: brackets along its axes name them
    grid: Literal["", "row", "column", "both"]
    """Rows, columns or both have names, not panels. Names and labels stand at the edges alone."""
    means: tuple[set[int], set[int]]
    """Those of the lines along x, and along y from the top, that are means of groups."""
    margins: tuple[bool, bool]  # a column, and a row, of means of all stands apart from the cells
    label: float  # width of the longest label of x
    row: float  # height of a row of cells that its label needs, on several lines
    value: tuple[float, float] | None = None  # room for the value of a cell; None: no values
    errors: bool = False  # that room has a second line for the uncertainty of the value
    downward: bool = False  # the first row of cells in the grid lies on top
    columns: int = 1  # panels in a row

    def fitted(self) -> Layout:
        """The most panels in a row with room for values and titles; equally many in each row."""
        if self.grid and self.asked:
            return replace(self, columns=self.asked)
        most = min(self.panels, self.asked or self.panels)
        ways = (replace(self, columns=columns) for columns in range(most, 0, -1))
        fitted = next((way for way in ways if way.is_roomy), replace(self, columns=1))
        if self.asked:
            return fitted
        return replace(self, columns=math.ceil(self.panels / fitted.rows))

    @property
    def is_roomy(self) -> bool:
        if self.asked:  # as the user says, as long as there is anything to be seen
            return self.wide >= SMALLEST
        largest, cells = self.largest, self.shape[0]
        least = self.value[0] + white(self.wide) + 1 / cells if self.value else SMALLEST
        return self.wide >= least and self.wide * cells >= min(self.title, largest * cells)

    @property
    def usual(self) -> float:
        """The widest cell, with the white beside it, if the figure has no width."""
        return min(max(USUAL, self.label), LARGEST)

    @property
    def largest(self) -> float:
        return math.inf if self.exact else self.usual

    @property
    def shared(self) -> bool:
        """Whether a bar stands at the end of a row of panels, not beside each of them."""
        return self.sharing in ("shared", "row")

    @property
    def tall(self) -> bool:
        """Whether a bar is as high as all rows of panels."""
        return self.sharing in ("shared", "column")

    @property
    def apart_beside(self) -> float:
        """From one panel to the next in its row."""
        return self.gap + (0.0 if self.shared else self.bar)

    @property
    def beside(self) -> float:
        """Room right of every panel for names that are longer than it; none without bars."""
        if self.bar and self.sharing == "column" and self.grid == "both":
            return bars.GAP  # a bar reaches down beside what stands between its panels
        return self.gap if self.bar and self.shared else self.bar

    @property
    def fixed(self) -> float:
        """Width of a row without its cells."""
        between = (self.columns - 1) * self.gap
        return self.left + (1 if self.shared else self.columns) * self.bar + between

    @cached_property
    def wide(self) -> float:
        """Width of a cell, with the white beside it."""
        room = (self.width - self.fixed - (0.0 if self.bar else EDGE)) / self.columns
        room -= (MEANS_APART + 1) * self.margins[0]
        return min(max(room / (self.shape[0] + self.margins[0]), 0.5), self.largest)

    @cached_property
    def high(self) -> float:
        """Height of a cell, with the white below it: small cells are square, larger ones flat.

        In several rows of panels the width of the page makes cells wider, not higher.
        """
        wide, (across, down) = self.wide, self.shape
        wide = wide if self.rows == 1 else min(wide, self.usual)
        least = self.value[1] if self.value else min(wide, SMALLEST)
        least = max(least, LABELLED, self.row) if down <= FEW else least
        most = min(max(SLIM, UPRIGHT * wide * across), TALLEST)
        if self.nested and self.asked:  # a strip is as high as one panel
            most /= math.ceil(self.panels / self.asked)
        return max(min(wide, 10 + 0.4 * wide, most / down), least)

    @cached_property
    def line(self) -> float:
        """White between cells; small cells have none."""
        return white(min(self.wide, self.high))

    @cached_property
    def panel(self) -> tuple[int, int]:
        """Width and height of the cells of a panel together."""
        width, height = self.wide * self.shape[0], self.high * self.shape[1]
        return max(int(width - self.line), 1), max(round(height - self.line), 1)

    @property
    def rows(self) -> int:
        return math.ceil(self.panels / self.columns)

    def slot(self, panel: int) -> Slot:
        row, column = divmod(panel, self.columns)
        last = row == self.rows - 1
        return Slot(row, row == 0, not self.grid or last, column == 0, last)

    @cached_property
    def step(self) -> Span:
        """From one cell to the next, along x and y."""
        (wide, high), (across, down) = self.panel, self.shape
        return (wide + self.line) / across, (high + self.line) / down

    @property
    def cell(self) -> Span:
        """Width and height of a cell without the white around it."""
        return self.step[0] - self.line, self.step[1] - self.line

    @property
    def box(self) -> tuple[int, int]:
        """Width and height of a panel with its means."""
        right, below = (
            math.ceil(side + MEANS_APART) * there
            for side, there in zip(self.cell, self.margins, strict=True)
        )
        return self.panel[0] + right, self.panel[1] + below

    @property
    def span(self) -> float:
        """Width of a row of panels, from the first cell to the last."""
        return self.box[0] * self.columns + (self.columns - 1) * self.apart_beside

    @property
    def page(self) -> float:
        """Width of the figure: as asked for, or what its parts need."""
        if self.exact:
            return self.width
        used = self.box[0] * self.columns + self.fixed
        return min(self.width, max(math.ceil(used + BESIDE), NARROWEST))

    def spans(self, axis: int) -> list[Span]:
        """Where columns (0), or rows from the top (1), begin and end; means of groups lie apart."""
        step, inset, means = self.step[axis], min(MEAN_INSET, self.cell[axis] / 8), self.means[axis]
        airs = [inset * (n in means) for n in range(self.shape[axis])]
        return [(n * step + air, (n + 1) * step - self.line - air) for n, air in enumerate(airs)]

    def all_spans(self, axis: int) -> list[Span]:
        """The same, with the means of all."""
        end = self.box[axis]
        return [*self.spans(axis), *[(end - self.cell[axis], end)] * self.margins[axis]]

    def places(self) -> list[list[float]]:
        """Left, top, width and height of each cell in its panel, in the order of the grid."""
        across, down = (
            [span for n, span in enumerate(self.spans(axis)) if n not in self.means[axis]]
            for axis in (0, 1)
        )
        down = down if self.downward else down[::-1]
        sides = ((a, c, b - a, d - c) for c, d in down for a, b in across)
        return [[round(side, 3) for side in four] for four in sides]


def white(step: float) -> float:
    """The white between cells of a size; between dense ones it would show as a grid of spots."""
    return 0.8 if step >= 14 else 0.4 if step >= 11 else 0.0


def larger() -> Sequence[float]:
    """Sizes of values that stand over their errors, or are smaller for an outline's sake."""
    return [size for size in theme.VALUES if size >= theme.LABEL] or theme.VALUES


@dataclass(frozen=True)
class Values:
    """What is printed in cells."""

    wide: float  # width of the widest value, as a part of its size
    spread: float  # width of the widest uncertainty; 0 where there is none
    outlined: bool  # some cells have an outline

    def extent(self, size: float, errors: bool) -> tuple[float, float]:
        second = theme.line_height(theme.SMALL) + VALUES_APART if errors else 0.0
        return max(size * self.wide, self.spread * errors), size + second

    def room(self, size: float, errors: bool) -> tuple[float, float]:
        """Room that values of a size need in their cells, beside an outline."""
        wide, high = self.extent(size, errors)
        least = 2 * marks.outline_room(marks.LINE_WIDTHS[-1]) if self.outlined else 0.0
        around, over = (max(room, least) for room in AROUND_VALUES)
        return wide + around, high + over

    def contents(self, entry: Entry, cells: int) -> list[tuple[tuple[float, float] | None, bool]]:
        """What cells may contain, the most first: its room, and whether it has a second line.

        Values over errors are larger, so that the two differ at a glance.
        """
        rooms: list[Any] = [
            (self.room(larger()[-1] if errors else theme.VALUES[-1], errors), errors)
            for errors in [True] * bool(self.spread) + [False]
        ]
        if entry.prints is None:
            return [*(rooms if cells <= CELLS_WITH_VALUES else []), (None, False)]
        return rooms if entry.prints else [(None, False)]

    def size(self, layout: Layout) -> float:
        """The largest size of values that fits; rather a smaller one than a thin outline."""
        if not layout.value:
            return 0.0
        errors, (wide, high) = layout.errors, layout.cell
        over = larger()
        for widths in marks.LINE_WIDTHS[:-1] if self.outlined else ():
            for size in over:
                if self.clear(layout, size) >= marks.outline_room(widths):
                    return size
        sizes = over if errors else theme.VALUES
        rooms = ((size, self.room(size, errors)) for size in sizes)
        return next((n for n, (x, y) in rooms if x + 1.0 <= wide and y + 2.0 <= high), sizes[-1])

    def clear(self, layout: Layout, size: float) -> float:
        """Least room around a value; without values a sixth of a cell's side."""
        if not size:
            return min(layout.cell) / 6
        wide, high = self.extent(size, layout.errors)
        return min(layout.cell[0] - wide, layout.cell[1] - high * CAPITALS) / 2


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Sizes of a heatmap, for all its panels alike."""

    layout: Layout
    axes: Axes
    sheet: Sheet
    titles: dict[str, list[str]]  # name of a panel → lines of its title
    short: dict[str, str]  # cut text → whole name
    room: int  # width of a colour bar with its labels; 0 without any
    value: float  # size of the values in cells; 0 without any
    inset: float  # from the edge of a cell to the frame of the best
    clear: float  # `Values.clear`


def plan(panels: Sequence[Panel], entry: Entry, names: Names) -> Plan:
    """As many panels in a row as leave room for the values; without values where none is left.

    Labels take room from cells, and cells break labels: all is laid out anew until the room fits.
    """
    rows = [row for panel in panels for row in panel.rows]
    values = Values(
        widest({row.label for row in rows}, 1.0, bold=True),
        widest({row.spread for row in rows}, theme.SMALL),
        any(row.outlined for row in rows),
    )
    question, columns = entry.question, entry.columns  # panels in a row, where the entry says so
    if question.panels and not question.wraps:
        columns = len({panel.place[question.rows_split :] for panel in panels})
    longest = 0.28 * theme.width(entry.width)
    texts = _texts(panels, question, names, columns, longest)
    empty = replace(_empty(panels, entry, texts, columns), downward=names.downward)
    left, turned = texts.left, True
    for again in range(PASSES):
        for room, errors in values.contents(entry, math.prod(empty.shape)):
            layout = replace(empty, left=left, value=room, errors=errors).fitted()
            if not room or layout.cell[0] >= room[0]:
                break
        row_names, rows_cut = _row_names(panels, layout)
        axes = Axes(texts, layout, row_names, turned)
        if again and axes.left <= left:
            break
        left, turned = axes.left, bool(axes.y_title)
    titles, titles_cut = title_lines(panels, layout)
    value = values.size(layout)
    clear = values.clear(layout, value)
    least, usual = FRAME_INSET  # the usual one where the value leaves room for it
    inset = min(max(clear - 1.2, least), usual)
    if not value:
        inset = usual if min(layout.cell) >= 9 else least
    return Plan(
        layout=layout, axes=axes, sheet=_sheet(panels, entry, axes, titles),
        titles=titles, short=axes.cut | rows_cut | titles_cut,
        room=_bar_room(panels), value=value, inset=inset, clear=clear,
    )  # fmt: skip


def _texts(
    panels: Sequence[Panel], question: Question, names: Names, columns: int | None, longest: float
) -> Texts:
    deep, many = question.rows_split, columns if question.nested else None
    x_title = "" if question.labels.get(question.x) == "" else names.x
    y_title = "" if question.labels.get(question.y) == "" else names.y
    alone = len(panels) == 1 or columns == 1
    across = [panel.place[deep:] for panel in panels[:many]] if many else []
    down = [panel.place[:deep] for panel in panels[::many]] if many else []
    return Texts(
        lines=names.lines, names=(names.x, names.y), titles=(x_title, y_title),
        places=(across, down), longest=longest,
        also=[ordering.MEAN] if question.y in question.means else [],
        bold=alone and any("y" in panel.verdict.tops for panel in panels),
    )  # fmt: skip


def _empty(panels: Sequence[Panel], entry: Entry, texts: Texts, columns: int | None) -> Layout:
    """The layout without values, before it is fitted into the page."""
    question, width, room = entry.question, theme.width(entry.width), _bar_room(panels)
    across, down = ({n for n, line in enumerate(axis) if line.mean} for axis in texts.inner)
    scale = entry.sharing if len(panels) > 1 else "independent"
    gap = BLOCKS_APART if question.nested else GAP[width >= theme.ROOMY]
    grid: Any = ""
    if not question.wraps:  # what parts panels into a grid
        by_row, by_column = question.rows_split > 0, question.rows_split < len(question.panels)
        grid = "both" if by_row and by_column else "row" * by_row + "column" * by_column
    longest = 0.0  # word of a name over panels, which few cells may not have room for
    if grid != "row" and not question.nested:
        titles = [", ".join(panel.place[-1:] if grid else panel.place) for panel in panels]
        every = (word for title in titles for word in broken(title, 0.0, theme.TITLE, True))
        longest = widest(every, theme.TITLE, True)
    return Layout(
        width=width, exact=bool(entry.width), panels=len(panels), left=texts.left, gap=gap,
        shape=(len(texts.x), len(texts.y)), row=texts.row,
        label=max(widest(texts.x, theme.LABEL) + APART, longest / len(texts.x)),
        bar=room + (gap if scale in ("shared", "row") else bars.GAP) if room else 0.0,
        title=min(widest((", ".join(panel.place) for panel in panels), theme.TITLE, True), 90),
        sharing=scale, asked=columns, nested=question.nested, grid=grid,
        means=(across, down), margins=(question.x in question.means, question.y in question.means),
    )  # fmt: skip


def _bar_room(panels: Sequence[Panel]) -> int:
    return max((panel.legend.labelled for panel in panels if panel.legend), default=0)


def _sheet(
    panels: Sequence[Panel], entry: Entry, axes: Axes, titles: Mapping[str, Sequence[str]]
) -> Sheet:
    layout = axes.layout
    legends, high = [panel.legend for panel in panels if panel.legend], theme.TITLE
    line = theme.line_height(high)
    most = max(map(len, [*titles.values(), *(bar.lines for bar in legends)]), default=1)
    above = LIFT + high + 1.5 + line * max(most - 1, 0)
    between = axes.labels_below + ROW_GAP + above
    if layout.grid:
        letters = max(map(len, [*titles.values()][layout.columns :]), default=0)
        names = high + line * (letters - 1) if letters else 0.0
        between = layout.gap + names + (LIFT if letters else 0.0)
    return Sheet(
        width=layout.page, left=int(layout.left), above=above, below=axes.below,
        height=layout.box[1], gap=bars.GAP if legends and not layout.shared else layout.gap,
        rows=layout.rows, margin=0.0, with_id=entry.id, title=entry.title, between=between,
    )  # fmt: skip


def _printed(names: Sequence[str], room: float) -> dict[str, str]:
    """Name → its text on at most `NAME_LINES` no wider than `room`."""
    if all(len(wrapped(name, room, theme.TITLE, True)) <= NAME_LINES for name in names):
        return {name: name for name in names}
    return cut(names, NAME_LINES * room * WIDER)


def _row_names(panels: Sequence[Panel], layout: Layout) -> tuple[list[list[str]], dict[str, str]]:
    """Lines of the names of the rows of a grid; and cut text → whole name."""
    if layout.grid not in ("row", "both") or layout.nested:
        return [], {}
    room = layout.box[1] + min(OVER_ROW, layout.gap - APART)
    short = _printed([panel.place[0] for panel in panels[:: layout.columns]], room)
    lines = [wrapped(text, room, theme.TITLE, True) for text in short.values()]
    return lines, {text: name for name, text in short.items() if text != name}


def title_lines(
    panels: Sequence[Panel], layout: Layout
) -> tuple[dict[str, list[str]], dict[str, str]]:
    """Lines of the names of panels, in a grid of columns; and cut text → whole name.

    A name leaves room for the title of a bar beside it, or stands above that. A panel that has a
    letter alone has one empty line.
    """
    grid, nested = layout.grid, layout.nested
    names = [", ".join(panel.place) for panel in panels]
    if grid:
        over = layout.columns if grid != "row" and not nested else 0
        names = [panel.place[-1] if n < over else "" for n, panel in enumerate(panels)]
    hangs = max((panel.legend.hangs for panel in panels if panel.legend), default=0.0)
    room = layout.panel[0] + 2.0 - max(hangs - (bars.GAP - APART), 0.0)
    words, wide = [word for name in names for word in broken(name, room, theme.TITLE, True)], room
    if grid or widest(words, theme.TITLE, True) > max(room, layout.panel[0]):
        wide = layout.panel[0] + max(layout.beside - APART, 2.0)
    short = _printed([*dict.fromkeys(names)], wide)
    titles, ends = {}, [0.0]
    for panel, name in zip(panels, names, strict=True):
        left, size = letter_room(panel.letter)
        lines = wrapped(short[name], wide - left, size, True) if name else [""]
        titles[panel.name] = lines if name or panel.letter else []
        ends.append(left + text_width(lines[-1], size, True) if name else 0.0)
    if max(ends) > room:
        for panel, name in zip(panels, names, strict=True):
            titles[panel.name] += [" "] * bool(name)
    return titles, {text: name for name, text in short.items() if text != name}
