"""The words of a table: what its marks mean, what is read out, and what has no room."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof.charts.sheet import LIKE
from heatproof.charts.wording import count, names_cut
from heatproof.kinds.heatmap import reasons, words
from heatproof.kinds.table.blocks import DASH
from heatproof.kinds.table.layout import NOT
from heatproof.metrics import metric

if TYPE_CHECKING:
    from heatproof.kinds.table.blocks import Blocks
    from heatproof.kinds.table.entry import Entry
    from heatproof.kinds.table.layout import Layout


def meanings(shown: Blocks, entry: Entry, plan: Layout) -> list[str]:
    """What bold, dots, ±, italics and dashes mean, if they occur."""
    rows, heat = shown.rows, entry.cells()
    told = reasons.among_words(rows, heat)
    what = metric(entry.encoding.text)
    of = words.error_meanings(rows)
    gaps = dict.fromkeys(row["gap"] for row in rows if row["missing"])
    parts = {
        what.told: bool(what.join),
        f"bold: {heat.end}{told.each}{words.ON_EQUAL * told.equal}": count(rows, "bold"),
        f"dot: not distinguishable from the {heat.end}{told.its}{LIKE}": count(rows, "dotted"),
        of.get(entry.uncertainty, ""): plan.spread != NOT,
        "italics: incomplete": any(r["incomplete"] and not r["missing"] for r in rows),
        f"{DASH}: {', or '.join(gaps)}": gaps,
        "mean: of the numbers of a row, unweighted": plan.mean,
    }
    doubts = [f"where none is bold: {why}" for why in shown.doubts if entry.verdict != "none"]
    return [*(part for part, occurs in parts.items() if occurs), *doubts]


def opening(shown: Blocks, entry: Entry) -> str:
    """What a table shows, in a sentence."""
    unit = " in percent" if entry.shows_percent else ""
    y, x = shown.names.y or entry.encoding.y, shown.names.x or entry.encoding.x
    return f"Table of {shown.names.value}{unit}, a row for each {y}, a column for each {x}."


def omitted(shown: Blocks, entry: Entry, plan: Layout) -> list[str]:
    """A line each for what has no room, with what would give it."""
    cut = [name for name, printed in plan.names.items() if name != printed]
    heads = zip(shown.x, plan.heads, strict=True)
    cut += [name for name, printed in heads if plan.turned and [name] != [*printed]]
    found = names_cut(cut)
    if plan.spread == NOT and any(row["spread"] for row in shown.rows):
        found.append(
            f"the `uncertainty: {entry.uncertainty}` beside its numbers, for which its columns "
            "have no room: a larger `width` gives more, the tables have it"
        )
    if plan.tight:
        found.append("room between its columns: a larger `width` gives more")
    return found
