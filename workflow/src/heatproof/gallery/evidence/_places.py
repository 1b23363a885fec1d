"""Where records lie, told briefly: stretches of consecutive lines instead of single ones."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

from heatproof.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

PLACE = ["log", "member", "line", "offset", "length"]
BUDGET = 6_000
"""Stretches told for a figure at most: its page stays readable and small."""


class Logs:
    """Paths of logs, each kept once and then known by its number."""

    def __init__(self) -> None:
        self.paths: dict[tuple[str, str], int] = {}

    def number(self, log: str, member: str) -> int:
        return self.paths.setdefault((log, member), len(self.paths))

    def listed(self) -> list[str | list[str]]:
        """A path each, or path and member of an archive."""
        return [[log, member] if member else log for log, member in self.paths]


def stretches(rows: pl.DataFrame, by: str) -> pl.DataFrame:
    """Rows of a samples table → a row per stretch of consecutive lines of one log.

    Args:
        rows: the columns of `PLACE`, and `by`: a whole number that tells whose rows these are.
        by: stretches never reach from one of its values to another.

    Returns:
        `by`, `log`, `member`, `first` and `last` line (from 1), `start` and `end` (bytes, the
        end not included), `rows`; in the order of these.
    """
    ordered = rows.select(by, *PLACE).sort(by, *PLACE)
    step = pl.col("line") - pl.col("line").shift(1)
    same = pl.all_horizontal(
        *(pl.col(name) == pl.col(name).shift(1) for name in (by, "log", "member"))
    )
    begins = ~(same & step.is_in([0, 1])).fill_null(value=False)
    return (
        ordered.with_columns(stretch=begins.cum_sum())
        .group_by("stretch", maintain_order=True)
        .agg(
            pl.col(by, "log", "member").first(),
            pl.col("line").first().alias("first"),
            pl.col("line").last().alias("last"),
            pl.col("offset").first().alias("start"),
            (pl.col("offset") + pl.col("length")).last().alias("end"),
            pl.len().cast(pl.Int64).alias("rows"),
        )
        .drop("stretch")
    )


def told(found: pl.DataFrame, by: str, most: int, logs: Logs) -> dict[int, list[Any]]:
    """Value of `by` → its first `most` stretches, by log.

    Each item is [number of the log, [first, last, start, end], …]; what is left out is told by a
    last item [-1, stretches, rows].
    """
    groups = groupby(found.iter_rows(named=True), key=lambda row: int(row[by]))
    return {key: _told(list(rows), most, logs) for key, rows in groups}


def _told(rows: Sequence[dict[str, Any]], most: int, logs: Logs) -> list[Any]:
    kept, rest = rows[:most], rows[most:]
    items: list[Any] = []
    for (log, member), lines in groupby(kept, key=lambda row: (row["log"], row["member"])):
        spans = ([row[key] for key in ("first", "last", "start", "end")] for row in lines)
        items.append([logs.number(log, member), *spans])
    return items + ([[-1, len(rest), sum(row["rows"] for row in rest)]] if rest else [])


def fair(counts: Iterable[int], budget: int = BUDGET) -> int:
    """The most that each may tell, so that all together keep to the budget; 0 for too many."""
    left, waiting = budget, sorted(counts)
    for done, count in enumerate(waiting):
        share = left // (len(waiting) - done)
        if count > share:
            return share
        left -= count
    return max(waiting, default=1)
