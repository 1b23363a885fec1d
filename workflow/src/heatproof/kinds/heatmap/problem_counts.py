"""The counts of problems behind a figure as plain values, and what is counted anew from them.

Files of a figure carry them, so that values, intervals and verdicts can be counted without logs.
Problems have neither names nor the order of the logs: they are sorted by their counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof import statistics
from heatproof.kinds.columns import join_cells
from heatproof.kinds.heatmap import aggregate, judged, ordering
from heatproof.kinds.heatmap.baseline import problem_scores
from heatproof.kinds.heatmap.grid import PanelCounts
from heatproof.metrics import metric
from heatproof.util.lazy import numpy as np
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from heatproof.kinds.cell_figure import Cells
    from heatproof.kinds.columns import Grid, Portions, Samples
    from heatproof.kinds.question import Question
    from heatproof.samples.shard_index import ShardIndex

    Plain = Mapping[str, Any]
    """The counts of a panel: `cells` (rows of the grid), `tasks`, `epochs` (a number, or a list of
    each problem), `sums`, `expected` and, where they are not plain, `task`, `family`, `ranged`."""

MOST = 200_000  # counts of problems that a figure carries; larger ones carry none
RECOUNTED = ("cell", "value", "samples", "epochs", "se", "low", "high", "tied", "peers")
PAIRED = 64  # cells of a panel of which all pairs are compared


def is_counted(question: Question) -> bool:
    """Whether sums and epochs of problems give all numbers of a figure."""
    is_one = not (question.several or question.k or question.relative_to or question.averaged)
    if not is_one or question.pair:
        return False
    shown_metric = metric(question.word)
    return not (shown_metric.votes or shown_metric.printed)


def problem_counts(
    samples: Samples,
    entry: Cells,
    grid: Grid,
    partial: Portions,
    logs: ShardIndex,
) -> list[Plain]:
    """The counts of each panel; empty where they do not give all numbers, or are too many."""
    question = entry.question
    # A panel holds at least the samples of its cells.
    if not is_counted(question) or grid["samples"].sum() > MOST:
        return []
    question = ordering.with_groups(question, samples)
    placed = aggregate.place_samples(samples, question, partial, logs)
    size = sum(panel.count.size for panel in placed.panels)
    is_plain = not any(
        panel.reconstructed or panel.answered or panel.stopped.any() for panel in placed.panels
    )
    if size > MOST or not is_plain:
        return []
    rows = grid.with_row_index("row").select("row", *question.places)
    counted = join_cells(placed.product, rows, question.places)
    row_of_cell = counted["row"].to_numpy()
    return [_plain_counts(panel, row_of_cell[panel.cells].tolist()) for panel in placed.panels]


def _plain_counts(panel: PanelCounts, rows: list[int]) -> Plain:
    """The counts of a panel, its problems sorted by what they hold."""
    key = np.column_stack([panel.task, panel.count, panel.total])
    order = np.lexsort(key.T[::-1])
    counts = panel.count[order]
    epochs: Any = counts.tolist()
    levels = np.unique(panel.count)
    if len(levels) == 1:
        epochs = int(levels[0])
    sums = []
    totals = panel.total[order]
    for row in totals.tolist():
        sums.append([int(n) if n == int(n) else n for n in row])
    plain = {
        "cells": rows, "tasks": panel.tasks, "epochs": epochs, "sums": sums,
        "expected": panel.expected.tolist(),
    }  # fmt: skip
    families = panel.family[order].tolist()
    numbers = {family: number for number, family in enumerate(dict.fromkeys(families))}
    if len(numbers) < len(families):
        plain["family"] = [numbers[family] for family in families]
    if len(panel.tasks) > 1:
        tasks = panel.task[order]
        plain["task"] = tasks.tolist()
    if panel.ranged:
        plain["ranged"] = True
    return plain


def read_panel(plain: Plain) -> PanelCounts:
    """The panel of plain counts. Raises KeyError, TypeError or ValueError: they are none."""
    total = np.array(plain["sums"], np.float64)
    problems, cells = total.shape
    count = np.broadcast_to(np.array(plain["epochs"], np.int64), total.shape)
    task = np.array(plain.get("task", np.zeros(problems)), np.int64)
    tasks = [str(name) for name in plain["tasks"]]
    there = np.zeros((len(tasks), cells), bool)
    records = there.copy()
    for number in range(len(tasks)):
        records[number] = (count[task == number] > 0).any(axis=0)
    return PanelCounts(
        count=count, total=total, task=task,
        family=np.array(plain.get("family", range(problems)), np.int64),
        expected=np.array(plain["expected"], np.int64), reconstructed=False,
        cells=np.array(plain["cells"], np.int64), tasks=tasks, records=records,
        failed=there, unbalanced=there, stopped=np.zeros(cells, bool),
        ranged=bool(plain.get("ranged")),
    )  # fmt: skip


def recount(panels: Sequence[Plain], question: Question) -> Grid:
    """Value, error, interval and verdict of each cell, counted anew from plain counts."""
    shown_metric, best = metric(question.word), question.best_of(question.word)
    frames = []
    for plain in panels:
        panel = read_panel(plain)
        frame = judged.judge(panel, shown_metric, best, question.uncertainty, question.looks)
        frames.append(frame.select(RECOUNTED))
    return pl.concat(frames).sort("cell")


class CellPair(NamedTuple):
    """Two cells of a panel on their common problems, in the unit of the metric."""

    first: int  # rows of the grid
    second: int
    difference: float
    low: float | None  # of an interval that holds for all pairs of the panel together
    high: float | None
    problems: int

    def turned(self) -> CellPair:
        """The second less the first."""
        low = high = None
        if self.low is not None and self.high is not None:
            low = -self.high
            high = -self.low
        return CellPair(self.second, self.first, -self.difference, low, high, self.problems)


def cell_pairs(panels: Sequence[Plain], question: Question) -> Iterator[CellPair]:
    """All pairs of cells of the same panel; of large panels none.

    The interval is of paired differences, as those to a baseline are (`statistics.simultaneous`).
    It leaves out zero by no smaller lead than that by which a cell leaves the tied set.
    """
    shown_metric = metric(question.word)
    if shown_metric.join:
        return
    for plain in panels:
        panel = read_panel(plain)
        number = len(panel.cells)
        if not 1 < number <= PAIRED or not panel.count.size:
            continue
        first, second = np.triu_indices(number, 1)
        scores = problem_scores((panel.count, panel.total), shown_metric)
        own, base = (
            scores._replace(numerator=scores.numerator[:, side]) for side in (first, second)
        )
        pairs = statistics.Pairs(own, base, panel.task, panel.family)
        gap = statistics.gaps(pairs)
        grown = judged.grown_part(panel, question.looks)
        (limits,) = statistics.simultaneous([(pairs, gap)], grown=grown, claims=number)
        sides = [(panel.count, panel.total)]
        unbounded = judged.why_unbounded(sides, shown_metric.is_share, panel.ranged)
        for place in np.flatnonzero(~np.isnan(gap.difference)):
            low = float(limits.low[place])
            high = float(limits.high[place])
            has_interval = not (unbounded or np.isnan(low))
            yield CellPair(
                int(panel.cells[first[place]]),
                int(panel.cells[second[place]]),
                float(gap.difference[place]),
                low if has_interval else None,
                high if has_interval else None,
                int(gap.problems[place]),
            )
