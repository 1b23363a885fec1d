"""Parts of a pairwise panel, to be summed: bins, empty bins, instances, parity."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heatproof import marks, raster, sheet, theme
from heatproof.lazy import altair as alt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heatproof.bars import Bar
    from heatproof.bins import Row

TICKS = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
LINES: list[dict[str, Any]] = [
    {"stroke": "#ffffff", "strokeWidth": 2.0},
    {"stroke": "#1a1a1a", "strokeWidth": 0.9, "strokeDash": [3.0, 2.2]},
]
FEW = 40
"""Bins along an axis up to which each is set off, and empty ones are dotted."""


def axes(names: tuple[str, str], title_x: float, side: float) -> list[Any]:
    """Both axes from 0 to 1; titles are the models, that of y `title_x` pt left of the panel."""
    common = {"values": TICKS, "format": ".1f", "ticks": True, "tickSize": 2.5, "labelPadding": 2}
    common |= {"labelOverlap": False}
    centred = {"titleAlign": "center", "tickRound": False, "translate": 0}
    x = alt.Axis(titleX=side / 2, titleY=15.0, titleBaseline="top", **common, **centred)
    y = alt.Axis(
        titleAngle=-90, titleX=-title_x, titleY=side / 2, titleBaseline="alphabetic",
        **common, **centred,
    )  # fmt: skip
    return [
        alt.X("left:Q", title=names[0], axis=x, scale=_scale([0, side])),
        alt.Y("bottom:Q", title=names[1], axis=y, scale=_scale([side, 0])),
    ]


def _scale(ends: Sequence[float]) -> alt.Scale:
    return alt.Scale(domain=[0, 1], range=list(ends), nice=False, zero=False)


def frame(side: float) -> alt.Chart:
    """The outline of the panel, below everything."""
    return sheet.one().mark_rect(
        x=0, x2=side, y=0, y2=side, fill="#ffffff", stroke=theme.LINE, strokeWidth=0.6, aria=False
    )


def bins(base: alt.Chart, bar: Bar, edged: bool) -> alt.Chart:
    """The filled part of each bin that has instances."""
    fill = alt.Color(
        "value:Q", legend=None, title=bar.title, scale=marks.scale(bar.domain, bar.colours, bar.log)
    )
    edge = {"stroke": "#000000", "strokeOpacity": 0.25, "strokeWidth": 0.3} if edged else {}
    shown = base.transform_filter("datum.samples > 0")
    tooltip = [alt.Tooltip("samples:Q", title="instances"), alt.Tooltip("difference:Q", format=".3f")]
    return shown.mark_rect(**edge).encode(fill, x2="right:Q", y2="top:Q", tooltip=tooltip)


def image(rows: Sequence[Row], bar: Bar, side: float) -> alt.Chart:
    """The bins as one picture, where they are too many for rectangles."""
    return sheet.one().mark_image(
        url=raster.url(rows, bar.domain, bar.colours, bar.log), smooth=False, aspect=False,
        x=0, y=0, width=side, height=side, align="left", baseline="top",
    )  # fmt: skip


def nothing(base: alt.Chart) -> alt.Chart:
    """No mark, only the axes."""
    return base.transform_filter("false").mark_point(aria=False)


def empties(base: alt.Chart) -> alt.Chart:
    """A faint dot in the middle of each empty bin: nothing there, which is not zero."""
    empty = base.transform_filter("datum.samples == 0")
    return empty.mark_circle(size=1.0, color="#b3b3b3", opacity=1, aria=False)


def points(data: str, side: float) -> alt.Chart:
    """A grey dot for each place with instances, its area by their number up to nine."""
    size = alt.Size("n:Q", legend=None, scale=alt.Scale(domain=[0, 9], range=[0, side / 5]))
    look = {"fill": "#c9c9c9", "stroke": "#3d3d3d", "strokeWidth": 0.35, "opacity": 1}
    base = alt.Chart(alt.NamedData(data)).mark_circle(aria=False, **look)
    return base.encode(x="x:Q", y="y:Q", size=size)


def parity(side: float) -> list[alt.Chart]:
    """The diagonal where both models are equal: a dark dash that a white casing sets off."""
    ends = {"x": 0, "x2": side, "y": side, "y2": 0}
    line = sheet.one().encode(**{end: alt.value(at) for end, at in ends.items()})
    return [line.mark_rule(aria=False, **look) for look in LINES]
