"""panel: what is said of the cells of a panel, whatever the order and completeness of its rows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from heatproof.kinds.heatmap.grid import Panel
from heatproof.kinds.heatmap.judged import Peers, judge
from heatproof.metrics import metric

if TYPE_CHECKING:
    import polars as pl

QUICK = settings(max_examples=8)


def panel(total: Any, count: Any = None, reconstructed: bool = False, task: Any = None) -> Panel:
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
    return Panel(*counts, reconstructed, cells, names, records, failed, uneven)


def judged(
    one: Panel, word: str = "pass@1", best: Any = "highest", shown: str = "tied"
) -> pl.DataFrame:
    return judge(one, metric(word), best, shown)


right = arrays(np.int64, (12, 4), elements=st.integers(0, 3))


@QUICK
@given(right)
def test_the_best_is_tied_with_itself(total: Any) -> None:
    """Whatever was solved, the tied set holds the best cells."""
    found = judged(panel(total, np.full(total.shape, 3)))
    assert found.filter("best")["tied"].all()
    assert found["separated"][0] == (~found["tied"]).sum()


@QUICK
@given(right, st.permutations(range(4)), st.permutations(range(12)))
def test_the_order_of_settings_and_problems_changes_nothing(
    total: Any, columns: list[int], rows: list[int]
) -> None:
    """Cells in another order get the same values and errors, and the same spread."""
    count = np.full(total.shape, 3)
    before = judged(panel(total, count))
    after = judged(panel(total[rows][:, columns], count))
    told = ["value", "se", "low", "high", "best", "spread"]
    assert after.select(told).equals(before[columns].select(told))


@QUICK
@given(right)
def test_less_is_better_on_request(total: Any) -> None:
    """`lowest` judges what was not solved as `highest` judges what was."""
    count = np.full(total.shape, 3)
    low, high = judged(panel(total, count), best="lowest"), judged(panel(3 - total, count))
    assert low.select("best", "tied", "separated").equals(high.select("best", "tied", "separated"))
    assert low["spread"][0] == pytest.approx(high["spread"][0])


def peers(total: Any, count: Any) -> Peers:
    """Cells of one task, each problem a family of its own."""
    total, count = np.asarray(total, np.float64), np.asarray(count, np.int64)
    held = np.maximum(count.sum(axis=0), 1)
    return Peers(
        total,
        count,
        np.zeros(len(total), np.int64),
        np.arange(len(total)),
        total.sum(axis=0) / held,
    )


@pytest.mark.parametrize(("unit", "epochs"), [(1e-6, 1), (1e6, 1), (1.0, 10**5)])
def test_the_best_of_uneven_cells_is_the_best_in_any_unit(unit: float, epochs: int) -> None:
    """What is taken for rounding is a part of the scores, however often problems were repeated."""
    total = np.array([[1, 0, 1], [1, 0, 1], [0, 0, 0], [0, 0, 0]]) / 3
    count = np.array([[1, 1, 1], [1, 1, 1], [0, 1, 0], [1, 0, 1]])
    near = total * [1, 1, 1 + 1e-12]
    one = peers(near * count * unit * epochs, count * epochs)
    assert one.best().tolist() == [True, False, True]


@QUICK
@given(right, arrays(np.bool_, (12, 4)), st.sampled_from(["highest", "lowest"]))
def test_the_best_is_of_the_tied_set_whatever_is_missing(total: Any, gone: Any, best: Any) -> None:
    """And the cells told from the best are those of its peers that are not in the set."""
    count = np.where(gone, 0, 3)
    found = judged(panel(np.where(gone, 0, total), count), best=best)
    assert found.filter("best")["tied"].all()
    for (peers,), part in found.group_by("peers"):
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
    found = judged(panel(total, count))
    assert found["spread"].to_list() == [1] * 10
    names = ["spread_equal", "chance_median", "chance_high"]
    assert found.select(names).null_count().row(0) == (10,) * 3
    assert found["tied"].all()
    costs = judged(panel(total, count), "mean(tokens)")
    assert costs["spread_equal"][0] == pytest.approx(16 / 9)


@pytest.mark.parametrize("empty", [False, True])
def test_families_are_the_units_of_all_that_is_judged(empty: bool) -> None:
    """Copies of a problem are no evidence, whether or not a cell beside has no value."""
    once = np.random.default_rng(2).integers(0, 3, (9, 3))
    once[:, 0] += 2
    total = np.repeat(once, 4, axis=0)
    count = np.full(total.shape, 4)
    if empty:
        count[:, 1] = total[:, 1] = 0
    names = ["tied", "spread", "chance_high", "chance_p", "separated"]
    family = np.repeat(np.arange(9), 4)
    families = replace(panel(total, count), family=family)
    alone = judged(panel(once, count[::4]))
    found = judged(families)
    assert found.select(names).equals(alone.select(names), null_equal=True)


def test_reconstructed_values_are_means_over_tasks_of_their_shares() -> None:
    """Each task by its own rows; what a cell does not hold is no problem of it."""
    total = [[1, 0], [3, 1], [0, 2]]
    one = panel(total, [[2, 2], [4, 0], [2, 4]], reconstructed=True, task=[0, 0, 1])
    one = replace(one, total=np.array([[1.0, 0], [3, 0], [0, 2]]))
    found = judged(one)
    assert found["value"].to_list() == pytest.approx([(4 / 6 + 0) / 2, (0 + 2 / 4) / 2])
    assert found.select("samples", "epochs").rows() == [(3, 8), (2, 6)]


@pytest.mark.parametrize("top", [1.0, 1.5, 3.0])
def test_only_measures_within_bounds_have_intervals(top: float) -> None:
    """Progress mostly lies from 0 to 1, and its interval with it; where it does not, none is told."""
    total = np.random.default_rng(3).random((20, 2)) * top
    total[0] = top, 0
    found = judged(panel(total), "mean(progress)")
    for value, low, high in found.select("value", "low", "high").iter_rows():
        assert (low is None and high is None) if top > 1 else 0 <= low < value < high <= 1
    assert found["se"].null_count() == 0


@pytest.mark.parametrize("unit", [1000.0, 0.001])
@pytest.mark.parametrize("shown", ["tied", "interval"])
def test_means_without_bounds_are_not_judged(unit: float, shown: str) -> None:
    """Costs, however small their unit: the lowest is marked, and nothing is said of chance."""
    total = np.random.default_rng(3).lognormal(0, 1, (40, 3)) * [0.1, 1, 2] * unit
    found = judged(panel(total), "mean(cost)", best="lowest", shown=shown)
    assert found["best"].to_list() == [True, False, False]
    assert found.select("tied", "spread", "low").null_count().row(0) == (3, 3, 3)
    words = "values have no bounds"
    assert all(words in why for why in found["unjudged"])
    graded = np.random.default_rng(3).random((40, 3)) * [0.2, 0.5, 0.9]
    within = replace(panel(graded), ranged=True)
    assert judged(within, "mean(cost)", best="lowest", shown=shown)["unjudged"].null_count() == 3


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
    one = panel(total, task=task)
    family = np.where(task == 0, one.family % families, one.family) if families else one.family
    found = judged(replace(one, family=family))
    assert found["best"].any() == is_judged
    assert found["value"].null_count() == 0
    told = found["unjudged"].unique().to_list()
    words = f"task t0 has too few problems or families ({families or sizes[0]})"
    nulls = found.select("tied", "spread", "chance_p", "separated").null_count().row(0)
    if is_judged:
        assert told == [None]
    else:
        assert told == [f"not judged: {words}"]
        assert nulls == (3,) * 4


@pytest.mark.parametrize("large", [198, 500])
def test_a_small_task_hides_no_effect_beyond_doubt(large: int) -> None:
    """95 % on both tasks beside 5 % is told, whichever setting a task may suit; 60 % is not."""
    task = np.repeat([0, 1], [30, large])
    right = (np.arange(len(task)) % 20)[:, None]
    found = judged(panel(right < [19, 1], task=task))
    assert found["tied"].to_list() == [True, False]
    assert found["unjudged"].null_count() == 2
    near = judged(panel(np.random.default_rng(2).random((len(task), 2)) < [0.7, 0.6], task=task))
    assert not near["best"].any()
    assert near["unjudged"].null_count() == 0
