"""All sizes of a heatmap, measured and solved before anything is drawn."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from heatproof import bars, theme
from heatproof.axes import Axes
from heatproof.layout import Layout, Needs, solve
from heatproof.lettering import widest
from heatproof.sheet import Sheet

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heatproof.figures.heatmap import Entry
    from heatproof.panels import Names, Panel

MOST = 400
"""Panels with more cells are drawn without values, unless the user wants them."""
SIZES = (8.0, 7.5, 7.0, 6.5, theme.SMALL)
AROUND = (2.2, 2.6)
"""Least room around a value inside its cell."""
INSET = (0.6, 1.3)
"""From the edge of a cell to the frame of the best: least and usual."""
SECOND = theme.line_height(theme.SMALL)
"""Height of a second line, for the uncertainty."""
LIFT = 5.0
"""From the cells to the baseline of a panel's title."""
GAP = {"single": 8.0, "double": 12.0}
"""From the labels of one panel's bar to the cells of the next."""


@dataclass(frozen=True)
class Plan:
    """Sizes of a heatmap, for all its panels alike."""

    layout: Layout
    axes: Axes
    stacked: bool
    """Titles on two lines, as one is wider than a panel."""
    room: int
    """Width of a colour bar with its labels; 0 without any."""
    value: float
    """Size of the values in cells; 0 where there are none."""
    inset: float
    """From the edge of a cell to the frame of the best."""

    @property
    def above(self) -> float:
        """Room for the title of a panel."""
        return LIFT + theme.TITLE + 1.5 + (theme.line_height(theme.TITLE) if self.stacked else 0.0)

    @property
    def bar(self) -> float:
        """Height of a colour bar: that of a panel, or of all rows of them."""
        return self.sheet.reach if self.layout.needs.shared else self.sheet.height

    @property
    def sheet(self) -> Sheet:
        needs, layout = self.layout.needs, self.layout
        return Sheet(
            width=needs.width,
            left=layout.left,
            above=self.above,
            below=self.axes.below(layout),
            height=layout.panel[1],
            gap=needs.gap if needs.shared else bars.GAP,
            rows=layout.rows,
            margin=layout.left - needs.left,
        )


def plan(panels: Sequence[Panel], entry: Entry, names: Names) -> Plan:
    """As many panels in a row as leave room for the values; without values where none is left."""
    axes = _axes(panels[0], names, theme.width(entry.width))
    room = max((panel.bar.room for panel in panels if panel.bar), default=0)
    needs = _needs(panels, entry, axes, room)
    layout = solve(needs)
    if needs.cell and entry.text is None and not layout.fits:
        layout = solve(needs := replace(needs, cell=None))
    if axes.is_upright(layout.panel[1]):
        layout = solve(needs := replace(needs, left=axes.left(upright=True)))
    titles = [" | ".join(panel.title) for panel in panels]
    stacked = widest(titles, theme.TITLE, bold=True) > title_room(layout)
    value = _value_size(panels, layout) if needs.cell else 0.0
    inset = _inset(panels, layout, value)
    return Plan(layout, axes, stacked and len(panels[0].title) > 1, room, value, inset)


def _needs(panels: Sequence[Panel], entry: Entry, axes: Axes, room: int) -> Needs:
    shared = entry.scale == "shared" and len(panels) > 1
    gap = GAP[entry.width]
    auto = len(axes.x) * len(axes.y) <= MOST
    return Needs(
        width=theme.width(entry.width),
        panels=len(panels),
        shape=(len(axes.x), len(axes.y)),
        cell=_cell(panels) if (auto if entry.text is None else entry.text) else None,
        left=axes.left(upright=False),
        bar=room + (gap if shared else bars.GAP) if room else 0.0,
        shared=shared,
        title=min(
            widest((part for panel in panels for part in panel.title), theme.TITLE, True), 90
        ),
        gap=gap,
        columns=entry.columns,
    )


def _axes(panel: Panel, names: Names, width: float) -> Axes:
    x = list(dict.fromkeys(row["x"] for row in panel.rows))
    y = list(dict.fromkeys(row["y"] for row in panel.rows))
    return Axes(x, y, (names.x, names.y), longest=0.28 * width, lift=LIFT)


def _cell(panels: Sequence[Panel], size: float = theme.SMALL) -> tuple[float, float]:
    """Room that values of this size need, with the second line if there is one."""
    rows = [row for panel in panels for row in panel.rows]
    label = widest({row["label"] for row in rows}, size, bold=True)
    spread = widest({row["spread"] for row in rows}, theme.SMALL)
    lines = size + (SECOND if spread else 0.0)
    return max(label, spread) + AROUND[0], lines + AROUND[1]


def _value_size(panels: Sequence[Panel], layout: Layout) -> float:
    """The largest size in which all values fit their cells."""
    for size in SIZES:
        wide, high = _cell(panels, size)
        if wide + 1.6 <= layout.cell[0] and high + 2.0 <= layout.cell[1]:
            return size
    return theme.SMALL


def _inset(panels: Sequence[Panel], layout: Layout, value: float) -> float:
    """The usual inset where the value leaves room for it, else less."""
    spare = layout.cell[0] - _cell(panels, value)[0] + AROUND[0] if value else 0.0
    return min(max(spare / 2 - 1.2, INSET[0]), INSET[1])


def title_room(layout: Layout) -> float:
    """Width of a title over one panel: in a shared scale it may reach over the gap."""
    return layout.panel[0] + (layout.needs.gap - 7.0 if layout.needs.shared else 2.0)
