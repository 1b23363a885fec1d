"""Do verdicts and intervals hold as often as they say? Simulated; docs/statistics.md has the outcome.

    python tests/bench/coverage.py WHAT [RUNS] [--only SCENARIO]

tied       the share of panels of 20 cells whose tied set leaves out a true best (at most .05 aimed
           at), and its mean size
lead       the same for other least leads, with skewness removed and not: how `statistics.lead` was
           chosen
tasks      the same of means over tasks that suit settings or not
intervals  the share of intervals that hold the truth / their mean width: ours; Wilson's of all
           samples as if independent; mean ± Student's t · se; percentiles of a bootstrap
baseline   the share of panels in which some interval beside a baseline misses, and in which a cell
           is told to differ that does not; mean half width in points; differences told
levels     panels of 4 × 5 cells: the share in which the best value of an axis is told not to be it,
           and in which something is told of x
pairs      boards of eight models of equal means: the share on which some pair is told apart
alike      two models, right or wrong: the share of intervals of their agreement, κ and correlation,
           and of the difference of their ratings, that hold the truth; the share without one
looks      panels of 20 equal cells that grow: the share in which some cell is told not to be best at
           some look, as judged once, and as judged for every look; then how far the highest lies
           above its truth
docs       the tables of docs/statistics.md, from all of these
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
from heatproof.kinds.heatmap.grid import PanelCounts  # noqa: E402
from heatproof.metrics import metric  # noqa: E402
from heatproof.statistics import (  # noqa: E402
    agreement,
    best_p_values,
    bradley_terry,
    cell_estimates,
    interval,
    tied,
)
from heatproof.statistics.estimates import normal, student, wilson  # noqa: E402
from support.simulated import (  # noqa: E402
    AHEAD,
    CELLS,
    FAMILY,
    SCENARIOS,
    ease,
    suiting,
)

Matrix = NDArray[np.float64]
Mask = NDArray[np.bool_]
Draw = Callable[[int, int, np.random.Generator], Matrix]

SIZES = [*product((10, 15, 20, 30, 50, 100, 198, 500), (1, 8, 64))]
"""Problems and samples of each."""
SMALLER = [*product((10, 20, 30, 100, 198), (1, 64))]
SOME = (
    "all equal", "half best", "gradient", "a break in 3 % of problems", "a break in 10 % of problems",
    "always or sometimes, mean .93", "always or sometimes, mean .75",
    "always or sometimes, mean .09", "graded, failures, little noise",
    "graded, failures, much noise",
)  # fmt: skip
NAMELESS = "twelve templates"  # of which nobody says that its problems belong together


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
        numbers = np.array(found, float)
        means = [np.nanmean(n) if not np.isnan(n).all() else np.nan for n in numbers.T]
        cells = (f"{c} {m:.3f}" for c, m in zip(columns.split(", "), means, strict=True))
        yield f"{name:32} n {problems:3} k {samples:2}  {'  '.join(cells)}"


# ---------------------------------------------------------------------------------------- tied sets


def drawn_panel(name: str, *size: Any) -> tuple[Matrix, Mask, Any]:
    """Scores, which cells are best, and families if they are named."""
    x, best = (SCENARIOS | AHEAD)[name](*size)
    return x, best, np.arange(len(x)) // FAMILY if name == "correlated problems" else None


def tied_set(name: str, problems: int, samples: int, rng: np.random.Generator) -> list[float]:
    """Of correlated problems the families are named."""
    x, best, family = drawn_panel(name, problems, samples, rng)
    count = np.full(x.shape, samples)
    held = best_p_values(x * samples, count, permutations=499, group=family) > 0.05
    return [not held[best].all(), held.sum()]


LEADS = (0.0, 3.0, 4.0, np.log(7 * CELLS), np.log(20 * CELLS))
"""None, the rule of three, one between, `statistics.lead`, and ln(cells / α)."""


def other_leads(name: str, problems: int, samples: int, rng: np.random.Generator) -> list[float]:
    """Whether a true best is left out, and the size, with each least lead; then without a cubic."""
    x, best, family = drawn_panel(name, problems, samples, rng)
    count, found, own = np.full(x.shape, samples), list[float](), tied.least_lead
    cubic = statistics.contrasts.straightened
    for keeps, lead in product((False, True), LEADS):
        tied.least_lead = lambda _, lead=lead: lead
        if keeps:
            statistics.contrasts.straightened = lambda score, _: score
        held = best_p_values(x * samples, count, permutations=299, group=family) > 0.05
        found += [not held[best].all(), held.sum()]
        tied.least_lead, statistics.contrasts.straightened = own, cubic
    return found


def tasks(runs: int, only: str) -> Iterator[str]:
    """Settings that suit one task or the other."""
    for sizes in (
        (10, 10, 10),
        (10, 198),
        (10, 1000),
        (30, 198),
        (30, 500),
        (50, 1000),
        (10, 20, 198),
    ):
        if only not in str(sizes):
            continue
        task, wrong = np.repeat(np.arange(len(sizes)), sizes), list[bool]()
        for run in range(runs):
            x = suiting(sizes, 5, np.random.default_rng([run, *sizes]))
            p = best_p_values(x * 5, np.full(x.shape, 5), task, permutations=499)
            wrong.append(not (p > 0.05).all())
        yield f"tasks of {sizes!s:28} wrong {np.mean(wrong):.3f}"


# ---------------------------------------------------------------------------------------- intervals

ENDS = {
    "pass^16 of 64, hard": (0.2, 2.0, 64, 16, True),
    "pass@16 of 64, easy": (1.0, 0.02, 64, 16, False),
    "pass^4 of 8, hard": (0.2, 2.0, 8, 4, True),
    "pass@4 of 8, easy": (4.0, 0.3, 8, 4, False),
}
"""Near 0 or 1: shape of the chances, samples, k, and whether all k are to be right."""
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
    for (name, (a, b, n, k, every)), problems in product(ENDS.items(), (10, 30, 100, 198)):
        rng = np.random.default_rng([problems, n, k])
        right = rng.binomial(n, rng.beta(a, b, (problems, runs)))
        points = statistics.pass_scores(np.full(right.shape, n), right, k, every=every).mean
        chance = rng.beta(a, b, 1_000_000)
        truth = np.mean(chance**k) if every else np.mean(1 - (1 - chance) ** k)
        limits = interval(points * n, np.full(right.shape, n))
        yield row.format(name[:14], problems, n, cell(limits, float(truth)), "", "", "")
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
    (limits,) = statistics.simultaneous([(pairs, statistics.gaps(pairs))], permutations=299)
    told, far = ~np.isnan(limits.low), FALLING.get(name, np.zeros(20))[1:]
    right = (limits.low <= far + 1e-12) & (far - 1e-12 <= limits.high)
    differs = (limits.low > 0) | (limits.high < 0)
    width = (limits.high - limits.low)[told].mean() if told.any() else np.nan
    power = differs[far != 0].mean() if far.any() else np.nan
    return [not right[told].all(), differs[far == 0].any(), 50 * width, power]


MODELS = np.linspace(0, CELLS - 1, 8).round().astype(int)


def board(name: str, problems: int, samples: int, rng: np.random.Generator) -> list[float]:
    """Whether some pair is told apart."""
    x = SCENARIOS[name](problems, samples, rng)[0][:, MODELS]
    pairs = [*combinations(range(x.shape[1]), 2)]
    ends = statistics.joint([statistics.ahead(x[:, a] - x[:, b]) for a, b in pairs], len(MODELS))
    return [any(low > 0 or high < 0 for low, high in ends)]


RIGHT = {"half right": (0.5, 0.5, 0.4), "most right": (0.7, 0.6, 0.5), "all but": (0.9, 0.85, 0.82)}
"""Shares of problems that one of two models solves, that the other does, and that both do."""


def alike(runs: int, only: str) -> Iterator[str]:
    """A line for each scenario and number of problems."""
    for name, problems in product([n for n in RIGHT if only in n], (20, 50, 200)):
        x_share, y_share, both = RIGHT[name]
        cells = np.array([1 - x_share - y_share + both, y_share - both, x_share - both, both])
        observed = cells[0] + cells[3]
        by_chance = x_share * y_share + (1 - x_share) * (1 - y_share)
        spread = x_share * (1 - x_share) * y_share * (1 - y_share)
        won = cells[2] + observed / 2
        truths = {
            "agreement": observed,
            "kappa": (observed - by_chance) / (1 - by_chance),
            "correlation": (both - x_share * y_share) / spread**0.5,
            "rating": 400 * np.log10(won / (1 - won)),
        }
        held: dict[str, list[float]] = {number: [] for number in truths}
        for run in range(runs):
            drawn = np.random.default_rng([run, problems]).choice(4, problems, p=cells)
            x, y, unit = (drawn >= 2) * 1.0, (drawn % 2) * 1.0, np.arange(problems)
            games = [bradley_terry.Games(0, 1, (1 + np.sign(x - y)) / 2, unit)]
            rating = bradley_terry.rate(games, 2)
            ends = {word: getattr(agreement, word)(x, y, unit)[1:] for word in [*truths][:3]}
            ends["rating"] = rating.margin(0, 1)[1:] if rating else (np.nan, np.nan)
            for number, (low, high) in ends.items():
                inside = low <= truths[number] <= high
                held[number].append(np.nan if np.isnan(low) else inside)
        texts = []
        for number, hits in held.items():
            texts.append(f"{number} {np.nanmean(hits):.3f} ({np.isnan(hits).mean():.2f} none)")
        yield f"{name:12} n {problems:3}  {'  '.join(texts)}"


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


def breaking(part: float, last: bool = False) -> Draw:
    """Equal means: along x a part of the problems breaks, and all others gain what these lose.

    `last`: at the last value alone.
    """

    def drawn(problems: int, samples: int, rng: np.random.Generator) -> Matrix:
        lost, step = rng.random((problems, 1)) < part, ACROSS / 4
        step = (step == 1) * 1.0 if last else step
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
    "a twentieth breaks along x": (breaking(0.05), ()),
    "a tenth breaks along x": (breaking(0.1), ()),
    "3 % break at the last value": (breaking(0.03, last=True), ()),
    "a twentieth at the last value": (breaking(0.05, last=True), ()),
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
    panel = PanelCounts(
        np.full(x.shape, samples), x * samples, number * 0, number, np.full(20, len(x)), False,
        np.arange(20), ["t"], ~none, none, none, none[0],
    )  # fmt: skip
    word = metric("pass@1")
    across, up = (judged.judged_levels(panel, at, word, "highest", 2) for at in (ACROSS, UP))
    best = np.array(shape) == max(shape) if shape else np.ones(5, bool)
    return [not (across[best].all() and up.all()), not across.all()]


def looks(runs: int, _: str) -> Iterator[str]:
    """Problems arrive in random order, or all are there and epochs arrive."""

    def apart(arriving: str, problems: int, epochs: int, number: int, run: int) -> list[Any]:
        rng = np.random.default_rng([run, problems, epochs, number])
        right = rng.random((problems, CELLS, epochs)) < ease(problems, rng)[..., None]
        found = []
        for look in range(1, number + 1):
            rows = problems * look // number if arriving == "problems" else problems
            deep = epochs * look // number if arriving == "epochs" else epochs
            part = right[:rows, :, :deep]
            count = np.full(part.shape[:2], deep)
            there = part.size / right.size
            p = [best_p_values(part.sum(axis=2), count, None, 299, grown=f) for f in (None, there)]
            found.append([bool((one <= 0.05).any()) for one in p])
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
        once, every = told.any(axis=1).mean(axis=0)
        yield (
            f"{number:2} looks while {arriving} arrive (n {problems}, k {epochs})  wrong at some "
            f"look {every:.3f}  as judged once {once:.3f}, at the last {told[:, -1, 0].mean():.3f}"
        )
    for problems, epochs in product((30, 198), (1, 5)):
        points, held = np.mean([above(problems, epochs, run) for run in range(4 * runs)], axis=0)
        yield (
            f"highest of 20 equal cells (n {problems}, k {epochs})  above its truth {points:.1f} "
            f"points  its interval holds {held:.3f}"
        )


Panels = Callable[[str, int, int, np.random.Generator], Sequence[float]]
TABLES: tuple[tuple[str, Sequence[str], Sequence[tuple[int, int]], Panels, int], ...] = (
    ("**a best setting is told not to be it** (`tied`)", [*SCENARIOS], SIZES, tied_set, 0),
    (
        "*cells left of 20* (`tied`), 8 samples",
        [*AHEAD],
        [n for n in SIZES if n[1] == 8],
        tied_set,
        1,
    ),
    ("**a value of an axis is told not to be it** (`levels`)", [*AXES], SMALLER, axis, 0),
    ("**some pair of a board is told apart** (`pairs`)", [SOME[0], *SOME[3:]], SMALLER, board, 0),
    ("**a cell is told to differ that does not** (`baseline`)", SOME, SMALLER, baseline, 1),
    ("**an interval beside a baseline misses** (`baseline`)", SOME, SMALLER, baseline, 0),
)
"""Heading, scenarios, sizes, what is measured, and which of its numbers is printed."""


def docs(runs: int, _: str) -> Iterator[str]:
    """Tables in Markdown: of each scenario and number of problems the worst of all samples."""
    for heading, names, sizes, measure, column in TABLES:
        problems = [*dict.fromkeys(n for n, _ in sizes)]
        yield f"| {heading} | {' | '.join(map(str, problems))} |"
        yield "|---|" + "---|" * len(problems)
        for name in names:
            worst = dict.fromkeys(problems, 0.0)
            for n, samples in sizes:
                drawn = [np.random.default_rng([run, n, samples]) for run in range(runs)]
                mean = np.mean([measure(name, n, samples, rng)[column] for rng in drawn])
                worst[n] = max(worst[n], float(mean))
            share = "left" not in heading
            cells = (f"{100 * w:.0f}" if share else f"{w:.1f}" for w in worst.values())
            yield f"| {name} | {' | '.join(cells)} |"
        yield ""
    yield from tasks(runs, "")
    yield from looks(runs, "")


MEASURES: dict[str, Callable[[int, str], Iterator[str]]] = {
    "tied": partial(table, [*SCENARIOS, *AHEAD], SIZES, tied_set, "wrong, size"),
    "lead": partial(
        table,
        [*SOME, *AHEAD],
        SMALLER,
        other_leads,
        ", ".join(f"{k}{lead:.1f} {c}" for k in ("", "raw ") for lead in LEADS for c in "ws"),
    ),
    "tasks": tasks,
    "intervals": intervals,
    "baseline": partial(table, SOME, SMALLER, baseline, "misses, wrong, half width, told"),
    "levels": partial(table, [*AXES], SMALLER, axis, "wrong, x told"),
    "pairs": partial(table, [SOME[0], *SOME[3:]], SMALLER, board, "wrong"),
    "alike": alike,
    "looks": looks,
    "docs": docs,
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
