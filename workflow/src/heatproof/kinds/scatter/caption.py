"""The caption of a scatter: what it has no room for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof.kinds import plain
from heatproof.kinds.heatmap import cells, reasons, views_told
from heatproof.kinds.scatter import words
from heatproof.kinds.scatter.layout import layout
from heatproof.kinds.scatter.points import points

if TYPE_CHECKING:
    from heatproof.kinds.scatter.entry import Entry
    from heatproof.util.lazy import polars as pl


def caption(grid: pl.DataFrame, entry: Entry) -> list[str]:
    """What is shown, of how many problems, what the marks mean, what is missing."""
    shown, heat = points(grid, entry), entry.cells()
    title = f"{entry.title}: " if entry.title else ""
    label, detail = entry.encoding.label, entry.encoding.detail
    of = " and ".join(reasons.among_title(name, heat) for name in (label, detail) if name)
    what = f"{title}{cells.value_title(heat)} over {shown.x}, a point for each {of}"
    return [
        entry.caption or what + views_told.panels_words(entry),
        *plain.where_words(entry),
        views_told.counts_words(shown.rows, "point"),
        *filter(None, [reasons.asked_by_all(grid)]),
        *views_told.sentences(words.meanings(shown, entry, layout(shown, entry))),
        *plain.lacking(views_told.table(grid, entry)),
    ]
