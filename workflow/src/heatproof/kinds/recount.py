"""A cell counted once more in exact fractions, in plain Python, apart from the code of grids.

What a problem and a task give is told by the row of the metric (`heatproof.metrics`); a cell of
several tasks is the unweighted mean of theirs.
"""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from functools import cache, lru_cache
from math import atan, comb, cos, lcm, pi, sin, sqrt
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from heatproof.metrics import Metric

    Row = tuple[str, str, float]
    """Task, sample and what was measured."""
    Ballot = tuple[str, str, float, str | None]
    """The same, and the answer."""
    Answer = tuple[str, int, Fraction]
    """What stands for it, how many samples gave it, and their mean score."""

CLOSE = 1e-9
"""Two values further apart than this are not the same number rounded twice."""


class Count(NamedTuple):
    """Value of some records, and how many problems and epochs went into it."""

    value: Fraction | None
    samples: int
    epochs: int


def cell(rows: Iterable[Row], what: Metric, pooled: bool = False) -> dict[str, Count]:
    """Task → what its records give.

    `pooled`: each record is a trial of its own, as where only counts are known.
    """
    tasks: dict[str, dict[str, list[Fraction]]] = defaultdict(lambda: defaultdict(list))
    for task, sample, measured in rows:
        tasks[task][sample].append(Fraction(measured))
    return {task: _task(problems, what, pooled) for task, problems in sorted(tasks.items())}


def votes(rows: Iterable[Ballot], what: Metric, known: Iterable[str] = ()) -> dict[str, Count]:
    """The same of a vote on the answers: `maj@k`; none where no answer of a task is told.

    Apart from the code of grids: it goes by the height of the highest count among k samples.
    `known`: tasks of which other records tell some.
    """
    tasks: dict[str, dict[str, dict[str, list[Fraction]]]]
    tasks = defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
    told = {*known}
    for task, sample, measured, answer in rows:
        tasks[task][sample][answer or ""].append(Fraction(measured))
        if answer is not None:
            told.add(task)
    found = {}
    for task, problems in sorted(tasks.items()):
        sizes = {sample: sum(map(len, each.values())) for sample, each in problems.items()}
        used = [s for s, size in sizes.items() if size >= what.number and task in told]
        values = [[_vote(_by_answer(problems[sample]), what.number)] for sample in used]
        found[task] = Count(*what.exact(values), sum(sizes[sample] for sample in used))
    return found


def mean(tasks: dict[str, Count]) -> Count:
    """The cell of several tasks: null as soon as one of them has no value."""
    values = [count.value for count in tasks.values() if count.value is not None]
    value = sum(values, Fraction(0)) / len(values) if values and len(values) == len(tasks) else None
    samples = sum(count.samples for count in tasks.values())
    return Count(value, samples, sum(count.epochs for count in tasks.values()))


def same(value: float | None, counted: Fraction | None) -> bool:
    """Whether a stored value is the one counted, but for the last bits of a float."""
    if value is None or counted is None:
        return value is None and counted is None
    return abs(Fraction(value) - counted) <= Fraction(CLOSE) * max(Fraction(1), abs(counted))


def sign_test(wins: int, losses: int) -> Fraction:
    """Two-sided: the chance that as many fair coins fall at least as unevenly; 1 without any."""
    coins = wins + losses
    tail = sum(comb(coins, heads) for heads in range(max(wins, losses), coins + 1))
    return min(Fraction(1), Fraction(2 * tail, 2**coins))


def holm(chances: Sequence[Fraction]) -> list[Fraction]:
    """Each corrected for their number: the highest of itself and all below, times those left."""
    ranked = sorted(chances)
    stepped = [min(Fraction(1), (len(ranked) - rank) * one) for rank, one in enumerate(ranked)]
    return [max(stepped[: ranked.index(one) + 1]) for one in chances]


@cache
def student_tail(t: float, freedom: int) -> float:
    """The chance that Student's t is further from 0 than t: a finite series in cos θ, whose tangent
    is t / √freedom (Abramowitz and Stegun 1964, 26.7.3 and 26.7.4).
    """
    angle = atan(t / sqrt(freedom))
    square, odd = cos(angle) ** 2, freedom % 2
    term = cos(angle) if odd else 1.0
    series = term if freedom > 1 else 0.0
    for n in range(2 + odd, freedom - 1, 2):
        term *= square * (n - 1) / n
        series += term
    inside = (2 / pi) * (angle + sin(angle) * series) if odd else sin(angle) * series
    return 1 - inside


def variance(units: Sequence[tuple[int, Fraction]]) -> Fraction:
    """That of a mean over clusters, each given by how many it holds and their sum.

    G / (G − 1) · Σ (sum − n · mean)² / N², multiplied out.
    """
    size = sum(n for n, _ in units)
    mean = sum((total for _, total in units), Fraction(0)) / size
    squares = sum((total * total for _, total in units), Fraction(0))
    crossed = sum((n * total for n, total in units), Fraction(0))
    spread = squares - 2 * mean * crossed + mean * mean * sum(n * n for n, _ in units)
    return spread * len(units) / (len(units) - 1) / size**2


def _task(problems: dict[str, list[Fraction]], what: Metric, pooled: bool) -> Count:
    used = [scores for scores in problems.values() if len(scores) >= (what.k or 1)]
    epochs = sum(map(len, used))
    if pooled and used:
        total = sum((score for scores in used for score in scores), Fraction(0))
        return Count(total / epochs, len(used), epochs)
    return Count(*what.exact(used), epochs)


def _by_answer(samples: Mapping[str, Sequence[Fraction]]) -> tuple[Answer, ...]:
    """Samples without an answer come first. Others are alike whatever they say."""
    told = sorted((len(one), sum(one, Fraction(0)) / len(one)) for a, one in samples.items() if a)
    none = samples.get("", [])
    first = [("", len(none), sum(none, Fraction(0)) / len(none))] if none else []
    return (*first, *(("*", *one) for one in told))


@lru_cache(maxsize=1 << 14)
def _vote(answers: tuple[Answer, ...], k: int) -> Fraction:
    """The mean, over all choices of k samples, of the score of the answer most of them give.

    Of answers that as many give it is the mean of theirs; samples without one count where no other
    is chosen.
    """
    named = [(size, score) for answer, size, score in answers if answer]
    blank, worth = next(((size, score) for a, size, score in answers if not a), (0, Fraction(0)))
    if named and blank + sum(size for size, _ in named) == k:  # one choice: those told most
        top = [score for size, score in named if size == max(named)[0]]
        return sum(top, Fraction(0)) / len(top)
    highest = max((size for size, score in named if score), default=0)  # else the sum is 0
    heights = range(1, min(k, highest) + 1)
    total = comb(blank, k) * worth
    total += sum((_highest(named, blank, height, k) for height in heights), Fraction(0))
    return total / comb(blank + sum(size for size, _ in named), k)


def _highest(named: Sequence[tuple[int, Fraction]], blank: int, height: int, k: int) -> Fraction:
    """Sum over the choices of k samples whose highest count of an answer is `height`."""
    whole = lcm(*(score.denominator for _, score in named))
    low = blank + sum(size for size, _ in named if size < height)
    # Samples chosen, answers at the height → choices, and the sum over them of these scores.
    held = {(j, 0): (comb(low, j), 0) for j in range(min(low, k) + 1)}
    for size, score in named:
        if size < height:
            continue
        after: defaultdict[tuple[int, int], tuple[int, int]] = defaultdict(lambda: (0, 0))
        for (chosen, tied), (ways, scores) in held.items():
            for more in range(min(height, k - chosen) + 1):
                at, top = comb(size, more), more == height
                own = ways * int(score * whole) if top else 0
                before = after[chosen + more, tied + top]
                after[chosen + more, tied + top] = (
                    before[0] + at * ways,
                    before[1] + at * (scores + own),
                )
        held = after
    found = ((scores, tied) for (chosen, tied), (_, scores) in held.items() if chosen == k and tied)
    return sum((Fraction(scores, tied * whole) for scores, tied in found), Fraction(0))
