"""aggregate: samples → the grid of a scatter, a row per point: those of two heatmaps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof.kinds.heatmap.views_aggregate import counted
from heatproof.kinds.scatter.entry import ALONG

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heatproof.kinds.scatter.entry import Entry
    from heatproof.samples.shard_index import ShardIndex
    from heatproof.util.lazy import polars as pl


def aggregate(
    samples: pl.LazyFrame,
    entry: Entry,
    partial: Sequence[pl.LazyFrame] | None = None,
    logs: ShardIndex | None = None,
) -> pl.DataFrame:
    """The grid of the heatmap of y, with what lies along x beside it.

    Raises:
        Error: as there, with the keys of this figure.
    """
    score = counted(samples, entry.cells(), entry.reworded, partial, logs)
    cost = counted(samples, entry.costs(), entry.reworded_costs, partial, logs)
    keys = entry.cells().places
    beside = cost.select(*keys, *(cost[name].alias(f"x_{name}") for name in ALONG))
    return score.join(beside, on=keys, how="left", nulls_equal=True, maintain_order="left")
