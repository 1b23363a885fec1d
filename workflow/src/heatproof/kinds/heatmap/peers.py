"""Which cells of a panel can be compared: those that share problems, directly or through others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof.util.lazy import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Flags = NDArray[np.bool_]

ALPHA = 0.05
"""Level of the tied set and of the range: `chance_high` is the quantile 1 − ALPHA."""
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


def filled(found: Ints, lines: Sequence[Ints]) -> Ints:
    """The same, a cell without a set being of the only one, or of that of its row or column.

    Args:
        found: numbers of sets, or of other things that cells are of; `NONE` for a cell of none.
        lines: for each axis the line on which a cell lies, (cells,).
    """
    there = found != NONE
    if len(known := {*found[there].tolist()}) == 1:
        return np.full_like(found, known.pop())
    more, only = found.copy(), []
    for line in lines:
        held: dict[int, set[int]] = {}
        for at, one in zip(line[there].tolist(), found[there].tolist(), strict=True):
            held.setdefault(at, set()).add(one)
        only.append(held)
    # Where each row is of one set, and columns are not, rows tell.
    telling = [n for n, held in enumerate(only) if all(len(those) == 1 for those in held.values())]
    used = telling if len(telling) == 1 else range(len(lines))
    for cell in np.flatnonzero(~there):
        beside = [only[n].get(int(lines[n][cell]), set()) for n in used]
        told = set().union(*(those for those in beside if len(those) == 1))
        more[cell] = told.pop() if len(told) == 1 else NONE
    return more


def expected(count: Ints, lines: Sequence[Ints]) -> Ints:
    """Rows that a complete run of each cell holds: all problems of its set, as often as any has.

    Where it is not known of which set a cell is, nothing can be told: 0.

    Args:
        count: epochs, (problems, cells).
        lines: as in `filled`.
    """
    own = sets(count > 0)
    whole = {one: int(count[:, own == one].max(axis=1).sum()) for one in {*own.tolist()} - {NONE}}
    return np.array([whole.get(one, 0) for one in filled(own, lines).tolist()], np.int64)
