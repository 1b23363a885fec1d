"""Which settings may be the best: with confidence 1 − α, all that share the highest true mean.

The set is a model confidence set (Hansen, Lunde and Nason 2011) with a null fit for few problems.
How clearly cell c is beaten is the maximum over cells j of the sum of the paired per-problem
differences j − c over the root of the sum of their squares: Student's t in another form, which is
at most 1 for a pair that differs on one problem. The cell beaten most clearly leaves if at most a
share α of random flips (`heatproof.statistics.contrasts`) gives some pair of the cells still in a
larger maximum; then the rest is judged in the same way.

A lead that a few problems make counts for less, and a small one for nothing
(`heatproof.statistics.lead`). So nothing leaves with fewer problems than `least_lead`: five for 20
cells. Over tasks a lead is counted in problems of the smallest task: settings may differ in which
task suits them, and a task of few problems tells little of that.

While a sweep grows, a cell leaves if twice the share of flips is at most α, and these are compared
with √f times what was observed, for a part f of the sweep: the largest of all looks at a sum of
independent symmetric vectors is beyond a bound at most twice as often as the last (Lévy's
inequality). That holds at every look, however many there are, if problems come in an order that has
nothing to do with results.

Coverage is measured (`tests/bench/coverage.py tied`; docs/statistics.md). It does not hold where
problems come in families that suit a cell or not, unless `group` names them.
"""

from __future__ import annotations

from math import inf, nan, sqrt
from typing import TYPE_CHECKING

from heatproof.statistics.contrasts import EQUAL, compare, null_maxima, panel
from heatproof.statistics.lead import least_lead
from heatproof.util.lazy import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import ArrayLike, NDArray

    from heatproof.statistics.contrasts import Labels

    Matrix = NDArray[np.float64]
    Step = tuple[list[int], float]  # cells that leave together, and how clearly they are beaten


def best_p_values(
    total: ArrayLike,
    count: ArrayLike,
    task: Labels = None,
    permutations: int = 10_000,
    *,
    group: Labels = None,
    tests: int = 1,
    grown: float | None = None,
) -> Matrix:
    """For each cell the largest α at which the tied set leaves it out; NaN without a value.

    So the tied set, the cells that may be the best for problems like these, are those with p > α.
    A cell without a value is not in it and moves no other; one that shares no problems with a
    better cell is in it.

    Matrices as in `heatproof.statistics`; pairs of cells are compared on their common problems.
    `permutations`: random flips, fewer above 632 cells (`contrasts.affordable`). `tests`: panels of
    which no cell is to be wronged (Bonferroni). `grown`: the part of a sweep that is there, if p is
    to hold at every look; None for a single look at all of it.
    """
    data, cells = panel(total, count, task, group)
    p = np.full(np.shape(total)[1], nan)
    if not len(cells):
        return p
    clearly, norms = compare(data, least_lead(len(cells) * tests))
    looks = 1
    if grown is not None:
        clearly *= sqrt(grown)
        looks = 2
    leaving = steps(clearly)
    order = []
    for leavers, _ in reversed(leaving):
        order += leavers
    patterns = data.signs(permutations)
    maxima = null_maxima(data, norms, order, patterns)
    p[cells] = _p_values(leaving, maxima)
    return np.asarray(np.minimum(p * tests * looks, 1.0))


def steps(scores: Matrix) -> list[Step]:
    """The order in which cells leave: the most clearly beaten first, equals together.

    The rivals of each cell are sorted once, itself last; its clearest is the first still inside.
    """
    size = len(scores)
    is_itself = np.eye(size, dtype=bool)
    rivals = np.where(is_itself, -inf, scores)
    order = np.argsort(-rivals, axis=0, kind="stable")
    clearest = np.zeros(size, np.intp)  # where in its order the clearest rival of a cell stands
    stays_in = np.ones(size, np.bool_)
    cells = np.arange(size)
    leaving = []
    while len(cells) > 1:
        rival = order[clearest[cells], cells]
        beaten = rivals[rival, cells]
        worst = float(beaten.max())
        stays = beaten < worst - abs(worst) * (1 - EQUAL)
        leavers = cells[~stays]
        leaving.append((leavers.tolist(), worst))
        stays_in[leavers] = False
        cells = behind = cells[stays]
        while len(behind):
            rival = order[clearest[behind], behind]
            behind = behind[~stays_in[rival]]
            clearest[behind] += 1
    if len(cells):
        leaving.append((cells.tolist(), -inf))
    return leaving


def _p_values(leaving: list[Step], maxima: Iterator[NDArray[np.float32]]) -> Matrix:
    """P of the nested sets, smallest first; no cell gets less than one that left before it."""
    p = np.ones(sum(len(cells) for cells, _ in leaving))
    for cells, beaten in reversed(leaving):
        for _ in cells:
            largest = next(maxima)
        p[cells] = np.mean(largest >= beaten * EQUAL)
    highest = 0.0
    for cells, _ in leaving:
        share = float(p[cells[0]])
        highest = max(highest, share)
        p[cells] = highest
    return p
