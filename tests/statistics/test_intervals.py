"""Intervals: oracles at known points, coverage in simulation, sense at the edges."""

from __future__ import annotations

import numpy as np
import pytest

from heatproof.statistics import cell_estimates, count_estimates, interval, student_interval, wilson
from heatproof.statistics.intervals import normal, student


@pytest.mark.parametrize(("correct", "trials"), [(0, 10), (3, 10), (10, 10), (71, 150)])
@pytest.mark.parametrize("alpha", [0.05, 0.2])
def test_wilson_is_that_of_statsmodels(correct, trials, alpha):
    """Wilson's interval agrees with an independent implementation."""
    proportion = pytest.importorskip("statsmodels.stats.proportion")
    expected = proportion.proportion_confint(correct, trials, alpha, method="wilson")
    low, high = wilson(correct / trials, trials, alpha)
    assert (float(low), float(high)) == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize(
    ("freedom", "expected"), [(1, 12.7062047), (4, 2.77644511), (29, 2.04522964), (1e5, 1.95999)]
)
def test_student_quantile(freedom, expected):
    """Quantiles of Student's t are those of the printed tables."""
    assert student(0.975, freedom) == pytest.approx(expected, rel=1e-5)


def test_normal_quantile():
    """The two-sided 5 % point of the normal distribution is 1.96."""
    assert normal(0.975) == pytest.approx(1.959964, abs=1e-6)


def test_one_sample_each_is_plain_wilson():
    """0-or-1 scores with one epoch for each problem need no clustering."""
    total = np.array([[1]] * 7 + [[0]] * 3)
    low, high = interval(total, np.ones_like(total))
    assert (low[0], high[0]) == tuple(float(x) for x in wilson(0.7, 10))


def test_interval_holds_the_value_and_stays_in_bounds():
    """0 ≤ low ≤ value ≤ high ≤ 1, also for cells that solve everything or nothing."""
    total = np.array([[5, 0, 3, 1], [5, 0, 2, 0], [5, 0, 4, 0]])
    value = cell_estimates(total, np.full(total.shape, 5)).value
    low, high = interval(total, np.full(total.shape, 5))
    assert np.all((low >= 0) & (low <= value) & (value <= high) & (high <= 1))
    assert low[0] < 1
    assert high[1] > 0


def test_more_samples_of_one_problem_do_not_narrow_much():
    """A thousand epochs of three problems still say little of problems like these."""
    total = np.array([[1000], [500], [0]])
    low, high = interval(total, np.full(total.shape, 1000))
    assert high[0] - low[0] > 0.7


def test_an_empty_cell_has_no_interval():
    """No problems, no limits."""
    low, high = interval([[0, 1]], [[0, 1]])
    assert np.isnan([low[0], high[0]]).all()
    assert not np.isnan([low[1], high[1]]).any()


@pytest.mark.parametrize("samples", [1, 5])
@pytest.mark.parametrize("shape", [(0.6, 0.7), (4, 0.3)])
@pytest.mark.parametrize("problems", [10, 30])
def test_interval_covers(problems, shape, samples):
    """95 % intervals hold the true mean in about 95 % of runs, for few problems and near 1."""
    rng = np.random.default_rng(1)
    chance = rng.beta(*shape, (problems, 800))
    total = rng.binomial(samples, chance)
    low, high = interval(total, np.full(total.shape, samples))
    true = shape[0] / sum(shape)
    assert np.mean((low <= true) & (true <= high)) >= 0.95 - 0.025


def test_interval_over_tasks_covers():
    """So does that of a mean over tasks of 30, 30 and 40 problems of unlike difficulty."""
    rng = np.random.default_rng(2)
    shapes, sizes = [(0.6, 0.7), (0.3, 1.2), (4, 0.5)], [30, 30, 40]
    chance = np.vstack([rng.beta(*s, (n, 800)) for s, n in zip(shapes, sizes, strict=True)])
    total = rng.binomial(5, chance)
    low, high = interval(total, np.full(total.shape, 5), np.repeat([0, 1, 2], sizes))
    true = np.mean([a / (a + b) for a, b in shapes])
    assert np.mean((low <= true) & (true <= high)) >= 0.95 - 0.025


def test_counts_alone_give_wilson_over_all_samples():
    """A reconstructed cell is a proportion of problems × samples; no problem is known."""
    one, (low, high) = count_estimates([71, 150], [150, 150])
    assert one.value.tolist() == [71 / 150, 1]
    assert one.problems.tolist() == [0, 0]
    assert one.epochs.tolist() == [150, 150]
    assert (low[0], high[0]) == tuple(float(x) for x in wilson(71 / 150, 150))


def test_counts_of_several_tasks_are_averaged():
    """Counts (tasks, cells) give the unweighted mean, narrower than its widest task."""
    one, (low, high) = count_estimates([[15], [80]], [[150], [200]])
    assert one.value[0] == pytest.approx(0.25)
    wide = wilson(0.4, 200)
    assert high[0] - low[0] < float(wide.high - wide.low)


def test_measures_without_bounds_get_students_interval():
    """Thousands of tokens are no proportion: value ± t · se."""
    total = np.array([[1000.0], [3000.0], [2000.0]])
    one = cell_estimates(total, np.ones((3, 1), int))
    low, high = student_interval(one)
    half = student(0.975, 2) * one.se[0]
    assert (low[0], high[0]) == pytest.approx((2000 - half, 2000 + half))


@pytest.mark.parametrize(
    ("total", "given", "low", "high"),
    [
        ([10, 10, 20, 20], {"group": ["a", "a", "b", "b"]}, -48.531, 78.531),
        ([10, 30, *[20] * 6], {"task": [0, 0, *[1] * 6]}, -43.531, 83.531),
        ([10, 30, 10, 30], {"task": [0, 0, 1, 1]}, 20 - 4.30265 * 50**0.5, 20 + 4.30265 * 50**0.5),
        ([7, 7, 9, 9], {"task": [0, 0, 1, 1]}, 8, 8),
    ],
)
def test_degrees_of_freedom_are_those_of_what_varies(total, given, low, high):
    """Families less one; over tasks Satterthwaite's, by hand: one task alone knows, or both do."""
    column = np.array(total, float)[:, None]
    one = cell_estimates(column, np.ones(column.shape, int), **given)
    found = student_interval(one)
    assert (found.low[0], found.high[0]) == pytest.approx((low, high), abs=1e-3)


@pytest.mark.parametrize(
    ("group", "task"),
    [(np.repeat(np.arange(4), 25), None), (np.repeat(np.arange(12), 5), None),
     (None, np.repeat([0, 1], [4, 96])), (None, np.repeat([0, 1, 2], [3, 3, 300]))],
    ids=["4 families", "12 families", "tasks of 4 and 96", "tasks of 3, 3 and 300"],
)  # fmt: skip
def test_intervals_of_measures_hold_as_often_as_they_say(group, task):
    """Few families, and a small task beside a large one, do not make them too short."""
    rng, runs = np.random.default_rng(17), 400
    n = len(group) if group is not None else len(task)
    shared = rng.normal(size=(runs, n))[:, group].T if group is not None else 0
    total = shared + rng.normal(size=(n, runs))
    one = cell_estimates(total, np.ones(total.shape, int), task, group=group)
    low, high = student_interval(one)
    assert np.mean((low <= 0) & (high >= 0)) >= 0.95 - 0.03
