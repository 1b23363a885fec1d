"""paired, sign_test, holm: two models on the same instances."""

from __future__ import annotations

import numpy as np
import pytest

from heatproof.statistics import holm, paired, sign_test


def test_difference_over_common_instances():
    """Instances that one model lacks do not count."""
    one = paired([0.5, 1.0, np.nan, 0.2], [0.0, 1.0, 0.3, np.nan])
    assert (one.n, one.wins, one.ties, one.losses) == (2, 1, 1, 0)
    assert one.difference == 0.25


def test_interval_covers():
    """The interval holds the true difference in about 95 % of runs."""
    rng, held = np.random.default_rng(0), []
    for _ in range(800):
        base = rng.beta(0.6, 0.7, 40)
        x, y = (np.clip(base + rng.normal(0, 0.2, 40), -1, 2) + d for d in (0.1, 0))
        one = paired(x, y)
        held.append(one.low <= 0.1 <= one.high)
    assert 0.93 <= np.mean(held) <= 0.97


def test_no_instances_no_verdict():
    """Without common instances there is no difference, and p is 1."""
    one = paired([np.nan], [1.0])
    assert one.n == 0
    assert one.p == 1
    assert np.isnan([one.difference, one.low]).all()


def test_one_instance_has_no_interval():
    """One instance gives a difference and no limits."""
    one = paired([1.0], [0.5])
    assert one.difference == 0.5
    assert np.isnan([one.se, one.low, one.high]).all()


@pytest.mark.parametrize(
    ("wins", "losses", "p"),
    [(0, 0, 1), (5, 0, 0.0625), (6, 0, 0.03125), (8, 2, 0.109375), (4, 4, 1)],
)
def test_sign_test_by_hand(wins, losses, p):
    """Twice the binomial tail, at most one."""
    assert sign_test(wins, losses) == sign_test(losses, wins) == p


@pytest.mark.parametrize(("wins", "losses"), [(480, 520), (481, 521), (30_000, 29_500), (3000, 10)])
def test_sign_test_is_that_of_scipy(wins, losses):
    """Exact also for many instances, where sums of whole numbers give way to logarithms."""
    stats = pytest.importorskip("scipy.stats")
    expected = stats.binomtest(wins, wins + losses).pvalue
    assert sign_test(wins, losses) == pytest.approx(expected, rel=1e-9, abs=1e-300)


def test_holm_by_hand():
    """The smallest p is multiplied by their number, the next by one less, never falling."""
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.9, 0.8]) == [1.0, 1.0]


def test_holm_leaves_out_what_is_not_known():
    """A pair without p does not count among the tests."""
    assert holm([0.02, float("nan")])[0] == 0.02


def test_holm_is_that_of_statsmodels():
    """The correction agrees with an independent implementation."""
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    p = np.random.default_rng(1).random(6) ** 3
    assert holm(p.tolist()) == pytest.approx(multitest.multipletests(p, method="holm")[1].tolist())
