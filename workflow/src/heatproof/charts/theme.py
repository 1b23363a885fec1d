"""How figures look: sizes, greys and the Vega-Lite config. Lengths are pt, 1 Vega px = 1 pt."""

from __future__ import annotations

from typing import Any

from heatproof.charts.typefaces import typeface
from heatproof.config import venues

ROOMY = 4.5 * 72  # from this width on, a figure has room for two columns' worth of a page

VALUE = 7.0  # values in cells, where there is room; never below `SMALL`
LABEL = 7.0  # tick labels, axis titles, titles of colour bars
HEAD = 8.5  # the title of a figure
TITLE = 8.0  # the name of a panel
SMALL = 6.0  # notes, counts, errors: the smallest type there is

INK = "#000000"
PAPER = "#ffffff"
QUIET = "#595959"
"""Grey text: 7 : 1 on white."""
LINE = "#8c8c8c"
"""Ticks, outlines and hatches: 3.4 : 1 on white."""
FAINT = "#f2f2f2"
"""Ground of a cell without data; no palette holds it as a mark on its own."""


def line_height(size: float) -> float:
    """Distance between the baselines of two lines of text."""
    return size * 1.25


def config() -> dict[str, Any]:
    """Vega-Lite config: one typeface, no grid, no chrome but what a mark draws."""
    stack = typeface().stack
    axis = {
        "domain": False, "grid": False, "ticks": False, "tickColor": LINE, "tickWidth": 0.6,
        "labelFont": stack, "labelFontSize": LABEL, "labelColor": INK, "labelPadding": 3,
        "labelOverlap": False, "labelFlush": False, "titleFont": stack, "titleFontSize": LABEL,
        "titleFontWeight": "normal", "titleColor": INK, "titlePadding": 3,
    }  # fmt: skip
    title = {
        "font": stack, "fontSize": TITLE, "fontWeight": "bold", "color": INK,
        "subtitleFont": stack, "subtitleFontSize": SMALL, "subtitleColor": QUIET,
        "subtitlePadding": 2, "baseline": "alphabetic", "lineHeight": line_height(TITLE),
    }  # fmt: skip
    return {
        "font": stack, "background": PAPER, "padding": 0, "view": {"stroke": None},
        "axis": axis, "title": title, "text": {"font": stack, "fontSize": VALUE, "color": INK},
    }  # fmt: skip


def width(word: str) -> float:
    """Width of the whole figure in pt, from the word or length of the config."""
    return venues.width(word)
