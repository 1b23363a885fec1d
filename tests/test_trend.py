"""Trends along axes: the test itself, the columns of the grid, the words, the recount."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np
import polars as pl
import pytest

from heatproof.kinds.heatmap import trace, verdict
from heatproof.kinds.heatmap.aggregate import aggregate
from heatproof.kinds.heatmap.caption import caption
from heatproof.kinds.heatmap.entry import Entry
from heatproof.statistics import trend

ACROSS = np.arange(15) % 5


def drawn(rise: float, problems: int = 40, seed: int = 0, cells: int = 15) -> np.ndarray[Any, Any]:
    """Right answers of 4, (problems, cells); the chance rises by `rise` along five values."""
    draw = np.random.default_rng(seed)
    ease = draw.uniform(0.2, 0.6, (problems, 1))
    return draw.binomial(4, ease + rise * (np.arange(cells) % 5) / 4).astype(float)


@pytest.mark.parametrize(("rise", "way"), [(0.3, 1), (-0.19, -1)])
def test_trend_is_found(rise: float, way: int) -> None:
    """Values that rise, or fall, do so by more than chance, in any order of problems."""
    total = drawn(rise)
    count = np.full(total.shape, 4)
    found = trend(total, count, ACROSS)
    assert found[0] == way
    assert found[1] < 0.01
    assert trend(total[::-1], count, ACROSS) == found
    assert trend(total, count, 4 - ACROSS) == (-way, found[1])


def test_equal_settings_have_no_trend() -> None:
    """Of equal settings about one in twenty gets a p of .05 or less."""
    count = np.full((40, 15), 4)
    low = [trend(drawn(0, seed=n), count, ACROSS, permutations=999)[1] <= 0.05 for n in range(200)]
    assert 0.005 <= np.mean(low) <= 0.1


def test_nothing_is_known_of_few_or_skewed() -> None:
    """Too few problems or families, or a slope that a few problems make: there is no p."""
    total = drawn(0.3)
    count = np.full(total.shape, 4)
    assert np.isnan(trend(total[:29], count[:29], ACROSS)[1])
    assert np.isnan(trend(total, count, ACROSS, group=np.arange(40) // 2)[1])
    rare = np.full(total.shape, 4.0)
    rare[:2] -= ACROSS
    assert np.isnan(trend(rare, count, ACROSS)[1])


def test_families_are_the_unit() -> None:
    """The same problem ten times over is no more certain than once, if its family is told."""
    once = drawn(0.08, problems=30)
    many = np.repeat(once, 10, axis=0)
    p = trend(once, np.full(once.shape, 4), ACROSS)[1]
    family = np.repeat(np.arange(30), 10)
    count = np.full(many.shape, 4)
    assert trend(many, count, ACROSS, group=family)[1] == pytest.approx(p, abs=0.02)
    assert trend(many, count, ACROSS)[1] < 0.1 * p


def test_only_full_rectangles_have_a_trend() -> None:
    """A cell that lacks a problem, or a line that lacks a cell, is refused."""
    total = drawn(0.3)
    count = np.full(total.shape, 4)
    with pytest.raises(ValueError, match="more cells"):
        trend(total[:, :14], count[:, :14], ACROSS[:14])
    count[0, 0] = 0
    with pytest.raises(ValueError, match="lacks a problem"):
        trend(total, count, ACROSS)


def samples(total: np.ndarray[Any, Any]) -> pl.DataFrame:
    """A row per sample of three budgets and five ratios, of a number and of a name."""
    rows = [
        {
            "log": "a.jsonl", "member": "", "line": 1, "offset": 0, "length": 1, "run": "r",
            "model": "m", "task": "t", "budget": cell // 5, "ratio": 0.1 * (cell % 5),
            "sample_id": f"{problem:03}", "epoch": epoch, "scorer": "s",
            "score": float(epoch < total[problem, cell]), "reconstructed": False, "graded": False,
        }
        for cell in range(total.shape[1])
        for problem in range(len(total))
        for epoch in range(4)
    ]  # fmt: skip
    return pl.DataFrame(rows)


def entry(**given: Any) -> Entry:
    """Ratios along x, budgets along y."""
    block = {
        "name": "f", "kind": "heatmap", "source": "s",
        "encoding": {"x": "ratio", "y": "budget", "color": "mean(score)"},
    }  # fmt: skip
    return msgspec.convert(block | given, Entry)


def made(total: np.ndarray[Any, Any], **given: Any) -> pl.DataFrame:
    """The grid of such samples."""
    return aggregate(samples(total).lazy(), entry(**given))


RISING = drawn(0.12, seed=3)
"""Rises enough for a trend, too little for a best setting."""


def test_the_line_says_what_is_known() -> None:
    """Where settings tie, line and caption say along which axis values rise, whatever is best."""
    grid = made(RISING)
    assert {*grid["trend_x"]} == {1}
    assert {*grid["trend_y"]} == {0}
    (short,) = verdict.verdicts_by_panel(grid, entry(), ".1f").values()
    assert short.line.endswith("; rises with ratio")
    assert "the mean slope rises with ratio (95\u00a0%" in " ".join(caption(grid, entry()))
    lowest = made(RISING, best="lowest")
    assert {*lowest["trend_x"]} == {1}
    (short,) = verdict.verdicts_by_panel(lowest, entry(best="lowest"), ".1f").values()
    assert short.line.endswith("; rises with ratio")


def test_a_line_with_few_ties_says_no_more() -> None:
    """Where most settings are told from the best, the outline shows the way."""
    grid = made(drawn(0.35, seed=3))
    assert {*grid["trend_x"]} == {1}
    assert grid["tied"].sum() < 8
    (short,) = verdict.verdicts_by_panel(grid, entry(), ".1f").values()
    assert "rises" not in short.line


def test_axes_that_are_not_tested() -> None:
    """Names, two values, a hole, or another measure than a mean: there is no column, or null."""
    rows = samples(RISING)
    named = aggregate(rows.with_columns(pl.format("r{}", "ratio").alias("ratio")).lazy(), entry())
    assert {*named["trend_x"]} == {None}
    two = aggregate(rows.filter(pl.col("budget") < 2).lazy(), entry())
    assert ({*two["trend_x"]}, {*two["trend_y"]}) == ({1}, {None})
    hole = aggregate(
        rows.filter(pl.col("line") + pl.col("budget") + 10 * pl.col("ratio") > 1).lazy(), entry()
    )
    assert "trend_x" not in hole.columns
    assert "trend_x" not in made(RISING, uncertainty="se").columns
    assert "trend_x" not in made(RISING, best="none").columns


def test_panels_are_corrected_together() -> None:
    """A trend that stands in a panel alone falls among many panels without one (Holm)."""
    weak = drawn(0.04, seed=4)
    p = trend(weak, np.full(weak.shape, 4), ACROSS)[1]
    assert 0.005 < p < 0.025
    assert {*made(weak)["trend_x"]} == {1}
    several = pl.concat(
        samples(weak if n == 0 else drawn(0, seed=20 + n)).with_columns(task=pl.lit(f"t{n}"))
        for n in range(10)
    )
    grid = aggregate(several.lazy(), entry(panel="task"))
    assert {*grid["trend_x"]} == {0}


@pytest.mark.parametrize("best", ["highest", "lowest"])
def test_the_way_is_recounted(best: str) -> None:
    """`verify` finds a way that the counted values do not go, and none that they do."""
    grid, rows = made(RISING, best=best), samples(RISING).lazy()
    assert all(right for *_, right in trace.recounted(rows, grid, entry(best=best)))
    false = grid.with_columns(trend_x=-pl.col("trend_x"))
    wrong = [
        cell for cell, *_, right in trace.recounted(rows, false, entry(best=best)) if not right
    ]
    assert len(wrong) == 15
    assert wrong[0].endswith(": trend_x")
