"""The numbers of a pairwise figure outside of it: CSV, LaTeX, the page's table, the caption."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof.charts.sheet import LIKE
from heatproof.kinds import picture as pictures
from heatproof.kinds.pairwise import board, draw, pairs
from heatproof.kinds.picture import NONE, Latex, Table, TableRow, escape, line
from heatproof.util.numerals import span

if TYPE_CHECKING:
    from heatproof.kinds.pairwise.entry import Entry
    from heatproof.util.lazy import polars as pl

INTERVAL = "95 %: intervals that hold for all pairs together (Bonferroni, paired t)"
SIGN_TEST = "p: of being ahead more often, exact sign test, corrected over the pairs (Holm)"
COLUMNS = {
    "x": "$x$",
    "y": "$y$",
    "instances": "$n$",
    "x ahead": "$x$ ahead",
    "equal": "equal",
    "y ahead": "$y$ ahead",
    "mean x − y": "mean $x - y$",
    "95 % interval (all pairs)": r"95\,\%",
    "p of being ahead more often (sign test, Holm)": "$p$",
}
"""Heads of the page's table, and of LaTeX."""


def csv(grid: pl.DataFrame, entry: Entry) -> str:  # noqa: ARG001 - all are asked alike
    """All bins."""
    return pictures.csv(grid)


def latex(grid: pl.DataFrame, entry: Entry, note: str = "") -> str:
    """A row per pair of models."""
    rows, several = _rows(grid, entry, "", NONE)
    head = [*COLUMNS.values(), *([entry.units] if several else [])]
    over = f", over {entry.units}" if several else ""
    meanings = [f"{INTERVAL}{over}{LIKE}", f"{SIGN_TEST}{over}"]
    meanings += [f"{entry.measure}: {entry.rescaled}"] if entry.rescaled else []
    parts = {"": [line([*map(escape, row)]) for row in rows]}
    columns = "ll" + "r" * (len(head) - 2)
    return Latex(columns=columns, head=[line(head)], parts=parts, meanings=meanings).text(note)


def table(grid: pl.DataFrame, entry: Entry) -> Table:
    """Who is ahead how often, and by how much."""
    rows, several = _rows(grid, entry, ",", "–")
    return Table(
        columns=(*COLUMNS, *([f"{entry.units} tested"] if several else [])),
        texts=2,
        rows=[TableRow(tuple(row)) for row in rows],
        n=f"{span(pair.n for pair in pairs.read_pairs(grid))} instances a pair",
    )


def _rows(
    grid: pl.DataFrame, entry: Entry, thousands: str, none: str
) -> tuple[list[list[str]], bool]:
    """The texts of each pair, `none` where there is no number; whether they end with the units."""
    titles, rows, every = entry.titles, [], pairs.read_pairs(grid)
    several = any(pair.fewer for pair in every)
    for pair in every:
        counts = (f"{n:{thousands}}" for n in (pair.n, pair.wins, pair.ties, pair.losses))
        mean = pair.texts()[0] if pair.judged else none
        numbers = (mean, pair.between or none, pair.chance or none)
        units = [none if pair.units is None else f"{pair.units:,}"] if several else []
        rows.append([titles[pair.x], titles[pair.y], *counts, *numbers, *units])
    return rows, several


def caption(grid: pl.DataFrame, entry: Entry) -> list[str]:
    """What is shown, of how many instances, and how the models of each pair compare."""
    start = [entry.shows(), *pictures.where_words(entry), table(grid, entry).n]
    if entry.board:
        return [*start, *board.caption(board.read_board(grid, entry), entry)]
    return [*start, *draw.caption(pairs.read_pairs(grid), entry)]
