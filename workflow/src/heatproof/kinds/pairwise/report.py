"""The numbers of a pairwise figure outside of it: CSV, LaTeX, the page's table, the caption."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof.charts.sheet import LIKE
from heatproof.kinds import plain
from heatproof.kinds.pairwise import board, words
from heatproof.kinds.tables import NONE, Row, Table, escape, line, tabular
from heatproof.util.numerals import span

if TYPE_CHECKING:
    from heatproof.kinds.pairwise.entry import Entry
    from heatproof.util.lazy import polars as pl

INTERVAL = "95 %: intervals that hold for all pairs together (Bonferroni, paired t)"
SIGN_TEST = "p: of being ahead more often, exact sign test, corrected over the pairs (Holm)"
HEAD = ["$x$", "$y$", "$n$", "$x$ ahead", "equal", "$y$ ahead", "mean $x - y$", r"95\,\%", "$p$"]
COLUMNS = (
    "x",
    "y",
    "instances",
    "x ahead",
    "equal",
    "y ahead",
    "mean x − y",
    "95 % interval (all pairs)",
    "p of being ahead more often (sign test, Holm)",
)


def csv(grid: pl.DataFrame, entry: Entry) -> str:
    """All bins."""
    return plain.csv(grid, entry)


def latex(grid: pl.DataFrame, entry: Entry, note: str = "") -> str:
    """A row per pair of models."""
    several = words.is_several(grid)
    head = [*HEAD, entry.units] if several else HEAD
    rows = [line([escape(cell) for cell in row]) for row in _rows(grid, entry, "", NONE)]
    over = f", over {entry.units}" if several else ""
    notes = [f"{INTERVAL}{over}{LIKE}", f"{SIGN_TEST}{over}"]
    notes += [f"{entry.measure}: {entry.rescaled}"] if entry.rescaled else []
    return tabular("ll" + "r" * (len(head) - 2), [line(head), r"\midrule", *rows], note, notes)


def table(grid: pl.DataFrame, entry: Entry) -> Table:
    """Who is ahead how often, and by how much."""
    several = (f"{entry.units} tested",) if words.is_several(grid) else ()
    return Table(
        columns=COLUMNS + several,
        texts=2,
        rows=[Row(tuple(row)) for row in _rows(grid, entry, ",", "–")],
        n=f"{span(words.pair_table(grid)['n'])} instances a pair",
    )


def _rows(grid: pl.DataFrame, entry: Entry, thousands: str, none: str) -> list[list[str]]:
    """The texts of each pair; `none` stands where there is no number."""
    titles, several = entry.titles, words.is_several(grid)
    rows = []
    for row in words.pair_table(grid).iter_rows(named=True):
        counts = (f"{row[key]:{thousands}}" for key in ("n", "wins", "ties", "losses"))
        texts = [titles[row["x"]], titles[row["y"]], *counts, *words.test_words(row, none)]
        units = none if row["units"] is None else f"{row['units']:,}"
        rows.append([*texts, *([units] if several else [])])
    return rows


def caption(grid: pl.DataFrame, entry: Entry) -> list[str]:
    """What is shown, of how many instances, and each pair's mean difference with its interval."""
    start = [entry.shows(), *plain.where_words(entry), table(grid, entry).n]
    if entry.board:
        return [*start, *board.caption(board.read_board(grid, entry), entry)]
    titles, pairs = entry.titles, []
    for row in words.pair_table(grid).iter_rows(named=True):
        mean, between, p = words.test_words(row, "")
        chance = p if p.startswith("<") else f"= {p}"
        why = f" ({row['why']})" if row.get("why") else ""
        pairs.append(
            f"{titles[row['x']]} − {titles[row['y']]}: {mean}"
            + f" ({between})" * bool(between)
            + f", p {chance}" * bool(p)
            + why
        )
    rescaled = f" ({entry.rescaled})" if entry.rescaled else ""
    tests = (
        f"Mean differences{rescaled} over {entry.units}, with intervals that hold for all "
        f"pairs together (95\u00a0%, paired t, Bonferroni{LIKE}), and p of being ahead "
        f"more often (exact sign test, Holm): {'; '.join(pairs)}"
    )
    return [*start, tests]
