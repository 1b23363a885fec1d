"""The two axes of categories of a heatmap, with the room that their labels and titles need."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from heatproof import theme
from heatproof.labels import APART, LINE, PAD, Labels, thinned
from heatproof.lazy import altair as alt
from heatproof.lettering import widest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heatproof.layout import Layout


@dataclass(frozen=True)
class Axes:
    """Labels (left to right, bottom to top) and titles of the two axes."""

    x: Sequence[str]
    y: Sequence[str]
    titles: tuple[str, str]
    longest: float
    """A label of y is cut beyond."""
    lift: float
    """Where a title of y stands that does not stand beside the panel: on the line of titles."""

    @property
    def y_label(self) -> float:
        return min(widest(self.y, theme.LABEL), self.longest)

    def left(self, upright: bool) -> int:
        """Room for labels and title of y; the title turned, or `upright` above the labels."""
        title = widest(self.titles[1:], theme.LABEL)
        beside = self.y_label + (APART + theme.LABEL if title else 0)
        return math.ceil(PAD + (max(self.y_label, title) if upright else beside))

    def is_upright(self, height: float) -> bool:
        """Whether the title of y is too long to stand beside a panel of this height."""
        return widest(self.titles[1:], theme.LABEL) > height + 8

    def below(self, layout: Layout) -> float:
        """Room for labels and title of x."""
        high = Labels.of(tuple(self.x), layout.step[0]).height
        return PAD + high + (PAD + theme.LABEL if self.titles[0] else 0)

    def encode(self, layout: Layout, first: bool) -> list[Any]:
        """Both channels for one panel; only the `first` of a row carries labels of y."""
        (width, height), (wide, high) = layout.panel, layout.step
        x_axis = Labels.of(tuple(self.x), wide).axis(width)
        y_axis = self._y_axis(high, height) if first else None
        x_scale = _scale(self.x, layout.line / wide, (0, width))
        y_scale = _scale(self.y, layout.line / high, (height, 0))
        return [
            alt.X("x:N", title=self.titles[0], scale=x_scale, axis=x_axis),
            alt.Y("y:N", title=self.titles[1], scale=y_scale, axis=y_axis),
        ]

    def _y_axis(self, step: float, height: float) -> alt.Axis:
        upright = self.is_upright(height)
        beside: dict[str, Any] = {
            "titleAngle": -90,
            "titleX": -PAD - self.y_label - APART,
            "titleY": height / 2,
        }
        above: dict[str, Any] = {"titleAngle": 0, "titleX": -PAD, "titleY": -self.lift}
        return alt.Axis(
            values=thinned(self.y, LINE / step),
            labelLimit=self.y_label + 1,
            titleAlign="right" if upright else "center",
            titleBaseline="alphabetic",
            **(above if upright else beside),
        )


def _scale(labels: Sequence[str], inner: float, ends: Sequence[float]) -> alt.Scale:
    # align 0: else rounding puts the first band a hair outside, where Vega drops its label.
    return alt.Scale(
        type="band", domain=list(labels), range=list(ends),
        paddingInner=inner, paddingOuter=0, align=0,
    )  # fmt: skip
