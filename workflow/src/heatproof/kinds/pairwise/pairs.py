"""The pairs of a grid: how two models compare, and in which bins their instances lie."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from heatproof.util.numerals import Digits, show

if TYPE_CHECKING:
    from heatproof.kinds.pairwise.entry import Entry
    from heatproof.util.lazy import polars as pl

    Row = dict[str, Any]

SIGNED = "+.3f"
SMALL = 0.001
BIN_FACTS = {"Instances": "format(datum.samples, ',')", "Mean of x − y": "datum.lead"}
"""What a bin answers in the figure: title → expression of its text."""
FEW = "not judged: a few problems make the difference"
"""Why a pair has no interval that would tell its models apart."""
VERDICTS = 2
"""Bins along an axis where all values are 0 or 1."""
MIRROR = {"x0": "y0", "x1": "y1", "y0": "x0", "y1": "x1"}


@dataclass(frozen=True)
class Pair:
    """Two models on the instances that both have."""

    x: str
    y: str
    n: int
    wins: int
    """Instances on which x is ahead."""
    ties: int
    losses: int
    mean: float | None
    """Of x − y; None where it is made up which instances were solved: then there is no verdict."""
    low: float | None
    high: float | None
    """Its interval, which holds for all pairs together."""
    p: float | None
    """Of being ahead more often, corrected over the pairs."""
    units: int | None
    """Problems, or families, that interval and p are of."""
    why: str
    """Why there is no interval, where a few problems make the difference."""
    bins: list[Row]
    """Row by row from below; `cell` is the place in the grid."""

    @property
    def judged(self) -> bool:
        """Whether there is a verdict."""
        return self.mean is not None

    @property
    def fewer(self) -> int:
        """The problems, or families, where these are fewer than instances; else 0."""
        return 0 if self.units in (None, self.n) else self.units or 0

    @cached_property
    def lead(self) -> float:
        """The mean of x − y; of made-up instances it is the same whichever were solved."""
        if self.mean is not None:
            return self.mean
        full = (row for row in self.bins if row["samples"])
        return math.fsum(row["samples"] * row["difference"] for row in full) / self.n

    @property
    def apart(self) -> bool:
        """Whether the two are told apart: their interval leaves out 0."""
        return self.low is not None and self.high is not None and (self.low > 0 or self.high < 0)

    def texts(self, spec: str = SIGNED) -> list[str]:
        """The mean difference, and the ends of its interval where there is one."""
        digits = Digits(spec)
        if self.low is None or self.high is None:
            return [digits.value(self.lead)]
        error = (self.high - self.low) / 4
        ends = (digits.end(end, self.lead, error) for end in (self.low, self.high))
        return [digits.value(self.lead, error), *ends]

    @property
    def between(self) -> str:
        """The interval; empty where there is none."""
        return " to ".join(self.texts()[1:])

    @property
    def chance(self) -> str:
        """The p value, with three decimals near usual levels; empty where there is none."""
        if self.p is None:
            return ""
        return f"< {SMALL:g}" if self.p < SMALL else show(self.p, ".3f" if self.p < 0.1 else ".2f")

    @property
    def tallies(self) -> list[str]:
        """Won, equal and lost instances; empty where these are made up."""
        return [f"{n:,}" if self.judged else "" for n in (self.wins, self.ties, self.losses)]

    def turned(self) -> Pair:
        """The same with x and y exchanged."""
        bins = [
            {
                **row,
                **{end: row[other] for end, other in MIRROR.items()},
                "difference": None if row["difference"] is None else -row["difference"],
            }
            for row in self.bins
        ]
        low, high, mean = (None if n is None else -n for n in (self.high, self.low, self.mean))
        bins.sort(key=lambda row: (row["y0"], row["x0"]))
        return replace(
            self, x=self.y, y=self.x, wins=self.losses, losses=self.wins,
            mean=mean, low=low, high=high, bins=bins,
        )  # fmt: skip


def read_pairs(grid: pl.DataFrame) -> list[Pair]:
    """The pairs in the order of the grid."""
    bins = ("x0", "x1", "y0", "y1", "samples", "difference")
    pairs: dict[tuple[str, str], Pair] = {}
    for cell, row in enumerate(grid.iter_rows(named=True)):
        models = row["x_model"], row["y_model"]
        if models not in pairs:
            pairs[models] = Pair(
                *models, row["pair_n"], row["wins"], row["ties"], row["losses"], row["mean"],
                row["simultaneous_low"], row["simultaneous_high"], row["p_holm"], row["units"],
                row.get("unjudged") or "", [],
            )  # fmt: skip
        pairs[models].bins.append({name: row[name] for name in bins} | {"cell": cell})
    return [*pairs.values()]


def across(grid: pl.DataFrame) -> int:
    """How many bins the grid has along each axis."""
    return grid["x0"].n_unique()


def are_verdicts(grid: pl.DataFrame, entry: Entry) -> bool:
    """Whether each instance is right or wrong, so that four numbers say all of a pair."""
    return entry.bins is None and across(grid) == VERDICTS


def span(low: float, high: float) -> str:
    """From one edge of a bin to the other."""
    return f"{show(low, '.3~g')} to {show(high, '.3~g')}"


def lead_text(row: Row) -> str:
    """The mean difference in a bin; empty where it is empty."""
    return "" if row["difference"] is None else show(row["difference"], SIGNED)
