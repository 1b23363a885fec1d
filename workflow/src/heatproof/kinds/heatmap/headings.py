"""Titles above the panels of a heatmap and verdicts below them, on the lines that fit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof.charts import theme
from heatproof.charts.lettering import broken, widest, wrapped

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heatproof.kinds.heatmap.layout import Layout
    from heatproof.kinds.heatmap.panels import Panel

NEAR = 6.0
"""Least room between two verdicts."""

LINES = 7
"""Most lines of a verdict."""


def verdicts(panels: Sequence[Panel], layout: Layout) -> dict[str, list[str]]:
    """Verdicts on lines as wide as a panel and its bar; none if any would be a column of words."""
    needs = layout.needs
    room = layout.box[0] + (needs.gap - NEAR if needs.shared else needs.bar)
    lines = {
        panel.name: [line for one in panel.verdict for line in broken(one, room, theme.SMALL)]
        for panel in panels
    }
    fits = all(len(found) <= LINES and widest(found, theme.SMALL) <= room + 1
               for found in lines.values())  # fmt: skip
    return lines if fits else {}


def titles(panels: Sequence[Panel], layout: Layout) -> dict[str, list[str]]:
    """Titles on one line if they all fit, else that of the figure above that of the panel."""
    room = _title_room(layout)
    joined = {panel.name: " | ".join(panel.title) for panel in panels}
    if widest(joined.values(), theme.TITLE, bold=True) <= room:
        return {name: [title] if title else [] for name, title in joined.items()}
    return {
        panel.name: [line for one in panel.title for line in wrapped(one, room, theme.TITLE, True)]
        for panel in panels
    }


def _title_room(layout: Layout) -> float:
    """Width of a title over one panel: in a shared scale it may reach over the gap."""
    return layout.panel[0] + (layout.needs.gap - 7.0 if layout.needs.shared else 2.0)
