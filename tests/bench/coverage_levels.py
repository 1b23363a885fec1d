"""How often values of an axis are told apart where there is none to tell, and where there is.

    python tests/bench/coverage_levels.py [RUNS]

Panels of 4 × 5 cells, both axes judged as a heatmap does (`kinds.heatmap.judged`). Told for
each scenario: the share of panels in which the best value of an axis is told not to be it (to be no
more than .05), that in which something is told of x, and that in which x is not judged.
"""

from __future__ import annotations

import sys
from functools import partial
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))

import simulated
from heatproof import statistics
from heatproof.kinds.heatmap.grid import Panel
from heatproof.kinds.heatmap.judged import judged_levels
from heatproof.metrics import metric

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Draw = Callable[[int, int, np.random.Generator], Floats]

ACROSS, UP = np.arange(20) % 5, np.arange(20) // 5
FAMILIES = "correlated problems, by family"
statistics.best_p_values = partial(statistics.best_p_values, permutations=999)


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


def breaking(part: float) -> Draw:
    """Equal means: along x a part of the problems breaks, and all others gain what these lose."""

    def drawn(problems: int, samples: int, draw: np.random.Generator) -> Floats:
        lost, step = draw.random((problems, 1)) < part, ACROSS / 4
        gain = 0.9 * part / (1 - part)
        chance = np.where(lost, 0.9 - 0.9 * step, 0.9 + gain * step)
        return draw.binomial(samples, chance) / samples

    return drawn


def shaped(high: float, shape: tuple[float, ...]) -> Draw:
    """Along x, up to `high` of what is not solved is solved where the shape has 1."""

    def drawn(problems: int, samples: int, draw: np.random.Generator) -> Floats:
        ease = simulated.ease(problems, draw)
        part = high * np.array(shape)[ACROSS]
        return draw.binomial(samples, ease + (1 - ease) * part) / samples

    return drawn


LINE, PEAK = (0, 0.25, 0.5, 0.75, 1), (0, 0.5, 1, 0.5, 0)
SCENARIOS: dict[str, tuple[Draw, tuple[float, ...]]] = {
    "all equal": (known("all equal"), ()),
    "all equal, mean .93": (known("all equal, easy"), ()),
    "neighbours alike": (known("neighbours alike"), ()),
    FAMILIES: (known("correlated problems"), ()),
    "twelve templates, unnamed": (known("twelve templates"), ()),
    "always or sometimes, mean .93": (sometimes(4, 0.3), ()),
    "always or sometimes, mean .09": (sometimes(0.2, 2), ()),
    "slopes of their own": (own_slopes, ()),
    "a twentieth breaks": (breaking(0.05), ()),
    "a tenth breaks": (breaking(0.1), ()),
    "rises by 4 points": (shaped(0.08, LINE), LINE),
    "rises by 8 points": (shaped(0.16, LINE), LINE),
    "peak of 8 points": (shaped(0.16, PEAK), PEAK),
}
"""Name → what is drawn, and the true values along x; none where all are equal."""


def judged(x: Floats, samples: int, shape: tuple[float, ...], family: bool) -> tuple[bool, ...]:
    """Whether a best value is told not to be it, something is told of x, x is not judged."""
    number, none = np.arange(len(x)), np.zeros((1, 20), bool)
    family_of = number // simulated.FAMILY if family else number
    panel = Panel(
        np.full(x.shape, samples), x * samples, number * 0, family_of, np.full(20, len(x)), False,
        np.arange(20), ["t"], ~none, none, none,
    )  # fmt: skip
    word = metric("pass@1")
    across, up = (judged_levels(panel, at, word, "highest", 2) for at in (ACROSS, UP))
    best = np.array(shape) == max(shape) if shape else np.ones(5, bool)
    wrong = [across is not None and not across[best].all(), up is not None and not up.all()]
    return any(wrong), across is not None and not across.all(), across is None


def main() -> None:
    """Print a line for each scenario."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    print(f"{runs} runs, error of .05: {np.sqrt(0.05 * 0.95 / runs):.3f}")
    for name, problems, samples in product(SCENARIOS, (30, 198), (1, 5, 64)):
        draw, shape = SCENARIOS[name]
        drawn = []
        for run in range(runs):
            rng = np.random.default_rng([run, problems, samples])
            drawn.append(judged(draw(problems, samples, rng), samples, shape, name == FAMILIES))
        wrong, across, silent = np.mean(np.array(drawn, float), axis=0)
        row = f"{name:32} n {problems:3} k {samples:2}  wrong {wrong:.3f}  x told {across:.3f}"
        print(f"{row}  x not judged {silent:.3f}", flush=True)


if __name__ == "__main__":
    main()
