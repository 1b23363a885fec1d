"""Instances at (measure of x, measure of y) → bins of the unit square."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof.util.lazy import numpy as np
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

POINTS = 5_000
"""Instances of a pair that are still drawn as points."""

STRIP = 1 << 20
"""Instances binned at a time."""

EQUAL = 1e-9
"""Differences below this are rounding of the logs, not of the models: a tie."""


class OutsideError(ValueError):
    """A position that is not between 0 and 1."""


def bins(at_x: Floats, at_y: Floats, size: int) -> pl.DataFrame:
    """A row per bin of the unit square cut into `size` × `size`, empty ones included.

    Bins hold their lower edge, the last one its upper edge too. `points` lists the distinct
    positions in a bin with their number, unless there are too many to draw.
    """
    count, sums = np.zeros(size * size, np.int64), np.zeros(size * size, np.int64)
    for start in range(0, len(at_x), STRIP):
        x, y = at_x[start : start + STRIP], at_y[start : start + STRIP]
        flat = _flat(x, y, size)
        count += np.bincount(flat, minlength=size * size)
        # Differences are summed as whole millionths of a millionth: exact in any order.
        np.add.at(sums, flat, np.rint((x - y) * 1e12).astype(np.int64))
    edges = np.arange(size + 1) / size
    rows, columns = np.divmod(np.arange(size * size), size)
    frame = pl.DataFrame(
        {
            "x0": edges[columns],
            "x1": edges[columns + 1],
            "y0": edges[rows],
            "y1": edges[rows + 1],
            "samples": count,
            "difference": np.where(count > 0, sums / np.maximum(count, 1) / 1e12, np.nan),
        }
    ).with_columns(pl.col("difference").fill_nan(None))
    return frame.with_columns(points=_points(at_x, at_y, size))


def _flat(at_x: Floats, at_y: Floats, size: int) -> NDArray[np.int64]:
    return bin_of(at_y, size) * size + bin_of(at_x, size)


def bin_of(at: Floats, size: int) -> NDArray[np.int64]:
    """Number of the bin, from 0, that each position between 0 and 1 falls into.

    Raises:
        OutsideError: some position is not.
    """
    # A hair is added so that 0.3 / 0.1 falls into the bin that starts at 0.3.
    if at.size and (at.min() < 0 or at.max() > 1):
        raise OutsideError
    return np.minimum((at * size + EQUAL).astype(np.int64), size - 1)


def _points(at_x: Floats, at_y: Floats, size: int) -> pl.Series:
    kind = pl.List(pl.Struct({"x": pl.Float64, "y": pl.Float64, "n": pl.Int64}))
    listed: list[list[dict[str, float]]] = [[] for _ in range(size * size)]
    if len(at_x) <= POINTS:
        flat = _flat(at_x, at_y, size)
        spots = np.round(np.column_stack([at_x, at_y]), 6)
        distinct, where, counts = np.unique(spots, axis=0, return_index=True, return_counts=True)
        for (x, y), first, n in zip(distinct, where, counts, strict=True):
            listed[flat[first]].append({"x": float(x), "y": float(y), "n": int(n)})
    return pl.Series("points", listed, dtype=kind)
