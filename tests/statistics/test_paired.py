"""ahead, sign_test, holm: two models on the same instances."""

from __future__ import annotations

import numpy as np
import pytest

from heatproof.statistics import ahead, holm
from heatproof.statistics.paired import sign_test


def test_interval_covers():
    """The interval holds the true difference in about 95 % of runs."""
    rng, held = np.random.default_rng(0), []
    for _ in range(800):
        base = rng.beta(0.6, 0.7, 40)
        x, y = (np.clip(base + rng.normal(0, 0.2, 40), -1, 2) + d for d in (0.1, 0))
        one = ahead(x - y)
        held.append(one.low <= 0.1 <= one.high)
    assert 0.93 <= np.mean(held) <= 0.97


@pytest.mark.parametrize(("wins", "losses"), [(480, 520), (481, 521), (30_000, 29_500), (3000, 10)])
def test_sign_test_is_that_of_scipy(wins, losses):
    """Exact also for many instances, where sums of whole numbers give way to logarithms."""
    stats = pytest.importorskip("scipy.stats")
    expected = stats.binomtest(wins, wins + losses).pvalue
    assert sign_test(wins, losses) == pytest.approx(expected, rel=1e-9, abs=1e-300)


def test_holm_is_that_of_statsmodels():
    """The correction agrees with an independent implementation."""
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    p = np.random.default_rng(1).random(6) ** 3
    assert holm(p.tolist()) == pytest.approx(multitest.multipletests(p, method="holm")[1].tolist())
