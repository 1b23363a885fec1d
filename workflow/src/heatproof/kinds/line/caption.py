"""The caption of a line figure: what its picture has no room for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof.charts import wording
from heatproof.kinds.heatmap import reasons, views_told
from heatproof.kinds.line import words
from heatproof.kinds.line.layout import layout
from heatproof.kinds.line.points import points

if TYPE_CHECKING:
    from heatproof.kinds.line.entry import Entry
    from heatproof.util.lazy import polars as pl


def caption(grid: pl.DataFrame, entry: Entry) -> list[str]:
    """What is shown, of how many problems, what the marks mean, what is missing."""
    shown, encoding = points(grid, entry), entry.encoding
    lines = f"a line for each {reasons.among_title(encoding.color, entry.cells())}"
    x = wording.column(encoding.x, entry.labels)
    what = f"{views_told.value_title(entry)} over {x}, {lines}"
    meant = words.meanings(shown, entry, layout(shown, entry))
    return views_told.caption(grid, entry, what, (shown.rows, "point"), meant)
