"""The verdict on a panel as a figure shows it: one short line, and what its ruler reads.

The whole sentences stand in `words.sentences`; what is shorter here says no more than they do.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

from heatproof.kinds.heatmap import axis_levels, reasons
from heatproof.kinds.heatmap.judged import ALPHA
from heatproof.kinds.heatmap.panel import Spread, Verdict, doubt
from heatproof.util.numerals import numbered

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heatproof.charts.units import Unit
    from heatproof.kinds.heatmap.entry import Entry
    from heatproof.kinds.heatmap.panel import Place
    from heatproof.kinds.heatmap.reasons import Among
    from heatproof.util.lazy import polars as pl
    from heatproof.util.numerals import Digits

    GridRow = Mapping[str, Any]

WHERE = "where they share problems"
NO_TOP = "no setting can be told to be {end}"


def verdicts_by_panel(grid: pl.DataFrame, entry: Entry, digits: Digits) -> dict[Place, Verdict]:
    """Labels of a panel → its verdict; values in the unit of the figure, as it prints them."""
    names = {column: entry.called(column, grid[column].to_list()) for column in entry.panels}
    rows = grid.iter_rows(named=True)
    parts = groupby(rows, key=lambda row: tuple(called[row[n]] for n, called in names.items()))
    return {place: verdict(list(part), entry, digits) for place, part in parts}


def verdict(rows: Sequence[GridRow], entry: Entry, digits: Digits) -> Verdict:
    """The verdict on the cells of one panel."""
    sets = peer_sets(rows)
    parts = [_line(rows, [*sets.values()], entry, digits)] if sets else []
    doubts: dict[str, set[int]] = {}  # why there is no verdict on some cells
    for row in rows:
        if words := row.get(reasons.UNJUDGED):
            doubts.setdefault(reasons.short_doubt(words), set()).add(row["peers"])
    parts += [f"in {len(peers):,} {why}" if sets else why for why, peers in doubts.items()]
    spread = None
    if len(sets) == 1:
        row, unit = next(iter(sets.values()))[0], entry.unit
        numbers = [row[name] for name in ("spread_equal", "chance_median", "chance_high")]
        if row["chance_p"] is not None and None not in numbers:
            value, median, high = map(unit.span, numbers)
            beyond = row["chance_p"] <= ALPHA
            spread = Spread(value, median, high, beyond, digits.value(value))
    return Verdict("; ".join(parts), spread)


def peer_sets(rows: Sequence[GridRow]) -> dict[int, list[GridRow]]:
    """Number of each set of cells that are compared and judged → its cells."""
    sets: dict[int, list[GridRow]] = {}
    for row in rows:
        if row["peers"] is not None and row.get("spread") is not None:
            sets.setdefault(row["peers"], []).append(row)
    return sets


def _line(
    rows: Sequence[GridRow], sets: Sequence[Sequence[GridRow]], entry: Entry, digits: Digits
) -> str:
    """The verdict on `sets` of cells that are compared; `rows`: all of the panel."""
    uneven = {
        row["peers"] for row in rows if row["peers"] is not None and row["samples"] > row["common"]
    }
    among = reasons.within_words([{**row, "uneven": row["peers"] in uneven} for row in rows], entry)
    if len(sets) == 1:
        many = 2 * sum(bool(row["tied"]) for row in sets[0]) > len(sets[0])
        levels = [axis_levels.line_words(sets[0], entry)] * many
        return "; ".join(filter(None, [tied_words(sets[0], among, entry.unit, digits), *levels]))
    level = sum(all(row["tied"] for row in peers) for peers in sets)
    if level == len(sets):
        return NO_TOP.format(end=f"{among.end}{among.its}")
    within = among.each.replace(" of", "within", 1) if " of each " in among.each else WHERE
    return f"compared {within}" + (
        f": in {level:,} of {len(sets):,} {NO_TOP.format(end=among.end)}" if level else ""
    )


def tied_words(peers: Sequence[GridRow], among: Among, unit: Unit, digits: Digits) -> str:
    """The highest of the cells that are compared, and how many cannot be told apart from it.

    "highest 87.5; 2 others not told apart"; "no setting can be told to be highest".
    """
    number, tied = len(peers), sum(bool(row["tied"]) for row in peers)
    if tied == number:
        if peers[0]["chance_p"] is None:
            return f"too few problems to tell which setting is {among.end}"
        beyond = bool(peers[0]["chance_p"] <= ALPHA)
        return NO_TOP.format(end=among.end) + ", yet they spread beyond chance" * beyond
    tops = [row for row in peers if row["best"]]
    best = [digits.value(unit.value(row["value"]), unit.span(doubt(row))) for row in tops]
    several = f" in {len(best)} cells" * (len(best) > 1)
    top = f"{among.top}{several}" if len({*best}) > 1 else f"{among.top} {best[0]}{several}"
    if alike := tied - len(best):
        return f"{top}; {numbered(alike, 'other')} not told apart"
    others = number - len(best)
    return f"{top}, told apart from {'the other' if others == 1 else f'all {others:,} others'}"
