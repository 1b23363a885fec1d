"""Do the intervals hold the true value, and the tied set on irregular panels? Simulated.

    python tests/bench/coverage_intervals.py [--runs 4000]

Prints the share of runs in which the interval holds the truth and, after the slash, its mean width:
ours        heatproof.statistics.interval
all samples Wilson over problems × samples, as if they were independent
t           mean ± Student's t · se clustered by problem, cut at 0 and 1
bootstrap   percentiles over 400 resamples of problems
Then the tied set over tasks that settings suit differently, with problems missing and epochs
unequal.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "workflow" / "src")]

from heatproof.statistics import cell_estimates, interval, tied  # noqa: E402
from heatproof.statistics.estimates import (  # noqa: E402
    normal,
    student,
    wilson,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]

EASE = {
    "broad": (0.6, 0.7),
    "all or none": (0.2, 0.2),
    "easy": (4.0, 0.3),
    "hard": (0.2, 4.0),
    "same": (5000.0, 5000.0),
}
SIZES, SHAPES = [30, 30, 40, 198], [(0.6, 0.7), (0.3, 0.9), (3.0, 0.5), (0.8, 0.9)]
TASK = np.repeat(range(4), SIZES)
TRUTH = float(np.mean([a / (a + b) for a, b in SHAPES]))
ROW = "{:<14}{:>5}{:>4}  " + "{:>16}" * 4


def cell(low: Matrix, high: Matrix, truth: float) -> str:
    """Share of intervals that hold the truth / their mean width."""
    held = (low <= truth + 1e-12) & (truth <= high + 1e-12)
    return f"{np.mean(held):.3f} / {np.mean(high - low):.3f}"


def bootstrap(x: Matrix, rng: np.random.Generator) -> tuple[Matrix, Matrix]:
    """Percentile interval over resampled problems, each column a run."""
    weights = rng.multinomial(len(x), np.full(len(x), 1 / len(x)), 400) / len(x)
    low, high = np.quantile(weights @ x, [0.025, 0.975], axis=0)
    return low, high


def intervals(name: str, problems: int, samples: int, runs: int) -> str:
    """One row of the first table; the columns of one panel are the runs."""
    rng = np.random.default_rng([problems, samples])
    total = rng.binomial(samples, rng.beta(*EASE[name], (problems, runs)))
    count = np.full(total.shape, samples)
    one, truth = cell_estimates(total, count), EASE[name][0] / sum(EASE[name])
    half = student(0.975, problems - 1) * one.se
    limits = [
        interval(total, count),
        wilson(one.value, problems * samples, normal(0.975)),
        (np.clip(one.value - half, 0, 1), np.clip(one.value + half, 0, 1)),
        bootstrap(total / samples, rng),
    ]
    return ROW.format(name, problems, samples, *(cell(*both, truth) for both in limits))


def ease(rng: np.random.Generator, runs: int) -> Matrix:
    """Chances to solve the problems of four tasks, (problems, runs)."""
    return np.vstack(
        [rng.beta(*shape, (size, runs)) for size, shape in zip(SIZES, SHAPES, strict=True)]
    )


def over_tasks(samples: int, runs: int) -> str:
    """The same for the mean over four tasks."""
    rng = np.random.default_rng(samples)
    total = rng.binomial(samples, ease(rng, runs))
    count = np.full(total.shape, samples)
    one = cell_estimates(total, count, TASK)
    half = student(0.975, len(TASK) - 4) * one.se
    limits = [interval(total, count, TASK), (one.value - half, one.value + half)]
    ours, normal = (cell(*both, TRUTH) for both in limits)
    return ROW.format("mean of tasks", len(TASK), samples, ours, "", normal, "")


def irregular(runs: int, samples: int) -> str:
    """The tied set of equal cells, each better on some tasks and worse on others; with gaps."""
    rng, held = np.random.default_rng(samples), []
    for _ in range(runs):
        suits = np.clip(rng.normal(0, 0.1, (4, 20)), -0.12, 0.12)
        chance = 0.25 + 0.5 * ease(rng, 1)
        chance = chance + (suits - suits.mean(axis=0))[TASK]
        there = rng.random(chance.shape) > 0.1
        count = np.where(there, rng.integers(1, samples + 1, chance.shape), 0)
        total = rng.binomial(count, chance)
        held.append(tied(total, count, TASK, permutations=499).all())
    what = f"tied set, 4 tasks, 10 % missing, 1 to {samples} epochs"
    return f"{what}: {np.mean(held):.3f} ({runs} runs)"


def main() -> None:
    """Print the tables row by row."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=4000)
    runs = parser.parse_args().runs
    print(f"{runs} runs, error {np.sqrt(0.95 * 0.05 / runs):.3f}")
    print(ROW.format("problems", "n", "s", "ours", "all samples", "t", "bootstrap"))
    for name in EASE:
        for problems in (5, 10, 30, 40, 198):
            for samples in (1, 5):
                print(intervals(name, problems, samples, runs), flush=True)
    for samples in (1, 5):
        print(over_tasks(samples, runs), flush=True)
    for samples in (1, 5):
        print(irregular(runs // 4, samples), flush=True)


if __name__ == "__main__":
    main()
