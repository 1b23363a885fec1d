"""aggregate of kinds that show the cells of a heatmap otherwise: the grid of that heatmap."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof.kinds.heatmap import aggregate as heatmap
from heatproof.samples.shards_of_figure import Unfit
from heatproof.util.errors import Absent, Error, Lasting

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from heatproof.kinds.heatmap.entry import Entry
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
    return counted(samples, entry.cells(), entry.reworded, partial, logs)


def counted(
    samples: pl.LazyFrame,
    heat: Entry,
    reworded: Callable[[str], str],
    partial: Sequence[pl.LazyFrame] | None = None,
    logs: ShardIndex | None = None,
) -> pl.DataFrame:
    """The grid of a heatmap whose mistakes are told in the words of another figure.

    Raises:
        Error: as there.
    """
    try:
        return heatmap.aggregate(samples, heat, partial, logs)
    except Unfit as error:
        raise Unfit(error.column, _reworded(error, reworded)) from None
    except (Lasting, Absent) as error:
        raise type(error)(reworded(str(error))) from None
    except Error as error:
        raise Error(reworded(str(error))) from None


def _reworded(
    error: Unfit, reworded: Callable[[str], str]
) -> Callable[[Callable[[float], str]], str]:
    return lambda own: reworded(error.words(own))
