"""Which settings may be the best: with confidence 1 − α, all that share the highest true mean.

The set is a model confidence set (Hansen, Lunde and Nason 2011) with a null fit for few problems.
How clearly cell c is beaten is the maximum over cells j of the sum of the paired per-problem
differences j − c over the root of the sum of their squares: Student's t in another form, which is
at most 1 for a pair that differs on one problem. The cell beaten most clearly leaves if at most a
share α of random flips (`heatproof.statistics.contrasts`) gives some pair of the cells still in a
larger maximum; then the rest is judged in the same way. With fewer than six problems nothing can
leave at α = .05 (all of five with one sign has p = 2/2⁵).

Coverage is measured (tests/bench/coverage.py tied; docs/statistics.md): the set holds every true
best in .95 to 1.00 of runs for equal cells, half of them best, gradients, unequal variances at
about half of the problems solved, graded scores. It does not where problems come in families that
suit a cell or not (.58 at 10 families of 3, five samples) unless `group` names them; nor in two
cases that show in the scores (`doubts`):

Over tasks, flips of sign take the differences of two cells for those of one population. Where a
small task has nearly all of the uncertainty, and settings differ in which task they are good at, a
mean over tasks is surer than it may be: .65 for tasks of 10 and 198 problems, .77 for 10 and 80,
.88 for 30 and 500; but .96 for 10 and 30, .94 for 40 and 500, .99 for 100 and 1,000.

And a flip takes each difference for symmetric. Where a few problems make the gap, as when one
setting is right always or never and another sometimes, and nearly all problems are solved or none,
rare large differences are underrated: the error of a mean's t grows with skewness over √n (Hall
1992, "On the Removal of Skewness by Transformation"). With no verdict beyond `SKEW`, .92 to .99 of
such panels make no wrong claim, without it .33 to .94. A break in 3 % of the problems, which no
sample shows, is not seen (.72 to .82 with 64 samples).
"""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, NamedTuple

from heatproof.statistics.contrasts import EQUAL, affordable, compare, null_maxima, panel, signs
from heatproof.util.lazy import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import ArrayLike, NDArray

    Matrix = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Step = tuple[list[int], float]  # cells that leave together, and how clearly they are beaten


def best_p_values(
    total: ArrayLike,
    count: ArrayLike,
    task: ArrayLike | None = None,
    permutations: int = 10_000,
    *,
    group: ArrayLike | None = None,
) -> NDArray[np.float64]:
    """For each cell the largest α at which the tied set leaves it out; NaN without a value.

    So the tied set, the cells that may be the best for problems like these, are those with p > α.
    A cell without a value is not in it and moves no other; one that shares no problems with a
    better cell is in it.

    Matrices as in `heatproof.statistics`; pairs of cells are compared on their common problems.
    `permutations`: random flips, fewer above 632 cells (`contrasts.affordable`).
    """
    data, cells = panel(total, count, task, group)
    p = np.full(np.shape(total)[1], np.nan)
    if not len(cells):
        return p
    clearly, norms = compare(data)
    leaving = steps(clearly)
    order = [cell for group, _ in reversed(leaving) for cell in group]
    patterns = signs(data.units, affordable(permutations, len(cells), data.units))
    p[cells] = _p_values(leaving, null_maxima(data, norms, order, patterns))
    return p


def steps(scores: Matrix) -> list[Step]:
    """The order in which cells leave: the most clearly beaten first, equals together."""
    rivals = np.where(np.eye(len(scores), dtype=bool), -np.inf, scores)
    cells, leaving = np.arange(len(scores)), []
    while len(cells) > 1:
        beaten = rivals.max(axis=0)
        worst = float(beaten.max())
        stays = beaten < worst - abs(worst) * (1 - EQUAL)
        leaving.append((cells[~stays].tolist(), worst))
        cells, rivals = cells[stays], rivals[np.ix_(stays, stays)]
    return [*leaving, (cells.tolist(), -np.inf)] if len(cells) else leaving


def _p_values(leaving: list[Step], maxima: Iterator[NDArray[np.float32]]) -> Matrix:
    """P of the nested sets, smallest first; no cell gets less than one that left before it."""
    p = np.ones(sum(len(cells) for cells, _ in leaving))
    for cells, beaten in reversed(leaving):
        for _ in cells:
            largest = next(maxima)
        p[cells] = np.mean(largest >= beaten * EQUAL)
    highest = 0.0
    for cells, _ in leaving:
        highest = max(highest, float(p[cells[0]]))
        p[cells] = highest
    return p


NOISE = 4  # times the uncertainty of all other tasks together, that of one of them
FEW = 50  # problems, or families, of a task that say little of others like them
SKEW = 0.15  # skewness of differences over √n; beyond, flips of sign are no picture of chance
SEEN = 3 * sqrt(6)  # the same over 1/n: three standard errors of that of a normal distribution
SURE = 4.2  # standard errors; a larger gap stands whatever the differences look like


class Doubts(NamedTuple):
    """What makes a verdict on the best of a panel unsafe. Gaps of `SURE` standard errors stand."""

    outweighed: tuple[int, int] | None
    """Number and units of a task that the verdict depends on. It has fewer than `FEW` units, and
    `NOISE` times the uncertainty of all others together, if all are equally scattered."""
    skewed: bool  # a cell differs from the best by differences of which flips give no picture
    sure: NDArray[np.bool_]  # which of the cells behind are behind, whatever causes doubt


def doubts(
    total: NDArray[np.float64],
    count: Ints,
    task: Ints,
    group: Ints,
    best: int,
    behind: Ints,
    share: bool,
) -> Doubts:
    """Where flips are known to give no picture of chance, of the cells `behind` the `best`.

    Matrices as in `heatproof.statistics`. `share`: scores lie from 0 to 1. Then the error is that
    of two problems more in each task, as uncertain as the means of both cells allow.
    """
    scores = total / np.maximum(count, 1)
    sure, sure_within, skewed = [], [], False
    for cell in behind.tolist():
        both = (count[:, best] > 0) & (count[:, cell] > 0)
        gap = (scores[:, best] - scores[:, cell])[both]
        _, at, size = np.unique(task[both], return_inverse=True, return_counts=True)
        _, first, unit = np.unique(group[both], return_index=True, return_inverse=True)
        own = np.bincount(unit, gap / size[at])
        centred = np.bincount(unit, (gap - (np.bincount(at, gap) / size)[at]) / size[at])
        squares = centred**2
        means = np.abs([scores[both, j].mean() for j in (best, cell)])
        units = np.bincount(at[first], minlength=len(size))
        unseen = 2 * float((means * (1 - means)).sum()) * (1 / units**2).sum() if share else 0.0
        # Differences about 0, as flips take them, and those of each task about their mean.
        error = float(np.sqrt((own**2).sum() + unseen))
        few = units / np.maximum(units - 1, 1)
        within = float((np.bincount(at[first], squares) * few).sum()) + unseen
        within = float(np.sqrt(within)) if units.min() > 1 else np.inf
        lead = abs(float(own.sum()))
        bound = max(SKEW, SEEN / len(own)) * float(squares.sum()) ** 1.5
        skewed |= bool(abs(float((centred**3).sum())) > bound and lead < SURE * error)
        sure.append(lead >= SURE * max(error, within))
        sure_within.append(lead >= SURE * within)
    small = None if sure and all(sure_within) else _small_task(task, group)
    return Doubts(small, skewed, np.array(sure, bool))


def _small_task(task: Ints, group: Ints) -> tuple[int, int] | None:
    names = np.unique(task)
    size = np.array([len(np.unique(group[task == name])) for name in names])
    if len(names) < 2:
        return None
    noise = 1 / size
    at = int(noise.argmax())
    if size[at] >= FEW or noise[at] < NOISE * (noise.sum() - noise[at]):
        return None
    return int(names[at]), int(size[at])
