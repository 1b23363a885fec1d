"""draw: the grid of a pairwise figure → the figure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof.charts import colour, footer, spec
from heatproof.charts.bars import Bar
from heatproof.kinds.pairwise import bins, duels, squares

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heatproof.kinds.pairwise.entry import Entry
    from heatproof.util.lazy import altair as alt
    from heatproof.util.lazy import polars as pl

TITLES = {"count": "instances", "difference": "mean x − y"}
"""Reading → title of the colour bar: the two must never be taken for each other."""


def draw(grid: pl.DataFrame, entry: Entry, *, notes: Sequence[str] = ()) -> alt.TopLevelConcatSpec:
    """The figure of a grid; `notes` are printed first below the panels."""
    counts = entry.color == "count"
    points = counts and entry.points
    pairs = bins.pairs(grid, entry.color, points, entry.titles, entry.units)
    bar = Bar(
        TITLES[entry.color],
        bins.domain(pairs, entry.color),
        colour.palette(entry.colours),
        log=counts and entry.scale == "log",
        whole=counts,
    )
    plan = squares.plan(pairs, entry.width, entry.columns or 3, bar)
    lines = footer.lines(notes, duels.meanings(pairs, entry.color, entry.axis), plan.sheet.text)
    chart = duels.figure(pairs, plan, bar, lines, entry.axis)
    return spec.with_omitted(chart, duels.omitted(pairs, plan))
