"""The words of a line figure: what its marks mean, and what is read out of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heatproof.charts.wording import count
from heatproof.kinds.heatmap import views_told
from heatproof.kinds.heatmap.reasons import EMPTY
from heatproof.metrics import metric
from heatproof.util.numerals import numbered, show

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heatproof.kinds.line.entry import Entry
    from heatproof.kinds.line.layout import Layout
    from heatproof.kinds.line.points import Points

    Row = dict[str, Any]

READ_AT_MOST = 12
"""Points of a line that are read out one by one."""


def meanings(shown: Points, entry: Entry, plan: Layout) -> list[str]:
    """What bands, bars, hollow points and crosses mean, if they occur."""
    rows = shown.rows
    drawn = any(row["lower"] is not None for row in rows)
    what = metric(entry.encoding.y)
    lost = [row for row in rows if row["missing"]]
    beyond = sum(
        not plan.y[label].holds(row["value"])
        for label, those in shown.panels.items()
        for row in those
        if not row["missing"]
    )
    parts = {
        what.told: bool(what.join),
        views_told.errors_meaning(rows, entry.uncertainty, "bar" if shown.bars else "band"): drawn,
        "hollow: incomplete": count([r for r in rows if not r["missing"]], "incomplete"),
        f"×: {lost_words(lost)}": lost,
        f"beyond the ends of y: {numbered(beyond, 'point')}": beyond,
    }
    return [part for part, occurs in parts.items() if occurs]


def lost_words(lost: Sequence[Row]) -> str:
    """Why points have no value."""
    found = list(dict.fromkeys(row["gap"] for row in lost))
    if len(found) == 1:
        return str(found[0])
    if all(gap in EMPTY for gap in found):
        return ", or ".join(gap for gap in EMPTY if gap in found)
    return "no value, the table says why"


def opening(shown: Points, entry: Entry) -> str:
    """What a line figure shows, in a sentence."""
    unit = " in percent" if entry.shows_percent else ""
    names = shown.names
    return (
        f"Line chart of {names.value}{unit} over {names.x or entry.encoding.x}, "
        f"a line for each {names.y or entry.encoding.color}."
    )


def spoken(label: str, rows: Sequence[Row], shown: Points, entry: Entry) -> str:
    """A panel in words, line by line."""
    spec = shown.names.format
    parts = []
    for name in shown.styles:
        known = [row for row in rows if row["line"] == name and not row["missing"]]
        lost = sum(row["line"] == name and row["missing"] for row in rows)
        gaps = f", {lost} without a value" if lost and known else ""
        parts.append(f"{name}: {_line(known, spec)}{gaps}")
    title = f"{shown.names.of((label,))[0]}: " if entry.panel else ""
    return title + "; ".join(parts) + "."


def _line(known: Sequence[Row], spec: str) -> str:
    """The values of a line: all, or of many its ends and its highest."""
    if not known:
        return "no value"
    if len(known) <= READ_AT_MOST:
        return ", ".join(f"{show(row['value'], spec)} at {row['x']}" for row in known)
    top = max(known, key=lambda row: float(row["value"]))
    first, last = known[0], known[-1]
    ends = [f"{show(row['value'], spec)} at {row['x']}" for row in (first, last, top)]
    return f"from {ends[0]} to {ends[1]}, highest {ends[2]}"
