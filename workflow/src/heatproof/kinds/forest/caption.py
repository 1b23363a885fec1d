"""The caption of a forest: what it has no room for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof.kinds import plain
from heatproof.kinds.forest import words
from heatproof.kinds.forest.layout import layout
from heatproof.kinds.forest.rows import rows
from heatproof.kinds.heatmap import cells, reasons, views_told

if TYPE_CHECKING:
    from heatproof.kinds.forest.entry import Entry
    from heatproof.util.lazy import polars as pl


def caption(grid: pl.DataFrame, entry: Entry) -> list[str]:
    """What is shown, of how many problems, what the marks mean, what is missing."""
    shown, heat = rows(grid, entry), entry.cells()
    title = f"{entry.title}: " if entry.title else ""
    y, detail = entry.encoding.y, entry.encoding.detail
    of = " and ".join(reasons.among_title(name, heat) for name in (y, detail) if name)
    what = f"{title}{cells.value_title(heat)} of each {of}{views_told.panels_words(entry)}"
    return [
        entry.caption or what,
        *plain.where_words(entry),
        views_told.counts_words(shown.all, "row"),
        *filter(None, [reasons.asked_by_all(grid)]),
        *views_told.sentences(words.meanings(shown, entry, layout(shown, entry))),
        *reasons.doubts_of(grid),
        *plain.lacking(views_told.table(grid, entry)),
    ]
