"""The caption of a forest: what it has no room for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof.kinds.forest import words
from heatproof.kinds.forest.layout import layout
from heatproof.kinds.forest.rows import rows
from heatproof.kinds.heatmap import reasons, views_told

if TYPE_CHECKING:
    from heatproof.kinds.forest.entry import Entry
    from heatproof.util.lazy import polars as pl


def caption(grid: pl.DataFrame, entry: Entry) -> list[str]:
    """What is shown, of how many problems, what the marks mean, what is missing."""
    shown, heat = rows(grid, entry), entry.cells()
    y, detail = entry.encoding.y, entry.encoding.detail
    of = " and ".join(reasons.among_title(name, heat) for name in (y, detail) if name)
    what = f"{views_told.value_title(entry)} of each {of}"
    meant = words.meanings(shown, entry, layout(shown, entry))
    doubts = reasons.doubts_of(grid)
    return views_told.caption(grid, entry, what, (shown.all, "row"), meant, doubts)
