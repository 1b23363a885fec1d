"""Numbers about two values of a column, one beside the other, on the instances that both have.

Each is a row of `TABLE`: its value in floats with an interval, for grids, and the same in exact
fractions, for the recount, by code that no grid uses. An instance gives x of one, y of the other.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import exp, log, sqrt
from typing import TYPE_CHECKING, NamedTuple

from heatproof.metrics import exact_sum
from heatproof.statistics import agreement
from heatproof.util.lazy import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from heatproof.statistics.agreement import Likeness

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Exact = Mapping[tuple[Fraction, Fraction], int]
    """x and y of instances → how many have these."""

EQUAL = agreement.EQUAL
HAIR = Fraction(EQUAL)
"""A lead up to a hair is rounding of the logs: it wins nothing."""


class PairNumber(NamedTuple):
    """A number of two values of a column."""

    words: str  # what it is, of the row and of the column
    exact: Callable[[Exact], Fraction | None]
    """Its value from all instances; None where it is not defined."""
    estimate: Callable[[Floats, Floats, Ints], Likeness] | None = None
    """The same in floats, with its interval, from x, y and the problem of each instance."""
    lead: Callable[[Floats], Floats] | None = None
    """Of a mean of leads: what an instance counts by x − y. All pairs are judged together."""
    scale: tuple[float, float] = (1.0, 0.0)
    """How the number is made of the mean of leads: factor, and start, its value for equals."""
    is_alike: bool = False  # it is the same both ways round, and says nothing on who is ahead
    of_all: bool = False  # it rests on all pairs of a panel together

    @property
    def equal(self) -> float:
        """Its value for two of which none is ahead."""
        return self.scale[1]


def exact_sign(x: Fraction, y: Fraction) -> int:
    """1 where x is ahead, −1 where y is, 0 where neither."""
    lead = x - y
    return int(lead > HAIR) - int(lead < -HAIR)


def exact_tally(pairs: Exact) -> list[int]:
    """On how many instances x is ahead, none is, and y is."""
    counts = [0, 0, 0]
    for (x, y), count in pairs.items():
        counts[1 - exact_sign(x, y)] += count
    return counts


def _lead_signs(leads: Floats) -> Floats:
    return np.sign(leads)


def _count_pairs(pairs: Exact) -> int:
    return sum(pairs.values())


def _mean_difference(pairs: Exact) -> Fraction:
    return exact_sum((x - y) * count for (x, y), count in pairs.items()) / _count_pairs(pairs)


def exact_wins(pairs: Exact) -> Fraction:
    """The share of instances that x wins, ties counted half."""
    wins, ties, _ = exact_tally(pairs)
    return Fraction(2 * wins + ties, 2 * _count_pairs(pairs))


def _agreement(pairs: Exact) -> Fraction:
    _, ties, _ = exact_tally(pairs)
    return Fraction(ties, _count_pairs(pairs))


def _kappa(pairs: Exact) -> Fraction | None:
    of_x = Counter[Fraction]()
    of_y = Counter[Fraction]()
    equal = 0
    for (x, y), count in pairs.items():
        outcomes = round(x, 9), round(y, 9)
        of_x[outcomes[0]] += count
        of_y[outcomes[1]] += count
        if outcomes[0] == outcomes[1]:
            equal += count
    n = _count_pairs(pairs)
    by_chance = Fraction(sum(of_x[value] * of_y[value] for value in of_x), n * n)
    if by_chance == 1:
        return None
    return (Fraction(equal, n) - by_chance) / (1 - by_chance)


def _correlation(pairs: Exact) -> Fraction | None:
    sides = [[x for x, _ in pairs], [y for _, y in pairs]]
    if any(max(side) - min(side) <= HAIR for side in sides):
        return None
    n = _count_pairs(pairs)
    x_mean = exact_sum(x * count for (x, _), count in pairs.items()) / n
    y_mean = exact_sum(y * count for (_, y), count in pairs.items()) / n
    x_spread, y_spread, together = Fraction(0), Fraction(0), Fraction(0)
    for (x, y), count in pairs.items():
        x_spread += count * (x - x_mean) ** 2
        y_spread += count * (y - y_mean) ** 2
        together += count * (x - x_mean) * (y - y_mean)
    return Fraction(float(together) / sqrt(x_spread) / sqrt(y_spread))


TABLE: Mapping[str, PairNumber] = {
    "win_rate": PairNumber(
        "percent won by the row, ties counted half", exact_wins, lead=_lead_signs, scale=(0.5, 0.5)
    ),
    "difference": PairNumber("row less column", _mean_difference, lead=lambda lead: lead),
    "agreement": PairNumber(
        "percent with the same score", _agreement, agreement.agreement, is_alike=True
    ),
    "kappa": PairNumber(
        "agreement beyond chance", _kappa, agreement.kappa, is_alike=True
    ),
    "correlation": PairNumber(
        "Pearson's correlation of scores", _correlation, agreement.correlation, is_alike=True
    ),
    "rating": PairNumber(
        "by how many Elo points the row is ahead of the column", exact_wins, of_all=True
    ),
}  # fmt: skip
"""Word of a metric (`metrics.PAIRED`) → the number."""


# ------------------------------------------------------------------------------ ratings once more


def rate_again(wins: Sequence[Sequence[Fraction]]) -> list[float] | None:
    """Ratings in Elo points from wins of row over column; None where they are not finite.

    Each model in turn takes the rating by which it wins as often as it did (Zermelo 1929), which
    converges slower than the grid's method, and to the same.
    """
    models = range(len(wins))
    played = [[float(wins[i][j] + wins[j][i]) for j in models] for i in models]
    totals = [float(sum(row)) for row in wins]
    if not _is_chained(wins):
        return None
    strength = [0.0 for _ in models]
    for _ in range(ROUNDS):
        largest = 0.0
        for i in models:
            step = _step(i, strength, played[i], totals[i])
            strength[i] += step
            largest = max(largest, abs(step))
        if largest < 1e-14:
            break
    return [400 / log(10) * (value - strength[0]) for value in strength]


ROUNDS = 20_000


def _step(number: int, strength: Sequence[float], played: Sequence[float], won: float) -> float:
    """Newton's step of one model, the others as they are."""
    expected = 0.0
    slope = 0.0
    for other, games in enumerate(played):
        if other == number or not games:
            continue
        chance = 1 / (1 + exp(strength[other] - strength[number]))
        expected += games * chance
        slope += games * chance * (1 - chance)
    return max(min((won - expected) / slope, 1.0), -1.0)


def _is_chained(wins: Sequence[Sequence[Fraction]]) -> bool:
    """Whether each model has won against each other one, or against one that has."""
    models = range(len(wins))
    for start in models:
        reached = {start}
        waiting = [start]
        while waiting:
            winner = waiting.pop()
            for loser in models:
                if wins[winner][loser] > 0 and loser not in reached:
                    reached.add(loser)
                    waiting.append(loser)
        if len(reached) < len(wins):
            return False
    return True
