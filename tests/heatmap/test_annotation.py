"""`annotate`: another metric, or the text of a column, printed in cells beside their values."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import polars as pl
import pytest

from heatproof.config import roles
from heatproof.kinds import api, trace
from heatproof.kinds.heatmap import aggregate as grids
from heatproof.kinds.heatmap import annotation, report
from heatproof.util.errors import Error
from support.tasks import entry, samples, sweep


@cache
def rows() -> pl.LazyFrame:
    """Models a and b on three tasks, each by a scorer of its own; b has no tokens on t3."""
    told = [row | {"scorer": f"by {row['model']}"} for row in sweep()]
    lost = {"tokens": None}
    return samples(
        row | (lost if (row["model"], row["task"]) == ("b", "t3") else {}) for row in told
    )


def noted(annotate: Any = "mean(tokens)", **keys: Any) -> Any:
    return entry("task", "model", annotate=annotate, **keys)


def texts(one: Any) -> dict[str, list[str]]:
    """Column of the data behind the cells → its values, in the order of the grid."""
    made = api.kind("heatmap").draw(grids.aggregate(rows(), one), one).to_dict(validate=True)
    (cells,) = (data for name, data in made["datasets"].items() if name.startswith("cells"))
    return {key: [row[key] for row in cells] for key in ("label", "spread")}


def test_no_column_of_a_user_has_the_names_of_these() -> None:
    """In the grid they stand beside columns of panels and axes."""
    added = {*grids.aggregate(rows(), noted()).columns} - {
        *grids.aggregate(rows(), entry("task", "model")).columns
    }
    assert added == {f"note_{name}" for name in annotation.COUNTED}
    assert added <= roles.TAKEN


@pytest.mark.parametrize("word", ["mean(tokens)", "median(tokens)", "pass@2", "mean(score)"])
def test_a_metric_beside_the_values_is_that_of_its_own_figure(word: str) -> None:
    """Number and counts are those that the metric as the color would give."""
    color = "pass@1" if word != "mean(score)" else "mean(tokens)"
    grid = grids.aggregate(rows(), noted(word, color=color))
    alone = grids.aggregate(rows(), entry("task", "model", word))
    for name in annotation.COUNTED:
        assert grid[f"note_{name}"].equals(alone[name], null_equal=True)
    plain = grids.aggregate(rows(), entry("task", "model", color))
    assert grid.select(plain.columns).equals(plain, null_equal=True)


def test_the_text_of_a_column_is_that_of_all_records_of_the_cell() -> None:
    """By the names of the figure; a cell without records has none."""
    one = noted("scorer", names={"scorer": {"by a": "Judge A"}})
    assert texts(one)["spread"] == ["Judge A"] * 3 + ["by b"] * 3


def test_several_texts_in_one_cell_are_refused() -> None:
    """With the cell, the texts and what to do."""
    with pytest.raises(Error) as error:
        grids.aggregate(rows(), entry("task", "b", pool=["model", "scorer"], annotate="scorer"))
    assert str(error.value) == (
        "config.yaml: figures.f.annotate: 'scorer' has 2 values in one cell (by a, by b at b=1, "
        "task=t1), and a cell prints one; choose it under where.scorer, or lay 'scorer' along an axis"
    )


def test_a_metric_that_cannot_be_counted_is_refused_by_its_key() -> None:
    """The words are those of the color."""
    with pytest.raises(Error, match=r"figures\.f\.annotate: pass@3 needs 3 samples of a problem"):
        grids.aggregate(rows(), noted("pass@3"))


def test_an_order_by_value_is_that_of_the_values() -> None:
    """What stands beside them follows its cell."""
    given = {"sort": {"model": "value", "task": "-value"}}
    grid = grids.aggregate(rows(), noted(**given))
    plain = grids.aggregate(rows(), noted())
    keys = ["x", "y"]
    assert grid[keys].rows() != plain[keys].rows()
    assert grid.sort(keys)["note_value"].equals(plain.sort(keys)["note_value"], null_equal=True)


def test_what_is_printed_is_counted_anew() -> None:
    """`verify` and `trace` find a wrong one, and say what it is by the records."""
    word, one = "mean(tokens)", noted("mean(tokens)")
    grid = grids.aggregate(rows(), one)
    assert all(agrees for *_, agrees in trace.recounted(rows(), grid, one))
    assert len([*trace.recounted(rows(), grid, one)]) == 2 * len(grid)
    at = {"task": "t2", "model": "b"}
    assert trace.behind(rows(), grid, one, at).agrees
    other = pl.lit(1.5)
    wrong = grid.with_columns(
        note_value=pl.when(pl.col("y") == "b").then(other).otherwise("note_value")
    )
    bad = [cell for cell, *_, agrees in trace.recounted(rows(), wrong, one) if not agrees]
    assert len(bad) == 3
    assert all(word in cell for cell in bad)
    found = trace.behind(rows(), wrong, one, at)
    assert not found.agrees
    assert found.beside == "mean(tokens) = 1.5, counted anew 45.875"


def test_all_that_tells_of_cells_tells_it() -> None:
    """CSV under its own name, LaTeX in brackets, caption, table, page and tooltip."""
    one = noted("scorer", labels={"scorer": "Judge"})
    grid = grids.aggregate(rows(), one)
    assert report.csv(grid, one).splitlines()[0].split(",")[-1] == "scorer"
    assert "(by a)" in report.latex(grid, one)
    assert "% in brackets: Judge\n" in report.latex(grid, one)
    assert "Below each value: Judge" in api.kind("heatmap").caption(grid, one)
    table = api.kind("heatmap").table(grid, one)
    assert (table.columns[-1], table.rows[0].cells[-1]) == ("Judge", "by a")
    evidence = api.kind("heatmap")
    story = evidence.story(evidence.records([rows()], one, grid), one, grid)
    assert (story["facts"][-1], story["cells"][0]["facts"][-1]) == ("Judge", "by a")
    text = json.dumps(api.kind("heatmap").draw(grid, one).to_dict())
    assert "Judge" in text
    assert "datum.noted" in text
    assert annotation.NOTE in trace.value_columns(one, grid)


def test_beside_a_baseline_it_is_that_of_the_cell_itself() -> None:
    """The value is a difference, what stands below it is not."""
    one = entry("task", "model", annotate="mean(tokens)", relative_to={"model": "a"})
    grid = grids.aggregate(rows(), one)
    alone = grids.aggregate(rows(), entry("task", "model", "mean(tokens)"))
    assert grid["note_value"].equals(alone["value"], null_equal=True)
    assert all(agrees for *_, agrees in trace.recounted(rows(), grid, one))


@pytest.mark.parametrize(
    ("annotate", "keys", "said"),
    [
        ("task", {}, "annotate: 'task' is shown already; name another column or metric"),
        ("pass@1", {}, "annotate: 'pass@1' is shown already; name another column or metric"),
        ("meen(tokens)", {}, "annotate: 'meen(tokens)' is not a metric"),
        ({"text": "mean(tokens)", "format": "x"}, {}, "annotate.format: 'x' is not a format"),
        ({"text": "run", "format": ".1f"}, {}, "annotate.format: '.1f': 'run' is a column"),
        ("median(tokens)", {"mean_over": "b"}, "annotate: median(tokens) is averaged over tasks"),
        ("mean(tokens)", {"uncertainty": "se"}, "annotate: beside uncertainty: 'se': a cell has"),
        ("mean(tokens)", {"text": False, "margins": True}, "margins: means of values, and `text:"),
        ("mean(tokens)", {}, None),
        ("scorer", {}, None),
    ],
)
def test_what_cannot_be_printed_is_refused(annotate: Any, keys: Any, said: str | None) -> None:
    """With its key and what to do."""
    found = noted(annotate, **keys).mistakes()
    assert len(found) == (said is not None)
    assert said is None or found[0].startswith(f".{said}")


def test_columns_and_measures_that_are_not_there_are_named() -> None:
    """A metric by the number it is of, a column as such, under the key that names it."""
    assert noted({"text": "mean(tokens)"}).measured()["annotate.text"] == "tokens"
    assert noted("scorer").used()["annotate"] == "scorer"
    assert "annotate" not in noted("scorer").measured()
    assert noted("maj@2").voted() == {"annotate": "maj@2"}
