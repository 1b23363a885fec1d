"""Parts of a pairwise panel, to be summed: bins, empty bins, instances, parity."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from heatproof.charts import answers, bars, raster, sheet, theme
from heatproof.kinds.pairwise.bins import FACTS
from heatproof.util.lazy import altair as alt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heatproof.charts.bars import Bar
    from heatproof.kinds.pairwise.bins import Pair, Row

TICKS = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
LINES: list[dict[str, Any]] = [
    {"stroke": "#ffffff", "strokeWidth": 2.0},
    {"stroke": "#1a1a1a", "strokeWidth": 0.9, "strokeDash": [3.0, 2.2]},
]
USUAL = 250
"""Dots in a panel up to which they keep their size."""
FEW = 40
"""Bins along an axis up to which each is set off, and empty ones are dotted."""


ASKED = ("x0", "x1", "y0", "y1", "x_told", "y_told", "samples", "lead")
"""What is asked of a row by `answered`."""


def axes(names: tuple[str, str], title_x: float, side: float, fields: tuple[str, str]) -> list[Any]:
    """Channels of both axes, 0 to 1; titles are the models, that of y `title_x` pt to the left.

    All layers of a panel must have the same, or Vega-Lite merges them as it likes.
    """
    common: dict[str, Any] = {
        "values": TICKS, "format": ".1f", "ticks": True, "tickSize": 2.5, "labelPadding": 2,
        "labelOverlap": False, "titleAlign": "center", "tickRound": False, "translate": 0,
    }  # fmt: skip
    below: dict[str, Any] = {"titleX": side / 2, "titleY": 15.0, "titleBaseline": "top"}
    beside: dict[str, Any] = {"titleX": -title_x, "titleY": side / 2, "titleBaseline": "alphabetic"}
    beside |= {"titleAngle": -90}
    x_axis, y_axis = alt.Axis(**below, **common), alt.Axis(**beside, **common)
    x, y = (f"{field}:Q" for field in fields)
    return [
        alt.X(x, title=names[0], axis=x_axis, scale=_scale([0, side])),
        alt.Y(y, title=names[1], axis=y_axis, scale=_scale([side, 0])),
    ]


def _scale(ends: Sequence[float]) -> alt.Scale:
    return alt.Scale(domain=[0, 1], range=list(ends), nice=False, zero=False)


def frame(side: float) -> alt.Chart:
    """The outline of the panel, below everything."""
    layer: alt.Chart = sheet.one().mark_rect(
        x=0, x2=side, y=0, y2=side, fill="#ffffff", stroke=theme.LINE, strokeWidth=0.6, aria=False
    )
    return layer


def bins(base: alt.Chart, bar: Bar, edged: bool) -> alt.Chart:
    """The filled part of each bin that has instances."""
    fill = alt.Color(
        "value:Q", legend=None, title=bar.title, scale=bars.scale(bar.domain, bar.colours, bar.log)
    )
    edge: dict[str, Any] = (
        {"stroke": "#000000", "strokeOpacity": 0.25, "strokeWidth": 0.3} if edged else {}
    )
    shown = base.transform_filter("datum.samples > 0")
    layer: alt.Chart = shown.mark_rect(aria=False, **edge).encode(
        fill, alt.X2("right:Q"), alt.Y2("top:Q")
    )
    return layer


def answered(base: alt.Chart, pair: Pair) -> alt.Chart:
    """What a bin answers: where it lies, and the facts that the page tells of it."""
    names = {"x": pair.x, "y": pair.y}
    places = {f"{at}: {name}": f"datum.{at}_told" for at, name in names.items()}
    facts = dict(zip(FACTS, ("format(datum.samples, ',')", "datum.lead"), strict=True))
    over = base.encode(alt.X2("x1:Q"), alt.Y2("y1:Q"))
    return answers.layer(over, places, facts)


def image(rows: Sequence[Row], bar: Bar, side: float) -> alt.Chart:
    """The bins as one picture, where they are too many for rectangles."""
    layer: alt.Chart = sheet.one().mark_image(
        url=raster.url(rows, bar.domain, bar.colours, bar.log), smooth=False, aspect=False,
        x=0, y=0, width=side, height=side, align="left", baseline="top",
    )  # fmt: skip
    return layer


def nothing(base: alt.Chart) -> alt.Chart:
    """No mark, only the axes."""
    layer: alt.Chart = base.transform_filter("false").mark_point(aria=False)
    return layer


def empties(base: alt.Chart) -> alt.Chart:
    """A faint dot in the middle of each empty bin: nothing there, which is not zero."""
    empty = base.transform_filter("datum.samples == 0")
    layer: alt.Chart = empty.mark_circle(size=1.0, color="#b3b3b3", opacity=1, aria=False)
    return layer


def points(data: str, axes: Sequence[Any], count: int, side: float) -> alt.Chart:
    """A grey dot for each place with instances, its area by their number up to nine.

    `count` places there are: where they are many, dots are small.
    """
    area = side / 5 * min(1.0, math.sqrt(USUAL / count))
    scale = alt.Scale(domain=[0, 9], range=[0, area], clamp=True)
    look: dict[str, Any] = {
        "fill": "#c9c9c9",
        "stroke": "#3d3d3d",
        "strokeWidth": 0.08 * math.sqrt(area),
    }
    base = alt.Chart(alt.NamedData(data)).mark_circle(aria=False, opacity=1, **look)
    layer: alt.Chart = base.encode(*axes, alt.Size("n:Q", legend=None, scale=scale))
    return layer


def parity(side: float) -> list[alt.Chart]:
    """The diagonal where both models are equal: a dark dash that a white casing sets off."""
    ends: dict[str, float] = {"x": 0, "x2": side, "y": side, "y2": 0}
    line = sheet.one().encode(**{end: alt.value(at) for end, at in ends.items()})
    return [line.mark_rule(aria=False, **look) for look in LINES]
