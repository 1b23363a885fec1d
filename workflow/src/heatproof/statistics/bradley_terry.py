"""Ratings of models from who wins how often against whom.

Model i beats j with the chance 1 / (1 + exp(r_j − r_i)) (Bradley and Terry 1952, "Rank Analysis of
Incomplete Block Designs"); a tie is half a win for both. Ratings r of greatest likelihood exist
where no group of models wins, or loses, all against the others (Ford 1957). They are given in Elo
points, 400 / ln 10 of r, of which only differences have a meaning.

Instances of one problem are not independent, above all where all pairs are compared on the same
problems: the covariance is the sandwich A⁻¹ B A⁻¹ · G / (G − 1) (White 1982), A the information,
and B the sum over G problems, or families, of the squared score of each (Liang and Zeger 1986).
"""

from __future__ import annotations

from math import log, nan, sqrt
from typing import TYPE_CHECKING, NamedTuple

from heatproof.statistics.contrasts import count_labels, few_clusters, largest_size
from heatproof.statistics.estimates import two_sided
from heatproof.util.lazy import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

ELO = 400 / log(10)
STEPS = 100  # of Newton's method, at most: a dozen are enough for hundreds of models
DIGITS = 9  # beyond these decimals of an Elo point, machines differ


class Games(NamedTuple):
    """Instances on which two models meet."""

    first: int  # numbers of the models
    second: int
    won: Floats  # by the first: 1, 0, or ½ for a tie
    group: Ints  # the problem, or family, of each, numbered alike in all pairs


class Ratings(NamedTuple):
    """Ratings in Elo points, about a mean of 0."""

    rating: Floats
    covariance: Floats
    units: int

    def margin(self, first: int, second: int) -> tuple[float, float, float]:
        """By how much one is ahead of another, with the ends of its 95 % interval."""
        value = float(self.rating[first] - self.rating[second])
        if self.units < 2:
            return round(value, DIGITS), nan, nan
        covariance = self.covariance
        spread = covariance[first, first] + covariance[second, second]
        variance = float(spread - 2 * covariance[first, second])
        reach = two_sided(self.units - 1) * sqrt(max(variance, 0.0))
        low = value - reach
        high = value + reach
        return round(value, DIGITS), round(low, DIGITS), round(high, DIGITS)


def is_finite(wins: Floats) -> bool:
    """Whether each model is better than each other by some chain of wins; `wins`: row over column.

    Then all ratings are finite.
    """
    reached = (wins > 0) | np.eye(len(wins), dtype=bool)
    for middle in range(len(wins)):
        by_middle = reached[:, [middle]] & reached[[middle], :]
        reached |= by_middle
    return bool(reached.all())


def rate(games: Sequence[Games], models: int) -> Ratings | None:
    """The ratings of models by their games; None where some are not finite."""
    wins = np.zeros((models, models))
    for pair in games:
        wins[pair.first, pair.second] += pair.won.sum()
        wins[pair.second, pair.first] += (1 - pair.won).sum()
    if models < 2 or not is_finite(wins):
        return None
    rating = np.zeros(models)
    played = wins + wins.T
    for _ in range(STEPS):
        chance = _chances(rating)
        score = (wins - played * chance).sum(axis=1)
        information = _rating_information(played, chance)
        step = np.linalg.solve(information, score)
        largest = largest_size(step)
        rating += step / max(largest / 2, 1.0)  # no step leads far beyond the top
        top = largest_size(rating)
        if largest < 1e-13 * max(top, 1.0):
            break
    rating -= rating.mean()
    units = max(count_labels(pair.group) for pair in games)
    scores = np.zeros((units, models))
    for pair in games:
        odds_of_second = np.exp(rating[pair.second] - rating[pair.first])
        chance_of_first = 1 / (1 + odds_of_second)
        surplus = np.bincount(pair.group, pair.won - chance_of_first, units)
        scores[:, pair.first] += surplus
        scores[:, pair.second] -= surplus
    groups = np.concatenate([pair.group for pair in games])
    distinct = np.unique(groups)
    number = len(distinct)
    chance = _chances(rating)
    information = _rating_information(played, chance)
    inverse = np.linalg.inv(information)
    covariance = inverse @ (scores.T @ scores) @ inverse * few_clusters(number)
    return Ratings(rating * ELO, covariance * ELO**2, number)


def _chances(rating: Floats) -> Floats:
    """The chance of each model, by row, to beat each other one."""
    odds = np.exp(rating[None, :] - rating[:, None])
    chances = 1 / (1 + odds)
    return np.asarray(chances)


def _rating_information(played: Floats, chance: Floats) -> Floats:
    """Fisher's, with the mean rating held at 0."""
    weights = played * chance * (1 - chance)
    laplacian = np.diag(weights.sum(axis=1)) - weights
    return np.asarray(laplacian + 1 / len(played))
