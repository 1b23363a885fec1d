"""What the logs of a source declare, run by run, beside what there is of each."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from heatproof.samples import held, selection
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterator

    from heatproof.samples.held import Held, Meant

NUMBERS = ("least", "whole", "asked", "dataset")


def none(partial: pl.DataFrame) -> pl.DataFrame:
    """Nothing is declared of the runs in `partial`."""
    kept = partial.select(selection.settings(partial.columns)).clear()
    return kept.with_columns(pl.lit(None, pl.Int64).alias(name) for name in NUMBERS)


def runs(partial: pl.DataFrame, logs: Held) -> pl.DataFrame:
    """A row per run of which logs declare something, by its settings and scorer.

    `least`: samples that it holds or is known to lack; `whole`: those declared, null where its logs
    do not tell; `asked`, `dataset`: problems that it was asked for, and those of the data set, null
    unless these are more. Of a run without a sample there is a row for each scorer of the others.

    Args:
        partial: counts (`samples.counts`) of all shards, their `epochs` at least.
        logs: the same logs.
    """
    meant = defaultdict[tuple[Any, ...], list[held.Meant]](list)
    for log in logs.logs.values():
        for one in log.meant:
            meant[tuple(one.settings)].append(one)
    empty = none(partial)
    told = pl.DataFrame([*_told(partial, meant, logs)], schema=empty.schema, orient="row")
    return pl.concat([empty, told])


def _told(
    partial: pl.DataFrame, meant: dict[tuple[Any, ...], list[Meant]], logs: Held
) -> Iterator[tuple[Any, ...]]:
    names = selection.settings(partial.columns)
    lacking = {name for those in meant.values() for one in those for name in one.lacks}
    short = partial.filter(pl.col("sample_id").is_in(list(lacking)))
    each = short.group_by(*names, "sample_id").agg(pl.col("epochs").sum())
    there: defaultdict[tuple[Any, ...], dict[str, int]] = defaultdict(dict)
    for *run, name, number in each.iter_rows():
        there[tuple(run)][name] = number
    left = dict(meant)
    sizes = pl.col("epochs").sum(), pl.col("sample_id").n_unique()
    for *run, found, problems in partial.group_by(names).agg(*sizes).iter_rows():
        those, wanted = meant.get(tuple(run[:-1]), []), logs.wanted(run)
        left.pop(tuple(run[:-1]), None)
        if those or wanted is not None:
            part = held.part(problems, those) or (None, None)
            yield *run, *held.whole(found, those, there[tuple(run)], wanted), *part
    scorers = partial["scorer"].unique().to_list() or [""]
    for settings, those in left.items():
        for scorer in scorers:
            part = held.part(0, those) or (None, None)
            yield *settings, scorer, *held.whole(0, those, {}, logs.wanted(settings)), *part
