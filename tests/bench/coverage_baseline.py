"""How often all intervals of a panel against its baseline hold (`heatproof.statistics.baseline`).

    python tests/bench/coverage_baseline.py [RUNS]

The first of 20 cells is the baseline of the others. Told for each scenario: the share of panels in
which every interval that is told holds the true difference, the share of cells that have one, and
the mean half width, in points.
"""

from __future__ import annotations

import sys
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))

import simulated
from heatproof import statistics

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Drawn = tuple[Floats, Floats]

MEAN = 0.6 / 1.3
"""Of the difficulties that `simulated` draws."""
FALLING: dict[str, Floats] = {
    "half best": np.where(np.arange(20) < 10, 0, -0.2 * MEAN),
    "gradient": -0.5 * MEAN * np.arange(20) / 20,
}
"""Scenario → true distance of each cell from the first; of the others there is none."""


def known(name: str) -> Callable[[int, int, Any], Drawn]:
    """A scenario of `simulated`, with its true differences."""

    def drawn(problems: int, samples: int, draw: np.random.Generator) -> Drawn:
        x, _ = simulated.SCENARIOS[name](problems, samples, draw)
        return x, FALLING.get(name, np.zeros(20))

    return drawn


NAMES = (
    "all equal", "half best", "gradient", "rare break", "always or sometimes, mean .93",
    "always or sometimes, mean .46", "always or sometimes, mean .09",
)  # fmt: skip
SCENARIOS = {
    **{name: known(name) for name in NAMES},
}


def held(x: Floats, true: Floats) -> tuple[bool, float, float]:
    """Whether all intervals hold, the share of cells with one, and their mean half width."""
    number = np.arange(len(x))
    own, base = x[:, 1:], np.repeat(x[:, :1], x.shape[1] - 1, axis=1)
    pairs = statistics.Pairs(
        statistics.Scores(own, 1), statistics.Scores(base, 1), number * 0, number
    )
    gaps = statistics.gaps(pairs)
    (limits,) = statistics.simultaneous([(pairs, gaps)], permutations=999)
    told = ~statistics.doubtful(pairs)[1] & ~np.isnan(limits.low)
    far = true[1:] - true[0]
    right = (limits.low <= far + 1e-12) & (far - 1e-12 <= limits.high)
    width = float((limits.high - limits.low)[told].mean()) if told.any() else float("nan")
    return bool(right[told].all()), float(told.mean()), width


def main() -> None:
    """Print a line for each scenario."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    for name, problems, samples in product(SCENARIOS, (30, 40, 198), (1, 5, 64)):
        found = []
        for run in range(runs):
            draw = np.random.default_rng([run, problems, samples])
            drawn = SCENARIOS[name](problems, samples, draw)
            found.append(held(*drawn))
        all_, told, width = np.nanmean(np.array(found, float), axis=0)
        print(
            f"{name:32} n {problems:3} k {samples}  {all_:.3f}  told {told:.2f}  ±{50 * width:.1f}"
        )


if __name__ == "__main__":
    main()
