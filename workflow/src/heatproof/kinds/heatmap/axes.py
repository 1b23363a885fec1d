"""The two axes of categories of a heatmap, with the room that their labels and titles need."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from heatproof.charts import theme
from heatproof.charts.labels import APART, LINE, PAD, Labels, thinned
from heatproof.charts.lettering import broken, widest, wrapped
from heatproof.util.lazy import altair as alt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heatproof.kinds.heatmap.layout import Layout

CROWDED = theme.LABEL * 1.1
"""Least distance between two labels of y."""
OVER = 14.0
"""A title of y may be so much longer than its panel: beside its ends there is nothing."""


@dataclass(frozen=True)
class Axes:
    """Labels (left to right, bottom to top) and titles of the two axes."""

    x: Sequence[str]
    y: Sequence[str]
    titles: tuple[str, str]
    longest: float
    """A label of y is cut beyond."""
    lift: float
    """Where a title of y stands that is not beside the panel: on the line of titles."""
    also: Sequence[str] = ()
    """What else stands beside the panel like a label of y."""
    beside: Sequence[str] = ()
    """Lines of the title of y beside the panel, turned; none if it stands above the labels."""

    @property
    def y_label(self) -> float:
        return min(widest([*self.y, *self.also], theme.LABEL), self.longest)

    @property
    def left(self) -> int:
        """Room for labels and title of y."""
        above = min(widest(self.titles[1:], theme.LABEL), self.longest)
        if not self.beside:
            return math.ceil(PAD + max(self.y_label, above))
        return math.ceil(PAD + self.y_label + APART + theme.LABEL + LINE * (len(self.beside) - 1))

    def cut(self, layout: Layout) -> list[str]:
        """Labels that are longer than there is room for, and the title of y if it is."""
        along = Labels.of(tuple(self.x), layout.step[0])
        found = [one for one in along.all if widest([one], theme.LABEL) > along.longest]
        found += [one for one in self.y if widest([one], theme.LABEL) > self.longest]
        high = not self.beside and widest(self.titles[1:], theme.LABEL) > self.left
        return [*found, *(self.titles[1:] if high else [])]

    def turned(self, height: float) -> list[str]:
        """Lines of the title of y beside a panel of this height; none if it is too long."""
        lines = broken(self.titles[1], height + OVER, theme.LABEL)
        fits = len(lines) <= 2 and widest(lines, theme.LABEL) <= height + OVER
        return lines if fits else []

    def below(self, layout: Layout) -> float:
        """Room for labels and title of x."""
        title = self._x_title(layout.panel[0])
        high = Labels.of(tuple(self.x), layout.step[0]).height
        return PAD + high + (PAD + theme.LABEL + LINE * (len(title) - 1) if title else 0)

    def encode(self, layout: Layout, first: bool) -> list[Any]:
        """Both channels for one panel; only the `first` of a row carries labels of y."""
        (width, height), (wide, high) = layout.panel, layout.step
        x_axis = Labels.of(tuple(self.x), wide).axis(width, self._x_title(width))
        y_axis = self._y_axis(high, height) if first else None
        x_scale = _scale(self.x, layout.line / wide, (0, width))
        y_scale = _scale(self.y, layout.line / high, (height, 0))
        return [
            alt.X("x:N", title=self.titles[0], scale=x_scale, axis=x_axis),
            alt.Y("y:N", title=self.titles[1], scale=y_scale, axis=y_axis),
        ]

    def _x_title(self, width: float) -> list[str]:
        return wrapped(self.titles[0], width + 8, theme.LABEL) if self.titles[0] else []

    def _y_axis(self, step: float, height: float) -> alt.Axis:
        x = -PAD - self.y_label - APART - LINE * (len(self.beside) - 1)
        beside: dict[str, Any] = {"titleAngle": -90, "titleX": x, "titleY": height / 2}
        above: dict[str, Any] = {"titleAngle": 0, "titleX": -PAD, "titleY": -self.lift}
        return alt.Axis(
            title=list(self.beside) or self.titles[1],
            values=thinned(self.y, CROWDED / step),
            labelLimit=self.y_label + 1,
            titleAlign="center" if self.beside else "right",
            titleBaseline="alphabetic",
            titleLimit=height + 2 * OVER if self.beside else self.left,
            titleLineHeight=LINE,
            **(beside if self.beside else above),
        )


def _scale(labels: Sequence[str], inner: float, ends: Sequence[float]) -> alt.Scale:
    # align 0: else rounding puts the first band a hair outside, where Vega drops its label.
    return alt.Scale(
        type="band", domain=list(labels), range=list(ends),
        paddingInner=inner, paddingOuter=0, align=0,
    )  # fmt: skip
