"""The words of a board: numbers in its squares, what they answer, the lines below, what is read."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from heatproof.charts import wording
from heatproof.kinds.pairwise.bins import span
from heatproof.util import numerals
from heatproof.util.numerals import show

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heatproof.kinds.pairwise.board import Board, Duel
    from heatproof.kinds.pairwise.entry import Entry

Row = dict[str, Any]
BETWEEN = " : "
INTERVAL = "95 % interval, all pairs together"
SQUARE_PLACES = {"Column": "datum.column", "Row": "datum.row"}
SQUARE_FACTS = {
    "Mean of column − row": "datum.lead",
    INTERVAL: "datum.between",
    "Verdict": "datum.verdict",
    "Column ahead": "datum.won",
    "Equal": "datum.ties",
    "Row ahead": "datum.lost",
}
BIN_PLACES = {"x": "datum.column", "y": "datum.row"}
BIN_FACTS = {"Instances": "format(datum.samples, ',')", "Mean of x − y": "datum.lead"}


def number(found: Board) -> str:
    """The format of all differences: two digits of the largest, at least two places."""
    largest = found.furthest
    places = 2 if not largest else min(max(1 - math.floor(math.log10(largest)), 2), 4)
    return f"+.{places}f"


def square(duel: Duel, found: Board, spec: str) -> Row:
    """What stands in a square, and what it answers."""
    tally = f"{duel.won:,}{BETWEEN}{duel.lost:,}" if duel.judged else ""
    return {
        "number": show(duel.lead, spec),
        "tally": tally,
        "column": found.called[duel.column],
        "row": found.called[duel.row],
        "lead": show(duel.lead, "+.3f"),
        "between": between(duel),
        "verdict": verdict(duel),
        "won": f"{duel.won:,}" if duel.judged else "",
        "ties": f"{duel.ties:,}" if duel.judged else "",
        "lost": f"{duel.lost:,}" if duel.judged else "",
    }


def between(duel: Duel) -> str:
    """The interval of a pair's mean difference; empty where there is none."""
    ends = [show(end, "+.3f") for end in (duel.low, duel.high) if end is not None]
    return " to ".join(ends)


def verdict(duel: Duel) -> str:
    """Whether the two are told apart, and why not."""
    if not duel.judged:
        return ""
    if duel.low is None:
        return "not told apart: too few differ"
    return "told apart" if duel.apart else "not told apart"


def bin_facts(row: Row, duel: Duel, found: Board) -> Row:
    """What a bin answers: of the model of its column and of that of its row."""
    x, y = found.called[duel.row], found.called[duel.column]
    return {
        "column": f"{x} {span(row['x0'], row['x1'])}",
        "row": f"{y} {span(row['y0'], row['y1'])}",
        "samples": row["samples"],
        "lead": show(row["difference"], "+.3f"),
    }


def meanings(found: Board, entry: Entry, full: bool) -> list[str]:
    """Lines below the board: what squares say, and densities."""
    what, pairs = entry.axis.lower(), len(found.duels)
    of = f"{numerals.span(duel.n for duel in found.duels)} {entry.things}"
    where = "below" if full else "squares"
    first = f"{where}: mean {what} of column − row, {of}"
    if full and found.judged:
        first += f"; won{BETWEEN}lost"
    several = sorted({duel.units for duel in found.duels if duel.units not in (None, duel.n)})
    by = f" by {numerals.span(several)} {entry.units}" if several else ""
    together = f" for all {pairs} pairs" if pairs > 1 else ""
    how = "paired t, Bonferroni" if pairs > 1 else "paired t"
    lines = [first]
    if found.judged:
        look = "dashed" if full else "white"
        lines.append(f"{look}: not told apart, 0 is in the 95 % interval{by}{together} ({how})")
    if full:
        lines.append(_above(found, entry))
    return lines


def _above(found: Board, entry: Entry) -> str:
    """What stands above the diagonal."""
    if found.verdicts:
        return (
            f"above: {entry.things} by {entry.axis.lower()} of column (right half: 1) and row "
            "(upper half: 1)"
        )
    return (
        f"above: {entry.things} by {entry.axis.lower()} of column (x) and row (y), 0 to 1; "
        f"black: {found.fullest:,}; line: equal"
    )


NAMED = 12
"""Pairs that a caption names, at most."""


def caption(found: Board, entry: Entry) -> list[str]:
    """What squares and densities say, and which pairs are not told apart."""
    what, spec = entry.axis.lower(), number(found)
    order = "by their mean lead over the others" if entry.sorted == "value" else "as configured"
    leads = ", ".join(
        f"{found.called[model]} {show(found.leads[model], spec)}" for model in found.order
    )
    below = f"Below the diagonal: mean {what} of column − row; models are sorted {order}: {leads}."
    if not found.judged:
        return [below]
    alike = [duel for duel in found.duels if not duel.apart]
    pairs = [f"{found.called[duel.column]} and {found.called[duel.row]}" for duel in alike]
    of = f"{len(found.duels) - len(alike)} of {len(found.duels)} pairs are told apart"
    names = f"; not {', '.join(pairs)}" if 0 < len(pairs) <= NAMED else ""
    how = "zero lies outside their interval, which holds for all pairs together"
    return [below, f"{of} ({how}: 95\u00a0%, paired t over {entry.units}, Bonferroni){names}."]


def omitted(cut: Sequence[str], silent: bool, most: int) -> list[str]:
    """What the figure was to have and has no room for, a line each."""
    told = f"what a bin answers who points at it, for more than {most:,} hold instances"
    return [*([f"{told}: fewer `bins` answer"] if silent else []), *wording.names_cut(cut)]


def spoken(found: Board, what: str) -> str:
    """A board in words: who is ahead, and which pairs are told apart."""
    spec, leads = number(found), found.leads
    ranked = sorted(found.order, key=lambda model: found.ranks[model])
    models = ", ".join(f"{found.called[one]} {show(leads[one], spec)}" for one in ranked)
    apart = sum(duel.apart for duel in found.duels)
    told = f" {apart} of {len(found.duels)} pairs are told apart." if found.judged else ""
    return f"Pairs of models by {what}, mean lead over the others: {models}.{told}"
