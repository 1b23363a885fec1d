"""tied: the cells that may be the best."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heatproof.statistics import best_p_values, tied
from heatproof.statistics.contrasts import affordable
from support.simulated import FAMILY, HELD, SCENARIOS

FEW = {"permutations": 199}


def drawn(seed, problems=20, cells=4, missing=0.0):
    rng = np.random.default_rng(seed)
    count = np.where(rng.random((problems, cells)) < missing, 0, rng.integers(1, 4))
    chance = rng.beta(0.6, 0.7, problems)[:, None] * np.linspace(1, rng.random(), cells)
    return rng.binomial(count, chance), count


def test_cells_without_common_problems_stay_tied():
    """Different problems, no comparison: a perfect cell does not beat one it never met."""
    total = np.vstack([np.tile([5, 0], (20, 1)), np.tile([0, 1], (20, 1))])
    count = np.vstack([np.tile([5, 0], (20, 1)), np.tile([0, 5], (20, 1))])
    assert tied(total, count).all()


def test_pairs_are_compared_on_common_problems():
    """Hard problems missing from one cell do not make it the best."""
    rng = np.random.default_rng(2)
    total = rng.binomial(5, np.repeat([0.9, 0.1], 20)[:, None], (40, 2))
    count = np.full(total.shape, 5)
    total[20:, 0] = count[20:, 0] = 0
    assert tied(total, count).all()


def test_complete_and_broken_panels_agree():
    """A problem that all cells lack changes nothing, though it takes the slower way."""
    total, count = drawn(3, 12)
    more = [np.vstack([matrix, np.zeros((1, 4), int)]) for matrix in (total, count)]
    np.testing.assert_array_equal(best_p_values(*more), best_p_values(total, count))


@settings(derandomize=True, max_examples=25)
@given(st.randoms(use_true_random=False), st.integers(0, 999), st.sampled_from([0.0, 0.2]))
def test_order_of_rows_and_cells_does_not_matter(random, seed, missing):
    """Problems and cells may come in any order: each cell keeps its p to the last bit."""
    total, count = drawn(seed, missing=missing)
    rows, cells = list(range(len(total))), list(range(total.shape[1]))
    random.shuffle(rows)
    random.shuffle(cells)
    task = np.arange(len(total)) % 3
    straight = best_p_values(total, count, task, **FEW)
    moved = best_p_values(total[rows][:, cells], count[rows][:, cells], task[rows], **FEW)
    np.testing.assert_array_equal(moved, straight[cells])


@settings(derandomize=True, max_examples=25)
@given(st.integers(0, 999), st.floats(0.01, 0.5), st.floats(0.01, 0.5))
def test_set_grows_as_alpha_falls(seed, one, other):
    """More confidence, more cells: a set at a smaller alpha holds that at a larger one."""
    total, count = drawn(seed, 30, 6)
    small, large = (tied(total, count, alpha=a, **FEW) for a in sorted((one, other)))
    assert np.all(small | ~large)


@settings(derandomize=True, max_examples=25)
@given(st.integers(0, 999))
def test_the_highest_cell_is_tied(seed):
    """Where nothing is missing, the cell with the highest mean is always in the set."""
    total, count = drawn(seed, 30, 6)
    value = (total / count).mean(axis=0)
    assert tied(total, count, alpha=0.4, **FEW)[value.argmax()]


def test_duplicated_tasks_change_nothing():
    """A task that is there twice, its problems named as the same, adds no evidence."""
    total, count = drawn(11, 30, 6)
    task = np.repeat([0, 1], 15)
    twice = best_p_values(
        np.tile(total, (2, 1)),
        np.tile(count, (2, 1)),
        np.concatenate([task, task + 2]),
        group=np.tile(np.arange(30), 2),
        **FEW,
    )
    np.testing.assert_array_equal(twice, best_p_values(total, count, task, **FEW))


def test_large_panels_get_fewer_flips():
    """All 10,000 flips up to 632 cells and 20,000 problems; 35 × 35 cells get 2,667."""
    assert affordable(10_000, 632, 20_000) == 10_000
    assert affordable(10_000, 35 * 35, 40) == 2_667
    assert affordable(10_000, 20, 100_000) == 2_000
    assert affordable(10_000, 10_000, 40) == 1_000


def test_same_bytes_whatever_the_threads():
    """One thread or two of the linear algebra: the p values are the same bytes."""
    script = (
        "import sys, numpy as np; from heatproof.statistics import best_p_values as p;"
        "x = np.random.default_rng(0).random((150, 12));"
        "sys.stdout.buffer.write(p(x, np.ones(x.shape, int), permutations=999).tobytes())"
    )
    outputs = [
        subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "OPENBLAS_NUM_THREADS": n, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            check=True,
        ).stdout
        for n in ("1", "2")
    ]
    assert outputs[0] == outputs[1] != b""


@pytest.mark.parametrize(
    ("name", "samples"), [*((name, 5) for name in HELD), ("all equal", 1), ("unequal variances", 1)]
)
def test_set_holds_every_true_best(name, samples):
    """In 95 % of runs the set holds all best cells (simulation error, two and a half: 4 %)."""
    rng, held = np.random.default_rng(0), []
    for _ in range(200):
        scores, best = SCENARIOS[name](30, samples, rng)
        family = np.arange(30) // FAMILY if name == "correlated problems" else None
        mask = tied(scores, np.ones(scores.shape, int), group=family, **FEW)
        held.append(mask[best].all())
    assert np.mean(held) >= 0.95 - 0.04


def test_set_separates_a_gradient():
    """With 198 problems and 5 samples most of a gradient of 20 cells is out of the set."""
    rng = np.random.default_rng(0)
    sizes = [
        tied(SCENARIOS["gradient"](198, 5, rng)[0], np.ones((198, 20), int), **FEW).sum()
        for _ in range(50)
    ]
    assert np.mean(sizes) < 6


def test_set_is_much_like_the_model_confidence_set():
    """On 400 problems the set is that of arch's MCS but for a cell in ten at the margin."""
    bootstrap = pytest.importorskip("arch.bootstrap")
    rng, differ = np.random.default_rng(1), []
    for _ in range(10):
        scores = SCENARIOS["gradient"](400, 5, rng)[0]
        mcs = bootstrap.MCS(1 - scores, size=0.05, reps=499, block_size=1, seed=0)
        mcs.compute()
        theirs = np.zeros(20, dtype=bool)
        for cell, p in zip(mcs.pvalues.index, np.ravel(mcs.pvalues.Pvalue), strict=True):
            theirs[np.ravel(cell).astype(int)] = p > 0.05
        differ.append((theirs != tied(scores, np.ones(scores.shape, int), permutations=499)).sum())
    assert np.mean(differ) <= 2
