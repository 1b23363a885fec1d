"""draw: the grid of a heatmap → its figure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof.charts import spec
from heatproof.kinds.heatmap import cells, compose, omitted, panels, sizing, spoken, verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heatproof.kinds.heatmap.entry import Entry
    from heatproof.util.lazy import altair as alt
    from heatproof.util.lazy import polars as pl


def draw(grid: pl.DataFrame, entry: Entry, *, notes: Sequence[str] = ()) -> alt.TopLevelConcatSpec:
    """The figure of a grid; `notes` are printed first below the panels."""
    factor = 100.0 if entry.shows_percent else 1.0
    rows = cells.table(grid, entry, factor, entry.uncertainty)
    names = panels.names(grid, rows, entry)
    judged = entry.uncertainty == "tied"
    said = verdict.of(grid, entry, factor, names.format) if judged else {}
    parts = panels.split(rows, entry, names, said)
    plan = sizing.plan(parts, entry, names)
    lines = compose.lines(parts, plan, notes, entry)
    told = [spoken.figure(names, entry.shows_percent), *(part.description for part in parts)]
    chart = compose.figure(parts, plan, names.format, lines, " ".join([*told, *notes]))
    return spec.with_omitted(chart, omitted.omitted(parts, plan, entry))
