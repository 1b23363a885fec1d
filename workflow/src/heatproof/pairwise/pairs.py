"""aggregate: samples → the grid of a pairwise figure, a row per bin of each pair of models."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from heatproof import counts, selection
from heatproof.errors import Error
from heatproof.lazy import numpy as np
from heatproof.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from heatproof.config import Word
    from heatproof.figures.pairwise import Entry

    Floats = NDArray[np.float64]

POINTS = 5_000
"""Instances of a pair that are still drawn as points."""

EQUAL = 1e-9
"""Differences below this are rounding of the logs, not of the models: a tie."""


def aggregate(
    samples: pl.LazyFrame, entry: Entry, partial: pl.LazyFrame | None = None
) -> pl.DataFrame:
    """The bins of every pair of models: instances placed at (measure of x, measure of y).

    Pairs come in the order (0, 1), (0, 2), (1, 2), (0, 3), …: each new model against those before.
    With the `partial` counts of the same samples (`heatproof.counts`) the samples themselves are
    looked at only where epochs count one by one, or to say which record is at fault.

    Raises:
        Error: a model is not there, or two models share no instance.
    """
    place = f"config.yaml: figures.{entry.name}"
    used = {*entry.where, *entry.join, entry.compare}
    told = counts.told(samples, partial, [entry.measure], used)
    chosen = None if told is None else _counted(told, entry, place)
    if chosen is None:
        by = [entry.compare, *entry.join]
        chosen = counts.count(_valid(samples, entry, place), [entry.measure], by)
    selection.require_measured(chosen, entry.measure, entry.source, f"{place}.measure")
    means = instances(chosen, entry)
    pairs = sorted(combinations(entry.models, 2), key=lambda pair: entry.models.index(pair[1]))
    made_up = bool(chosen["reconstructed"].any())
    parts = [_pair(means, x, y, entry, place) for x, y in pairs]
    tests = judge([part.lead for part in parts], made_up)
    return pl.concat(
        [
            part.bins.with_columns(pl.lit(test[name], pl.Float64).alias(name) for name in TESTS)
            for part, test in zip(parts, tests, strict=True)
        ]
    )


class Placed(NamedTuple):
    """The bins of a pair, and x − y of each instance."""

    bins: pl.DataFrame
    lead: Floats


TESTS = ("mean", "mean_low", "mean_high", "p_holm")
"""Columns that compare a pair: mean of x − y over the instances with its 95 % interval, and p of
the exact sign test, corrected over the pairs of the figure (Holm)."""


def judge(leads: Sequence[Floats], made_up: bool = False) -> list[dict[str, float | None]]:
    """`TESTS` for each pair, from x − y of its instances; all null where these are made up."""
    from heatproof import statistics

    if made_up:
        return [dict.fromkeys(TESTS) for _ in leads]
    told = [np.where(np.abs(lead) <= EQUAL, 0.0, lead) for lead in leads]
    found = [statistics.paired(lead, np.zeros(len(lead))) for lead in told]
    corrected = statistics.holm([one.p for one in found])
    values = [
        (one.difference, one.low, one.high, p) for one, p in zip(found, corrected, strict=True)
    ]
    return [
        {name: None if np.isnan(x) else float(x) for name, x in zip(TESTS, row, strict=True)}
        for row in values
    ]


def _chosen(rows: pl.LazyFrame, entry: Entry, place: str) -> pl.DataFrame:
    where: dict[str, Word | list[Word]] = {entry.compare: [*entry.models]}
    rows = selection.choose(rows, entry.where, place)
    chosen = selection.choose(rows, where, place, "models").collect()
    selection.require_unmixed(chosen, [entry.compare, "task", *entry.join], place)
    return chosen


def _counted(told: pl.LazyFrame, entry: Entry, place: str) -> pl.DataFrame | None:
    """The counts of the figure's samples, or none where these must be looked at."""
    columns = [*entry.where, *entry.join, entry.compare]
    by = counts.settled(told.collect_schema().names(), columns)
    used = [*by, f"{entry.measure}.n", f"{entry.measure}.sum", "reconstructed"]
    chosen = _chosen(told.select(used), entry, place)
    # Two runs of the same settings may hold different epochs of a sample: counts cannot tell.
    single = counts.is_unique(chosen, [*selection.settings(by), "sample_id"])
    return chosen if single else None


def _valid(samples: pl.LazyFrame, entry: Entry, place: str) -> pl.DataFrame:
    """The figure's samples, of which all can be shown."""
    rows = _chosen(samples, entry, place)
    selection.require_single(rows, place)
    return rows


def instances(rows: pl.DataFrame, entry: Entry) -> pl.DataFrame:
    """A row per instance: what it is joined on, and a column per model with its mean measure.

    `rows`: counts of the samples (`heatproof.counts`).
    """
    on = ["task", *(name for name in entry.join if name != "task")]
    key = [*on, entry.compare]
    n, total = f"{entry.measure}.n", f"{entry.measure}.sum"
    there = rows.filter(pl.col(n) > 0)
    if not counts.is_unique(there, key):
        there = _joined(there, key, [total, n])
    on = [name for name in on if name != entry.compare]
    mean = pl.col(total) / pl.col(n)
    means = [
        there.filter(pl.col(entry.compare) == model).select(*on, mean.alias(model))
        for model in entry.models
    ]
    wide = means[0]
    for one in means[1:]:
        wide = wide.join(one, on=on, how="full", coalesce=True, nulls_equal=True)
    return wide


def _joined(rows: pl.DataFrame, key: list[str], numbers: list[str]) -> pl.DataFrame:
    """Rows of the same instance summed in the order of their settings, by one thread."""
    ordered = rows.sort(*dict.fromkeys([*key, *counts.order(rows.columns)]))
    groups = ordered.select(pl.struct(key).rle_id().alias("group")).to_series().to_numpy()
    first = np.flatnonzero(np.diff(groups, prepend=-1))
    sums = {name: pl.Series(np.add.reduceat(ordered[name].to_numpy(), first)) for name in numbers}
    return ordered.select(key)[first].with_columns(**sums)


def _pair(means: pl.DataFrame, x: str, y: str, entry: Entry, place: str) -> Placed:
    both = means.select(x, y).drop_nulls()
    if not len(both):
        raise Error(f"{place}.models: {x!r} and {y!r} share no {' and '.join(entry.join)}")
    at_x, at_y = both[x].to_numpy(), both[y].to_numpy()
    lead = at_x - at_y
    named = bins(at_x, at_y, entry.bins).with_columns(
        x_model=pl.lit(x),
        y_model=pl.lit(y),
        pair_n=pl.lit(len(both), pl.Int64),
        wins=pl.lit(int((lead > EQUAL).sum()), pl.Int64),
        ties=pl.lit(int((np.abs(lead) <= EQUAL).sum()), pl.Int64),
        losses=pl.lit(int((lead < -EQUAL).sum()), pl.Int64),
    )
    return Placed(named, lead)


def bins(at_x: Floats, at_y: Floats, size: int) -> pl.DataFrame:
    """A row per bin of the unit square cut into `size` × `size`, empty ones included.

    Bins hold their lower edge, the last one its upper edge too. `points` lists the distinct
    positions in a bin with their number, unless there are too many to draw.
    """
    column, row = bin_of(at_x, size), bin_of(at_y, size)
    flat = row * size + column
    count = np.bincount(flat, minlength=size * size)
    # Differences are summed as whole millionths of a millionth: exact in any order.
    lead = np.rint((at_x - at_y) * 1e12).astype(np.int64)
    order = np.argsort(flat, kind="stable")
    sums = np.zeros(size * size, np.int64)
    np.add.at(sums, flat[order], lead[order])
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
    return frame.with_columns(points=_points(at_x, at_y, flat, size))


def bin_of(at: Floats, size: int) -> NDArray[np.int64]:
    """Number of the bin, from 0, that each position between 0 and 1 falls into."""
    # A hair is added so that 0.3 / 0.1 falls into the bin that starts at 0.3.
    if at.size and (at.min() < 0 or at.max() > 1):
        raise Error(f"a measure of {at.max() if at.max() > 1 else at.min():g} lies outside 0–1")
    return np.minimum((at * size + EQUAL).astype(np.int64), size - 1)


def _points(at_x: Floats, at_y: Floats, flat: NDArray[np.int64], size: int) -> pl.Series:
    kind = pl.List(pl.Struct({"x": pl.Float64, "y": pl.Float64, "n": pl.Int64}))
    listed: list[list[dict[str, float]]] = [[] for _ in range(size * size)]
    if len(at_x) <= POINTS:
        spots = np.round(np.column_stack([at_x, at_y]), 6)
        distinct, where, counts = np.unique(spots, axis=0, return_index=True, return_counts=True)
        for (x, y), first, n in zip(distinct, where, counts, strict=True):
            listed[flat[first]].append({"x": float(x), "y": float(y), "n": int(n)})
    return pl.Series("points", listed, dtype=kind)
