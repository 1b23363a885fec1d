"""Facts of a column: its type, values and scale, and whether it may be the score."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from heatproof.init.words import holds, verdict, weight
from heatproof.util.lazy import polars as pl

SENTINELS = (-1.0, -99.0, -999.0, 999.0)
"""Numbers that stand for none, where all others lie on a scale that begins at 0."""
DATE = re.compile(r"\d{4}-\d\d-\d\d|\d{8}[-_T]?\d{4}")
LONG = 60  # characters of a text, on average, that is no name
SHOWN = 40  # values that are kept of a column


class Facts(NamedTuple):
    """Of a column."""

    name: str
    type: str
    """bool, int, float, text, long (a text of sentences), empty."""
    distinct: int
    missing: float
    """Part of the rows that have none."""
    values: list[Any]
    """The first of those that differ, in their order."""
    low: float = 0.0
    high: float = 0.0
    sentinel: float | None = None

    @property
    def constant(self) -> bool:
        """Whether all rows are alike; absent is a value."""
        return self.distinct + (self.missing > 0) <= 1

    @property
    def dated(self) -> bool:
        """Whether values are dates, whatever the column is called."""
        dates = sum(bool(DATE.match(str(value))) for value in self.values)
        return self.type == "text" and bool(dates) and dates >= 0.9 * len(self.values)

    @property
    def prompt(self) -> bool:
        """Whether values are sentences that may be what was asked."""
        sentences = sum(" " in str(value) for value in self.values) >= 0.9 * len(self.values)
        return self.type in ("text", "long") and sentences and holds("prompts", self.name)

    @property
    def single(self) -> bool:
        """Whether values are right or wrong, as of single problems."""
        binary = self.type == "int" and self.low >= 0 and self.high <= 1
        return self.type in ("bool", "text") or binary


def facts_of(series: pl.Series) -> Facts:
    """The facts of a column."""
    values, name = series.drop_nulls(), series.name
    missing = 1 - len(values) / len(series)
    if not len(values):
        return Facts(name, "empty", 0, 1.0, [])
    some = sorted(values.unique().to_list(), key=lambda v: (isinstance(v, str), v))[:SHOWN]
    facts = Facts(name, "text", values.n_unique(), missing, some)
    if series.dtype == pl.Boolean:
        return facts._replace(type="bool", low=float(min(some)), high=float(max(some)))
    if series.dtype == pl.String:
        mean, lines = values.str.len_chars().mean(), values.str.contains("\n").mean()
        return facts._replace(type="long") if mean > LONG or lines > 0.2 else facts  # type: ignore[operator]
    scale, sentinel = values.cast(pl.Float64), None
    for none in SENTINELS:
        rest = scale.filter(scale != none)
        low, high = number(rest.min()), number(rest.max())
        many = rest.n_unique() > 2 or (rest.n_unique() == 2 and high > 1)
        if len(rest) < len(scale) and many and low >= 0 and (none < 0 or high <= 100):
            scale, sentinel = rest, none
    type_ = "int" if bool((scale == scale.round()).all()) else "float"
    low, high = number(scale.min()), number(scale.max())
    return Facts(name, type_, scale.n_unique(), missing, some, low, high, sentinel)


def number(value: Any) -> float:
    """A result of polars as a number; 0 for none."""
    return float(value or 0)


def score_weight(facts: Facts, rows: int) -> float:
    """How likely a column is the score, by its name and its values alone."""
    if facts.type in ("long", "empty"):
        return -9.0
    total = weight("score", facts.name) - weight("not_score", facts.name)
    total -= 6.0 * (facts.distinct <= 1) + 1.5 * facts.missing - 0.15 * len(str(rows))
    if facts.type == "text":
        if facts.distinct > 4:
            return -9.0
        verdicts = all(verdict(value) is not None for value in facts.values)
        graded = any(holds("graded", str(value)) for value in facts.values)
        return total + (1.0 + 0.7 * graded if verdicts and facts.distinct > 1 else -0.5)
    if facts.type == "bool":
        return total + 1.2
    scales = [(facts.single and facts.high == 1, 1.0), (0 <= facts.low <= facts.high <= 1, 0.7)]
    scales += [(-10 <= facts.low <= facts.high <= 100, 0.3), (True, -1.0)]
    return total + next(bonus for fits, bonus in scales if fits)
