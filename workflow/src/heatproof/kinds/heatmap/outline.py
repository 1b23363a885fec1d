"""The border of a set of cells: a closed path for each island, and one for each hole in it.

Cells that touch at a corner alone are two islands. A path runs on the outer edges of its cells and
straight across the white between them; it is drawn with mitred joints, so that no edge is doubled.
Lengths are pt, from the upper left corner of a panel.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    Cell = tuple[int, int]
    """Column from the left, row from the top."""
    Span = tuple[float, float]
    """Where a column or a row of cells begins and ends."""
    Point = tuple[float, float]


class Edge(NamedTuple):
    """A side of a cell, with the cell on its right."""

    side: int
    """Number in `SIDES`."""
    cell: Cell


SIDES = ((0, -1), (1, 0), (0, 1), (-1, 0))
"""Where the neighbour beyond a side lies, in the order in which a cell is walked around: the upper
side from left to right, the right one downwards, the lower one to the left, the left upwards."""


def paths(
    cells: Collection[Cell], columns: Sequence[Span], rows: Sequence[Span], inset: float = 0.0
) -> list[list[Point]]:
    """The corners of each path, in the order of their uppermost, leftmost edges.

    Islands run clockwise, holes the other way round.

    Args:
        cells: those inside.
        columns: of all cells of the panel.
        rows: the same.
        inset: how far inside its cells a path runs.
    """
    inside = set(cells)
    left = {
        Edge(side, cell): None
        for side in range(len(SIDES))
        for cell in sorted(inside, key=lambda cell: cell[::-1])
        if _beyond(cell, side) not in inside
    }
    found = []
    while left:
        first = next(iter(left))
        walk = [first]
        while (after := _after(walk[-1], inside)) != first:
            walk.append(after)
        for edge in walk:
            del left[edge]
        found.append(_corners(walk, columns, rows, inset))
    return found


def _beyond(cell: Cell, side: int) -> Cell:
    across, down = SIDES[side % 4]
    return cell[0] + across, cell[1] + down


def _after(edge: Edge, inside: Collection[Cell]) -> Edge:
    """The edge that begins where one ends: around the same cell, on to the next, or to the left.

    Where two cells touch at a corner alone, the walk stays with its own.
    """
    side, cell = edge
    ahead = _beyond(cell, side + 1)
    if ahead not in inside:
        return Edge((side + 1) % 4, cell)
    beside = _beyond(ahead, side)
    if beside not in inside:
        return Edge(side, ahead)
    return Edge((side - 1) % 4, beside)


def _corners(
    walk: Sequence[Edge], columns: Sequence[Span], rows: Sequence[Span], inset: float
) -> list[Point]:
    """Where the lines of a walk meet that differ in direction."""
    found = []
    for before, edge in zip([walk[-1], *walk[:-1]], walk, strict=True):
        if before.side != edge.side:
            upright, level = (edge, before) if edge.side % 2 else (before, edge)
            x = _line(columns[upright.cell[0]], upright.side == 1, inset)
            y = _line(rows[level.cell[1]], level.side == 2, inset)
            found.append((x, y))
    return found


def _line(span: Span, end: bool, inset: float) -> float:
    return span[1] - inset if end else span[0] + inset


WIDTHS = ((1.4, 3.0), (1.0, 2.2), (0.7, 1.6))
"""Of the line and of its white casing. Half of the casing that is not under the line is as wide as
the white between cells."""
TO_VALUE = 0.25
"""Least distance from the casing to a value."""


def needed(widths: tuple[float, float]) -> float:
    """Room around a value inside its cell that an outline of these widths leaves free."""
    return sum(widths) / 2 + TO_VALUE


def widths(clear: float) -> tuple[float, float]:
    """The widest of `WIDTHS` for values with so much room around them, or else the thinnest."""
    return next((found for found in WIDTHS if needed(found) <= clear), WIDTHS[-1])


def svg(found: Iterable[Sequence[Point]]) -> str:
    """The paths as one of SVG.

    Vega overlooks a command that another one follows without a space, and so leaves a path open.
    """
    corners = ("L".join(f"{x:.3f},{y:.3f}" for x, y in one) for one in found)
    return " ".join(f"M{one}Z" for one in corners)
