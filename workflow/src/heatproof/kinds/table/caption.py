"""The caption of a table: what it has no room for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof.kinds.heatmap import reasons, views_told
from heatproof.kinds.table import words
from heatproof.kinds.table.blocks import blocks
from heatproof.kinds.table.layout import layout

if TYPE_CHECKING:
    from heatproof.kinds.table.entry import Entry
    from heatproof.util.lazy import polars as pl


def caption(grid: pl.DataFrame, entry: Entry) -> list[str]:
    """What is shown, of how many problems, what the marks mean, what is missing."""
    shown, heat = blocks(grid, entry), entry.cells()
    y, x = (reasons.among_title(name, heat) for name in (entry.encoding.y, entry.encoding.x))
    what = f"{views_told.value_title(entry)}, a row for each {y}, a column for each {x}"
    meant = words.meanings(shown, entry, layout(shown, entry))
    return views_told.caption(grid, entry, what, (shown.rows, "number"), meant)
