"""States of a cell without a value or without a verdict: codes for grids, and the words of each.

A new state is a row of `GAPS`, `LACKS` or `DOUBTS`. Grids, recounts and `verify` hold and compare
codes; figures, captions, LaTeX, pages and alternative texts take their words from here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heatproof.metrics import Metric

    GridRow = Mapping[str, Any]

NOTHING, FAILED, ITSELF, NONE_SUCH = "no_data", "failed", "itself", "none_such"
BEGUN, NO_BASELINE = "incomplete", "no_baseline"
UNCOMMON, CONSTANT, ONE_SIDED = "uncommon", "constant", "one_sided"
TASKS_NAMED = 3  # tasks that are named at most


class GapState(NamedTuple):
    """Why a cell has no value."""

    words: str  # `{lacks}`: what it lacks, by `LACKS`
    spoken: str = ""  # in alternative texts, behind the number of such cells
    is_empty: bool = False  # there is no record
    is_whole: bool = False  # nor is any expected
    is_absent: bool = False  # nobody tried to make one
    is_begun: bool = False  # there are records, but too few


GAPS: Mapping[str, GapState] = {
    # There is no record, nor a log of its run: the only cell that may be called so.
    NOTHING: GapState("no data", "without data", is_empty=True, is_absent=True),
    FAILED: GapState(
        "run failed or unfinished: no graded sample in its log",
        "of runs that failed or are unfinished",
        is_empty=True,
    ),
    ITSELF: GapState("against itself", is_empty=True, is_whole=True),
    NONE_SUCH: GapState(
        "no problem or answer of this kind", is_empty=True, is_whole=True, is_absent=True
    ),
    BEGUN: GapState("no value, {lacks}", "incomplete and without a value", is_begun=True),
    NO_BASELINE: GapState("no baseline ({lacks})", "without data"),
    UNCOMMON: GapState("no problems in common", "of two without common problems", is_absent=True),
    CONSTANT: GapState(
        "undefined: all scores of one, or of both, are equal", "in which a score never varies"
    ),
    ONE_SIDED: GapState(
        "no finite rating: some win, or lose, all against the others", "without a finite rating"
    ),
}


class LackState(NamedTuple):
    """What a cell lacks; of a mean over tasks, in which of them."""

    words: str
    of_tasks: str = ""  # follows where a cell is of several tasks


LACKS: Mapping[str, LackState] = {
    "missing": LackState("{tasks} missing"),
    "failed": LackState("run of {tasks} failed or unfinished"),
    "unmeasured": LackState("no {measure}", " in {tasks}"),
    "uneven": LackState("the number of samples is not the same for each {part}", " in {tasks}"),
    "short": LackState("{needs}", " in {tasks}"),
    "unrecorded": LackState("no data"),
    "unshared": LackState("no problems in common", " of {tasks}"),
}

CROWD = 2_000
"""Cells that are judged together at most: in some 20 seconds and 500 MB, which grow with their
square."""
UNEVEN, UNBOUNDED, FAR_RANGE, CROWDED = "uneven", "unbounded", "far_range", "crowded"
STOPPED, ANSWERED, MADE_UP = "stopped", "answered", "made_up"
UNSHARED, ALIKE, UNKNOWN, EQUAL_MEANS = "unshared", "alike", "unknown", "equal_means"
DOUBTS: Mapping[str, str] = {
    UNEVEN: "cells hold different problems",
    UNBOUNDED: "values have no bounds",
    FAR_RANGE: "the upper end of the range lies far above all usual values",
    CROWDED: f"more than {CROWD:,} cells are not compared with each other",
    STOPPED: "samples were stopped by their results",
    ANSWERED: "the answers decide which samples a cell holds",
    MADE_UP: "which problems were solved is reconstructed",
    UNSHARED: "printed numbers may rest on other problems",
    ALIKE: "too few problems, or they differ too little",
    UNKNOWN: "none is known of {metric}",
    EQUAL_MEANS: "won more often, but the mean difference may be 0",
}
"""Why a cell is not judged, or has no interval."""


class Lack(NamedTuple):
    """What a cell lacks: a code of `LACKS`, and of several tasks those that lack it."""

    kind: str
    tasks: Sequence[str] = ()


class Gap(NamedTuple):
    """Why a cell has no value: a code of `GAPS`, and what it lacks."""

    kind: str
    lacks: Sequence[Lack] = ()

    @property
    def state(self) -> GapState:
        return GAPS[self.kind]

    def words(self, metric: Metric, part: str) -> str:
        """Why a cell has no value of a metric; `part`: the column over which it is a mean."""
        texts = [_lack_words(lack, metric, part) for lack in self.lacks]
        return self.state.words.format(lacks="; ".join(texts))


def _lack_words(lack: Lack, metric: Metric, part: str) -> str:
    state = LACKS[lack.kind]
    needs = metric.lacks
    if part and metric.k:
        needs = f"{needs} for each {part}"
    text = state.words
    if lack.tasks:
        text += state.of_tasks
    return text.format(tasks=task_list(lack.tasks), measure=metric.of, part=part, needs=needs)


def read_gap(row: GridRow, prefix: str = "") -> Gap | None:
    """The gap of a row of a grid; None where the cell has a value."""
    kind = row[f"{prefix}gap"]
    if kind is None:
        return None
    lacks = row[f"{prefix}lacks"] or ()
    return Gap(kind, tuple(Lack(lack["kind"], tuple(lack["tasks"])) for lack in lacks))


def is_empty(kind: str | None) -> bool:
    """Whether a code of the column `gap` says that there is no record."""
    return kind is not None and GAPS[kind].is_empty


def doubt_words(kind: str, metric: str, *, paired: bool = False) -> str:
    """Why a cell is not judged; `paired`: why a difference has no interval."""
    words = DOUBTS[kind]
    reason = words.format(metric=metric)
    if paired:
        return f"no interval: {reason}"
    return f"not judged: {reason}"


def task_list(names: Sequence[str]) -> str:
    """`task a`, `tasks a, b`, `tasks a, b, c and 4 more`; empty without any."""
    if not names:
        return ""
    shown_names = names[:TASKS_NAMED]
    listed = ", ".join(shown_names)
    if len(names) > TASKS_NAMED:
        listed = f"{listed} and {len(names) - TASKS_NAMED} more"
    if len(names) > 1:
        return f"tasks {listed}"
    return f"task {listed}"


def asked_words(row: GridRow) -> str:
    """`20 of 100 problems of the data set`; empty where all were asked for, or nothing is known."""
    if row["asked"] is None:
        return ""
    whose = task_list(row["asked_tasks"] or ()) or "the data set"
    return f"{row['asked']:,} of {row['dataset']:,} problems of {whose}"
