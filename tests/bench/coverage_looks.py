"""What looking for the highest costs: again and again while a sweep grows, and among many cells.

    python tests/bench/coverage_looks.py [RUNS]

Panels of 20 equal cells. Problems arrive in random order, or all are there and epochs arrive. Told
for each: the share of panels in which some cell is told not to be best at some look, and at the last
look alone, which is to be no more than .05. Then by how much the highest value lies above its truth,
and how often its own 95 % interval holds that.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "workflow" / "src")]

import simulated  # noqa: E402
from heatproof.statistics import interval, tied  # noqa: E402

SWEEPS = (
    ("problems", 200, 1, 5),
    ("problems", 200, 5, 5),
    ("problems", 200, 1, 10),
    ("epochs", 30, 8, 8),
)
"""What arrives, problems, epochs, looks."""


def looks(arriving: str, problems: int, epochs: int, number: int, run: int) -> list[bool]:
    """Whether some cell is told not to be best, look by look."""
    rng = np.random.default_rng([run, problems, epochs, number])
    chance = simulated.ease(problems, rng)[..., None]
    right = rng.random((problems, simulated.CELLS, epochs)) < chance
    found = []
    for look in range(1, number + 1):
        rows, deep = problems, epochs
        if arriving == "problems":
            rows = problems * look // number
        else:
            deep = epochs * look // number
        part = right[:rows, :, :deep]
        held = tied(part.sum(axis=2), np.full(part.shape[:2], deep), permutations=299)
        found.append(not held.all())
    return found


def optimism(problems: int, epochs: int, run: int) -> tuple[float, bool]:
    """By how many points the highest of equal cells lies above its truth, and whether that is held."""
    rng, true = np.random.default_rng([run, problems, epochs]), 0.6 / 1.3
    chance = np.broadcast_to(simulated.ease(problems, rng), (problems, simulated.CELLS))
    total = rng.binomial(epochs, chance).astype(float)
    value = total.mean(axis=0) / epochs
    top = int(value.argmax())
    low, high = interval(total[:, [top]], np.full((problems, 1), epochs))
    return float(100 * (value[top] - true)), bool(low[0] <= true <= high[0])


def main() -> None:
    """Print a line for each sweep."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    for sweep in SWEEPS:
        drawn = np.array([looks(*sweep, run) for run in range(runs)])
        ever, last = drawn.any(axis=1).mean(), drawn[:, -1].mean()
        arriving, problems, epochs, number = sweep
        print(
            f"{number:2} looks while {arriving} arrive (n {problems}, k {epochs})  "
            f"wrong at some look {ever:.3f} ± {np.sqrt(ever * (1 - ever) / runs):.3f}  "
            f"at the last alone {last:.3f}",
            flush=True,
        )
    for problems, epochs in ((30, 1), (30, 5), (198, 1), (198, 5)):
        found = np.array([optimism(problems, epochs, run) for run in range(4 * runs)])
        above, held = found.mean(axis=0)
        error = found[:, 0].std() / np.sqrt(len(found))
        row = f"highest of 20 equal cells (n {problems}, k {epochs})  above its truth"
        print(f"{row} {above:.1f} ± {error:.1f} points  its interval holds {held:.3f}", flush=True)


if __name__ == "__main__":
    main()
