"""Why cells of a grid have no value: found in the samples, as codes of `kinds.states`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof.kinds.states import BEGUN, NO_BASELINE, NOTHING, Gap, Lack
from heatproof.util.lazy import numpy as np
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heatproof.kinds.heatmap.grid import Flags, PanelCounts


def find_gaps(panel: PanelCounts, valued: Flags) -> list[Gap | None]:
    """For each cell why it has no value; None where it has one.

    `valued`: (tasks, cells), where the problems of a task give a number.
    """
    counted = np.zeros(valued.shape, bool)
    for task in range(len(panel.tasks)):
        is_held = panel.count[panel.task == task] > 0
        counted[task] = is_held.any(axis=0)
    lost = ~panel.records & panel.failed
    lacking = {
        "missing": ~panel.records & ~lost,
        "failed": lost,
        "unmeasured": panel.records & ~counted,
        "uneven": panel.unbalanced,
        "short": counted & ~valued & ~panel.unbalanced,
    }
    gaps: list[Gap | None] = []
    for cell in range(len(panel.cells)):
        lacks = []
        for kind, flags in lacking.items():
            cell_flags = flags[:, cell]
            if cell_flags.any():
                tasks = _several_tasks(panel.tasks, cell_flags)
                lacks.append(Lack(kind, tasks))
        if not panel.records[:, cell].any():
            gaps.append(Gap(NOTHING))
        else:
            gaps.append(Gap(BEGUN, lacks) if lacks else None)
    return gaps


def no_baseline(tasks: Sequence[str], shared: Flags, records: bool) -> Gap:
    """Why a cell has no baseline.

    `shared`: for each task whether both have enough problems in common. `records`: whether there is
    any record of the baseline.
    """
    lack = Lack("unshared", _several_tasks(tasks, ~shared)) if records else Lack("unrecorded")
    return Gap(NO_BASELINE, [lack])


def _several_tasks(tasks: Sequence[str], flags: Flags) -> list[str]:
    """The tasks with a flag; none where there is only one task."""
    if len(tasks) == 1:
        return []
    return [f"{tasks[n]}" for n in np.flatnonzero(flags).tolist()]


def gap_columns(gaps: Sequence[Gap | None]) -> list[pl.Series]:
    """The columns `gap` and `lacks` of a grid."""
    kinds = [None if gap is None else gap.kind for gap in gaps]
    lacks = []
    for gap in gaps:
        rows = None
        if gap and gap.lacks:
            rows = [lack._asdict() for lack in gap.lacks]
        lacks.append(rows)
    lack = pl.Struct({"kind": pl.String, "tasks": pl.List(pl.String)})
    return [pl.Series("gap", kinds, pl.String), pl.Series("lacks", lacks, pl.List(lack))]
