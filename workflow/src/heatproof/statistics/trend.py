"""Whether values rise or fall along an axis of settings, on problems like these.

Values of an axis stand at their ranks r = 0 … R − 1 and weigh w = 2r − (R − 1), which add up to
nothing: the slope of a problem is the sum of its scores times these weights, over all cells of a
full rectangle, so that the other axis is averaged. It is a contrast of ordered means (Page 1963,
"Ordered hypotheses for multiple treatments"; here of scores, not of their ranks within a problem),
and one number for each problem, so that it does not matter how scores of a problem hang together.

The mean slope is judged twice, by Student's t of the slopes (clustered by family, over tasks with
Satterthwaite's degrees of freedom: `heatproof.statistics.estimates`) and by random flips of their
signs (`heatproof.statistics.contrasts`), and the larger p stands. Where few problems differ, a
standard error of 0 says nothing, and flips do; where tasks have slopes of their own, flips take
them for noise about 0, and t does not. Several axes and panels of a figure are corrected together
(Holm 1979), as nobody asked for one of them beforehand.

That a mean slope is not 0 does not say that each step goes the same way.

Measured (tests/bench/coverage_trend.py; panels of 4 × 5 cells, both axes, 30 and 198 problems, 1
and 5 samples, 1,000 runs each, error .007): a trend is told in .011 to .058 of panels of settings
of equal means (.050 in 3,000 runs of the highest): all equal (mean .46 or .93), neighbours alike,
noise that grows, families (named by
`group`), problems right always or sometimes (mean .93, .46 and .09), slopes of each problem's own,
or a tenth of the problems that break along the axis while the others gain as much. Of 10 problems
that last is told in .36 of panels with 5 samples, as in many no broken problem is seen: hence
`FEWEST`. A rise of 4 points from end to end is told in .10 (1 sample) and .41 (5) of panels of 30
problems, and in .56 and 1.00 of 198; one of 8 points in .30, .92, .99 and 1.00.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from heatproof.statistics.contrasts import (
    EQUAL,
    Panel,
    Scores,
    affordable,
    by_unit,
    flipped,
    panel,
    signs,
    weighted,
    whole,
)
from heatproof.statistics.estimates import estimates
from heatproof.statistics.intervals import incomplete_beta
from heatproof.statistics.tied import SEEN, SKEW, SURE

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

STEPS = 3
"""Values along an axis, at least, of which a trend is told."""
FEWEST = 30
"""Problems, or families, at least: of fewer, those that a setting breaks may all be missing."""


def trend(
    total: ArrayLike,
    count: ArrayLike,
    rank: ArrayLike,
    task: ArrayLike | None = None,
    permutations: int = 10_000,
    seed: int = 0,
    *,
    group: ArrayLike | None = None,
) -> tuple[int, float]:
    """The way that values go along an axis, and how often chance alone would go so far.

    +1 where they rise, −1 where they fall, 0 where they do neither. p is two-sided; NaN where it
    cannot be known: there are fewer than `FEWEST` problems or families, a task has one, or a few
    problems make the slope.

    Args:
        total: as in `heatproof.statistics`, and so `count`, `task`, `group`.
        count: epochs; each cell holds all problems.
        rank: (cells,), the place 0 … R − 1 of a cell on the axis, each with as many cells.
        task: of each problem.
        permutations: number of random flips.
        seed: of these.
        group: its family.

    Raises:
        ValueError: a cell lacks a problem, or some rank has more cells than another.
    """
    data = panel(total, count, task, group)
    at = np.asarray(rank)
    if not data.present.all():
        raise ValueError("a cell lacks a problem that another holds")
    if len(np.unique(np.bincount(at))) != 1:
        raise ValueError("some rank has more cells than another")
    slope = whole(data.x) @ (2.0 * at - at.max())[:, None]
    one = estimates(Scores(slope, 1), np.ones(slope.shape, np.int64), data.task, data.group)
    value, se, freedom = (float(found[0]) for found in (one.value, one.se, one.freedom))
    if (
        data.units < FEWEST
        or np.isnan(se)
        or (abs(value) < SURE * se and _skewed(slope[:, 0], data))
    ):
        return int(np.sign(value)), float("nan")
    by_t = incomplete_beta(freedom / (freedom + (value / se) ** 2), freedom / 2, 0.5) if se else 0.0
    held = np.ones(slope.shape, bool)
    each = by_unit(whole(weighted(data._replace(x=slope, present=held))), data)
    patterns = signs(data.units, affordable(permutations, 2, data.units), seed)
    sums = np.abs(np.concatenate([found[:, 0] for _, found in flipped(patterns, each)]))
    return int(np.sign(value)), max(by_t, float(np.mean(sums >= sums[0] * EQUAL)))


def _skewed(slope: NDArray[np.float64], data: Panel) -> bool:
    """Whether a few problems make the slope: by the rule of `heatproof.statistics.tied.skewed`."""
    size = np.bincount(data.task)[data.task]
    mean = (np.bincount(data.task, slope) / np.bincount(data.task))[data.task]
    centred = np.bincount(data.group, (slope - mean) / size)
    bound = max(SKEW, SEEN / len(centred)) * float((centred**2).sum()) ** 1.5
    return bool(abs((centred**3).sum()) > bound)
