"""outline: the border of a set of cells, as closed paths."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heatproof.kinds.heatmap import marks

SPANS = [(10.0 * n, 10.0 * n + 9) for n in range(5)]
"""Cells of 9 pt with 1 pt of white between them."""


def cells(picture: str) -> set[tuple[int, int]]:
    """The cells that are `#` in lines of a picture."""
    lines = picture.split()
    return {(x, y) for y, line in enumerate(lines) for x, mark in enumerate(line) if mark == "#"}


def drawn(picture: str, inset: float = 0.0) -> list[list[tuple[float, float]]]:
    return marks.outline_paths(cells(picture), SPANS, SPANS, inset)


@pytest.mark.parametrize(
    ("picture", "found"),
    [
        ("...", []),
        ("#", [[(0, 0), (9, 0), (9, 9), (0, 9)]]),
        ("###", [[(0, 0), (29, 0), (29, 9), (0, 9)]]),
        (".#. .#.", [[(10, 0), (19, 0), (19, 19), (10, 19)]]),
        ("#.#", [[(0, 0), (9, 0), (9, 9), (0, 9)], [(20, 0), (29, 0), (29, 9), (20, 9)]]),
        ("#. .#", [[(0, 0), (9, 0), (9, 9), (0, 9)], [(10, 10), (19, 10), (19, 19), (10, 19)]]),
        (".# #.", [[(10, 0), (19, 0), (19, 9), (10, 9)], [(0, 10), (9, 10), (9, 19), (0, 19)]]),
        ("#. ##", [[(0, 0), (9, 0), (9, 10), (19, 10), (19, 19), (0, 19)]]),
        ("## #.", [[(0, 0), (19, 0), (19, 9), (9, 9), (9, 19), (0, 19)]]),
        (
            "### #.# ###",
            [
                [(0, 0), (29, 0), (29, 29), (0, 29)],
                [(9, 20), (20, 20), (20, 9), (9, 9)],
            ],
        ),
        (
            "#### #..# #..# ####",
            [
                [(0, 0), (39, 0), (39, 39), (0, 39)],
                [(9, 30), (30, 30), (30, 9), (9, 9)],
            ],
        ),
    ],
)
def test_borders_follow_the_outer_edges_of_cells(picture: str, found: Any) -> None:
    """One for each island, across the white between its cells; corners join none; holes have one."""
    made = [rotated(path) for path in drawn(picture)]
    assert made == [rotated([(float(x), float(y)) for x, y in path]) for path in found]


def rotated(path: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """A closed path from its first corner in reading order."""
    at = path.index(min(path, key=lambda point: point[::-1]))
    return path[at:] + path[:at]


def test_holes_that_touch_at_a_corner_have_one_ring() -> None:
    """The cells between them touch at that corner alone, and each keeps its own border there."""
    paths = drawn("##### #.### ##.## #####", inset=1)
    assert len(paths) == 2
    assert len(paths[1]) == 8
    assert len(set(paths[1])) == 8  # insets part what touches


def test_a_ring_around_an_island_is_a_path_of_its_own() -> None:
    """The outer border, the hole, and the cell in it."""
    paths = drawn("##### #...# #.#.# #...# #####")
    assert [len(path) for path in paths] == [4, 4, 4]


sets = st.sets(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=25)


@settings(max_examples=60)
@given(sets)
def test_a_point_is_inside_where_its_cell_is(inside: set[tuple[int, int]]) -> None:
    """By the winding of all paths; lines are level or upright, and no two follow in one direction."""
    paths = marks.outline_paths(inside, SPANS, SPANS)
    for path in paths:
        for (x, y), (x2, y2) in pairwise([*path, path[0]]):
            assert (x == x2) != (y == y2)
    for x in range(5):
        for y in range(5):
            winds = sum(winding(path, 10 * x + 4.5, 10 * y + 4.5) for path in paths)
            assert winds == ((x, y) in inside)


def winding(path: list[tuple[float, float]], x: float, y: float) -> int:
    """How often a path goes around a point clockwise: edges right of it, down less up."""
    ends = pairwise([*path, path[0]])
    return sum(
        (1 if y2 > y1 else -1)
        for (x1, y1), (x2, y2) in ends
        if x1 == x2 and x1 > x and min(y1, y2) < y < max(y1, y2)
    )


@pytest.mark.parametrize(
    ("clear", "found"), [(9, 1.4), (2.46, 1.4), (2.4, 1.0), (1.86, 1.0), (1.8, 0.7), (0, 0.7)]
)
def test_outlines_leave_values_free(clear: float, found: float) -> None:
    """The widest for which there is room, with its casing; the thinnest in any case."""
    line, casing = marks.line_widths(clear)
    assert line == found
    assert casing > line
