"""The marks of a heatmap's cells.

Stamps are outlines in pt around the middle of a cell: Vega takes an SVG path for a point's shape
and draws it in pixels at `size=4`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heatproof.charts import theme
from heatproof.util.lazy import altair as alt

if TYPE_CHECKING:
    Size = tuple[float, float]


EDGE: dict[str, Any] = {"stroke": "#000000", "strokeOpacity": 0.14, "strokeWidth": 0.5}
"""Of cells: a hairline keeps the light ones apart from the paper."""


def cell_marks(base: alt.Chart, title: str, of: alt.Scale, **sides: Any) -> alt.Chart:
    """Filled cells."""
    fill = alt.Color("value:Q", scale=of, legend=None, title=title)
    shown = base.transform_filter("!datum.missing")
    layer: alt.Chart = shown.mark_rect(aria=False, **EDGE, **sides).encode(fill)
    return layer


def value_marks(base: alt.Chart, size: float, lift: float = 0.0) -> alt.Chart:
    """The value of each cell in the ink that reads best on it, the best one bold."""
    weight = alt.expr("datum.bold ? 'bold' : 'normal'")
    return _text(base, "label:N", size, 0.5 - lift, fontWeight=weight)


def spread_marks(base: alt.Chart, drop: float) -> alt.Chart:
    """The uncertainty of each cell, small, below its value."""
    return _text(base, "spread:N", theme.SMALL, drop)


def _text(base: alt.Chart, field: str, size: float, dy: float, **how: Any) -> alt.Chart:
    ink = alt.expr("datum.ink")
    mark = base.mark_text(fontSize=size, dy=dy, baseline="middle", color=ink, aria=False, **how)
    layer: alt.Chart = mark.encode(alt.Text(field))
    return layer


def frame_marks(base: alt.Chart, cell: Size, inset: float) -> alt.Chart:
    """A frame inside each cell that is framed, in its ink, `inset` from its edge."""
    path = rounded(cell[0] - 2 * inset, cell[1] - 2 * inset, min(1.5, min(cell) / 8))
    return _stamp(base, "framed", path, stroke=alt.expr("datum.ink"), strokeWidth=0.9)


def dot_marks(base: alt.Chart, cell: Size) -> alt.Chart:
    """A dot in the upper right corner of cells that are not distinguishable from the best."""
    radius = 0.85 if min(cell) >= 8 else min(cell) / 10
    path = disc(cell[0] / 2 - 2.4 * radius, 2.4 * radius - cell[1] / 2, radius)
    return _stamp(base, "dotted", path, fill=alt.expr("datum.ink"))


def middle_marks(base: alt.Chart, cell: Size) -> alt.Chart:
    """A dot in the middle of cells without digits that would be bold."""
    path = disc(0.0, 0.0, min(cell) / 8)
    return _stamp(base, "bold", path, fill=alt.expr("datum.ink"))


def corner_marks(base: alt.Chart, cell: Size) -> alt.Chart:
    """A filled lower left corner in cells that are incomplete."""
    side, (x, y) = min(4.0, 0.3 * min(cell)), (-cell[0] / 2, cell[1] / 2)
    path = f"M{x:.3f},{y:.3f}v{-side:.3f}l{side:.3f},{side:.3f}Z"
    return _stamp(base, "incomplete", path, fill=alt.expr("datum.ink"))


def hatch_marks(base: alt.Chart, cell: Size, **at: Any) -> alt.Chart:
    """Slanted lines in cells without data: no palette has them.

    `at`: where these are, if not on the axes of `base`.
    """
    path = hatching(*cell, 3.2 if min(cell) >= 8 else 2.2)
    ground: dict[str, Any] = {"fill": theme.FAINT, "stroke": theme.LINE, "strokeWidth": 0.5}
    return _stamp(base, "missing", path, **ground, **at)


def _stamp(base: alt.Chart, flag: str, path: str, **how: Any) -> alt.Chart:
    style: dict[str, Any] = {
        "fill": "transparent",
        "stroke": None,
        "opacity": 1,
        "aria": False,
        **how,
    }
    layer: alt.Chart = base.transform_filter(f"datum.{flag}").mark_point(
        shape=path, size=4, **style
    )
    return layer


def rounded(width: float, height: float, radius: float) -> str:
    """Path of a rounded rectangle around 0, 0."""
    wide, high, r = width - 2 * radius, height - 2 * radius, radius
    start = f"M{-wide / 2:.3f},{-height / 2:.3f}h{wide:.3f}"
    turns = (f"{r},{r}", f"{-r},{r}", f"{-r},{-r}", f"{r},{-r}")
    sides = (f"v{high:.3f}", f"h{-wide:.3f}", f"v{-high:.3f}", "Z")
    return start + "".join(f"a{r},{r},0,0,1,{t}{s}" for t, s in zip(turns, sides, strict=True))


def disc(x: float, y: float, radius: float) -> str:
    """Path of a disc around x, y."""
    r, across = radius, f"{2 * radius:.3f}"
    start = f"M{x - r:.3f},{y:.3f}"
    return f"{start}a{r},{r},0,1,1,{across},0a{r},{r},0,1,1,-{across},0Z"


def hatching(width: float, height: float, spacing: float) -> str:
    """Path of an outline around 0, 0 with slanted lines, all inside it."""
    x, y = width / 2, height / 2
    path, at = (
        f"M{-x:.3f},{-y:.3f}h{width:.3f}v{height:.3f}h{-width:.3f}v{-height:.3f}",
        spacing / 2,
    )
    while at < width + height:
        # The line x + y = at, counted from the upper left corner, clipped to the cell.
        low, high = min(at, height), min(at, width)
        path += f"M{at - low - x:.3f},{low - y:.3f}L{high - x:.3f},{at - high - y:.3f}"
        at += spacing * 2**0.5
    return path


STAMPS = {
    "missing": hatch_marks,
    "dotted": dot_marks,
    "incomplete": corner_marks,
}
"""Flag of a cell → the mark that shows it, where any cell has it."""
