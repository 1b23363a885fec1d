"""Behind the points of a scatter, and where these lie in the picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heatproof.kinds.heatmap import views_told
from heatproof.kinds.heatmap.views_told import records
from heatproof.kinds.scatter.layout import answers, layout
from heatproof.kinds.scatter.points import points

if TYPE_CHECKING:
    from collections.abc import Mapping

    from heatproof.kinds.scatter.entry import Entry
    from heatproof.util.lazy import polars as pl

__all__ = ["records", "story"]


def story(found: Mapping[str, Any], entry: Entry, grid: pl.DataFrame) -> dict[str, Any]:
    """What the page tells of each point, with what lies along x, and where it is met.

    One that is not shown is met nowhere.
    """
    shown = points(grid, entry)
    plan = layout(shown, entry)
    places = views_told.met((those, answers(plan, those)) for those in shown.panels.values())
    told = views_told.story(found, entry, grid, places)
    costs = {row["cell"]: row for row in [*shown.rows, *shown.lost]}
    told["facts"] = [*told["facts"], shown.x, f"{shown.x}, 95 % interval"]
    for n, cell in enumerate(told["cells"]):
        along = costs.get(n, {})
        more = along.get("cost_told") or None, along.get("cost_between") or None
        cell["facts"] = [*cell["facts"], *more]
        front = ["on the front"] if along.get("front") else []
        cell["flags"] = [*cell["flags"], *front]
    if entry.encoding.detail is None:
        told = views_told.without_x(told)
    return {**told, "free": True}
