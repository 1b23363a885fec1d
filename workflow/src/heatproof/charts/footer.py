"""The lines below the panels: notes first, then what those marks mean that occur."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof.charts import theme
from heatproof.charts.lettering import wrap

if TYPE_CHECKING:
    from collections.abc import Sequence

GAP = 7.0
"""From what is above to the first line."""
LIKE = ", for problems like these"
"""The estimand of ties and errors, said once, and left out where it would take another line."""
ID_ROOM = 62.0
"""Kept free at the right of the lines for the figure's id."""


def lines(notes: Sequence[str], parts: Sequence[str], width: float) -> list[str]:
    """The text, wrapped: each note on a line of its own, what the marks mean after them.

    `width`: of the lines, of which the figure's id takes a part.
    """
    width -= ID_ROOM
    noted = [line for note in notes for line in wrap([note], width, theme.SMALL)]
    long = wrap(parts, width, theme.SMALL)
    short = wrap([part.replace(LIKE, "") for part in parts], width, theme.SMALL)
    return [*noted, *(short if len(short) < len(long) else long)]


def height(text: Sequence[str]) -> float:
    """Room below the panels for the lines; one at least, for the figure's id."""
    return GAP + max(len(text), 1) * theme.line_height(theme.SMALL)
