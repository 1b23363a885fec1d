"""All sizes of a scatter, in pt: panels, axes, names beside points, and where points answer."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from heatproof.charts import quantity, series, theme
from heatproof.charts.labels import APART, LINE, PAD
from heatproof.charts.lettering import broken
from heatproof.charts.sheet import Sheet
from heatproof.kinds.heatmap import views_told

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heatproof.charts.quantity import Quantity
    from heatproof.charts.series import Legend
    from heatproof.kinds.scatter.entry import Entry
    from heatproof.kinds.scatter.points import Points

    Row = dict[str, Any]

LEAST = (120.0, 150.0)
"""A panel is no narrower, in narrow figures and in others, but where the user says so."""
MOST = 330.0
"""Nor wider."""
HIGH = 0.72
"""Height of a panel as a part of its width …"""
HEIGHTS = (110.0, 230.0)
"""… from and to."""
LIFT = 5.0
"""From a panel to the baseline of its title."""
GAP = 12.0
NEAR = 7.0
"""A point answers so far from its middle."""
CLOSE = 3.0
"""Points that are nearer than this answer beside each other."""


@dataclass(frozen=True)
class Layout:
    """Where all of a scatter lies."""

    width: float
    columns: int
    panel: tuple[int, int]
    left: int
    x: Quantity
    y: Quantity
    titles: tuple[Sequence[str], Sequence[str]]
    """Lines of the titles of x and y."""
    legend: Legend
    head: float
    titled: bool
    rows: int
    id: bool

    @property
    def above(self) -> float:
        return LIFT + theme.TITLE + 1.5 if self.titled else 3.0

    @property
    def below(self) -> float:
        """Room for labels and title of x."""
        lines = LINE * (len(self.titles[0]) - 1)
        return quantity.TICK_SIZE + PAD + theme.LABEL + PAD + theme.LABEL + lines

    @property
    def sheet(self) -> Sheet:
        return Sheet(
            width=self.width, left=self.left, above=self.above, below=self.below,
            height=self.panel[1], gap=GAP, rows=self.rows, margin=0.0, head=self.head,
            named=self.id,
        )  # fmt: skip

    def place(self, row: Row) -> tuple[float, float]:
        """Where a point lies in its panel, as near as the axes reach."""
        wide, high = self.panel
        x, y = self.x.place(row["cost"]), high - self.y.place(row["value"])
        return min(max(x, 0.0), float(wide)), min(max(y, 0.0), float(high))

    def holds(self, row: Row) -> bool:
        """Whether a point lies on both axes."""
        return self.x.holds(row["cost"]) and self.y.holds(row["value"])


def layout(shown: Points, entry: Entry) -> Layout:
    """The most panels in a row that have room, all with the same axes."""
    width, count = theme.width(entry.width), len(shown.panels)
    log = entry.y_scale == "log"
    of_y = views_told.value_limits(entry.cells())
    up = _domain(shown.rows, ("value", "lower", "upper"), log, entry.domain)
    rough = quantity.upward(up, HEIGHTS[0], log, of_y)
    left = math.ceil(theme.LABEL + APART + quantity.label_room(rough) + APART)
    least, right = LEAST[width >= theme.ROOMY], 4
    most = max(int((width - left - right + GAP) // (least + GAP)), 1)
    columns = entry.columns or math.ceil(count / math.ceil(count / min(most, count)))
    columns = min(columns, count)
    wide = int(min((width - left - right - (columns - 1) * GAP) / columns, MOST))
    high = round(min(max(wide * HIGH, HEIGHTS[0]), HEIGHTS[1]))
    used = left + columns * wide + (columns - 1) * GAP + right
    over = _domain(
        shown.rows, ("cost", "left_end", "right_end"), entry.x_scale == "log", entry.x_domain
    )
    of_x = views_told.value_limits(entry.costs())
    legend = series.legend([*shown.styles], used - left)
    title = theme.line_height(theme.TITLE) + 3 if entry.title else 0.0
    y_title = views_told.value_title(entry)
    return Layout(
        width=used, columns=columns, panel=(wide, high), left=left,
        x=quantity.along(over, wide, entry.x_scale == "log", of_x),
        y=quantity.upward(up, high, log, of_y),
        titles=(broken(shown.x, wide, theme.LABEL), broken(y_title, high, theme.LABEL)),
        legend=legend, head=legend.height + title, titled=entry.panel is not None,
        rows=math.ceil(count / columns), id=entry.id,
    )  # fmt: skip


def _domain(
    rows: Sequence[Row], keys: Sequence[str], log: bool, ends: Sequence[float] | None
) -> quantity.Domain:
    known = [row[key] for row in rows for key in keys if row[key] is not None]
    return quantity.padded([one for one in known if one > 0 or not log], log, ends)


def answers(plan: Layout, rows: Sequence[Row]) -> list[tuple[float, ...]]:
    """The box of each point of a panel: left, top, width, height. None lies on another.

    Points on each other answer side by side.
    """
    middles: list[tuple[float, float]] = []
    for row in rows:
        x, y = plan.place(row)
        while any(max(abs(x - a), abs(y - b)) < CLOSE for a, b in middles):
            x += CLOSE
        middles.append((x, y))
    found: list[tuple[float, ...]] = []
    for n, (x, y) in enumerate(middles):
        far = (max(abs(x - a), abs(y - b)) for k, (a, b) in enumerate(middles) if k != n)
        half = math.floor(min([NEAR, *(one / 2 for one in far)]) * 100) / 100
        found.append((round(x - half, 2), round(y - half, 2), 2 * half, 2 * half))
    return found
