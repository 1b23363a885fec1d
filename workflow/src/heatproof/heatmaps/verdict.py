"""What chance would give, in the plain words that stand below a panel."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

from heatproof.numerals import show

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heatproof.figures.heatmap import Entry
    from heatproof.lazy import polars as pl

ALPHA = 0.05
"""Level of the tied set and of the range: `chance_high` is the quantile 1 − ALPHA."""


def of(grid: pl.DataFrame, entry: Entry, factor: float, spec: str) -> dict[str, list[str]]:
    """Label of a panel → its sentences; none for panels without a judgement.

    Columns as `panel.judge` writes them; values × `factor`, printed in the format `spec`.
    """
    panel = entry.panel
    names = entry.called(panel, grid[panel].to_list()) if panel else {}
    rows = grid.iter_rows(named=True)
    parts = groupby(rows, key=lambda row: names[row[panel]] if panel else "")
    return {label: sentences(list(part), factor, spec) for label, part in parts}


def sentences(rows: Sequence[Mapping[str, Any]], factor: float, spec: str) -> list[str]:
    """The verdict on the cells of one panel, and what would part its best from the runner-up."""
    filled = sum(row["value"] is not None for row in rows)
    if filled < 2 or rows[0].get("spread") is None:
        return []
    said = [chance(rows[0], filled, factor, spec)]
    alone = sum(bool(row["tied"]) for row in rows) == 1
    if rows[0]["needed"] and not alone:
        said.append(needed(rows[0]["needed"], max(row["samples"] for row in rows)))
    return said


def needed(problems: int, there: int) -> str:
    """One sentence; the number is rough, so two digits of it are told.

    "about 840 problems, not 30, would part the best from the runner-up"
    """
    unit = 10 ** max(len(str(problems)) - 2, 0)
    rough = -(-problems // unit) * unit
    now = f", not {there:,}," if rough > there else ""
    return f"about {rough:,} problems{now} would part the best from the runner-up"


def chance(row: Mapping[str, Any], filled: int, factor: float, spec: str) -> str:
    """One sentence; `filled`: the panel's cells with a value.

    "spread 10.0; equal settings would spread 10.7 (95 %: 14.7): no evidence of a best setting"
    """
    if row["chance_p"] is None:
        return "too few problems to tell a best setting from chance"
    names = ("spread", "chance_median", "chance_high")
    spread, middle, high = (show(row[name] * factor, spec) for name in names)
    if row["separated"]:
        found = f"{row['separated']} of {filled} settings can be told from the best"
    elif row["chance_p"] <= ALPHA:
        found = "more than chance, but no setting can be told from the best"
    else:
        found = "no evidence of a best setting"
    level = f"{100 * (1 - ALPHA):g}\u00a0%"
    return f"spread {spread}; equal settings would spread {middle} ({level}: {high}): {found}"
