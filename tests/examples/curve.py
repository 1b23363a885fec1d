"""curve: the mean score over one hyper-parameter, a line for each model.

A whole figure kind in one file: in `workflow/src/heatproof/kinds/` it is found by its name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof.charts import sheet, wording
from heatproof.config.entries import Figure
from heatproof.samples import selection
from heatproof.util.lazy import altair as alt
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Sequence


class Entry(Figure, kw_only=True):
    """A curve in config.yaml."""

    x: str
    """The hyper-parameter along x."""

    def used(self) -> dict[str, str]:
        return super().used() | {"x": self.x}


def aggregate(
    samples: pl.LazyFrame,
    entry: Entry,
    partial: Sequence[pl.LazyFrame] | None = None,  # noqa: ARG001 - short logs need no short cut
) -> pl.DataFrame:
    """A row per model and value of x."""
    chosen = selection.choose(samples, entry.where, f"config.yaml: figures.{entry.name}")
    found = chosen.group_by("model", entry.x).agg(
        pl.col("score").sum().alias("right"),
        pl.col("sample_id").n_unique().alias("samples"),
        pl.len().alias("epochs"),
    )
    value = pl.col("right") / pl.col("epochs")
    return found.sort("model", entry.x).with_columns(value=value).collect()


def draw(grid: pl.DataFrame, entry: Entry, *, notes: Sequence[str] = ()) -> alt.Chart:
    """The figure of a grid, on a page with `notes` and the figure's id."""
    names = entry.called("model", grid["model"].to_list())
    shown = grid.with_columns(pl.col("model").replace(names))
    line = alt.Chart(alt.InlineData(shown.to_dicts())).mark_line(point=True)
    chart = line.encode(
        alt.X(f"{entry.x}:Q", title=wording.column(entry.x, entry.labels)),
        alt.Y("value:Q", title=wording.measure("pass@1", entry.labels)),
        alt.Color("model:N", title=wording.column("model", entry.labels)),
    )
    titled: alt.Chart = sheet.titled(chart, entry, notes)
    return titled
