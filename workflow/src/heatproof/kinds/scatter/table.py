"""The numbers of a scatter on the page: a row per point, with what lies along x."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from heatproof.kinds.heatmap import views_told
from heatproof.kinds.scatter.points import points

if TYPE_CHECKING:
    from heatproof.kinds.scatter.entry import Entry
    from heatproof.kinds.tables import Table
    from heatproof.util.lazy import polars as pl


def table(grid: pl.DataFrame, entry: Entry) -> Table:
    """Values, uncertainty and counts of each point."""
    shown, plain = points(grid, entry), views_told.table(grid, entry)
    told = {row["cell"]: row for row in [*shown.rows, *shown.lost]}
    rows = []
    for n, row in enumerate(plain.rows):
        along = told.get(n, {})
        more = (along.get("cost_told") or "–", along.get("cost_between") or "–")
        rows.append(replace(row, cells=(*row.cells, *more)))
    return replace(plain, columns=[*plain.columns, shown.x, "95 % interval"], rows=rows)
