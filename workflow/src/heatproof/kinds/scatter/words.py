"""The words of a scatter: what its marks mean, and what is read out of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heatproof.kinds.heatmap import views_told
from heatproof.kinds.scatter.points import settings_title
from heatproof.metrics import metric
from heatproof.util.numerals import numbered

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heatproof.kinds.scatter.entry import Entry
    from heatproof.kinds.scatter.layout import Layout
    from heatproof.kinds.scatter.points import Points

    Row = dict[str, Any]


def meanings(shown: Points, entry: Entry, plan: Layout) -> list[str]:
    """What crosses, the stepped line and the three sorts of points mean, if they occur."""
    rows, fronted = shown.rows, entry.front != "none"
    drawn = any(row["lower"] is not None or row["left_end"] is not None for row in rows)
    said = dict.fromkeys(metric(word).told for word in (entry.encoding.x, entry.encoding.y))
    beyond = sum(not plan.holds(row) for row in rows)
    may = any(row["maybe"] and not row["front"] for row in rows)
    band = fronted and entry.uncertainty != "none"
    parts = {
        **{one: bool(one) for one in said},
        views_told.errors_meaning(rows, entry.uncertainty, "cross"): drawn,
        f"stepped: {front_words(shown, entry)}": fronted,
        "band: the same at the worse and the better ends of the 95 % intervals": band,
        "filled: on it": fronted,
        "white: beaten, but within the 95 % intervals": fronted and may,
        "pale: beaten beyond them": not all(row["maybe"] for row in rows),
        "incomplete runs among them": any(row["incomplete"] for row in rows),
        f"not shown: {numbered(len(shown.lost), 'setting')} without a value": shown.lost,
        f"beyond the ends of the axes: {numbered(beyond, 'point')}": beyond,
    }
    return [part for part, occurs in parts.items() if occurs]


def front_words(shown: Points, entry: Entry) -> str:
    """What the front is of."""
    y = views_told.value_title(entry)
    return f"front of the {entry.front} {shown.x} and the {entry.best} {y}"


def unnamed(count: int) -> list[str]:
    """A line on names that have no room; nothing if all have."""
    if not count:
        return []
    more = "a larger `width`, or a panel for each of their values, gives more"
    return [f"the names of {numbered(count, 'point')}, for which no place is free: {more}"]


def opening(shown: Points, entry: Entry) -> str:
    """What a scatter shows, in a sentence."""
    unit = " in percent" if entry.shows_percent else ""
    return (
        f"Scatter of {shown.names.value}{unit} over {shown.x}, "
        f"a point for each {settings_title(entry)}."
    )


def spoken(label: str, rows: Sequence[Row], entry: Entry) -> str:
    """A panel in words, point by point."""
    title = f"{label}: " if entry.panel else ""
    said = [
        f"{row['setting']}: {row['told']} at {row['cost_told']}{', on the front' * row['front']}"
        for row in rows
    ]
    return f"{title}{'; '.join(said) or 'no point'}."
