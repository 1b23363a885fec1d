"""Behind the rows of a forest, and where these lie in the picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heatproof.kinds.forest.layout import answers, layout
from heatproof.kinds.forest.rows import rows
from heatproof.kinds.heatmap import views_told
from heatproof.kinds.heatmap.views_told import records

if TYPE_CHECKING:
    from collections.abc import Mapping

    from heatproof.kinds.forest.entry import Entry
    from heatproof.util.lazy import polars as pl

__all__ = ["records", "story"]


def story(found: Mapping[str, Any], entry: Entry, grid: pl.DataFrame) -> dict[str, Any]:
    """What the page tells of each row, and where it is met; one that is not shown, nowhere."""
    shown = rows(grid, entry)
    plan = layout(shown, entry)
    places = views_told.met((those, answers(plan, those)) for those in shown.panels.values())
    told = views_told.story(found, entry, grid, places)
    if entry.encoding.detail is None:
        told = views_told.without_x(told)
    return {**told, "free": True}
