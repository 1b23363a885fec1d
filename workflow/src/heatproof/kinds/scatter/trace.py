"""The records behind a point, and both of its numbers counted anew."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof.kinds.heatmap import printed, trace
from heatproof.kinds.heatmap.views_trace import columns, expected, within
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from heatproof.kinds.cell_records import Behind, Recounted
    from heatproof.kinds.scatter.entry import Entry

__all__ = ["behind", "columns", "expected", "recounted", "value_columns", "within"]


def value_columns(entry: Entry, grid: pl.DataFrame) -> list[str]:
    """Both values, and their counts."""
    return [*trace.value_columns(entry.cells(), grid), "x_value", "x_samples", "x_epochs"]


def behind(
    samples: pl.LazyFrame, grid: pl.DataFrame, entry: Entry, wanted: Mapping[str, str]
) -> Behind:
    """The point that `wanted` names, its records with what lies along y, and both numbers.

    Raises:
        Error: there is no such point; the message names those there are.
    """
    found = trace.behind(samples, grid, entry.cells(), wanted)
    along = trace.behind(samples, costs(grid), entry.costs(), wanted)
    counted = "no value" if along.counted is None else f"{along.counted:.12g}"
    known = "no value" if along.value is None else f"{along.value:.12g}"
    found.note = f"along x {along.metric} = {known}, counted anew {counted}"
    found.agrees = bool(found.agrees and along.agrees)
    return found


def recounted(samples: pl.LazyFrame, grid: pl.DataFrame, entry: Entry) -> Iterator[Recounted]:
    """Both numbers of every point, counted once more from samples."""
    yield from trace.recounted(samples, grid, entry.cells())
    for cell, *counts, agrees in trace.recounted(samples, costs(grid), entry.costs()):
        yield f"{cell}: {entry.encoding.x}", counts[0], counts[1], agrees


def costs(grid: pl.DataFrame) -> pl.DataFrame:
    """The grid of what lies along x. No best is told of it."""
    own = [name for name in grid.columns if name.startswith("x_")]
    kept = grid.drop(*(name.removeprefix("x_") for name in own), printed.PROBLEMS, strict=False)
    plain = kept.rename({name: name.removeprefix("x_") for name in own})
    none = {"peers": pl.lit(None, pl.Int64), "best": pl.lit(value=False)}
    return plain.with_columns(**none)
