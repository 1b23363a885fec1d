"""Partial aggregates: what one run holds of one problem, in a row.

A row per run, settings, sample and scorer: epochs, and for the score and each measure how many are
there, their sum and the sum of their squares; of scores also how many are exactly 1 and exactly 0.
A run lies in one shard as a whole, so shards are counted apart and put together by setting their
rows one below the other. Grids made of them have the bytes of grids made of the rows, for those are
counted in the same way first. They are added up where a figure pools runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heatproof.config import roles
from heatproof.config.roles import settings
from heatproof.samples import tables
from heatproof.util import codes
from heatproof.util.codes import Rows
from heatproof.util.lazy import numpy as np
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from heatproof.metrics import Metric


Sums = dict[str, "NDArray[Any]"]


def number_columns(names: Sequence[str]) -> list[str]:
    """Of the columns of a samples table, the score and the measures."""
    return roles.of(names, "measure")


def count_key(names: Sequence[str]) -> list[str]:
    """Columns of a samples table that a row of counts keeps."""
    return ["run", *roles.of(names, "setting"), "sample_id", *roles.GRADERS]


def settled(names: Sequence[str], used: Iterable[str]) -> list[str]:
    """The `key`, without the run unless it is used: settings alone tell most runs apart."""
    return [name for name in count_key(names) if name != "run" or name in set(used)]


def told_apart(names: Sequence[str]) -> list[str]:
    """Of the columns of counts, those that say what was counted."""
    return roles.of(names, "place", "key", "setting")


def pool_order(names: Sequence[str]) -> list[str]:
    """Columns by which rows that are pooled are summed."""
    return [*settings(names), "sample_id", *(["run"] if "run" in names else [])]


def count(
    samples: pl.DataFrame, only: Sequence[str] | None = None, also: Iterable[str] = ()
) -> pl.DataFrame:
    """The counts of samples in any order: `only` of some numbers, by `also` other columns.

    Sums go over the epochs in their order, by one thread: they do not depend on the machine.
    """
    by = list(dict.fromkeys([*count_key(samples.columns), *also]))
    rows = samples.sort(*dict.fromkeys([*by, "epoch"]))
    return of_groups(rows, by, only)


def of_groups(
    rows: pl.DataFrame, by: Sequence[str], only: Sequence[str] | None = None
) -> pl.DataFrame:
    """The counts of rows that lie together and are told apart `by` columns."""
    first = tables.starts(rows, by)
    found: Sums = {"epochs": np.diff(np.append(first, len(rows)))}
    for name in number_columns(rows.columns) if only is None else only:
        values, there = rows[name].fill_null(0).to_numpy(), rows[name].is_not_null().to_numpy()
        found |= sums(name, values, there, first)
    made_up = added(rows["reconstructed"].to_numpy().astype(np.int64), first) > 0
    heads = rows.select(by)[first]
    return heads.with_columns(**{k: pl.Series(v) for k, v in found.items()}, reconstructed=made_up)


def sums(name: str, values: NDArray[Any], there: NDArray[np.bool_], first: NDArray[Any]) -> Sums:
    """The counts of a number, by name of their column; `values` are 0 where they are not there."""
    n = np.diff(np.append(first, len(values))) if there.all() else added(there.astype(int), first)
    total = added(values, first)
    found = {"n": n, "sum": total}
    if name != "score":
        found["squares"] = added(values * values, first)
    elif ((values == 1) | (values == 0)).all():  # as they mostly are: the sum tells all
        one = total.astype(np.int64)
        found |= {"squares": total, "one": one, "zero": n - one}
    else:
        found["squares"] = added(values * values, first)
        for what, at in (("one", 1), ("zero", 0)):
            found[what] = added(((values == at) & there).astype(np.int64), first)
    return {f"{name}.{what}": each for what, each in found.items()}


def added(values: NDArray[Any], first: NDArray[Any]) -> NDArray[Any]:
    """Sums over groups of rows that lie together."""
    return np.add.reduceat(values, first)


def sufficient_counts(
    samples: pl.LazyFrame,
    partial: Sequence[pl.LazyFrame] | None,
    only: Sequence[str],
    columns: set[str],
) -> Sequence[pl.LazyFrame] | None:
    """Counts that tell of `columns`: the `partial` ones, or those of the samples; else none."""
    if partial is not None:
        return partial if columns <= {*partial[0].collect_schema().names()} else None
    names = samples.collect_schema().names()
    if not columns <= {*count_key(names)}:
        return None
    rows = samples.select(*count_key(names), "epoch", *only, "reconstructed")
    return [count(rows.collect(), only).lazy()]


def gather_counts(
    shards: Sequence[pl.LazyFrame], what: Metric, by: Sequence[str], also: Sequence[str] = ()
) -> Rows:
    """Counts of samples (`samples.counts`) told apart `by` columns, as numbers.

    `count` epochs and the `total` of the metric's column, all `records`, those without a number
    too, and what is `also` asked for.
    """
    named = {"count": f"{what.of}.n", "total": f"{what.of}.sum", "reconstructed": "reconstructed"}
    named["records"] = "epochs"
    columns = [*by, *(pl.col(old).alias(new) for new, old in named.items()), *also]
    return codes.gather(shards, [*named, *also], lambda rows: rows.select(columns))


def added_up(rows: Rows, key: Sequence[str]) -> Rows:
    """A row per cell and problem, or instance, that was counted: what the `key` tells apart.

    Where a cell pools several runs, they are summed in the order of their settings by one thread:
    no sum depends on the machine.
    """
    there = rows.numbers["count"] > 0
    if there.all() and codes.is_unique(rows, key):
        return rows
    rows = rows if there.all() else rows.at(there)
    by = dict.fromkeys([*key, *pool_order([*rows.columns])])
    order = np.argsort(codes.codes(rows, by)[0], kind="stable")
    first = np.flatnonzero(np.diff(codes.codes(rows, key)[0][order], prepend=-1))
    made_up = added(rows.numbers["reconstructed"][order].astype(np.int64), first) > 0
    found = {name: added(rows.numbers[name][order], first) for name in ("count", "total")}
    return Rows(rows.at(order[first]).columns, {**found, "reconstructed": made_up})


def shown_counts(
    samples: Sequence[pl.LazyFrame],
    partial: Sequence[pl.LazyFrame] | None,
    shown: Callable[[pl.LazyFrame], pl.LazyFrame],
    used: set[str],
    of: str,
    by: Sequence[str],
) -> list[pl.LazyFrame]:
    """Counts of what a figure shows, in portions: those at hand, where they tell enough.

    Args:
        samples: those that the figure shows, graded, in portions.
        partial: the counts of all samples, where they are at hand.
        shown: what the figure shows of them.
        used: columns of samples that the figure asks for.
        of: the number that is counted.
        by: further columns by which samples are counted.
    """
    if partial and used <= {*count_key(samples[0].collect_schema().names())}:
        return [shown(part) for part in partial]
    return [count(rows.collect(), [of], by).lazy() for rows in samples]
