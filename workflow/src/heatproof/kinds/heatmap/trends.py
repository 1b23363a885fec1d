"""Whether the values of a panel rise or fall along its axes: columns of the grid, and words."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from math import isnan
from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.kinds.heatmap import reasons
from heatproof.kinds.heatmap.judging import ALPHA
from heatproof.util.lazy import numpy as np
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from heatproof.kinds.heatmap.entry import Entry
    from heatproof.kinds.heatmap.judging import Panel
    from heatproof.metrics import Metric

    GridRow = Mapping[str, Any]

AXES = ("x", "y")
COLUMNS = {axis: f"trend_{axis}" for axis in AXES}
"""Axis → column: 1 where values rise along it, −1 where they fall, 0 where neither can be told from
chance; null where it is not tested. There are such columns only where some axis is tested."""
WORDS = {1: "rises", -1: "falls"}


class Tested(NamedTuple):
    """A panel along one axis."""

    axis: str
    cells: NDArray[np.int64]
    """Their places in the grid."""
    way: int
    p: float
    """Not corrected."""


def with_trends(grid: pl.DataFrame, panels: Sequence[Panel], what: Metric) -> pl.DataFrame:
    """The grid with `COLUMNS`: tests of all panels and axes of the figure, corrected (Holm).

    Args:
        grid: cells as judged, in the order in which `panels` number them.
        panels: their problems.
        what: its metric.
    """
    from heatproof import statistics

    size = grid["x"].n_unique() * grid["y"].n_unique()
    found = [
        one
        for panel in panels
        if len(panel.cells) == size and _is_whole(grid[panel.cells])
        for one in _tested(grid, panel, what)
    ]
    if not found:
        return grid
    columns: dict[str, list[int | None]] = {axis: [None] * len(grid) for axis in AXES}
    for one, p in zip(found, statistics.holm([one.p for one in found]), strict=True):
        for cell in one.cells.tolist():
            columns[one.axis][cell] = one.way if p <= ALPHA else 0
    return grid.with_columns(
        pl.Series(COLUMNS[axis], told, pl.Int64) for axis, told in columns.items()
    )


def _is_whole(cells: pl.DataFrame) -> bool:
    """Whether all cells are judged together, and hold the same problems."""
    return (
        cells["spread"].null_count() == 0
        and cells["peers"].n_unique() == 1
        and bool((cells["common"] == cells["samples"]).all())
    )


def _tested(grid: pl.DataFrame, panel: Panel, what: Metric) -> Iterator[Tested]:
    """The tests of a panel, of axes of numbers with values enough."""
    from heatproof import statistics

    total, count = what.points(panel.count, panel.total)
    for axis in AXES:
        values = grid[axis][panel.cells]
        if values.dtype.is_numeric() and values.n_unique() >= statistics.STEPS:
            rank = values.rank("dense").cast(pl.Int64).to_numpy() - 1
            way, p = statistics.trend(total, count, rank, panel.task, group=panel.family)
            if not isnan(p):
                yield Tested(axis, panel.cells, way, p)


def ways(row: GridRow) -> list[tuple[str, int]]:
    """The axes along which values rise (1) or fall (−1); `row`: any cell of the panel."""
    return [(axis, way) for axis, name in COLUMNS.items() if (way := row.get(name))]


def line_words(row: GridRow, entry: Entry) -> str:
    """What is said beside a panel: "rises with ratio, falls with window size"."""
    columns = {"x": entry.x, "y": entry.y}
    return ", ".join(
        f"{WORDS[way]} with {reasons.among_title(columns[axis], entry)}" for axis, way in ways(row)
    )


def sentence(row: GridRow, titles: Mapping[str, str]) -> list[str]:
    """The same in a whole sentence, or nothing; `titles`: what axes are called."""
    said = [f"{WORDS[way]} with {titles[axis]}" for axis, way in ways(row)]
    if not said:
        return []
    level = f"{100 * (1 - ALPHA):g}\u00a0%"
    return [f"the mean slope {' and '.join(said)} ({level}, paired, over the ranks of its values)"]


def recounted(
    peers: Sequence[tuple[str, GridRow, Fraction]], entry: Entry
) -> Iterator[tuple[str, float | None, float | None, bool]]:
    """Axes along which the values counted do not go the way that the grid tells.

    In fractions, and by pairs: what each two lines of cells differ by, times the steps from one to
    the other, adds up to the slope over ranks. Whether chance would give so much is not asked.

    Args:
        peers: names of all cells that are compared, their rows, and what was counted, with a sign
            that makes the highest the best.
        entry: the figure.
    """
    for axis, column in COLUMNS.items():
        if {row.get(column) for _, row, _ in peers} <= {None, 0}:
            continue
        sums: dict[float, Fraction] = {}
        for _, row, value in peers:
            sums[row[axis]] = sums.get(row[axis], Fraction()) + value
        pairs = combinations(enumerate(sums[at] for at in sorted(sums)), 2)
        slope = sum((later - one) * (n - m) for (m, one), (n, later) in pairs)
        way = ((slope > 0) - (slope < 0)) * (-1 if entry.best == "lowest" else 1)
        for cell, row, _ in peers:
            if row[column] != way:
                yield f"{cell}: {column}", row[column], way, False
