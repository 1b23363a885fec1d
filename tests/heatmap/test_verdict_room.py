"""Lines of verdicts, rulers and titles: none stands on another text, or off the page."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import lettered
from heatproof.export import drawing
from support import heatmaps

JUDGED = {"spread": 0.5, "spread_equal": 0.5, "chance_median": 0.1, "chance_high": 0.2}
JUDGED |= {"chance_p": 0.001, "separated": 4}


def judged(tasks: int, along: int, up: int) -> pl.DataFrame:
    """Panels of which some have a best, and in others all cells tie."""
    frame = heatmaps.grid(heatmaps.TASKS[:tasks], heatmaps.RATIOS[:along], heatmaps.WINDOWS[:up])
    best = pl.col("best") | (pl.col("y") == heatmaps.WINDOWS[up - 1])
    all_tie = pl.col("task") == heatmaps.TASKS[0]
    return frame.with_columns(
        tied=best | all_tie, **{name: pl.lit(value) for name, value in JUDGED.items()}
    )


CASES: list[tuple[tuple[int, int, int], dict[str, Any]]] = [
    ((4, 5, 4), {"scale": "shared", "columns": 2}),
    ((2, 1, 4), {"legend": False, "title": "A title that goes on and on over the page " * 2}),
    ((4, 3, 2), {"legend": False, "columns": 4, "width": "single"}),
    ((2, 5, 4), {"labels": {"pass@1": "Share of all problems solved"}, "width": "single"}),
]


@pytest.mark.parametrize(("shape", "keys"), CASES)
def test_no_text_stands_on_another(shape: tuple[int, int, int], keys: dict[str, Any]) -> None:
    """Whatever stands beside the cells."""
    svg = drawing.draw(heatmaps.spec(judged(*shape), **keys)).public
    assert lettered.collisions(svg) == []
    assert svg.count(">spread<") == 1
