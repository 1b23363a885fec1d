"""The table of a heatmap: a row per cell, in the unit and to the digit that the figure shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof.charts import wording
from heatproof.kinds.heatmap import annotation, baseline_words, cells, printed, reasons
from heatproof.kinds.tables import Row, Table
from heatproof.metrics import PRINTED, metric
from heatproof.util.numerals import show, span

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heatproof.kinds.heatmap.entry import Entry
    from heatproof.util.lazy import polars as pl


def table(grid: pl.DataFrame, entry: Entry) -> Table:
    """Value, uncertainty and counts of each cell."""
    rows, spec = cells.shown_cells(grid, entry)
    titles = [wording.column(name, entry.labels) for name in entry.along]
    value = cells.value_title(entry)
    noted = [annotation.title(entry)] if entry.annotate else []
    problems = f"{span(row['samples'] for row in rows if not row['missing'])} problems a cell"
    counted, is_printed = "graded", metric(entry.encoding.color).printed
    if is_printed:
        problems, counted = f"{PRINTED}; {printed.counts_words(rows, 'cell')}", "numbers"
    gaps = [row for row in rows if row["missing"] or row["incomplete"]]
    if entry.relative_to:
        problems = span(row["paired"] for row in rows if not row["missing"])
        return Table(
            columns=(*titles, value, *baseline_words.COLUMNS, counted, "of", *noted),
            texts=len(titles),
            rows=[_beside(row, spec) for row in rows],
            n=PRINTED if is_printed else f"{problems} problems that a cell and its baseline hold",
            incomplete=[_gap(row, titles) for row in gaps],
        )
    return Table(
        columns=(*titles, value, "95 % interval", "± SE", "problems", counted, "of", *noted),
        texts=len(titles),
        rows=[_row(row, spec) for row in rows],
        n="; ".join(filter(None, [problems, reasons.asked_by_all(grid)])),
        incomplete=[_gap(row, titles) for row in gaps],
    )


def _row(row: cells.Row, spec: str) -> Row:
    value, error = (
        show(row[key], spec) if row[key] is not None else "–" for key in ("value", "se")
    )
    between = cells.spread(row, spec, "interval") or "–"
    counted = [printed.size_words(row), *(f"{row[key]:,}" for key in ("epochs", "expected"))]
    names = cells.place(row)
    lacks = row["missing"] or row["incomplete"]
    numbered = (value, between, error)
    told = (*names, *numbered, *counted, *_note(row))
    return Row(told, row["bold"], lacks, row["outlined"])


def _note(row: cells.Row) -> list[str]:
    """What is printed beside the value, if something is."""
    return [row["noted"] or "–"] if "noted" in row else []


def _beside(row: cells.Row, spec: str) -> Row:
    """Value, interval and standard error, then both sides; in bold what differs."""
    value = "–" if row["value"] is None else show(row["value"], spec)
    error = "–" if row["se"] is None else show(row["se"], spec.replace("+", ""))
    between = cells.between(row, spec) or "–"
    sides = [row[key] or "–" for key in ("own_told", "base_told")]
    counted = [
        baseline_words.paired(row) or "–",
        *(f"{row[key]:,}" for key in ("epochs", "expected")),
    ]
    lacks = row["missing"] or row["incomplete"]
    told = (*cells.place(row), value, between, error, *sides, *counted, *_note(row))
    return Row(told, row["bold"], lacks)


def _gap(row: cells.Row, titles: Sequence[str]) -> str:
    where = ", ".join(f"{t} {name}" for t, name in zip(titles, cells.place(row), strict=True))
    rows = "printed numbers" if printed.PROBLEMS in row else "graded rows"
    what = row["gap"] if row["missing"] else f"{row['epochs']:,} of {row['expected']:,} {rows}"
    return f"{where}: {what}"
