"""Borders around cells: geometry in pt, without any chart."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    Span = tuple[float, float]  # where a column or a row of cells begins and ends

Spot = tuple[int, int]  # column from the left, row from the top


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
