"""The table of a pairwise figure: a row per pair of models."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof.kinds.pairwise import words
from heatproof.kinds.tables import Row, Table
from heatproof.util.numerals import span

if TYPE_CHECKING:
    from heatproof.kinds.pairwise.entry import Entry
    from heatproof.util.lazy import polars as pl

TESTED = ("mean x − y", "95 % interval (all pairs)", "p (sign test, Holm)")


def table(grid: pl.DataFrame, entry: Entry) -> Table:
    """Who is ahead how often, and by how much."""
    pairs, names = list(words.pair_table(grid).iter_rows(named=True)), entry.titles
    counts = ["n", "wins", "ties", "losses"]
    several = words.is_several(grid)
    tests = ("mean", "low", "high", "p")
    return Table(
        columns=("x", "y", "instances", "x ahead", "equal", "y ahead", *TESTED)
        + ((f"{entry.units} tested",) if several else ()),
        texts=2,
        rows=[
            Row(
                (
                    names[row["x"]],
                    names[row["y"]],
                    *(f"{row[key]:,}" for key in counts),
                    *words.compared_words([row[key] for key in tests], "–"),
                    *([words.unit_words(row["units"], "–")] if several else []),
                )
            )
            for row in pairs
        ],
        n=f"{span(row['n'] for row in pairs)} instances a pair",
    )
