"""aggregate: samples → the grid of a pairwise figure, a row per bin of each pair of models.

An instance is what two models are compared on. It lies at (mean of x, mean of y) in the unit
square, which is cut into bins; how the two compare over all instances stands beside each bin.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof import statistics
from heatproof.config import roles
from heatproof.kinds import states
from heatproof.kinds.pairwise import pairs
from heatproof.metrics import metric
from heatproof.samples import counts, selection
from heatproof.util import codes
from heatproof.util.errors import Error, Mistake
from heatproof.util.lazy import numpy as np
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from heatproof.config.choice import Written
    from heatproof.kinds.pairwise.entry import Entry
    from heatproof.statistics import Paired
    from heatproof.util.codes import Numbered, Rows

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

BINS = 10  # bins along an axis by default
EQUAL = 1e-9  # differences below this are rounding of the logs, not of the models: a tie
PREFIXES = ("mean", "rate")
TESTS = {
    f"{prefix}{name}": pl.String if name == pairs.WHY else pl.Float64
    for prefix in PREFIXES
    for name in pairs.NUMBER
} | {"units": pl.Int64}
"""Columns that compare a pair: the mean of x − y, and the share of instances that x wins, ties
counted half; each with an interval that holds for all pairs together (`statistics.joint`), or why
there is none; and how many problems, or families, these are of."""


class Instances(NamedTuple):
    """All instances, in the order of what they are joined on."""

    keys: dict[str, Numbered]  # what they are joined on, column by column; a text is stored once
    means: dict[str, Floats]  # model → its mean measure of each, NaN where it has none
    reconstructed: bool  # which instances were solved is made up


def aggregate(
    samples: pl.LazyFrame, entry: Entry, partial: Sequence[pl.LazyFrame] | None = None
) -> pl.DataFrame:
    """The bins of every pair of models, in the order (0, 1), (0, 2), (1, 2), (0, 3) and so on.

    With the `partial` counts of the same samples (`samples.counts`) the samples themselves are
    read only where epochs count one by one, or to say which record is at fault.

    Raises:
        Error: a model is not there, or two models share no instance.
    """
    place = f"figures.{entry.name}"
    instances = read_instances(samples, entry, partial)
    values = np.stack([*instances.means.values()])
    there = values[~np.isnan(values)]
    if not there.size:
        raise selection.unmeasured(entry.measure, entry.source, f"{place}.measure")
    compared = values[:, (~np.isnan(values)).sum(axis=0) > 1]
    if (compared < 0).any() or (compared > 1).any():
        raise _outside(samples, entry, place)
    size = entry.bins or (pairs.VERDICTS if np.isin(there, (0.0, 1.0)).all() else BINS)
    models = [*entry.values]
    units = _units(instances, entry)
    order = [(x, y) for n, y in enumerate(models) for x in models[:n]]
    parts = [_compare(instances, units, *pair, size, entry) for pair in order]
    tests = judge_pairs([compared for _, compared in parts], len(models))
    return pl.concat(
        bins.with_columns(pl.lit(test[name], kind).alias(name) for name, kind in TESTS.items())
        for (bins, _), test in zip(parts, tests, strict=True)
    )


def read_instances(
    samples: pl.LazyFrame, entry: Entry, partial: Sequence[pl.LazyFrame] | None
) -> Instances:
    """The figure's instances, from counts where these tell enough.

    Two runs of the same settings may hold different epochs of a sample, and an instance may be made
    of several samples: then each record must be looked at.
    """
    key = entry.key
    place = f"figures.{entry.name}"
    columns = {*entry.where, *entry.join, entry.compare}
    portions = counts.sufficient_counts(samples, partial, [entry.measure], columns)
    if portions is not None:
        tests = _tests(portions, entry, place)
        rows = _gather([part.filter(*tests) for part in portions], entry)
        if "sample_id" in key and codes.is_unique(rows, [*key, entry.compare]):
            settings = roles.settings([*rows.columns])
            _require_unmixed(codes.distinct(rows, settings), settings, entry, place)
            return _mean_instances(rows, entry)
    chosen = samples.filter(*_tests([samples], entry, place)).collect()
    _require_unmixed(chosen, roles.settings(chosen.columns), entry, place)
    selection.require_single(chosen, place, "join")
    counted = counts.count(chosen, [entry.measure], [entry.compare, *entry.join])
    return _mean_instances(_gather([counted.lazy()], entry), entry)


def _gather(partial: Sequence[pl.LazyFrame], entry: Entry) -> Rows:
    names = partial[0].collect_schema().names()
    by = roles.columns(names, "place", "key", "setting", "property")
    return counts.gather_counts(partial, metric(f"mean({entry.measure})"), by)


def _mean_instances(rows: Rows, entry: Entry) -> Instances:
    key = entry.key
    reconstructed = bool(rows.numbers["reconstructed"].any())
    rows = counts.added_up(rows, [*key, entry.compare])
    numbers, at = np.unique(codes.codes(rows, key), return_inverse=True)
    row_of = np.zeros(len(numbers), np.int64)
    row_of[at] = np.arange(len(at))  # any row of an instance names it
    values = rows.numbers["total"] / rows.numbers["count"]
    model, models = rows.columns[entry.compare]
    means = {}
    for name, value in entry.values.items():
        own = np.isin(model, np.flatnonzero((models == value).to_numpy()))
        means[name] = np.full(len(numbers), np.nan)
        means[name][at[own]] = values[own]
    columns = rows.at(row_of).columns
    return Instances({name: columns[name] for name in key}, means, reconstructed)


def _tests(shards: Sequence[pl.LazyFrame], entry: Entry, place: str) -> list[pl.Expr]:
    where: dict[str, Written] = {entry.compare: [*entry.models]}
    tests = selection.conditions(shards, entry.where, place)
    chosen = [rows.filter(*tests) for rows in shards]
    return tests + selection.conditions(chosen, where, place, {entry.compare: "models"})


def _require_unmixed(rows: pl.DataFrame, settings: Sequence[str], entry: Entry, place: str) -> None:
    run = [entry.compare, *(name for name in entry.key if name in settings)]
    free = [name for name in settings if name not in (*run, *entry.mixable)]
    selection.require_unmixed(rows, run, free, place, selection.JOIN)


def _outside(samples: pl.LazyFrame, entry: Entry, place: str) -> Error:
    """An error that names the first record whose measure is not from 0 to 1."""
    rows = samples.filter(*_tests([samples], entry, place))
    outside = rows.filter(~pl.col(entry.measure).is_between(0, 1))
    records = outside.select("log", "line", entry.measure).sort("log", "line")
    log, line, value = records.head(1).collect().row(0)
    message = (
        f"{entry.measure!r} is not from 0 to 1: {log}:{line} of source {entry.source!r} has "
        f"{value:.12g} on that scale; choose a measure from 0 to 1, or bring this one there "
        f"where it is read (range: {{{entry.measure}: [lowest, highest]}})"
    )
    return Error(Mistake(f"{place}.measure", message))


def _units(instances: Instances, entry: Entry) -> Ints | None:
    """A number for the problem, or family, of each instance; None where each is of its own.

    What is joined beside task and id, such as an epoch, repeats a problem, which varies less.
    """
    key = entry.key
    if "sample_id" not in key or (len(key) == 2 and entry.family is None):
        return None
    task = instances.keys["task"]
    sample = instances.keys["sample_id"]
    family = sample.values.to_frame("sample_id").select(selection.family(entry.family))
    numbers = family.to_series().rank("dense").to_numpy()
    units: Ints = task.codes.astype(np.int64) * (len(numbers) + 1) + numbers[sample.codes]
    return units


def _compare(
    instances: Instances, units: Ints | None, x: str, y: str, size: int, entry: Entry
) -> tuple[pl.DataFrame, Sequence[Paired] | None]:
    """The bins of a pair, and how the two compare by each of `PREFIXES`; None: it is made up."""
    both = ~np.isnan(instances.means[x] + instances.means[y])
    at_x = instances.means[x][both]
    at_y = instances.means[y][both]
    if not len(at_x):
        place = f"figures.{entry.name}.models"
        raise Error(Mistake(place, f"{x!r} and {y!r} share no {' and '.join(entry.join)}"))
    lead = at_x - at_y
    lead[np.abs(lead) <= EQUAL] = 0
    n = len(lead)
    wins = int((lead > 0).sum())
    losses = int((lead < 0).sum())
    tallies = {"pair_n": n, "wins": wins, "ties": n - wins - losses, "losses": losses}
    bins = bin_instances(at_x, at_y, size).with_columns(
        x_model=pl.lit(x),
        y_model=pl.lit(y),
        **{name: pl.lit(tally, pl.Int64) for name, tally in tallies.items()},
    )
    if instances.reconstructed:
        return bins, None
    group = np.arange(n) if units is None else np.unique(units[both], return_inverse=True)[1]
    return bins, [statistics.ahead(each, group=group) for each in (lead, np.sign(lead))]


def judge_pairs(pairs_of: Sequence[Sequence[Paired] | None], models: int) -> list[dict[str, Any]]:
    """`TESTS` for each pair; null where its instances are made up."""
    rows: list[dict[str, Any]] = [dict.fromkeys(TESTS) for _ in pairs_of]
    for number, prefix in enumerate(PREFIXES):
        tests = [None if compared is None else compared[number] for compared in pairs_of]
        intervals = statistics.joint(tests, models)
        for row, test, ends in zip(rows, tests, intervals, strict=True):
            if test is None:
                continue
            row["units"] = test.units
            scale, start = pairs.SCALES[prefix]
            numbers = (float(start + scale * n) for n in (test.difference, *ends))
            named = zip(pairs.NUMBER, numbers, strict=False)
            row |= {f"{prefix}{end}": None if np.isnan(n) else n for end, n in named}
    for row in rows:
        # A model that is ahead more often by little may be behind by much elsewhere.
        if _side(row, "rate") not in (0, _side(row, "mean")):
            row |= {"rate_low": None, "rate_high": None, f"rate{pairs.WHY}": states.EQUAL_MEANS}
    return rows


def _side(row: Mapping[str, Any], prefix: str) -> int:
    """1 where the interval of a number lies above that of equal models, −1 below, else 0."""
    low = row[f"{prefix}_low"]
    high = row[f"{prefix}_high"]
    equal = pairs.SCALES[prefix][1]
    if low is None:
        return 0
    return int(low > equal) - int(high < equal)


def bin_instances(at_x: Floats, at_y: Floats, size: int) -> pl.DataFrame:
    """A row per bin of the unit square cut into `size` × `size`, empty ones included."""
    flat = bin_of(at_y, size) * size + bin_of(at_x, size)
    sums = np.zeros(size * size, np.int64)
    count = np.bincount(flat, minlength=size * size)
    # Differences are summed as whole millionths of a millionth: exact in any order.
    np.add.at(sums, flat, np.rint((at_x - at_y) * 1e12).astype(np.int64))
    edges = np.arange(size + 1) / size
    rows, columns = np.divmod(np.arange(size * size), size)
    return pl.DataFrame(
        {
            "x0": edges[columns],
            "x1": edges[columns + 1],
            "y0": edges[rows],
            "y1": edges[rows + 1],
            "samples": count,
            "difference": np.where(count > 0, sums / np.maximum(count, 1) / 1e12, np.nan),
        }
    ).with_columns(pl.col("difference").fill_nan(None))


def bin_of(at: Floats, size: int) -> Ints:
    """Number of the bin of each position from 0 to 1: it holds its lower edge, the last one both.

    A hair is added so that 0.3 / 0.1 falls into the bin that starts at 0.3.
    """
    return np.minimum((at * size + EQUAL).astype(np.int64), size - 1)
