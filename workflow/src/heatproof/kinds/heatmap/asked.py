"""How much of its data set a run was asked for, where a limit was set: words beside its cell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof.kinds.heatmap import gaps

if TYPE_CHECKING:
    from collections.abc import Mapping

    from heatproof.util.lazy import polars as pl

    Part = tuple[int, int]
    """Problems that were asked for, and those of the data set."""

SEVERAL = "a part of the data set alone"


def words(tasks: Mapping[str, Part | None]) -> str | None:
    """`20 of 100 problems of the data set`; None where all were asked for, or nothing is known.

    `tasks`: those of a cell; where there are several, the limited ones are named.
    """
    limited = {task: part for task, part in tasks.items() if part}
    if not limited:
        return None
    number, there = (sum(part[at] for part in limited.values()) for at in (0, 1))
    whose = "the data set" if len(tasks) == 1 else gaps.tasks(sorted(limited))
    return f"{number:,} of {there:,} problems of {whose}"


def column(grid: pl.DataFrame) -> list[str | None]:
    """These words for each cell of a grid: there is a column of them only where some cell has."""
    return grid["asked"].to_list() if "asked" in grid.columns else [None] * len(grid)


def told(cell: str | None) -> list[str]:
    """What is said of a cell: of most, nothing."""
    return [f"asked for {cell}"] if cell else []


def shared(grid: pl.DataFrame) -> str:
    """What is said of a figure: what all cells say that say anything, or that they differ."""
    cells = column(grid)
    found = {*cells} - {None}
    where = "in some cells " if None in cells else ""
    said = "".join(told(found.pop() if len(found) == 1 else SEVERAL)) if found else ""
    return where + said if said else ""
