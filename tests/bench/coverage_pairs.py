"""How often no pair of equal models is told apart on a board (`kinds.pairwise.aggregate`).

    python tests/bench/coverage_pairs.py [RUNS]

Eight models of equal means. Told for each scenario: the share of boards on which no pair is told
apart (target .95), with the rule that a pair has no verdict where a few problems make its
difference and without it, and the share of pairs that this rule silences.
"""

from __future__ import annotations

import sys
from itertools import combinations, product
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))

import simulated
from heatproof import statistics

SCENARIOS = (
    "all equal", "all equal, easy", "rare break", "twelve templates",
    "always or sometimes, mean .93", "always or sometimes, mean .46",
    "always or sometimes, mean .09",
)  # fmt: skip
MODELS = np.linspace(0, simulated.CELLS - 1, 8).round().astype(int)


def claims(x: np.ndarray) -> tuple[bool, bool, float]:
    """Whether no pair is told apart with and without the rule, and the share it silences."""
    pairs = [*combinations(range(x.shape[1]), 2)]
    ends = statistics.joint([statistics.ahead(x[:, a] - x[:, b]) for a, b in pairs])
    apart = np.array([low > 0 or high < 0 for low, high in ends])
    labels = np.zeros(len(x), int), np.arange(len(x)), 0, np.array([1])
    few = [
        statistics.doubts(x[:, pair], np.ones((len(x), 2), int), *labels, True).skewed
        for pair in pairs
    ]
    silent = apart & np.array(few)
    return not (apart & ~silent).any(), not apart.any(), float(silent.mean())


def main() -> None:
    """Print a line for each scenario."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    for name, problems, samples in product(SCENARIOS, (30, 40, 198), (1, 5, 64)):
        drawn = []
        for run in range(runs):
            rng = np.random.default_rng([run, problems, samples])
            drawn.append(claims(simulated.SCENARIOS[name](problems, samples, rng)[0][:, MODELS]))
        right, before, silent = np.mean(np.array(drawn, float), axis=0)
        row = f"{name:32} n {problems:3} k {samples:2}  none apart {right:.3f}"
        print(f"{row}  without the rule {before:.3f}  silent {silent:.3f}", flush=True)


if __name__ == "__main__":
    main()
