"""A cell counted once more in exact fractions, in plain Python, apart from the code of grids.

What a problem and a task give is told by the row of the metric (`heatproof.metrics`); a cell of
several tasks is the unweighted mean of theirs.
"""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from math import comb
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from heatproof.metrics import Metric

    Row = tuple[str, str, float]
    """Task, sample and what was measured."""

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


def _task(problems: dict[str, list[Fraction]], what: Metric, pooled: bool) -> Count:
    used = [scores for scores in problems.values() if len(scores) >= (what.k or 1)]
    epochs = sum(map(len, used))
    if pooled and used:
        total = sum((score for scores in used for score in scores), Fraction(0))
        return Count(total / epochs, len(used), epochs)
    return Count(*what.exact(used), epochs)
