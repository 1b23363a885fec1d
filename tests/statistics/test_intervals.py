"""Estimates, intervals and pairs: libraries at known points, coverage in simulation, the edges."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heatproof.statistics import ahead, cell_estimates, interval, joint
from heatproof.statistics.estimates import student

HARD, EASY = (0.6, 0.7), (4, 0.3)


@pytest.mark.parametrize("samples", [1, 5])
@pytest.mark.parametrize(
    ("shapes", "sizes"),
    [([HARD], [10]), ([HARD], [30]), ([EASY], [10]), ([EASY], [30]),
     ([HARD, (0.3, 1.2), (4, 0.5)], [30, 30, 40])],
)  # fmt: skip
def test_intervals_cover(shapes, sizes, samples):
    """95 % of them hold the true mean, for few problems, near 1, and for means over unlike tasks."""
    rng = np.random.default_rng(1)
    chance = np.vstack([rng.beta(*s, (n, 800)) for s, n in zip(shapes, sizes, strict=True)])
    total = rng.binomial(samples, chance)
    task = np.repeat(np.arange(len(sizes)), sizes)
    low, high = interval(total, np.full(total.shape, samples), task)
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
    half = student(0.975, one.freedom[0]) * one.se[0]
    assert (one.value[0] - half, one.value[0] + half) == pytest.approx((low, high), abs=1e-3)


@pytest.mark.parametrize(
    ("group", "task"),
    [(np.repeat(np.arange(4), 25), None), (np.repeat(np.arange(12), 5), None),
     (None, np.repeat([0, 1], [4, 96])), (None, np.repeat([0, 1, 2], [3, 3, 300]))],
    ids=["4 families", "12 families", "tasks of 4 and 96", "tasks of 3, 3 and 300"],
)  # fmt: skip
@pytest.mark.slow
def test_intervals_of_measures_hold_as_often_as_they_say(group, task):
    """Few families, and a small task beside a large one, do not make them too short."""
    rng, runs = np.random.default_rng(17), 400
    n = len(group) if group is not None else len(task)
    shared = rng.normal(size=(runs, n))[:, group].T if group is not None else 0
    total = shared + rng.normal(size=(n, runs))
    one = cell_estimates(total, np.ones(total.shape, int), task, group=group)
    half = [student(0.975, freedom) for freedom in one.freedom] * one.se
    assert np.mean(np.abs(one.value) <= half) >= 0.95 - 0.03


def test_interval_of_pairs_covers():
    """The interval holds the true difference in about 95 % of runs."""
    rng, held = np.random.default_rng(0), []
    for _ in range(800):
        base = rng.beta(0.6, 0.7, 40)
        x, y = (np.clip(base + rng.normal(0, 0.2, 40), -1, 2) + d for d in (0.1, 0))
        ((low, high),) = joint([ahead(x - y)], 2)
        held.append(low <= 0.1 <= high)
    assert 0.93 <= np.mean(held) <= 0.98


def test_se_is_the_cluster_robust_one_of_statsmodels():
    """Clustered by problem, it is the sandwich estimator for an intercept alone."""
    model = pytest.importorskip("statsmodels.regression.linear_model")
    rng = np.random.default_rng(3)
    samples = rng.binomial(1, rng.beta(1, 1, 30)[:, None], (30, 5))
    fit = model.OLS(samples.ravel(), np.ones((150, 1))).fit(
        cov_type="cluster", cov_kwds={"groups": np.repeat(np.arange(30), 5)}
    )
    one = cell_estimates(samples.sum(axis=1, keepdims=True), np.full((30, 1), 5))
    assert one.se[0] == pytest.approx(float(fit.bse[0]), rel=1e-10)


def test_mean_over_tasks_is_rounded_once():
    """The mean of four tasks is the float nearest to what the exact counts give."""
    counts = ((65, 150), (43, 150), (174, 200), (429, 990))
    total, count = (np.array(column)[:, None] for column in zip(*counts, strict=True))
    exact = sum(Fraction(c, n) for c, n in counts) / 4
    assert cell_estimates(total, count, [0, 1, 2, 3]).value[0] == float(exact)


@settings(derandomize=True, max_examples=30)
@given(st.randoms(use_true_random=False), st.integers(0, 99))
def test_order_of_rows_changes_no_bit(random, seed):
    """Estimates are sums of problems: their order does not show, not even in the last bit."""
    rng = np.random.default_rng(seed)
    total, count = rng.random((20, 3)), rng.integers(0, 4, (20, 3))
    rows = list(range(20))
    random.shuffle(rows)
    task = rng.integers(0, 2, 20)
    straight, mixed = (cell_estimates(total[r], count[r], task[r]) for r in (range(20), rows))
    assert straight.value.tobytes() == mixed.value.tobytes()
    assert straight.se.tobytes() == mixed.se.tobytes()
