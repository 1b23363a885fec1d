"""Colour bars: charts of their own, so that their ends meet the cells and their ticks are ours."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from heatproof.charts import sheet, theme
from heatproof.charts.lettering import raised, widest, wrapped
from heatproof.util.lazy import altair as alt
from heatproof.util.numerals import TICK, even, show

if TYPE_CHECKING:
    from heatproof.charts.colour import Scale

WIDTH = 6.0
TICKS = 2.0
POINT = 3.0  # height of the point at an end beyond which values lie
GAP = 5.0  # from the cells to the bar
APART = 11.0  # least distance between two ticks
MOST = 6
LONGEST = 60.0  # a longer title takes several lines


@dataclass(frozen=True)
class Bar:
    """What a colour bar shows."""

    title: str
    scale: Scale
    counts: bool = False  # values are counts: there are no ticks between them
    below: bool = False  # some values lie below the low end, …
    above: bool = False  # … some above the high end: a point says so
    calm: bool = False  # its ends are as far apart as chance alone would put them
    drawn: bool = True  # false: it scales the colours, and no bar is shown

    def ticks(self, height: float) -> list[float]:
        """A few round values whose labels do not touch."""
        ticks: list[float] = []
        fewest = min(max(int(height / APART), 3), MOST)
        for limit in range(fewest, MOST + 1):
            ticks = self.scale.ticks(limit)
            if self.counts:
                ticks = [tick for tick in ticks if tick.is_integer()]
            ticks = self._thin_ticks(ticks, height)
            if len(ticks) > 1:  # one alone says nothing of the colours
                break
        return ticks

    def _thin_ticks(self, ticks: list[float], height: float) -> list[float]:
        """Every n-th tick, with the one that is marked; in a low bar maybe one alone."""
        places = [self.scale.place(tick) * height for tick in ticks]
        mark = self.scale.marked
        marked = mark in ticks
        for step in range(1, len(ticks)):
            if marked:
                first = ticks.index(mark) % step
            else:
                first = (len(ticks) - 1) % step // 2
            distances = [upper - lower for lower, upper in pairwise(places[first::step])]
            if min(distances, default=0.0) >= theme.LABEL:
                return ticks[first::step]
        if marked:
            return [mark]
        middle = len(ticks) // 2
        return ticks[middle : middle + 1]

    def format(self, height: float) -> str:
        """The d3 format of the labels: equal decimals on a linear axis."""
        largest = max(map(abs, self.scale.domain))
        if not 1e-3 <= largest < 1e4:
            return ".4~s" if largest > 1 else ".3~e"
        if self.scale.log:
            return TICK
        return even(self.ticks(height))

    @property
    def room(self) -> int:
        """Width from the bar's left edge to the end of its labels or title, for any height."""
        return math.ceil(max(self.labelled, widest(self.lines, theme.LABEL)))

    @cached_property
    def labelled(self) -> int:
        """Width from the bar's left edge to the end of its labels, for any height."""
        labels = []
        for count in (3, 4, 5, MOST):
            height = count * APART
            spec = self.format(height)
            labels += [show(tick, spec) for tick in self.ticks(height)]
        return math.ceil(WIDTH + TICKS + 2 + widest(labels, theme.LABEL))

    @property
    def hangs(self) -> float:
        """How far the title reaches to the left of the bar if it ends where the labels do."""
        return max(widest(self.lines, theme.LABEL) - self.labelled, 0.0)

    @property
    def lines(self) -> list[str]:
        return wrapped(raised(self.title), LONGEST, theme.LABEL)


def scale(colours: Scale) -> alt.Scale:
    """The scale of Vega that draws the colours of `Scale.drawn`."""
    domain, shades = list(colours.stops), list(colours.colours)
    return alt.Scale(domain=domain, range=shades, interpolate="rgb", clamp=True, type=colours.type)


def filled(base: alt.Chart, bar: Bar, column: str = "value", **edge: Any) -> alt.Chart:
    """Rectangles in the colours of a column."""
    colours = scale(bar.scale)
    fill = alt.Color(f"{column}:Q", scale=colours, legend=None, title=bar.title)
    layer: alt.Chart = base.mark_rect(aria=False, **edge).encode(fill)
    return layer


def chart(
    bar: Bar, height: float, room: float, lift: float, box: float, x: float = 0.0
) -> alt.LayerChart:
    """The bar as a chart, its left edge at x, its title `lift` pt above it.

    In the layout it takes `room` × `box` pt. A title that is wider than bar and labels ends with
    them, and begins left of the bar, if the labels have room.
    """
    low, high = bar.scale.domain
    upward = alt.Scale(
        domain=[low, high], range=[height, 0], nice=False, zero=False, type=bar.scale.type
    )
    axis = _axis(bar, x + WIDTH - room, height)
    y = alt.YDatum(low, axis=axis, scale=upward)
    stops = []
    for value, shade in zip(bar.scale.stops, bar.scale.colours, strict=True):
        place = round(bar.scale.place(value), 6)
        stops.append(alt.GradientStop(offset=place, color=shade))
    colours = alt.LinearGradient(gradient="linear", x1=0, y1=1, x2=0, y2=0, stops=stops)
    ends: dict[str, Any] = {"x": x, "x2": x + WIDTH, "aria": False}
    hairline: dict[str, Any] = {"stroke": "#000000", "strokeOpacity": 0.25, "strokeWidth": 0.5}
    shaded = sheet.single().mark_rect(fill=colours, **ends, **hairline)
    layers = [shaded.encode(y, alt.Y2Datum(high))]
    half, shades = WIDTH / 2, bar.scale.colours
    points = []
    if bar.below:
        points.append((height, POINT, shades[0]))
    if bar.above:
        points.append((0.0, -POINT, shades[-1]))
    for y_end, tip, shade in points:
        outline = f"M{-half},0L0,{tip}L{half},0Z"
        layers.append(sheet.shape(outline, x + half, y_end, fill=shade, **hairline))
    hangs = 0.0
    if room >= bar.labelled:
        hangs = bar.hangs
    if bar.title:
        title = sheet.title(bar.lines, x - hangs, lift, "left", theme.LABEL)
        layers.append(title)
    return alt.LayerChart(layer=layers, data=alt.NamedData(sheet.SINGLE), width=room, height=box)


def _axis(bar: Bar, offset: float, height: float) -> alt.Axis:
    form = bar.format(height)
    # As `numerals.show` writes numbers: with a long minus, and 0 without an exponent.
    label: dict[str, Any] = {}
    if form[-1] == "e":
        minus = f"replace(format(datum.value, '{form}'), 'e-', 'e−')"
        label["labelExpr"] = f"datum.value ? {minus} : '0'"
    return alt.Axis(
        orient="right", offset=offset, title=None, values=bar.ticks(height), format=form,
        ticks=True, tickRound=False, translate=0, tickSize=TICKS, labelPadding=2, aria=False,
        **label,
    )  # fmt: skip
