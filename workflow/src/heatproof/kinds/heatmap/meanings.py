"""What the marks of a heatmap mean, as far as they occur."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof.charts.footer import LIKE
from heatproof.charts.wording import count
from heatproof.kinds.heatmap import among
from heatproof.kinds.heatmap.gaps import EMPTY
from heatproof.metrics import metric

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heatproof.kinds.heatmap.cells import Row
    from heatproof.kinds.heatmap.entry import Entry
    from heatproof.kinds.heatmap.panels import Panel

ERRORS = {"se": "±: standard error over problems", "interval": "range: 95 % interval"}
EQUAL = ", on equal problems"
"""Where cells lack problems of each other, the best is that of the problems that they share."""
NO_ROOM = "uncertainty: no room in the cells, see the table"
COUNTED = {
    "se": "±: standard error over problems × samples, from counts alone",
    "interval": "range: 95 % interval, Wilson over problems × samples",
}
"""The same where it is made up which problems were solved."""


def occurring(panels: Sequence[Panel], entry: Entry, errors: bool = True) -> list[str]:
    """What frames, dots, second lines, hatches and corners mean, if they occur.

    `errors`: there is room for the second lines; else the words say so.
    """
    rows = [row for panel in panels for row in panel.rows]
    shown, end, told = entry.uncertainty, entry.end, among.words(rows, entry)
    beyond = _beyond(panels)
    lost = [row for row in rows if row["missing"] and row["incomplete"]]
    what = metric(entry.encoding.color)
    parts = {
        f"{what.said}; no uncertainty is told": what.join,
        f"framed: {end}{told.each}{EQUAL * told.equal}": count(rows, "framed"),
        **dict.fromkeys(_crowds(panels, entry), True),
        _dots(rows, f"{end}{told.its}"): count(rows, "tied"),
        _errors(rows, shown) if errors else NO_ROOM: any(row["spread"] for row in rows),
        f"hatched: {_empty(rows)}": count(rows, "missing") > len(lost),
        f"hatched, filled corner: {_gap(lost)}": lost,
        "filled corner: incomplete": count(rows, "incomplete") > len(lost),
        f"beyond the colour bar, drawn as its ends: {beyond}": beyond,
    }
    return [part for part, occurs in parts.items() if occurs]


def _empty(rows: Sequence[Row]) -> str:
    """Why cells have no records."""
    found = {row["gap"] for row in rows if row["missing"] and not row["incomplete"]}
    return ", or ".join(gap for gap in EMPTY if gap in found)


def _gap(lost: Sequence[Row]) -> str:
    """Why cells with records have no value, if all for one reason."""
    found = {row["gap"] for row in lost}
    return found.pop() if len(found) == 1 else "incomplete: no value, the table says why"


def _beyond(panels: Sequence[Panel]) -> int:
    """Values that a domain of the user's leaves out; they are drawn as its ends."""
    return sum(
        not panel.bar.domain[0] <= row["value"] <= panel.bar.domain[1]
        for panel in panels
        if panel.bar
        for row in panel.rows
        if not row["missing"]
    )


def _dots(rows: Sequence[Row], end: str) -> str:
    others = [row for row in rows if not (row["framed"] or row["missing"])]
    every = " (here every cell)" if count(others, "tied") == len(others) else ""
    return f"dot: not distinguishable from the {end}{LIKE}{every}"


def _errors(rows: Sequence[Row], shown: str) -> str:
    if any(row["counted"] for row in rows):
        return COUNTED.get(shown, "")
    return ERRORS.get(shown, "") + LIKE


def _crowds(panels: Sequence[Panel], entry: Entry) -> list[str]:
    """Panels in which so many cells share the best value that frames would say nothing."""
    found = [panel for panel in panels if panel.unframed]
    best, end = entry.best, "best" if entry.end == "lowest" else entry.end
    if len(found) > 2:
        most = max(panel.unframed for panel in found)
        return [f"{end}: up to {most:,} cells of a panel share the {best} value, not framed"]
    where = {panel.name: f" in {panel.title[-1]}" if len(panels) > 1 else "" for panel in found}
    return [
        f"{end}{where[panel.name]}: {panel.unframed:,} cells share the {best} value, not framed"
        for panel in found
    ]
