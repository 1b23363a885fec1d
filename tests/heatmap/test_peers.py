"""peers: which cells are compared with each other, and what is expected of those without any."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from heatproof.kinds.heatmap import grid

NONE = grid.NO_SET


def naive(present: Any) -> list[int]:
    """Sets by walking from cell to cell."""
    size = present.shape[1]
    found = [NONE] * size
    for start in range(size):
        reached, before = {start} if present[:, start].any() else set(), None
        while reached != before:
            before = set(reached)
            held = present[:, sorted(reached)].any(axis=1)
            reached |= {cell for cell in range(size) if (present[:, cell] & held).any()}
        if reached:
            found[start] = min(reached)
    return found


@settings(max_examples=60, derandomize=True)
@given(arrays(np.bool_, st.tuples(st.integers(0, 9), st.integers(1, 9)), elements=st.booleans()))
def test_cells_that_share_problems_directly_or_through_others_are_peers(present: Any) -> None:
    """As walking from cell to cell finds them."""
    assert grid.connected_sets(present).tolist() == naive(present)


LINES = [np.repeat(range(3), 3), np.tile(range(3), 3)]
FILLED = [
    # Rows are of one set each, columns are not.
    ([0, 0, 0, 1, NONE, 1, 2, 2, 2], [0, 0, 0, 1, 1, 1, 2, 2, 2]),
    # The same, and its column is of one that it is not of.
    ([0, 0, 0, 1, NONE, 1, 0, 0, 0], [0, 0, 0, 1, 1, 1, 0, 0, 0]),
    # Columns are: model by task, where a model lacks a task.
    ([0, 1, 2, 0, NONE, 2, 0, 1, 2], [0, 1, 2, 0, 1, 2, 0, 1, 2]),
    # One set for all, though a whole row is empty.
    ([0, 0, 0, NONE, NONE, NONE, 0, 0, 0], [0] * 9),
    # Neither rows nor columns tell.
    ([0, 1, 0, 1, NONE, 1, 0, 1, 0], [0, 1, 0, 1, 1, 1, 0, 1, 0]),
    ([0, 1, 2, 1, NONE, 0, 2, 0, 1], [0, 1, 2, 1, NONE, 0, 2, 0, 1]),
    ([NONE] * 9, [NONE] * 9),
]


@pytest.mark.parametrize(("found", "filled"), FILLED)
def test_an_empty_cell_is_of_the_set_of_its_neighbours(found: list[int], filled: list[int]) -> None:
    """Where row or column say of which; else it stays without."""
    assert grid.fill_lines(np.array(found), LINES).tolist() == filled


def expected(count: Any, lines: Any) -> list[int]:
    """Rows of complete runs, where nothing is pooled."""
    rows = grid.whole_sizes(count, lines, np.ones(count.shape[1], np.int64))[1]
    return rows.tolist()  # type: ignore[no-any-return]


def test_what_is_expected_is_that_of_the_peers() -> None:
    """Not the union of problems that no cell could hold; an empty cell is expected to be alike."""
    count = np.zeros((6, 9), np.int64)
    count[:2, :3] = 5
    count[2:, 3:] = 1
    count[0, 1], count[:, 7] = 2, 0
    assert expected(count, LINES) == [10] * 3 + [4] * 6


def test_of_a_cell_whose_peers_are_not_known_nothing_is_expected() -> None:
    """Neither its row nor its column says which problems it would hold."""
    found = np.array([0, 1, 2, 1, NONE, 0, 2, 0, 1])
    count = 4 * (np.arange(3)[:, np.newaxis] == found)
    assert expected(count, LINES) == [4] * 4 + [0] + [4] * 4


PARTS = {
    "more epochs elsewhere": ([[6, 6], [4, 4], [4, 4]], [12, 8, 8]),
    "an epoch less of one problem": ([[6, 6], [4, 3]], [12, 8]),
    "one problem repeated": ([[1, 1, 2], [1, 1, 1]], [4, 3]),
    "a part of the data set": ([[1] * 5, [1, 1, 1, 0, 0], [1, 1, 1, 0, 0]], [5, 3, 3]),
    "as many that hold all of it": ([[1] * 5, [1] * 5] + [[1, 1, 1, 0, 0]] * 2, [5] * 4),
    "two that were cut off": ([[1] * 5, [1, 1, 1, 0, 0], [1, 1, 1, 1, 0]], [5] * 3),
}


@pytest.mark.parametrize("name", PARTS)
def test_what_others_did_beyond_a_run_is_no_lack(name: str) -> None:
    """More epochs, and problems outside the part that most cells hold."""
    cells, wanted = PARTS[name]
    count = np.array(cells).T
    lines = [np.zeros(count.shape[1], np.int64), np.arange(count.shape[1])]
    assert expected(count, lines) == wanted


def test_a_value_less_of_what_is_pooled_is_a_lack() -> None:
    """Two of three seeds, two epochs each, are four of six."""
    count = np.array([[6, 6], [4, 4]]).T
    found = grid.whole_sizes(count, [np.arange(2)], np.array([3, 2]))
    assert found[1].tolist() == [12, 12]
