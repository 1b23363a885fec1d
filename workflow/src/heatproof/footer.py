"""The lines below the panels: notes first, then what those marks mean that occur."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heatproof import theme
from heatproof.lettering import wrap
from heatproof.wording import count

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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
