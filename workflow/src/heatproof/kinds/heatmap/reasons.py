"""Why a cell has no value, is not compared, or holds a part of its data set, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.util.lazy import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heatproof.charts.wording import Row
    from heatproof.kinds.heatmap.entry import Entry
    from heatproof.kinds.heatmap.judging import Flags, Panel, Peers
    from heatproof.metrics import Metric
    from heatproof.util.lazy import polars as pl

    Part = tuple[int, int]
    """Problems that were asked for, and those of the data set."""


NOTHING = "no data"
"""There is no record, nor a log of its run: the only cell that may be called so."""
FAILED = "run failed or unfinished: no graded sample in its log"
"""There is no record, but a log that says that it was to hold some."""
EMPTY = (NOTHING, FAILED)
"""There is no record."""
TOO_FEW = "incomplete: no value, "
"""There are records, but too few."""
TASKS_NAMED = 3
"""Tasks that are named at most."""


def gap_words(panel: Panel, what: Metric, valued: Flags) -> list[str | None]:
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
    return TOO_FEW + "; ".join(parts) if parts else None


def _of(panel: Panel, which: Flags) -> str:
    return task_list([panel.tasks[n] for n in np.flatnonzero(which)])


def task_list(names: Sequence[str]) -> str:
    """`task a`, `tasks a, b`, `tasks a, b, c and 4 more`."""
    more = f" and {len(names) - TASKS_NAMED} more" if len(names) > TASKS_NAMED else ""
    return f"task{'s' * (len(names) > 1)} {', '.join(names[:TASKS_NAMED])}{more}"


UNJUDGED = "unjudged"
"""Of the grid: the words; there is such a column only where some cell has them."""
NO_BEST = "no best setting is told"
UNEVEN = f"{NO_BEST}: cells hold different problems, and only means allow for that"
"""Of other metrics than means."""
FEW = "a few problems make the gaps"
SMALL = "nearly all uncertainty of these means is that of"
SHORT = {
    SMALL: "too few problems in one task",
    FEW: FEW,
    "cells hold different problems": "cells hold different problems",
}
"""How a reason begins → what is said of it where there is little room."""


def short_doubt(words: str) -> str:
    """A few of the words of `UNJUDGED`."""
    begun = (short for long, short in SHORT.items() if words.startswith(f"{NO_BEST}: {long}"))
    return f"{NO_BEST}: {short}" if (short := next(begun, "")) else words


def doubt_words(peers: Peers, judged: Mapping[str, Any], tasks: Sequence[str], share: bool) -> str:
    """Why no best and no tied set of these cells is told; empty where the method holds.

    Args:
        peers: the cells.
        judged: how they would stand.
        tasks: names of those of which a cell is the mean.
        share: scores lie from 0 to 1.
    """
    from heatproof import statistics

    if found := statistics.small_task(peers.task, peers.family):
        task, units = found
        return f"{NO_BEST}: {SMALL} {tasks[task]} ({units:,} problems or families), too few to say"
    behind = np.flatnonzero(~(judged["tied"] | judged["best"]))
    best = int(np.flatnonzero(judged["best"])[0])
    scores = peers.total, peers.count, peers.task, peers.family
    if statistics.skewed(*scores, best, behind, share):
        return f"{NO_BEST}: {FEW}, too few to tell these from chance"
    return ""


def comparable(grid: pl.DataFrame) -> pl.DataFrame:
    """The grid without the column if no cell has words."""
    return grid if grid[UNJUDGED].count() else grid.drop(UNJUDGED)


def doubts_of(grid: pl.DataFrame) -> list[str]:
    """What is said of a figure, each once."""
    return [*dict.fromkeys(grid[UNJUDGED].drop_nulls())] if UNJUDGED in grid.columns else []


NO_BASELINE = "no baseline"
"""There is nothing to compare the cell with."""
NO_RATIO = "no ratio"
UNPAIRED = (NO_BASELINE, NO_RATIO)
"""How it begins why cells have no value beside a baseline."""
MADE_UP = "no interval: which problems were solved is made up"
FEW_PAIRED = "no interval: a few problems make the difference, too few to tell it from chance"
UNBOUNDED = "no interval: values have no bounds, and a few large ones may make a mean"
UNSHARED = "no interval: of printed numbers it is not known which problems they share"
ALIKE = "no interval: problems differ too little or are too few to say how others would"


def unpaired_words(tasks: Sequence[str], whole: Flags, there: bool) -> str:
    """Why a cell has no baseline.

    Args:
        tasks: those of which it is the mean.
        whole: for each, whether cell and baseline have problems in common.
        there: whether there is any record of the baseline.
    """
    if not there:
        return f"{NO_BASELINE} (no record of it)"
    lacking = [task for task, one in zip(tasks, whole.tolist(), strict=True) if not one]
    of = f" of {task_list(lacking)}" if len(tasks) > 1 else ""
    return f"{NO_BASELINE} (it has no problems in common{of})"


def no_ratio_words(base: float) -> str:
    """Why there is no ratio to a baseline of this value."""
    return f"{NO_RATIO} ({'a value is below 0' if base else 'the baseline is 0'})"


def outweighed_words(task: str, units: int) -> str:
    """Why no interval of a mean over tasks is told."""
    return (
        f"no interval: nearly all uncertainty of these means is that of {task} "
        f"({units:,} problems or families), too few to say"
    )


SEVERAL_ASKED = "a part of the data set alone"


def asked_words(tasks: Mapping[str, Part | None]) -> str | None:
    """`20 of 100 problems of the data set`; None where all were asked for, or nothing is known.

    `tasks`: those of a cell; where there are several, the limited ones are named.
    """
    limited = {task: part for task, part in tasks.items() if part}
    if not limited:
        return None
    number, there = (sum(part[at] for part in limited.values()) for at in (0, 1))
    whose = "the data set" if len(tasks) == 1 else task_list(sorted(limited))
    return f"{number:,} of {there:,} problems of {whose}"


def asked_column(grid: pl.DataFrame) -> list[str | None]:
    """These words for each cell of a grid: there is a column of them only where some cell has."""
    return grid["asked"].to_list() if "asked" in grid.columns else [None] * len(grid)


def asked_notes(cell: str | None) -> list[str]:
    """What is said of a cell: of most, nothing."""
    return [f"asked for {cell}"] if cell else []


def asked_by_all(grid: pl.DataFrame) -> str:
    """What is said of a figure: what all cells say that say anything, or that they differ."""
    cells = asked_column(grid)
    found = {*cells} - {None}
    where = "in some cells " if None in cells else ""
    said = "".join(asked_notes(found.pop() if len(found) == 1 else SEVERAL_ASKED)) if found else ""
    return where + said if said else ""


class Among(NamedTuple):
    """Words that follow "best": nothing where all cells of a panel, or figure, are compared."""

    each: str
    """Of all such cells: ` of each task`."""
    its: str
    """Of one of them: ` of its task`."""
    equal: bool
    """Whether some cell lacks problems of others, so that only equal problems are compared."""


def among_words(rows: Sequence[Row], entry: Entry) -> Among:
    """The words for a heatmap. `rows`: its cells with `panel`, `x`, `y`, `peers` and `uneven`.

    No name stands above blocks of nested axes: so of which a cell is the best is told.
    """
    found = within_words(rows, entry)
    if not entry.nested or "share" in found.each:
        return found
    blocks = " and ".join(among_title(name, entry) for name in entry.panels)
    within = found.each.removeprefix(" of each ")
    name = f"{blocks} and {within}" if within else blocks
    return found._replace(each=f" of each {name}", its=f" of its {name}")


def within_words(rows: Sequence[Row], entry: Entry) -> Among:
    """The words for the cells of one panel."""
    equal = any(row["uneven"] for row in rows)
    if not is_several(rows):
        return Among("", "", equal)
    if axis := shared_along(rows):
        name = among_title(entry.x if axis == "x" else entry.y, entry)
        return Among(f" of each {name}", f" of its {name}", equal)
    return Among(" of cells that share problems", " of those that share its problems", equal)


def among_title(column: str, entry: Entry) -> str:
    """What a column is called within a sentence."""
    return entry.labels.get(column, column.replace("_", " "))


def is_several(rows: Sequence[Row]) -> bool:
    """Whether some cells with a value in one panel are not compared with each other."""
    sets = {(row.get("panel"), row["peers"]) for row in rows if row["value"] is not None}
    return len(sets) > len({panel for panel, _ in sets})


def shared_along(rows: Sequence[Row]) -> str | None:
    """The axis on which each set of peers has a value of its own, if there is one."""
    for axis in ("x", "y"):
        told = [row for row in rows if row["peers"] is not None]
        places = {(row.get("panel"), row[axis]) for row in told}
        both = {(row.get("panel"), row[axis], row["peers"]) for row in told}
        if told and len(both) == len(places) == len({row["peers"] for row in told}):
            return axis
    return None
