"""Does the tied set hold every true best? Simulated, with the sets of other methods beside it.

    python tests/bench/coverage.py [--runs 2000] [--others 300] [--flips 999]

Prints, for each scenario, number of problems and samples, the share of runs in which the set holds
all best cells (target .95) and, after the slash, the mean number of cells in it. The simulation
error (one standard error of .95) stands in the heading. Columns:
tied      heatproof.statistics.tied (for correlated problems also with the families named)
claim     as figures have it: no wrong claim, for no best is told where flips give no picture of
          chance (`reasons.doubt_words`); after the slash, the share of panels that are silent
shuffle   t of all pairs against full shuffles of labels within problems, in one step
MCS R/max arch's model confidence set, independent resampling of problems
overlap   95 % intervals (Wilson, clustered) that overlap that of the highest cell
t         cells not behind the highest cell in a paired t-test at 5 %
"""

from __future__ import annotations

import argparse
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "workflow" / "src")]

from heatproof.kinds.heatmap import reasons  # noqa: E402
from heatproof.kinds.heatmap.judged import Peers  # noqa: E402
from heatproof.statistics import interval, tied  # noqa: E402
from heatproof.statistics.intervals import student  # noqa: E402
from simulated import CELLS, COSTS, FAMILY, SCENARIOS  # noqa: E402

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]
    Mask = NDArray[np.bool_]

ROWS = "{:<30}{:>5}{:>4}  " + "{:>14}" * 8


def clearly(x: Matrix) -> Matrix:
    """Paired t of cell j over cell c at [j, c], or of many panels at once."""
    sums, squares = x.sum(axis=-2), np.swapaxes(x, -1, -2) @ x
    own = np.diagonal(squares, axis1=-2, axis2=-1)
    gap = sums[..., :, None] - sums[..., None, :]
    spread = own[..., :, None] + own[..., None, :] - 2 * squares - gap**2 / x.shape[-2]
    floor = 1e-4 * np.mean(own) + 1e-12
    return gap / np.sqrt(np.maximum(spread, floor) * x.shape[-2] / (x.shape[-2] - 1))


def shuffle(x: Matrix, flips: int, rng: np.random.Generator) -> Mask:
    """One step against labels shuffled within problems, as first designed."""
    x = x - x.mean(axis=1, keepdims=True)
    draws = min(flips, 299)
    null = clearly(rng.permuted(np.repeat(x[None], draws, axis=0), axis=2)).max(axis=(1, 2))
    return clearly(x).max(axis=0) <= np.quantile(null, 0.95)


def confidence_set(x: Matrix, method: str) -> Mask:
    """The model confidence set of arch; all cells where two always agree, which it cannot do."""
    from arch.bootstrap import MCS

    mask = np.ones(x.shape[1], dtype=bool)
    if np.unique(x, axis=1).shape[1] < x.shape[1]:
        return mask
    mcs = MCS(1 - x, size=0.05, reps=999, block_size=1, method=method, seed=0)
    mcs.compute()
    p = mcs.pvalues.Pvalue
    for cell, value in zip(p.index, np.ravel(p), strict=True):
        mask[np.ravel(cell).astype(int)] = value > 0.05
    return mask


def overlap(x: Matrix, samples: int) -> Mask:
    """Cells whose interval overlaps that of the highest cell."""
    total = x * samples
    low, high = interval(total, np.full(x.shape, samples))
    return np.asarray(high >= low[x.mean(axis=0).argmax()])


def uncorrected(x: Matrix) -> Mask:
    """Cells not behind the highest cell in a paired t-test at 5 %."""
    highest = x.mean(axis=0).argmax()
    return np.asarray(clearly(x)[highest] <= student(0.975, len(x) - 1))


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


def sets(
    name: str, x: Matrix, samples: int, flips: int, others: bool, rng: np.random.Generator
) -> dict[str, Mask]:
    """The set of each method for one panel; the slow methods only where asked for."""
    count = np.full(x.shape, samples)
    found = {"tied": tied(x * samples, count, permutations=flips)}
    if name == "correlated problems":
        family = np.arange(len(x)) // FAMILY
        found["by family"] = tied(x * samples, count, permutations=flips, group=family)
    if others:
        found["shuffle"] = shuffle(x, flips, rng)
        found["overlap"], found["t"] = overlap(x, samples), uncorrected(x)
        if name != "one odd cell":
            found["MCS R"], found["MCS max"] = (confidence_set(x, m) for m in ("R", "max"))
    return found


def simulate(name: str, problems: int, samples: int, args: argparse.Namespace) -> str:
    """One row of the table."""
    rng = np.random.default_rng([problems, samples, list(SCENARIOS).index(name)])
    covered: dict[str, list[bool]] = {}
    size: dict[str, list[float]] = {}
    for run in range(args.runs):
        x, best = SCENARIOS[name](problems, samples, rng)
        rest = np.random.default_rng(run)
        for method, mask in sets(name, x, samples, args.flips, run < args.others, rest).items():
            covered.setdefault(method, []).append(bool(mask[best].all()))
            size.setdefault(method, []).append(float(mask.sum()))
            if method == "tied":
                told = claimed(name, x, samples, mask)
                covered.setdefault("claim", []).append(told is None or bool(told[best].all()))
                size.setdefault("claim", []).append(told is None)
    columns = ["tied", "claim", "by family", "shuffle", "MCS R", "MCS max", "overlap", "t"]
    cells = [
        f"{np.mean(covered[c]):.3f} / {np.mean(size[c]):4.{2 if c == 'claim' else 1}f}"
        if c in covered
        else ""
        for c in columns
    ]
    return ROWS.format(name, problems, samples, *cells)


def main() -> None:
    """Print the table row by row."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--others", type=int, default=300)
    parser.add_argument("--flips", type=int, default=999)
    parser.add_argument("--only", choices=sorted(SCENARIOS), default=None)
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    error = [np.sqrt(0.95 * 0.05 / max(runs, 1)) for runs in (args.runs, args.others)]
    print(
        f"{CELLS} cells; tied: {args.runs} runs, error {error[0]:.3f}; "
        f"others: {args.others} runs, error {error[1]:.3f}"
    )
    print(
        ROWS.format(
            "scenario", "n", "s", "tied", "claim", "by family", "shuffle", "MCS R", "MCS max",
            "overlap", "t",
        )
    )  # fmt: skip
    for name in [args.only] if args.only else SCENARIOS:
        for problems in (30, 40, 198):
            for samples in (1, 5, 64):
                print(simulate(name, problems, samples, args), flush=True)


if __name__ == "__main__":
    main()
