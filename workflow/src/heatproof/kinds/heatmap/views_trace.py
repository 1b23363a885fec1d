"""trace of kinds that show the cells of a heatmap otherwise: that of the cell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heatproof.kinds.heatmap import trace

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from heatproof.kinds.cell_records import Behind, Recounted
    from heatproof.kinds.heatmap.views import View
    from heatproof.samples.shard_index import ShardIndex
    from heatproof.util.lazy import polars as pl


def columns(entry: View, grid: pl.DataFrame) -> list[str]:
    """Panel, x and y of the heatmap."""
    return trace.columns(entry.cells(), grid)


def value_columns(entry: View, grid: pl.DataFrame) -> list[str]:
    """Value and counts."""
    return trace.value_columns(entry.cells(), grid)


def within(samples: pl.LazyFrame, entry: View, cell: Mapping[str, Any]) -> pl.LazyFrame:
    """The samples of a cell."""
    return trace.within(samples, entry.cells(), cell)


def behind(
    samples: pl.LazyFrame, grid: pl.DataFrame, entry: View, wanted: Mapping[str, str]
) -> Behind:
    """The cell that `wanted` names by the columns of the samples, and its records.

    Raises:
        Error: there is no such cell; the message names those there are.
    """
    return trace.behind(samples, grid, entry.cells(), wanted)


def recounted(samples: pl.LazyFrame, grid: pl.DataFrame, entry: View) -> Iterator[Recounted]:
    """Every cell of the grid, counted once more from samples, and which of them is the best."""
    return trace.recounted(samples, grid, entry.cells())


def expected(
    samples: pl.LazyFrame, grid: pl.DataFrame, entry: View, logs: ShardIndex
) -> Iterator[Recounted]:
    """The rows that each cell was to hold by the word of its `logs`, where they tell."""
    return trace.expected(samples, grid, entry.cells(), logs)
