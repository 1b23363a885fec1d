"""aggregate: samples → the grid of a pairwise figure, a row per bin of each pair of models.

How the models of each pair compare over all their instances.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from heatproof.config import roles
from heatproof.kinds.pairwise import instances, words
from heatproof.samples import counts, selection
from heatproof.samples.shards_of_figure import Unfit
from heatproof.util.errors import Error
from heatproof.util.lazy import numpy as np
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heatproof.config.entries import Word
    from heatproof.kinds.pairwise.entry import Entry
    from heatproof.kinds.pairwise.instances import Means
    from heatproof.statistics import Paired


def aggregate(
    samples: pl.LazyFrame, entry: Entry, partial: Sequence[pl.LazyFrame] | None = None
) -> pl.DataFrame:
    """The bins of every pair of models: instances placed at (measure of x, measure of y).

    Pairs come in the order (0, 1), (0, 2), (1, 2), (0, 3), …: each new model against those before.
    With the `partial` counts of the same samples (`samples.counts`) the samples themselves are
    looked at only where epochs count one by one, or to say which record is at fault.

    Raises:
        Error: a model is not there, or two models share no instance.
    """
    place = f"config.yaml: figures.{entry.name}"
    used = {*entry.where, *entry.join, entry.compare}
    told = counts.sufficient_counts(samples, partial, [entry.measure], used)
    means = None if told is None else _counted(told, entry, place)
    if means is None:
        by = [entry.compare, *entry.join]
        chosen = counts.count(_valid(samples, entry, place), [entry.measure], by)
        wide = join_instances(chosen, entry)
        means = instances.means_of_frame(wide, entry, bool(chosen["reconstructed"].any()))
    some = not np.isnan(means.values).all()
    selection.require_measured(some, entry.measure, entry.source, f"{place}.measure")
    pairs = sorted(combinations(range(len(entry.models)), 2), key=lambda pair: pair[1])
    try:
        size = entry.bins or _usual_bins(means)
        parts = [_pair(means, x, y, entry, place, size) for x, y in pairs]
    except instances.OutsideError:
        raise _outside(samples, entry, place) from None
    tests = judge_pairs([part.test for part in parts])
    return pl.concat(
        [
            part.bins.with_columns(
                pl.lit(test[name], pl.Int64 if name == UNITS else pl.Float64).alias(name)
                for name in TESTS
            )
            for part, test in zip(parts, tests, strict=True)
        ]
    )


def _outside(samples: pl.LazyFrame, entry: Entry, place: str) -> Unfit:
    """The first record whose measure has no place on the axes."""
    rows = selection.kept(samples, _tests([samples], entry, place))
    wrong = rows.filter(~pl.col(entry.measure).is_between(0, 1)).select(
        "log", "line", entry.measure
    )
    log, line, value = wrong.sort("log", "line").head(1).collect().row(0)
    return Unfit(
        entry.measure,
        lambda own: (
            f"{place}.measure: {entry.measure!r} is not from {own(0)} to {own(1)}: {log}:{line} of "
            f"source {entry.source!r} has {own(value)}; choose a measure from 0 to 1, or bring "
            f"this one there where it is read (range: {{{entry.measure}: [lowest, highest]}})"
        ),
    )


class Placed(NamedTuple):
    """The bins of a pair, and how the two compare; none if the instances are made up."""

    bins: pl.DataFrame
    test: Paired | None


def _tests(shards: Sequence[pl.LazyFrame], entry: Entry, place: str) -> list[pl.Expr]:
    """What the figure asks of each row."""
    where: dict[str, Word | list[Word]] = {entry.compare: [*entry.models]}
    tests = selection.asked(shards, entry.where, place)
    chosen = [selection.kept(rows, tests) for rows in shards]
    return tests + selection.asked(chosen, where, place, "models")


def _counted(told: Sequence[pl.LazyFrame], entry: Entry, place: str) -> Means | None:
    """The instances of the figure's samples, or none where these must be looked at."""
    columns = [*entry.where, *entry.join, entry.compare]
    by = counts.settled(told[0].collect_schema().names(), columns)
    used = [*by, f"{entry.measure}.n", f"{entry.measure}.sum", "reconstructed"]
    tests = _tests(told, entry, place)
    return instances.means_of_counts(
        told, lambda rows: selection.kept(rows, tests).select(used), entry, place
    )


def _valid(samples: pl.LazyFrame, entry: Entry, place: str) -> pl.DataFrame:
    """The figure's samples, of which all can be shown."""
    rows = selection.kept(samples, _tests([samples], entry, place)).collect()
    names = roles.settings(rows.columns)
    run = instances.run_columns(entry, names)
    free = [name for name in names if name not in run]
    selection.require_unmixed(rows, run, free, place, selection.JOIN)
    selection.require_single(rows, place, "join")
    return rows


def join_instances(rows: pl.DataFrame, entry: Entry) -> pl.DataFrame:
    """A row per instance: what it is joined on, and a column per model with its mean measure.

    `rows`: counts of the samples (`samples.counts`).
    """
    on = instances.instance_key(entry)
    key = [*on, entry.compare]
    n, total = f"{entry.measure}.n", f"{entry.measure}.sum"
    there = rows.filter(pl.col(n) > 0)
    if there.select(pl.struct(key).is_duplicated().any()).item():
        there = _joined(there, key, [total, n])
    mean = pl.col(total) / pl.col(n)
    means = [
        there.filter(pl.col(entry.compare) == value).select(*on, mean.alias(name))
        for name, value in entry.named.items()
    ]
    wide = means[0]
    for one in means[1:]:
        wide = wide.join(one, on=on, how="full", coalesce=True, nulls_equal=True)
    return wide


def _joined(rows: pl.DataFrame, key: list[str], numbers: list[str]) -> pl.DataFrame:
    """Rows of the same instance summed in the order of their settings, by one thread."""
    ordered = rows.sort(*dict.fromkeys([*key, *counts.pool_order(rows.columns)]))
    groups = ordered.select(pl.struct(key).rle_id().alias("group")).to_series().to_numpy()
    first = np.flatnonzero(np.diff(groups, prepend=-1))
    sums = {name: pl.Series(np.add.reduceat(ordered[name].to_numpy(), first)) for name in numbers}
    return ordered.select(key)[first].with_columns(**sums)


BINS = 10
"""Bins along an axis, where nobody says how many."""


def _usual_bins(means: Means) -> int:
    """Two where each value is 0 or 1: four numbers then say all."""
    known = means.values[~np.isnan(means.values)]
    return words.VERDICTS if bool(np.isin(known, (0.0, 1.0)).all()) else BINS


def _pair(means: Means, x: int, y: int, entry: Entry, place: str, size: int) -> Placed:
    from heatproof import statistics

    both = ~np.isnan(means.values[x] + means.values[y])
    at_x, at_y = means.values[x][both], means.values[y][both]
    names = [*entry.named]
    one, other = names[x], names[y]
    if not len(at_x):
        raise Error(f"{place}.models: {one!r} and {other!r} share no {' and '.join(entry.join)}")
    lead = at_x - at_y
    lead[np.abs(lead) <= instances.EQUAL] = 0
    wins, losses = int((lead > 0).sum()), int((lead < 0).sum())
    named = instances.bin_instances(at_x, at_y, size).with_columns(
        x_model=pl.lit(one),
        y_model=pl.lit(other),
        pair_n=pl.lit(len(lead), pl.Int64),
        wins=pl.lit(wins, pl.Int64),
        ties=pl.lit(len(lead) - wins - losses, pl.Int64),
        losses=pl.lit(losses, pl.Int64),
    )
    unit = None if means.unit is None else means.unit[both]
    return Placed(named, None if means.reconstructed else statistics.ahead(lead, group=unit))


UNITS = "units"
TESTS = (
    "mean", "mean_low", "mean_high", "p_holm", "simultaneous_low", "simultaneous_high", UNITS
)  # fmt: skip
"""Columns that compare a pair: mean of x − y over the instances with its 95 % interval, p of the
exact sign test, corrected over the pairs of the figure (Holm), the interval of the mean that holds
for all pairs together (`statistics.joint`), and how many problems, or families, intervals
and p are of."""


def judge_pairs(found: Sequence[Paired | None]) -> list[dict[str, float | None]]:
    """`TESTS` for each pair; null where there is none, for its instances are made up."""
    from heatproof import statistics

    corrected = statistics.holm([np.nan if one is None else one.p for one in found])
    together = statistics.joint(found)
    nothing = (np.nan,) * len(TESTS)
    values: list[tuple[float, ...]] = [
        nothing if one is None else (one.difference, one.low, one.high, p, *ends, one.units)
        for one, p, ends in zip(found, corrected, together, strict=True)
    ]
    return [
        {name: None if np.isnan(x) else float(x) for name, x in zip(TESTS, row, strict=True)}
        for row in values
    ]
