"""The caption of a scatter: what it has no room for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof.kinds.heatmap import reasons, views_told
from heatproof.kinds.scatter import words
from heatproof.kinds.scatter.layout import layout
from heatproof.kinds.scatter.points import points

if TYPE_CHECKING:
    from heatproof.kinds.scatter.entry import Entry
    from heatproof.util.lazy import polars as pl


def caption(grid: pl.DataFrame, entry: Entry) -> list[str]:
    """What is shown, of how many problems, what the marks mean, what is missing."""
    shown, heat = points(grid, entry), entry.cells()
    label, detail = entry.encoding.label, entry.encoding.detail
    of = " and ".join(reasons.among_title(name, heat) for name in (label, detail) if name)
    what = f"{views_told.value_title(entry)} over {shown.x}, a point for each {of}"
    meant = words.meanings(shown, entry, layout(shown, entry))
    return views_told.caption(grid, entry, what, (shown.rows, "point"), meant)
