"""The numbers of a pairwise figure outside of it: CSV, LaTeX, the page's table, the caption."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof.charts.sheet import LIKE
from heatproof.kinds import picture as pictures
from heatproof.kinds.pairwise import pairs
from heatproof.kinds.picture import NONE, Latex, Table, TableRow, escape, line
from heatproof.util.numerals import span

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from heatproof.kinds.pairwise.entry import Entry
    from heatproof.kinds.pairwise.pairs import Board, Pair
    from heatproof.util.lazy import polars as pl

COLUMNS = {
    "x": "$x$", "y": "$y$", "instances": "$n$",
    "x ahead": "$x$ ahead", "equal": "equal", "y ahead": "$y$ ahead",
    "mean x − y": "mean $x - y$", "95 % interval (all pairs)": r"95\,\%",
    "p of being ahead more often (sign test, Holm)": "$p$",
}  # fmt: skip
"""Heads of the page's table, and of LaTeX."""
NAMED = 12  # pairs that a caption names, at most


def csv(grid: pl.DataFrame, _: Entry) -> str:
    """All bins."""
    return pictures.csv(grid)


def latex(grid: pl.DataFrame, entry: Entry, note: str = "") -> str:
    """A row per pair of models."""
    several = any(pair.fewer for pair in pairs.read_pairs(grid))
    head, over = [*COLUMNS.values(), *[entry.units] * several], f", over {entry.units}" * several
    meanings = [
        f"95 %: intervals that hold for all pairs together (Bonferroni, paired t){over}{LIKE}",
        f"p: of being ahead more often, exact sign test, corrected over the pairs (Holm){over}",
    ]
    meanings += [f"{entry.measure}: {entry.rescaled}"] if entry.rescaled else []
    rows = [line([*map(escape, row)]) for row in _rows(grid, entry, "", NONE)]
    columns = "ll" + "r" * (len(head) - 2)
    return Latex(columns=columns, head=[line(head)], parts={"": rows}, meanings=meanings).text(note)


def table(grid: pl.DataFrame, entry: Entry) -> Table:
    """Who is ahead how often, and by how much."""
    every = pairs.read_pairs(grid)
    several = any(pair.fewer for pair in every)
    return Table(
        columns=(*COLUMNS, *[f"{entry.units} tested"] * several),
        texts=2,
        rows=[TableRow(tuple(row)) for row in _rows(grid, entry, ",", "–")],
        n=f"{span(pair.n for pair in every)} instances a pair",
    )


def _rows(grid: pl.DataFrame, entry: Entry, thousands: str, none: str) -> Iterator[list[str]]:
    """The texts of each pair, `none` where there is no number; with units where these are fewer."""
    titles, every = entry.titles, pairs.read_pairs(grid)
    several = any(pair.fewer for pair in every)
    for pair in every:
        counts = (f"{n:{thousands}}" for n in (pair.n, pair.wins, pair.ties, pair.losses))
        mean = pair.texts()[0] if pair.judged else none
        units = none if pair.units is None else f"{pair.units:,}"
        numbers = mean, pair.between or none, pair.chance or none, *[units] * several
        yield [titles[pair.x], titles[pair.y], *counts, *numbers]


def caption(grid: pl.DataFrame, entry: Entry) -> list[str]:
    """What is shown, of how many instances, and how the models of each pair compare."""
    start = [entry.shows(), *pictures.where_words(entry), table(grid, entry).n]
    if entry.board:
        return [*start, *_board_words(pairs.read_board(grid, entry), entry)]
    titles, sentences = entry.titles, []
    for pair in pairs.read_pairs(grid):
        chance = pair.chance if pair.chance.startswith("<") else f"= {pair.chance}"
        sentences.append(
            f"{titles[pair.x]} − {titles[pair.y]}: {pair.texts()[0] if pair.judged else ''}"
            + f" ({pair.between})" * bool(pair.between)
            + f", p {chance}" * bool(pair.chance)
            + f" ({pair.why})" * bool(pair.why)
        )
    rescaled = f" ({entry.rescaled})" if entry.rescaled else ""
    words = (
        f"Mean differences{rescaled} over {entry.units}, with intervals that hold for all "
        f"pairs together (95\u00a0%, paired t, Bonferroni{LIKE}), and p of being ahead "
        f"more often (exact sign test, Holm): {'; '.join(sentences)}"
    )
    return [*start, words]


def _board_words(board: Board, entry: Entry) -> Iterator[str]:
    """What squares and densities say, and which pairs are not told apart."""

    def names(some: Sequence[Pair]) -> str:
        return ", ".join(f"{board.titles[pair.x]} and {board.titles[pair.y]}" for pair in some)

    order = "as configured" if entry.sort == "config" else "by their mean lead over the others"
    yield (
        f"Below the diagonal: mean {entry.axis.lower()} of column − row; models are sorted "
        f"{order}: {board.ranking([*board.titles])}."
    )
    if not board.judged:
        return
    alike = [pair for pair in board.pairs if not (pair.apart or pair.why)]
    silent, count = [pair for pair in board.pairs if pair.why], len(board.pairs)
    which = f"; not {names(alike)}" if 0 < len(alike) <= NAMED else ""
    yield (
        f"{count - len(alike) - len(silent)} of {count} pairs are told apart (zero lies outside "
        f"their interval, which holds for all pairs together: 95\u00a0%, paired t over "
        f"{entry.units}, Bonferroni{LIKE}){which}."
    )
    if silent:
        which = f" ({names(silent)})" if len(silent) <= NAMED else ""
        yield f"{len(silent)} of {count} pairs{which} are {pairs.FEW}."
