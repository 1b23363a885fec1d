"""Where the tied set is known not to hold its 95 %, as far as the scores themselves show it.

Over tasks, flips of sign take the differences of two cells for those of one population. Where a
small task has nearly all of the uncertainty, and settings differ in which task they are good at, a
mean over tasks is surer of itself than it may be. Measured (20 cells of equal means, 5 epochs, each
cell up to 20 points better or worse on a task; 100 runs): tasks of 10 + 198 problems 65 %, 10 + 80
77 %, 5 + 20 79 %, 10 + 50 82 %, 15 + 100 84 %, 30 + 500 88 %, 20 + 198 90 %; of 10 + 30 96 %, 40 +
500 94 %, 50 + 500 92 %, 100 + 1,000 99 %, 30 + 30 + 40 + 198 + 500 98 %.
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
