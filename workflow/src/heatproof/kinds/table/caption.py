"""The caption of a table: what it has no room for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof.kinds import plain
from heatproof.kinds.heatmap import cells, reasons, views_told
from heatproof.kinds.table import words
from heatproof.kinds.table.blocks import blocks
from heatproof.kinds.table.layout import layout

if TYPE_CHECKING:
    from heatproof.kinds.table.entry import Entry
    from heatproof.util.lazy import polars as pl


def caption(grid: pl.DataFrame, entry: Entry) -> list[str]:
    """What is shown, of how many problems, what the marks mean, what is missing."""
    shown = blocks(grid, entry)
    heat = entry.cells()
    title = f"{entry.title}: " if entry.title else ""
    y, x = (reasons.among_title(name, heat) for name in (entry.encoding.y, entry.encoding.x))
    what = f"{title}{cells.value_title(heat)}, a row for each {y}, a column for each {x}"
    return [
        entry.caption or what + views_told.panels_words(entry),
        *plain.where_words(entry),
        views_told.counts_words(shown.rows, "number"),
        *filter(None, [reasons.asked_by_all(grid)]),
        *views_told.sentences(words.meanings(shown, entry, layout(shown, entry))),
        *plain.lacking(views_told.table(grid, entry)),
    ]
