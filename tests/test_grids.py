"""aggregate, heatmap: cells from samples, each number exact, nothing mixed unasked."""

from __future__ import annotations

from math import comb
from typing import Any

import pytest

from heatproof.kinds.heatmap import aggregate as grids
from heatproof.samples import counts
from heatproof.util.errors import Error
from support.cells import color, entry, epochs, samples


@pytest.mark.parametrize("k", [1, 2, 3, 5])
def test_pass_hat_k_asks_for_all_of_k(k: int) -> None:
    """pass^k = C(c, k) / C(n, k), averaged over problems: what pass@k of the failures leaves."""
    rows = epochs("a", 1, 0, 0, 0, 0) + epochs("b", 1, 1, 1, 0, 0) + epochs("c", 1, 1, 1, 1, 1)
    grid = grids.aggregate(samples(rows), entry(encoding=color(f"pass^{k}")))
    expected = sum(comb(c, k) / comb(5, k) for c in (1, 3, 5)) / 3
    assert grid["value"][0] == pytest.approx(expected, abs=1e-15)
    turned = [{**row, "score": 1 - row["score"]} for row in rows]
    other = grids.aggregate(samples(turned), entry(encoding=color(f"pass@{k}")))
    assert grid["se"][0] == pytest.approx(other["se"][0], rel=1e-12)
    assert grid["low"][0] == pytest.approx(1 - other["high"][0], rel=1e-9)


@pytest.mark.parametrize("word", ["pass@1", "pass@2"])
def test_a_panel_may_hold_no_graded_sample(word: str) -> None:
    """Its cells have no value, and the other panel has its own."""
    rows = [*epochs("a", 1, 1, window=500), {"sample_id": "a", "window": 1000, "score": None}]
    keys = {"panel": "window", "encoding": {"x": "ratio", "y": "task", "color": word}}
    assert grids.aggregate(samples(rows), entry(**keys))["value"].to_list() == [1.0, None]


def test_axes_follow_sort() -> None:
    """`sort` puts values in any order; others are ascending by value, not by spelling."""
    rows = [r for w in (500, 3000, 1000) for r in epochs("a", 1, window=w, task=f"t{w}")]
    grid = grids.aggregate(samples(rows), entry(sort={"task": ["t3000", "t500", "t1000"]}))
    assert grid["task"].unique(maintain_order=True).to_list() == ["t3000", "t500", "t1000"]
    assert grid["y"][:3].to_list() == [500, 1000, 3000]


def test_names_with_sizes_ascend_by_size() -> None:
    """Without `sort`, 70m stands before 160m and both before 1.4b; plain names stay in order."""
    sizes = ["pythia-70m", "pythia-160m", "pythia-410m", "pythia-1b", "pythia-1.4b", "x-4bit"]
    rows = [r for name in sorted(sizes) for r in epochs("a", 1, task=name)]
    grid = grids.aggregate(samples(rows), entry())
    assert grid["task"].unique(maintain_order=True).to_list() == sizes


REFUSED: list[tuple[list[dict[str, Any]], dict[str, Any], str]] = [
    (
        epochs("a", 1) + epochs("b", 1, model="n"),
        {},
        "would mix 2 values of 'model' in one cell ('m', 'n' at ",
    ),
    (epochs("a", 1), {"where": {"model": "x"}}, "where.model: no sample has 'x'; there are m"),
    (epochs("a", 1, ratio=None), {}, "encoding.x: 1 samples have no 'ratio'"),
    (epochs("a", 1) + epochs("a", 1, log="b.jsonl", run="b"), {}, "hold the same sample"),
]


@pytest.mark.parametrize(("rows", "keys", "message"), REFUSED)
def test_what_would_be_guessed_is_refused(
    rows: list[dict[str, Any]], keys: dict[str, Any], message: str
) -> None:
    """Mixed settings, unknown values, samples on no cell, samples twice: errors that say so."""
    with pytest.raises(Error, match=r"config.yaml: figures.fig") as caught:
        grids.aggregate(samples(rows), entry(**keys))
    assert message in str(caught.value)


@pytest.mark.parametrize("counted", [False, True])
def test_cells_may_differ_in_settings_that_are_not_named(counted: bool) -> None:
    """Each task with a scorer of its own mixes nothing, nor does a setting that follows an axis."""
    rows = epochs("a", 1, task="s", scorer="exact") + epochs("b", 0, task="t", scorer="f1")
    frame = samples(rows).collect()
    partial = [counts.count(frame).lazy()] if counted else None
    grid = grids.aggregate(frame.lazy(), entry(), partial)
    assert grid["value"].to_list() == [1, 0]
    mixed = samples(rows + epochs("c", 1, task="t", scorer="exact")).collect()
    partial = [counts.count(mixed).lazy()] if counted else None
    said = r"2 values of 'scorer' in one cell \('exact', 'f1' at task=t, window=\d+, ratio=[\d.]+\)"
    with pytest.raises(Error, match=said):
        grids.aggregate(mixed.lazy(), entry(), partial)


def test_variants_of_one_template_count_as_one() -> None:
    """With `family`, copies of a problem add no certainty: the family is the unit."""
    once = [r for n, s in enumerate((1, 0, 1, 1)) for r in epochs(f"{n}-a", s)]
    twice = once + [r for n, s in enumerate((1, 0, 1, 1)) for r in epochs(f"{n}-b", s)]
    alone = grids.aggregate(samples(once), entry())
    known = grids.aggregate(samples(twice), entry(family=r"^(\d+)-"))
    unknown = grids.aggregate(samples(twice), entry())
    assert known["value"][0] == alone["value"][0]
    assert known["se"][0] == pytest.approx(alone["se"][0])
    assert unknown["se"][0] < 0.8 * alone["se"][0]
    tries = [r for n, s in enumerate((1, 0, 1, 1)) for v in "ab" for r in epochs(f"{n}-{v}", s, 0)]
    pair = {"encoding": color("pass@2")}
    of_two, of_all = (grids.aggregate(samples(tries), entry(**pair, **keys))
                      for keys in ({"family": r"^(\d+)-"}, {}))  # fmt: skip
    assert of_two["value"][0] == of_all["value"][0] == alone["value"][0]
    assert of_two["se"][0] == pytest.approx(alone["se"][0])
    assert of_all["se"][0] < 0.8 * alone["se"][0]
