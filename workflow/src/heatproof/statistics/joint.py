"""Intervals of all pairs of models that hold together: 95 % that none of them misses its truth.

For m pairs each is the mean of the paired differences ± Student's t at 1 − α / 2m times its
standard error (Bonferroni; Dunn 1961, "Multiple Comparisons Among Means"). So pairs may rest on
different problems, and a verdict is the interval itself: two models are told apart where it leaves
out zero. For all pairs of 8 models it is 3 % wider than Tukey's, which asks for the same problems.

A t whose differences are all on one side may be as large as it likes, however few they are. So a
pair has no interval where that would be no wonder: k fair coins fall alike with 2 / 2ᵏ, which must
be at most α / m for the k units with a difference.

Measured (3 and 8 equal models, 10 to 300 problems, 200 to 600 runs): some pair is told apart in 0
to .065 of runs, for right and wrong at any spread of difficulty, for means of five epochs, for
graded scores. Not where one model always has the mean that the other scatters about, such as .9
beside 1 in nine cases of ten and else 0: .36 with 10 problems and 3 models, .16 with 30 and 8, .06
with 100. There a few problems make the difference, and boards tell no pair apart of which
`tied.skewed` says so: some pair is told in 0 to .06 (tests/bench/coverage_pairs.py; 8 models, 30 to
198 problems, 1 to 64 samples, 300 runs each), where it was up to .17.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from heatproof.statistics.intervals import student

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heatproof.statistics.paired import Paired


Ends = tuple[float, float]
NONE = math.nan, math.nan


def joint(pairs: Sequence[Paired | None], alpha: float = 0.05) -> list[Ends]:
    """The interval of each mean difference x − y; NaN where a pair is None, or has none.

    Pairs that are None count for nothing: they are not compared.
    """
    share = alpha / max(sum(pair is not None for pair in pairs), 1)
    return [_interval(pair, share) for pair in pairs]


def _interval(pair: Paired | None, share: float) -> Ends:
    if pair is None or pair.units < 2 or pair.decided < fewest(share):
        return NONE
    half = student(1 - share / 2, pair.units - 1) * pair.se
    return pair.difference - half, pair.difference + half


def fewest(share: float) -> int:
    """Units that must have a difference, lest chance put all on one side more often than `share`.

    Six for one pair at 5 %, 11 for 28 pairs, 13 for 190.
    """
    needed = 1
    while 2.0 ** (1 - needed) > share:
        needed += 1
    return needed
