"""The table of a heatmap: a row per cell, in the unit and to the digit that the figure shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof.charts import wording
from heatproof.kinds.heatmap import cells, reasons
from heatproof.kinds.tables import Row, Table
from heatproof.util.numerals import show, span

if TYPE_CHECKING:
    from collections.abc import Mapping

    from heatproof.kinds.heatmap.entry import Entry
    from heatproof.util.lazy import polars as pl


def table(grid: pl.DataFrame, entry: Entry) -> Table:
    """Value, uncertainty and counts of each cell."""
    rows, spec = cells.shown_cells(grid, entry)
    axes = {"panel": entry.panel, "y": entry.encoding.y, "x": entry.encoding.x}
    titles = {axis: wording.column(name, entry.labels) for axis, name in axes.items() if name}
    value = wording.measure(entry.encoding.color, entry.labels)
    value += " (%)" if entry.shows_percent else ""
    problems = span(row["samples"] for row in rows if not row["missing"])
    gaps = [row for row in rows if row["missing"] or row["incomplete"]]
    return Table(
        columns=(*titles.values(), value, "95 % interval", "± SE", "problems", "graded", "of"),
        texts=len(titles),
        rows=[_row(row, titles, spec) for row in rows],
        n="; ".join(filter(None, [f"{problems} problems a cell", reasons.asked_by_all(grid)])),
        incomplete=[_gap(row, titles) for row in gaps],
    )


def _row(row: cells.Row, titles: Mapping[str, str], spec: str) -> Row:
    value, error = (
        show(row[key], spec) if row[key] is not None else "–" for key in ("value", "se")
    )
    between = cells.spread(row, spec, "interval") or "–"
    counted = [f"{row[key]:,}" for key in ("samples", "epochs", "expected")]
    names = [str(row[axis]) for axis in titles]
    lacks = row["missing"] or row["incomplete"]
    numbered = (value, between, error)
    return Row((*names, *numbered, *counted), row["best"], lacks, row["tied"])


def _gap(row: cells.Row, titles: Mapping[str, str]) -> str:
    where = ", ".join(f"{title} {row[axis]}" for axis, title in titles.items())
    what = row["gap"] if row["missing"] else f"{row['epochs']:,} of {row['expected']:,} graded rows"
    return f"{where}: {what}"
