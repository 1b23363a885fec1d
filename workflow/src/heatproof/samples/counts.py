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
from heatproof.samples import tables
from heatproof.util import codes
from heatproof.util.codes import Rows
from heatproof.util.lazy import numpy as np
from heatproof.util.lazy import parquet as pq
from heatproof.util.lazy import polars as pl
from heatproof.util.lazy import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from heatproof.metrics import Metric


def count_key(names: Sequence[str]) -> list[str]:
    """Columns of a samples table that a row of counts keeps."""
    return ["run", *roles.of(names, "setting"), "sample_id", *roles.GRADERS]


def settled(names: Sequence[str], used: Iterable[str]) -> list[str]:
    """The `key`, without the run unless it is used: settings alone tell most runs apart."""
    return [name for name in count_key(names) if name != "run" or name in set(used)]


def told_apart(names: Sequence[str]) -> list[str]:
    """Of the columns of counts, those that say what was counted."""
    return roles.of(names, "place", "key", "setting")


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
    sizes = np.diff(np.append(first, len(rows)))
    numbers: dict[str, NDArray[Any]] = {"epochs": sizes}
    for name in roles.of(rows.columns, "measure") if only is None else only:
        there = rows[name].is_not_null().to_numpy()
        values = rows[name].fill_null(0).to_numpy()
        n = sizes if there.all() else np.add.reduceat(there.astype(int), first)
        total = np.add.reduceat(values, first)
        numbers |= {f"{name}.n": n, f"{name}.sum": total}
        binary = name == "score" and bool(((values == 1) | (values == 0)).all())
        squares = total if binary else np.add.reduceat(values * values, first)
        numbers[f"{name}.squares"] = squares
        if binary:  # as scores mostly are: the sum tells all
            ones = total.astype(np.int64)
            numbers |= {"score.one": ones, "score.zero": n - ones}
        elif name == "score":
            for what, at in (("one", 1), ("zero", 0)):
                same = ((values == at) & there).astype(np.int64)
                numbers[f"score.{what}"] = np.add.reduceat(same, first)
    made_up = np.add.reduceat(rows["reconstructed"].to_numpy().astype(np.int64), first) > 0
    columns = {name: pl.Series(values) for name, values in numbers.items()}
    return rows.select(by)[first].with_columns(**columns, reconstructed=made_up)


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
    numbers = {
        "count": pl.col(f"{what.of}.n"),
        "total": pl.col(f"{what.of}.sum"),
        "reconstructed": pl.col("reconstructed"),
        "records": pl.col("epochs"),
    }
    columns = [*by, *(column.alias(name) for name, column in numbers.items()), *also]
    return codes.gather(shards, [*numbers, *also], lambda rows: rows.select(columns))


def added_up(rows: Rows, key: Sequence[str]) -> Rows:
    """A row per cell and problem, or instance, that was counted: what the `key` tells apart.

    Where a cell pools several runs, they are summed in the order of their settings by one thread:
    no sum depends on the machine.
    """
    there = rows.numbers["count"] > 0
    if there.all() and codes.is_unique(rows, key):
        return rows
    rows = rows if there.all() else rows.at(there)
    names = [*rows.columns]
    run = ["run"] if "run" in names else []
    by = dict.fromkeys([*key, *roles.settings(names), "sample_id", *run])
    order = np.argsort(codes.codes(rows, by)[0], kind="stable")
    first = np.flatnonzero(np.diff(codes.codes(rows, key)[0][order], prepend=-1))
    sums = {
        name: np.add.reduceat(rows.numbers[name][order].astype(kind), first)
        for name, kind in (("count", np.int64), ("total", np.float64), ("reconstructed", np.int64))
    }
    sums["reconstructed"] = sums["reconstructed"] > 0
    return Rows(rows.at(order[first]).columns, sums)


def shown_counts(
    samples: Sequence[pl.LazyFrame],
    partial: Sequence[pl.LazyFrame] | None,
    choose: Callable[[pl.LazyFrame], pl.LazyFrame],
    used: set[str],
    number: str,
    by: Sequence[str],
) -> list[pl.LazyFrame]:
    """Counts of what a figure shows, in portions: those at hand, where they tell enough.

    Args:
        samples: those that the figure shows, graded, in portions.
        partial: the counts of all samples, where they are at hand.
        choose: what the figure shows of them.
        used: columns of samples that the figure asks for.
        number: what is counted.
        by: further columns by which samples are counted.
    """
    if partial and used <= {*count_key(samples[0].collect_schema().names())}:
        return [choose(part) for part in partial]
    return [count(rows.collect(), [number], by).lazy() for rows in samples]


def counts_schema(samples: Path) -> pa.Schema:
    """The columns of the counts of a samples table.

    Counts are never null; what was counted may be, where it may be in the samples.
    """
    null = {field.name for field in pq.read_schema(samples) if field.nullable}
    fields = counted(pl.DataFrame(schema=pl.read_parquet_schema(samples))).to_arrow().schema
    return pa.schema(field.with_nullable(field.name in null) for field in fields)


def groups(samples: Path, columns: Sequence[str]) -> Iterator[pl.DataFrame]:
    """Some columns of a samples table, one row group after the other."""
    rows, start, metadata = pl.scan_parquet(samples).select(columns), 0, pq.read_metadata(samples)
    for group in range(metadata.num_row_groups):
        size = metadata.row_group(group).num_rows
        yield rows.slice(start, size).collect()
        start += size


def pieces(samples: Path, columns: Sequence[str]) -> Iterator[pl.DataFrame]:
    """The same in pieces that hold samples as a whole: one may go on in the next row group."""
    rest: list[pl.DataFrame] = []
    for rows in groups(samples, columns):
        if rest and rest[-1].select(tables.SAMPLE).row(-1) != rows.select(tables.SAMPLE).row(0):
            yield pl.concat(rest)
            rest = []
        rest.append(rows)
    if rest:
        yield pl.concat(rest)


def counted(rows: pl.DataFrame) -> pl.DataFrame:
    """The counts of rows sorted by their key."""
    graders = [name for name in roles.GRADERS if rows[name].n_unique() > 1]
    if graders:
        rows = rows.sort(*tables.SAMPLE, *graders, maintain_order=True)
    return of_groups(rows, count_key(rows.columns))
