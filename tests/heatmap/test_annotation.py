"""`highlight` frames cells."""

from __future__ import annotations

from typing import Any

import pytest

from heatproof.kinds.heatmap import marks
from heatproof.util.errors import Error
from support import heatmaps


@pytest.mark.parametrize(
    ("items", "sides"),
    [
        ([{"ratio": 0.3, "local_window": 1000}], [4, 4]),
        ([{"ratio": 0.3}], [10, 10]),
        ([{"ratio": 0.3, "task": "AIME24"}], [10, 0]),
        ([{"ratio": 0.1, "local_window": 500}, {"ratio": 0.2, "local_window": 500}], [8, 8]),
        ([], [0, 0]),
    ],
)
def test_cells_that_an_item_names_are_framed(items: Any, sides: list[int]) -> None:
    """By some of their columns or all of them; side by side of one item, in one frame."""
    chart = heatmaps.spec(heatmaps.grid(heatmaps.TASKS[:2]), highlight=items)
    frames = [
        [
            layer["encoding"]["shape"]["value"].count("M")
            for layer in view["layer"]
            if layer["mark"].get("stroke") == marks.FRAME
        ]
        for view in heatmaps.panels(chart)
    ]
    assert [sum(paths) for paths in frames] == sides


def test_a_cell_that_is_not_there_is_refused() -> None:
    """A frame around nothing would be overlooked; values are looked for as those of `where`."""
    with pytest.raises(Error, match=r"highlight\[1\]: there is no cell with ratio: 0.7"):
        heatmaps.spec(heatmaps.grid(heatmaps.TASKS[:1]), highlight=[{"ratio": 0.1}, {"ratio": 0.7}])
    one = heatmaps.entry(highlight=[{"ratio": 1, "label": "x"}])
    assert one.required()["highlight[0].ratio"] == ("ratio", [1])
    fitted: Any = one.fitted({"ratio": "float"})
    assert fitted.highlight == [{"ratio": 1.0, "label": "x"}]
