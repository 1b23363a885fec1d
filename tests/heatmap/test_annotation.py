"""`annotate` prints another metric or a column beside values; `highlight` frames cells."""

import json
import random
import statistics
from functools import cache
from typing import Any

import polars as pl
import pytest

from heatproof.config import roles
from heatproof.kinds import api, trace
from heatproof.kinds.heatmap import aggregate as grids
from heatproof.util.errors import Error
from support import heatmaps
from support.tasks import entry, samples, sweep


@cache
def rows() -> pl.LazyFrame:
    """Models a and b on three tasks, each by a scorer of its own; b has no tokens on t3."""
    lost = {"tokens": None}
    return samples(
        row | {"scorer": f"by {row['model']}"}
        | (lost if (row["model"], row["task"]) == ("b", "t3") else {})
        for row in sweep()
    )  # fmt: skip


def noted(annotate: Any = "mean(tokens)", **keys: Any) -> Any:
    return entry("task", "model", annotate=annotate, **keys)


def test_no_column_of_a_user_has_the_names_of_these() -> None:
    """In the grid they stand beside columns of panels and axes."""
    plain, grid = (grids.aggregate(rows(), f) for f in (entry("task", "model"), noted()))
    assert grid.select(plain.columns).equals(plain, null_equal=True)
    added = {*grid.columns} - {*plain.columns}
    assert added == {f"note_{name}" for name in grids.NOTED}
    assert added <= roles.TAKEN


@pytest.mark.parametrize(
    ("figure", "words"),
    [
        (
            entry("task", "b", pool=["model", "scorer"], annotate="scorer"),
            "'scorer' has 2 values in one cell (by a, by b at b=1, task=t1), but a cell prints one",
        ),
        (noted("pass@3"), "pass@3 needs 3 samples of a problem"),
    ],
)
def test_what_cannot_be_printed_is_refused(figure: Any, words: str) -> None:
    """Under its key, with the cell and what to do."""
    with pytest.raises(Error) as refused:
        grids.aggregate(rows(), figure)
    assert "figures.f.annotate: " in str(refused.value)
    assert words in str(refused.value)


def test_what_is_printed_is_counted_anew() -> None:
    """`verify` and `trace` find a wrong one, and say what it is by the records."""
    figure = noted("mean(tokens)")
    grid = grids.aggregate(rows(), figure)
    assert all(agrees for *_, agrees in trace.recounted(rows(), grid, figure))
    assert len([*trace.recounted(rows(), grid, figure)]) == 2 * len(grid)
    wrong = grid.with_columns(
        note_value=pl.when(pl.col("y") == "b").then(pl.lit(1.5)).otherwise("note_value")
    )
    bad = [cell for cell, *_, agrees in trace.recounted(rows(), wrong, figure) if not agrees]
    assert len(bad) == 3
    behind = trace.behind(rows(), wrong, figure, {"task": "t2", "model": "b"})
    assert not behind.agrees
    assert behind.beside == "mean(tokens) = 1.5, counted anew 45.875"


def seeded() -> pl.LazyFrame:
    """Models a and b on three tasks with three seeds each; b lacks a seed on t3."""
    draw = random.Random(5)
    return samples(
        row
        | {"b": seed, "run": f"{row['run']}{seed}"}
        | {"score": float(draw.random() < 0.3 + 0.2 * seed), "tokens": float(draw.randrange(90))}
        for seed in (0, 1, 2)
        for row in sweep()
        if (row["model"], row["task"], seed) != ("b", "t3", 2)
    )  # fmt: skip


@pytest.mark.parametrize(
    "keys",
    [{"pool": ["b"]}, {"pool": ["b"], "color": "pass@2"}, {"pool": ["b"], "color": "median(tokens)"},
     {"mean_over": "b", "where": {"task": ["t1", "t2"]}}],
)  # fmt: skip
def test_the_spread_over_a_column_is_that_of_its_values(keys: Any) -> None:
    """Counted from the figure that has the column along an axis, by the standard library."""
    figure, table = noted({"std": "b"}, **keys), seeded()
    grid = grids.aggregate(table, figure)
    assert not figure.mistakes()
    color = keys.get("color", "pass@1")
    for row in grid.iter_rows(named=True):
        plain = entry("b", "model", color, where={"task": row["x"]})
        alone = grids.aggregate(table, plain).filter(pl.col("y") == row["y"])
        values = alone["value"].drop_nulls().to_list()
        assert row["note_samples"] == len(values) == 3 - ((row["y"], row["x"]) == ("b", "t3"))
        assert row["note_value"] == pytest.approx(statistics.stdev(values))
        assert row["note_epochs"] == alone["epochs"].sum()
    assert all(agrees for *_, agrees in trace.recounted(table, grid, figure))
    wrong = grid.with_columns(pl.col("note_value") * 1.001)
    bad = [cell for cell, *_, agrees in trace.recounted(table, wrong, figure) if not agrees]
    assert len(bad) == len(grid)
    behind = trace.behind(table, wrong, figure, {"task": "t2", "model": "b"})
    assert (behind.agrees, behind.beside[:13]) == (False, "std over b = ")
    kind = api.kind("heatmap")
    assert "std over b" in kind.csv(grid, figure).splitlines()[0]
    words = "standard deviation over B"
    assert words in kind.latex(grid, figure)
    assert words in " ".join(kind.caption(grid, figure)).replace("Standard", "standard")
    drawn = json.dumps(kind.draw(grid, figure).to_dict(validate=False), ensure_ascii=False)
    assert color == "median(tokens)" or f"±{100 * grid['note_value'][0]:.1f}" in drawn


def test_a_spread_needs_a_value_of_each() -> None:
    """Of a seed with one sample of each problem there is no pass@2."""
    single = (pl.col("model") == "b") & (pl.col("task") == "t2") & (pl.col("b") == 1)
    table = seeded().filter(~(single & (pl.col("epoch") == 1)))
    figure = noted({"std": "b"}, pool=["b"], color="pass@2")
    grid = grids.aggregate(table, figure)
    lacking = grid.filter(pl.col("note_value").is_null())
    assert lacking.select("x", "y").rows() == [("t2", "b")]
    assert all(agrees for *_, agrees in trace.recounted(table, grid, figure))


def test_a_cell_that_is_not_there_is_refused() -> None:
    """A frame around nothing would be overlooked; values are looked for as those of `where`."""
    with pytest.raises(Error, match=r"highlight\[1\]: there is no cell with ratio: 0.7"):
        heatmaps.spec(heatmaps.grid(heatmaps.TASKS[:1]), highlight=[{"ratio": 0.1}, {"ratio": 0.7}])
    figure = heatmaps.entry(highlight=[{"ratio": 1, "label": "x"}])
    assert figure.required()["highlight[0].ratio"] == ("ratio", [1])
    fitted: Any = figure.fitted({"ratio": "float"})
    assert fitted.highlight == [{"ratio": 1.0, "label": "x"}]
