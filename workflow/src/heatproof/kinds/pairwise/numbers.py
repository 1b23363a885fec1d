"""The bins of a pairwise figure as CSV, and its pairs as a LaTeX table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof.kinds import plain
from heatproof.kinds.pairwise import words
from heatproof.kinds.tables import NONE, escape, line, tabular

if TYPE_CHECKING:
    from heatproof.kinds.pairwise.entry import Entry
    from heatproof.util.lazy import polars as pl

INTERVAL = "95 %: intervals that hold for all pairs together (Bonferroni, paired t)"
SIGN_TEST = "p: exact sign test, corrected over the pairs (Holm)"
HEAD = ["$x$", "$y$", "$n$", "$x$ ahead", "equal", "$y$ ahead", "mean $x - y$", r"95\,\%", "$p$"]


def csv(grid: pl.DataFrame, entry: Entry) -> str:
    """All bins but single points."""
    return plain.csv(grid, entry)


def latex(grid: pl.DataFrame, entry: Entry, note: str = "") -> str:
    """A row per pair of models."""
    names, several = entry.titles, words.is_several(grid)
    rows = [
        line([escape(str(cell)) for cell in
              [names[x], names[y], *row[:4], *words.compared_words(row[4:8], NONE),
               *([words.unit_words(row[8], NONE)] if several else [])]])
        for x, y, *row in words.pair_table(grid).iter_rows()
    ]  # fmt: skip
    head = [*HEAD, entry.units] if several else HEAD
    said = [f"{one}, over {entry.units}" if several else one for one in (INTERVAL, SIGN_TEST)]
    return tabular("ll" + "r" * (len(head) - 2), [line(head), r"\midrule", *rows], note, said)
