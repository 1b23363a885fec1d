"""draw: the grid of a pairwise figure → the figure, as a board or as panels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof.kinds.pairwise import board, panels

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heatproof.kinds.pairwise.entry import Entry
    from heatproof.util.lazy import altair as alt
    from heatproof.util.lazy import polars as pl


def draw(grid: pl.DataFrame, entry: Entry, *, notes: Sequence[str] = ()) -> alt.TopLevelConcatSpec:
    """The figure of a grid; `notes` are printed first below it."""
    if entry.board:
        return board.draw(grid, entry, notes)
    return panels.draw(grid, entry, notes)
