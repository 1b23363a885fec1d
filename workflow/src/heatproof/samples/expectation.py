"""What config.yaml expects of runs (`expect` of a source), held against what there is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof.config import roles
from heatproof.util import terminal
from heatproof.util.errors import choices
from heatproof.util.lazy import polars as pl
from heatproof.util.numerals import numbered

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST = 5
"""Tasks that are named at most, of those that hold more."""


def told(
    source: str, expect: int | dict[str, int] | None, counts: pl.DataFrame | pl.LazyFrame
) -> Iterator[str]:
    """Tasks that no run is of, and runs that hold more than is expected: a line each.

    `counts`: of all shards (`samples.counts`).
    """
    if expect is None:
        return
    place = f"config.yaml: sources.{source}.expect"
    names = roles.settings(counts.lazy().collect_schema().names())
    runs = counts.lazy().group_by(names).agg(pl.col("epochs").sum()).collect()
    tasks = sorted(runs["task"].unique())
    each = expect if isinstance(expect, dict) else dict.fromkeys(tasks, expect)
    for task in sorted(each.keys() - {*tasks}):
        yield f"{place}.{task}: no sample is of task {task!r}; {choices(task, tasks)}"
    many = [(t, runs.filter(pl.col("task") == t, pl.col("epochs") > each.get(t, 1 << 62)))
            for t in tasks]  # fmt: skip
    more = [(task, found) for task, found in many if len(found)]
    for task, found in more[:MOST]:
        of = f" of task {terminal.name(task)}" if task else ""
        most = max(found["epochs"].to_list())
        yield (
            f"{place}: {numbered(len(found), 'run')}{of} of more than {each[task]:,} samples, "
            f"up to {most:,} (it counts problems × epochs)"
        )
    if len(more) > MOST:
        yield f"{place}: and of {len(more) - MOST:,} tasks more"
