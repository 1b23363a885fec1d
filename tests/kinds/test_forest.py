"""Forests: a row a setting, the best first, what is told apart from it in grey."""

from __future__ import annotations

import polars as pl
import pytest

from heatproof.charts import theme
from heatproof.kinds import api, forest
from heatproof.util.errors import Error
from support.views import draw, entry, grid


def test_rows_stand_by_value_or_as_sorted() -> None:
    """The best first, the lowest where that is the best, or in the order of the config."""
    for keys, sign in (({}, -1), ({"best": "lowest"}, 1)):
        figure = entry("forest", **keys)
        for rows in forest.rows_of(grid(figure), figure)[0].values():
            values = [sign * row["value"] for row in rows]
            assert values == sorted(values)
    figure = entry("forest", sort={"window": [10, 5]})
    first = next(iter(forest.rows_of(grid(figure), figure)[0].values()))
    assert [row["y"] for row in first] == ["10"] * 3 + ["5"] * 3


def test_what_is_told_apart_from_the_best_is_grey() -> None:
    """As the grid has it."""
    figure = entry("forest")
    cells = grid(figure)
    peers = cells["peers"].drop_nulls()[0]
    best = (pl.col("x") == 0.1) & (pl.col("y") == 5)
    marked = cells.with_columns(
        tied=pl.when(peers=peers).then(pl.col("x") == 0.1).otherwise("tied"),
        best=pl.when(peers=peers).then(best).otherwise("best"),
    )
    panels, _ = forest.rows_of(marked, figure)
    colours = {row["cell"]: row["colour"] for rows in panels.values() for row in rows}
    for n, cell in enumerate(marked.iter_rows(named=True)):
        if cell["peers"] == peers:
            assert colours[n] == (theme.INK if cell["tied"] or cell["best"] else theme.LINE)


def test_pairs_without_a_record_are_counted_and_others_shown() -> None:
    """What was never run has no row; what has records but no value has one with the reason."""
    figure = entry("forest")
    panels, hidden = forest.rows_of(grid(figure), figure)
    assert (hidden, sum(map(len, panels.values()))) == (1, 11)
    lost = pl.col("x") == 0.1
    cells = grid(figure).with_columns(
        *(pl.when(~lost).then(name).alias(name) for name in ("value", "low", "high")),
        gap=pl.when(lost).then(pl.lit("incomplete: no value")).otherwise("gap"),
    )
    last = next(iter(forest.rows_of(cells, figure)[0].values()))[-1]
    assert (last["missing"], last["gap"]) == (True, "incomplete: no value")
    assert r"& -- & -- & --" in api.kind("forest").latex(cells, figure)


def test_a_log_axis_refuses_what_it_cannot_hold() -> None:
    """With the value and its setting."""
    figure = entry("forest", scale="log")
    with pytest.raises(Error, match=r"scale: 0\.0 \(.*\) has no place on a log axis"):
        draw(figure, grid(figure).with_columns(value=0.0 * pl.col("value")))
