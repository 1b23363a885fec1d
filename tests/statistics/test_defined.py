"""Each statistic is what its definition gives, written once more in fractions and loops."""

from fractions import Fraction
from math import comb, isnan

import numpy as np
import pytest

from heatproof.statistics import (
    ahead,
    best_p_values,
    cell_estimates,
    chance_range,
    count_estimates,
    interval,
    joint,
    leads_on_equal,
    pass_scores,
)
from heatproof.statistics.contrasts import pattern_numbers, scores, signs
from heatproof.statistics.estimates import (
    EXACT_UP_TO,
    column_sums,
    estimates,
    incomplete_beta,
    normal,
    student,
    wilson,
)
from heatproof.statistics.lead import straightened, stretched
from heatproof.statistics.repeats import is_known, reduced
from heatproof.statistics.tied import steps
from support import defined

TASKS = np.array([0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 2, 2])
FAMILIES = np.array([3, 3, 0, 1, 1, 4, 5, 5, 2, 2, 6, 0])
PANELS = {
    "plain": {},
    "tasks": {"task": TASKS},
    "families": {"group": FAMILIES},
    "families over tasks": {"task": TASKS, "group": FAMILIES},
}
KINDS = {"complete": (0.0, True), "missing": (0.3, True), "uneven": (0.2, False)}


def drawn(seed, missing=0.3, even=True, problems=12, cells=6):
    """Cells of unlike strength; the last holds one problem, that before it none."""
    rng = np.random.default_rng(seed)
    count = np.full((problems, cells), 4) if even else rng.integers(1, 7, (problems, cells))
    if missing:
        count[rng.random(count.shape) < missing] = 0
        count[:, -2:] = 0
        count[3, -1] = 2
    chance = rng.beta(0.8, 0.6, problems)[:, None] * np.linspace(1, 0.3, cells)
    return rng.binomial(count, chance), count


@pytest.fixture(params=[(k, p) for k in KINDS for p in PANELS], ids=" ".join)
def panel(request):
    """Matrices, and the labels of their problems."""
    kind, labels = request.param
    total, count = drawn(len(kind) + len(labels), *KINDS[kind])
    return total, count, PANELS[labels]


def close(found, expected, rel=1e-9):
    np.testing.assert_allclose(np.array(found, float), np.array(expected, float), rel, 1e-12)


def test_estimates(panel):
    """Value, error, degrees of freedom, problems and epochs of each cell."""
    total, count, labels = panel
    points, one = defined.held(total, count), cell_estimates(total, count, **labels)
    cells = [defined.column(points, at, count, **labels) for at in range(6)]
    np.testing.assert_array_equal(one.value, [cell.value for cell in cells])
    close(list(zip(*(getattr(one, name) for name in defined.Cell._fields), strict=True)), cells)


@pytest.mark.parametrize("k", [1, 2, 4])
def test_estimates_of_pass(panel, k):
    """The same of pass@k; a problem with exactly k samples counts, one with fewer does not."""
    total, count, labels = panel
    points, passes = defined.passed(total, count, k), pass_scores(count, total, k, every=False)
    one = estimates(passes, count, labels.get("task"), labels.get("group"))
    cells = [defined.column(points, at, count, **labels) for at in range(6)]
    close(list(zip(*(getattr(one, name) for name in defined.Cell._fields), strict=True)), cells)
    each = [[np.nan if point is None else float(point) for point in row] for row in points]
    np.testing.assert_array_equal(passes.mean, each)


def test_intervals(panel):
    """Wilson's with Student's t and as many trials as know as much, tasks by square-and-add."""
    total, count, labels = panel
    points, found = defined.held(total, count), interval(total, count, **labels)
    expected = [defined.interval(points, at, count, **labels) for at in range(6)]
    close(np.transpose(found), expected)


@pytest.mark.parametrize("labels", [{}, {"task": [0, 0, 0, 1, 1, 1]}], ids=["one", "two"])
def test_intervals_at_the_edges(labels):
    """All right, all wrong, one problem, one sample each: limits stay in 0…1 and hold the value."""
    total = [[5, 0, 1, 1], [5, 0, 0, 0], [5, 0, 1, 0], [5, 0, 1, 2], [5, 0, 1, 0], [5, 0, 0, 0]]
    count = [[5, 5, 1, 1], [5, 5, 1, 0], [5, 5, 1, 0], [5, 5, 1, 2], [5, 5, 1, 0], [5, 5, 1, 0]]
    points, found = defined.held(total, count), interval(total, count, **labels)
    expected = [defined.interval(points, at, count, **labels) for at in range(4)]
    close(np.transpose(found), expected)
    assert found.high[0] == 1
    assert found.low[1] == 0


def test_intervals_of_one_graded_sample_each():
    """Half right is no coin: such samples know more than as many of right or wrong."""
    total = np.array([[0.5, 1], [0.25, 0], [0.75, 1], [1, 1], [0.5, 0], [0.5, 1]])
    count = np.ones(total.shape, int)
    expected = [defined.interval(defined.held(total, count), at, count) for at in range(2)]
    close(np.transpose(interval(total, count)), expected)


@pytest.mark.parametrize(("p", "n"), [(0, 7), (0.3, 1), (0.3, 12.5), (1, 150), (0.99, 4)])
@pytest.mark.parametrize("alpha", [0.05, 0.3])
def test_wilson(p, n, alpha):
    """Its limits are the roots of their equation, to the last bit within 0…1."""
    z = defined.NormalDist().inv_cdf(1 - alpha / 2)
    close([float(limit) for limit in wilson(p, n, z)], defined.wilson(p, n, z))


def test_estimates_of_counts():
    """Each sample a trial: mean and error of the tasks' shares, Wilson's intervals of them."""
    right, tried = np.array([[3, 8, 0], [50, 20, 4]]), np.array([[10, 8, 2], [80, 80, 0]])
    one, found = count_estimates(right, tried)
    z = defined.NormalDist().inv_cdf(0.975)
    for at in range(2):
        shares = [right[n, at] / tried[n, at] for n in range(2)]
        error = sum(p * (1 - p) / n for p, n in zip(shares, tried[:, at], strict=True)) ** 0.5 / 2
        close([one.value[at], one.se[at]], [sum(shares) / 2, error])
        limits = [defined.wilson(p, n, z) for p, n in zip(shares, tried[:, at], strict=True)]
        low, high = (
            sum((p - pair[side]) ** 2 for p, pair in zip(shares, limits, strict=True)) ** 0.5 / 2
            for side in (0, 1)
        )
        close([found.low[at], found.high[at]], [one.value[at] - low, one.value[at] + high])
    assert np.isnan([one.value[2], one.se[2], found.low[2], found.high[2]]).all()
    assert one.epochs.tolist() == [90, 88, 2]
    assert one.problems.tolist() == one.freedom.tolist() == [0, 0, 0]
    assert [one.epochs.dtype, one.freedom.dtype] == [np.int64, np.float64]


@pytest.mark.parametrize("p", [0.6, 0.9, 0.975, 0.9995])
@pytest.mark.parametrize("freedom", [1, 2, 2.5, 4, 29, 300, 1e5])
def test_student(p, freedom):
    """A quantile is where the integral of the density reaches its probability."""
    assert student(p, freedom) == pytest.approx(defined.student(p, freedom), rel=2e-8)


def test_quantiles_by_hand():
    """The middle is zero, of no freedom all is possible, and twelve digits are kept."""
    assert student(0.5, 3) == 0
    assert student(0.975, 0) == np.inf
    assert student(0.975, 1) == 12.7062047362
    assert normal(0.8) == 0.841621233573
    assert [incomplete_beta(x, 2, 3) for x in (0, 1, -1, 2)] == [0, 1, 0, 1]
    # I_x(2, 3) = 6x² − 8x³ + 3x⁴
    for x in (0.1, 0.5, 0.9):
        assert incomplete_beta(x, 2, 3) == pytest.approx(6 * x**2 - 8 * x**3 + 3 * x**4, rel=1e-13)


def test_p_values_of_the_best(panel):
    """Cells leave by the clearest pair, judged by all flips; NaN for a cell without a value."""
    total, count, labels = panel
    found = best_p_values(total, count, **labels)
    np.testing.assert_allclose(found, defined.p_values(defined.held(total, count), **labels))


@pytest.mark.parametrize("more", [{"tests": 3}, {"grown": 0.4}, {"tests": 2, "grown": 1.0}])
def test_p_values_of_several_tests_and_looks(more):
    """Multiplied by the tests, by two of many looks; of these scores shrink with the part."""
    total, count = drawn(3)
    found = best_p_values(total, count, **more)
    np.testing.assert_allclose(found, defined.p_values(defined.held(total, count), **more))


def test_p_values_of_six_problems():
    """All of them on one side: one pattern of 32. Nine tenths of each are no lead for five."""
    total = np.tile([5, 0], (6, 1))
    count = np.full(total.shape, 5)
    assert best_p_values(total, count).tolist() == [1, 1 / 32]
    assert best_p_values(np.tile([5, 3], (6, 1)), count).tolist() == [1, 1]


@pytest.mark.parametrize("seed", range(30))
def test_cells_leave_by_the_clearest_of_those_still_in(seed):
    """Also where those who beat a cell have left before it, and where some are beaten alike."""
    rng = np.random.default_rng(seed)
    scores = rng.integers(-4, 5, (9, 9)) / 4 + rng.random((9, 9)) * (seed % 2)
    scores -= scores.T
    left, expected = [*range(9)], []
    while len(left) > 1:
        beaten = {c: max(scores[j, c] for j in left if j != c) for c in left}
        worst = max(beaten.values())
        gone = [c for c in left if beaten[c] >= worst - abs(worst) * 1e-5]
        expected.append((gone, worst))
        left = [c for c in left if c not in gone]
    expected += [(left, -np.inf)] if left else []
    assert steps(scores) == expected


@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_p_values_of_many_cells(missing):
    """More cells than are compared at a time, some of them equal."""
    total, count = drawn(5, missing, problems=9, cells=40)
    total, count = (np.hstack([m, m[:, :3]]) for m in (total, count))
    found = best_p_values(total, count)
    np.testing.assert_allclose(found, defined.p_values(defined.held(total, count)))


def test_chance(panel):
    """Spread on equal problems, and what all flips make of it."""
    total, count, labels = panel
    points = defined.held(total, count)
    cells, added = defined.steps(points, **labels)
    flat = np.full(6, np.nan)
    flat[cells] = added.sum(axis=1)
    task = {"task": labels["task"]} if "task" in labels else {}
    found = leads_on_equal(total, count, **task)
    np.testing.assert_array_equal(np.isnan(found), np.isnan(flat))
    np.testing.assert_allclose(found[cells], flat[cells], atol=1e-7)
    one = chance_range(total, count, **labels)
    spread, median, high, p = defined.chance(points, **labels)
    value = [defined.column(points, at, count, **labels).value for at in cells]
    assert one.spread == pytest.approx(np.ptp(value), abs=1e-12)
    np.testing.assert_allclose(one[1:], [spread, median, high, p], atol=1e-7)


def test_two_problems_have_a_range_and_one_has_none():
    """The spread of the values is told all the same; of no cell, nothing is."""
    two = chance_range([[1, 0], [1, 1]], [[1, 1], [1, 1]])
    assert two == (0.5, 0.5, 0.5, 0.5, 1)
    np.testing.assert_array_equal(chance_range([[4, 0]], [[4, 4]]), [1, *[np.nan] * 4])
    np.testing.assert_array_equal(chance_range([[0], [0]], [[0], [0]]), [np.nan] * 5)


def test_random_flips_are_the_same_everywhere():
    """Signs are raw bits of PCG64, highest first in each byte; the first pattern is the data."""
    found = pattern_numbers(signs(70, 5), 70)
    words = [int(word).to_bytes(8, "little") for word in np.random.PCG64(0).random_raw(10)]
    for at in range(1, 5):
        bits = "".join(f"{byte:08b}" for word in words[2 * at : 2 * at + 2] for byte in word)
        assert found[at].tolist() == [1 - 2 * int(bit) for bit in bits[:70]]
    assert found[0].tolist() == [1] * 70
    assert found.shape == (5, 70)


def test_all_flips_where_they_are_no_more_than_asked_for():
    """14 units have 8,192 patterns: all of them, or one fewer drawn at random."""
    every = pattern_numbers(signs(14, 8192), 14)
    assert len(np.unique(every, axis=0)) == 8192
    assert (every[:, -1] == 1).all()
    assert len(np.unique(pattern_numbers(signs(14, 8191), 14), axis=0)) < 8191
    assert pattern_numbers(signs(1, 10), 1).tolist() == [[1]]


def test_p_values_of_random_flips_are_the_same_everywhere():
    """The order in which units take their signs is the panel's own, and the seed is zero."""
    total, count = np.random.default_rng(1).integers(0, 5, (50, 6)), np.full((50, 6), 4)
    count[:6, 2] = count[9:20, 4] = 0
    task, group = np.arange(50) % 3, np.arange(50) // 2
    level = np.array([1, 0, 1, 1, 0, 2])
    lead = np.where(count > 0, total + level, 0)
    found = best_p_values(lead, count * 2, task, 999, group=group)
    np.testing.assert_allclose(found * 999, [2, 1, 4, 1, 4, 999])
    one = chance_range(total, count, task, permutations=999, group=group)
    expected = [0.08624523423082776, 0.11435759026541288, 0.1911945387802652, 757 / 999]
    np.testing.assert_allclose(one[1:], expected, rtol=1e-12)


def grouped(x, y, group):
    """Mean of the differences, their clustered error, how many groups, and how skewed these are."""
    points = [
        [None if isnan(a - b) else Fraction(a) - Fraction(b)] for a, b in zip(x, y, strict=True)
    ]
    one = defined.column(points, 0, [[1]] * len(points), None, group)
    pulls = {}
    for (d,), g in zip(points, group, strict=True):
        if d is not None:
            pulls[g] = pulls.get(g, 0) + float(d) - one.value
    return one, len(pulls), abs(defined.skewness(np.array([*pulls.values()])))


@pytest.mark.parametrize(
    "families", [None, FAMILIES, np.zeros(12, int)], ids=["none", "some", "one"]
)
@pytest.mark.parametrize("models", [2, 20])
def test_pairs(families, models):
    """Mean, clustered error, and an interval as wide as skewness and the least lead ask for."""
    rng = np.random.default_rng(4)
    x, y = rng.integers(0, 5, (2, 12)) / 4
    x[2], y[7] = np.nan, np.nan
    group = range(12) if families is None else families.tolist()
    mean, units, skewed = grouped(x.tolist(), y.tolist(), group)
    there = ~np.isnan(x - y)
    d = (x - y)[there]
    one = ahead(d, None if families is None else families[there])
    assert one[:4] == (10, (d > 0).sum(), (d == 0).sum(), (d < 0).sum())
    assert (one.difference, one.units) == (mean.value, units)
    close([one.se], [mean.se])
    assert one.skewed == pytest.approx(skewed, abs=1e-12)
    several = [one, None, *[one._replace(skewed=0.0)] * 2]
    for pair, (low, high) in zip(several, joint(several, models), strict=True):
        if pair is None or units < 2:
            assert np.isnan([low, high]).all()
            continue
        error = defined.bent(defined.student(1 - 0.025 / 3, units - 1), pair.skewed) * mean.se
        half = max(error, defined.least(models) / units)
        close([low, high], [max(mean.value - half, -1), min(mean.value + half, 1)], 1e-7)


def test_skewness_is_removed_by_a_cubic_and_put_back():
    """A score that is stretched and straightened is itself; nothing is removed without skewness."""
    scores, skewed = np.array([1.5, 3.2, 12.0]), np.array([[0.0], [0.1], [0.5], [1.4]])
    far = stretched(scores, skewed)
    np.testing.assert_allclose(straightened(far, skewed), np.tile(scores, (4, 1)), rtol=1e-9)
    assert far[0].tolist() == scores.tolist()
    assert (far[1:, :2] > far[0, :2]).all()
    expected = [[defined.straight(one, g) for one in scores] for (g,) in skewed.tolist()]
    np.testing.assert_allclose(straightened(scores, skewed), expected, atol=1e-12)


def test_pairs_of_many_instances():
    """Sums are rounded once, however many are added."""
    x = np.tile([0.1, 0.7, 0.2], 30_000)
    one, d = ahead(x), [Fraction(v) for v in (0.1, 0.7, 0.2)]
    assert one.difference == float(sum(d) / 3)
    assert one.se == pytest.approx((x.var() / 89_999) ** 0.5)


REPEATS = np.array([1, 0, 0.5, 1, 1, 0, 0, 0.5, 2, 1, 1])
FIRST = np.array([0, 4, 6, 10])


@pytest.mark.parametrize(
    ("over", "expected"),
    [
        ("all", REPEATS.tolist()),
        ("first", [1, 1, 0, 1]),
        ("max", [1, 1, 2, 1]),
        ("mean", [0.625, 0.5, 0.875, 1]),
        ("median", [0.75, 0.5, 0.75, 1]),
        ("mode", [1, 1, 0, 1]),
        ("at_least_1", [1, 1, 1, 1]),
        ("at_least_2", [1, 0, 1, 0]),
        ("pass_at_1", [0.5, 0.5, 0.5, 1]),
        ("pass_at_2", [5 / 6, 1, 5 / 6, np.nan]),
        ("pass_at_4", [1, np.nan, 1, np.nan]),
        ("pass_k_1", [0.5, 0.5, 0.5, 1]),
        ("pass_k_2", [1 / 6, 0, 1 / 6, np.nan]),
    ],
)
def test_reductions_by_hand(over, expected):
    """What harnesses make of the repeats of a problem; right is a score of one or more."""
    assert is_known(over)
    assert reduced(REPEATS, FIRST, over).tolist() == pytest.approx(expected, nan_ok=True)


def test_reductions_of_other_names_are_not_known():
    """What is not computed here is not compared."""
    others = ["ALL", "average", "pass_at_0", "pass_at_", "at_least_02", "xmean", ""]
    assert not any(map(is_known, others))


def test_scores_over_one_scale():
    """The least common multiple of the counts, or one where it would be too large."""
    one = scores([[1, 2], [3, 0]], [[2, 4], [6, 0]])
    assert one.scale == 12
    np.testing.assert_array_equal(one.numerator, [[6, 6], [6, np.nan]])
    assert one.present.tolist() == [[True, True], [True, False]]
    large = 2**16
    count = np.array([[large, large * 2**15], [1, 0]])
    assert scores(count, count).scale == 2**31
    odd = np.array([[large + 1, large * 2**15], [1, 0]])
    found = scores(odd // 2, odd)
    assert found.scale == 1
    np.testing.assert_allclose(found.numerator, [[(large / 2) / (large + 1), 0.5], [0, np.nan]])
    assert scores(np.zeros((0, 2)), np.zeros((0, 2), int)).scale == 1
    assert scores([[1.5]], [[2.0]]).numerator.tolist() == [[1.5]]


def test_pass_of_large_draws():
    """Where C(n, k) is beyond the whole numbers of a float, each problem is divided alone."""
    n, c = np.array([[64.0, 64.0]]), np.array([[0.0, 3.0]])
    assert pass_scores(n, c, 32, every=False).mean.tolist() == [
        [0, 1 - comb(61, 32) / comb(64, 32)]
    ]


def test_sums_of_what_is_too_large_to_cut():
    """Numbers near the end of the range, and none at all, are added one by one."""
    large = np.array([[EXACT_UP_TO, 1.0], [-EXACT_UP_TO, 2.0], [1.0, 3.0]])
    assert column_sums(large).tolist() == [1, 6]
    assert column_sums(np.array([[np.inf, 1.0], [1.0, 2.0]])).tolist() == [np.inf, 3]
    assert column_sums(np.zeros((0, 2))).tolist() == [0, 0]
