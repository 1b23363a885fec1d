"""Colour bars: a chart of its own, so that its ends meet the cells and its ticks are ours."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from heatproof.charts import sheet, theme
from heatproof.charts.colour import stops
from heatproof.charts.lettering import widest, wrapped
from heatproof.util.lazy import altair as alt
from heatproof.util.numerals import TICK, log_ticks, show, ticks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heatproof.charts.colour import Domain

WIDTH = 6.0
TICKS = 2.0
GAP = 5.0
"""From the cells to the bar."""
FEWEST = 48
"""Slices of a bar, at least."""
APART = 11.0
"""Least distance between two ticks."""
MOST = 6
LONGEST = 60.0
"""A longer title takes several lines."""


@dataclass(frozen=True)
class Bar:
    """What a colour bar shows. `title` says what the colours mean."""

    title: str
    domain: Domain
    colours: Sequence[str]
    log: bool = False
    whole: bool = False
    """Values are counts: there are no ticks between them."""
    single: str = ""
    """The format of the one value there is, when the domain was made up around it."""

    def ticks(self, height: float) -> list[float]:
        """A few round values, none nearer to the next than labels need."""
        if self.single:
            return [sum(self.domain) / 2]
        most = min(max(int(height / APART), 3), MOST)
        found = (log_ticks if self.log else ticks)(*self.domain, most)
        return self._apart([t for t in found if t.is_integer() or not self.whole], height)

    def _apart(self, found: list[float], height: float) -> list[float]:
        """Every so many of them, so that no label stands on another: in a low bar maybe one."""
        at = [math.log(tick) if self.log else tick for tick in found]
        low, high = (math.log(end) if self.log else end for end in self.domain)
        for step in range(1, len(found)):
            first = (len(found) - 1) % step // 2
            nearest = min(b - a for a, b in pairwise(at[first::step]))
            if nearest / (high - low) * height >= theme.LABEL:
                return found[first::step]
        return found[len(found) // 2 :][:1]

    @property
    def format(self) -> str:
        if self.single:
            return self.single
        largest = max(map(abs, self.domain))
        return ".4~s" if largest >= 1e4 else ".3~e" if largest < 1e-3 else TICK

    @property
    def room(self) -> int:
        """Width from the bar's left edge to the end of its labels or title, whatever its height."""
        values = [tick for height in (3, 4, 5, MOST) for tick in self.ticks(height * APART)]
        labels = widest((show(value, self.format) for value in values), theme.LABEL)
        return math.ceil(max(WIDTH + TICKS + 2 + labels, widest(self.lines, theme.LABEL)))

    @property
    def lines(self) -> list[str]:
        """The title on as many lines as it needs."""
        return wrapped(self.title, LONGEST, theme.LABEL)


def scale(domain: Domain, colours: Sequence[str], log: bool = False) -> alt.Scale:
    """A colour scale that draws exactly what `colour.drawn` computes."""
    return alt.Scale(
        type="log" if log else "linear",
        domain=stops(domain, len(colours), log),
        range=list(colours),
        interpolate="rgb",
        clamp=True,
    )


def chart(
    bar: Bar, data: str, height: float, room: float, lift: float, box: float, x: float = 0.0
) -> alt.LayerChart:
    """The bar as a chart of the data set `data`, left edge at x, title `lift` pt above it.

    It counts as `room` × `box` pt in the layout, however far its `height` and labels reach.
    """
    ends: dict[str, Any] = {"x": x, "x2": x + WIDTH}
    y = alt.Y("low:Q", axis=_axis(bar, x + WIDTH - room, height), scale=_along(bar, height))
    fill = alt.Color("middle:Q", scale=scale(bar.domain, bar.colours, bar.log), legend=None)
    steps = alt.Chart().mark_rect(aria=False, **ends).encode(y, fill, alt.Y2("high:Q"))
    hairline: dict[str, Any] = {"stroke": "#000000", "strokeOpacity": 0.25, "strokeWidth": 0.5}
    edge = sheet.one().mark_rect(y=0, y2=height, fill="transparent", aria=False, **ends, **hairline)
    title = sheet.title(bar.lines, x, lift, "left", theme.LABEL)
    layers, named = [steps, edge, title], alt.NamedData(data)
    return alt.LayerChart(layer=layers, data=named, width=room, height=box)


def _along(bar: Bar, height: float) -> alt.Scale:
    return alt.Scale(
        type="log" if bar.log else "linear",
        domain=list(bar.domain), range=[height, 0], nice=False, zero=False,
    )  # fmt: skip


def _axis(bar: Bar, offset: float, height: float) -> alt.Axis:
    # As `numerals.show` has it: a minus as long as others, and no exponent of 0.
    minus = f"replace(format(datum.value, '{bar.format}'), 'e-', 'e−')"
    shown: dict[str, Any] = (
        {"labelExpr": f"datum.value ? {minus} : '0'"} if bar.format[-1] == "e" else {}
    )
    return alt.Axis(
        orient="right",
        offset=offset,
        title=None,
        values=bar.ticks(height),
        format=bar.format,
        ticks=True,
        tickRound=False,
        translate=0,
        tickSize=TICKS,
        labelPadding=2,
        aria=False,
        **shown,
    )


def slices(bar: Bar, height: float) -> list[dict[str, Any]]:
    """The data of a bar: slices from low to high, about one for each pt.

    Each reaches under the next, lest the paper shows between them.
    """
    count = max(int(height), FEWEST)
    edges = stops(bar.domain, count + 1, bar.log)
    middles = stops(bar.domain, 2 * count + 1, bar.log)[1::2]
    ends = [*edges[2:], edges[-1]]
    return [
        {"low": low, "middle": middle, "high": high}
        for low, middle, high in zip(edges, middles, ends, strict=False)
    ]
