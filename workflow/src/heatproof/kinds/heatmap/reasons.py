"""Why a cell has no value, is not compared, or holds a part of its data set, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.charts.sheet import LIKE
from heatproof.util.lazy import numpy as np
from heatproof.util.numerals import numbered, span

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from heatproof.charts.wording import Row
    from heatproof.kinds.heatmap.entry import Entry
    from heatproof.kinds.heatmap.grid import Flags, Panel
    from heatproof.kinds.heatmap.judged import Peers
    from heatproof.metrics import Metric
    from heatproof.util.lazy import polars as pl

    Part = tuple[int, int]
    """Problems that were asked for, and those of the data set."""


NOTHING = "no data"
"""There is no record, nor a log of its run: the only cell that may be called so."""
FAILED = "run failed or unfinished: no graded sample in its log"
"""There is no record, but a log that says that it was to hold some."""
ITSELF = "a model against itself"
"""No game, and so nothing is lacking there."""
EMPTY = (NOTHING, FAILED, ITSELF)
"""There is no record."""
TOO_FEW = "incomplete: no value, "
"""There are records, but too few."""
UNEVEN_PARTS = "the samples are not as many for each"
"""Of the values of a column over which a cell is the mean."""
TASKS_NAMED = 3
"""Tasks that are named at most."""


def gap_words(panel: Panel, what: Metric, valued: Flags) -> list[str | None]:
    """For each cell why it has no value; None where it has one.

    `valued`: (tasks, cells), where the problems of a task give a number.
    """
    counted = np.array(
        [(panel.count[panel.task == n] > 0).any(axis=0) for n in range(len(panel.tasks))], bool
    ).reshape(valued.shape)
    each = f" for each {panel.over}" if panel.over and what.k else ""
    gaps: list[str | None] = []
    for cell in range(len(panel.cells)):
        records, uneven = panel.records[:, cell], panel.uneven[:, cell]
        lost = ~records & panel.failed[:, cell]
        there, value = counted[:, cell], valued[:, cell]
        why = {
            "{} missing": ~records & ~lost,
            "run of {} failed or unfinished": lost,
            f"no {what.of}{{}}": records & ~there,
            f"{UNEVEN_PARTS} {panel.over}{{}}": uneven,
            f"{what.lacks}{each}{{}}": there & ~value & ~uneven,
        }
        parts = []
        for text, tasks in why.items():
            names = task_list([f"{panel.tasks[n]}" for n in np.flatnonzero(tasks)])
            inside = names if not text.endswith("{}") else f" in {names}" * (len(panel.tasks) > 1)
            parts += [text.replace("{}", inside)] if tasks.any() else []
        gap = TOO_FEW + "; ".join(parts) if parts else None
        gaps.append(gap if records.any() else NOTHING)
    return gaps


def task_list(names: Sequence[str]) -> str:
    """`task a`, `tasks a, b`, `tasks a, b, c and 4 more`."""
    more = f" and {len(names) - TASKS_NAMED} more" if len(names) > TASKS_NAMED else ""
    return f"task{'s' * (len(names) > 1)} {', '.join(names[:TASKS_NAMED])}{more}"


UNJUDGED = "unjudged"
"""Of the grid: the words; there is such a column only where some cell has them."""
NO_BEST = "not judged"
UNEVEN = f"{NO_BEST}: cells hold different problems, and only means allow for that"
"""Of other metrics than means."""
FEW = "a few problems make the gaps"
SMALL = "nearly all uncertainty of these means is that of"
OPEN = "values have no bounds"
UNBOUNDED_MEAN = f"{NO_BEST}: {OPEN}, and a few large ones may make a mean; so there is no interval"
"""The highest, or lowest, of such means is marked all the same, as no more than that."""
SHORT = {
    OPEN: OPEN,
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

    behind = np.flatnonzero(~(judged["tied"] | judged["best"]))
    best = int(np.flatnonzero(judged["best"])[0])
    scores = peers.total, peers.count, peers.task, peers.family
    doubts = statistics.doubts(*scores, best, behind, share)
    if doubts.outweighed:
        task, units = doubts.outweighed
        return f"{NO_BEST}: {SMALL} {tasks[task]} ({units:,} problems or families), too few to say"
    if doubts.skewed:
        return f"{NO_BEST}: {FEW}, too few to tell these from chance"
    return ""


def comparable(grid: pl.DataFrame) -> pl.DataFrame:
    """The grid without those columns of words and of problems left out that no cell needs."""
    return grid.drop(name for name in (UNJUDGED, TRIED) if not grid[name].count())


TRIED = "tried"
"""Of the grid: problems that were tried, where the metric leaves out those tried too seldom."""


def lack_words(row: Row, what: Metric) -> str:
    """What a cell with a value lacks: problems that were tried too seldom, or rows."""
    if tried := row.get(TRIED):
        least = f"{what.k} samples"
        return f"of {tried:,} problems the {row['samples']:,} that have {least} or more"
    rows = "printed numbers" if what.printed else "graded rows"
    what_of = f" with {what.of}" if what.of != "score" and not what.printed else ""
    return f"{row['epochs']:,} of {row['expected']:,} {rows}{what_of}"


def doubts_of(grid: pl.DataFrame) -> list[str]:
    """What is said of a figure, each once."""
    return [*dict.fromkeys(grid[UNJUDGED].drop_nulls())] if UNJUDGED in grid.columns else []


ONE_LOOK = (
    "Verdicts are for one look at a finished sweep: one that is looked at again and again while it "
    "grows is wrong more often"
)
"""Measured (`tests/bench/coverage_looks.py`): see docs/statistics.md."""


def look_words(grid: pl.DataFrame, incomplete: Sequence[str]) -> list[str]:
    """What is said of verdicts on cells of which some still lack records."""
    judged = any(grid[name].count() for name in ("tied", "differs") if name in grid.columns)
    return [ONE_LOOK] if judged and incomplete else []


NO_BASELINE = "no baseline"
"""There is nothing to compare the cell with."""
MADE_UP = "no interval: which problems were solved is made up"
FEW_PAIRED = "no interval: a few problems make the difference, too few to tell it from chance"
UNBOUNDED = f"no interval: {OPEN}, and a few large ones may make a mean"
UNSHARED = "no interval: of printed numbers it is not known which problems they share"
ALIKE = "no interval: problems differ too little or are too few to say how others would"


def unpaired_words(tasks: Sequence[str], shared: Flags, records: bool) -> str:
    """Why a cell has no baseline.

    Args:
        tasks: those of which it is the mean.
        shared: for each, whether cell and baseline have problems in common.
        records: whether there is any record of the baseline.
    """
    if not records:
        return f"{NO_BASELINE} (no record of it)"
    lacking = [task for task, has in zip(tasks, shared.tolist(), strict=True) if not has]
    which = f" of {task_list(lacking)}" if len(tasks) > 1 else ""
    return f"{NO_BASELINE} (it has no problems in common{which})"


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


def asked_by_all(grid: pl.DataFrame) -> str:
    """What is said of a figure: what all cells say that say anything, or that they differ."""
    cells = {*asked_column(grid)}
    parts = [*cells - {None}]
    if not parts:
        return ""
    where = "in some cells " if None in cells else ""
    return f"{where}asked for {parts[0] if len(parts) == 1 else SEVERAL_ASKED}"


class Among(NamedTuple):
    """What is called highest, or lowest, of which cells, and what cannot be told apart from it."""

    end: str
    each: str
    """Of all such cells: ` of each task`; nothing where all cells of the figure are compared."""
    its: str
    """Of one of them: ` of its task`."""
    equal: bool
    """Whether some cell lacks problems of others, so that only equal problems are compared."""
    apart: str
    """What the 95 % hold for, where a figure has several: `, each task for itself`."""

    @property
    def top(self) -> str:
        """What is marked: `highest of each task on equal problems`."""
        return f"{self.end}{self.each}{' on equal problems' * self.equal}"

    @property
    def alike(self) -> str:
        """What the cells are that may be as high."""
        return f"not told apart from the {self.end}{self.its}"

    def tested(self, rows: Iterable[Row], holder: str = "", *, apart: bool = False) -> str:
        """The same with how that is known, and on how many problems of these `rows`.

        `holder`: for a whole sentence, what holds all that may be as high. `apart`: it is said of
        the other cells, which are told apart.
        """
        alike = self.alike.removeprefix("not " * apart)
        how = f"paired, {span(row['samples'] for row in rows)} problems{self.apart}"
        if not holder:
            return f"{alike} (95\u00a0%, {how}){LIKE}"
        return (
            f"{alike}; in 95\u00a0% of samples of problems like these, {holder} every setting "
            f"whose true mean is {self.end} ({how})"
        )


def among_words(rows: Sequence[Row], entry: Entry) -> Among:
    """The words for a heatmap. `rows`: its cells with `panel`, `x`, `y`, `peers` and `uneven`.

    No name stands above blocks of nested axes: so of which a cell is the best is told.
    """
    words = within_words(rows, entry)
    if "share" in words.each:
        return words
    if not entry.nested:
        several = len({row["panel"] for row in rows}) > 1
        return _within(words, "panel")._replace(its="") if several and not words.each else words
    blocks = " and ".join(among_title(name, entry) for name in entry.panels)
    within = words.each.removeprefix(" of each ")
    name = f"{blocks} and {within}" if within else blocks
    return _within(words, name)


def _within(words: Among, name: str) -> Among:
    return words._replace(
        each=f" of each {name}", its=f" of its {name}", apart=f", each {name} for itself"
    )


def within_words(rows: Sequence[Row], entry: Entry) -> Among:
    """The words for the cells of one panel."""
    words = Among(entry.best, "", "", any(row["uneven"] for row in rows), "")
    if not is_several(rows):
        return words
    axis = shared_along(rows)
    if axis and (name := among_title(entry.x if axis == "x" else entry.y, entry)):
        return _within(words, name)
    return words._replace(
        each=" of cells that share problems",
        its=" of those that share its problems",
        apart=", each set of cells that share problems for itself",
    )


def untested_words(rows: Sequence[Row]) -> str:
    """How many cells are in no test beside others that are; empty if none."""
    number = len(untested(rows))
    shares = "share" if number > 1 else "shares"
    return f"{numbered(number, 'cell')} {shares} no problem with others: in no test" * bool(number)


def untested(rows: Sequence[Row]) -> list[Row]:
    """Cells with a value that share no problems with any other, in panels where others do."""
    judged = {row.get("panel") for row in rows if row["tied"]}
    return [
        row
        for row in rows
        if row["value"] is not None and row["peers"] is None and row.get("panel") in judged
    ]


def among_title(column: str, entry: Entry) -> str:
    """What a column is called within a sentence."""
    return entry.labels.get(column) or column.replace("_", " ")


def is_several(rows: Sequence[Row]) -> bool:
    """Whether some cells with a value in one panel are not compared with each other."""
    sets = {(row.get("panel"), row["peers"]) for row in rows if row["value"] is not None}
    return len(sets) > len({panel for panel, _ in sets})


def shared_along(rows: Sequence[Row]) -> str | None:
    """The axis of which each line is a set of cells that are compared, if there is one."""
    valued = [row for row in rows if row["value"] is not None]
    # A cell that is compared with none is a set of its own.
    sets = [n if row["peers"] is None else f"set {row['peers']}" for n, row in enumerate(valued)]
    for axis in ("x", "y"):
        lines = [(row.get("panel"), row[axis]) for row in valued]
        if valued and len({*zip(lines, sets, strict=True)}) == len({*lines}) == len({*sets}):
            return axis
    return None
