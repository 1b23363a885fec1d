"""Curves and their crossings against plain searches, resampling, and a known truth."""

from math import exp, log, log2

import numpy as np
import pytest

from heatproof.statistics.fits import Form, fit_curve

X = np.array([1.0, 2, 4, 8, 16, 32])


def spread(values: dict[float, list[float]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Values of problems that each have one x, as matrices, and a group for each."""
    listed = [(place, value) for place, x in enumerate(values) for value in values[x]]
    value, weight = np.zeros((2, len(listed), len(values)))
    for number, (place, one) in enumerate(listed):
        value[number, place] = one
        weight[number, place] = 1
    return value, weight, np.arange(len(listed))


def draw(
    rng: np.random.Generator, slope: float = -1.0, count: int = 12
) -> dict[float, list[float]]:
    """Problems that are right with a chance that falls along a logistic curve."""
    chances = [1 / (1 + exp(-(2.5 + slope * log2(x)))) for x in X]
    return {
        x: rng.binomial(1, chance, count).astype(float).tolist()
        for x, chance in zip(X.tolist(), chances, strict=True)
    }


def searched(values: dict[float, list[float]]) -> tuple[float, float]:
    """Start and slope of highest likelihood, by looking around the best so far."""

    def likelihood(start: float, slope: float) -> float:
        total = 0.0
        for x, scores in values.items():
            chance = 1 / (1 + exp(-(start + slope * log2(x))))
            total += sum(s * log(chance) + (1 - s) * log(1 - chance) for s in scores)
        return total

    best, step = (0.0, 0.0), 1.0
    while step > 1e-9:
        near = [(best[0] + i * step, best[1] + j * step) for i in (-1, 0, 1) for j in (-1, 0, 1)]
        found = max(near, key=lambda place: likelihood(*place))
        best, step = found, step if found != best else step / 2
    return best


def test_a_logistic_curve_has_the_highest_likelihood() -> None:
    """As found by a search that knows no derivative; the crossing follows."""
    values = draw(np.random.default_rng(1))
    curve = fit_curve(X, *spread(values), "logistic")
    start, slope = searched(values)
    assert curve.slope == pytest.approx(slope, abs=1e-6)
    assert curve.start - curve.slope * curve.centre == pytest.approx(start, abs=1e-6)
    at, low, high = curve.crossing(0.5)
    assert at == pytest.approx(2 ** (-start / slope), rel=1e-6)
    assert low < at < high


def test_a_straight_line_is_that_of_least_squares() -> None:
    values = draw(np.random.default_rng(2))
    curve = fit_curve(X, *spread(values), "log-linear")
    pairs = [(log2(x), value) for x, scores in values.items() for value in scores]
    slope, start = np.polyfit(*zip(*pairs, strict=True), 1)
    assert curve.slope == pytest.approx(slope)
    assert curve.crossing(0.4)[0] == pytest.approx(2 ** ((0.4 - start) / slope))


@pytest.mark.parametrize("form", ["logistic", "log-linear"])
def test_intervals_are_about_those_of_resampling(form: Form) -> None:
    """Over problems, as a bootstrap draws them, on the scale of log2 x."""
    rng = np.random.default_rng(3)
    value, weight, group = spread(draw(rng, count=40))
    _, low, high = fit_curve(X, value, weight, group, form).crossing(0.5)
    found = []
    for _ in range(400):
        rows = rng.integers(0, len(value), len(value))
        curve = fit_curve(X, value[rows], weight[rows], np.arange(len(rows)), form)
        found.append(curve.crossing(0.5)[0])
    ends = np.quantile(np.log2(found), [0.025, 0.975])
    width = log2(high) - log2(low)
    assert np.allclose([log2(low), log2(high)], ends, atol=0.15 * width)


@pytest.mark.parametrize("count", [5, 30])
def test_intervals_hold_the_truth_as_often_as_they_say(count: int) -> None:
    """95 % of samples of problems that have one x each; simulation error is 1.3 points."""
    rng, held, tried = np.random.default_rng(4), 0, 0
    for _ in range(300):
        values = draw(rng, count=count)
        if sum(0 < sum(scores) < count for scores in values.values()) < 2:
            continue  # no curve is steep enough
        curve = fit_curve(X, *spread(values), "logistic")
        if curve.rises is None:
            continue
        tried += 1
        _, low, high = curve.crossing(0.5)
        held += low <= 2**2.5 <= high
    assert tried > 200
    assert 0.92 <= held / tried <= 0.99


def test_problems_at_all_x_are_counted_as_few() -> None:
    """The same answers of ten problems at each x tell less than those of sixty problems."""
    rng = np.random.default_rng(5)
    level = rng.normal(0, 2, 60)[:, None]
    value = (level + 2.5 - np.log2(X)[None] > rng.logistic(size=(60, 6))).astype(float)
    weight = np.ones_like(value)
    own = fit_curve(X, value, weight, np.arange(60), "logistic").crossing(0.5)
    grouped = fit_curve(X, value, weight, np.arange(60) // 6, "logistic").crossing(0.5)
    assert own[0] == grouped[0]
    assert own[1:] != grouped[1:]


def test_steep_curves_are_found() -> None:
    """Newton's steps are shortened where they would overshoot; what is left over adds up to 0."""
    values = {x: [1.0] * 199 + [0.0] for x in X.tolist()[:5]} | {32.0: [0.0] * 199 + [1.0]}
    curve = fit_curve(X, *spread(values), "logistic")
    rests = []
    for (x, scores), fitted in zip(values.items(), curve.values(X), strict=True):
        rests += [(score - fitted, (score - fitted) * log2(x)) for score in scores]
    assert np.allclose(np.sum(rests, axis=0), 0, atol=1e-9)
    assert 16 < curve.crossing(0.5)[0] < 32
