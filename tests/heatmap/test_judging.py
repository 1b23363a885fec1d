"""What is said of the cells of a panel, whatever its rows: who is compared, best, tied, or in doubt."""

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from heatproof.kinds import states
from heatproof.kinds.heatmap import aggregate as grids
from heatproof.kinds.heatmap import grid
from heatproof.kinds.heatmap.grid import PanelCounts
from heatproof.kinds.heatmap.judged import Peers, judge, judged_levels
from heatproof.metrics import metric
from support.cells import entry, samples
from support.naive import connected


def panel(total: Any, count: Any = None, task: Any = None) -> PanelCounts:
    """A panel of one task or several; a single epoch each, unless `count` says otherwise."""
    total = np.asarray(total, np.float64)
    count = np.ones(total.shape, np.int64) if count is None else np.asarray(count, np.int64)
    expected = np.full(total.shape[1], count.max(axis=1).sum())
    task = np.zeros(len(total), np.int64) if task is None else np.asarray(task)
    family, cells = np.arange(len(total)), np.arange(total.shape[1])
    records = np.array([(count[task == n] > 0).any(axis=0) for n in range(task.max() + 1)])
    names = [f"t{n}" for n in range(len(records))]
    failed = uneven = np.zeros(records.shape, bool)
    counts = count, total, task, family, expected
    stopped = np.zeros(len(cells), bool)
    return PanelCounts(*counts, False, cells, names, records, failed, uneven, stopped)


def judged(cells: PanelCounts, word: str = "pass@1", best: Any = "highest") -> pl.DataFrame:
    return judge(cells, metric(word), best, "tied")


right = arrays(np.int64, (12, 4), elements=st.integers(0, 3))


@pytest.mark.parametrize(("unit", "epochs"), [(1e-6, 1), (1e6, 1), (1.0, 10**5)])
def test_the_best_of_uneven_cells_is_the_best_in_any_unit(unit: float, epochs: int) -> None:
    """What is taken for rounding is a part of the scores, however often problems were repeated."""
    total = np.array([[1, 0, 1], [1, 0, 1], [0, 0, 0], [0, 0, 0]]) / 3
    count = np.array([[1, 1, 1], [1, 1, 1], [0, 1, 0], [1, 0, 1]])
    for apart, tie in ((1e-12, True), (1e-6, False)):
        sums = total * [1, 1, 1 + apart] * count * unit * epochs
        uneven = Peers(sums, count * epochs, np.zeros(4, int), np.arange(4), sums.sum(axis=0))
        assert uneven.best().tolist() == [tie, False, True]


@settings(max_examples=8)
@given(right, arrays(np.bool_, (12, 4)), st.sampled_from(["highest", "lowest"]))
def test_the_best_is_of_the_tied_set_whatever_is_missing(total: Any, gone: Any, best: Any) -> None:
    """And the cells told from the best are those of its peers that are not in the set."""
    count = np.where(gone, 0, 3)
    cells = judged(panel(np.where(gone, 0, total), count), best=best)
    assert cells.filter("best")["tied"].all()
    for (peers,), part in cells.group_by("peers"):
        if peers is not None:
            assert part["best"].any()
            assert part["separated"].to_list() == [(~part["tied"]).sum()] * len(part)


def test_a_share_spreads_no_further_than_1() -> None:
    """Two cells that share a problem with the others each, and none with each other.

    One is ahead by nearly 1, one as far behind: their distance of 1.8 is none of shares.
    """
    count = np.ones((2, 10), np.int64)
    count[1, 0] = count[0, 1] = 0
    total = np.array([[1] + [0] * 9, [0, 0] + [1] * 8])
    cells = judged(panel(total, count))
    assert cells["spread"].to_list() == [1] * 10
    names = ["spread_equal", "chance_median", "chance_high"]
    assert cells.select(names).null_count().row(0) == (10,) * 3
    assert cells["tied"].all()
    costs = judged(panel(total, count), "mean(tokens)")
    assert costs["spread_equal"][0] == pytest.approx(16 / 9)


def test_a_small_task_hides_no_effect_beyond_doubt() -> None:
    """95 % on both tasks beside 5 % is told, whichever setting a task may suit; 60 % is not."""
    task = np.repeat([0, 1], [30, 198])
    right = (np.arange(len(task)) % 20)[:, None]
    far = judged(panel(right < [19, 1], task=task))
    assert far["tied"].to_list() == [True, False]
    near = judged(panel(np.random.default_rng(3).random((len(task), 2)) < [0.7, 0.6], task=task))
    assert near["tied"].all()
    assert near["unjudged"].null_count() == 2


EVEN = np.column_stack([np.tile([0.9, 0.6, 0.3], 10), np.tile([0.5, 0.5, 0.3], 10)])
COLLAPSED = np.column_stack([np.ones(30), np.r_[np.zeros(29), 1]])
"""One fails nearly everywhere: the gap is skewed, and beyond doubt."""
PAIRS = {
    "three of thirty make the gap": (np.column_stack([np.ones(30), np.arange(30) >= 3]), False),
    "all make it": (EVEN, True),
    "one fails nearly everywhere": (COLLAPSED, True),
    "by far too little in all": (np.column_stack([np.full(30, 0.55), np.full(30, 0.5)]), False),
    "one is better at fourteen of forty": (
        np.column_stack([np.arange(40) < 35, np.arange(40) < 21]), True,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("side", [1, -1])
def test_a_lead_is_clear_and_large(name: str, side: int) -> None:
    """52.5 is behind 87.5; two twentieths of each of thirty problems are no lead."""
    x, told = PAIRS[name]
    cells = judged(panel(x[:, ::side]), "mean(score)")
    assert (cells["tied"].to_list()[::side] == [True, False]) is told
    assert cells["best"].to_list()[::side] == [True, False]
    assert cells["unjudged"].null_count() == 2


def test_families_are_the_unit() -> None:
    """Three problems of a gap in ten families each are as many as thirty, and as one in each."""
    many = np.column_stack([np.tile([1.0, 0.5, 0.5], 10), np.tile([0.5, 0.5, 0.5], 10)])
    for families, told in ((np.arange(30), True), (np.repeat(np.arange(10), 3), False)):
        cells = judged(replace(panel(many), family=families), "mean(score)")
        assert (not cells["tied"].all()) is told


@pytest.mark.parametrize(("broken", "tops"), [(3, [True, True]), (20, [True, False])])
def test_an_axis_is_judged_as_cells_are(broken: int, tops: list[bool]) -> None:
    """Three problems of forty are no lead, twenty are one."""
    right = np.arange(40)[:, None] >= np.array([0, broken, 0, broken])
    levels = np.array([0, 1, 0, 1])
    found = judged_levels(panel(right), levels, metric("mean(score)"), "highest", 1)
    assert found.tolist() == tops


def test_a_bound_far_above_all_usual_values_is_none() -> None:
    """A cap on tokens that few samples reach: no verdict and no interval, and the cells say why."""
    near, far = np.linspace(0.1, 0.6, 60).reshape(30, 2), np.full((30, 2), 0.05)
    far[3, 1] = 1.0
    for total, why in ((near, None), (far, states.FAR_RANGE)):
        for uncertainty in ("tied", "interval"):
            one = replace(panel(total), ranged=True)
            cells = judge(one, metric("mean(tokens)"), "lowest", uncertainty)
            assert cells["unjudged"].to_list() == [why] * 2
            assert cells["low"].null_count() == (2 if why else 0)


def test_intervals_of_a_bounded_measure_stay_within_its_bounds() -> None:
    """As those of scores: 28 of 30 at the upper end are not certain beyond it."""
    total = np.arange(30)[:, None] >= np.array([1, 2])
    one = replace(panel(total), ranged=True)
    cells = judge(one, metric("mean(reward)"), "highest", "interval")
    scores = judge(panel(total), metric("pass@1"), "highest", "interval")
    assert cells.select("low", "high").equals(scores.select("low", "high"))
    assert (cells["high"] <= 1).all()


def test_samples_that_results_stopped_are_not_judged() -> None:
    """Of a panel with such a cell there is no verdict, and of the cell no interval."""
    one = replace(panel(COLLAPSED), stopped=np.array([False, True]))
    for uncertainty in ("tied", "interval"):
        cells = judge(one, metric("pass@1"), "highest", uncertainty)
        assert cells["unjudged"].to_list() == [states.STOPPED] * 2
        assert cells["tied"].null_count() == 2
        assert (cells["low"].is_null()).to_list() == [False, True]


@pytest.mark.parametrize("looks", [None, "once", "many"])
@pytest.mark.parametrize("lost", [0, 6])
def test_a_sweep_that_grows_is_judged_for_every_look(looks: str | None, lost: int) -> None:
    """Where records are missing, or where the figure says so, it takes more to be told apart."""
    right = np.arange(20)[:, None] < np.array([16, 10])
    count = np.ones(right.shape, np.int64)
    count[:lost, 1] = 0
    cells = judge(panel(right, count), metric("pass@1"), "highest", "tied", looks)
    many = looks == "many" or (looks is None and lost > 0)
    assert cells["tied"].all() is many


NONE = grid.NO_SET


@settings(max_examples=60, derandomize=True)
@given(arrays(np.bool_, st.tuples(st.integers(0, 9), st.integers(1, 9)), elements=st.booleans()))
def test_cells_that_share_problems_directly_or_through_others_are_peers(present: Any) -> None:
    """As walking from cell to cell finds them."""
    sets = [NONE if first is None else first for first in connected(present)]
    assert grid.connected_sets(present).tolist() == sets


LINES = [np.repeat(range(3), 3), np.tile(range(3), 3)]
FILLED = [
    # Rows are of one set each, columns are not.
    ([0, 0, 0, 1, NONE, 1, 2, 2, 2], [0, 0, 0, 1, 1, 1, 2, 2, 2]),
    # Columns are: model by task, where a model lacks a task.
    ([0, 1, 2, 0, NONE, 2, 0, 1, 2], [0, 1, 2, 0, 1, 2, 0, 1, 2]),
    # One set for all, though a whole row is empty.
    ([0, 0, 0, NONE, NONE, NONE, 0, 0, 0], [0] * 9),
    # Of lines that are mixed elsewhere, the row of the cell is of one set.
    ([0, 1, 0, 0, NONE, 0, 2, 0, 1], [0, 1, 0, 0, 0, 0, 2, 0, 1]),
    # Its row is of one set, and its column of another.
    ([0, 1, 0, 0, NONE, 0, 2, 1, 0], [0, 1, 0, 0, NONE, 0, 2, 1, 0]),
    # Neither rows nor columns tell.
    ([0, 1, 2, 1, NONE, 0, 2, 0, 1], [0, 1, 2, 1, NONE, 0, 2, 0, 1]),
]


@pytest.mark.parametrize(("sets", "filled"), FILLED)
def test_an_empty_cell_is_of_the_set_of_its_neighbours(sets: list[int], filled: list[int]) -> None:
    """Where row or column say of which; else it stays without."""
    assert grid.fill_lines(np.array(sets), LINES).tolist() == filled


def expected(count: Any, lines: Any) -> list[int]:
    """Rows of complete runs, where nothing is pooled."""
    rows = grid.whole_sizes(count, lines, np.ones(count.shape[1], np.int64))[1]
    return rows.tolist()  # type: ignore[no-any-return]


def test_of_a_cell_whose_peers_are_not_known_nothing_is_expected() -> None:
    """Neither its row nor its column says which problems it would hold."""
    sets = np.array([0, 1, 2, 1, NONE, 0, 2, 0, 1])
    count = 4 * (np.arange(3)[:, np.newaxis] == sets)
    assert expected(count, LINES) == [4] * 4 + [0] + [4] * 4


PARTS = {
    "more epochs elsewhere": ([[6, 6], [4, 4], [4, 4]], [12, 8, 8]),
    "an epoch less of one problem": ([[6, 6], [4, 3]], [12, 8]),
    "one problem repeated": ([[1, 1, 2], [1, 1, 1]], [4, 3]),
    "a part of the data set": ([[1] * 5, [1, 1, 1, 0, 0], [1, 1, 1, 0, 0]], [5, 3, 3]),
    "as many that hold all of it": ([[1] * 5, [1] * 5] + [[1, 1, 1, 0, 0]] * 2, [5] * 4),
    "two that lack a problem each": ([[1, 1, 1, 0], [0, 1, 1, 1]], [4, 4]),
    "none at all, as the largest": ([[4, 4], [6, 6], [0, 0]], [8, 12, 12]),
    "two that were cut off": ([[1] * 5, [1, 1, 1, 0, 0], [1, 1, 1, 1, 0]], [5] * 3),
}


@pytest.mark.parametrize("name", PARTS)
def test_what_others_did_beyond_a_run_is_no_lack(name: str) -> None:
    """More epochs, and problems outside the part that most cells hold."""
    cells, sizes = PARTS[name]
    count = np.array(cells).T
    lines = [np.zeros(count.shape[1], np.int64), np.arange(count.shape[1])]
    assert expected(count, lines) == sizes


def test_more_cells_than_can_be_compared_are_not_judged() -> None:
    """Each has its value, the highest is marked, and all say why nothing more is known."""
    crowd = panel(np.arange(states.CROWD + 1) < np.full((1, 1), 7))
    cells = judge(crowd, metric("pass@1"), "highest", "tied")
    assert cells["unjudged"].to_list() == [states.CROWDED] * (states.CROWD + 1)
    assert cells["best"].sum() == 7
    assert cells["value"].null_count() == 0


def test_scorers_are_judged_apart() -> None:
    """Each has its best: what the more lenient of two measures says of a cell is no lead."""
    rows = [
        {"model": model, "scorer": scorer, "sample_id": f"{n}", "score": float(n < right)}
        for model, scorer, right in (
            ("m", "exact", 4), ("n", "exact", 20), ("m", "f1", 38), ("n", "f1", 20)
        )
        for n in range(40)
    ]  # fmt: skip
    cells = grids.aggregate(samples(rows), entry(x="scorer", y="model"))
    assert cells.filter("best").select("x", "y").rows() == [("f1", "m"), ("exact", "n")]
    assert not cells.filter(~pl.col("best"))["tied"].any()
