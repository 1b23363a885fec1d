"""Where the panels of a heatmap and their cells lie, by the room that they need.

Cells fill the width of the figure, or are as wide as they need to be where none is given. Panels
are laid out by their cells and gaps. Lengths are pt.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple

from heatproof.charts import bars
from heatproof.charts.quantity import clamped
from heatproof.kinds.lattice import Lattice

if TYPE_CHECKING:
    from heatproof.kinds.lattice import Lines, Size, Span

FEW = 12  # up to so many labels of y may have several lines: their cells can be made as high
USUAL, LARGEST = 36.0, 60.0  # widest cells, without a label and with one; unless a width is given
NARROWEST, BESIDE = 200.0, 6.0  # least width of a page, and of the room beside its last panel
EDGE = 3.0  # right of cells with which a page ends, for borders around some of them
SMALLEST, LABELLED = 4.0, 8.0  # side of a cell; height of one with a label, for up to `FEW` rows
TALLEST, SLIM, UPRIGHT = 440.0, 240.0, 1.25
"""Highest panel, unless cells would vanish; of few columns, and as a part of its width."""
MEANS_APART, MEAN_INSET = 4.0, 1.5
"""From the cells to the means of all, and around those of groups, which stand among them."""


class Slot(NamedTuple):
    """The place of a panel among the others."""

    row: int
    top: bool
    bottom: bool  # labels of x stand below it
    first: bool  # labels of y stand left of it
    last: bool  # it is in the last row


@dataclass(frozen=True, kw_only=True)
class HeatmapLayout:
    """The room that a heatmap needs, and where its cells lie; boxes are whole pt, as Vega's are."""

    width: float
    exact: bool  # whether the figure is as wide, or no wider than it needs to be
    panels: int
    lines: Lines
    left: float  # room left of the cells, for the labels of y
    bar: float  # room of a colour bar with labels, and its distance from the cells
    sharing: Literal["independent", "shared", "row", "column"]  # panels with one colour bar
    title: float  # width that a panel should have for its title
    gap: float  # room between the parts of one panel and the next
    asked: int | None  # panels in a row, if the user says so
    nested: bool  # panels are blocks of one strip: brackets along its axes name them
    grid: Literal["", "row", "column", "both"]
    """Rows, columns or both have names, not panels. Names and labels stand at the edges alone."""
    label: float  # width of the longest label of x
    row: float  # height of a row of cells that its label needs, on several lines
    value: Size | None = None  # room for the value of a cell; None: no values
    errors: bool = False  # that room has a second line for the uncertainty of the value
    downward: bool = False  # the first row of cells in the grid lies on top
    columns: int = 1  # panels in a row

    def fitted(self) -> HeatmapLayout:
        """The most panels in a row with room for values and titles; equally many in each row."""
        if self.grid and self.asked:
            return replace(self, columns=self.asked)
        most_columns = min(self.panels, self.asked or self.panels)
        ways = (replace(self, columns=columns) for columns in range(most_columns, 0, -1))
        fitted = next((way for way in ways if way.is_roomy), replace(self, columns=1))
        if self.asked:
            return fitted
        return replace(self, columns=math.ceil(self.panels / fitted.rows))

    @property
    def is_roomy(self) -> bool:
        if self.asked:  # as the user says, as long as there is anything to be seen
            return self.wide >= SMALLEST
        largest = self.largest
        cells = self.shape[0]
        narrowest = SMALLEST
        if self.value:
            narrowest = self.value[0] + white(self.wide) + 1 / cells
        title = min(self.title, largest * cells)
        return self.wide >= narrowest and self.wide * cells >= title

    @cached_property
    def shape(self) -> tuple[int, int]:
        """Columns and rows of a panel, without the means of all."""
        columns, rows = self.lines
        across = len(columns) - columns[-1].outer
        return across, len(rows) - rows[-1].outer

    @cached_property
    def margins(self) -> tuple[bool, bool]:
        """Whether a column, and a row, of means of all stands apart from the cells."""
        columns, rows = self.lines
        return columns[-1].outer, rows[-1].outer

    @property
    def usual(self) -> float:
        """The widest cell, with the white beside it, if the figure has no width."""
        return min(max(USUAL, self.label), LARGEST)

    @property
    def largest(self) -> float:
        if self.exact:
            return math.inf
        return self.usual

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
        if self.bar and self.shared:
            return self.gap
        return self.bar

    @property
    def fixed(self) -> float:
        """Width of a row without its cells."""
        gaps = self.columns - 1
        bars_beside = self.columns
        if self.shared:
            bars_beside = 1
        return self.left + bars_beside * self.bar + gaps * self.gap

    @cached_property
    def wide(self) -> float:
        """Width of a cell, with the white beside it."""
        room = self.width - self.fixed
        if not self.bar:
            room -= EDGE
        means = self.margins[0]
        room_of_panel = room / self.columns - (MEANS_APART + 1) * means
        widest = room_of_panel / (self.shape[0] + means)
        return clamped(widest, 0.5, self.largest)

    @cached_property
    def high(self) -> float:
        """Height of a cell, with the white below it: small cells are square, larger ones flat.

        In several rows of panels the width of the page makes cells wider, not higher.
        """
        wide = self.wide
        columns, rows = self.shape
        if self.rows != 1:
            wide = min(wide, self.usual)
        lowest = self.value[1] if self.value else min(wide, SMALLEST)
        if rows <= FEW:
            lowest = max(lowest, LABELLED, self.row)
        upright = UPRIGHT * wide * columns
        highest = clamped(upright, SLIM, TALLEST)
        if self.nested and self.asked:  # a strip is as high as one panel
            highest /= math.ceil(self.panels / self.asked)
        return max(min(wide, 10 + 0.4 * wide, highest / rows), lowest)

    @cached_property
    def line(self) -> float:
        """White between cells; small cells have none."""
        return white(min(self.wide, self.high))

    @cached_property
    def panel(self) -> tuple[int, int]:
        """Width and height of the cells of a panel together."""
        columns, rows = self.shape
        width = int(self.wide * columns - self.line)
        height = round(self.high * rows - self.line)
        return max(width, 1), max(height, 1)

    @property
    def rows(self) -> int:
        return math.ceil(self.panels / self.columns)

    def slot(self, panel: int) -> Slot:
        row, column = divmod(panel, self.columns)
        last_row = self.rows - 1
        last = row == last_row
        return Slot(row, row == 0, not self.grid or last, column == 0, last)

    @cached_property
    def step(self) -> Span:
        """From one cell to the next, along x and y."""
        wide, high = self.panel
        columns, rows = self.shape
        return (wide + self.line) / columns, (high + self.line) / rows

    @property
    def cell(self) -> Span:
        """Width and height of a cell without the white around it."""
        wide, high = self.step
        return wide - self.line, high - self.line

    @property
    def box(self) -> tuple[int, int]:
        """Width and height of a panel with its means."""
        wide, high = self.panel
        if self.margins[0]:
            wide += math.ceil(self.cell[0] + MEANS_APART)
        if self.margins[1]:
            high += math.ceil(self.cell[1] + MEANS_APART)
        return wide, high

    @property
    def span(self) -> float:
        """Width of a row of panels, from the first cell to the last."""
        gaps = self.columns - 1
        return self.box[0] * self.columns + gaps * self.apart_beside

    @property
    def page(self) -> float:
        """Width of the figure: as asked for, or what its parts need."""
        if self.exact:
            return self.width
        used = self.box[0] * self.columns + self.fixed
        return min(self.width, max(math.ceil(used + BESIDE), NARROWEST))

    @cached_property
    def lattice(self) -> Lattice:
        """Where the cells of a panel and their means lie."""
        return Lattice(self.lines, (self._spans(0), self._spans(1)))

    def _spans(self, axis: int) -> list[Span]:
        """Where columns (0) or rows (1) begin and end: means lie apart from cells."""
        step = self.step[axis]
        cell = self.cell[axis]
        end = self.box[axis]
        inset = min(MEAN_INSET, cell / 8)
        spans: list[Span] = []
        for number, line in enumerate(self.lines[axis]):
            air = inset if line.mean else 0.0
            start = number * step
            next_start = (number + 1) * step
            if line.outer:
                spans.append((end - cell, end))
            else:
                spans.append((start + air, next_start - self.line - air))
        return spans

    def places(self) -> list[list[float]]:
        """Left, top, width and height of each cell in its panel, in the order of the grid."""
        return [box.size(3) for box in self.lattice.cell_boxes(upward=not self.downward)]


def white(step: float) -> float:
    """The white between cells of a size; between dense ones it would show as a grid of spots."""
    if step >= 14:
        return 0.8
    if step >= 11:
        return 0.4
    return 0.0
