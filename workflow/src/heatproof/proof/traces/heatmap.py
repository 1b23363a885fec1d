"""The records behind a cell of a heatmap, task by task where it is a mean over tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heatproof.lazy import polars as pl
from heatproof.metrics import metric
from heatproof.proof import recount
from heatproof.proof.behind import Behind, Part, pick, records, require_known, where

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from heatproof.figures.heatmap import Entry
    from heatproof.proof.behind import Recounted


def keys(entry: Entry) -> list[str]:
    """What tells the cells of the figure apart."""
    return [*([entry.panel] if entry.panel else []), entry.encoding.x, entry.encoding.y]


def columns(entry: Entry, grid: pl.DataFrame) -> list[str]:  # noqa: ARG001 - all are asked alike
    """Panel, x and y."""
    return [_column(name, entry) for name in keys(entry)]


def told(entry: Entry, grid: pl.DataFrame) -> list[str]:  # noqa: ARG001
    """Value and counts."""
    return ["value", "samples", "epochs", "expected"]


def within(samples: pl.LazyFrame, entry: Entry, cell: Mapping[str, Any]) -> pl.LazyFrame:
    """The samples of a cell."""
    names = {"x": entry.encoding.x, "y": entry.encoding.y}
    tests = [pl.col(names.get(name, name)) == value for name, value in cell.items()]
    return samples.filter(where(entry.where), *tests)


def behind(
    samples: pl.LazyFrame, grid: pl.DataFrame, entry: Entry, wanted: Mapping[str, str]
) -> Behind:
    """The cell that `wanted` names and its records.

    Raises:
        Error: there is no such cell; the message names those there are.
    """
    require_known(wanted, keys(entry))
    at = {name: _pick(grid, name, entry, wanted.get(name)) for name in keys(entry)}
    row = grid.filter(pl.col(_column(n, entry)) == v for n, v in at.items()).row(0, named=True)
    chosen = samples.filter(where(entry.where), *(pl.col(n) == v for n, v in at.items()))
    what = metric(entry.encoding.color)
    rows = chosen.filter(pl.col(what.of).is_not_null()).collect()
    counts = tasks(rows, entry)
    total = recount.mean(counts)
    stored = row["value"], row["samples"], row["epochs"]
    agrees = recount.same(stored[0], total.value) and stored[1:] == total[1:]
    if row["value"] is None and set(counts) < _all_tasks(samples, entry, at):
        agrees = True  # a mean that lacks a task is none
    return Behind(
        cell=at,
        metric=what.word,
        value=row["value"],
        samples=row["samples"],
        epochs=row["epochs"],
        counted=None if total.value is None else float(total.value),
        agrees=agrees,
        parts=[_part(task, count, rows, what.of) for task, count in counts.items()],
    )


def recounted(samples: pl.LazyFrame, grid: pl.DataFrame, entry: Entry) -> Iterator[Recounted]:
    """Every cell of the grid, counted once more from samples."""
    what = metric(entry.encoding.color)
    names = keys(entry)
    rows = samples.filter(where(entry.where), pl.col(what.of).is_not_null()).collect()
    cells = rows.partition_by(names, as_dict=True)
    every: dict[Any, set[str]] = {}
    for key, part in rows.partition_by(names[:-2], as_dict=True).items() if names[:-2] else ():
        every[key[0]] = set(part["task"].unique())
    every.setdefault(None, set(rows["task"].unique()))
    for row in grid.iter_rows(named=True):
        at = tuple(row[_column(name, entry)] for name in names)
        counts = tasks(cells[at], entry) if at in cells else {}
        total = recount.mean(counts)
        whole = set(counts) == every[row[entry.panel] if entry.panel else None]
        value = total.value if whole else None
        agrees = recount.same(row["value"], value) and (row["samples"], row["epochs"]) == total[1:]
        cell = ", ".join(f"{name}={value}" for name, value in zip(names, at, strict=True))
        yield cell, row["value"], None if value is None else float(value), agrees


def tasks(rows: pl.DataFrame, entry: Entry) -> dict[str, recount.Count]:
    """Task → what its records give, counted anew."""
    what = metric(entry.encoding.color)
    triples = rows.select("task", "sample_id", what.of).iter_rows()
    return recount.cell(triples, what, pooled=bool(rows["reconstructed"].any()))


def _part(task: str, count: recount.Count, rows: pl.DataFrame, measure: str) -> Part:
    value = None if count.value is None else float(count.value)
    mine = records(rows.filter(pl.col("task") == task), measure)
    return Part(f"task={task}", value, count.samples, count.epochs, mine)


def _all_tasks(samples: pl.LazyFrame, entry: Entry, at: Mapping[str, Any]) -> set[str]:
    """Tasks of the panel that a cell lies in."""
    panel = [pl.col(entry.panel) == at[entry.panel]] if entry.panel else []
    return set(samples.filter(where(entry.where), *panel).select("task").unique().collect()["task"])


def _column(name: str, entry: Entry) -> str:
    return {entry.encoding.x: "x", entry.encoding.y: "y"}.get(name, name)


def _pick(grid: pl.DataFrame, name: str, entry: Entry, given: str | None) -> Any:
    values = grid[_column(name, entry)].unique(maintain_order=True).to_list()
    return pick(name, given, values, entry.called(name, values))
