"""The records behind a cell, task by task, and every cell counted once more, for all kinds.

What a number is, is told by the `definitions` of the figure's entry (`recount.Definition`): the
first is of the value, any other of a number beside it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heatproof.charts.units import PLAIN
from heatproof.kinds import columns as grid_columns
from heatproof.kinds.cell_records import Behind, Part, as_dicts, pick, require_known
from heatproof.kinds.recount import Recount
from heatproof.samples import answers
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from heatproof.charts.units import Unit
    from heatproof.kinds.cell_records import Recounted
    from heatproof.kinds.recount import Cell, Count, Definition, Sides


def columns(entry: Any, grid: pl.DataFrame) -> list[str]:  # noqa: ARG001 - all are asked alike
    """Columns of the grid that tell one cell from another."""
    return [*entry.definitions()[0].keys.values()]


def value_columns(entry: Any, grid: pl.DataFrame) -> list[str]:  # noqa: ARG001
    """Columns of the grid that are values and counts, and not what follows from them."""
    return grid_columns.counted(grid.columns)


def within(samples: pl.LazyFrame, entry: Any, cell: Mapping[str, Any]) -> pl.LazyFrame:
    """The samples of a cell, given by column of the grid or of the samples, and of its baseline."""
    definition = entry.definitions()[0]
    at = {name: cell[name if name in cell else key] for name, key in definition.keys.items()}
    return samples.filter(definition.lies_in(at))


def recounted(samples: pl.LazyFrame, grid: pl.DataFrame, entry: Any) -> Iterator[Recounted]:
    """Every number of the grid, counted once more."""
    for definition in entry.definitions():
        recount, title = Recount(samples, definition, {}), definition.title
        for row in grid.iter_rows(named=True):
            at = {name: row[column] for name, column in definition.keys.items()}
            cell = recount.cell(at, row)
            words = ", ".join(f"{name}={value}" for name, value in at.items())
            words += f": {title}" if title else ""
            yield words, row[f"{definition.prefix}value"], cell.value, cell.agrees


def behind(
    samples: pl.LazyFrame, grid: pl.DataFrame, entry: Any, place: Mapping[str, str]
) -> Behind:
    """The cell that `place` names and its records, and what stands beside its value.

    Raises:
        Error: there is no such cell; the message names those there are.
    """
    first, *others = entry.definitions()
    require_known(place, [*first.keys])
    at, rows = {}, grid
    for name, column in first.keys.items():
        values = grid[column].unique(maintain_order=True).to_list()
        at[name] = pick(name, place.get(name), values, entry.called(name, values))
        rows = rows.filter(pl.col(column) == at[name])
    row, panel = rows.row(0, named=True), {name: at[name] for name in first.panels}
    cell = Recount(samples, first, panel).cell(at, row)
    beside, agrees = [], cell.agrees
    for other in others:
        number = Recount(samples, other, panel).cell(at, row)
        stored, counted = (
            "no value" if value is None else f"{_in_unit(value, other.unit):.12g}"
            for value in (row[f"{other.prefix}value"], number.value)
        )
        beside.append(f"{other.metric.word} = {stored}, counted anew {counted}")
        agrees = agrees and number.agrees
    if not others and "note_value" in row:
        note = row["note_value"]
        beside.append(f"{entry.noted}: {'none' if note is None else note}")
    return Behind(
        cell=at,
        metric=first.metric.word,
        value=_in_unit(row["value"], first.unit),
        samples=row["samples"],
        epochs=row["epochs"],
        counted=_in_unit(cell.value, first.unit),
        agrees=agrees,
        parts=_parts(cell, first),
        gap=_gap(cell, row["gap"], first),
        expected=row["expected"],
        asked=row.get("asked") or "",
        against=_sides_words(cell.sides, first) if cell.sides else "",
        beside="; ".join(beside),
        printed=_printed_words(cell.records, first) if first.metric.printed else "",
    )


def _in_unit(value: float | None, unit: Unit) -> float | None:
    return value if unit == PLAIN else unit.value(value)


def _gap(cell: Cell, words: str | None, number: Definition) -> str:
    """Why there is no value by the records, if there is none. `words`: what the grid says."""
    if cell.value is not None:
        return ""
    if not len(cell.records) and (words is None or words == number.empty[0]):
        return "no record"
    return words or "no value"


def _parts(cell: Cell, number: Definition) -> list[Part]:
    if not cell.sides:
        return [
            _part(f"task={t}", count, cell.records, t, number) for t, count in cell.tasks.items()
        ]
    sides = {"own": (cell.tasks, cell.records), "baseline": (None, cell.sides.records)}
    return [
        _part(f"{side}, task={task}", count, records, task, number)
        for side, (tasks, records) in sides.items()
        for task, count in (number.count(records) if tasks is None else tasks).items()
    ]


def _part(title: str, count: Count, rows: pl.DataFrame, task: str, number: Definition) -> Part:
    answer = [answers.COLUMN] if number.metric.votes else []
    numbered = number.numbered(rows).filter(pl.col("task") == task)
    records = as_dicts(numbered, number.metric.of, *answer)
    records = [row | {"value": _in_unit(row["value"], number.sample_unit)} for row in records]
    value = _in_unit(None if count.value is None else float(count.value), number.side_unit)
    return Part(title, value, count.samples, count.epochs, records)


def _sides_words(sides: Sides, number: Definition) -> str:
    """`0.59 − 0.55 of the baseline (ratio=1.0), on 40 problems that both hold`."""
    where = ", ".join(f"{n}={'none' if v is None else v}" for n, v in number.relative_to.items())
    shared = f"{sides.problems:,} problems that both hold"
    if sides.own is None or sides.base is None:
        return f"baseline ({where}): {shared}"
    own, base = (number.side_unit.value(float(side)) for side in (sides.own, sides.base))
    words = f"{own:.10g} − {base:.10g} of the baseline ({where})"
    return words if number.metric.printed else f"{words}, on {shared}"


def _printed_words(records: pl.DataFrame, number: Definition) -> str:
    """What was printed beside the one number of a cell."""
    rows, what = number.numbered(records).to_dicts(), number.metric
    if len(rows) != 1:
        return what.caveat
    error, size = rows[0].get(f"{what.of}_stderr"), rows[0].get(f"{what.of}_n")
    parts = [f"standard error {number.sample_unit.span(error):.10g}"] if error is not None else []
    parts += [f"{size:,.0f} problems"] if size is not None else []
    return f"{what.caveat}; {' and '.join(parts)} as printed" if parts else what.caveat
