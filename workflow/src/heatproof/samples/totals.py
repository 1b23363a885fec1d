"""Totals of problems: counts of samples as numbers, added up where a figure pools runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof.samples import counts
from heatproof.util import codes
from heatproof.util.codes import Rows
from heatproof.util.lazy import numpy as np
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heatproof.metrics import Metric


def gather(
    shards: Sequence[pl.LazyFrame], what: Metric, by: Sequence[str], also: Sequence[str] = ()
) -> Rows:
    """Counts of samples (`samples.counts`) told apart `by` columns, as numbers.

    `count` epochs and the `total` of the metric's column, and what is `also` asked for.
    """
    named = {"count": f"{what.of}.n", "total": f"{what.of}.sum", "reconstructed": "reconstructed"}
    columns = [*by, *(pl.col(old).alias(new) for new, old in named.items()), *also]
    return codes.gather(shards, [*named, *also], lambda rows: rows.select(columns))


def sums(rows: Rows, key: Sequence[str]) -> Rows:
    """A row per cell and problem, or instance, that was counted: what the `key` tells apart.

    Where a cell pools several runs, they are summed in the order of their settings by one thread:
    no sum depends on the machine.
    """
    there = rows.numbers["count"] > 0
    if there.all() and codes.is_unique(rows, key):
        return rows
    rows = rows if there.all() else rows.at(there)
    by = dict.fromkeys([*key, *counts.order([*rows.columns])])
    order = np.argsort(codes.codes(rows, by)[0], kind="stable")
    first = np.flatnonzero(np.diff(codes.codes(rows, key)[0][order], prepend=-1))
    made_up = counts.added(rows.numbers["reconstructed"][order].astype(np.int64), first) > 0
    found = {name: counts.added(rows.numbers[name][order], first) for name in ("count", "total")}
    return Rows(rows.at(order[first]).columns, {**found, "reconstructed": made_up})
