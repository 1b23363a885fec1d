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
ALIKE = 0.5
"""Of the problems of a cell, the share that others must hold to be taken for the same ones."""


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


def alike(present: Flags, lines: Sequence[Ints]) -> Ints:
    """For each cell the first of those that plainly run the same problems; `NONE` without any.

    Of the smaller of two, be they cells or what several of them hold together, a share of at least
    `ALIKE` is held by the other. A cell as near to two is of that on its own row or column.

    Args:
        present: (problems, cells), where a problem is held.
        lines: as in `filled`.
    """
    found = sets(present)
    for number in np.unique(found[found != NONE]):
        cells = np.flatnonzero(found == number)
        held = present[:, cells]
        held = held[held.any(axis=1)]
        first = _grouped(held, [line[cells] for line in lines])
        while len(whole := np.unique(first)) > 1:
            unions = np.array([held[:, first == one].any(axis=1) for one in whole]).T
            if len(np.unique(again := _grouped(unions, []))) == len(whole):
                break
            first = whole[again][np.searchsorted(whole, first)]
        found[cells] = cells[first]
    return found


def _grouped(held: Flags, lines: Sequence[Ints]) -> Ints:
    """For each column the first of its group: the larger ones go before and are joined by others.

    `lines`: as in `filled`.
    """
    size = held.sum(axis=0)
    groups: list[list[int]] = []
    unions: list[Flags] = []
    for cell in np.argsort(-size, kind="stable").tolist():
        mine = held[:, cell]
        near = [
            (int((one & mine).sum()), any((line[group] == line[cell]).any() for line in lines), -n)
            for n, (one, group) in enumerate(zip(unions, groups, strict=True))
        ]
        shared, _, n = max(near, default=(0, False, 0))
        if shared and shared >= ALIKE * size[cell]:
            groups[-n].append(cell)
            unions[-n] |= mine
        else:
            groups.append([cell])
            unions.append(mine.copy())
    found = np.zeros(len(size), np.int64)
    for group in groups:
        found[group] = min(group)
    return found


def expected(count: Ints, lines: Sequence[Ints]) -> Ints:
    """Rows that a complete run of each cell holds: all problems of those that are alike.

    Each as often as any of them has it. Where it is not known which problems a cell is to hold,
    nothing can be told: 0.

    Args:
        count: epochs, (problems, cells).
        lines: as in `filled`.
    """
    own = alike(count > 0, lines)
    whole = {one: int(count[:, own == one].max(axis=1).sum()) for one in {*own.tolist()} - {NONE}}
    return np.array([whole.get(one, 0) for one in filled(own, lines).tolist()], np.int64)
