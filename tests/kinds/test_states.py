"""Columns and codes of a grid: docs/results.md has each, and cells tell of each in all texts."""

import re
from pathlib import Path

import polars as pl
import pytest

from heatproof.kinds import api, columns, states
from heatproof.metrics import metric
from support import heatmaps

PAGE = (Path(__file__).parents[2] / "docs/results.md").read_text(encoding="utf-8")
LINES = [re.split(r" *\| *", line)[1:-1] for line in PAGE.splitlines() if line[:3] == "| `"]


def test_every_column_of_a_grid_is_documented() -> None:
    """In order, with its meaning and the key that asks for it."""
    wanted = [(f"`{c.prefix}{c.name}`", c.meaning, c.block) for c in columns.GRID]
    assert [(line[0], line[2], line[3]) for line in LINES if len(line) == 4] == wanted


def test_every_state_of_a_cell_is_documented() -> None:
    """Gaps, what is lacking, and doubts, each by its code."""
    wanted = [f"`{kind}`" for kind in (*states.GAPS, *states.LACKS, *states.DOUBTS)]
    told = [line for line in LINES if len(line) == 2]
    assert [line[0] for line in told] == wanted
    assert all(line[1] for line in told)


@pytest.mark.parametrize("kind", states.GAPS)
def test_a_cell_without_a_value_says_why_in_all_texts(kind: str) -> None:
    """In the alternative text by number, on the page in words; unless nothing is lacking."""
    state, first = states.GAPS[kind], pl.int_range(pl.len()) == 0
    frame = heatmaps.grid(heatmaps.TASKS[:1]).with_columns(
        value=pl.when(~first).then("value"), gap=pl.when(first).then(pl.lit(kind)), lacks=None
    )
    figure = heatmaps.entry()
    words = states.Gap(kind).words(metric(figure.question.word), "")
    spoken = heatmaps.spec(frame)["concat"][0]["description"]
    assert spoken.endswith(f"; 1 {state.spoken}." if state.spoken else " Window Size 3000.")
    (cell, *others) = api.kind("heatmap").table(frame, figure).incomplete or [""]
    assert not others
    assert cell.endswith(words) != state.is_whole
