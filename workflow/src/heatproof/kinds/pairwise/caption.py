"""The caption of a pairwise figure: who is ahead of whom, and by how much."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof.kinds import plain
from heatproof.kinds.pairwise import board, board_words, words
from heatproof.kinds.pairwise.table import table

if TYPE_CHECKING:
    from heatproof.kinds.pairwise.entry import Entry
    from heatproof.util.lazy import polars as pl


def caption(grid: pl.DataFrame, entry: Entry) -> list[str]:
    """What is shown, of how many instances, and each pair's mean difference with its interval."""
    names, found = entry.titles, table(grid, entry)
    if entry.board:
        shown = board.read(grid, entry)
        own = board_words.caption(shown, entry)
        return [entry.caption or entry.shows(), *plain.where_words(entry), found.n, *own]
    pairs = [
        f"{names[row['x']]} − {names[row['y']]}: "
        + _difference(words.compared_words([row[key] for key in ("mean", "low", "high", "p")], ""))
        for row in words.pair_table(grid).iter_rows(named=True)
    ]
    return [
        entry.caption or entry.shows(),
        *plain.where_words(entry),
        found.n,
        f"Mean differences over {entry.units}, with intervals that hold for all pairs together "
        "(95\u00a0%, paired t, Bonferroni), and p of the exact sign test (Holm): "
        + "; ".join(pairs),
    ]


def _difference(told: list[str]) -> str:
    mean, between, p = told
    chance = p if p.startswith("<") else f"= {p}"
    return mean + f" ({between})" * bool(between) + f", p {chance}" * bool(p)
