"""Where records lie, briefly: stretches of consecutive lines instead of single ones."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterable

ORDER = ["log", "member", "first", "start"]
SPAN = ("first", "last", "start", "end")
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


class Stretches:
    """Where records lie, taken in portions: of each owner the first stretches, as many as fit.

    What is held grows with what is listed, not with the records.
    """

    def __init__(self, by: str) -> None:
        """`by`: the column of an owner's number."""
        self._by = by
        self._first: list[pl.DataFrame] = []
        self._sums: list[pl.DataFrame] = []

    def add(self, rows: pl.DataFrame) -> None:
        """Note the places of records: `by` and the place columns, of each log all or none."""
        by, parts = self._by, stretches(rows, self._by)
        sums = [*self._sums, parts.select(by, "rows", pl.lit(1, pl.Int64).alias("stretches"))]
        self._sums = [pl.concat(sums).group_by(by).agg(pl.col("rows", "stretches").sum()).sort(by)]
        # The more there are, the fewer of one owner: none is dropped too early.
        most = fair(self._sums[0]["stretches"])
        ordered = pl.concat([*self._first, parts]).sort(by, *ORDER)
        self._first = [ordered.filter(pl.int_range(pl.len()).over(by) < most)]

    def first_stretches(self, logs: Logs) -> dict[int, list[Any]]:
        """Owner → its first stretches, by log.

        Each item is [number of the log, [first, last, start, end], …]; what is left out is summed
        up in a last item [-1, stretches, rows].
        """
        if not self._sums:
            return {}
        rows = self._first[0].iter_rows(named=True)
        first = {owner: list(part) for owner, part in groupby(rows, lambda row: row[self._by])}
        items: dict[int, list[Any]] = {}
        for owner, records, count in self._sums[0].rows():
            lines = first.get(owner, [])
            items[int(owner)] = [
                [logs.number(*log), *([row[key] for key in SPAN] for row in part)]
                for log, part in groupby(lines, lambda row: (row["log"], row["member"]))
            ]
            if left := count - len(lines):
                items[int(owner)].append([-1, left, records - sum(row["rows"] for row in lines)])
        return items


def stretches(rows: pl.DataFrame, by: str) -> pl.DataFrame:
    """Rows of a samples table → a row per stretch of consecutive lines of one log.

    Args:
        rows: the place columns, and `by`: a whole number that tells whose rows these are.
        by: stretches never reach from one of its values to another.

    Returns:
        `by`, `log`, `member`, `first` and `last` line (from 1), `start` and `end` (bytes, the
        end not included), `rows`; in the order of these.
    """
    owner = [by, "log", "member"]
    apart = [pl.col(name) != pl.col(name).shift() for name in owner]
    new = pl.any_horizontal(*apart, ~pl.col("line").diff().is_in([0, 1])).fill_null(value=True)
    ordered = rows.sort(*owner, "offset", maintain_order=True).with_columns(new=new.cum_sum())
    parts = ordered.group_by(*owner, "new", maintain_order=True).agg(
        first=pl.col("line").first(),
        last=pl.col("line").last(),
        start=pl.col("offset").first(),
        end=(pl.col("offset") + pl.col("length")).last(),
        rows=pl.len().cast(pl.Int64),
    )
    return parts.drop("new").sort(by, *ORDER)


def fair(counts: Iterable[int], budget: int = BUDGET) -> int:
    """The most that each may tell, so that all together keep to the budget; 0 for too many."""
    left, waiting = budget, sorted(counts)
    for done, count in enumerate(waiting):
        share = left // (len(waiting) - done)
        if count > share:
            return share
        left -= count
    return max(waiting, default=1)
