"""Where the cells of a heatmap lie: widths solved so that the figure is exactly as wide as asked.

Panels are laid out flush: only the cells' own boxes and the gaps count, and what hangs out
(labels, titles) has room that was measured. Lengths are pt.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Literal, NamedTuple

Scale = Literal["independent", "shared", "row", "column"]
Span = tuple[float, float]
"""Where a row or a column of cells begins and ends."""
Runs = list[tuple[str, int]]
"""Label and number of cells of each group along an axis; empty for an axis without groups."""

USUAL, LARGEST = 36.0, 60.0
"""A cell is no wider than the first, unless its label of x needs it, and never than the second."""
NARROWEST = 200.0
"""A page is no narrower if more was asked for: lines of words stand below the panels."""
BESIDE = 6.0
"""What words may reach beyond the last of the panels."""
SMALLEST = 4.0
LABELLED = 8.0
"""Height of a cell whose row can be labelled; for up to `FEW` rows."""
FEW = 12
GROUPS_APART = 6.0
"""Between the cells of two groups."""
APART = 4.0
"""From the cells to the means of their rows and columns."""
TALLEST = 440.0
"""A panel is never taller, but for cells that would vanish."""
SLIM, UPRIGHT = 240.0, 1.25
"""A panel of few columns is no taller than the first, or than the second times its width."""


@dataclass(frozen=True)
class Needs:
    """What a heatmap must have room for."""

    width: float
    panels: int
    shape: tuple[int, int]
    """Cells of a panel along x and y."""
    cell: tuple[float, float] | None
    """Room that the value of a cell takes; None where cells are drawn without values."""
    left: float
    """Room left of the cells, for the labels of y."""
    bar: float
    """Room of a colour bar with labels, and its distance from the cells."""
    scale: Scale = "independent"
    """What has a colour bar: each panel, all of them, each row or each column."""
    title: float = 0.0
    """Width that a panel should have for its title."""
    gap: float = 12.0
    """Room between the parts of one panel and the next."""
    columns: int | None = None
    """Panels in a row, if the user says so."""
    nested: bool = False
    """Panels are blocks of one strip: brackets along its axes name them."""
    grid: Literal["", "row", "column", "both"] = ""
    """What of panels has a name: their rows, their columns, or both. Then names and labels stand
    at the edges alone."""
    margins: bool = False
    """A row and a column of means stand apart from the cells."""
    label: float = 0.0
    """Width of the longest label of x."""
    row: float = 0.0
    """Height of a row of cells that its label needs, on several lines."""
    errors: bool = False
    """The room of a cell has a second line for the uncertainty of its value."""
    gaps: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())
    """Cells, by their number along x and y, before which there is a gap between groups."""

    @property
    def largest(self) -> float:
        """The widest that a cell, with the white beside it, may be."""
        return min(max(USUAL, self.label), LARGEST)

    @property
    def shared(self) -> bool:
        """Whether a bar stands at the end of a row of panels, not beside each of them."""
        return self.scale in ("shared", "row")

    @property
    def tall(self) -> bool:
        """Whether a bar is as high as all rows of panels."""
        return self.scale in ("shared", "column")

    @property
    def apart_beside(self) -> float:
        """From the box of one panel to that of the next in its row."""
        return self.gap + (0.0 if self.shared else self.bar)

    @property
    def group_gaps(self) -> Span:
        """Room of all gaps between groups along x and y."""
        return GROUPS_APART * len(self.gaps[0]), GROUPS_APART * len(self.gaps[1])

    def fixed(self, columns: int) -> float:
        """Width of a row that is not cells."""
        bars = 1 if self.shared else columns
        return self.left + bars * self.bar + (columns - 1) * self.gap

    def wide(self, columns: int) -> float:
        """Width of a cell, with the white beside it, where so many panels stand in a row."""
        room = (self.width - self.fixed(columns)) / columns - self.group_gaps[0]
        room -= APART + 1 if self.margins else 0.0
        return min(max(room / (self.shape[0] + self.margins), 0.5), self.largest)

    def high(self, wide: float) -> float:
        """Small cells are square, larger ones flat: height serves the value, width the panel."""
        least = self.cell[1] if self.cell else min(wide, SMALLEST)
        least = max(least, LABELLED, self.row) if self.shape[1] <= FEW else least
        most = min(max(SLIM, UPRIGHT * wide * self.shape[0]), TALLEST)
        if self.nested and self.columns:  # a strip is as high as one panel
            most /= math.ceil(self.panels / self.columns)
        return max(min(wide, 10 + 0.4 * wide, most / self.shape[1]), least)

    def is_roomy(self, columns: int) -> bool:
        """Whether so many panels in a row have room for values and titles."""
        wide, cells = self.wide(columns), self.shape[0]
        if self.columns:  # as the user says, as long as there is anything to be seen
            return wide >= SMALLEST
        least = self.cell[0] + white(wide) + 1 / cells if self.cell else SMALLEST
        return wide >= least and wide * cells >= min(self.title, self.largest * cells)


class Slot(NamedTuple):
    """Where a panel stands among the others, and what stands beside it."""

    row: int
    top: bool
    bottom: bool
    """Labels of x stand below it."""
    first: bool
    """Labels of y stand left of it."""
    last: bool
    """It is in the last row."""


@dataclass(frozen=True)
class Layout:
    """Sizes of a heatmap. Boxes of panels are whole pt, as Vega lays out whole pt only."""

    needs: Needs
    columns: int
    panel: tuple[int, int]
    """Width and height of the cells of a panel together."""
    line: float
    """White between cells; small cells have none."""

    @property
    def rows(self) -> int:
        return math.ceil(self.needs.panels / self.columns)

    def slot(self, panel: int) -> Slot:
        """The place of a panel, of which those of a row follow each other."""
        row, column = divmod(panel, self.columns)
        last = row == self.rows - 1
        return Slot(row, row == 0, not self.needs.grid or last, column == 0, last)

    @cached_property
    def step(self) -> Span:
        """From one cell to the next."""
        (wide, high), (along, up) = self.panel, self.needs.shape
        beside, over = self.needs.group_gaps
        return (wide - beside + self.line) / along, (high - over + self.line) / up

    @property
    def cell(self) -> Span:
        """Width and height of a cell without the white around it."""
        return self.step[0] - self.line, self.step[1] - self.line

    @property
    def box(self) -> tuple[int, int]:
        """Width and height of a panel with its means."""
        if not self.needs.margins:
            return self.panel
        (width, height), (wide, high) = self.panel, self.cell
        return width + math.ceil(wide + APART), height + math.ceil(high + APART)

    @property
    def span(self) -> float:
        """Width of a row of panels, from the first cell to the last."""
        return self.box[0] * self.columns + (self.columns - 1) * self.needs.apart_beside

    @property
    def page(self) -> float:
        """Width of the figure: as asked for, or less where its parts do not need it."""
        used = self.box[0] * self.columns + self.needs.fixed(self.columns)
        return min(self.needs.width, max(math.ceil(used + BESIDE), NARROWEST))

    @property
    def fits(self) -> bool:
        """Whether every cell is as large as its value needs."""
        return self.needs.cell is None or self.cell[0] >= self.needs.cell[0]

    def shifts(self, axis: int) -> list[float]:
        """How far the cells of an axis (0: x, 1: y) are moved by the gaps before them."""
        before, cells = self.needs.gaps[axis], range(self.needs.shape[axis])
        return [GROUPS_APART * sum(start <= cell for start in before) for cell in cells]

    @cached_property
    def spans(self) -> tuple[list[Span], list[Span]]:
        """Where each column of cells begins and ends, and each row from the top."""
        (wide, high), top = self.step, self.needs.group_gaps[1]
        across = [
            (n * wide + right, (n + 1) * wide + right - self.line)
            for n, right in enumerate(self.shifts(0))
        ]
        down = [
            (n * high + top - up, (n + 1) * high + top - up - self.line)
            for n, up in enumerate(self.shifts(1)[::-1])
        ]
        return across, down

    def places(self) -> list[list[float]]:
        """Left, top, width and height of each cell in its panel, in the order of the grid."""
        across, down = self.spans
        return [
            [round(at, 3) for at in (left, top, right - left, foot - top)]
            for top, foot in reversed(down)
            for left, right in across
        ]


def starts(runs: Runs) -> tuple[int, ...]:
    """Cells before which there is a gap between groups."""
    return tuple(accumulate(size for _, size in runs[:-1]))


def white(step: float) -> float:
    """The white between cells that are so large."""
    return 0.8 if step >= 9 else 0.4 if step >= 6 else 0.0


def solve(needs: Needs) -> Layout:
    """The most panels in a row with room for values and titles; equally many in each row."""
    columns = needs.columns
    if not (needs.grid and columns):
        most = min(needs.panels, columns or needs.panels)
        columns = next((n for n in range(most, 0, -1) if needs.is_roomy(n)), 1)
        if not needs.columns:
            columns = math.ceil(needs.panels / math.ceil(needs.panels / columns))
    wide = needs.wide(columns)
    high = needs.high(wide)
    line, (along, up), (beside, over) = white(min(wide, high)), needs.shape, needs.group_gaps
    width = max(int(wide * along - line + beside), 1)
    height = max(round(high * up - line + over), 1)
    return Layout(needs, columns, (width, height), line)
