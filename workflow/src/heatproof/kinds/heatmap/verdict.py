"""The verdict on a panel as a figure shows it: one short line, and what its ruler reads.

The whole sentences stand in `words.sentences`; what is shorter here says no more than they do.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.kinds.heatmap import reasons, trends
from heatproof.kinds.heatmap.judging import ALPHA
from heatproof.util.numerals import show

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heatproof.charts.units import Unit
    from heatproof.kinds.heatmap.cells import Place
    from heatproof.kinds.heatmap.entry import Entry
    from heatproof.util.lazy import polars as pl

    GridRow = Mapping[str, Any]


class Spread(NamedTuple):
    """Of the cells of a panel, in the unit shown, on equal problems."""

    seen: float
    median: float
    """Half of the panels of equal settings spread no more, and 95 % no more than `high`."""
    high: float
    beyond: bool
    """More than chance gives."""
    label: str
    """What was seen, as printed."""


class Verdict(NamedTuple):
    """What is shown of a panel beside its cells."""

    line: str
    """Empty where there is nothing to say."""
    spread: Spread | None
    """None where chance is not known, or of more than one set of cells."""


NOTHING = Verdict("", None)


def verdicts_by_panel(grid: pl.DataFrame, entry: Entry, spec: str) -> dict[Place, Verdict]:
    """Labels of a panel → its verdict; values in the unit of the figure, in the format `spec`."""
    names = {column: entry.called(column, grid[column].to_list()) for column in entry.panels}
    rows = grid.iter_rows(named=True)
    parts = groupby(rows, key=lambda row: tuple(called[row[n]] for n, called in names.items()))
    return {place: verdict(list(part), entry, spec) for place, part in parts}


def verdict(rows: Sequence[GridRow], entry: Entry, spec: str) -> Verdict:
    """The verdict on the cells of one panel."""
    sets = peer_sets(rows)
    said = [_line([*sets.values()], entry, spec)] if sets else []
    said += _doubts(rows, bool(sets))
    alone = next(iter(sets.values()))[0] if len(sets) == 1 else None
    return Verdict("; ".join(said), _spread(alone, entry.unit, spec) if alone else None)


def _doubts(rows: Sequence[GridRow], among: bool) -> list[str]:
    """Why there is no verdict on some cells; `among`: on others there is one."""
    doubted: dict[str, set[int]] = {}
    for row in rows:
        if words := row.get(reasons.UNJUDGED):
            doubted.setdefault(reasons.short_doubt(words), set()).add(row["peers"])
    return [f"in {len(sets):,} {why}" if among else why for why, sets in doubted.items()]


def peer_sets(rows: Sequence[GridRow]) -> dict[int, list[GridRow]]:
    """Number of each set of cells that are compared and judged → its cells."""
    sets: dict[int, list[GridRow]] = {}
    for row in rows:
        if row["peers"] is not None and row.get("spread") is not None:
            sets.setdefault(row["peers"], []).append(row)
    return sets


def _line(sets: Sequence[Sequence[GridRow]], entry: Entry, spec: str) -> str:
    if len(sets) == 1:
        many = 2 * sum(bool(row["tied"]) for row in sets[0]) > len(sets[0])
        said = [trends.line_words(sets[0][0], entry)] * many
        return "; ".join(filter(None, [tied_words(sets[0], entry.end, entry.unit, spec), *said]))
    axis = reasons.shared_along([row for peers in sets for row in peers])
    column = {"x": entry.x, "y": entry.y}.get(axis or "", "")
    within = f"within each {reasons.among_title(column, entry)}" if column else "where they can be"
    level = sum(all(row["tied"] for row in peers) for peers in sets)
    if level == len(sets):
        return f"no {entry.end} setting: all tie that are compared, {within}"
    return f"compared {within}" + (f": all tie in {level:,} of {len(sets):,}" if level else "")


def tied_words(peers: Sequence[GridRow], end: str, unit: Unit, spec: str) -> str:
    """How many of the cells that are compared tie with the best, and its value.

    "3 of 20 tie with the best, 87.5"; "no best setting: all 20 tie". `end`: see `Entry.end`.
    """
    number, tied = len(peers), sum(bool(row["tied"]) for row in peers)
    if tied == number:
        every = "both" if number == 2 else f"all {number:,}"
        if peers[0]["chance_p"] is None:
            return f"too few problems: {every} tie"
        beyond = bool(peers[0]["chance_p"] <= ALPHA)
        return f"no {end} setting: {every} tie" + ", yet not all are equal" * beyond
    values = dict.fromkeys(show(unit.value(row["value"]), spec) for row in peers if row["best"])
    best = ", ".join([f"the {end}", *values] if len(values) == 1 else [f"the {end}"])
    if tied == 1:
        others = "the other" if number == 2 else f"none of {number - 1:,} others"
        return f"{others} {'does not tie' if number == 2 else 'ties'} with {best}"
    return f"{tied:,} of {number:,} tie with {best}"


def _spread(row: GridRow, unit: Unit, spec: str) -> Spread | None:
    found = [row[name] for name in ("spread_equal", "chance_median", "chance_high")]
    if row["chance_p"] is None or None in found:
        return None
    seen, median, high = map(unit.span, found)
    return Spread(seen, median, high, row["chance_p"] <= ALPHA, show(seen, spec))
