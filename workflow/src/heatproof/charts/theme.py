"""How figures look: sizes, greys and the Vega-Lite config. Lengths are pt, 1 Vega px = 1 pt.

Sizes of type belong to the figure that is drawn: `theme.LABEL` is 6 within `using(Type(label=6))`,
and 7 elsewhere. So read them when you draw, and keep none.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.charts.typefaces import typeface
from heatproof.config import venues

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOMY = 4.5 * 72  # from this width on, a figure spans both columns of a page

INK = "#000000"
PAPER = "#ffffff"
QUIET = "#595959"
"""Grey text: 7 : 1 on white."""
LINE = "#8c8c8c"
"""Ticks and outlines: 3.4 : 1 on white."""
FAINT = "#f2f2f2"
"""Ground of a cell without a value; a dash stands on it, since palettes may have such a grey."""


def line_height(size: float) -> float:
    """Distance between two baselines."""
    return size * 1.25


class Sizes(NamedTuple):
    """Sizes of type, each an attribute of this module."""

    LABEL: float  # tick labels, axis titles, titles of colour bars
    LEADING: float  # between the baselines of two lines of labels
    HEAD: float  # the title of a figure
    TITLE: float  # the name of a panel
    SMALL: float  # notes, counts, errors: the smallest type there is
    VALUE: float  # numbers in marks, where there is room; never below `SMALL`
    VALUES: tuple[float, ...]  # of numbers in cells, from the largest: the first that fits


def _sizes(kind: venues.Type) -> Sizes:
    label, cell = kind.label or 7.0, kind.cell
    small = max(round(label * 6 / 7, 2), venues.SMALLEST)
    head, title = label + 1.5, label + 1.0
    steps = (1.0, 0.5, 0.0, -0.5, -1.0)
    cells = (cell,) if cell else tuple(max(label + step, small) for step in steps)
    return Sizes(label, line_height(label), head, title, small, cell or label, cells)


_USUAL = _sizes(venues.Type())
_type = ContextVar("_type", default=_USUAL)
if TYPE_CHECKING:
    LABEL: float
    LEADING: float
    HEAD: float
    TITLE: float
    SMALL: float
    VALUE: float
    VALUES: tuple[float, ...]
else:

    def __getattr__(name: str) -> Any:
        return getattr(_type.get(), name)


@contextmanager
def using(kind: venues.Type) -> Iterator[None]:
    """Measure and draw in these sizes of type."""
    before = _type.set(_sizes(kind))
    try:
        yield
    finally:
        _type.reset(before)


def config() -> dict[str, Any]:
    """The Vega-Lite config: one typeface, no grid, no frames."""
    stack, sizes = typeface().stack, _type.get()
    axis = {
        "domain": False, "grid": False, "ticks": False, "tickColor": LINE, "tickWidth": 0.6,
        "labelFont": stack, "labelFontSize": sizes.LABEL, "labelColor": INK, "labelPadding": 3,
        "labelOverlap": False, "labelFlush": False,
        "titleFont": stack, "titleFontSize": sizes.LABEL, "titleFontWeight": "normal",
        "titleColor": INK, "titlePadding": 3,
    }  # fmt: skip
    title = {
        "font": stack, "fontSize": sizes.TITLE, "fontWeight": "bold", "color": INK,
        "subtitleFont": stack, "subtitleFontSize": sizes.SMALL, "subtitleColor": QUIET,
        "subtitlePadding": 2, "baseline": "alphabetic", "lineHeight": line_height(sizes.TITLE),
    }  # fmt: skip
    return {
        "font": stack, "background": PAPER, "padding": 0, "view": {"stroke": None},
        "axis": axis, "title": title,
        "text": {"font": stack, "fontSize": sizes.VALUE, "color": INK},
    }  # fmt: skip
