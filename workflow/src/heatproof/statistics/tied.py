"""Which settings may be the best: with confidence 1 − α, all that share the highest true mean.

The set is a model confidence set (Hansen, Lunde and Nason 2011) with a null fit for few problems.
How clearly cell c is beaten is the maximum over cells j of the sum of the paired per-problem
differences j − c over the root of the sum of their squares: Student's t in another form, which a
pair that differs on one problem cannot drive above 1, so that no floor is needed. The cell beaten
most clearly leaves if at most a share α of random flips (`heatproof.statistics.flips`) gives some
pair of the cells still in a larger maximum; then the rest is judged in the same way. With fewer
than six problems nothing can leave at α = .05 (all of five with one sign has p = 2/2⁵).

Measured (tests/bench/coverage.py; 20 cells, 30 to 198 problems, 1 or 5 samples, 3,000 runs each):
the set holds every true best in .947 to 1.00 of runs, for equal cells, half of them best, a
gradient, unequal variances at about half of the problems solved, graded scores. It does not hold
where problems come in families that suit a cell or not: .58 at 10 families of 3, five samples.
`group` names the families: then .95. Nor does it hold where differences are skewed: .36 to .94 with
unequal variances at 93 or 9 % solved; over tasks of 10 and 1,000 problems .51 to .84.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from heatproof.statistics.contrasts import EQUAL, affordable, compare, null_maxima
from heatproof.statistics.flips import has_value, panel, signs, some

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import ArrayLike, NDArray

    Matrix = NDArray[np.float64]


class Step(NamedTuple):
    """Cells that leave together, and how clearly they are beaten."""

    cells: list[int]
    beaten: float


def tied(
    total: ArrayLike,
    count: ArrayLike,
    task: ArrayLike | None = None,
    alpha: float = 0.05,
    permutations: int = 10_000,
    seed: int = 0,
    *,
    group: ArrayLike | None = None,
) -> NDArray[np.bool_]:
    """Cells that may be the best for problems like these, (cells,); see `best_p_values`.

    A cell without a value (it has no problem, or none of some task) is not in the set and moves no
    other; one that shares no problems with a better cell is in it.
    The set can only grow as alpha falls. Problems that come in families (variants of one template)
    are not independent: name the family in `group`, and it is the unit.
    """
    return best_p_values(total, count, task, permutations, seed, group=group) > alpha


def best_p_values(
    total: ArrayLike,
    count: ArrayLike,
    task: ArrayLike | None = None,
    permutations: int = 10_000,
    seed: int = 0,
    *,
    group: ArrayLike | None = None,
) -> NDArray[np.float64]:
    """For each cell the largest α at which the tied set still leaves it out; NaN without a value.

    Matrices as in `heatproof.statistics`; pairs of cells are compared on their common problems.
    `permutations` is the number of random flips, fewer above 632 cells (`contrasts.affordable`).
    """
    data = panel(total, count, task, group)
    p = np.full(data.x.shape[1], np.nan)
    cells = np.flatnonzero(has_value(data))
    if not len(cells):
        return p
    data = some(data, cells)
    clearly, norms = compare(data)
    leaving = steps(clearly)
    order = [cell for step in reversed(leaving) for cell in step.cells]
    patterns = signs(data.units, affordable(permutations, len(cells), data.units), seed)
    p[cells] = _p_values(leaving, null_maxima(data, norms, order, patterns))
    return p


def steps(scores: Matrix) -> list[Step]:
    """The order in which cells leave: the most clearly beaten first, equals together."""
    alive = np.ones(len(scores), dtype=bool)
    rivals = np.where(np.eye(len(scores), dtype=bool), -np.inf, scores)
    by = rivals.argmax(axis=0)
    beaten = rivals.max(axis=0)
    found = []
    while alive.sum() > 1:
        worst = float(beaten[alive].max())
        gone = alive & (beaten >= worst - abs(worst) * (1 - EQUAL))
        found.append(Step(np.flatnonzero(gone).tolist(), worst))
        alive &= ~gone
        stale = np.flatnonzero(alive & gone[by])
        left = np.flatnonzero(alive)
        if len(stale):
            among = rivals[np.ix_(left, stale)]
            by[stale], beaten[stale] = left[among.argmax(axis=0)], among.max(axis=0)
    return [*found, Step(np.flatnonzero(alive).tolist(), -np.inf)] if alive.any() else found


def _p_values(leaving: list[Step], maxima: Iterator[NDArray[np.float32]]) -> Matrix:
    """Judge the nested sets, smallest first; no cell gets less than one that left before it."""
    p = np.ones(sum(len(step.cells) for step in leaving))
    for step in reversed(leaving):
        for _ in step.cells:
            largest = next(maxima)
        p[step.cells] = np.mean(largest >= step.beaten * EQUAL)
    highest = 0.0
    for step in leaving:
        highest = max(highest, float(p[step.cells[0]]))
        p[step.cells] = highest
    return p
