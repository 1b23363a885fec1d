"""A metric as an axis: pass@k over k, each counted by itself, as no k is better than another."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from heatproof.config import roles
from heatproof.kinds.heatmap import ordering
from heatproof.kinds.question import K
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heatproof.kinds.columns import Grid, Portions, Samples
    from heatproof.kinds.question import Question
    from heatproof.samples.shard_index import ShardIndex


def with_number(table: Samples, number: int) -> Samples:
    """Samples or counts with the setting `k`, which is of no log, behind the others."""
    names = table.collect_schema().names()
    behind = 1 + max(names.index(name) for name in roles.columns(names, "setting"))
    column = pl.lit(number, pl.Int64).alias(K)
    return table.select(*names[:behind], column, *names[behind:])


def samples_by_k(samples: Portions, question: Question) -> list[Samples]:
    """The samples, of a figure over k once for each."""
    if not question.k:
        return list(samples)
    tables = []
    for table in samples:
        tables += [with_number(table, number) for number in question.k]
    return tables


def index_with(index: ShardIndex, number: int) -> ShardIndex:
    """What logs hold, by their settings and k."""
    logs = {}
    for path, log in index.logs.items():
        runs = [replace(run, settings=run.settings + [number]) for run in log.runs]
        settings = None
        if log.settings is not None:
            settings = [(row + [number]) for row in log.settings]
        logs[path] = msgspec.structs.replace(log, settings=settings, runs=runs)
    return msgspec.structs.replace(index, columns=index.columns + [K], logs=logs)


def join_grids(parts: Sequence[Grid], question: Question) -> Grid:
    """The grids of all k, in the order of `question.k`, as one in drawing order."""
    numbers = [part[_k_column(question)][0] for part in parts]
    order = ordering.axis(pl.Series(K, sorted(numbers), pl.Int64), question).to_list()
    before = question.along[: question.along.index(K)]
    outer = 1
    if before:
        outer = parts[0].select(question.places[: len(before)]).n_unique()
    size = len(parts[0])
    inner = size // outer
    rows: list[int] = []
    for block in range(outer):
        for number in order:
            start = numbers.index(number) * size + block * inner
            rows += range(start, start + inner)
    sets = []
    for number, part in enumerate(parts):
        sets.append(part.with_columns(pl.col("peers") + number * size))
    grid = pl.concat(sets, how="diagonal")[rows]
    return ordering.arranged(grid, question)


def _k_column(question: Question) -> str:
    """The column of the grid that has k."""
    return question.grid_columns[K]
