"""A cell counted once more in exact fractions, in plain Python, apart from the code of grids.

What a problem and a task give is told by the row of the metric (`heatproof.metrics`); a cell of
several tasks is the unweighted mean of theirs. Rows may end with their value of a column over which
the cell is the mean: then a problem is counted for each of its values, and is the mean of these.
"""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from functools import lru_cache
from math import comb, lcm
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from heatproof.metrics import Metric

    Row = tuple[Any, ...]
    """Task, sample and what was measured; then the value of the column."""
    Ballot = tuple[Any, ...]
    """The same, with the answer behind what was measured."""
    Scores = dict[tuple[Any, ...], list[Fraction]]
    """What was measured of a problem, for each value of the column."""
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
    tasks: dict[str, dict[str, Scores]]
    tasks = defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
    for task, sample, measured, *part in rows:
        tasks[task][sample][tuple(part)].append(Fraction(measured))
    return {task: _task(problems, what, pooled) for task, problems in sorted(tasks.items())}


def votes(rows: Iterable[Ballot], what: Metric, known: Iterable[str] = ()) -> dict[str, Count]:
    """The same of a vote on the answers: `maj@k`; none where no answer of a task is told.

    Apart from the code of grids: it goes by the height of the highest count among k samples.
    `known`: tasks of which other records tell some.
    """
    tasks: dict[str, dict[str, dict[tuple[Any, ...], dict[str, list[Fraction]]]]]
    tasks = defaultdict(lambda: defaultdict(lambda: defaultdict(lambda: defaultdict(list))))
    told: set[tuple[Any, ...]] = set()
    for task, sample, measured, answer, *part in rows:
        tasks[task][sample][tuple(part)][answer or ""].append(Fraction(measured))
        if answer is not None:
            told.add((task, *part))
    sure, found = {*known}, {}
    for task, problems in sorted(tasks.items()):
        values, epochs = [], 0
        for parts in problems.values():
            sizes = [sum(map(len, answers.values())) for answers in parts.values()]
            silent = task not in sure and any((task, *part) not in told for part in parts)
            if min(sizes) >= what.number and not silent:
                votes = [_vote(_by_answer(answers), what.number) for answers in parts.values()]
                values.append([sum(votes, Fraction(0)) / len(votes)])
                epochs += sum(sizes)
        found[task] = Count(*what.exact(values), epochs)
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


def _task(problems: dict[str, Scores], what: Metric, pooled: bool) -> Count:
    used = [parts for parts in problems.values() if min(map(len, parts.values())) >= (what.k or 1)]
    flat = [[score for scores in parts.values() for score in scores] for parts in used]
    epochs = sum(map(len, flat))
    if pooled and used:
        total = sum((score for scores in flat for score in scores), Fraction(0))
        return Count(total / epochs, len(used), epochs)
    each = [[what.problem.exact(s, what.number) for s in parts.values()] for parts in used]
    values = [[sum(one, Fraction(0)) / len(one)] for one in each]
    return Count(*what.by_problem().exact(values), epochs)


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
