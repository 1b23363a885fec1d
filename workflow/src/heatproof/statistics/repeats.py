"""One value of the samples of a problem: pass@k, a vote, or what a harness reduces repeats to.

pass@k and pass^k are the chance that one, or each, of k samples of a problem is correct. maj@k
(Wang et al. 2022, "Self-Consistency Improves Chain of Thought Reasoning in Language Models"), also
called cons@k, takes the answer that most of k samples give. As for pass@k, any k of n samples are
equally likely to vote; of answers with equally many votes each is equally likely to be taken.

Reductions of harnesses (inspect_ai, `scorer/_reducer/reducer.py`): `mean`, `median`, `mode` (of
several, the first), `max`; `first`: the first repeat alone; `all`: each repeat counts for itself;
`at_least_k`: 1 if k repeats are right; `pass_at_k`: 1 − C(n − c, k) / C(n, k); `pass_k_k`: C(c, k)
/ C(n, k). Right is a score of 1.
"""

from __future__ import annotations

import re
import statistics
from collections import Counter
from fractions import Fraction
from functools import lru_cache
from math import comb
from typing import TYPE_CHECKING, Any

from heatproof.statistics.contrasts import LARGEST, Scores
from heatproof.util.lazy import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]
    Reduction = Callable[[Floats, NDArray[Any]], Floats]
    Ballots = tuple[int, float]  # samples with one answer, and the sum of their scores
    Sizes = tuple[tuple[int, int], ...]
    """Pairs of a size, and how many answers have as many samples; ascending."""


def pass_scores(n: ArrayLike, c: ArrayLike, k: int, *, every: bool) -> Scores:
    """Unbiased pass@k of each problem, 1 − C(n − c, k) / C(n, k); NaN where n < k.

    `every`: pass^k instead, C(c, k) / C(n, k), the chance that all k are correct. The numerators
    are exact while C(n, k) is small and n the same. Sources: Chen et al. 2021, "Evaluating Large
    Language Models Trained on Code", equation 1; Yao et al. 2024, "τ-bench: A Benchmark for
    Tool-Agent-User Interaction in Real-World Domains".
    """
    samples = np.asarray(n, dtype=np.int64)
    correct = np.asarray(c, dtype=np.int64)
    counts = np.stack([samples.ravel(), correct.ravel()], axis=1)
    kinds, place = np.unique(counts, axis=0, return_inverse=True)
    sizes = {int(size) for size in kinds[:, 0] if size >= k}
    scale = 1
    if len(sizes) == 1:
        scale = comb(sizes.pop(), k)
    if scale > LARGEST:
        scale = 1

    def point(size: int, right: int) -> float:
        if size < k:
            return float("nan")
        choices = comb(size, k)
        if every:
            good = comb(right, k)
        else:
            good = choices - comb(size - right, k)
        return scale * good / choices

    table = np.array([point(size, right) for size, right in kinds.tolist()])
    return Scores(table[place.ravel()].reshape(samples.shape), scale)


def vote_at_k(answers: Sequence[Ballots], none: Ballots, k: int) -> float:
    """Expected score of the answer that most of k samples give, over all choices of k.

    The score of an answer is the mean of its samples. Samples without an answer (`none`) win only
    where all k are such, with their mean.
    """
    ordered = tuple(sorted(answers))
    return _vote_score(ordered, none, k)


@lru_cache(maxsize=1 << 16)  # most problems of a sweep are alike
def _vote_score(answers: tuple[Ballots, ...], none: Ballots, k: int) -> float:
    unanswered, unanswered_total = none
    answer_sizes = [size for size, _ in answers]
    sizes = tuple(sorted(Counter(answer_sizes).items()))
    value = Fraction(0)
    for size, total in answers:
        if total:
            chance = win_chance(size, sizes, unanswered, k)
            value += chance / size * Fraction(total)
    if unanswered >= k:
        samples = unanswered + sum(answer_sizes)
        chance = Fraction(comb(unanswered, k), comb(samples, k))
        value += chance / unanswered * Fraction(unanswered_total)
    return float(value)


@lru_cache(maxsize=1 << 14)
def win_chance(size: int, sizes: Sizes, none: int, k: int) -> Fraction:
    """The chance that an answer of `size` samples, one of those of all `sizes`, wins.

    With c votes it wins if all others have fewer, and shares with t others that have c too:
    Σ_c C(size, c) Σ_t ways(k − c, t) / (t + 1), divided by C(n, k).
    """
    n = none + sum(votes * many for votes, many in sizes)
    if k == n:  # one choice, of all: the plain vote
        largest, winners = sizes[-1]
        if size == largest:
            return Fraction(1, winners)
        return Fraction(0)
    rivals = Counter(dict(sizes)) - Counter({size: 1})
    chance = Fraction(0)
    for votes in range(1, min(size, k) + 1):
        shared = Fraction(0)
        for t, choices in enumerate(_vote_choices(rivals, none, votes, k - votes)):
            winners = t + 1
            shared += Fraction(choices, winners)
        ways = comb(size, votes)
        chance += ways * shared
    all_choices = comb(n, k)
    return chance / all_choices


def _vote_choices(rivals: Counter[int], none: int, votes: int, rest: int) -> list[int]:
    """Of each t: the choices of `rest` samples in which t answers have `votes` votes, none more.

    They are coefficients of a product of polynomials, one for each answer, whose term of degree j
    counts the choices of j of its samples.
    """
    degrees = range(rest + 1)
    sizes = sorted(rivals.elements())
    free = none + sum(size for size in sizes if size < votes)
    tied = [[comb(free, j) for j in degrees]]
    for size in sizes:
        if size < votes:
            continue
        fewer = [comb(size, j) for j in degrees[:votes]]
        most_tied = len(tied) + (votes * len(tied) <= rest)
        product = [[0 for _ in degrees] for _ in range(most_tied)]
        for t, ways in enumerate(tied):
            for degree, way in enumerate(ways):
                if not way:
                    continue
                for j, choices in enumerate(fewer[: rest + 1 - degree]):
                    product[t][degree + j] += way * choices
                if degree + votes <= rest:
                    product[t + 1][degree + votes] += way * comb(size, votes)
        tied = product
    return [ways[rest] for ways in tied]


COUNTED = re.compile(r"(at_least|pass_at|pass_k)_([1-9]\d{0,5})")
REDUCTIONS: dict[str, Reduction] = {
    "all": lambda scores, _: scores,
    "first": lambda scores, first: scores[first],
    "max": lambda scores, first: np.maximum.reduceat(scores, first),  # noqa: PLW0108 - loads numpy
    "mean": lambda scores, first: np.add.reduceat(scores, first) / _problem_sizes(scores, first),
    "median": lambda scores, first: _by_problem(statistics.median, scores, first),
    "mode": lambda scores, first: _by_problem(statistics.mode, scores, first),
}


def is_known(reduction: str) -> bool:
    """Whether `reduced` knows a reduction."""
    return reduction in REDUCTIONS or COUNTED.fullmatch(reduction) is not None


def reduced(scores: Floats, first: NDArray[Any], reduction: str) -> Floats:
    """One value for each problem, NaN where there is none, by a reduction.

    `scores`: of all repeats, problem by problem; `first`: where each problem begins.
    """
    if reduction in REDUCTIONS:
        return REDUCTIONS[reduction](scores, first)
    rule, _, number = reduction.rpartition("_")
    k = int(number)
    samples = _problem_sizes(scores, first)
    is_right = scores >= 1
    right = np.add.reduceat(is_right.astype(np.int64), first)
    if rule == "at_least":
        return (right >= k).astype(np.float64)
    return pass_scores(samples, right, k, every=rule == "pass_k").mean


def _problem_sizes(scores: Floats, first: NDArray[Any]) -> NDArray[np.int64]:
    return np.diff(np.append(first, len(scores)))


def _by_problem(
    value: Callable[[list[float]], float], scores: Floats, first: NDArray[Any]
) -> Floats:
    problems = np.split(scores, first[1:])
    return np.array([value(problem.tolist()) for problem in problems])
