"""aggregate, heatmap: cells from samples, each number exact, nothing mixed unasked."""

from __future__ import annotations

from math import comb, sqrt
from typing import Any

import msgspec
import polars as pl
import pytest

from heatproof.config.entries import Columns
from heatproof.kinds import heatmap
from heatproof.kinds.heatmap import aggregate as grids
from heatproof.samples import counts, tables
from heatproof.util.errors import Error

COLUMNS = Columns({"ratio": "float", "window": "int"}, ["tokens"])


def entry(**keys: Any) -> heatmap.Entry:
    given = {
        "name": "fig",
        "kind": "heatmap",
        "source": "runs",
        "panel": "task",
        "encoding": {"x": "ratio", "y": "window", "color": "pass@1"},
    }
    return msgspec.convert(given | keys, heatmap.Entry)


def color(word: str) -> dict[str, str]:
    return {"x": "ratio", "y": "window", "color": word}


def samples(rows: list[dict[str, Any]]) -> pl.LazyFrame:
    """Rows of a samples table; what is not given has plain defaults."""
    base = {"log": "a.jsonl", "member": "", "line": 1, "offset": 0, "length": 1, "run": "a"}
    base |= {"model": "m", "task": "t", "ratio": 0.1, "window": 500, "scorer": "", "tokens": None}
    base |= {"reconstructed": False}
    full = [base | {"line": n, "sample_id": "0", "epoch": n} | row for n, row in enumerate(rows)]
    return pl.DataFrame(full, schema=tables.samples_schema(COLUMNS)).lazy()


def epochs(sample: str, *scores: float, **keys: Any) -> list[dict[str, Any]]:
    return [
        {"sample_id": sample, "epoch": n, "score": float(s)} | keys for n, s in enumerate(scores)
    ]


def test_a_cell_is_the_mean_over_problems_of_their_means() -> None:
    """Two problems with 3 and 1 epochs weigh the same."""
    grid = grids.aggregate(samples(epochs("a", 1, 1, 0) + epochs("b", 0)), entry())
    assert grid["value"].to_list() == [1 / 3]
    assert grid.select("samples", "epochs", "expected").row(0) == (2, 4, 4)


def test_the_standard_error_is_clustered_by_problem() -> None:
    """The spread is that of the problems' means, however often each was repeated."""
    rows = epochs("a", 1, 1, 1) + epochs("b", 0, 0, 0) + epochs("c", 1, 0, 0)
    grid = grids.aggregate(samples(rows), entry())
    means = [1, 0, 1 / 3]
    middle = sum(means) / 3
    expected = sqrt(sum((m - middle) ** 2 for m in means) / 2 / 3)
    assert grid["se"][0] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("k", [1, 2, 3, 5])
def test_pass_at_k_is_the_unbiased_estimator(k: int) -> None:
    """pass@k = 1 − C(n − c, k) / C(n, k), averaged over problems."""
    rows = epochs("a", 1, 0, 0, 0, 0) + epochs("b", 1, 1, 1, 0, 0) + epochs("c", 0, 0, 0, 0, 0)
    grid = grids.aggregate(samples(rows), entry(encoding=color(f"pass@{k}")))
    expected = sum(1 - comb(5 - c, k) / comb(5, k) for c in (1, 3, 0)) / 3
    assert grid["value"][0] == pytest.approx(expected, abs=1e-15)


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


def test_a_problem_with_fewer_than_k_epochs_has_no_pass_at_k() -> None:
    """It counts as missing, and the cell shows fewer problems."""
    rows = epochs("a", 1, 0) + epochs("b", 1)
    grid = grids.aggregate(samples(rows), entry(encoding=color("pass@2")))
    assert grid.select("value", "samples").row(0) == (1.0, 1)


@pytest.mark.parametrize("word", ["pass@1", "pass@2"])
def test_a_panel_may_hold_no_graded_sample(word: str) -> None:
    """Its cells have no value, and the other panel has its own."""
    rows = [*epochs("a", 1, 1, window=500), {"sample_id": "a", "window": 1000, "score": None}]
    keys = {"panel": "window", "encoding": {"x": "ratio", "y": "task", "color": word}}
    assert grids.aggregate(samples(rows), entry(**keys))["value"].to_list() == [1.0, None]


def test_pass_at_k_refuses_partial_scores() -> None:
    """A score of 0.5 is neither passed nor failed: the record is named."""
    with pytest.raises(Error, match=r"pass@1 needs scores of 0 or 1, but a.jsonl:0 has 0.5"):
        grids.aggregate(samples(epochs("a", 0.5)), entry())


def test_any_measure_can_be_averaged() -> None:
    """mean(tokens) is the mean of the problems' mean tokens, in tokens."""
    rows = epochs("a", 1, 0, tokens=10.0) + epochs("b", 1, tokens=40.0)
    assert grids.aggregate(samples(rows), entry(encoding=color("mean(tokens)")))["value"][0] == 25


def test_every_cell_of_the_product_has_a_row_missing_ones_too() -> None:
    """A setting never run is a row without value: seen, not silently left out."""
    rows = epochs("a", 1, ratio=0.1, window=500) + epochs("a", 0, ratio=0.2, window=1000)
    grid = grids.aggregate(samples(rows), entry())
    assert grid.select("y", "x", "value", "samples", "epochs", "expected").rows() == [
        (500, 0.1, 1.0, 1, 1, 1),
        (500, 0.2, None, 0, 0, 1),
        (1000, 0.1, None, 0, 0, 1),
        (1000, 0.2, 0.0, 1, 1, 1),
    ]


def test_an_incomplete_cell_knows_what_it_lacks() -> None:
    """Expected are the problems of the fullest cells of the panel, each as often as it has any."""
    full = epochs("a", 1, 1, ratio=0.1) + epochs("b", 0, 1, ratio=0.1)
    grid = grids.aggregate(samples(full + epochs("a", 1, ratio=0.2)), entry())
    assert grid.select("epochs", "expected").rows() == [(4, 4), (1, 2)]


def test_all_equally_best_cells_are_best() -> None:
    """Two cells with the highest value are both marked."""
    rows = epochs("a", 1, ratio=0.1) + epochs("a", 1, ratio=0.2) + epochs("a", 0, ratio=0.3)
    assert grids.aggregate(samples(rows), entry())["best"].to_list() == [True, True, False]


def test_a_mean_over_tasks_weighs_tasks_not_problems() -> None:
    """One task with one problem counts as much as another with three."""
    rows = epochs("a", 1, task="s")
    for sample in "abc":
        rows += epochs(sample, 0, task="t")
    grid = grids.aggregate(samples(rows), entry(panel="model", mean_over="task"))
    assert grid["value"].to_list() == [0.5]
    assert grid["samples"].to_list() == [4]


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


def test_sort_must_name_all_values() -> None:
    """A value that `sort` forgets is refused by name."""
    with pytest.raises(Error, match=r"figures.fig.sort.task: leaves out 't'"):
        grids.aggregate(samples(epochs("a", 1)), entry(sort={"task": ["s"]}))


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


def test_pooled_settings_are_further_epochs() -> None:
    """Listed under `pool`, runs with other settings count as repetitions."""
    rows = epochs("a", 1) + epochs("a", 0, model="n", log="b", run="b")
    grid = grids.aggregate(samples(rows), entry(pool=["model"]))
    assert grid.select("value", "epochs").row(0) == (0.5, 2)


def test_the_order_of_rows_changes_nothing() -> None:
    """The same samples in any order give the same grid."""
    rows = [
        r
        for i, w in enumerate((500, 1000))
        for s in "abcdefg"
        for r in epochs(s, *(0.1 * ((hash_ + i) % 10) for hash_ in (ord(s), 3, 7)), window=w)
    ]
    table = samples(rows).collect()
    plain = entry(encoding=color("mean(score)"))
    assert grids.aggregate(table.lazy(), plain).equals(
        grids.aggregate(table.sample(fraction=1, shuffle=True, seed=1).lazy(), plain)
    )


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
