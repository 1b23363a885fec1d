"""Where the tied set is known not to hold its 95 %, as far as the scores themselves show it.

Two causes can be seen. Over tasks, flips of sign take the differences of two cells for those of one
population. Where a small task has nearly all of the uncertainty, and settings differ in which task
they are good at, a mean over tasks is surer of itself than it may be. Measured (20 cells of equal
means, 5 epochs, each cell up to 20 points better or worse on a task; 100 runs): tasks of 10 + 198
problems 65 %, 10 + 80 77 %, 5 + 20 79 %, 10 + 50 82 %, 15 + 100 84 %, 30 + 500 88 %, 20 + 198 90 %;
of 10 + 30 96 %, 40 + 500 94 %, 50 + 500 92 %, 100 + 1,000 99 %, 30 + 30 + 40 + 198 + 500 98 %.

And a flip takes each difference for symmetric. Where a few problems make the gap, as when one
setting is right always or never and another sometimes, and nearly all problems are solved or none,
differences are skewed, and rare large ones are underrated: skewness over √n is what the error of a
mean's t grows with (Hall 1992, "On the Removal of Skewness by Transformation"). Measured where
settings differ so (as in `tests/test_doubts.py`; 80 runs): with no verdict beyond `SKEW`,
95 to 99 % of panels of 30 or 40 problems make no wrong claim, where it was 30 to 91 %; of 198
problems 89 to 93 %, where it was 83 to 93 %. It costs 0 to 4 % of the panels in which settings do
differ and about half of the problems are solved. What no sample shows, such as a break in 3 % of
the problems, nobody can tell (68 and 84 % at 30 and 198 problems, with it as without).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]

NOISE = 4
"""Times the uncertainty of all other tasks together, that of one of them."""
FEW = 50
"""Problems, or families, of a task that say little of others like them."""


def small_task(task: Ints, group: Ints) -> tuple[int, int] | None:
    """A task that outweighs the others in a mean over tasks: its number, and its units.

    Its uncertainty is `NOISE` times that of all others together, each taken to be as scattered as
    the other, and it has fewer than `FEW` units.

    Args:
        task: number of the task of each problem.
        group: number of its family, if it has one; the unit that varies.
    """
    names = np.unique(task)
    size = np.array([len(np.unique(group[task == one])) for one in names])
    if len(names) < 2:
        return None
    noise = 1 / size
    at = int(noise.argmax())
    if size[at] >= FEW or noise[at] < NOISE * (noise.sum() - noise[at]):
        return None
    return int(names[at]), int(size[at])


SKEW = 0.25
"""Skewness of differences over √n; beyond, flips of sign are no picture of chance."""
SEEN = 3 * np.sqrt(6)
"""The same over 1/n, which few samples of a normal distribution show: three standard errors."""
SURE = 4.2
"""Times its standard error that a gap may be whatever the differences look like."""


def skewed(
    total: NDArray[np.float64],
    count: Ints,
    task: Ints,
    group: Ints,
    best: int,
    behind: Ints,
    share: bool,
) -> bool:
    """Whether a cell is told from the best by differences of which flips give no picture.

    A gap of `SURE` standard errors stands all the same.

    Args:
        total: as in `heatproof.statistics`, and so `count`, `task`, `group`.
        count: epochs.
        task: of each problem.
        group: its family.
        best: a cell.
        behind: those that are told from it.
        share: scores lie from 0 to 1. Then the error is that of two problems more in each task, of
            which nothing is known but that they are as uncertain as the means of both cells allow.
    """
    scores = total / np.maximum(count, 1)
    for cell in behind.tolist():
        both = (count[:, best] > 0) & (count[:, cell] > 0)
        gap = (scores[:, best] - scores[:, cell])[both]
        _, at, size = np.unique(task[both], return_inverse=True, return_counts=True)
        _, first, unit = np.unique(group[both], return_index=True, return_inverse=True)
        own = np.bincount(unit, gap / size[at])
        centred = np.bincount(unit, (gap - (np.bincount(at, gap) / size)[at]) / size[at])
        square = float((centred**2).sum())
        if abs(float((centred**3).sum())) <= max(SKEW, SEEN / len(own)) * square**1.5:
            continue
        means = np.abs([scores[both, one].mean() for one in (best, cell)])
        unseen = 2 * float((means * (1 - means)).sum()) if share else 0.0
        units = np.bincount(at[first])
        error = np.sqrt((own**2).sum() + unseen * (1 / units**2).sum())
        if abs(own.sum()) < SURE * error:
            return True
    return False
