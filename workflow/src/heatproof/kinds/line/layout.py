"""All sizes of a line figure: panels, axes, and where points, names and answers lie. In pt."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from heatproof.charts import quantity, series, theme
from heatproof.charts.labels import APART, LINE, PAD, Labels
from heatproof.charts.lettering import broken, widest
from heatproof.charts.quantity import Quantity
from heatproof.charts.sheet import Sheet
from heatproof.kinds.heatmap import views_told

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heatproof.charts.series import Legend
    from heatproof.kinds.line.entry import Entry
    from heatproof.kinds.line.points import Points

    Row = dict[str, Any]

LEAST = (84.0, 108.0)
"""A panel is no narrower, in narrow figures and in others, but where the user says so."""
HIGH = 0.62
"""Height of a panel as a part of its width …"""
HEIGHTS = (84.0, 186.0)
"""… from and to."""
LIFT = 5.0
"""From a panel to the baseline of its title."""
GAP = 12.0
BESIDE = 11.0
"""From the last point of a line to its name."""
LARGEST_NAMES = 0.34
"""Part of the width that names beside the lines may take."""
NEAR = 8.0
"""A point answers so far from its middle."""
DODGE = 3.2
"""Between the bars of two lines at one place, at most."""


@dataclass(frozen=True)
class Layout:
    """Where all of a line figure lies."""

    width: float
    columns: int
    panel: tuple[int, int]
    left: float
    right: float
    gap: float
    x: Quantity | Labels
    """Numbers along x, or names."""
    y: Mapping[str, Quantity]
    """Label of a panel → its axis of y."""
    titles: tuple[Sequence[str], Sequence[str]]
    """Lines of the titles of x and y."""
    legend: Legend
    named: bool
    """Whether lines are named beside their ends."""
    head: float
    """Room for the title of the figure and the legend."""
    above: float
    dodge: Mapping[str, float]
    """Line → how far it stands to the right of its place, so that bars do not lie on each other."""
    rows: int
    id: bool
    """Whether the figure's id stands in its corner."""

    @property
    def below(self) -> float:
        """Room for labels and title of x."""
        high = self.x.height if isinstance(self.x, Labels) else theme.LABEL
        title = PAD + theme.LABEL + LINE * (len(self.titles[0]) - 1) if self.titles[0] else 0
        return quantity.TICK_SIZE + PAD + high + title

    @property
    def sheet(self) -> Sheet:
        return Sheet(
            width=self.width, left=self.left, above=self.above, below=self.below,
            height=self.panel[1], gap=self.gap, rows=self.rows, margin=0.0, head=self.head,
            named=self.id,
        )  # fmt: skip

    def place(self, row: Row) -> float:
        """How far to the right a point lies in its panel."""
        return self.column(row["at"]) + self.dodge[row["line"]]

    def column(self, at: float) -> float:
        """How far to the right a value of x lies."""
        if isinstance(self.x, Labels):
            return (at + 0.5) * self.x.step
        return self.x.place(at)


def layout(points: Points, entry: Entry) -> Layout:
    """The most panels in a row that have room; names beside the lines where they fit."""
    width = theme.width(entry.width)
    count, many = len(points.panels), [*points.called.values()]
    domains = _domains(points, entry)
    shared = entry.scale == "shared"
    log, limits = (
        entry.y_scale == "log",
        views_told.value_limits(entry.cells()),
    )
    rough = [quantity.upward(ends, HEIGHTS[0], log, limits) for ends in domains.values()]
    room = max(map(quantity.label_room, rough)) + APART
    title = views_told.value_title(entry)
    left = math.ceil(theme.LABEL + APART + room)
    gap = GAP if shared else GAP + room
    named = _named(points, entry, width)
    right = math.ceil(BESIDE + widest(many, theme.LABEL, bold=True) + 2) if named else 6
    least = LEAST[width >= theme.ROOMY]
    most = max(int((width - left - right + gap) // (least + gap)), 1)
    columns = min(entry.columns or most, count)
    columns = columns if entry.columns else math.ceil(count / math.ceil(count / columns))
    wide = int((width - left - right - (columns - 1) * gap) / columns)
    x = _along(points, entry, wide)
    if isinstance(x, Quantity) and x.overhang > right:
        right = math.ceil(x.overhang)
        wide = int((width - left - right - (columns - 1) * gap) / columns)
        x = _along(points, entry, wide)
    high = min(max(wide * HIGH, HEIGHTS[0]), HEIGHTS[1])
    high = round(max(high, len(many) * series.LINE) if named else high)
    legend = series.legend(many if not named and entry.legend is not False else [], width - left)
    above = LIFT + theme.TITLE + 1.5 if entry.panel else 3.0
    own = {k: quantity.upward(v, high, log, limits) for k, v in domains.items()}
    return Layout(
        width=width, columns=columns, panel=(wide, high), left=left, right=right, gap=gap,
        x=x, y=own,
        titles=(broken(points.names.x, wide, theme.LABEL) if points.names.x else [],
                broken(title, high + 14, theme.LABEL)),
        legend=legend, named=named,
        head=legend.height + (theme.line_height(theme.TITLE) + 3 if entry.title else 0.0),
        above=above, dodge=_dodge(points, x), rows=math.ceil(count / columns),
        id=entry.id,
    )  # fmt: skip


def _domains(points: Points, entry: Entry) -> dict[str, quantity.Domain]:
    """Label of a panel → ends of its axis of y."""
    log = entry.y_scale == "log"

    def ends(rows: Sequence[Row]) -> quantity.Domain:
        values = [row[key] for row in rows for key in ("value", "lower", "upper")]
        known = [value for value in values if value is not None and (value > 0 or not log)]
        return quantity.padded(known, log, entry.domain)

    shared = ends(points.rows)
    return {k: shared if entry.scale == "shared" else ends(v) for k, v in points.panels.items()}


def _named(points: Points, entry: Entry, width: float) -> bool:
    """Whether lines can be named beside their ends: one panel, all ends at its right, and room."""
    if entry.legend is not None or len(points.panels) > 1:
        return False
    last = max(row["at"] for row in points.rows)
    ends = {row["line"] for row in points.rows if row["at"] == last and not row["missing"]}
    if ends != {*points.styles}:
        return False
    fits = widest(points.called.values(), theme.LABEL, bold=True) + BESIDE <= LARGEST_NAMES * width
    return fits and len(points.styles) * series.LINE <= HEIGHTS[1]


def _along(points: Points, entry: Entry, wide: float) -> Quantity | Labels:
    """The axis of x as numbers or as names."""
    if not points.numeric:
        return Labels.of(tuple(points.x.values()), wide / len(points.x))
    log, values = entry.x_scale == "log", {float(value): name for value, name in points.x.items()}
    return quantity.at_values(quantity.padded([*values], log), wide, log, values)


def _dodge(points: Points, x: Quantity | Labels) -> dict[str, float]:
    """Bars stand beside each other where there is room between places."""
    names = [*points.styles]
    if not points.bars or len(names) == 1:
        return dict.fromkeys(names, 0.0)
    if isinstance(x, Labels):
        step = x.step
    else:
        places = sorted(map(x.place, map(float, points.x)))
        step = min((b - a for a, b in pairwise(places)), default=40.0)
    each = min(DODGE, 0.6 * step / len(names))
    return {name: round((n - (len(names) - 1) / 2) * each, 3) for n, name in enumerate(names)}


def answers(layout: Layout, rows: Sequence[Row], axis: Quantity) -> list[tuple[float, ...]]:
    """For each point of a panel the box that answers for it: left, top, width, height.

    Boxes of points at one place of x share its height, so that each is met; those without a value
    lie at the foot of the panel.
    """
    at = sorted({layout.column(row["at"]) for row in rows})
    half = min([NEAR, *((b - a) / 2 for a, b in pairwise(at))])
    columns: dict[float, list[int]] = {}
    for n, row in enumerate(rows):
        columns.setdefault(row["at"], []).append(n)
    boxes: dict[int, tuple[float, ...]] = {}
    for those in columns.values():
        tops = [_height(layout, rows[n], axis, k) for k, n in enumerate(those)]
        apart = series.spread_out(tops, 2.0, 0.0, float(layout.panel[1]))
        ranked = sorted(zip(apart, those, strict=True))
        edges = [ranked[0][0] - NEAR, *((a[0] + b[0]) / 2 for a, b in pairwise(ranked))]
        edges.append(ranked[-1][0] + NEAR)
        for (y, n), above, under in zip(ranked, edges, edges[1:], strict=False):
            top, foot = max(above, y - NEAR), min(under, y + NEAR)
            middle = layout.place(rows[n])
            boxes[n] = tuple(
                round(v, 2) for v in (middle - half, top, 2 * half, max(foot - top, 1.0))
            )
    return [boxes[n] for n in range(len(rows))]


FOOT = 4.0
"""Of the mark of a point without a value, above the axis."""


def _height(layout: Layout, row: Row, axis: Quantity, k: int) -> float:
    """How far down a point lies in its panel."""
    if row["missing"]:
        return layout.panel[1] - FOOT - 5.0 * (k % 3)
    return min(max(layout.panel[1] - axis.place(row["value"]), 0.0), float(layout.panel[1]))
