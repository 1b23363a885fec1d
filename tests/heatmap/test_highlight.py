"""highlight: cells that the user frames."""

from __future__ import annotations

import json
from typing import Any

import pytest

from heatproof.kinds.heatmap import annotation, marks
from heatproof.util.errors import Error
from support.heatmaps import TASKS, entry, grid, panels, spec


def frames(view: dict[str, Any]) -> list[str]:
    """Paths of the frames of a panel."""
    frames = [layer for layer in view["layer"] if layer["mark"].get("stroke") == marks.FRAME]
    return [layer["encoding"]["shape"]["value"] for layer in frames]


@pytest.mark.parametrize(
    ("items", "found"),
    [
        ([{"ratio": 0.3, "local_window": 1000}], [1, 1]),
        ([{"ratio": 0.3}], [1, 1]),
        ([{"ratio": 0.3, "task": "AIME24"}], [1, 0]),
        ([{"task": "AIME25"}], [0, 1]),
        ([{"ratio": 0.1, "local_window": 500}, {"ratio": 0.5, "local_window": 500}], [2, 2]),
        ([{"ratio": 0.1, "local_window": 500}, {"ratio": 0.2, "local_window": 500}], [2, 2]),
        ([], [0, 0]),
    ],
)
def test_named_cells_are_framed(items: Any, found: list[int]) -> None:
    """By some of their columns or all of them; side by side of one item, in one frame."""
    chart = spec(grid(TASKS[:2]), highlight=items)
    assert [sum(p.count("Z") for p in frames(view)) for view in panels(chart)] == found


@pytest.mark.parametrize(
    ("item", "said"),
    [
        ({}, ".highlight[0]: names no column; there are task, local_window, ratio"),
        ({"label": "x"}, ".highlight[0]: names no column"),
        ({"rato": 1}, ".highlight[0].rato: 'rato' lies along no axis and has no panels; there are"),
        ({"ratio": 0.1, "label": 3}, ".highlight[0].label: 3 is not text"),
    ],
)
def test_items_that_can_name_no_cell_are_told(item: Any, said: str) -> None:
    """Before any job, with the columns that there are."""
    [found] = entry(highlight=[item]).mistakes()
    assert found.startswith(said)


def test_a_cell_that_is_not_there_is_refused() -> None:
    """A frame around nothing would be overlooked."""
    with pytest.raises(Error, match=r"highlight\[1\]: there is no cell with ratio: 0.7"):
        spec(grid(TASKS[:1]), highlight=[{"ratio": 0.1}, {"ratio": 0.7}])


def test_values_are_asked_for_as_those_of_where() -> None:
    """So that one which no sample has is told before any job; texts become numbers."""
    one = entry(highlight=[{"ratio": 1, "label": "x"}])
    assert one.wanted()["highlight[0].ratio"] == ("ratio", [1])
    assert one.used()["highlight[0].ratio"] == "ratio"
    fitted: Any = one.fitted({"ratio": "float"})
    assert json.dumps(fitted.highlight) == '[{"ratio": 1.0, "label": "x"}]'
    assert annotation.framed_columns(fitted.highlight[0]) == {"ratio": 1.0}
