"""By which scorer each task of a source was read, where its reader chose among several."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof.util import terminal
from heatproof.util.numerals import numbered

if TYPE_CHECKING:
    from collections.abc import Iterator

    import polars as pl

    from heatproof.config.entries import Source


NAMED = 6
"""Tasks that are named for each scorer, at most."""


def words(source: str, entry: Source, counts: pl.LazyFrame) -> Iterator[str]:
    """A line for each scorer, with its tasks, and one for each choice that is of no task.

    `counts`: of all shards of the source (`samples.counts`).
    """
    pairs = counts.select("scorer", "task").unique().sort("scorer", "task").collect()
    of: dict[str, list[str]] = {}
    for scorer, task in pairs.iter_rows():
        of.setdefault(scorer, []).append(task or "")
    for scorer, tasks in of.items():
        named = [terminal.name(task) for task in tasks[:NAMED]]
        more = len(tasks) - NAMED
        named += [numbered(more, "other task")] if more > 0 else []
        yield f"scored by {terminal.name(scorer)}: {', '.join(named)}"
    for said in entry.unchosen(sorted({*pairs["task"].drop_nulls()})):
        yield f"config.yaml: sources.{source}{said}"
