"""The two axes of categories of a heatmap, with the room that their labels and titles need."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from heatproof.charts import theme
from heatproof.charts.labels import (
    APART,
    LINE,
    LINES,
    PAD,
    Labels,
    centred,
    is_cut,
    stacked,
    thinned,
    unprinted,
    worded,
)  # fmt: skip
from heatproof.charts.lettering import broken, widest, wrapped
from heatproof.kinds.heatmap import brackets, grouping
from heatproof.kinds.heatmap.brackets import Brackets
from heatproof.kinds.heatmap.layout import FEW, Layout, Slot, spans
from heatproof.util.lazy import altair as alt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heatproof.kinds.heatmap.grouping import Runs
    from heatproof.kinds.heatmap.outline import Span


CROWDED = theme.LABEL * 1.1
"""Least distance between two labels of y."""


Y_APART = 3.0
"""Least room between labels of y on several lines."""


Y_TITLE_OVER = 14.0
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
    least: float = 0.0
    """Room left of the cells that is needed in any case."""
    rows: Sequence[Sequence[str]] = ()
    """Lines of the names of rows of panels, turned, left of all else."""
    runs: tuple[Runs, Runs] = field(default_factory=lambda: ([], []))
    """Groups of x and of y."""
    grouped: tuple[float, float] = (0.0, 0.0)
    """Room for their brackets beyond the labels of x and of y."""
    blocks: Brackets = field(default_factory=Brackets)
    """Of nested axes the brackets of blocks, beyond those."""
    names_cut: dict[str, str] = field(default_factory=dict)
    """What is shown of names of panels that have no room → the whole of them."""

    @property
    def brackets(self) -> tuple[float, float]:
        """Room for all brackets beyond the labels of x and of y."""
        (x, y), (below, left) = self.grouped, self.blocks.rooms
        return x + below, y + left

    @cached_property
    def y_lines(self) -> dict[str, list[str]]:
        """Label of y → its lines: several only where cells are few, and can be made as high."""
        return stacked(self.y, self.longest, LINES if len(self.y) <= FEW else 1)

    @property
    def step(self) -> float:
        """From one row of cells to the next, at least, for labels of several lines."""
        most = max(map(len, self.y_lines.values()), default=1)
        return theme.LABEL + LINE * (most - 1) + Y_APART if most > 1 else 0.0

    @property
    def y_label(self) -> float:
        lines = [line for lines in self.y_lines.values() for line in lines]
        return widest([*lines, *self.also], theme.LABEL)

    @property
    def left(self) -> int:
        """Room for labels and title of y, and for names of rows."""
        return math.ceil(self.own + self.named)

    @property
    def own(self) -> float:
        """Room for labels and title of y."""
        above = min(widest(self.titles[1:], theme.LABEL), self.longest)
        if not self.beside:
            return max(PAD + max(self.y_label + self.brackets[1], above), self.least)
        title = self.brackets[1] + APART + theme.LABEL + LINE * (len(self.beside) - 1)
        return max(PAD + self.y_label + title, self.least)

    @property
    def named(self) -> float:
        """Room for the names of rows."""
        most = max(map(len, self.rows), default=0)
        return APART + most * theme.line_height(theme.TITLE) if most else 0.0

    def cut(self) -> list[str]:
        """The title of y, if it is longer than there is room for."""
        high = not self.beside and widest(self.titles[1:], theme.LABEL) > self.own
        return [*self.titles[1:]] if high else []

    def key(self, layout: Layout) -> dict[str, str]:
        """What is shown of labels that have no room → the whole of them."""
        beside = {lines[0]: one for one, lines in self.y_lines.items() if is_cut(lines, one)}
        return self.along(layout).cut | beside | self.names_cut

    def along(self, layout: Layout) -> Labels:
        """The labels below the cells."""
        return Labels.of(tuple(self.x), layout.step[0], self.left)

    def unprinted(self, layout: Layout) -> list[str]:
        """Names of rows and columns of cells that lie too near to each other."""
        beside = unprinted(self.y, self._printed(layout.step[1]))
        return [*unprinted(self.x, self.along(layout).printed), *beside]

    def _printed(self, step: float) -> list[str]:
        return thinned(self.y, CROWDED / step)

    def turned(self, height: float) -> list[str]:
        """Lines of the title of y beside a panel of this height; none if it is too long."""
        lines = broken(self.titles[1], height + Y_TITLE_OVER, theme.LABEL)
        fits = len(lines) <= 2 and widest(lines, theme.LABEL) <= height + Y_TITLE_OVER
        return lines if fits else []

    def below(self, layout: Layout) -> float:
        """Room for labels and title of x."""
        title = self._x_title(_x_span(layout))
        room = PAD + theme.LABEL + LINE * (len(title) - 1) if title else 0
        return self.labels_below(layout) + room

    def labels_below(self, layout: Layout) -> float:
        """Room for labels of x, and for brackets of groups."""
        return PAD + self.along(layout).height + self.brackets[0]

    def encode(self, layout: Layout, slot: Slot, reach: float) -> list[Any]:
        """Both channels for one panel; only the first of a row carries labels of y.

        Axes have their titles once, in the middle of all rows (`reach`) and columns.
        """
        (width, height), (wide, high) = layout.panel, layout.step
        span, along = _x_span(layout), reach if layout.rows > 1 else height
        titled = slot.first and slot.row == layout.rows - 1
        x_title = self._x_title(span) if titled else []
        x_axis = self._x_axis(layout, span, x_title) if slot.bottom else None
        y_axis = self._y_axis(layout, along, slot.top) if slot.first else None
        beside, over = layout.gaps
        x_scale = _scale(self.x, layout.line / wide, (0, width - beside))
        y_scale = _scale(self.y, layout.line / high, (height, over))
        return [
            alt.X("x:N", title=self.titles[0], scale=x_scale, axis=x_axis),
            alt.Y("y:N", title=self.titles[1], scale=y_scale, axis=y_axis),
        ]

    def _x_title(self, width: float) -> list[str]:
        return wrapped(self.titles[0], width + 8, theme.LABEL) if self.titles[0] else []

    def _x_axis(self, layout: Layout, span: float, title: Sequence[str]) -> alt.Axis:
        labels = self.along(layout)
        axis = labels.axis(span, title)
        if layout.needs.gaps[0]:
            axis.labelOffset = grouping.label_offset(self.x, layout.shifts(0))
        if self.brackets[0]:
            axis.titleY = PAD + labels.height + self.brackets[0] + PAD
        return axis

    def _y_axis(self, layout: Layout, height: float, titled: bool) -> alt.Axis:
        x = -PAD - self.y_label - self.brackets[1] - APART - LINE * (len(self.beside) - 1)
        lines = [LINE * (len(self.y_lines[label]) - 1) / 2 for label in self.y]
        up = [-shift - over for shift, over in zip(layout.shifts(1), lines, strict=True)]
        offset = grouping.label_offset(self.y, up)
        moved: dict[str, Any] = {"labelOffset": offset} if layout.needs.gaps[1] else {}
        beside: dict[str, Any] = {"titleAngle": -90, "titleX": x, "titleY": height / 2}
        above: dict[str, Any] = {"titleAngle": 0, "titleX": -PAD, "titleY": -self.lift}
        return alt.Axis(
            title=(list(self.beside) or self.titles[1]) if titled else None,
            values=self._printed(layout.step[1]),
            labelLimit=0,
            titleAlign="center" if self.beside else "right",
            titleBaseline="alphabetic",
            titleLimit=height + 2 * Y_TITLE_OVER if self.beside else self.own,
            titleLineHeight=LINE,
            **(beside if self.beside else above),
            **worded(self.y_lines),
            **(centred(self.y_lines) | moved),
        )

    def bracketed(self, layout: Layout) -> tuple[float, float]:
        """Room for the brackets of groups, whose labels have lines as long as their cells."""
        x, y = (
            grouping.room(grouping.words(runs, spans)) if runs else 0.0
            for runs, spans in zip(self.runs, _upward(layout), strict=True)
        )
        return x, y

    def brackets_of(self, layout: Layout, slot: Slot, reach: float) -> list[alt.Chart]:
        """The brackets of groups, where the labels of their axis stand, and once those of blocks.

        `reach`: from the top of the first panels to the bottom of the last.
        """
        (x, y), (across, upward) = self.runs, _upward(layout)
        high = layout.box[1] + PAD + self.along(layout).height
        found = grouping.below(x, across, high) if x and slot.bottom else []
        found += grouping.left(y, upward, PAD + self.y_label) if y and slot.first else []
        if not (slot.first and slot.top):
            return found
        low = reach + PAD + self.along(layout).height + self.grouped[0]
        return found + brackets.marks(self.blocks, low, PAD + self.y_label + self.grouped[1])


def _upward(layout: Layout) -> tuple[list[Span], list[Span]]:
    """Where each column begins and ends, and each row from the lowest, as `grouping` has them."""
    across, down = spans(layout)
    return across, [(-end, -start) for start, end in reversed(down)]


def _x_span(layout: Layout) -> float:
    """Width over which a title of x stands: all panels of a row have the same."""
    return layout.span if layout.columns > 1 else layout.panel[0]


def _scale(labels: Sequence[str], inner: float, ends: Sequence[float]) -> alt.Scale:
    # align 0: else rounding puts the first band a hair outside, where Vega drops its label.
    return alt.Scale(
        type="band", domain=list(labels), range=list(ends),
        paddingInner=inner, paddingOuter=0, align=0,
    )  # fmt: skip
