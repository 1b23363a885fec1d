"""The words of a forest: what its marks mean, and what is read out of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heatproof.charts import wording
from heatproof.charts.sheet import LIKE
from heatproof.charts.wording import count
from heatproof.kinds.heatmap import reasons, views_told
from heatproof.kinds.heatmap.reasons import NOTHING
from heatproof.metrics import metric
from heatproof.util.numerals import numbered

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heatproof.kinds.forest.entry import Entry
    from heatproof.kinds.forest.layout import Layout
    from heatproof.kinds.forest.rows import Rows

    Row = dict[str, Any]


def settings_title(entry: Entry) -> str:
    """What the rows are called."""
    title = wording.column(entry.encoding.y, entry.labels) or entry.encoding.y
    detail = entry.encoding.detail
    return f"{title} · {wording.column(detail, entry.labels)}" if detail else title


def meanings(shown: Rows, entry: Entry, plan: Layout) -> list[str]:
    """What lines, bold, grey and hollow points mean, if they occur."""
    found, heat = shown.all, entry.cells()
    told = reasons.among_words([{**row, "panel": (row["panel"],)} for row in found], heat)
    drawn = any(row["lower"] is not None for row in found)
    what, end = metric(entry.encoding.x), heat.end
    beyond = sum(not (row["missing"] or plan.x.holds(row["value"])) for row in found)
    grey = f"grey: told apart from the {end}{told.its}; black: not told from it{LIKE}"
    parts = {
        what.told: bool(what.join),
        views_told.errors_meaning(found, entry.uncertainty, "line"): drawn,
        f"bold: {end}{told.each}": count(found, "bold"),
        grey: count(found, "grey"),
        "n: problems": True,
        "hollow: incomplete": any(r["incomplete"] and not r["missing"] for r in found),
        f"not shown: {numbered(shown.hidden, 'pair')} with {NOTHING}": shown.hidden,
        f"beyond the ends of x: {numbered(beyond, 'value')}": beyond,
    }
    return [part for part, occurs in parts.items() if occurs]


def opening(shown: Rows, entry: Entry) -> str:
    """What a forest shows, in a sentence."""
    unit = " in percent" if entry.shows_percent else ""
    return f"{shown.names.value}{unit} of each {settings_title(entry)}, by value."


def spoken(label: str, found: Sequence[Row], entry: Entry) -> str:
    """A panel in words, row by row."""
    said = []
    for row in found:
        between = f" ({row['between']})" if row["between"] else ""
        said.append(f"{row['setting']}: {row['told']}{between}")
    title = f"{label}: " if entry.panel else ""
    return f"{title}{'; '.join(said)}."
