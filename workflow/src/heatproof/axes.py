"""Axes of categories: measured labels that are broken, thinned out or turned, never crammed."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from heatproof import theme
from heatproof.lazy import altair as alt
from heatproof.lettering import broken, widest

if TYPE_CHECKING:
    from heatproof.layout import Layout

PAD = 3.0
APART = 4.0
"""Least room between two labels along x."""
LINE = theme.line_height(theme.LABEL)
NARROW = 2.0
"""The same between labels on several lines."""
LINES = 3
"""Most lines of a label."""
LONGEST = 80.0
"""A turned label of x is cut beyond."""


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
        beside = {"titleAngle": -90, "titleX": -PAD - self.y_label - APART, "titleY": height / 2}
        above = {"titleAngle": 0, "titleX": -PAD, "titleY": -self.lift}
        return alt.Axis(
            values=thinned(self.y, LINE / step),
            labelLimit=self.y_label + 1,
            titleAlign="right" if upright else "center",
            titleBaseline="alphabetic",
            **(above if upright else beside),
        )


@dataclass(frozen=True)
class Labels:
    """Labels of x: on lines that fit their cells, or turned; numbers are thinned out instead."""

    all: Sequence[str]
    lines: dict[str, list[str]]
    """Label → its lines, if any label needs more than one."""
    turned: bool
    step: float

    @staticmethod
    @cache
    def of(labels: tuple[str, ...], step: float) -> Labels:
        """The labels for cells that are `step` pt apart."""
        room = step - APART
        if all(map(_is_number, labels)) or widest(labels, theme.LABEL) <= room:
            return Labels(labels, {}, turned=False, step=step)
        room = step - NARROW
        lines = {label: broken(label, room, theme.LABEL) for label in labels}
        fits = max(map(len, lines.values())) <= LINES
        fits = fits and all(widest(found, theme.LABEL) <= room for found in lines.values())
        return Labels(labels, lines if fits else {}, turned=not fits, step=step)

    @property
    def height(self) -> float:
        if self.turned:
            return min(widest(self.all, theme.LABEL), LONGEST)
        return theme.LABEL + LINE * (max(map(len, self.lines.values()), default=1) - 1)

    def axis(self, width: float) -> alt.Axis:
        """The axis below a panel of this width."""
        room = LINE if self.turned or self.lines else widest(self.all, theme.LABEL) + APART
        broken = f"({json.dumps(self.lines, ensure_ascii=False)})[datum.label]"
        return alt.Axis(
            values=thinned(self.all, room / self.step),
            labelAngle=-90 if self.turned else 0,
            labelAlign="right" if self.turned else "center",
            labelBaseline="middle" if self.turned else "top",
            labelLimit=LONGEST if self.turned else 0,
            titleX=width / 2,
            titleY=PAD + self.height + PAD,
            titleAlign="center",
            titleBaseline="top",
            titleLimit=width + 12,
            **({"labelExpr": broken, "labelLineHeight": LINE} if self.lines else {}),
        )


def thinned(labels: Sequence[str], crowding: float) -> list[str]:
    """Every n-th label, so many that they do not touch; `crowding`: room of a label in cells."""
    return list(labels[:: max(math.ceil(crowding - 1e-9), 1)])


def _scale(labels: Sequence[str], inner: float, ends: Sequence[float]) -> alt.Scale:
    # align 0: else rounding puts the first band a hair outside, where Vega drops its label.
    return alt.Scale(
        type="band", domain=list(labels), range=list(ends),
        paddingInner=inner, paddingOuter=0, align=0,
    )  # fmt: skip


def _is_number(label: str) -> bool:
    return label.lstrip("−-")[:1].isdigit()
