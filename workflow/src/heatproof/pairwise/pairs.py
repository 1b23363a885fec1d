"""aggregate: samples → the grid of a pairwise figure, a row per bin of each pair of models."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from heatproof import counts, selection
from heatproof.errors import Error
from heatproof.lazy import numpy as np
from heatproof.lazy import polars as pl
from heatproof.pairwise import binning, judged

if TYPE_CHECKING:
    from heatproof.config import Word
    from heatproof.figures.pairwise import Entry
    from heatproof.pairwise.binning import Floats


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
    tests = judged.judge([part.lead for part in parts], made_up)
    return pl.concat(
        [
            part.bins.with_columns(
                pl.lit(test[name], pl.Float64).alias(name) for name in judged.TESTS
            )
            for part, test in zip(parts, tests, strict=True)
        ]
    )


class Placed(NamedTuple):
    """The bins of a pair, and x − y of each instance."""

    bins: pl.DataFrame
    lead: Floats


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
    named = binning.bins(at_x, at_y, entry.bins).with_columns(
        x_model=pl.lit(x),
        y_model=pl.lit(y),
        pair_n=pl.lit(len(both), pl.Int64),
        wins=pl.lit(int((lead > binning.EQUAL).sum()), pl.Int64),
        ties=pl.lit(int((np.abs(lead) <= binning.EQUAL).sum()), pl.Int64),
        losses=pl.lit(int((lead < -binning.EQUAL).sum()), pl.Int64),
    )
    return Placed(named, lead)
