"""The line below the panels: notes first, then what those marks mean that occur.

It also holds the figure to its width: an invisible rectangle spans the page, so that the size
of the drawing is the one asked for and not the sum of what happens to hang out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from heatproof import theme
from heatproof.lazy import altair as alt
from heatproof.lettering import wrap
from heatproof.wording import count

GAP = 7.0
"""From what is above to the first line."""


def meanings(rows: Sequence[Mapping[str, Any]], shown: str) -> list[str]:
    """What frames, dots, hatches, corners and second lines mean, if they occur."""
    others = [row for row in rows if not (row["best"] or row["missing"])]
    tied = count(others, "tied")
    dots = "dot: not distinguishable from the best"
    spread = {"se": "±: standard error over problems", "interval": "range: 95 % interval"}
    parts = {
        "framed: best": count(rows, "best"),
        dots + (" (here every cell)" if tied == len(others) else ""): tied,
        spread.get(shown, ""): any(row["spread"] for row in rows) and shown in spread,
        "hatched: no data": count(rows, "missing"),
        "filled corner: incomplete": count(rows, "incomplete"),
    }
    return [part for part, occurs in parts.items() if occurs]


def lines(notes: Sequence[str], parts: Sequence[str], width: float) -> list[str]:
    """The text, wrapped: each note on a line of its own, what the marks mean after them."""
    noted = [line for note in notes for line in wrap([note], width, theme.SMALL)]
    return [*noted, *wrap(parts, width, theme.SMALL)]


def height(text: Sequence[str]) -> float:
    """Room below the panels for the lines; 1 pt without any, for what antialiasing needs."""
    return GAP + len(text) * theme.line_height(theme.SMALL) if text else 1.0


def page(x: float, y: float, x2: float, y2: float) -> alt.Chart:
    """An invisible rectangle as large as the figure; coordinates from the corner of a panel."""
    return _one().mark_rect(x=x, y=y, x2=x2, y2=y2, fill="transparent", aria=False)


def words(text: Sequence[str], x: float, y: float) -> alt.Chart:
    """The lines, the first one's top at y."""
    return _one().mark_text(
        text=list(text),
        x=x,
        y=y,
        align="left",
        baseline="top",
        fontSize=theme.SMALL,
        lineHeight=theme.line_height(theme.SMALL),
        color=theme.QUIET,
    )


def _one() -> alt.Chart:
    return alt.Chart(alt.InlineData(values=[{}]))
