"""Dumbbells of two values: rows by change, which is bold where it holds, and counted anew."""

from typing import Any

import polars as pl
import pytest

import heatproof as hp
from heatproof.charts import spec
from heatproof.kinds import api
from heatproof.library import frames

RIGHT = {"little": (60, 62), "much": (30, 75), "worse": (80, 40), "none": (50, 50)}
"""Task → how many of 100 problems are right before and after."""
BLOCK: dict[str, Any] = {
    "kind": "forest", "name": "f", "source": "s", "form": "dumbbell",
    "encoding": {"x": "pass@1", "y": "task", "detail": "when"},
    "sort": {"when": ["before", "after"]},
}  # fmt: skip


def rows(lost: int = 0) -> pl.DataFrame:
    """`lost`: problems that are missing after the change, the first of each task."""
    records = []
    for task, counts in RIGHT.items():
        for when, right in zip(("before", "after"), counts, strict=True):
            for problem in range(lost if when == "after" else 0, 100):
                one = {"model": "m", "when": when, "task": task, "sample_id": f"q{problem}"}
                records.append(one | {"score": float(problem < right)})
    return pl.DataFrame(records)


def made(data: pl.DataFrame, **keys: Any) -> tuple[Any, pl.LazyFrame, pl.DataFrame]:
    entry = api.read(BLOCK | keys)
    samples = frames.samples_of(data, ["when"], [], {}, {}).lazy()
    return entry, samples, api.kind("forest").aggregate(samples, entry)


def test_rows_stand_by_change_and_those_that_hold_are_bold() -> None:
    """The largest gain on top; printed behind both values, in LaTeX with its interval."""
    entry, _, grid = made(rows())
    figure = api.FigureTexts(grid, entry)
    drawn = figure.draw().to_dict()["datasets"]["rows"]
    lines = [row for row in drawn if row["name"]]
    assert [row["line"] for row in lines] == ["much", "little", "none", "worse"]
    assert [row["bold"] for row in lines] == [True, False, False, True]
    assert lines[0]["printed_as"] == "30.0 → 75.0 (+45.0)"
    assert r"\textbf{+45.0 (" in figure.latex()
    assert "Bold: the change can be told apart from 0" in " ".join(figure.caption())
    cells = {row.cells[0]: row.cells[-1] for row in figure.table().rows}
    assert cells["worse"].startswith("−40.0 (")
    lowest = api.FigureTexts(*reversed(made(rows(), best="lowest")[::2]))
    assert next(row.line for row in lowest.content.rows if row.line) == "worse"


def test_changes_are_those_beside_a_baseline() -> None:
    """Values, intervals and verdicts of the same cells in a heatmap with `relative_to`."""
    _, _, grid = made(rows(lost=10))
    keys = {"x": "when", "y": "task", "metric": "pass@1", "relative_to": {"when": "before"}}
    beside = hp.grid(rows(lost=10), **keys, where={"when": "after"})
    for cell in beside.iter_rows(named=True):
        row = grid.filter(pl.col("y") == cell["task"]).row(0, named=True)
        told = [row[f"change{end}"] for end in ("_value", "_low", "_high", "_differs", "_problems")]
        names = ("value", "low", "high", "differs", "paired_problems")
        assert told == [cell[name] for name in names]
        before, after = RIGHT[cell["task"]]
        assert row["change_value"] == pytest.approx((after - before) / 90)


def test_changes_are_counted_anew() -> None:
    entry, samples, grid = made(rows(lost=10))
    kind = api.kind("forest")
    counted = [*kind.recounted(samples, grid, entry)]
    assert sum(cell.endswith(": change") for cell, *_ in counted) == len(RIGHT)
    assert all(agrees for *_, agrees in counted)
    changed = grid.with_columns(pl.col("change_value") * 1.01)
    wrong = [cell for cell, *_, agrees in kind.recounted(samples, changed, entry) if not agrees]
    assert len(wrong) == 3
    assert "task=worse, when=after: change" in " ".join(wrong) or "when=after, task=worse" in str(
        wrong
    )


def test_what_lies_behind_a_point_has_the_change_of_its_row() -> None:
    """As stored, and as counted anew; a change that is another one does not agree."""
    entry, samples, grid = made(rows())
    kind = api.kind("forest")
    place = {"task": "much", "when": "before"}
    behind = kind.behind(samples, grid, entry, place)
    assert behind.beside == "from before to after it changes by 0.45, counted anew 0.45"
    assert behind.agrees
    changed = grid.with_columns(pl.col("change_value") * 1.01)
    assert not kind.behind(samples, changed, entry, place).agrees


def test_of_more_values_there_is_no_change() -> None:
    """Rows stand by their highest value."""
    data = rows()
    third = data.filter(when="after").with_columns(when=pl.lit("later"))
    entry, _, grid = made(pl.concat([data, third]), sort={})
    assert "change_value" not in grid.columns
    assert "change" not in " ".join(api.FigureTexts(grid, entry).caption())


def test_a_sort_of_rows_goes_before_their_change() -> None:
    entry, _, grid = made(rows(), sort={"when": ["before", "after"], "task": [*RIGHT]})
    lines = [row.line for row in api.FigureTexts(grid, entry).content.rows if row.line]
    assert lines == [*RIGHT]


def test_an_alternative_text_does_not_list_many_rows() -> None:
    """Of two tasks all values are in it, of eight only what is shown; all are read out at length."""

    def alternative(data: pl.DataFrame) -> tuple[str, str]:
        entry, _, grid = made(data)
        chart = api.FigureTexts(grid, entry).draw()
        return " ".join(spec.noted(chart.to_dict(), "alt")), chart.to_dict()["description"]

    few = rows().filter(pl.col("task").is_in(["little", "much"]))
    again = [rows().with_columns(task=pl.col("task") + f" {number}") for number in (1, 2)]
    short, at_length = alternative(few)
    assert short == at_length
    assert "much · after: 75.0 (" in short
    short, at_length = alternative(pl.concat(again))
    assert short == "Pass@1 in percent of each Task · When, by value."
    assert "much 2 · after: 75.0 (" in at_length
