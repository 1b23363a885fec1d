"""What the grid of a pairwise figure says, in words: its pairs, their tests, spans of bins."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof.util.lazy import polars as pl
from heatproof.util.numerals import Digits, show

if TYPE_CHECKING:
    from collections.abc import Mapping

    from heatproof.kinds.pairwise.entry import Entry

SIGNED = "+.3f"
SMALL = 0.001
FACTS = ("Instances", "Mean of x − y")
"""What a bin answers, on the page as in the figure."""
FEW = "not judged: a few problems make the difference"
"""Why a pair has no interval that would tell its models apart."""
VERDICTS = 2
"""Bins along an axis where all values are 0 or 1."""
PAIR = {"x_model": "x", "y_model": "y", "pair_n": "n", "wins": "wins", "ties": "ties",
        "losses": "losses", "mean": "mean", "simultaneous_low": "low",
        "simultaneous_high": "high", "p_holm": "p", "units": "units",
        "unjudged": "why"}  # fmt: skip
"""What is the same in all bins of a pair, and what a table calls it."""


def pair_table(grid: pl.DataFrame) -> pl.DataFrame:
    """A row per pair of models, in order.

    `x`, `y`, `n`, `wins` (x above y), `ties`, `losses`; `mean` of x − y with the interval `low`,
    `high` that holds for all pairs together, and `p`, corrected over the pairs, both of so many
    `units`: problems, or families; `why` there is no interval, where some pair has none for that.
    """
    columns = [pl.col(name).alias(new) for name, new in PAIR.items() if name in grid.columns]
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


def span(low: float, high: float) -> str:
    """From one edge of a bin to the other."""
    return f"{show(low, '.3~g')} to {show(high, '.3~g')}"


def mean_texts(mean: float, low: float | None, high: float | None, spec: str = SIGNED) -> list[str]:
    """A mean difference, and the ends of its interval where there is one: see `Digits`."""
    digits = Digits(spec)
    if low is None or high is None:
        return [digits.value(mean)]
    error = (high - low) / 4
    return [digits.value(mean, error), *(digits.end(end, mean, error) for end in (low, high))]


def p_text(p: float) -> str:
    """A p value, to three decimals where a level may lie near, very small ones with a bound."""
    if p < SMALL:
        return f"p < {SMALL:g}"
    return f"p = {show(p, '.3f' if p < 0.1 else '.2f')}"


def test_words(row: Mapping[str, float | None], none: str) -> list[str]:
    """Mean, `low` to `high` and p of a row of `pair_table`; `none` where there is none."""
    mean, p = row["mean"], row["p"]
    texts = [none] if mean is None else mean_texts(mean, row["low"], row["high"])
    chance = none if p is None else p_text(p).removeprefix("p ").removeprefix("= ")
    return [texts[0], " to ".join(texts[1:]) or none, chance]
