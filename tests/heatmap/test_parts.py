"""mean_over of another column than task: each of its values is counted by itself."""

import random
from fractions import Fraction
from itertools import combinations
from statistics import fmean
from typing import Any

import polars as pl
import pytest

from heatproof.kinds import api, trace
from heatproof.kinds.heatmap.reasons import gap_words
from heatproof.util.errors import Error
from support.samples import heat, table

METRICS = ("pass@1", "pass@2", "pass^2", "maj@3", "cons@2", "mean(score)")


def attempts(**keys: Any) -> list[dict[str, Any]]:
    """Two models, three seeds, four epochs of six problems, each solved as often as chance has it."""
    chance = random.Random(4)
    return [
        {"model": model, "b": b, "seed": seed, "sample_id": str(n), "epoch": epoch,
         "score": float(score := chance.random() < chance.random()), "answer": "ab"[score]} | keys
        for model in "xy" for b in (1, 2) for seed in range(3) for n in range(6)
        for epoch in range(4)
    ]  # fmt: skip


def lazy(rows: list[dict[str, Any]]) -> pl.LazyFrame:
    return table(rows, {"b": "int", "seed": "int"}, answers=True).lazy()


def figure(metric: str, **keys: Any) -> Any:
    return heat("b", "model", metric, mean_over="seed", **keys)


def counted(rows: list[dict[str, Any]], entry: Any) -> pl.DataFrame:
    """The grid, of which `verify` says that all cells are right."""
    grid = api.kind("heatmap").aggregate(lazy(rows), entry)
    wrong = [cell for *cell, right in trace.recounted(lazy(rows), grid, entry) if not right]
    assert not wrong
    for row in grid.iter_rows(named=True):
        place = {"b": str(row["x"]), "model": row["y"]}
        assert trace.behind(lazy(rows), grid, entry, place).agrees
    return grid


def by_hand(rows: list[dict[str, Any]], metric: str) -> float:
    """The mean over seeds of the metric of each: over all choices of k epochs of a problem."""
    k = 1 if metric == "mean(score)" else int(metric[-1])
    how = {"pass@": max, "pass^": min}.get(metric[:5], _vote)
    means = []
    for seed in range(3):
        own = [row for row in rows if row["seed"] == seed]
        for n in range(6):
            scores = [row["score"] for row in own if row["sample_id"] == str(n)]
            means.append(fmean(how(some) for some in combinations(scores, k)))
    return fmean(means)


def _vote(scores: tuple[float, ...]) -> float:
    share = Fraction(sum(map(int, scores)), len(scores))
    return 0.5 if share == Fraction(1, 2) else float(share > Fraction(1, 2))


@pytest.mark.parametrize("metric", METRICS)
def test_each_seed_is_counted_by_itself(metric: str) -> None:
    """The value is the mean of the values of the seeds, not that of all samples together; so are both
    sides of a baseline.
    """
    rows = attempts()
    values = {(x, y): v for x, y, v in counted(rows, figure(metric))["x", "y", "value"].iter_rows()}
    for (x, y), value in values.items():
        own = [row for row in rows if (row["b"], row["model"]) == (x, y)]
        assert value == pytest.approx(by_hand(own, metric), abs=1e-12)
    beside = counted(rows, figure(metric, relative_to={"model": "x"}))
    for x, y, value in beside["x", "y", "value"].iter_rows():
        assert value == pytest.approx(values[x, y] - values[x, "x"], abs=1e-12)


def test_what_seeds_hold_together_is_not_enough() -> None:
    """pass@4 of two seeds with two samples each is known of neither."""
    rows = [row for row in attempts() if row["epoch"] < 2]
    with pytest.raises(Error, match=r"pass@3 needs 3 samples of a problem, but no seed .* pass@2"):
        counted(rows, figure("pass@3"))
    rows = [row for row in attempts() if row["epoch"] < 2 or row["model"] == "x"]
    own = figure("pass@3")
    cells = counted(rows, own).iter_rows(named=True)
    lacks = "no value, fewer than 3 samples of each problem for each seed"
    assert {(cell["y"], gap_words(cell, own.question)) for cell in cells} == {
        ("x", ""),
        ("y", lacks),
    }


@pytest.mark.parametrize("metric", ["maj@3", "mean(score)"])
def test_a_run_that_has_begun_takes_its_own_cell_away(metric: str) -> None:
    """A seed with one of its problems: that cell says why it has no value, the others have theirs."""
    begun = {"model": "y", "b": 2, "seed": 2}
    rows = [
        row for row in attempts() if row["sample_id"] == "0" or not begun.items() <= row.items()
    ]
    grid, complete = counted(rows, figure(metric)), counted(attempts(), figure(metric))
    gap = "no value, the number of samples is not the same for each seed"
    told = (
        (row["x"], row["y"], gap_words(row, figure(metric).question)) for row in grid.to_dicts()
    )
    assert [cell for cell in told if cell[2]] == [(2, "y", gap)]
    others = complete.filter(~((pl.col("x") == 2) & (pl.col("y") == "y")))
    assert grid["value"].drop_nulls().to_list() == others["value"].to_list()
    short = grid.filter(pl.col("epochs") < pl.col("expected"))
    assert short["epochs", "expected"].rows() == [(52, 72)]
    for model, gaps in {"x": [(2, "y")], "y": [(2, "x"), (2, "y")]}.items():
        beside = counted(rows, figure(metric, relative_to={"model": model}))
        assert beside.filter(pl.col("value").is_null())["x", "y"].rows() == gaps
