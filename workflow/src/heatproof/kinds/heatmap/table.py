"""The table of a heatmap: a row per cell, in the unit and to the digit that the figure shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof.charts import wording
from heatproof.kinds.heatmap import annotation, baseline_words, cells, numbers, printed, reasons
from heatproof.kinds.tables import Row, Table
from heatproof.metrics import PRINTED, metric
from heatproof.util.numerals import span

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heatproof.kinds.heatmap.entry import Entry
    from heatproof.kinds.heatmap.panel import Row as Cell
    from heatproof.metrics import Metric
    from heatproof.util.lazy import polars as pl


def table(grid: pl.DataFrame, entry: Entry) -> Table:
    """Value, uncertainty and counts of each cell."""
    rows, _ = cells.shown_cells(grid, entry)
    titles = [wording.column(name, entry.labels) for name in entry.along]
    value = cells.value_title(entry)
    noted = [annotation.title(entry)] if entry.annotate else []
    problems = f"{span(row['samples'] for row in rows if not row['missing'])} problems a cell"
    counted, is_printed = "graded", metric(entry.encoding.color).printed
    if is_printed:
        problems, counted = f"{PRINTED}; {printed.counts_words(rows, 'cell')}", "numbers"
    lacks = [row for row in rows if row["missing"] or row["incomplete"]]
    lacks = [row for row in lacks if row["gap"] != reasons.ITSELF]
    gaps = [_gap(row, titles, metric(entry.encoding.color)) for row in lacks]
    if entry.relative_to:
        problems = span(row["paired"] for row in rows if not row["missing"])
        return Table(
            columns=(*titles, value, *baseline_words.COLUMNS, counted, "of", *noted),
            texts=len(titles),
            rows=[_beside(row) for row in rows],
            n=PRINTED if is_printed else f"{problems} problems that a cell and its baseline hold",
            key=numbers.table_key(rows, entry),
            incomplete=gaps,
        )
    return Table(
        columns=(*titles, value, "95 % interval", "± SE", "problems", counted, "of", *noted),
        texts=len(titles),
        rows=[_row(row) for row in rows],
        n="; ".join(filter(None, [problems, reasons.asked_by_all(grid)])),
        key=numbers.table_key(rows, entry),
        incomplete=gaps,
    )


def _row(row: Cell) -> Row:
    counted = [printed.size_words(row), *(f"{row[key]:,}" for key in ("epochs", "expected"))]
    names = cells.place(row)
    lacks = row["missing"] or row["incomplete"]
    texts = (*names, *_numbers(row, "–"), *counted, *_note(row))
    return Row(texts, row["bold"], lacks, row["outlined"], row["excluded"])


def _numbers(row: Cell, joint: str) -> list[str]:
    """Value, interval and standard error; `joint`: between the ends of an interval."""
    between = row["between"].replace(" to ", joint)
    return [text or "–" for text in (row["label"], between, row["error"].removeprefix("± "))]


def _note(row: Cell) -> list[str]:
    """What is printed beside the value, if something is."""
    return [row["noted"] or "–"] if "noted" in row else []


def _beside(row: Cell) -> Row:
    """Value, interval and standard error, then both sides; in bold what differs."""
    sides = [row[key] or "–" for key in ("own_told", "base_told")]
    counted = [
        baseline_words.paired(row) or "–",
        *(f"{row[key]:,}" for key in ("epochs", "expected")),
    ]
    lacks = row["missing"] or row["incomplete"]
    texts = (*cells.place(row), *_numbers(row, " to "), *sides, *counted, *_note(row))
    return Row(texts, row["bold"], lacks)


def _gap(row: Cell, titles: Sequence[str], what: Metric) -> str:
    where = ", ".join(f"{t} {name}" for t, name in zip(titles, cells.place(row), strict=True))
    return f"{where}: {row['gap'] if row['missing'] else reasons.lack_words(row, what)}"
