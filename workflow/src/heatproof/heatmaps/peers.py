"""Which cells of a panel can be compared: those that share problems, directly or through others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof.lazy import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Flags = NDArray[np.bool_]

NONE = -1
"""The set of a cell that holds no problem."""


def sets(present: Flags) -> Ints:
    """For each cell the number of its set: the first cell in it; `NONE` without problems.

    `present`: (problems, cells), where a problem is held. Cells of two sets share no problem.
    """
    held = [np.flatnonzero(column) for column in present.T]
    found = np.array([n if len(mine) else NONE for n, mine in enumerate(held)], np.int64)
    lowest = np.full(len(present), len(found), np.int64)
    before = None
    while before is None or (found != before).any():
        before = found.copy()
        for cell, mine in enumerate(held):
            if len(mine):
                found[cell] = min(found[cell], lowest[mine].min())
                lowest[mine] = np.minimum(lowest[mine], found[cell])
    return found


def expected(count: Ints, across: Ints, up: Ints) -> Ints:
    """Rows that a complete run of each cell holds: all problems of its set, as often as any has.

    A cell without any is of the one set that its row and its column have in common; where there
    is no such set, nothing is expected of it that could be told: 0.

    Args:
        count: epochs, (problems, cells).
        across: position of each cell along x.
        up: position along y.
    """
    own = sets(count > 0)
    whole = {
        one: int(count[:, own == one].max(axis=1, initial=0).sum())
        for one in np.unique(own).tolist()
        if one != NONE
    }
    found = np.array([whole.get(one, 0) for one in own.tolist()], np.int64)
    for cell in np.flatnonzero(own == NONE) if whole else ():
        lines = [set(own[axis == axis[cell]].tolist()) - {NONE} for axis in (across, up)]
        shared = set.intersection(*(line or {*whole} for line in lines))
        found[cell] = whole[shared.pop()] if len(shared) == 1 else 0
    return found
