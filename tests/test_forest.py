"""Forests: a row a setting, the best first, what can be told from it in grey."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from heatproof.charts import theme
from heatproof.kinds.forest import evidence, numbers, trace
from heatproof.kinds.forest.rows import rows
from heatproof.util.errors import Error
from test_views import drawn, entry, grid
from toys import behind, sweep

ALONE: dict[str, Any] = {
    "encoding": {"x": "pass@1", "y": "window"},
    "where": {"task": "<a>", "ratio": 0.2},
    "panel": None,
}


def test_rows_stand_by_value_or_as_sorted() -> None:
    """The best first, the lowest where that is the best, or in the order that the user gives."""
    for keys, sign in (({}, -1), ({"best": "lowest"}, 1)):
        of = entry("forest", **keys)
        for part in rows(grid(of), of).panels.values():
            values = [sign * row["value"] for row in part]
            assert values == sorted(values)
    of = entry("forest", sort={"window": [10, 5]})
    first = next(iter(rows(grid(of), of).panels.values()))
    assert [row["y"] for row in first] == ["10"] * 3 + ["5"] * 3


def test_one_column_is_enough() -> None:
    """Then each of its values has a row, which is traced by it alone."""
    of = entry("forest", **ALONE)
    cells = grid(of)
    assert {row["setting"] for row in rows(cells, of).all} == {"Window 5", "Window 10"}
    found = trace.behind(sweep().lazy(), cells, of, {"window": "5"})
    assert (found.agrees, found.epochs) == (True, 8)
    told = evidence.story(behind([sweep().lazy()], of, cells), of, cells)
    assert (told["x"]["name"], told["panels"][0]["x"]) == ("", "")
    assert "of each Window, by value. " in drawn(of)["description"]


def test_grey_is_what_can_be_told_from_the_best() -> None:
    """As the grid has it; where nothing is judged, all are black."""
    of = entry("forest")
    cells = grid(of)
    peers = cells.filter(pl.col("peers").is_not_null()).head(1)["peers"][0]
    one = pl.col("peers") == peers
    found = cells.with_columns(
        tied=pl.when(one).then(pl.col("x") == 0.1).otherwise("tied"),
        best=pl.when(one).then((pl.col("x") == 0.1) & (pl.col("y") == 5)).otherwise("best"),
    )
    told = {row["cell"]: row["colour"] for row in rows(found, of).all if row["peers"] == peers}
    for n, row in enumerate(found.filter(one).iter_rows(named=True)):
        assert told[n] == (theme.INK if row["tied"] or row["best"] else theme.LINE)
    assert "grey: told apart from the best" in str(drawn(of, found))
    none = entry("forest", verdict="none")
    assert {row["colour"] for row in rows(grid(none), none).all} == {theme.INK}


def test_pairs_without_a_record_are_counted_and_others_shown() -> None:
    """What was never run has no row; what has records but no value has one with the reason."""
    of = entry("forest")
    found = rows(grid(of), of)
    assert (found.hidden, len(found.all)) == (1, 11)
    assert "not shown: 1 pair with no data" in str(drawn(of))
    lost = grid(of).with_columns(
        *(pl.when(pl.col("x") != 0.1).then(n).alias(n) for n in ("value", "low", "high")),
        gap=pl.when(pl.col("x") == 0.1).then(pl.lit("incomplete: no value")).otherwise("gap"),
    )
    last = next(iter(rows(lost, of).panels.values()))[-1]
    assert (last["missing"], last["gap"]) == (True, "incomplete: no value")
    assert r"& -- & -- & --" in numbers.latex(lost, of)


def test_latex_has_the_rows_in_their_order() -> None:
    """Value, interval and problems of each."""
    of = entry("forest", **ALONE)
    latex = numbers.latex(grid(of), of)
    for row in rows(grid(of), of).all:
        assert f"{row['setting']} & " in latex
        assert f"& {row['between']} & {row['n']} " in latex


def test_ends_that_cannot_be_drawn_are_told() -> None:
    """Before any job where the config says so, else with the value and its setting."""
    assert entry("forest", domain=[1, 0]).mistakes() == [
        ".domain: [1.0, 0.0] is not [lowest, highest]"
    ]
    said = [".domain: [0.0, 1.0] begins at 0 or below, where scale: log ends"]
    assert entry("forest", domain=[0, 1], scale="log").mistakes() == said
    of = entry("forest", scale="log")
    cells = grid(of).with_columns(value=0.0 * pl.col("value"))
    with pytest.raises(
        Error, match=r"scale: 0\.0 \(.*\) has no place on a log axis; there is linear"
    ):
        rows(cells, of)
    beyond = entry("forest", domain=[99, 100])
    assert "beyond the ends of x: 11 values" in str(drawn(beyond))
