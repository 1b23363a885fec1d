"""A lattice of labelled cells: what its rows and columns are called, and where each of them lies.

Heatmaps, tables and boards lay their cells on one. Each measures its own texts, and says where its
rows and columns begin and end; boxes, brackets, borders and means follow here. Lengths are pt.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby, product
from typing import TYPE_CHECKING, Generic, NamedTuple, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

MEAN = "mean"  # label of means
Size = tuple[float, float]  # width and height
Span = tuple[float, float]  # where a row or a column begins and ends
Spot = tuple[int, int]  # numbers of a column from the left, and of a row from the top


class Line(NamedTuple):
    """A row or a column of cells, or of means."""

    name: str  # its label; no two have the same
    values: Sequence[str]  # the labels of its cells, or of those that it is the mean of
    group: str = ""
    mean: bool = False

    @property
    def printed(self) -> str:
        if self.mean:
            return self.name.strip()
        return self.name

    @property
    def outer(self) -> bool:
        """Whether it is the mean of all."""
        return self.mean and not self.group


Lines = tuple[Sequence[Line], Sequence[Line]]
"""Columns from left to right, and rows from the top; a mean of all is the last of its axis."""


def axis_lines(groups: Mapping[str, str], *, of_groups: bool, of_all: bool) -> list[Line]:
    """The lines of an axis as they are read; `groups`: each label with its group, or with "".

    `of_groups`, `of_all`: whether a mean follows each group, and all of them.
    """
    lines: list[Line] = []
    for group, group_labels in groupby(groups, key=groups.__getitem__):
        labels = list(group_labels)
        lines += [Line(label, [label], group) for label in labels]
        if group and of_groups and len(labels) > 1:
            name = MEAN.ljust(len(MEAN) + len(lines))  # no two have the same
            lines.append(Line(name, labels, group, mean=True))
    if of_all:
        lines.append(Line(MEAN, list(groups), mean=True))
    return lines


def sections(lines: Sequence[Line]) -> list[tuple[str, list[int]]]:
    """Groups of lines, and numbers of their lines; those in none, and the mean of all, are ""."""
    numbered = groupby(range(len(lines)), key=lambda n: (lines[n].group, lines[n].outer))
    return [(group, list(numbers)) for (group, _), numbers in numbered]


class Labelled(Protocol):
    """A cell with the labels of its place."""

    @property
    def x(self) -> str: ...

    @property
    def y(self) -> str: ...


AnyLabelled = TypeVar("AnyLabelled", bound=Labelled)


class Crossing(NamedTuple, Generic[AnyLabelled]):
    """Where a column and a row meet."""

    column: int
    row: int
    is_mean: bool
    cells: Sequence[AnyLabelled]  # the one that lies there, or those of which the mean is

    @property
    def cell(self) -> AnyLabelled:
        return self.cells[0]


def crossings(cells: Iterable[AnyLabelled], lines: Lines) -> Iterator[Crossing[AnyLabelled]]:
    """Each row from the top with each column; `cells`: those of a panel."""
    by_place = {(cell.x, cell.y): cell for cell in cells}
    for (row, y), (column, x) in product(enumerate(lines[1]), enumerate(lines[0])):
        cells_met = [by_place[place] for place in product(x.values, y.values)]
        yield Crossing(column, row, x.mean or y.mean, cells_met)


class Box(NamedTuple):
    """The sides of a cell."""

    left: float
    top: float
    right: float
    foot: float

    def within(self, edge: float) -> Box:
        """The box without an edge."""
        left, top = self.left + edge, self.top + edge
        return Box(left, top, self.right - edge, self.foot - edge)

    def size(self, places: int) -> list[float]:
        """Left, top, width and height, rounded."""
        wide = self.right - self.left
        high = self.foot - self.top
        return [round(side, places) for side in (self.left, self.top, wide, high)]


class Bracket(NamedTuple):
    """What spans some lines, with its label."""

    name: str
    start: float
    end: float

    @property
    def room(self) -> float:
        return self.end - self.start

    @property
    def middle(self) -> float:
        return (self.start + self.end) / 2


def even_spans(count: int, step: float, size: float) -> list[Span]:
    """Lines of one size, from one to the next a step."""
    starts = [number * step for number in range(count)]
    return [(start, start + size) for start in starts]


@dataclass(frozen=True)
class Lattice:
    """Rows and columns with their places, from the upper left corner of the cells."""

    lines: Lines
    spans: tuple[Sequence[Span], Sequence[Span]]  # of each line

    @cached_property
    def numbers(self) -> tuple[dict[str, int], dict[str, int]]:
        """Label → number of its column; of its row."""
        columns, rows = self.lines
        return _line_numbers(columns), _line_numbers(rows)

    def spot(self, cell: Labelled) -> Spot:
        """Where a cell lies."""
        columns, rows = self.numbers
        return columns[cell.x], rows[cell.y]

    def box(self, column: int, row: int) -> Box:
        left, right = self.spans[0][column]
        top, foot = self.spans[1][row]
        return Box(left, top, right, foot)

    def cell_boxes(self, *, upward: bool) -> Iterator[Box]:
        """The boxes of all cells, row by row, from the lowest if `upward`."""
        columns, rows = self.numbers
        order = list(rows.values())
        if upward:
            order.reverse()
        for row, column in product(order, columns.values()):
            yield self.box(column, row)

    def brackets(self, axis: int, edge: float) -> list[Bracket]:
        """The groups of columns (0) or of rows (1); each ends an `edge` inside of its cells."""
        spans = self.spans[axis]
        brackets = []
        for name, numbers in sections(self.lines[axis]):
            if name:
                start = spans[numbers[0]][0]
                end = spans[numbers[-1]][1]
                brackets.append(Bracket(name, start + edge, end - edge))
        return brackets

    def outline(self, spots: Iterable[Spot], inset: float = 0.0) -> str:
        """The border of some cells as a path of SVG: a line for each side with none beyond it.

        A line ends at the corner of its cell, or where the line of the neighbour begins. `inset`:
        how far inside its cells the border runs.
        """
        outlined = set(spots)
        path = []
        for x, y in sorted(outlined):
            left = (x - 1, y)
            neighbour_above = (x, y - 1)
            right = (x + 1, y)
            neighbour_below = (x, y + 1)
            box = self.box(x, y).within(inset)
            west, north, east, south = box
            if left in outlined:
                west = self.spans[0][x - 1][1] - inset
            if right in outlined:
                east = self.spans[0][x + 1][0] + inset
            if neighbour_above in outlined:
                north = self.spans[1][y - 1][1] - inset
            if neighbour_below in outlined:
                south = self.spans[1][y + 1][0] + inset
            sides = {
                neighbour_above: (west, box.top, east, box.top),
                right: (box.right, north, box.right, south),
                neighbour_below: (east, box.foot, west, box.foot),
                left: (box.left, south, box.left, north),
            }
            for neighbour, ends in sides.items():
                if neighbour not in outlined:
                    path.append("M{:.3f},{:.3f}L{:.3f},{:.3f}".format(*ends))
        return " ".join(path)


def _line_numbers(lines: Sequence[Line]) -> dict[str, int]:
    """Label → number of its line; means have none."""
    numbers = {}
    for number, line in enumerate(lines):
        if not line.mean:
            numbers[line.name] = number
    return numbers
