"""Intervals: oracles at known points, coverage in simulation, sense at the edges."""

from __future__ import annotations

import numpy as np
import pytest

from heatproof.statistics import cell_estimates, interval, student_interval
from heatproof.statistics.estimates import normal, wilson


@pytest.mark.parametrize(("correct", "trials"), [(0, 10), (3, 10), (10, 10), (71, 150)])
@pytest.mark.parametrize("alpha", [0.05, 0.2])
def test_wilson_is_that_of_statsmodels(correct, trials, alpha):
    """Wilson's interval agrees with an independent implementation."""
    proportion = pytest.importorskip("statsmodels.stats.proportion")
    expected = proportion.proportion_confint(correct, trials, alpha, method="wilson")
    low, high = wilson(correct / trials, trials, normal(1 - alpha / 2))
    assert (float(low), float(high)) == pytest.approx(expected, abs=1e-10)


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
