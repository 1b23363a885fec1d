"""Partial aggregates: what one run holds of one problem, in a row.

A row per run, settings, sample and scorer: epochs, and for the score and each measure how many are
there, their sum and the sum of their squares; of scores also how many are exactly 1 and exactly 0.
A run lies in one shard as a whole, so shards are counted apart and put together by setting their
rows one below the other. Grids made of them have the bytes of grids made of the rows, for those are
counted in the same way first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heatproof.lazy import numpy as np
from heatproof.lazy import polars as pl
from heatproof.numbered import PIECE
from heatproof.selection import settings

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

Sums = dict[str, "NDArray[Any]"]


def numbers(names: Sequence[str]) -> list[str]:
    """Of the columns of a samples table, the score and the measures."""
    return list(names[names.index("score") : names.index("reconstructed")])


def key(names: Sequence[str]) -> list[str]:
    """Columns of a samples table that a row of counts keeps."""
    return ["run", *settings(names)[:-1], "sample_id", "scorer"]


def settled(names: Sequence[str], used: Iterable[str]) -> list[str]:
    """The `key`, without the run unless it is used: settings alone tell most runs apart."""
    return [name for name in key(names) if name != "run" or name in set(used)]


def order(names: Sequence[str]) -> list[str]:
    """Columns by which rows that are pooled are summed."""
    return [*settings(names), "sample_id", *(["run"] if "run" in names else [])]


def count(
    samples: pl.DataFrame, only: Sequence[str] | None = None, also: Iterable[str] = ()
) -> pl.DataFrame:
    """The counts of samples in any order: `only` of some numbers, by `also` other columns.

    Sums go over the epochs in their order, by one thread: they do not depend on the machine.
    """
    by = list(dict.fromkeys([*key(samples.columns), *also]))
    rows = samples.sort(*dict.fromkeys([*by, "epoch"]))
    groups = rows.select(pl.struct(by).rle_id().alias("group")).to_series().to_numpy()
    return _counted(rows, np.flatnonzero(np.diff(groups, prepend=-1)), by, only)


def _counted(
    rows: pl.DataFrame, first: NDArray[Any], by: list[str], only: Sequence[str] | None
) -> pl.DataFrame:
    """The counts of groups of rows that lie together, each from its `first` row on."""
    sums: Sums = {"epochs": np.diff(np.append(first, len(rows)))}
    for name in numbers(rows.columns) if only is None else only:
        sums |= _sums(rows[name], first)
    made_up = np.add.reduceat(rows["reconstructed"].to_numpy(), first, dtype=np.int64) > 0
    heads = rows.select(by)[first] if len(first) else rows.select(by)
    return heads.with_columns(**{k: pl.Series(v) for k, v in sums.items()}, reconstructed=made_up)


def _sums(column: pl.Series, first: NDArray[Any]) -> Sums:
    values = column.fill_null(0).to_numpy()
    found = {
        "n": column.is_not_null().to_numpy().astype(np.int64),
        "sum": values,
        "squares": values * values,
    }
    if column.name == "score":
        found["one"] = (values == 1).astype(np.int64)
        found["zero"] = ((values == 0) & column.is_not_null().to_numpy()).astype(np.int64)
    return {
        f"{column.name}.{what}": np.add.reduceat(each, first) if len(first) else each
        for what, each in found.items()
    }


def told(
    samples: pl.LazyFrame, partial: pl.LazyFrame | None, only: Sequence[str], columns: set[str]
) -> pl.LazyFrame | None:
    """Counts that tell of `columns`: the `partial` ones, or those of the samples; else none."""
    if partial is not None:
        return partial if columns <= {*partial.collect_schema().names()} else None
    names = samples.collect_schema().names()
    return table(samples, only).lazy() if columns <= {*key(names)} else None


def table(
    samples: pl.LazyFrame, only: Sequence[str] | None = None, piece: int = PIECE
) -> pl.DataFrame:
    """The counts of samples tables, sorted as these are, in bounded memory."""
    names = samples.collect_schema().names()
    wanted = numbers(names) if only is None else list(only)
    rows = samples.select(*key(names), "epoch", *wanted, "reconstructed")
    found = [_ordered(part, only) for part in _pieces(rows, piece)]
    return pl.concat(found) if found else count(rows.collect(), only)


def _ordered(rows: pl.DataFrame, only: Sequence[str] | None) -> pl.DataFrame:
    """The counts of rows sorted by run, sample and epoch, as tables are: mostly no need to sort."""
    by = key(rows.columns)
    if rows["scorer"].n_unique() > 1:
        return count(rows, only)
    return _counted(rows, np.flatnonzero(_starts(rows, by)), by, only)


def _starts(rows: pl.DataFrame, by: Sequence[str]) -> NDArray[np.bool_]:
    """Which rows have other values than the row before."""
    new = (pl.col(name).ne_missing(pl.col(name).shift()) for name in by)
    starts = rows.select(pl.any_horizontal(new)).to_series().to_numpy().copy()
    starts[:1] = True
    return starts


def _pieces(samples: pl.LazyFrame, size: int) -> Iterator[pl.DataFrame]:
    """The rows in pieces that part no sample of a run."""
    held: pl.DataFrame | None = None
    start = 0
    while len(rows := samples.slice(start, size).collect()):
        start += len(rows)
        held = rows if held is None else pl.concat([held, rows])
        last = int(np.flatnonzero(_starts(held, ["run", "sample_id"]))[-1])
        if last:
            yield held[:last]
            held = held[last:]
    if held is not None:
        yield held
