"""chance_range: what equal settings would show."""

import numpy as np
import pytest

from heatproof.statistics import best_p_values, chance_range, resolution
from support.simulated import MISSING, SCENARIOS, ease, missing

FEW = {"permutations": 499}


def ones(scores):
    return np.ones(scores.shape, int)


def test_chance_range_is_that_of_equal_settings():
    """Twenty equal settings, 30 problems × 5: about 11 points, 15 in one panel of twenty."""
    rng = np.random.default_rng(0)
    panels = [SCENARIOS["all equal"](30, 5, rng)[0] for _ in range(100)]
    spreads = [np.ptp(scores.mean(axis=0)) for scores in panels]
    found = [chance_range(scores, ones(scores), **FEW) for scores in panels]
    assert np.mean([one.median for one in found]) == pytest.approx(np.median(spreads), abs=0.006)
    assert np.mean([one.high for one in found]) == pytest.approx(0.15, abs=0.01)


def test_equal_settings_are_rarely_beyond_chance():
    """The spread's p is below .05 in about one of twenty panels of equal settings."""
    rng = np.random.default_rng(2)
    panels = (SCENARIOS["all equal"](30, 5, rng)[0] for _ in range(200))
    assert np.mean([chance_range(x, ones(x), permutations=199).p <= 0.05 for x in panels]) < 0.09


def test_missing_problems_are_judged_by_their_difficulty():
    """Cells that miss the hard problems spread, but not beyond what their problems explain."""
    rng = np.random.default_rng(5)
    scores = rng.binomial(5, np.repeat([0.9, 0.1], 20)[:, None], (40, 4)) / 5
    count = ones(scores)
    count[20:, 0] = 0
    one = chance_range(np.where(count, scores, 0), count, **FEW)
    assert one.spread > 0.3
    assert one.p > 0.05


@pytest.mark.parametrize("name", MISSING)
def test_a_spread_and_its_range_are_on_one_scale(name):
    """Of equal cells with problems missing, few spread beyond the range, and none unsaid.

    Measured in 1,000 panels each: p ≤ .05 in .045 to .056, a spread on equal problems beyond the
    range beside p > .05 in .000 to .001; the spread of the values is beyond it in .28 to 1.00.
    """
    rng, beyond, said = np.random.default_rng(8), [], []
    for _ in range(100):
        chance = ease(30, rng)
        gone = missing(name, chance, rng)
        total = np.where(gone, 0, rng.binomial(5, chance, gone.shape))
        one = chance_range(total, np.where(gone, 0, 5), **FEW)
        beyond.append(one.equal > one.high)
        said.append(one.p <= 0.05)
    assert not np.any(np.array(beyond) & ~np.array(said))
    assert np.mean(said) <= 0.05 + 2.5 * np.sqrt(0.05 * 0.95 / 100)


@pytest.mark.parametrize("effect", [3.0, 8.0])
def test_what_equal_settings_would_show_does_not_grow_with_the_effect(effect):
    """Settings of the same difficulty spread as much by chance, however far others are apart."""
    highs = []
    for strength in (0, effect):
        rng = np.random.default_rng(4)
        at = rng.normal(0, 2, (60, 1)) + rng.normal(0, 0.5, (60, 20))
        p = 1 / (1 + np.exp(-at - strength * np.linspace(-0.5, 0.5, 20)))
        found = chance_range(rng.binomial(5, p), np.full((60, 20), 5), **FEW)
        highs.append((found.median, found.high))
    assert found.spread > 0.4
    assert found.p <= 0.01
    assert highs[1] == pytest.approx(highs[0], rel=0.15)


def one_behind(problems, samples, gap, rng):
    """Twenty cells, of which the first lies `gap` below all others where that is possible."""
    chance = np.clip(rng.beta(2, 2, (problems, 1)) + rng.normal(0, 0.08, (problems, 20)), 0, 1)
    chance[:, 0] = np.clip(chance[:, 0] - gap, 0, 1)
    return rng.binomial(samples, chance) / samples


@pytest.mark.parametrize(("problems", "samples"), [(30, 16), (100, 4), (198, 1)])
@pytest.mark.slow
def test_a_difference_of_the_resolution_is_mostly_told(problems, samples):
    """In four of five samples or more; half of it is mostly not."""
    rng = np.random.default_rng(4)
    panels = [one_behind(problems, samples, 0, rng) for _ in range(8)]
    now = np.mean([resolution(x, ones(x)).now for x in panels])
    for part, least, most in ((1.0, 0.8, 1.0), (0.5, 0.0, 0.6)):
        panels = [one_behind(problems, samples, part * now, rng) for _ in range(30)]
        told = [best_p_values(x, ones(x), permutations=499)[0] <= 0.05 for x in panels]
        assert least <= np.mean(told) <= most


def test_what_more_epochs_or_problems_would_tell():
    """As panels with more of them say; nothing of epochs from one of each problem."""
    rng = np.random.default_rng(5)
    found = {}
    for problems, samples in ((100, 4), (100, 400), (400, 4), (100, 1)):
        x = one_behind(problems, samples, 0, rng)
        found[problems, samples] = resolution(x * samples, ones(x) * samples)
    now = found[100, 4]
    assert now.epochs == pytest.approx(found[100, 400].now, rel=0.2)
    assert now.problems == pytest.approx(found[400, 4].now, rel=0.2)
    assert np.isnan(found[100, 1].epochs)


def test_where_nothing_is_known_of_the_resolution():
    """Cells with missing problems, means over tasks, one cell, two problems."""
    x = np.random.default_rng(6).random((20, 3))
    missing_one = ones(x)
    missing_one[0, 0] = 0
    task = np.arange(20) % 2
    several = [
        resolution(x, missing_one),
        resolution(x, ones(x), task),
        resolution(x[:, :1], ones(x[:, :1])),
        resolution(x[:2], ones(x[:2])),
    ]
    assert np.isnan(several).all()
