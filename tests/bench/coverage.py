"""Do verdicts and intervals hold as often as they say? Simulated; docs/statistics.md has the outcome.

    python tests/bench/coverage.py WHAT [RUNS] [--only SCENARIO]

tied       the share of panels of 20 cells whose tied set holds every true best (target .95) and its
           mean size; `claim`: that of panels without a wrong claim as figures have it, for no best
           is told where flips give no picture of chance, and the share of silent panels
intervals  the share of intervals that hold the truth / their mean width: ours; Wilson's of all
           samples as if independent; mean ± Student's t · se; percentiles of a bootstrap
baseline   the share of panels in which all intervals beside a baseline hold, that of cells that
           have one, and the mean half width in points
levels     panels of 4 × 5 cells: the share in which the best value of an axis is told not to be it
           (at most .05), in which something is told of x, and in which x is not judged
pairs      boards of eight models of equal means: the share on which no pair is told apart (target
           .95), the same without the rule that silences pairs of a few problems, pairs silenced
looks      panels of 20 equal cells that grow: the share in which some cell is told not to be best at
           some look, and at the last alone; then how far the highest lies above its truth
"""

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "workflow" / "src")]

from heatproof import statistics  # noqa: E402
from heatproof.kinds.heatmap import judged  # noqa: E402
from heatproof.kinds.heatmap.grid import Panel  # noqa: E402
from heatproof.kinds.heatmap.judged import Peers  # noqa: E402
from heatproof.metrics import metric  # noqa: E402
from heatproof.statistics import best_p_values, cell_estimates, interval  # noqa: E402
from heatproof.statistics.estimates import normal, student, wilson  # noqa: E402
from support.simulated import CELLS, COSTS, FAMILY, SCENARIOS, ease  # noqa: E402

Matrix = NDArray[np.float64]
Mask = NDArray[np.bool_]
Draw = Callable[[int, int, np.random.Generator], Matrix]

SIZES = [*product((30, 40, 198), (1, 5, 64))]
"""Problems and samples of each."""
SOME = (
    "all equal", "all equal, easy", "half best", "gradient", "rare break", "twelve templates",
    "always or sometimes, mean .93", "always or sometimes, mean .46",
    "always or sometimes, mean .09",
)  # fmt: skip


def table(
    names: Sequence[str],
    sizes: Sequence[tuple[int, int]],
    measure: Callable[[str, int, int, np.random.Generator], Sequence[float]],
    columns: str,
    runs: int,
    only: str,
) -> Iterator[str]:
    """A line for each scenario and size: the means of what `measure` gives of a panel."""
    yield f"{runs} runs, error of .95: {np.sqrt(0.95 * 0.05 / runs):.3f}"
    for name, (problems, samples) in product([n for n in names if only in n], sizes):
        generators = (np.random.default_rng([run, problems, samples]) for run in range(runs))
        found = [measure(name, problems, samples, rng) for rng in generators]
        means = np.nanmean(np.array(found, float), axis=0)
        cells = (f"{c} {m:.3f}" for c, m in zip(columns.split(", "), means, strict=True))
        yield f"{name:32} n {problems:3} k {samples:2}  {'  '.join(cells)}"


# ---------------------------------------------------------------------------------------- tied sets


def claimed(name: str, x: Matrix, samples: int, held: Mask) -> Mask | None:
    """The cells that figures do not tell from the best, of a panel whose tied set is `held`.

    None where nothing is told.
    """
    count, number, value = np.full(x.shape, samples), np.arange(len(x)), x.mean(axis=0)
    peers = Peers(x * samples, count, number * 0, number, value)
    standing, share = {"tied": held, "best": value == value.max()}, name not in COSTS
    doubts = peers.doubts(standing, share)
    if not (doubts.outweighed or doubts.skewed):
        return held
    apart = ~(standing["tied"] | standing["best"])
    apart[apart] = doubts.sure
    return ~apart if apart.any() else None


def tied_set(name: str, problems: int, samples: int, rng: np.random.Generator) -> list[float]:
    """Of correlated problems the families are named."""
    x, best = SCENARIOS[name](problems, samples, rng)
    family = np.arange(problems) // FAMILY if name == "correlated problems" else None
    count = np.full(x.shape, samples)
    held = best_p_values(x * samples, count, permutations=999, group=family) > 0.05
    claim = claimed(name, x, samples, held)
    right = claim is None or claim[best].all()
    return [held[best].all(), held.sum(), right, claim is None]


# ---------------------------------------------------------------------------------------- intervals

EASE = {
    "broad": (0.6, 0.7),
    "all or none": (0.2, 0.2),
    "easy": (4.0, 0.3),
    "hard": (0.2, 4.0),
    "same": (5000.0, 5000.0),
}
SHAPES, LENGTHS = [(0.6, 0.7), (0.3, 0.9), (3.0, 0.5), (0.8, 0.9)], [30, 30, 40, 198]
"""Four tasks."""
TASK = np.repeat(range(4), LENGTHS)


def bootstrap(x: Matrix, rng: np.random.Generator) -> tuple[Matrix, Matrix]:
    """Percentile interval over resampled problems, each column a run."""
    weights = rng.multinomial(len(x), np.full(len(x), 1 / len(x)), 400) / len(x)
    low, high = np.quantile(weights @ x, [0.025, 0.975], axis=0)
    return low, high


def intervals(runs: int, _: str) -> Iterator[str]:
    """The columns of one panel are the runs."""
    row = "{:<14}{:>5}{:>4}  " + "{:>16}" * 4
    yield row.format("problems", "n", "s", "ours", "all samples", "t", "bootstrap")

    def cell(limits: Any, truth: float) -> str:
        low, high = limits
        held = (low <= truth + 1e-12) & (truth <= high + 1e-12)
        return f"{np.mean(held):.3f} / {np.mean(high - low):.3f}"

    for name, problems, samples in product(EASE, (5, 10, 30, 40, 198), (1, 5)):
        rng = np.random.default_rng([problems, samples])
        total = rng.binomial(samples, rng.beta(*EASE[name], (problems, runs)))
        count, truth = np.full(total.shape, samples), EASE[name][0] / sum(EASE[name])
        one = cell_estimates(total, count)
        half = student(0.975, problems - 1) * one.se
        limits = [
            interval(total, count),
            wilson(one.value, problems * samples, normal(0.975)),
            (np.clip(one.value - half, 0, 1), np.clip(one.value + half, 0, 1)),
            bootstrap(total / samples, rng),
        ]
        yield row.format(name, problems, samples, *(cell(both, truth) for both in limits))
    for samples in (1, 5):
        rng = np.random.default_rng(samples)
        parts = [rng.beta(*shape, (n, runs)) for n, shape in zip(LENGTHS, SHAPES, strict=True)]
        total = rng.binomial(samples, np.vstack(parts))
        ours = interval(total, np.full(total.shape, samples), TASK)
        told = cell(ours, float(np.mean([a / (a + b) for a, b in SHAPES])))
        yield row.format("mean of tasks", len(TASK), samples, told, "", "", "")


# ------------------------------------------------------------------------------ baseline and boards

FALLING: dict[str, Matrix] = {
    "half best": np.where(np.arange(20) < 10, 0, -0.2 * 0.6 / 1.3),
    "gradient": -0.5 * 0.6 / 1.3 * np.arange(20) / 20,
}
"""Scenario → true distance of each cell from the first; of the others there is none."""


def baseline(name: str, problems: int, samples: int, rng: np.random.Generator) -> list[float]:
    """The first cell is the baseline of the others."""
    x, _ = SCENARIOS[name](problems, samples, rng)
    number = np.arange(len(x))
    own, base = x[:, 1:], np.repeat(x[:, :1], x.shape[1] - 1, axis=1)
    sides = statistics.Scores(own, 1), statistics.Scores(base, 1)
    pairs = statistics.Pairs(*sides, number * 0, number)
    (limits,) = statistics.simultaneous([(pairs, statistics.gaps(pairs))], permutations=999)
    told = ~statistics.doubtful(pairs)[1] & ~np.isnan(limits.low)
    far = FALLING.get(name, np.zeros(20))[1:]
    right = (limits.low <= far + 1e-12) & (far - 1e-12 <= limits.high)
    width = (limits.high - limits.low)[told].mean() if told.any() else np.nan
    return [right[told].all(), told.mean(), 50 * width]


MODELS = np.linspace(0, CELLS - 1, 8).round().astype(int)


def board(name: str, problems: int, samples: int, rng: np.random.Generator) -> list[float]:
    """Whether no pair is told apart with and without the rule, and the share that it silences."""
    x = SCENARIOS[name](problems, samples, rng)[0][:, MODELS]
    pairs = [*combinations(range(x.shape[1]), 2)]
    ends = statistics.joint([statistics.ahead(x[:, a] - x[:, b]) for a, b in pairs])
    apart = np.array([low > 0 or high < 0 for low, high in ends])
    count, number = np.ones((len(x), 2), int), np.arange(len(x))
    labels = number * 0, number, 0, np.array([1])
    few = [statistics.doubts(x[:, pair], count, *labels, True).skewed for pair in pairs]
    silent = apart & np.array(few)
    return [not (apart & ~silent).any(), not apart.any(), silent.mean()]


# ------------------------------------------------------------------------------------ axes, looks

ACROSS, UP = np.arange(20) % 5, np.arange(20) // 5


def sometimes(a: float, b: float) -> Draw:
    """Equal means: along x, more and more problems are right always or never (temperature)."""

    def drawn(problems: int, samples: int, rng: np.random.Generator) -> Matrix:
        mean = rng.beta(a, b, problems)[:, None]
        fixed = rng.random((problems, 20)) < ACROSS / 4
        chance = np.where(fixed, rng.random((problems, 20)) < mean, mean)
        return rng.binomial(samples, chance) / samples

    return drawn


def own_slopes(problems: int, samples: int, rng: np.random.Generator) -> Matrix:
    """Each problem has a slope of its own along x, of mean 0 (2 logits)."""
    at = rng.normal(0, 1.5, (problems, 1)) + rng.normal(0, 2, (problems, 1)) * (ACROSS - 2) / 4
    return rng.binomial(samples, 1 / (1 + np.exp(-at))) / samples


def breaking(part: float) -> Draw:
    """Equal means: along x a part of the problems breaks, and all others gain what these lose."""

    def drawn(problems: int, samples: int, rng: np.random.Generator) -> Matrix:
        lost, step = rng.random((problems, 1)) < part, ACROSS / 4
        chance = np.where(lost, 0.9 - 0.9 * step, 0.9 + 0.9 * part / (1 - part) * step)
        return rng.binomial(samples, chance) / samples

    return drawn


def shaped(high: float, shape: tuple[float, ...]) -> Draw:
    """Along x, up to `high` of what is not solved is solved where the shape has 1."""

    def drawn(problems: int, samples: int, rng: np.random.Generator) -> Matrix:
        chance = ease(problems, rng)
        part = high * np.array(shape)[ACROSS]
        return rng.binomial(samples, chance + (1 - chance) * part) / samples

    return drawn


LINE, PEAK = (0, 0.25, 0.5, 0.75, 1), (0, 0.5, 1, 0.5, 0)
EQUAL = ("all equal", "all equal, easy", "neighbours alike", "twelve templates")
AXES: dict[str, tuple[Draw, tuple[float, ...]]] = {
    **{name: (lambda *given, name=name: SCENARIOS[name](*given)[0], ()) for name in EQUAL},
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


def axis(name: str, problems: int, samples: int, rng: np.random.Generator) -> list[float]:
    """Both axes are judged as a heatmap does."""
    draw, shape = AXES[name]
    x = draw(problems, samples, rng)
    number, none = np.arange(len(x)), np.zeros((1, 20), bool)
    panel = Panel(
        np.full(x.shape, samples), x * samples, number * 0, number, np.full(20, len(x)), False,
        np.arange(20), ["t"], ~none, none, none,
    )  # fmt: skip
    word = metric("pass@1")
    across, up = (judged.judged_levels(panel, at, word, "highest", 2) for at in (ACROSS, UP))
    best = np.array(shape) == max(shape) if shape else np.ones(5, bool)
    wrong = [across is not None and not across[best].all(), up is not None and not up.all()]
    return [any(wrong), across is not None and not across.all(), across is None]


def looks(runs: int, _: str) -> Iterator[str]:
    """Problems arrive in random order, or all are there and epochs arrive."""

    def apart(arriving: str, problems: int, epochs: int, number: int, run: int) -> list[bool]:
        rng = np.random.default_rng([run, problems, epochs, number])
        right = rng.random((problems, CELLS, epochs)) < ease(problems, rng)[..., None]
        found = []
        for look in range(1, number + 1):
            rows = problems * look // number if arriving == "problems" else problems
            deep = epochs * look // number if arriving == "epochs" else epochs
            part = right[:rows, :, :deep]
            count = np.full(part.shape[:2], deep)
            held = best_p_values(part.sum(axis=2), count, permutations=299) > 0.05
            found.append(not held.all())
        return found

    def above(problems: int, epochs: int, run: int) -> tuple[float, bool]:
        rng, true = np.random.default_rng([run, problems, epochs]), 0.6 / 1.3
        chance = np.broadcast_to(ease(problems, rng), (problems, CELLS))
        total = rng.binomial(epochs, chance).astype(float)
        value = total.mean(axis=0) / epochs
        top = int(value.argmax())
        low, high = interval(total[:, [top]], np.full((problems, 1), epochs))
        return float(100 * (value[top] - true)), bool(low[0] <= true <= high[0])

    growing = (("problems", 200, 1, 5), ("problems", 200, 5, 5), ("problems", 200, 1, 10),
               ("epochs", 30, 8, 8))  # fmt: skip
    for arriving, problems, epochs, number in growing:
        told = np.array([apart(arriving, problems, epochs, number, run) for run in range(runs)])
        yield (
            f"{number:2} looks while {arriving} arrive (n {problems}, k {epochs})  wrong at some "
            f"look {told.any(axis=1).mean():.3f}  at the last alone {told[:, -1].mean():.3f}"
        )
    for problems, epochs in product((30, 198), (1, 5)):
        points, held = np.mean([above(problems, epochs, run) for run in range(4 * runs)], axis=0)
        yield (
            f"highest of 20 equal cells (n {problems}, k {epochs})  above its truth {points:.1f} "
            f"points  its interval holds {held:.3f}"
        )


MEASURES: dict[str, Callable[[int, str], Iterator[str]]] = {
    "tied": partial(table, [*SCENARIOS], SIZES, tied_set, "holds, size, claim, silent"),
    "intervals": intervals,
    "baseline": partial(table, SOME, SIZES, baseline, "holds, told, half width"),
    "levels": partial(table, [*AXES], SIZES, axis, "wrong, x told, x not judged"),
    "pairs": partial(table, SOME[:2] + SOME[4:], SIZES, board, "none apart, without rule, silent"),
    "looks": looks,
}


def main() -> None:
    """Print a measure line by line."""
    way = argparse.RawTextHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=way)
    parser.add_argument("what", choices=MEASURES)
    parser.add_argument("runs", type=int, nargs="?", default=200)
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    # The best of a panel is judged by fewer flips than in figures.
    statistics.best_p_values = partial(statistics.best_p_values, permutations=999)
    for line in MEASURES[given.what](given.runs, given.only):
        print(line, flush=True)


if __name__ == "__main__":
    main()
