"""Why a cell has no value, in plain words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof.util.lazy import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heatproof.kinds.heatmap.panel import Flags, Panel
    from heatproof.metrics import Metric

NOTHING = "no data"
"""There is no record, nor a log of its run: the only cell that may be called so."""
FAILED = "run failed or unfinished: no graded sample in its log"
"""There is no record, but a log that says that it was to hold some."""
EMPTY = (NOTHING, FAILED)
"""There is no record."""
PART = "incomplete: no value, "
"""There are records, but too few."""
NAMED = 3
"""Tasks that are named at most."""


def words(panel: Panel, what: Metric, valued: Flags) -> list[str | None]:
    """For each cell why it has no value; None where it has one.

    `valued`: (tasks, cells), where the problems of a task give a number.
    """
    counted = np.array(
        [(panel.count[panel.task == n] > 0).any(axis=0) for n in range(len(panel.tasks))], bool
    ).reshape(valued.shape)
    return [
        _words(panel, what, counted[:, cell], valued[:, cell], cell)
        for cell in range(len(panel.cells))
    ]


def _words(panel: Panel, what: Metric, counted: Flags, valued: Flags, cell: int) -> str | None:
    records = panel.records[:, cell]
    if not records.any():
        return NOTHING
    several = len(panel.tasks) > 1
    lacking = {
        f"no {what.of}": records & ~counted,
        what.lacks: counted & ~valued,
    }
    lost = ~records & panel.failed[:, cell]
    parts = [f"{_of(panel, ~records & ~lost)} missing"] if (~records & ~lost).any() else []
    parts += [f"run of {_of(panel, lost)} failed or unfinished"] if lost.any() else []
    for text, which in lacking.items():
        if which.any():
            parts.append(f"{text} in {_of(panel, which)}" if several else text)
    return PART + "; ".join(parts) if parts else None


def _of(panel: Panel, which: Flags) -> str:
    return tasks([panel.tasks[n] for n in np.flatnonzero(which)])


def tasks(names: Sequence[str]) -> str:
    """`task a`, `tasks a, b`, `tasks a, b, c and 4 more`."""
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return f"task{'s' * (len(names) > 1)} {', '.join(names[:NAMED])}{more}"
