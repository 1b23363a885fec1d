"""Does the tied set hold every true best? Simulated.

    python tests/bench/coverage.py [--runs 2000] [--flips 999]

Prints, for each scenario, number of problems and samples, the share of runs in which the set holds
all best cells (target .95) and, after the slash, the mean number of cells in it. The simulation
error (one standard error of .95) stands in the heading. Columns:
tied      heatproof.statistics.tied (for correlated problems also with the families named)
claim     as figures have it: no wrong claim, for no best is told where flips give no picture of
          chance (`reasons.doubt_words`); after the slash, the share of panels that are silent
"""

from __future__ import annotations

import argparse
import sys
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "workflow" / "src")]

from heatproof.kinds.heatmap import reasons  # noqa: E402
from heatproof.kinds.heatmap.judged import Peers  # noqa: E402
from heatproof.statistics import tied  # noqa: E402
from simulated import CELLS, COSTS, FAMILY, SCENARIOS  # noqa: E402

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]
    Mask = NDArray[np.bool_]


def claimed(name: str, x: Matrix, samples: int, held: Mask) -> Mask | None:
    """The cells that figures do not tell from the best, of a panel whose tied set is `held`.

    None where nothing is told.
    """
    count, number, value = np.full(x.shape, samples), np.arange(len(x)), x.mean(axis=0)
    peers = Peers(x * samples, count, number * 0, number, value)
    judged, share = {"tied": held, "best": value == value.max()}, name not in COSTS
    if not reasons.doubt_words(peers, judged, ["t"], share):
        return held
    apart = peers.surely_apart(judged, share)
    return ~apart if apart.any() else None


def simulate(name: str, problems: int, samples: int, runs: int, flips: int) -> str:
    """One row of the table."""
    rng = np.random.default_rng([problems, samples, list(SCENARIOS).index(name)])
    family = np.arange(problems) // FAMILY
    covered: dict[str, list[bool]] = {"tied": [], "claim": [], "by family": []}
    size: dict[str, list[float]] = {column: [] for column in covered}
    for _ in range(runs):
        x, best = SCENARIOS[name](problems, samples, rng)
        count = np.full(x.shape, samples)
        held = tied(x * samples, count, permutations=flips)
        claim = claimed(name, x, samples, held)
        covered["claim"].append(claim is None or bool(claim[best].all()))
        size["claim"].append(claim is None)
        sets = {"tied": held}
        if name == "correlated problems":
            sets["by family"] = tied(x * samples, count, permutations=flips, group=family)
        for method, mask in sets.items():
            covered[method].append(bool(mask[best].all()))
            size[method].append(float(mask.sum()))
    cells = [
        f"{np.mean(covered[c]):.3f} / {np.mean(size[c]):4.{2 if c == 'claim' else 1}f}"
        for c in covered
        if covered[c]
    ]
    return f"{name:<30}{problems:>5}{samples:>4}  " + "".join(f"{cell:>14}" for cell in cells)


def main() -> None:
    """Print the table row by row."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--flips", type=int, default=999)
    parser.add_argument("--only", choices=sorted(SCENARIOS), default=None)
    args = parser.parse_args()
    print(f"{CELLS} cells; {args.runs} runs, error {np.sqrt(0.95 * 0.05 / args.runs):.3f}")
    print(f"{'scenario':<30}{'n':>5}{'s':>4}  {'tied':>14}{'claim':>14}{'by family':>14}")
    for name in [args.only] if args.only else SCENARIOS:
        for problems, samples in product((30, 40, 198), (1, 5, 64)):
            print(simulate(name, problems, samples, args.runs, args.flips), flush=True)


if __name__ == "__main__":
    main()
