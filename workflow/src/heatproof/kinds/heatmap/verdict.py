"""What chance would give, in the plain words that stand below a panel."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.kinds.heatmap import among, doubts
from heatproof.kinds.heatmap.peers import ALPHA
from heatproof.util.numerals import show

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heatproof.kinds.heatmap.entry import Entry
    from heatproof.util.lazy import polars as pl

NAMED = 4
"""Sets of cells that are named at most."""


class Lines(NamedTuple):
    """What an axis is called, and its values."""

    title: str
    names: Mapping[Any, str]


def of(grid: pl.DataFrame, entry: Entry, factor: float, spec: str) -> dict[str, list[str]]:
    """Label of a panel → its sentences; none for panels without a judgement.

    Columns as `panel.judge` writes them; values × `factor`, printed in the format `spec`.
    """
    panel, what = entry.panel, entry.encoding
    names = entry.called(panel, grid[panel].to_list()) if panel else {}
    axes = {
        axis: Lines(among.title(column, entry), entry.called(column, grid[axis].to_list()))
        for axis, column in (("x", what.x), ("y", what.y))
    }
    rows = grid.iter_rows(named=True)
    parts = groupby(rows, key=lambda row: names[row[panel]] if panel else "")
    return {label: sentences(list(part), factor, spec, axes) for label, part in parts}


def sentences(
    rows: Sequence[Mapping[str, Any]], factor: float, spec: str, axes: Mapping[str, Lines]
) -> list[str]:
    """The verdict on the cells of one panel, and what would part its best from the runner-up.

    Where cells share no problems, one on all sets of cells that do. Where the method is not known
    to hold, why there is no verdict.
    """
    sets: dict[int, list[Mapping[str, Any]]] = {}
    for row in rows:
        if row["peers"] is not None and row.get("spread") is not None:
            sets.setdefault(row["peers"], []).append(row)
    why = [*dict.fromkeys(row[doubts.COLUMN] for row in rows if row.get(doubts.COLUMN))]
    return [*_judged(rows, sets, factor, spec, axes), *why]


def _judged(
    rows: Sequence[Mapping[str, Any]],
    sets: Mapping[int, list[Mapping[str, Any]]],
    factor: float,
    spec: str,
    axes: Mapping[str, Lines],
) -> list[str]:
    """The verdict on `sets` of cells that are compared; `rows`: all of the panel."""
    if not sets:
        return []
    if among.several(rows):
        axis = among.along([row for peers in sets.values() for row in peers])
        return [apart([*sets.values()], axis, axes[axis] if axis else None)]
    (peers,) = sets.values()
    said = [chance(peers[0], len(peers), factor, spec)]
    alone = sum(bool(row["tied"]) for row in peers) == 1
    if peers[0]["needed"] and not alone:
        said.append(needed(peers[0]["needed"], max(row["samples"] for row in peers)))
    return said


def apart(
    sets: Sequence[Sequence[Mapping[str, Any]]], axis: str | None, lines: Lines | None
) -> str:
    """One sentence on sets of cells that are not compared with each other.

    "GSM8K: 1 of 3 settings can be told from the best; AIME24, AIME25: no evidence of a best
    setting". `axis`: on which each set has a value of its own, if there is one, with its `lines`.
    """
    each = f"within each {lines.title if lines else 'set of cells that share problems'}"
    said: dict[str, list[str]] = {}
    for peers in sets:
        name = lines.names[peers[0][axis]] if lines and axis else ""
        said.setdefault(found(peers[0], len(peers)), []).append(name)
    if len(said) == 1:
        ((words, names),) = said.items()
        return f"{names[0] if lines and len(sets) == 1 else each}: {words}"
    if lines and len(sets) <= NAMED:
        return "; ".join(f"{', '.join(those)}: {words}" for words, those in said.items())
    clear = sum(bool(peers[0]["separated"]) for peers in sets)
    return f"{each}, settings can be told from the best in {clear:,} of {len(sets):,}"


def needed(problems: int, there: int) -> str:
    """One sentence; the number is rough, so two digits of it are told.

    "at least 840 problems, not 30, would part the best from the runner-up"
    """
    unit = 10 ** max(len(str(problems)) - 2, 0)
    rough = -(-problems // unit) * unit
    now = f", not {there:,}," if rough > there else ""
    return f"at least {rough:,} problems{now} would part the best from the runner-up"


def found(row: Mapping[str, Any], filled: int) -> str:
    """What the cells of one set are found to be; `filled`: their number."""
    if row["chance_p"] is None:
        return "too few problems to tell a best setting from chance"
    if row["separated"]:
        return f"{row['separated']} of {filled} settings can be told from the best"
    if row["chance_p"] <= ALPHA:
        return "more than chance, but no setting can be told from the best"
    return "no evidence of a best setting"


def chance(row: Mapping[str, Any], filled: int, factor: float, spec: str) -> str:
    """One sentence; `filled`: cells that are compared.

    "spread 10.0; equal settings would spread 10.7 (95 %: 14.7): no evidence of a best setting".
    Where problems are missing, the spread on equal problems too: it is this that chance is of.
    """
    words = found(row, filled)
    if row["chance_p"] is None:
        return words
    numbers = ("spread", "spread_equal", "chance_median", "chance_high")
    spread, equal, middle, high = (
        None if row[name] is None else show(row[name] * factor, spec) for name in numbers
    )
    if middle is None:
        return f"spread {spread}, with few problems in common: {words}"
    beside = f", {equal} on equal problems" if equal != spread else ""
    level = f"{100 * (1 - ALPHA):g}\u00a0%"
    return (
        f"spread {spread}{beside}; equal settings would spread {middle} ({level}: {high}): {words}"
    )
