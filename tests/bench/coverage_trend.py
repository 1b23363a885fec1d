"""How often a trend is told where there is none (`heatproof.statistics.trend`), and where there is.

    python tests/bench/coverage_trend.py [RUNS]

Panels of 4 × 5 cells, both axes tested. Told for each scenario: the share of tests of one axis
with p ≤ .05, and of panels in which an axis is told (Holm over both), which is to be no more than
.05 where settings are equal.
"""

from __future__ import annotations

import sys
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))

import simulated
from heatproof.statistics import holm, trend

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Draw = Callable[[int, int, np.random.Generator], Floats]

ACROSS, UP = np.arange(20) % 5, np.arange(20) // 5
FAMILIES = "correlated problems, by family"


def known(name: str) -> Draw:
    """A scenario of `simulated`."""
    return lambda problems, samples, draw: simulated.SCENARIOS[name](problems, samples, draw)[0]


def sometimes(a: float, b: float) -> Draw:
    """Equal means: along x, more and more problems are right always or never (temperature)."""

    def drawn(problems: int, samples: int, draw: np.random.Generator) -> Floats:
        mean = draw.beta(a, b, problems)[:, None]
        fixed = draw.random((problems, 20)) < ACROSS / 4
        chance = np.where(fixed, draw.random((problems, 20)) < mean, mean)
        return draw.binomial(samples, chance) / samples

    return drawn


def own_slopes(problems: int, samples: int, draw: np.random.Generator) -> Floats:
    """Each problem has a slope of its own along x, of mean 0 (2 logits)."""
    at = draw.normal(0, 1.5, (problems, 1)) + draw.normal(0, 2, (problems, 1)) * (ACROSS - 2) / 4
    return draw.binomial(samples, 1 / (1 + np.exp(-at))) / samples


def breaking(problems: int, samples: int, draw: np.random.Generator) -> Floats:
    """Equal means: along x, a tenth of the problems break, and all others gain what these lose."""
    lost = draw.random((problems, 1)) < 0.1
    step = ACROSS / 4
    chance = np.where(lost, 0.9 - 0.9 * step, 0.9 + 0.1 * step)
    return draw.binomial(samples, chance) / samples


def rising(high: float) -> Draw:
    """Along x, `high` of what is not solved at its start is solved at its end."""

    def drawn(problems: int, samples: int, draw: np.random.Generator) -> Floats:
        ease = simulated.ease(problems, draw)
        return draw.binomial(samples, ease + (1 - ease) * high * ACROSS / 4) / samples

    return drawn


SCENARIOS: dict[str, Draw] = {
    "all equal": known("all equal"),
    "all equal, mean .93": known("all equal, easy"),
    "neighbours alike": known("neighbours alike"),
    "graded, unequal noise": known("graded, unequal noise"),
    FAMILIES: known("correlated problems"),
    "always or sometimes, mean .93": sometimes(4, 0.3),
    "always or sometimes, mean .46": sometimes(0.6, 0.7),
    "always or sometimes, mean .09": sometimes(0.2, 2),
    "slopes of their own": own_slopes,
    "a tenth breaks": breaking,
    "rises by 4 points": rising(0.08),
    "rises by 8 points": rising(0.16),
}


def tested(x: Floats, samples: int, family: bool) -> list[float]:
    """P of both axes."""
    group = np.arange(len(x)) // simulated.FAMILY if family else None
    count = np.full(x.shape, samples)
    return [trend(x * samples, count, at, permutations=999, group=group)[1] for at in (ACROSS, UP)]


def main() -> None:
    """Print a line for each scenario."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    for name, problems, samples in product(SCENARIOS, (30, 198), (1, 5)):
        found = []
        for run in range(runs):
            draw = np.random.default_rng([run, problems, samples])
            found.append(
                tested(SCENARIOS[name](problems, samples, draw), samples, name == FAMILIES)
            )
        across, up = np.mean(np.array(found) <= 0.05, axis=0)
        told = np.mean([min(holm(p)) <= 0.05 for p in found])
        row = f"{name:32} n {problems:3} k {samples}  x {across:.3f}  y {up:.3f}  told {told:.3f}"
        print(row, flush=True)


if __name__ == "__main__":
    main()
