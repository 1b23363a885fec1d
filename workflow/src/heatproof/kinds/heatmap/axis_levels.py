"""Which values of an axis may be the best on average: columns of the grid, and words.

The scores of a problem are averaged over all cells with one value of the axis. These averages are
judged as cells are (`statistics.tied`), with the same doubts, so that a peak is seen as well as a
slope, and names of models as well as numbers. P values are multiplied by the number of axes of all
panels of the figure that are asked for, whether or not they can be judged (Bonferroni): nobody
named one of them beforehand, and a claim is made on each value, so that Holm's steps would not do.

Measured (tests/bench/coverage_levels.py; panels of 4 × 5 cells, 30 and 198 problems, 1, 5 and 64
samples, 300 runs each, error .013): a best value is told not to be it in .00 to .073 of panels of
equal cells, skewed ones, families that are named, slopes of each problem's own, or a tenth of the
problems that break along the axis. Of 30 problems of which a twentieth breaks, .20 with 5 and 64
samples: many panels hold no such problem, hence `FEWEST`. Peaks are told as often as slopes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heatproof.kinds.heatmap import reasons
from heatproof.kinds.heatmap.judged import ALPHA, Peers
from heatproof.util.lazy import numpy as np
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heatproof.kinds.heatmap.entry import Entry
    from heatproof.kinds.heatmap.grid import Flags, Ints, Panel
    from heatproof.kinds.heatmap.judged import Best
    from heatproof.metrics import Metric

    GridRow = Mapping[str, Any]

AXES = ("x", "y")
COLUMNS = {"x": "top_x", "y": "top_y"}
"""Axis → column: whether the cell's value of the axis cannot be told not to be the best on average;
null where it is not judged. There are such columns only where some axis is judged."""
FEWEST = 30
"""Problems, or families, at least: of fewer, those that a setting breaks may all be missing."""
NAMED_AT_MOST = 4
"""Values of an axis that are named at most."""


def with_levels(
    grid: pl.DataFrame, panels: Sequence[Panel], what: Metric, best: Best
) -> pl.DataFrame:
    """The grid with `COLUMNS`.

    Args:
        grid: cells as judged, in the order in which `panels` number them.
        panels: their problems.
        what: its metric.
        best: which end of the values is looked for.
    """
    size = grid["x"].n_unique() * grid["y"].n_unique()
    tests = [
        (panel, axis)
        for panel in panels
        if len(panel.cells) == size and _is_whole(grid[panel.cells])
        for axis in AXES
        if 1 < grid[axis].n_unique() < size
    ]
    columns: dict[str, list[bool | None]] = {axis: [None] * len(grid) for axis in AXES}
    for panel, axis in tests:
        if grid["spread"][panel.cells].null_count():
            continue  # no verdict on its cells either
        codes = {value: n for n, value in enumerate(dict.fromkeys(grid[axis][panel.cells]))}
        level = np.array([codes[value] for value in grid[axis][panel.cells]])
        tops = judged_levels(panel, level, what, best, len(tests))
        if tops is not None:
            for cell, top in zip(panel.cells.tolist(), tops[level].tolist(), strict=True):
                columns[axis][cell] = top
    if all(top is None for tops in columns.values() for top in tops):
        return grid
    return grid.with_columns(
        pl.Series(COLUMNS[axis], tops, pl.Boolean) for axis, tops in columns.items()
    )


def _is_whole(cells: pl.DataFrame) -> bool:
    """Whether all cells are compared, on the same problems."""
    same = (cells["common"] == cells["samples"]).fill_null(value=False).all()
    return cells["peers"].n_unique() == 1 and bool(same)


def judged_levels(panel: Panel, level: Ints, what: Metric, best: Best, tests: int) -> Flags | None:
    """Which values of an axis may be the best, (values,); None where that is not known to hold.

    Args:
        panel: of which all cells hold all problems.
        level: (cells,), number of the value of each cell.
        what: the metric.
        best: which end is looked for.
        tests: axes that are asked for.
    """
    from heatproof import statistics
    from heatproof.statistics.contrasts import GRID

    if len(np.unique(panel.family)) < FEWEST:
        return None
    total, count = what.points(panel.count, panel.total)
    score = total / count * (-1 if best == "lowest" else 1)
    unit = np.abs(score).max() / GRID or 1.0  # whole numbers add up to the same on any machine
    steps = np.rint(score / unit)
    number = np.bincount(level)
    sums = unit * np.stack([steps[:, level == n].sum(axis=1) for n in range(len(number))], axis=1)
    counts = np.broadcast_to(number, sums.shape)
    value = statistics.cell_estimates(sums, counts, panel.task).value
    p = statistics.best_p_values(sums, counts, panel.task, group=panel.family)
    standing = {"tied": p * tests > ALPHA, "best": value == value.max()}
    peers = Peers(sums, counts, panel.task, panel.family, value)
    doubt = reasons.doubt_words(peers, standing, panel.tasks, what.is_share)
    return None if doubt else standing["tied"]


def _values(rows: Sequence[GridRow], axis: str) -> tuple[list[Any], list[Any]]:
    """Values of an axis that may be the best, and those that are told not to be; `rows`: a panel's.

    No value where none is told not to be.
    """
    tops = {row[axis]: row.get(COLUMNS[axis]) for row in rows}
    behind = [value for value, top in tops.items() if top is False]
    return [value for value, top in tops.items() if top and behind], behind


def line_words(rows: Sequence[GridRow], entry: Entry) -> str:
    """What is said beside a panel: "on average highest at ratio 0.4 or 0.5, at model a"."""
    places = []
    for axis, column in (("x", entry.x), ("y", entry.y)):
        tops, behind = _values(rows, axis)
        if behind:
            names = entry.called(column, [row[axis] for row in rows])
            title = reasons.among_title(column, entry)
            places.append(f"at {title} {_listed([names[value] for value in tops])}")
    return f"on average {entry.best} {', '.join(places)}" if places else ""


def _listed(names: Sequence[str]) -> str:
    """`a`, `a or b`, `a, b, c, d or 3 more`."""
    more = len(names) - NAMED_AT_MOST
    parts = [*names[:NAMED_AT_MOST], *([f"{more} more"] if more > 0 else [])]
    return " or ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)
