"""The records behind a cell of a heatmap, task by task where it is a mean over tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import structs

from heatproof.kinds.cell_records import Behind, Part, as_dicts, pick, require_known, where
from heatproof.kinds.heatmap import annotation, recount
from heatproof.kinds.heatmap.reasons import FAILED
from heatproof.metrics import metric
from heatproof.samples import answers
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from heatproof.charts.units import Unit
    from heatproof.kinds.cell_records import Recounted
    from heatproof.kinds.heatmap.entry import Entry
    from heatproof.kinds.recount import Count
    from heatproof.metrics import Metric


def columns(entry: Entry, grid: pl.DataFrame) -> list[str]:  # noqa: ARG001 - all are asked alike
    """Panels, x and y."""
    return [*entry.panels, "x", "y"]


def value_columns(entry: Entry, grid: pl.DataFrame) -> list[str]:  # noqa: ARG001
    """Value and counts."""
    beside = ["own_value", "baseline_value", "paired_problems"] if entry.relative_to else []
    beside += [annotation.NOTE] if entry.annotate else []
    return ["value", "samples", "epochs", "expected", *beside]


def within(samples: pl.LazyFrame, entry: Entry, cell: Mapping[str, Any]) -> pl.LazyFrame:
    """The samples of a cell, and of its baseline."""
    names = {"x": entry.x, "y": entry.y}
    at = {names.get(name, name): value for name, value in cell.items()}
    own = where(entry.where) & pl.all_horizontal(pl.col(n) == v for n, v in at.items())
    return samples.filter(own | recount.of_baseline(entry, at) if entry.relative_to else own)


def behind(
    samples: pl.LazyFrame, grid: pl.DataFrame, entry: Entry, wanted: Mapping[str, str]
) -> Behind:
    """The cell that `wanted` names and its records, and what is printed beside its value.

    Raises:
        Error: there is no such cell; the message names those there are.
    """
    cell = _behind(samples, grid, entry, wanted)
    if not entry.annotate:
        return cell
    if not entry.beside:
        text, agrees = annotation.text_behind(samples, grid, entry, cell.cell)
        return structs.replace(cell, beside=text, agrees=bool(cell.agrees and agrees))
    beside = _behind(samples, annotation.values_of(grid), entry.beside, wanted)
    stored, counted = (
        "no value" if value is None else f"{value:.12g}" for value in (beside.value, beside.counted)
    )
    text = f"{beside.metric} = {stored}, counted anew {counted}"
    return structs.replace(cell, beside=text, agrees=bool(cell.agrees and beside.agrees))


def _behind(
    samples: pl.LazyFrame, grid: pl.DataFrame, entry: Entry, wanted: Mapping[str, str]
) -> Behind:
    """The value with its records."""
    names = [*entry.panels, entry.x, entry.y]
    require_known(wanted, names)
    at, rows = {}, grid
    for name, column in zip(names, columns(entry, grid), strict=True):
        values = grid[column].unique(maintain_order=True).to_list()
        at[name] = pick(name, wanted.get(name), values, entry.called(name, values))
        rows = rows.filter(pl.col(column) == at[name])
    row, what = rows.row(0, named=True), metric(entry.encoding.color)
    figure = recount.Figure(samples, entry, {name: at[name] for name in entry.panels})
    counted = figure.cell(at, row)
    records, sides = counted.records, counted.sides
    parts = [_part(task, count, records, what) for task, count in counted.tasks.items()]
    gap = counted.gap
    if sides:
        parts = [structs.replace(part, title=f"own, {part.title}") for part in parts]
        base = recount.count_tasks(sides.records, entry)
        for task, count in base.items():
            part = _part(task, count, sides.records, what)
            parts.append(structs.replace(part, title=f"baseline, {part.title}"))
        gap = gap or (row["gap"] if row["value"] is None and sides.difference is None else "")
    cell = Behind(
        cell=at,
        metric=what.word,
        value=row["value"],
        samples=row["samples"],
        epochs=row["epochs"],
        counted=counted.value,
        agrees=counted.agrees,
        parts=parts,
        gap=row["gap"] if row["gap"] == FAILED and not len(records) else gap or "",
        expected=row["expected"],
        asked=row.get("asked") or "",
        against=sides.words(entry) if sides else "",
        printed=_printed(records, what, entry.unit_of_samples) if what.printed else "",
    )
    return _in_unit(cell, entry)


def _part(task: str, count: Count, rows: pl.DataFrame, what: Metric) -> Part:
    value = None if count.value is None else float(count.value)
    answer = [answers.COLUMN] if what.votes else []
    numbered = rows.filter(pl.col("task") == task, pl.col(what.of).is_not_null())
    records = as_dicts(numbered, what.of, *answer)
    return Part(f"task={task}", value, count.samples, count.epochs, records)


def _printed(records: pl.DataFrame, what: Metric, unit: Unit) -> str:
    """What was printed beside the one number of a cell; `unit`: in which it was printed."""
    rows = records.filter(pl.col(what.of).is_not_null()).to_dicts()
    if len(rows) != 1:
        return what.caveat
    error, size = rows[0].get(f"{what.of}_stderr"), rows[0].get(f"{what.of}_n")
    parts = [f"standard error {unit.span(error):.10g}"] if error is not None else []
    parts += [f"{size:,.0f} problems"] if size is not None else []
    return f"{what.caveat}; {' and '.join(parts)} as printed" if parts else what.caveat


def _in_unit(cell: Behind, entry: Entry) -> Behind:
    """The same with values as logs have them, where the figure shows them so."""
    own = entry.own_unit
    if own is None:
        return cell
    of_samples, unit = entry.unit_of_samples, entry.unit
    parts = [
        structs.replace(
            part,
            value=own.value(part.value),
            records=[
                record | {"value": of_samples.value(record["value"])} for record in part.records
            ],
        )
        for part in cell.parts
    ]
    value, counted = unit.value(cell.value), unit.value(cell.counted)
    return structs.replace(cell, value=value, counted=counted, parts=parts)


def recounted(samples: pl.LazyFrame, grid: pl.DataFrame, entry: Entry) -> Iterator[Recounted]:
    """Every cell of the grid, and what is printed beside its value, counted once more."""
    yield from _recounted(samples, grid, entry)
    if entry.annotate:
        yield from annotation.recounted(samples, grid, entry, _recounted)


def _recounted(samples: pl.LazyFrame, grid: pl.DataFrame, entry: Entry) -> Iterator[Recounted]:
    figure, names = recount.Figure(samples, entry, {}), [*entry.panels, entry.x, entry.y]
    for row in grid.iter_rows(named=True):
        at = {name: row[at] for name, at in zip(names, columns(entry, grid), strict=True)}
        counted = figure.cell(at, row)
        cell = ", ".join(f"{name}={value}" for name, value in at.items())
        if row["value"] is None and counted.gap:
            cell += f" ({row['gap']!r}, by its records: {counted.gap})"
        yield cell, row["value"], counted.value, counted.agrees
