"""Where the parts of a heatmap lie: widths solved so that the figure is exactly as wide as asked.

Panels are laid out flush: only the cells' own boxes and the gaps count, and what hangs out
(labels, titles) has room that was measured. Lengths are pt.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from heatproof.kinds.heatmap.outline import Span

Scale = Literal["independent", "shared", "row", "column"]

USUAL = 36.0
"""A cell is no wider, unless its label of x needs it: …"""
LARGEST = 60.0
"""… and never wider than this."""
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
SLIM = 240.0
"""A panel of few columns is no taller than this, or than `UPRIGHT` times its width."""
UPRIGHT = 1.25


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
    bars: tuple[float, float] | None = None
    """Room for these as bars: right of the cells, and below."""
    label: float = 0.0
    """Width of the longest label of x."""
    row: float = 0.0
    """Height of a row of cells that its label needs, on several lines."""
    gaps: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())
    """Cells, by their number along x and y, before which there is a gap between groups."""

    @property
    def largest(self) -> float:
        """The widest that a cell, with the white beside it, may be."""
        return min(max(USUAL, self.label), LARGEST)

    @property
    def apart_beside(self) -> float:
        """From the box of one panel to that of the next in its row."""
        return self.gap + (0.0 if self.shared else self.bar)

    @property
    def shared(self) -> bool:
        """Whether a bar stands at the end of a row of panels, not beside each of them."""
        return self.scale in ("shared", "row")

    @property
    def tall(self) -> bool:
        """Whether a bar is as high as all rows of panels."""
        return self.scale in ("shared", "column")


@dataclass(frozen=True)
class Slot:
    """Where a panel stands among the others."""

    row: int
    column: int
    bottom: bool
    """Labels of x stand below it."""

    @property
    def first(self) -> bool:
        """Whether labels of y stand left of it."""
        return self.column == 0

    @property
    def top(self) -> bool:
        return self.row == 0


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
        return Slot(row, column, not self.needs.grid or row == self.rows - 1)

    @property
    def span(self) -> float:
        """Width of a row of panels, from the first cell to the last."""
        return self.box[0] * self.columns + (self.columns - 1) * self.needs.apart_beside

    @property
    def gaps(self) -> tuple[float, float]:
        """Room of all gaps between groups along x and y."""
        across, up = self.needs.gaps
        return GROUPS_APART * len(across), GROUPS_APART * len(up)

    def shifts(self, axis: int) -> list[float]:
        """How far the cells of an axis (0: x, 1: y) are moved by the gaps before them."""
        starts = self.needs.gaps[axis]
        cells = range(self.needs.shape[axis])
        return [GROUPS_APART * sum(start <= cell for start in starts) for cell in cells]

    @property
    def step(self) -> tuple[float, float]:
        """From one cell to the next."""
        (wide, high), (along, up), (beside, over) = self.panel, self.needs.shape, self.gaps
        return (wide - beside + self.line) / along, (high - over + self.line) / up

    @property
    def cell(self) -> tuple[float, float]:
        """Width and height of a cell without the white around it."""
        return self.step[0] - self.line, self.step[1] - self.line

    @property
    def box(self) -> tuple[int, int]:
        """Width and height of a panel with its margins."""
        beside, over = self.beside
        extra = math.ceil(beside + APART), math.ceil(over + APART)
        width, height = self.panel
        return (width + extra[0], height + extra[1]) if self.needs.margins else self.panel

    @property
    def beside(self) -> tuple[float, float]:
        """Room of the means right of the cells and below them: that of a cell, or of a bar."""
        return self.needs.bars or self.cell

    @property
    def apart(self) -> tuple[float, float]:
        """Middles of the marginal column and row, which end where the box does."""
        beside, over = self.beside
        return self.box[0] - beside / 2, self.box[1] - over / 2

    @property
    def fits(self) -> bool:
        """Whether every cell is as large as its value needs."""
        return self.needs.cell is None or self.cell[0] >= self.needs.cell[0]

    @property
    def page(self) -> float:
        """Width of the figure: as asked for, or less where its parts do not need it."""
        used = self.box[0] * self.columns + _fixed(self.needs, self.columns)
        return min(self.needs.width, max(math.ceil(used + BESIDE), NARROWEST))


def solve(needs: Needs) -> Layout:
    """The most panels in a row with room for values and titles; equally many in each row."""
    if needs.grid and needs.columns:
        return _laid(needs, needs.columns)
    most = min(needs.panels, needs.columns or needs.panels)
    roomy = _drawable if needs.columns else _roomy
    found = next((n for n in range(most, 0, -1) if roomy(needs, n)), 1)
    columns = found if needs.columns else math.ceil(needs.panels / math.ceil(needs.panels / found))
    return _laid(needs, columns)


def _laid(needs: Needs, columns: int) -> Layout:
    wide = _wide(needs, columns)
    high = _high(needs, wide)
    line = _line(min(wide, high))
    along, up = needs.shape
    beside, over = (GROUPS_APART * len(gaps) for gaps in needs.gaps)
    width = max(int(wide * along - line + beside), 1)
    height = max(round(high * up - line + over), 1)
    return Layout(needs, columns, (width, height), line)


def _line(step: float) -> float:
    return 0.8 if step >= 9 else 0.4 if step >= 6 else 0.0


def _fixed(needs: Needs, columns: int) -> float:
    """Width of a row that is not cells."""
    bars = 1 if needs.shared else columns
    return needs.left + bars * needs.bar + (columns - 1) * needs.gap


def _wide(needs: Needs, columns: int) -> float:
    room = (needs.width - _fixed(needs, columns)) / columns - GROUPS_APART * len(needs.gaps[0])
    if needs.bars:
        room -= APART + 1 + needs.bars[0]
    elif needs.margins:
        return min(max((room - APART - 1) / (needs.shape[0] + 1), 0.5), needs.largest)
    return min(max(room / needs.shape[0], 0.5), needs.largest)


def _roomy(needs: Needs, columns: int) -> bool:
    wide, cells = _wide(needs, columns), needs.shape[0]
    least = needs.cell[0] + _line(wide) + 1 / cells if needs.cell else SMALLEST
    return wide >= least and wide * cells >= min(needs.title, needs.largest * cells)


def _drawable(needs: Needs, columns: int) -> bool:
    return _wide(needs, columns) >= SMALLEST


def _high(needs: Needs, wide: float) -> float:
    """Small cells are square, larger ones flat: height serves the value, width the panel."""
    least = needs.cell[1] if needs.cell else min(wide, SMALLEST)
    least = max(least, LABELLED, needs.row) if needs.shape[1] <= FEW else least
    most = min(max(SLIM, UPRIGHT * wide * needs.shape[0]), TALLEST)
    if needs.nested and needs.columns:  # a strip is as high as one panel
        most /= math.ceil(needs.panels / needs.columns)
    return max(min(wide, 10 + 0.4 * wide, most / needs.shape[1]), least)


def spans(layout: Layout) -> tuple[list[Span], list[Span]]:
    """Where each column of cells begins and ends, and each row from the top."""
    (wide, high), (across, up) = layout.step, layout.needs.shape
    right, raised = layout.shifts(0), layout.shifts(1)[::-1]
    top = layout.gaps[1]
    return (
        [(n * wide + right[n], (n + 1) * wide + right[n] - layout.line) for n in range(across)],
        [
            (n * high + top - raised[n], (n + 1) * high + top - raised[n] - layout.line)
            for n in range(up)
        ],
    )


def places(layout: Layout) -> list[list[float]]:
    """Left, top, width and height of each cell in its panel, in the order of the grid."""
    across, down = spans(layout)
    return [
        [round(at, 3) for at in (left, top, right - left, foot - top)]
        for top, foot in reversed(down)
        for left, right in across
    ]
