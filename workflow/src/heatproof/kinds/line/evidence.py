"""Behind the points of a line figure, and where these lie in the picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heatproof.kinds.heatmap import views_told
from heatproof.kinds.heatmap.views_told import records
from heatproof.kinds.line.layout import answers, layout
from heatproof.kinds.line.points import points

if TYPE_CHECKING:
    from collections.abc import Mapping

    from heatproof.kinds.line.entry import Entry
    from heatproof.util.lazy import polars as pl

__all__ = ["records", "story"]


def story(found: Mapping[str, Any], entry: Entry, grid: pl.DataFrame) -> dict[str, Any]:
    """What the page tells of each point, and where it is met: its box in the panel.

    Points stand in the order of the grid.
    """
    shown = points(grid, entry)
    plan = layout(shown, entry)
    places = views_told.met(
        (rows, answers(plan, rows, plan.y[label])) for label, rows in shown.panels.items()
    )
    return views_told.story(found, entry, grid, places)
