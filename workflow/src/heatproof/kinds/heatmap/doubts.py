"""Why cells that share problems are not compared all the same: words for figure and tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heatproof.util.lazy import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heatproof.kinds.heatmap.standing import Peers
    from heatproof.util.lazy import polars as pl

COLUMN = "unjudged"
"""Of the grid: the words; there is such a column only where some cell has them."""
NONE = "no best setting is told"
UNEVEN = f"{NONE}: cells hold different problems, and only means allow for that"
"""Of other metrics than means."""


def words(peers: Peers, judged: Mapping[str, Any], tasks: Sequence[str], share: bool) -> str:
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
        return (
            f"{NONE}: nearly all uncertainty of these means is that of {tasks[task]} "
            f"({units:,} problems or families), too few to say"
        )
    behind = np.flatnonzero(~(judged["tied"] | judged["best"]))
    best = int(np.flatnonzero(judged["best"])[0])
    scores = peers.total, peers.count, peers.task, peers.family
    if statistics.skewed(*scores, best, behind, share):
        return f"{NONE}: a few problems make the gaps, too few to tell these from chance"
    return ""


def kept(grid: pl.DataFrame) -> pl.DataFrame:
    """The grid without the column if no cell has words."""
    return grid if grid[COLUMN].count() else grid.drop(COLUMN)


def of(grid: pl.DataFrame) -> list[str]:
    """What is said of a figure, each once."""
    return [*dict.fromkeys(grid[COLUMN].drop_nulls())] if COLUMN in grid.columns else []
