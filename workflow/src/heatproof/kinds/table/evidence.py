"""Behind the cells of a table, and where these lie in the picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heatproof.kinds.heatmap import views_told
from heatproof.kinds.heatmap.views_told import records
from heatproof.kinds.table.blocks import blocks
from heatproof.kinds.table.layout import answers, layout

if TYPE_CHECKING:
    from collections.abc import Mapping

    from heatproof.kinds.table.entry import Entry
    from heatproof.util.lazy import polars as pl

__all__ = ["records", "story"]


def story(found: Mapping[str, Any], entry: Entry, grid: pl.DataFrame) -> dict[str, Any]:
    """What the page tells of each cell, and where it is met."""
    shown = blocks(grid, entry)
    plan = layout(shown, entry)
    places = [box for n in range(len(shown.all)) for box in answers(plan, shown, n)]
    return views_told.story(found, entry, grid, dict(enumerate(places)))
