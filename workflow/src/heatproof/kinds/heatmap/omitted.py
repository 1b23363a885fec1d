"""What a heatmap was to show and has no room for: it is told where the figure is not looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof.charts.wording import names_cut
from heatproof.kinds.heatmap import values

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heatproof.kinds.heatmap.entry import Entry
    from heatproof.kinds.heatmap.panels import Panel
    from heatproof.kinds.heatmap.sizing import Plan


def omitted(panels: Sequence[Panel], plan: Plan, entry: Entry) -> list[str]:
    """A line each, with what would give room; nothing if all is there."""
    found = []
    if entry.text is None and not plan.value:
        found.append(
            f"the numbers in its cells, which are too small for them: {_wider(plan, entry)}"
            "`text: true` prints them all the same, `text: false` asks for none"
        )
    elif plan.value and values.has_errors(panels) and not plan.errors:
        found.append(
            f"the `uncertainty: {entry.uncertainty}` below its numbers, which the cells are too "
            f"small for: {_wider(plan, entry)}the tables have it"
        )
    return [*found, *names_cut(plan.axes.cut(plan.layout))]


def _wider(plan: Plan, entry: Entry) -> str:
    if entry.width == "single":
        return "`width: double` gives more room, "
    return "fewer `columns` give more room, " if plan.layout.columns > 1 else ""
