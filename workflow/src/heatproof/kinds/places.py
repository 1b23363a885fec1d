"""Where records lie, told briefly: stretches of consecutive lines instead of single ones."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

from heatproof.util.lazy import numpy as np
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

ORDER = ["log", "member", "first", "start"]
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
    """Where records lie, taken in portions: of each owner the first stretches, as many as are told.

    What is held grows with what is told, not with the records.
    """

    def __init__(self, by: str, most: int | None = None) -> None:
        """`by`: the column of an owner's number; `most`: told of each, else a fair share."""
        self._by, self._most = by, most
        self._first: list[pl.DataFrame] = []
        self._all: list[pl.DataFrame] = []

    def add(self, rows: pl.DataFrame) -> None:
        """Note the places of records: `by` and the place columns, of each log all or none."""
        by, found = self._by, stretches(rows, self._by)
        sums = [*self._all, found.select(by, "rows", pl.lit(1, pl.Int64).alias("stretches"))]
        whole = pl.concat(sums).group_by(by).agg(pl.col("rows", "stretches").sum())
        self._all = [whole.sort(by)]
        ordered = pl.concat([*self._first, found]).sort(by, *ORDER)
        self._first = [ordered.filter(pl.int_range(pl.len()).over(by) < self._share())]

    def _share(self) -> int:
        """Stretches told of one owner. The more there are, the fewer: none is dropped too early."""
        return fair(self._all[0]["stretches"]) if self._most is None else self._most

    def told(self, logs: Logs) -> dict[int, list[Any]]:
        """Owner → its first stretches, by log.

        Each item is [number of the log, [first, last, start, end], …]; what is left out is told by
        a last item [-1, stretches, rows].
        """
        if not self._all:
            return {}
        kept = {
            int(owner): list(rows)
            for owner, rows in groupby(
                self._first[0].iter_rows(named=True), key=lambda row: row[self._by]
            )
        }
        whole = self._all[0].select(self._by, "stretches", "rows").iter_rows()
        return {int(owner): _told(kept.get(owner, []), n, rows, logs) for owner, n, rows in whole}


def _told(kept: Sequence[dict[str, Any]], stretches: int, rows: int, logs: Logs) -> list[Any]:
    items: list[Any] = []
    for (log, member), lines in groupby(kept, key=lambda row: (row["log"], row["member"])):
        spans = ([row[key] for key in ("first", "last", "start", "end")] for row in lines)
        items.append([logs.number(log, member), *spans])
    left = stretches - len(kept)
    return items + ([[-1, left, rows - sum(row["rows"] for row in kept)]] if left else [])


def stretches(rows: pl.DataFrame, by: str) -> pl.DataFrame:
    """Rows of a samples table → a row per stretch of consecutive lines of one log.

    Args:
        rows: the place columns, and `by`: a whole number that tells whose rows these are.
        by: stretches never reach from one of its values to another.

    Returns:
        `by`, `log`, `member`, `first` and `last` line (from 1), `start` and `end` (bytes, the
        end not included), `rows`; in the order of these.
    """
    logs = rows.select(pl.col("log", "member").cast(pl.Categorical).to_physical())
    owners = [rows[by].to_numpy(), logs["log"].to_numpy(), logs["member"].to_numpy()]
    order = _order(owners, rows["offset"].to_numpy())
    step = np.diff(rows["line"].to_numpy()[order])
    new = np.ones(len(order), bool)
    new[1:] = (step != 0) & (step != 1)
    for values in owners:
        new[1:] |= np.diff(values[order]) != 0
    first = np.flatnonzero(new)
    last = np.append(first[1:], len(new)) - 1 if len(first) else first
    heads, ends = rows[order[first]], rows[order[last]]
    return pl.DataFrame(
        {
            by: heads[by],
            "log": heads["log"],
            "member": heads["member"],
            "first": heads["line"],
            "last": ends["line"],
            "start": heads["offset"],
            "end": ends["offset"] + ends["length"],
            "rows": pl.Series(last - first + 1, dtype=pl.Int64),
        }
    ).sort(by, *ORDER)


def _order(owners: Sequence[NDArray[Any]], offset: NDArray[np.int64]) -> NDArray[np.int64]:
    """The order of records by owners, then as they lie in the log."""
    code, size = np.zeros(len(offset), np.int64), 1
    for values in owners:
        width = int(values.max(initial=0)) + 1
        code, size = code * width + values, size * width
    end = int(offset.max(initial=0)) + 1
    if size * end >= 1 << 63:
        return np.lexsort([offset, *reversed(owners)])
    return np.argsort(code * end + offset, kind="stable")


def fair(counts: Iterable[int], budget: int = BUDGET) -> int:
    """The most that each may tell, so that all together keep to the budget; 0 for too many."""
    left, waiting = budget, sorted(counts)
    for done, count in enumerate(waiting):
        share = left // (len(waiting) - done)
        if count > share:
            return share
        left -= count
    return max(waiting, default=1)
