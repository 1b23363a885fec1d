"""Tasks are cells like any other: on an axis each cell is of its own task, and so is what it says."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from heatproof.kinds import trace as traces
from heatproof.kinds.heatmap import aggregate as grids
from support.tasks import entry, samples, sweep

GAPS = [
    ({"t2"}, {}, "pass@1", "incomplete: no value, task t2 missing"),
    ({"t2", "t3"}, {}, "pass@1", "incomplete: no value, tasks t2, t3 missing"),
    (set(), {"tokens": None}, "mean(tokens)", "incomplete: no value, no tokens in task t3"),
    ({"t2"}, {"tokens": None}, "mean(tokens)",
     "incomplete: no value, task t2 missing; no tokens in task t3"),
]  # fmt: skip


@pytest.mark.parametrize(("lost", "change", "word", "words"), GAPS)
def test_a_mean_that_lacks_a_task_says_which(
    lost: set[str], change: dict[str, Any], word: str, words: str
) -> None:
    """Such a cell is no "no data": it has records, and grid and witness say what is missing."""
    one = entry("b", "model", word, mean_over="task")
    rows = [
        row | (change if row["model"] == "a" and row["task"] == "t3" else {})
        for row in sweep()
        if row["model"] == "b" or row["task"] not in lost
    ]
    table = samples(rows)
    grid = grids.aggregate(table, one)
    assert grid["gap"].to_list() == [words, None]
    assert grid["value"].null_count() == 1
    assert grid.select("best", "tied", "peers").row(1) == (False, None, None)
    assert all(agrees for *_, agrees in traces.recounted(table, grid, one))
    behind = traces.behind(table, grid, one, {"model": "a"})
    assert behind.agrees
    assert behind.gap
    assert (behind.value, behind.counted) == (None, None)


def test_the_witness_does_not_confirm_an_empty_cell_with_records() -> None:
    """Neither one that is called "no data" nor one whose records give a number."""
    table, one = samples(sweep()), entry("task", "model")
    whole = grids.aggregate(table, one)
    first = pl.int_range(pl.len()) == 0
    for words in ("no data", "incomplete: no value, task t1 missing", None):
        keep = pl.when(~first)
        forged = whole.with_columns(
            keep.then("value").alias("value"),
            keep.then("gap").otherwise(pl.lit(words)).alias("gap"),
        )
        found = [agrees for *_, agrees in traces.recounted(table, forged, one)]
        assert found == [False, True, True, True, True, True]
        assert not traces.behind(table, forged, one, {"task": "t1", "model": "a"}).agrees
    lost = samples(row for row in sweep() if (row["model"], row["task"]) != ("a", "t1"))
    mean = entry("b", "model", mean_over="task")
    grid = grids.aggregate(lost, mean).with_columns(gap=pl.lit("no data"))
    assert [agrees for *_, agrees in traces.recounted(lost, grid, mean)] == [False, True]


@pytest.mark.parametrize("turned", [False, True])
def test_a_blank_cell_is_of_the_task_of_its_line_in_its_own_panel(turned: bool) -> None:
    """Panels may have other tasks on the same line: what is expected of a blank cell is its own."""
    of = {
        ("a", 0): "t1",
        ("a", 1): "t2",
        ("b", 0): "t2",
        ("b", 1): "t1",
        ("c", 0): "t1",
        ("c", 1): "t1",
    }
    rows = [
        {"model": model, "b": b, "x": x, "task": task, "sample_id": f"{n}", "score": float(n > b)}
        for (model, b), task in of.items()
        for x in range(3)
        for n in range({"t1": 3, "t2": 5}[task])
        if (model, b, x) not in {("a", 0, 2), ("b", 0, 1), ("c", 1, 0), ("b", 1, 2)}
    ]
    rows = [{k: v for k, v in row.items() if k != "x"} | {"scorer": f"s{row['x']}"} for row in rows]
    axes = ("b", "scorer") if turned else ("scorer", "b")
    grid = grids.aggregate(samples(rows), entry(*axes, panel="model"))
    grid = grid.rename({"x": "y", "y": "x"}).sort("model", "y", "x") if turned else grid
    sizes = [{"t1": 3, "t2": 5}[of[model, b]] for model in "abc" for b in (0, 1) for _ in range(3)]
    assert grid["expected"].to_list() == sizes
    blank = grid.filter(pl.col("value").is_null())
    assert blank.select("model", "y", "x").rows() == [
        ("a", 0, "s2"), ("b", 0, "s1"), ("b", 1, "s2"), ("c", 1, "s0"),
    ]  # fmt: skip
    assert set(blank["gap"]) == {"no data"}
