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


def sometimes(a: float, b: float) -> Callable[[int, int, Any], Drawn]:
    """Equal means: from cell to cell, more problems are right always or never (temperature)."""

    def drawn(problems: int, samples: int, draw: np.random.Generator) -> Drawn:
        mean = draw.beta(a, b, problems)[:, None]
        fixed = draw.random((problems, 20)) < np.arange(20) / 19
        chance = np.where(fixed, draw.random((problems, 20)) < mean, mean)
        return draw.binomial(samples, chance) / samples, np.zeros(20)

    return drawn


def lower(ratio: float) -> Callable[[int, int, Any], Drawn]:
    """Ten cells solve a part of what the first and the others solve."""

    def drawn(problems: int, samples: int, draw: np.random.Generator) -> Drawn:
        part = np.where(np.arange(20) < 10, 1, ratio)
        return draw.binomial(samples, simulated.ease(problems, draw) * part) / samples, part

    return drawn


def costs(spread: float) -> Callable[[int, int, Any], Drawn]:
    """Equal means of lognormal costs, whose spread grows from cell to cell."""

    def drawn(problems: int, samples: int, draw: np.random.Generator) -> Drawn:
        own = spread * np.arange(20) / 19
        level = 6 + draw.normal(0, 1, (problems, 1)) + own * draw.normal(0, 1, (problems, 20))
        noise = draw.normal(0, 0.3, (problems, 20, samples))
        return np.exp((level - own**2 / 2)[..., None] + noise).mean(axis=2), np.zeros(20)

    return drawn


SCENARIOS = {
    **{name: known(name) for name in ("all equal", "half best", "gradient")},
    "always or sometimes, mean .93": sometimes(4, 0.3),
    "always or sometimes, mean .46": sometimes(0.6, 0.7),
    "always or sometimes, mean .09": sometimes(0.2, 2),
    "ratio .5": lower(0.5),
    "ratio .1": lower(0.1),
    "costs, spread to .45": costs(0.45),
    "costs, spread to 1.5": costs(1.5),
}


def held(x: Floats, true: Floats, share: bool, ratio: bool) -> tuple[bool, float, float]:
    """Whether all intervals hold, the share of cells with one, and their mean half width."""
    number = np.arange(len(x))
    own, base = x[:, 1:], np.repeat(x[:, :1], x.shape[1] - 1, axis=1)
    pairs = statistics.Pairs(
        statistics.Scores(own, 1), statistics.Scores(base, 1), number * 0, number
    )
    gaps = statistics.gaps(pairs)
    (limits,) = statistics.simultaneous([(pairs, gaps)], share, permutations=999, ratio=ratio)
    told = ~statistics.doubtful(pairs, share)[1] & ~np.isnan(limits.low)
    far = true[1:] - true[0]
    if ratio:
        limits, far = statistics.fieller(pairs, gaps, limits, share), true[1:] / true[0]
        told &= ~np.isnan(limits.low)
    right = (limits.low <= far + 1e-12) & (far - 1e-12 <= limits.high)
    width = float((limits.high - limits.low)[told].mean()) if told.any() else float("nan")
    return bool(right[told].all()), float(told.mean()), width


def main() -> None:
    """Print a line for each scenario."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    for name, problems, samples in product(SCENARIOS, (30, 198), (1, 5)):
        found = []
        for run in range(runs):
            draw = np.random.default_rng([run, problems, samples])
            drawn = SCENARIOS[name](problems, samples, draw)
            share, ratio = not name.startswith("costs"), name.startswith("ratio")
            found.append(held(*drawn, share, ratio))
        all_, told, width = np.nanmean(np.array(found, float), axis=0)
        half = 50 * width if not name.startswith("costs") else width / 2
        print(f"{name:32} n {problems:3} k {samples}  {all_:.3f}  told {told:.2f}  ±{half:.1f}")


if __name__ == "__main__":
    main()
