"""The ruler below a panel: the spread of its values beside what equal settings would show.

A hairline from 0 to the end of the scale, which is one for all panels of a figure; on it a grey box
up to the 95 % of the spread of equal settings, its median as a white tick with a dark one above,
and a mark at the spread seen, filled if that is more than chance. Lengths are pt.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from heatproof.charts import sheet, theme
from heatproof.charts.labels import PAD
from heatproof.charts.lettering import widest
from heatproof.util.numerals import TICK, show

if TYPE_CHECKING:
    from collections.abc import Sequence

    import altair as alt

    from heatproof.kinds.heatmap.verdict import Spread

ROOM = 17.0
"""Below what hangs under the cells: the ruler's height with what keeps it apart."""
MIDDLE = 11.5
"""From there to its hairline."""
NAME = "spread"
"""What stands left of the first ruler of the last row; beside others the title of y may stand."""
BOX, HALF = "#d0d0d0", 2.4
HAIR = "#bbbbbb"
DIAMOND = 3.0
"""From the middle of the mark to its corners."""
APART = 4.0
"""From a ruler to its number, and from that to what is next."""
SHORTEST = 16.0
"""A ruler that is shorter shows nothing, and is drawn only where the user asks for it."""
STEPS = (1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)
"""Ends of scales, times a power of ten."""


def left_room() -> float:
    """Room left of the cells for the name of the first ruler."""
    return PAD + DIAMOND + widest([NAME], theme.SMALL)


def scale_end(spreads: Sequence[Spread], whole: float | None) -> float:
    """Where the scale of all rulers ends: at `whole`, the largest spread that there can be.

    Without one at a round number that is no smaller than any of them.
    """
    most = max(max(one.seen, one.high) for one in spreads)
    if whole is not None and most <= whole * (1 + 1e-9):
        return whole
    power = 10.0 ** math.floor(math.log10(most)) if most > 0 else 1.0
    return next(step * power for step in STEPS if step * power >= most * (1 - 1e-9))


def end_words(end: float) -> str:
    """The end of a scale as printed."""
    return show(end, ".3~s" if end >= 1e4 or end < 1e-3 else TICK)


def length(spreads: Sequence[Spread], width: float, beside: float) -> float:
    """Of the rulers below panels of a width, with so much room `beside` them for the number.

    As wide as the panel, unless the number would stand in the way of the next ruler.
    """
    number = 2 * APART + widest((one.label for one in spreads), theme.SMALL)
    return width - max(number - beside, 0.0)


def marks(spread: Spread, end: float, wide: float, top: float, first: bool) -> list[alt.Chart]:
    """The ruler of a panel. `end`: of its scale; `wide`: its length; `first`: it is named."""
    y = top + MIDDLE
    high, middle, seen = (
        round(wide * value / end, 3) for value in (spread.high, spread.median, spread.seen)
    )
    found = [
        _box(0.0, wide, y - 0.3, y + 0.3, HAIR),
        _box(0.0, high, y - HALF, y + HALF, BOX),
        _box(middle - 0.5, middle + 0.5, y - HALF, y + HALF, theme.PAPER),
        _box(middle - 0.4, middle + 0.4, y - HALF - 2.2, y - HALF, theme.LINE),
        _diamond(seen, y, spread.beyond),
        _text(spread.label, wide + APART, y, align="left"),
    ]
    return [*found, _text(NAME, -PAD - DIAMOND, y, align="right")] if first else found


def _box(x: float, x2: float, y: float, y2: float, colour: str) -> alt.Chart:
    ends: dict[str, Any] = {"x": x, "x2": x2, "y": y, "y2": y2}
    layer: alt.Chart = sheet.one().mark_rect(fill=colour, stroke=None, aria=False, **ends)
    return layer


def _diamond(x: float, y: float, filled: bool) -> alt.Chart:
    d, fill = DIAMOND, theme.INK if filled else theme.PAPER
    path = f"M0,{-d}L{d},0L0,{d}L{-d},0Z"
    return sheet.shape(path, x, y, stroke=theme.INK, strokeWidth=0.8, fill=fill)


def _text(text: str, x: float, y: float, **how: Any) -> alt.Chart:
    layer: alt.Chart = sheet.one().mark_text(
        text=text, x=x, y=y + 0.3, baseline="middle", fontSize=theme.SMALL, color=theme.QUIET, **how
    )
    return layer
