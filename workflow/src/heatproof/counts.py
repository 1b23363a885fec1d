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
from heatproof.selection import settings

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

PIECE = 1 << 17
"""Rows counted at a time."""

Sums = dict[str, "NDArray[Any]"]


def numbers(names: Sequence[str]) -> list[str]:
    """Of the columns of a samples table, the score and the measures."""
    return list(names[names.index("score") : names.index("reconstructed")])


def key(names: Sequence[str]) -> list[str]:
    """Columns of a samples table that a row of counts keeps."""
    return ["run", *settings(names)[:-1], "sample_id", "scorer"]


def count(
    samples: pl.DataFrame, only: Sequence[str] | None = None, also: Iterable[str] = ()
) -> pl.DataFrame:
    """The counts of samples in any order: `only` of some numbers, by `also` other columns.

    Sums go over the epochs in their order, by one thread: they do not depend on the machine.
    """
    by = list(dict.fromkeys([*key(samples.columns), *also]))
    rows = samples.sort(*dict.fromkeys([*by, "epoch"]))
    groups = rows.select(pl.struct(by).rle_id().alias("group")).to_series().to_numpy()
    first = np.flatnonzero(np.diff(groups, prepend=-1))
    sums: Sums = {"epochs": np.diff(np.append(first, len(rows)))}
    for name in numbers(samples.columns) if only is None else only:
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


def table(samples: pl.LazyFrame, piece: int = PIECE) -> pl.DataFrame:
    """The counts of a samples table, sorted as it is, in bounded memory."""
    found = [count(part) for part in _pieces(samples, piece)]
    return pl.concat(found) if found else count(samples.collect())


def _pieces(samples: pl.LazyFrame, size: int) -> Iterator[pl.DataFrame]:
    """The rows in pieces that part no sample of a run."""
    held: pl.DataFrame | None = None
    start = 0
    while len(rows := samples.slice(start, size).collect()):
        start += len(rows)
        held = rows if held is None else held.vstack(rows)
        end = held.select(pl.struct("run", "sample_id").rle_id().alias("id")).to_series()
        last = int(end.search_sorted(end[-1]))
        if last:
            yield held[:last]
            held = held[last:]
    if held is not None:
        yield held
