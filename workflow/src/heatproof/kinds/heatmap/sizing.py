"""All sizes of a heatmap, measured and solved before anything is drawn."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from heatproof.charts import bars, theme
from heatproof.charts.lettering import widest
from heatproof.charts.sheet import Sheet
from heatproof.kinds.heatmap import headings, values
from heatproof.kinds.heatmap.axes import Axes
from heatproof.kinds.heatmap.layout import Layout, Needs, solve

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heatproof.kinds.heatmap.entry import Entry
    from heatproof.kinds.heatmap.panels import Names, Panel

MOST = 400
"""Panels with more cells are drawn without values, unless the user wants them."""
LIFT = 5.0
"""From the cells to the baseline of a panel's title."""
MEAN = "mean"
"""What marginal rows and columns are called."""
APART = 3.0
"""From the title of x to the verdict."""
GAP = {"single": 8.0, "double": 12.0}
"""From the labels of one panel's bar to the cells of the next."""


@dataclass(frozen=True)
class Plan:
    """Sizes of a heatmap, for all its panels alike."""

    layout: Layout
    axes: Axes
    titles: dict[str, list[str]]
    """Name of a panel → lines of its title."""
    above: float
    """Room for these and for the titles of bars."""
    room: int
    """Width of a colour bar with its labels; 0 without any."""
    value: float
    """Size of the values in cells; 0 where there are none."""
    errors: bool
    """Whether their uncertainty stands below them."""
    inset: float
    """From the edge of a cell to the frame of the best."""
    verdicts: dict[str, list[str]]
    """Name of a panel → lines below it; empty where there is no room for them."""

    @property
    def bar(self) -> float:
        """Height of a colour bar: that of a panel, or of all rows of them."""
        return self.sheet.reach if self.layout.needs.shared else self.sheet.height

    @property
    def verdict(self) -> float:
        """Room for the verdicts below the labels of x."""
        most = max(map(len, self.verdicts.values()), default=0)
        return APART + most * theme.line_height(theme.SMALL) if most else 0.0

    @property
    def sheet(self) -> Sheet:
        needs, layout = self.layout.needs, self.layout
        return Sheet(
            width=needs.width,
            left=layout.left,
            above=self.above,
            below=self.axes.below(layout) + self.verdict,
            height=layout.box[1],
            gap=needs.gap if needs.shared else bars.GAP,
            rows=layout.rows,
            margin=layout.left - needs.left,
        )


def plan(panels: Sequence[Panel], entry: Entry, names: Names) -> Plan:
    """As many panels in a row as leave room for the values; without values where none is left."""
    shown = [panel.bar for panel in panels if panel.bar]
    room = max((bar.room for bar in shown), default=0)
    axes = _axes(panels[0], names, theme.width(entry.width), entry.margins)
    errors = values.has_errors(panels)
    layout, errors = _filled(_needs(panels, entry, axes, room, errors), panels, entry, errors)
    axes = replace(axes, beside=axes.turned(layout.panel[1]))
    layout, errors = _filled(replace(layout.needs, left=axes.left), panels, entry, errors)
    needs = layout.needs
    titles = headings.titles(panels, layout)
    most = max(len(lines) for lines in [*titles.values(), *(bar.lines for bar in shown)])
    above = LIFT + theme.TITLE + 1.5 + theme.line_height(theme.TITLE) * max(most - 1, 0)
    errors = errors and needs.cell is not None
    value = values.size(panels, layout, errors) if needs.cell else 0.0
    inset, said = values.inset(panels, layout, value, errors), headings.verdicts(panels, layout)
    return Plan(layout, axes, titles, above, room, value, errors, inset, said)


def _filled(
    needs: Needs, panels: Sequence[Panel], entry: Entry, errors: bool
) -> tuple[Layout, bool]:
    """The layout with as much in the cells as there is room for, and whether `errors` are."""
    layout = solve(needs)
    if errors and needs.cell and not layout.fits:
        errors, needs = False, replace(needs, cell=values.room(panels, errors=False))
        layout = solve(needs)
    if needs.cell and entry.text is None and not layout.fits:
        layout = solve(replace(needs, cell=None))
    return layout, errors


def _needs(panels: Sequence[Panel], entry: Entry, axes: Axes, room: int, errors: bool) -> Needs:
    shared = entry.scale == "shared" and len(panels) > 1
    gap = GAP[entry.width]
    auto = len(axes.x) * len(axes.y) <= MOST
    return Needs(
        width=theme.width(entry.width),
        panels=len(panels),
        shape=(len(axes.x), len(axes.y)),
        cell=values.room(panels, errors) if (auto if entry.text is None else entry.text) else None,
        left=axes.left,
        bar=room + (gap if shared else bars.GAP) if room else 0.0,
        shared=shared,
        title=min(
            widest((part for panel in panels for part in panel.title), theme.TITLE, True), 90
        ),
        gap=gap,
        columns=entry.columns,
        margins=entry.margins,
    )


def _axes(panel: Panel, names: Names, width: float, margins: bool) -> Axes:
    x = list(dict.fromkeys(row["x"] for row in panel.rows))
    y = list(dict.fromkeys(row["y"] for row in panel.rows))
    also = [MEAN] if margins else []
    titles = names.x, names.y
    return Axes(x, y, titles, longest=0.28 * width, lift=LIFT, also=also, beside=[names.y])
