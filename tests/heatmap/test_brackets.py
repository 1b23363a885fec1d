"""Brackets beyond the labels of axes: their own labels lie level, or turned, where these have room."""

import pytest

from heatproof.kinds.heatmap.axes import _level_below, _level_left
from heatproof.kinds.lattice import Bracket, Lattice, Line, axis_lines, crossings


def brackets(rooms: dict[str, float]) -> list[Bracket]:
    """Brackets of these lengths, side by side."""
    placed, start = [], 0.0
    for name, room in rooms.items():
        placed.append(Bracket(name, start, start + room))
        start += room + 10
    return placed


@pytest.mark.parametrize(
    ("rooms", "angle", "first"),
    [
        ({"short": 60, "brief": 60}, 0, ["short"]),
        ({"alpha beta gamma": 26, "a": 8}, 0, ["alpha", "beta", "gamma"]),
        ({"alpha beta gamma delta": 26, "a": 8}, 90, ["alpha beta gamma delta"]),
        ({"unbreakable": 26, "a": 26}, 45, ["unbreakable"]),
        ({"unbreakable": 60, "a": 8}, 0, ["unbreakable"]),
    ],
)
def test_labels_below_lie_level_where_each_fits_its_bracket(
    rooms: dict[str, float], angle: int, first: list[str]
) -> None:
    """On three lines at most, each no longer than its own bracket; else all as labels of cells."""
    level = _level_below(brackets(rooms), 100.0)
    assert level.angle == angle
    assert [*level.lines[next(iter(rooms))]] == first


@pytest.mark.parametrize(
    ("rooms", "angle", "first"),
    [
        ({"alpha beta": 60, "a": 30}, 90, ["alpha beta"]),
        ({"alpha beta gamma": 26, "a": 26}, 90, ["alpha beta", "gamma"]),
        ({"alpha beta gamma": 18, "a": 18}, 0, ["alpha beta gamma"]),
        ({"unbreakable": 20, "a": 26}, 0, ["unbreakable"]),
    ],
)
def test_labels_left_are_turned_where_each_fits_its_bracket(
    rooms: dict[str, float], angle: int, first: list[str]
) -> None:
    """On two lines at most; else they lie level."""
    level = _level_left(brackets(rooms), 80.0)
    assert level.angle == angle
    assert [*level.lines[next(iter(rooms))]] == first


def test_a_lattice_has_brackets_of_named_groups_and_boxes_of_cells() -> None:
    """Values without a group have no bracket, means no box among cells; the lowest row may be first."""
    columns = axis_lines({"1": "low", "2": "low", "3": ""}, of_groups=True, of_all=True)
    assert [line.name.strip() for line in columns] == ["1", "2", "mean", "3", "mean"]
    assert [line.outer for line in columns] == [False] * 4 + [True]
    rows = [Line("a", ["a"]), Line("b", ["b"])]
    spans = [(10.0 * n, 10.0 * n + 8) for n in range(5)]
    lattice = Lattice((columns, rows), (spans, spans[:2]))
    assert lattice.brackets(0, 1.0) == [Bracket("low", 1.0, 27.0)]
    assert lattice.brackets(1, 1.0) == []
    upward = [(box.left, box.top) for box in lattice.cell_boxes(upward=True)]
    assert upward == [(0, 10), (10, 10), (30, 10), (0, 0), (10, 0), (30, 0)]
    assert [(box.left, box.top) for box in lattice.cell_boxes(upward=False)] == upward[3:] + upward[
        :3
    ]


class Spot:
    """A cell at a place."""

    def __init__(self, x: str, y: str) -> None:
        self.x, self.y = x, y


def test_means_hold_the_cells_of_their_lines() -> None:
    """Where two lines of cells meet is one cell; a mean has all of its group, and that of all every one."""
    cells = [Spot(x, y) for y in "ab" for x in "123"]
    columns = axis_lines({"1": "low", "2": "low", "3": ""}, of_groups=True, of_all=True)
    rows = axis_lines({"a": "", "b": ""}, of_groups=False, of_all=True)
    met = {(c.column, c.row): c for c in crossings(cells, (columns, rows))}
    sizes = [[len(met[column, row].cells) for column in range(5)] for row in range(3)]
    assert sizes == [[1, 1, 2, 1, 3], [1, 1, 2, 1, 3], [2, 2, 4, 2, 6]]
    means = [[met[column, row].is_mean for column in range(5)] for row in range(3)]
    assert means == [[False, False, True, False, True]] * 2 + [[True] * 5]
    assert met[3, 1].cell is cells[5]
