"""Estimates, intervals and tests of the cells of a panel: numpy alone.

A panel is a pair of matrices of shape (problems, cells): `total`, the sum of the scores (0–1) of
a problem's epochs in a cell, and `count`, the number of these (0: the problem is missing there).
`task` (problems,) makes the value of a cell the unweighted mean of its tasks; `group` (problems,)
names problems that are not independent. All of it is about *problems like these*: the unit that
varies is the problem, never the epoch.

Same inputs give the same bytes on any machine: sums are exact (integers, or `math.fsum`), random
signs come from the raw bits of PCG64, and matrix products only add integers below 2**53.
"""

from __future__ import annotations

from heatproof.statistics.baseline import (
    STARS,
    DifferenceLimits,
    Gaps,
    Pairs,
    gaps,
    simultaneous,
    stars,
)
from heatproof.statistics.chance import chance_range, leads_on_equal, resolution
from heatproof.statistics.contrasts import Scores, scores
from heatproof.statistics.estimates import (
    Estimate,
    Interval,
    cell_estimates,
    count_estimates,
    interval,
)
from heatproof.statistics.paired import Paired, ahead, joint
from heatproof.statistics.repeats import pass_scores, vote_at_k
from heatproof.statistics.tied import best_p_values

__all__ = [
    "STARS", "DifferenceLimits", "Estimate", "Gaps", "Interval", "Paired", "Pairs", "Scores",
    "ahead", "best_p_values", "cell_estimates", "chance_range", "count_estimates", "gaps",
    "interval", "joint", "leads_on_equal", "pass_scores", "resolution", "scores", "simultaneous",
    "stars", "vote_at_k",
]  # fmt: skip
