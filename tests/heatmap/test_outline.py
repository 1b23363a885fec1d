"""outline: the border of a set of cells, as lines of which each meets the next."""

from __future__ import annotations

import re
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heatproof.kinds.heatmap import marks

SPANS = [(10.0 * n, 10.0 * n + 9) for n in range(5)]
"""Cells of 9 pt with 1 pt of white between them."""
Line = tuple[float, ...]
sets = st.sets(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=25)


def lines(cells: set[tuple[int, int]], inset: float) -> list[Line]:
    """Left, top, right and foot of each line."""
    path = marks.outline_path(cells, SPANS, SPANS, inset)
    number = r"(-?[\d.]+)"
    ends = re.findall(f"M{number},{number}L{number},{number}", path)
    corners = [tuple(map(float, end)) for end in ends]
    return [(min(a, c), min(b, d), max(a, c), max(b, d)) for a, b, c, d in corners]


def crossed(line: Line, x: float, y: float, x2: float, y2: float) -> bool:
    """Whether a level or upright way crosses a line."""
    left, top, right, foot = line
    if y == y2:
        return left == right and min(x, x2) < left < max(x, x2) and top <= y <= foot
    return top == foot and min(y, y2) < top < max(y, y2) and left <= x <= right


@settings(max_examples=60)
@given(sets, st.sampled_from([0.7, 1.0, -0.4]))
def test_a_border_parts_what_is_inside_from_what_is_not(
    inside: set[tuple[int, int]], inset: float
) -> None:
    """From each cell to its neighbours; and each line ends on another, so that no corner is open."""
    border = lines(inside, inset)
    for x, y in product(range(-1, 6), repeat=2):
        for x2, y2 in ((x + 1, y), (x, y + 1)):
            way = (10 * x + 4.5, 10 * y + 4.5, 10 * x2 + 4.5, 10 * y2 + 4.5)
            parted = ((x, y) in inside) != ((x2, y2) in inside)
            assert sum(crossed(line, *way) for line in border) == parted
    for left, top, right, foot in border:
        for x, y in ((left, top), (right, foot)):
            near = [(a - 1e-6 <= x <= c + 1e-6) and (b - 1e-6 <= y <= d + 1e-6)
                    for a, b, c, d in border]  # fmt: skip
            assert sum(near) > 1


@pytest.mark.parametrize(
    ("picture", "hole"),
    [("###", False), ("### #.# ###", True), (".#. #.# .#.", False), ("#### #..# ###.", False)],
)
def test_cells_that_go_around_others_are_known(picture: str, hole: bool) -> None:
    """Those that touch at a corner alone leave a way out."""
    rows = picture.split()
    cells = {(x, y) for y, row in enumerate(rows) for x, sign in enumerate(row) if sign == "#"}
    assert marks.has_hole(cells) == hole
