"""The words of a pairwise figure: its pairs in a table, how models compare, what is read out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof.kinds.pairwise import bins
from heatproof.kinds.pairwise.bins import SIGNED
from heatproof.util.lazy import polars as pl
from heatproof.util.numerals import show

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heatproof.kinds.pairwise.bins import Pair
    from heatproof.kinds.pairwise.entry import Entry


VERDICTS = 2
"""Bins along an axis where all values are 0 or 1."""
PAIR = {"x_model": "x", "y_model": "y", "pair_n": "n", "wins": "wins", "ties": "ties",
        "losses": "losses", "mean": "mean", "simultaneous_low": "low",
        "simultaneous_high": "high", "p_holm": "p", "units": "units"}  # fmt: skip
"""What is the same in all bins of a pair, and what a table calls it."""


def pair_table(grid: pl.DataFrame) -> pl.DataFrame:
    """A row per pair of models, in order.

    `x`, `y`, `n`, `wins` (x above y), `ties`, `losses`; `mean` of x − y with the interval `low`,
    `high` that holds for all pairs together, and `p`, corrected over the pairs, both of so many
    `units`: problems, or families.
    """
    columns = [pl.col(name).alias(new) for name, new in PAIR.items()]
    return grid.select(columns).unique(maintain_order=True)


def across(grid: pl.DataFrame) -> int:
    """How many bins the grid has along each axis."""
    return grid["x0"].n_unique()


def are_verdicts(grid: pl.DataFrame, entry: Entry) -> bool:
    """Whether each instance is right or wrong, so that four numbers say all of a pair."""
    return entry.bins is None and across(grid) == VERDICTS


def is_several(grid: pl.DataFrame) -> bool:
    """Whether any instances are of one problem, or family, so that tests count fewer of these."""
    return bool((grid["units"] != grid["pair_n"]).any())


def unit_words(number: int | None, none: str) -> str:
    """What `several` asks for as a table prints it; `none` where nothing was tested."""
    return none if number is None else f"{number:,}"


def compared_words(row: Sequence[float | None], none: str) -> list[str]:
    """`mean`, `low` to `high` and `p` as a table prints them; `none` where one is not known."""
    p = row[3]
    mean, low, high = (none if value is None else show(value, SIGNED) for value in row[:3])
    between = none if none in (low, high) else f"{low} to {high}"
    chance = none if p is None else bins.chance(p).removeprefix("p ").removeprefix("= ")
    return [mean, between, chance]


def spoken_figure(colours: str, what: str) -> str:
    """What a pairwise figure shows, in a sentence. `colours`: the title of its colour bar."""
    return f"Pairs of models by {what} on the same instances, from 0 to 1; colour: {colours}."


def spoken_pair(pair: Pair, what: str) -> str:
    """A pairwise panel in words: who is ahead how often, and the fullest bin."""
    full = max(pair.bins, key=lambda row: int(row["samples"]))
    x0, x1, y0, y1 = (show(full[edge], ".3~g") for edge in ("x0", "x1", "y0", "y1"))
    return (
        f"{what} of {pair.x} (x) against {pair.y} (y) on {pair.n} instances: "
        f"{pair.x} ahead on {pair.wins}, equal on {pair.ties}, {pair.y} ahead on {pair.losses}; "
        f"most, {full['samples']}, at x {x0} to {x1}, y {y0} to {y1}"
        f"{''.join(f'; {part}' for part in pair.verdict)}."
    )
