"""aggregate of kinds that show the cells of a heatmap otherwise: the grid of that heatmap."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof.kinds.heatmap import aggregate as heatmap
from heatproof.samples.shards_of_figure import Unfit
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from heatproof.kinds.heatmap.views import View
    from heatproof.samples.shard_index import ShardIndex
    from heatproof.util.lazy import polars as pl


def aggregate(
    samples: pl.LazyFrame,
    entry: View,
    partial: Sequence[pl.LazyFrame] | None = None,
    logs: ShardIndex | None = None,
) -> pl.DataFrame:
    """The grid of the heatmap with the same cells.

    Raises:
        Error: as there, with the keys of this figure.
    """
    try:
        return heatmap.aggregate(samples, entry.cells(), partial, logs)
    except Unfit as error:
        raise Unfit(error.column, _reworded(error, entry)) from None
    except Error as error:
        raise Error(entry.reworded(str(error))) from None


def _reworded(error: Unfit, entry: View) -> Callable[[Callable[[float], str]], str]:
    return lambda own: entry.reworded(error.words(own))
