"""The samples of a heatmap by problem: sums for each cell, and as arrays for each panel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heatproof import counts
from heatproof.heatmaps.panel import Panel
from heatproof.lazy import numpy as np
from heatproof.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from heatproof.figures.heatmap import Entry
    from heatproof.metrics import Metric


def sums(chosen: pl.DataFrame, by: Sequence[str], what: Metric) -> pl.DataFrame:
    """A row per cell and problem: `count` epochs and the `total` of the metric's column.

    `chosen` holds a row per run and problem (`heatproof.counts`); where a cell pools several, they
    are summed in the order of their settings by one thread: no sum depends on the machine.
    """
    key = list(dict.fromkeys([*by, "task", "sample_id"]))
    named = {"count": f"{what.of}.n", "total": f"{what.of}.sum"}
    rows = chosen.filter(pl.col(named["count"]) > 0)
    if counts.is_unique(rows, key):
        return rows.select(*key, "reconstructed", **{k: pl.col(v) for k, v in named.items()})
    rows = rows.sort(*key, *counts.order(chosen.columns))
    starts = rows.select(pl.struct(key).rle_id().alias("group")).to_series()
    first = np.flatnonzero(np.diff(starts.to_numpy(), prepend=-1))
    sums = {k: np.add.reduceat(rows[v].to_numpy(), first) for k, v in named.items()}
    made_up = np.add.reduceat(rows["reconstructed"].to_numpy(), first, dtype=np.int64) > 0
    heads = rows.select(key)[first]
    return heads.with_columns(reconstructed=made_up, **{k: pl.Series(v) for k, v in sums.items()})


def panel(sums: pl.DataFrame, cells: pl.DataFrame, at: Any, entry: Entry) -> Panel:
    """The sums of one panel as arrays; cells in the order of the grid, problems sorted."""
    if entry.panel:
        cells = cells.filter(pl.col(entry.panel) == at)
        sums = sums.filter(pl.col(entry.panel) == at)
    cell = cells.select("x", "y").with_row_index("cell")
    who = (
        sums.select("task", "sample_id")
        .unique()
        .sort("task", "sample_id")
        .with_row_index("problem")
    )
    at_cell = sums.join(cell, left_on=[entry.encoding.x, entry.encoding.y], right_on=["x", "y"])
    placed = at_cell.join(who, on=["task", "sample_id"])
    shape = (len(who), len(cell))
    count, total = np.zeros(shape, np.int64), np.zeros(shape)
    index = placed["problem"].to_numpy(), placed["cell"].to_numpy()
    count[index], total[index] = placed["count"].to_numpy(), placed["total"].to_numpy()
    task = who["task"].rank("dense").cast(pl.Int64).to_numpy() - 1
    family = _families(who, entry.family)
    # A complete run holds every problem seen anywhere in the panel, as often as any cell has it.
    expected = np.full(len(cell), count.max(axis=1, initial=0).sum())
    made_up = bool(sums["reconstructed"].any())
    return Panel(count, total, task, family, expected, made_up)


def _families(who: pl.DataFrame, pattern: str | None) -> NDArray[np.int64]:
    """Number of the family of each problem; without a pattern, or a match, each is its own."""
    own = pl.col("sample_id")
    name = own if pattern is None else pl.coalesce(own.str.extract(pattern), own)
    return (
        who.select(pl.struct("task", name).rank("dense") - 1).to_series().cast(pl.Int64).to_numpy()
    )
