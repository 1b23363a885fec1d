"""What is said of the cells of a panel, whatever its rows: who is compared, best, tied, or in doubt."""

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from heatproof import statistics
from heatproof.kinds.heatmap import grid, reasons
from heatproof.kinds.heatmap.grid import Panel
from heatproof.kinds.heatmap.judged import Peers, judge, judged_levels
from heatproof.metrics import metric
from support.naive import connected


def panel(total: Any, count: Any = None, task: Any = None) -> Panel:
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
    return Panel(*counts, False, cells, names, records, failed, uneven)


def judged(cells: Panel, word: str = "pass@1", best: Any = "highest") -> pl.DataFrame:
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


SIZES = [
    # units of the tasks, families of the first (none: each problem its own), whether it is judged
    ((10, 198), 0, False),
    ((30, 500), 0, False),
    ((5, 20), 0, False),
    ((10, 39), 0, True),
    ((10, 40), 0, False),
    ((49, 500), 0, False),
    ((50, 500), 0, True),
    ((30, 30, 40, 198, 500), 0, True),
    ((5, 5, 5, 5, 500), 0, True),
    ((10, 100, 200), 0, False),
    ((60, 500), 20, False),
    ((12,), 0, True),
]


@pytest.mark.parametrize(("sizes", "families", "is_judged"), SIZES)
def test_a_small_task_that_outweighs_all_others_leaves_no_verdict(
    sizes: tuple[int, ...], families: int, is_judged: bool
) -> None:
    """No best, no tied set and no sentence but why: 95 % are known not to hold there."""
    task = np.repeat(np.arange(len(sizes)), sizes)
    total = np.random.default_rng(1).integers(0, 2, (len(task), 3)).astype(float)
    whole = panel(total, task=task)
    family = (
        np.where(task == 0, whole.family % families, whole.family) if families else whole.family
    )
    cells = judged(replace(whole, family=family))
    assert cells["best"].any() == is_judged
    assert cells["value"].null_count() == 0
    why = cells["unjudged"].unique().to_list()
    words = f"task t0 has too few problems or families ({families or sizes[0]})"
    nulls = cells.select("tied", "spread", "chance_p", "separated").null_count().row(0)
    if is_judged:
        assert why == [None]
    else:
        assert why == [f"not judged: {words}"]
        assert nulls == (3,) * 4


@pytest.mark.parametrize("large", [198, 500])
def test_a_small_task_hides_no_effect_beyond_doubt(large: int) -> None:
    """95 % on both tasks beside 5 % is told, whichever setting a task may suit; 60 % is not."""
    task = np.repeat([0, 1], [30, large])
    right = (np.arange(len(task)) % 20)[:, None]
    far = judged(panel(right < [19, 1], task=task))
    assert far["tied"].to_list() == [True, False]
    assert far["unjudged"].null_count() == 2
    near = judged(panel(np.random.default_rng(2).random((len(task), 2)) < [0.7, 0.6], task=task))
    assert not near["best"].any()
    assert near["unjudged"].null_count() == 0


def skewed(x: Any, group: Any = None, share: bool = True) -> bool:
    """Cell 0 is the best; scores are (problems, cells), NaN where a problem is missing."""
    x = np.asarray(x, float)
    there = ~np.isnan(x)
    size = len(x)
    group = np.arange(size) if group is None else group
    scores = np.where(there, x, 0) * 2, there * 2, np.zeros(size, int), group
    return statistics.doubts(*scores, 0, np.arange(1, x.shape[1]), share).skewed


RARE = np.column_stack(
    [np.r_[np.full(27, 0.95), np.ones(3)], np.r_[np.full(27, 0.95), np.zeros(3)]]
)
"""Three problems of thirty make the whole gap."""
EVEN = np.column_stack([np.tile([0.9, 0.6, 0.3], 10), np.tile([0.5, 0.5, 0.3], 10)])
COLLAPSED = np.column_stack([np.ones(30), np.r_[np.zeros(29), 1]])
"""One fails nearly everywhere: the gap is skewed, and beyond doubt."""


@pytest.mark.parametrize(
    ("x", "rests_on_few"), [(RARE, True), (EVEN, False), (COLLAPSED, False), (RARE[:, ::-1], True)]
)
def test_gaps_that_a_few_problems_make_are_seen(x: Any, rests_on_few: bool) -> None:
    """Not those that all problems make, however uneven their differences are."""
    assert skewed(x) is rests_on_few
    assert skewed(-x) is rests_on_few  # as sums have it where the lowest is the best
    assert skewed(1000 * x, share=False) is rests_on_few


@pytest.mark.parametrize(("broken", "is_judged"), [(8, False), (20, True)])
def test_an_axis_is_judged_as_cells_are(broken: int, is_judged: bool) -> None:
    """Nothing is said of its values where a few problems of forty make their gap."""
    right = np.arange(40)[:, None] >= np.array([0, broken, 0, broken])
    levels = np.array([0, 1, 0, 1])
    tops = judged_levels(panel(right), levels, metric("mean(score)"), "highest", 1)
    assert (None if tops is None else tops.tolist()) == ([True, False] if is_judged else None)


@pytest.mark.parametrize("behind", [False, True])
def test_a_gap_of_a_few_problems_is_told_where_it_is_claimed(behind: bool) -> None:
    """Of a cell that is tied with the best nothing is claimed, whatever makes its gap."""
    task, count = np.zeros(30, np.int64), np.full(RARE.shape, 2)
    pair = Peers(RARE * 2, count, task, np.arange(30), RARE.mean(axis=0))
    judged = {"best": np.array([True, False]), "tied": np.array([True, not behind])}
    why = "not judged: the gaps rest on few problems"
    assert reasons.doubt_words(pair.doubts(judged, share=True), ["t"]) == (why if behind else "")


def test_families_are_the_unit_and_missing_problems_count_for_nothing() -> None:
    """Three problems of a gap in ten families each are as many as thirty."""
    spread = RARE[np.argsort(np.arange(30) % 10, kind="stable")]
    assert skewed(spread, group=np.arange(30))
    x = np.vstack([EVEN, [[np.nan, 0.0], [0.0, np.nan]]])
    assert not skewed(x)
    many = np.column_stack([np.tile([1.0, 0.5, 0.5], 10), np.tile([0.5, 0.5, 0.5], 10)])
    assert skewed(np.where(np.arange(30)[:, None] < 3, many, 0.5), group=np.arange(30))
    assert not skewed(many, group=np.repeat(np.arange(10), 3))


def determined(runs: int, problems: int, epochs: int) -> tuple[float, float]:
    """Share of panels of equal settings in which all are tied, and in which no other is claimed.

    20 settings from temperature 0 to 1, mean .93: a problem is right always or never with a chance
    that falls along them, and else with that of the problem.
    """
    random, tied, unclaimed = np.random.default_rng(7), 0, 0
    for _ in range(runs):
        chance = random.beta(4, 0.3, problems)[:, None]
        always = random.random((problems, 20)) < np.arange(20) / 19
        p = np.where(always, random.random((problems, 20)) < chance, chance)
        total = random.binomial(epochs, p).astype(float)
        count, group = np.full(total.shape, epochs), np.arange(problems)
        peers = Peers(total, count, np.zeros(problems, int), group, total.mean(axis=0) / epochs)
        standing = peers.judged(share=True)
        whole = bool(standing["tied"].all())
        tied += whole
        doubts = peers.doubts(standing, share=True)
        unclaimed += whole or bool(doubts.outweighed or doubts.skewed)
    return tied / runs, unclaimed / runs


def test_few_panels_are_wrong_where_many_were() -> None:
    """One setting right always or never, another sometimes: the tied set is wrong in most."""
    before, now = determined(40, 30, 64)
    assert before < 0.6
    assert now > 0.85


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
