"""Tasks are cells like any other: on an axis each cell is of its own task, and so is what it says."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import specimens
from heatproof.kinds import api
from heatproof.kinds import trace as traces
from heatproof.kinds.heatmap import aggregate as grids
from heatproof.kinds.heatmap import report
from heatproof.samples import counts
from heatproof.util.errors import Error
from reading import run
from support.tasks import METRICS, SIZES, entry, samples, sweep

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("word", METRICS)
@pytest.mark.parametrize("axes", [("task", "model"), ("model", "task")])
def test_a_cell_of_a_task_is_what_a_panel_of_the_task_would_show(
    axes: tuple[str, str], word: str
) -> None:
    """Value, error, interval and what is expected of model × task are those of each task alone."""
    rows = samples(sweep())
    grid = grids.aggregate(rows, entry(*axes, word))
    task, model = ("x", "y") if axes[0] == "task" else ("y", "x")
    alone = grids.aggregate(rows, entry("b", "model", word, panel="task"))
    told = ["value", "samples", "epochs", "expected", "se", "low", "high", "best", "tied", "spread",
            "chance_p"]  # fmt: skip
    key = ["task", "model"]
    found = grid.rename({task: "task", model: "model"}).sort(key).select(*key, *told)
    assert found.equals(alone.rename({"y": "model"}).sort(key).select(*key, *told))
    assert found["value"].null_count() == 0
    assert [*dict(found.select("task", "expected").iter_rows()).values()] == [24, 40, 14]


@pytest.mark.parametrize("word", METRICS)
@pytest.mark.parametrize("keys", [{}, {"panel": "b"}])
def test_counts_tell_of_tasks_what_rows_do(word: str, keys: dict[str, str]) -> None:
    """Model × task from the partial counts is that from the rows, and it has values."""
    rows = samples(sweep())
    one = entry("task", "model", word, **keys)
    partial = [counts.count(rows.collect()).lazy()]
    made = grids.aggregate(rows.clear(), one, partial)
    assert made.equals(grids.aggregate(rows, one), null_equal=True)
    assert made["value"].null_count() == 0


@pytest.mark.parametrize("keys", [{}, {"panel": "model", "mean_over": "task"}])
@pytest.mark.parametrize("word", METRICS)
def test_the_witness_counts_the_same(word: str, keys: dict[str, str]) -> None:
    """`verify` counts each cell in fractions and agrees, on tasks and on means of them."""
    rows = samples(sweep())
    one = entry("b", "scorer", word, **keys) if keys else entry("task", "model", word)
    found = list(traces.recounted(rows, grids.aggregate(rows, one), one))
    assert len(found) == (2 if keys else 6)
    assert all(agrees and value is not None for _, value, _, agrees in found)


def test_best_is_marked_for_each_task() -> None:
    """A weak model that ran the easy task only is not compared with those that ran the hard one."""
    rows = [
        {"model": model, "task": task, "sample_id": str(n), "score": float(n % 10 < right)}
        for task, told in {"easy": {"a": 9, "b": 5}, "hard": {"a": 1, "b": 4}}.items()
        for model, right in told.items()
        for n in range(40)
    ]
    grid = grids.aggregate(samples(rows), entry("task", "model"))
    best = {(row["x"], row["y"]) for row in grid.iter_rows(named=True) if row["best"]}
    assert best == {("easy", "a"), ("hard", "b")}
    spreads = dict(grid.select("x", "spread").iter_rows())
    assert spreads == pytest.approx({"easy": 0.4, "hard": 0.3})


def test_a_task_of_one_model_has_no_best() -> None:
    """A cell that is compared with none is neither best nor tied nor spread."""
    rows = [row for row in sweep() if row["task"] == "t1" or row["model"] == "a"]
    grid = grids.aggregate(samples(rows), entry("task", "model"))
    alone = grid.filter(pl.col("x") != "t1", pl.col("value").is_not_null())
    assert len(alone) == 2
    assert not alone["best"].any()
    assert alone.select("tied", "spread", "peers").null_count().row(0) == (2, 2, 2)
    missing = grid.filter(pl.col("value").is_null())
    assert missing["gap"].to_list() == ["no data"] * 2
    assert missing["expected"].to_list() == [40, 14]


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


def test_a_problem_tried_too_rarely_says_so() -> None:
    """pass@2 of a cell with one sample of each problem: no value, and why."""
    rows = [row for row in sweep() if row["model"] == "b" or row["epoch"] == 0]
    table, one = samples(rows), entry("task", "model", "pass@2")
    grid = grids.aggregate(table, one)
    assert (
        grid["gap"].to_list()[:3]
        == ["incomplete: no value, fewer than 2 samples of each problem"] * 3
    )
    assert grid["value"].null_count() == 3
    assert all(agrees for *_, agrees in traces.recounted(table, grid, one))


def test_why_there_is_no_value_is_told_by_the_records() -> None:
    """Tasks without the number, and those tried too rarely; only those of the cell's own panel."""
    rows = [
        row | ({"score": None} if row["task"] == "t2" else {})
        for row in sweep()
        if row["model"] == "b" or row["epoch"] == 0
    ]
    some = [row for row in sweep() if row["model"] == "b" and row["task"] != "t2"]
    rows += [row | {"model": "c"} for row in some]
    rows += [row | {"model": "d"} for row in some if row["epoch"] == 0]
    table = samples(rows)
    one = entry("b", "scorer", "pass@2", panel="model", mean_over="task", where={"task": [*SIZES]})
    grid = grids.aggregate(table, one)
    found = {model: traces.behind(table, grid, one, {"model": model}) for model in "abcd"}
    few = "fewer than 2 samples of each problem"
    assert [one.gap for one in found.values()] == [
        f"no value: no score of t2; {few} of t1, t3 in 39 records",
        "no value: no score of t2 in 78 records",
        "",
        f"no value: {few} of t1, t3 in 19 records",
    ]
    told = [[(part.title, part.value) for part in one.parts] for one in found.values()]
    assert told[0] == [("task=t1", None), ("task=t3", None)]
    assert told[1] == told[2]
    assert [one.asked for one in found.values()] == [""] * 4
    assert (found["c"].agrees, found["c"].value, found["c"].counted) == (
        True,
        pytest.approx(sum(value for _, value in told[2]) / 2),
        found["c"].value,
    )
    again = list(traces.recounted(table, grid, one))
    assert all(agrees for *_, agrees in again)
    why = f"incomplete: no value, no score in task t2; {few} in tasks t1, t3"
    assert again[0][0] == f"model=a, b=1, scorer= ({why!r}, by its records: {found['a'].gap})"
    blank = grid.with_columns(gap=pl.lit("no data"))
    assert not traces.behind(table, blank, one, {"model": "a"}).agrees


def test_values_that_differ_by_rounding_are_no_fault_of_the_best() -> None:
    """The witness asks for no frame around a cell that is behind by less than it can tell."""
    rows = [
        {"b": b, "sample_id": str(n), "score": 0.0, "tokens": tokens + n}
        for b, tokens in ((1, 1.0), (2, 1 + 1e-12), (3, 0.5))
        for n in range(3)
    ]
    table, one = samples(rows), entry("b", "model", "mean(tokens)")
    grid = grids.aggregate(table, one)
    assert grid["best"].to_list() == [False, True, False]
    assert all(agrees for *_, agrees in traces.recounted(table, grid, one))


def test_values_that_there_are_stand_in_the_order_of_their_axis() -> None:
    """Where one is to be named; a cell without a record says so."""
    order = [50, 7, 31, 2, 90, 11, 64, 5]
    rows = [{"b": b, "sample_id": "a", "score": 1.0, "model": "mn"[b == 7]} for b in order]
    one = entry("b", "model", sort={"b": order})
    grid = grids.aggregate(samples(rows), one)
    with pytest.raises(Error) as told:
        traces.behind(samples(rows), grid, one, {"model": "m"})
    assert str(told.value) == "--cell: which b? there are 50, 7, 31, 2, 90, 11, 64, 5"
    hole = traces.behind(samples(rows), grid, one, {"model": "m", "b": "7"})
    assert (hole.gap, hole.value, hole.parts, hole.agrees) == ("no record", None, [], True)


def test_the_samples_of_a_cell_are_those_that_the_figure_shows_there() -> None:
    """Found by panel, x and y; what `where` leaves out is of no cell."""
    table = samples([*sweep(), *(row | {"b": 2} for row in sweep()), *sweep("c")])
    one = entry("task", "b", panel="model", where={"task": ["t1", "t2"]})
    grid = grids.aggregate(samples(sweep()), one)
    assert traces.columns(one, grid) == ["model", "x", "y"]
    assert traces.value_columns(one, grid) == ["value", "samples", "epochs", "expected"]
    places = [("a", "t1", 1), ("b", "t2", 2), ("a", "t3", 1)]
    found = [
        traces.within(table, one, {"model": model, "x": task, "y": b}).collect()
        for model, task, b in places
    ]
    assert [len(rows) for rows in found] == [24, 40, 0]
    for rows, place in zip(found[:2], places, strict=False):
        assert {*rows.select("model", "task", "b").iter_rows()} == {place}


def test_a_figure_without_a_value_is_refused() -> None:
    """No cell holds all tasks: the message names figure, cell, what lacks and the way out."""
    rows = [row for row in sweep() if (row["model"] == "a") == (row["task"] == "t1")]
    with pytest.raises(Error) as caught:
        grids.aggregate(samples(rows), entry("b", "model", mean_over="task"))
    said = str(caught.value)
    assert said.startswith("config.yaml: figures.f: no cell has a value, so there is nothing")
    assert "model=a, b=1: incomplete: no value, tasks t2, t3 missing" in said
    assert "where.task" in said
    with pytest.raises(Error, match=r"encoding.color: pass@3 needs 3 samples .* more than 2"):
        grids.aggregate(samples(sweep()), entry("task", "model", "pass@3"))


def test_a_figure_says_why_no_best_is_told() -> None:
    """In grid, figure, LaTeX and words read out; the column is there only where it says something."""
    rows = [
        {"model": model, "b": 1, "task": task, "sample_id": str(n), "epoch": 0,
         "score": float(hash_ % 3 > 0)}
        for model in "ab" for task, size in (("few", 10), ("many", 100)) for n in range(size)
        for hash_ in [n + (model == "a")]
    ]  # fmt: skip
    one = entry("model", "b", mean_over="task")
    grid = grids.aggregate(samples(rows), one)
    why = "not judged: nearly all uncertainty of these means is that of few (10 "
    assert not grid["best"].any()
    assert all(words.startswith(why) for words in grid["unjudged"])
    drawn = json.dumps(api.kind("heatmap").draw(grid, one).to_dict())
    assert why[0].upper() + why[1:] in drawn
    assert f"% {why}" in report.latex(grid, one)
    assert all(agrees for *_, agrees in traces.recounted(samples(rows), grid, one))
    alone = grids.aggregate(
        samples(rows), entry("model", "b", mean_over="task", where={"task": "many"})
    )
    assert "unjudged" not in alone.columns


@pytest.mark.parametrize("name", specimens.SOURCES)
def test_logs_of_every_format_give_model_by_task(name: str, tmp_path: Path) -> None:
    """With the task along x each cell has its value, and the witness agrees."""
    files, keys = specimens.SOURCES[name]
    specimens.write(tmp_path, files)
    table = run(tmp_path, **keys).samples.lazy()
    one = entry("task", "model", "mean(score)")
    grid = grids.aggregate(table, one)
    assert grid["value"].null_count() == 0
    assert (grid["epochs"] == grid["expected"]).all()
    assert all(agrees for *_, agrees in traces.recounted(table, grid, one))


@pytest.mark.parametrize("word", METRICS)
def test_a_task_that_no_axis_names_is_that_of_its_cells(word: str) -> None:
    """Where each value of x has a task of its own, cells are of their task as if x were the task."""
    rows = [row | {"b": [*SIZES].index(row["task"])} for row in sweep()]
    rows = [row for row in rows if (row["model"], row["task"]) != ("a", "t2")]
    table, one = samples(rows), entry("b", "model", word)
    grid, named = (grids.aggregate(table, e) for e in (one, entry("task", "model", word)))
    assert grid.drop("x").equals(named.drop("x"), null_equal=True)
    assert grid["value"].null_count() == 1
    assert grid.row(1, named=True)["expected"] == 40
    assert grid.row(1, named=True)["gap"] == "no data"
    assert all(agrees for *_, agrees in traces.recounted(table, grid, one))


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


def test_each_panel_may_be_of_a_task_of_its_own() -> None:
    """However many there are, and whichever comes first: none is a mean of several."""
    rows = [
        {"model": model, "task": task, "b": b, "sample_id": str(n), "score": float(n < b)}
        for model, task in zip("abcdef", ["t2", "t1", "t1", "t1", "t2", "t1"], strict=True)
        for b in (1, 2)
        for n in range({"t1": 4, "t2": 5}[task])
    ]
    grid = grids.aggregate(samples(rows), entry("b", "scorer", panel="model"))
    sizes = [5, 5, 4, 4, 4, 4, 4, 4, 5, 5, 4, 4]
    assert grid["expected"].to_list() == grid["samples"].to_list() == sizes
    assert grid["value"].to_list() == [(1 + n % 2) / size for n, size in enumerate(sizes)]


def test_numbers_of_a_grid_are_whole_where_they_count() -> None:
    """Counts are whole numbers, all else is a fraction, a text or a flag."""
    grid = grids.aggregate(samples(sweep()), entry("task", "model"))
    kinds = {name: kind.to_python().__name__ for name, kind in grid.schema.items()}
    whole = {"samples", "epochs", "expected", "peers", "common", "separated"}
    assert {name for name, kind in kinds.items() if kind == "int"} == whole
    assert {name for name, kind in kinds.items() if kind == "bool"} == {
        "best",
        "tied",
        "reconstructed",
    }
    assert {name for name, kind in kinds.items() if kind == "str"} == {"x", "y", "gap"}


def test_a_mean_over_settings_weighs_them_alike() -> None:
    """Samples of a problem are counted together only where each setting has as many."""
    one = entry("b", "task", mean_over="model")
    rows = sweep()
    even = grids.aggregate(samples(rows), one)
    parts = (
        grids.aggregate(samples(rows), entry("model", "task")).group_by("y").agg(pl.mean("value"))
    )
    assert dict(even.select("y", "value").iter_rows()) == pytest.approx(dict(parts.iter_rows()))
    more = rows[-1] | {"epoch": 9}
    uneven = "incomplete: no value, the samples are not as many for each model"
    for wrong in ([*rows, more], rows[1:]):  # one cell alone
        assert grids.aggregate(samples(wrong), one)["gap"].drop_nulls().to_list() == [uneven]
    with pytest.raises(Error, match=rf"no cell has a value, .* {uneven}.* list 'model' under pool"):
        grids.aggregate(samples([r for r in rows if r["model"] == "a" or r["epoch"]]), one)
    pooled = entry("b", "task", pool=["model"])
    assert grids.aggregate(samples([*rows, more]), pooled)["value"].null_count() == 0


def test_rows_with_problems_of_their_own_are_judged_apart() -> None:
    """Nothing is expected of a row that only another has, and nothing is compared across rows."""
    rows = [
        {"model": f"m{m}", "b": k, "sample_id": f"{k}-{n}", "score": float(m == k or n > 3)}
        for m in range(3)
        for k in range(3)
        for n in range(8)
    ]
    grid = grids.aggregate(samples(rows), entry("model", "b"))
    assert (grid["epochs"] == grid["expected"]).all()
    assert grid.filter("best").select("y", "x").rows() == [(0, "m0"), (1, "m1"), (2, "m2")]
    assert grid["peers"].to_list() == [n for n in (0, 3, 6) for _ in range(3)]
    assert grid["common"].to_list() == [8] * 9


def test_cells_with_one_record_each_are_not_compared() -> None:
    """Cells that share no problem: no best, no ties, no spread, and none is incomplete."""
    rows = [{"b": b, "sample_id": str(b), "score": float(b > 1)} for b in (1, 2, 3)]
    grid = grids.aggregate(samples(rows), entry("b", "model"))
    assert grid["value"].to_list() == [0, 1, 1]
    assert not grid["best"].any()
    assert grid.select("tied", "spread", "chance_p", "peers").null_count().row(0) == (3,) * 4
    assert (grid["epochs"] == grid["expected"]).all()
