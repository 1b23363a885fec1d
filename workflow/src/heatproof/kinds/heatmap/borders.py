"""Borders around cells, and the room that they take: geometry in pt, without any chart."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    Span = tuple[float, float]  # where a column or a row of cells begins and ends

Spot = tuple[int, int]  # column from the left, row from the top
LINE_WIDTHS = ((1.4, 3.0), (1.0, 2.2), (0.7, 1.6))
"""Of an outline and of its white casing. Half of the casing that is not under the line is as wide
as the white between cells."""
TO_VALUE = 0.25  # least distance from the casing to a value


def outline_path(
    cells: Collection[Spot], columns: Sequence[Span], rows: Sequence[Span], inset: float = 0.0
) -> str:
    """The border of cells as a path of SVG, a line for each side without such a cell beyond it.

    A line ends at the corner of its cell, or where the line of the neighbour begins. `columns` and
    `rows`: of all cells of the panel. `inset`: how far inside its cells the border runs.
    """
    inside, lines = {*cells}, []
    for x, y in sorted(inside):
        left, above, right, below = (x - 1, y), (x, y - 1), (x + 1, y), (x, y + 1)
        west = columns[x][0] + inset if left not in inside else columns[x - 1][1] - inset
        east = columns[x][1] - inset if right not in inside else columns[x + 1][0] + inset
        north = rows[y][0] + inset if above not in inside else rows[y - 1][1] - inset
        south = rows[y][1] - inset if below not in inside else rows[y + 1][0] + inset
        sides = (
            (above, (west, rows[y][0] + inset, east, rows[y][0] + inset)),
            (right, (columns[x][1] - inset, north, columns[x][1] - inset, south)),
            (below, (east, rows[y][1] - inset, west, rows[y][1] - inset)),
            (left, (columns[x][0] + inset, south, columns[x][0] + inset, north)),
        )
        lines += [line for beyond, line in sides if beyond not in inside]
    return " ".join("M{:.3f},{:.3f}L{:.3f},{:.3f}".format(*line) for line in lines)


def has_hole(cells: Collection[Spot]) -> bool:
    """Whether cells surround others; two that touch at a corner leave no way out."""
    wide, high = (max(at) + 2 for at in zip(*cells, strict=True))
    free = {*product(range(-1, wide), range(-1, high))} - {*cells}
    ways = [(-1, -1)]
    while ways:
        x, y = ways.pop()
        near = {(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)} & free
        free -= near
        ways += near
    return bool(free)


def outline_room(widths: tuple[float, float]) -> float:
    """The room around a value that an outline of these widths takes."""
    return sum(widths) / 2 + TO_VALUE


def line_widths(clear: float) -> tuple[float, float]:
    """The widest of `LINE_WIDTHS` for this room around values, or the thinnest."""
    return next((pair for pair in LINE_WIDTHS if outline_room(pair) <= clear), LINE_WIDTHS[-1])
