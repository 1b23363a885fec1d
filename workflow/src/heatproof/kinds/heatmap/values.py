"""How large values may be printed in the cells of a heatmap, and how near a frame may come."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof.charts import theme
from heatproof.charts.lettering import widest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heatproof.kinds.heatmap.layout import Layout
    from heatproof.kinds.heatmap.panels import Panel

SIZES = (8.0, 7.5, 7.0, 6.5, theme.SMALL)
AROUND = (2.2, 2.6)
"""Least room around a value inside its cell."""
INSET = (0.6, 1.3)
"""From the edge of a cell to the frame of the best: least and usual."""
SECOND = theme.line_height(theme.SMALL)
"""Height of a second line, for the uncertainty."""
OVER = 7.0
"""Least size of a value that stands over its error."""
APART = 2.0
"""Room for a frame around two lines."""
CAPITALS = 0.75
"""Height of digits as a part of their size."""


def has_errors(panels: Sequence[Panel]) -> bool:
    """Whether any cell has an uncertainty to print on a second line."""
    return any(row["spread"] for panel in panels for row in panel.rows)


def room(panels: Sequence[Panel], errors: bool, size: float | None = None) -> tuple[float, float]:
    """Room that values of this size need, with a second line if there are `errors`.

    By default the smallest size; over errors a larger one, so that the two differ at a glance.
    """
    size = size or (OVER if errors else theme.SMALL)
    rows = [row for panel in panels for row in panel.rows]
    label = widest({row["label"] for row in rows}, size, bold=True)
    spread = widest({row["spread"] for row in rows}, theme.SMALL) if errors else 0.0
    lines = size + (SECOND + APART if errors else 0.0)
    return max(label, spread) + AROUND[0], lines + AROUND[1]


def size(panels: Sequence[Panel], layout: Layout, errors: bool) -> float:
    """The largest size in which all values fit their cells."""
    least = OVER if errors else theme.SMALL
    for found in SIZES:
        wide, high = room(panels, errors, found)
        if found >= least and wide + 1.0 <= layout.cell[0] and high + 2.0 <= layout.cell[1]:
            return found
    return least


def inset(panels: Sequence[Panel], layout: Layout, value: float, errors: bool) -> float:
    """The usual inset where the value leaves room for it, else less."""
    if not value:
        return INSET[1] if min(layout.cell) >= 9 else INSET[0]
    (wide, high), (along, up) = room(panels, errors, value), AROUND
    beside, over = layout.cell[0] - (wide - along), layout.cell[1] - (high - up) * CAPITALS
    return min(max(min(beside, over) / 2 - 1.2, INSET[0]), INSET[1])
