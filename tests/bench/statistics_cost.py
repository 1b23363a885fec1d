"""What the tied set costs: CPU seconds of one core, medians, and ratios to a plain mean.

    OMP_NUM_THREADS=1 python tests/bench/statistics_cost.py [--runs 5]

Targets: 8 panels × 20 cells × 198 problems × 10,000 flips under 2 s, a 35 × 35 panel under 10 s.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")
sys.path.insert(0, str(Path(__file__).parents[2] / "workflow" / "src"))

import numpy as np  # noqa: E402

from heatproof.statistics import (  # noqa: E402
    cell_estimates,
    chance_range,
    contrasts,
    interval,
    tied,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Ints = NDArray[np.int64]


def panel(problems: int, cells: int, samples: int, missing: float = 0.0) -> tuple[Ints, Ints]:
    """Equal settings: nothing leaves early, all steps are judged."""
    rng = np.random.default_rng([problems, cells, samples])
    count = np.where(rng.random((problems, cells)) < missing, 0, samples)
    return rng.binomial(count, rng.beta(0.6, 0.7, problems)[:, None]), count


def seconds(work: Callable[[], object], runs: int) -> float:
    """Median CPU time of one call."""
    times = []
    for _ in range(runs):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return median(times)


def main() -> None:
    """Print one line for each piece of work."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=5)
    runs = parser.parse_args().runs
    eight = [panel(198, 20, samples) for samples in range(1, 9)]
    broken = [panel(198, 20, samples, 0.05) for samples in range(1, 9)]
    wide, sparse, single = panel(40, 1225, 5), panel(40, 1225, 5, 0.01), panel(1, 1225, 5)
    task = np.arange(198) % 4
    work: dict[str, Callable[[], object]] = {
        "cell estimates, 8 × 198 × 20": lambda: [cell_estimates(*p) for p in eight],
        "intervals, 8 × 198 × 20": lambda: [interval(*p) for p in eight],
        "tied, 8 × 198 × 20": lambda: [tied(*p) for p in eight],
        "tied, 8 × 198 × 20, mean of 4 tasks": lambda: [tied(*p, task) for p in eight],
        "tied, 8 × 198 × 20, 5 % missing": lambda: [tied(*p) for p in broken],
        "chance range, 8 × 198 × 20": lambda: [chance_range(*p) for p in eight],
        "tied, 35 × 35, 1 problem": lambda: tied(*single),
        "tied, 35 × 35, 40 problems": lambda: tied(*wide),
        "tied, 35 × 35, 40 problems, 1 % missing": lambda: tied(*sparse),
    }
    base = seconds(work["cell estimates, 8 × 198 × 20"], runs)
    print(f"{'work':<42}{'CPU s':>8}{'ratio':>9}   target")
    for name, call in work.items():
        took = seconds(call, runs if "35" not in name else min(runs, 3))
        target = 10 if "35" in name else 2
        print(f"{name:<42}{took:8.3f}{took / base:9.1f}   {'<' if took < target else '>'} {target}")
    contrasts.WORK = 10**12
    took = seconds(lambda: tied(*wide), 1)
    print(f"{'tied, 35 × 35, 40 problems, all 10,000':<42}{took:8.3f}{took / base:9.1f}")


if __name__ == "__main__":
    main()
