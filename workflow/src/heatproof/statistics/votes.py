"""The vote of k samples of a problem: the answer that most of them give is taken.

maj@k (Wang et al. 2022, "Self-Consistency Improves Chain of Thought Reasoning in Language
Models"), in reports of later models cons@k. Of n samples each k are equally likely to vote, as for
pass@k; of answers that as many give, each is as likely to be taken.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import lru_cache
from math import comb
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    Ballots = tuple[int, float]
    """Samples with one answer, and the sum of their scores."""
    Sizes = tuple[tuple[int, int], ...]
    """Pairs of a size, and how many answers have as many samples; ascending."""


def vote_at_k(answers: Sequence[Ballots], none: Ballots, k: int) -> float:
    """Expected score of the answer that most of k samples give, over all choices of k.

    The score of an answer is the mean of its samples. Samples without one (`none`) never win
    against an answer; where all k are such, theirs is the mean of these samples.

    Raises:
        ValueError: there are fewer than k samples, or k is below 1.
    """
    return _vote(tuple(sorted(answers)), none, k)


@lru_cache(maxsize=1 << 16)  # most problems of a sweep are alike
def _vote(answers: tuple[Ballots, ...], none: Ballots, k: int) -> float:
    n = none[0] + sum(size for size, _ in answers)
    if not 1 <= k <= n:
        raise ValueError(f"{k} of {n} samples cannot vote")
    sizes = tuple(sorted(Counter(size for size, _ in answers).items()))
    right = [(size, total) for size, total in answers if total]
    each = (win_chance(size, sizes, none[0], k) / size * Fraction(total) for size, total in right)
    value = sum(each, Fraction(0))
    if none[0] >= k:
        value += Fraction(comb(none[0], k), comb(n, k)) / none[0] * Fraction(none[1])
    return float(value)


@lru_cache(maxsize=1 << 14)
def win_chance(size: int, sizes: Sizes, none: int, k: int) -> Fraction:
    """The chance that an answer of so many samples wins, one of those of all `sizes`.

    It does with c votes where all others have fewer, and shares where t others have c too:
    Σ_c C(size, c) Σ_t ways(k − c, t) / (t + 1), divided by C(n, k).
    """
    n = none + sum(one * many for one, many in sizes)
    if k == n:  # one choice, of all: the plain vote
        return Fraction(1, sizes[-1][1]) if size == sizes[-1][0] else Fraction(0)
    others = Counter(dict(sizes)) - Counter({size: 1})
    found = Fraction(0)
    for votes in range(1, min(size, k) + 1):
        tied = _ways(others, none, votes, k - votes)
        shared = sum((Fraction(way, t + 1) for t, way in enumerate(tied)), Fraction(0))
        found += comb(size, votes) * shared
    return found / comb(n, k)


def _ways(others: Counter[int], none: int, votes: int, rest: int) -> list[int]:
    """Of t: the choices of `rest` samples in which t answers have as many `votes`, none more.

    They are coefficients of a product of polynomials, one for each answer, of which the term of
    degree j counts the choices of j of its samples.
    """
    free = none + sum(size * many for size, many in others.items() if size < votes)
    tied = [[comb(free, j) for j in range(rest + 1)]]
    for size in sorted(others.elements()):
        if size >= votes:
            fewer = [comb(size, j) for j in range(min(votes - 1, rest) + 1)]
            tied = _with_answer(tied, fewer, votes, comb(size, votes))
    return [ways[rest] for ways in tied]


def _with_answer(
    tied: Sequence[list[int]], fewer: Sequence[int], votes: int, as_many: int
) -> list[list[int]]:
    """The polynomials with one more answer: t → that for t answers with as many `votes`.

    `fewer`: j → choices of j of its samples; `as_many`: those of `votes` of them.
    """
    most = len(tied[0])
    found = [[0] * most for _ in range(len(tied) + (votes * len(tied) < most))]
    for t, ways in enumerate(tied):
        for degree, way in enumerate(ways):
            if not way:
                continue
            for j, choices in enumerate(fewer[: most - degree]):
                found[t][degree + j] += way * choices
            if degree + votes < most:
                found[t + 1][degree + votes] += way * as_many
    return found
