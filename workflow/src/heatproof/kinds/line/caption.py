"""The caption of a line figure: what its picture has no room for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof.charts import wording
from heatproof.kinds import plain
from heatproof.kinds.heatmap import cells, reasons, views_told
from heatproof.kinds.line import words
from heatproof.kinds.line.layout import layout
from heatproof.kinds.line.points import points

if TYPE_CHECKING:
    from heatproof.kinds.line.entry import Entry
    from heatproof.util.lazy import polars as pl


def caption(grid: pl.DataFrame, entry: Entry) -> list[str]:
    """What is shown, of how many problems, what the marks mean, what is missing."""
    shown = points(grid, entry)
    return [
        entry.caption or _shown(entry),
        *plain.where_words(entry),
        views_told.counts_words(shown.rows, "point"),
        *filter(None, [reasons.asked_by_all(grid)]),
        *views_told.sentences(words.meanings(shown, entry, layout(shown, entry))),
        *plain.lacking(views_told.table(grid, entry)),
    ]


def _shown(entry: Entry) -> str:
    what = entry.encoding
    x = wording.column(what.x, entry.labels)
    value = cells.value_title(entry.cells())
    lines = f"a line for each {reasons.among_title(what.color, entry.cells())}"
    title = f"{entry.title}: " if entry.title else ""
    return f"{title}{value} over {x}, {lines}{views_told.panels_words(entry)}"
