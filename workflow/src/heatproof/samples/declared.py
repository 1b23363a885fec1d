"""What the logs of a source declare, run by run, beside what there is of each."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from heatproof.config import roles
from heatproof.samples import held
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterator

    from heatproof.samples.held import Held, Meant

NUMBERS = ("least", "whole", "asked", "dataset")
LOG = "log"
"""Of a run of which no sample came, the log that says that it was to be there; null of others."""


def none(partial: pl.DataFrame) -> pl.DataFrame:
    """Nothing is declared of the runs in `partial`."""
    kept = partial.select(roles.settings(partial.columns)).clear()
    none = [pl.lit(None, pl.Int64).alias(name) for name in NUMBERS]
    return kept.with_columns(*none, pl.lit(None, pl.String).alias(LOG))


def runs(partial: pl.DataFrame, logs: Held) -> pl.DataFrame:
    """A row per run of which logs declare something, by its settings and scorer.

    `least`: samples that it holds or is known to lack; `whole`: those declared, null where its logs
    do not tell; `asked`, `dataset`: problems that it was asked for, and those of the data set, null
    unless these are more. Of a run without a sample there is a row for each scorer of the others,
    with its first `log`.

    Args:
        partial: counts (`samples.counts`) of all shards, their `epochs` at least.
        logs: the same logs.
    """
    meant = defaultdict[tuple[Any, ...], list[held.Meant]](list)
    of: dict[tuple[Any, ...], str] = {}
    for path, log in sorted(logs.logs.items()):
        for one in log.meant:
            meant[tuple(one.settings)].append(one)
            of.setdefault(tuple(one.settings), path)
    empty = none(partial)
    told = pl.DataFrame([*_told(partial, meant, logs, of)], schema=empty.schema, orient="row")
    return pl.concat([empty, told])


def _told(
    partial: pl.DataFrame,
    meant: dict[tuple[Any, ...], list[Meant]],
    logs: Held,
    of: dict[tuple[Any, ...], str],
) -> Iterator[tuple[Any, ...]]:
    names = roles.settings(partial.columns)
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
            yield *run, *held.whole(found, those, there[tuple(run)], wanted), *part, None
    scorers = partial["scorer"].unique().to_list() or [""]
    for settings, those in left.items():
        for scorer in scorers:
            part = held.part(0, those) or (None, None)
            whole = held.whole(0, those, {}, logs.wanted(settings))
            yield *settings, scorer, *whole, *part, of[settings]
