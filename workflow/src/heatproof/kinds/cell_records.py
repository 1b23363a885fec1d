"""The records behind a number, and how a cell is named: `task=AIME24,ratio=0.3`.

Where they lie is told briefly: stretches of consecutive lines instead of single ones.
"""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING, Any

import msgspec

from heatproof.config import roles
from heatproof.config.entries import spelling
from heatproof.util import spreadsheet
from heatproof.util.errors import Error, choices
from heatproof.util.lazy import numpy as np
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from heatproof.config.entries import Word


SHOWN = (*roles.SETTINGS, *roles.KEY[1:])
"""Columns that say which answer a record grades."""


Recounted = tuple[str, float | None, float | None, bool]
"""Cell, its value, the one counted anew, whether all that was counted agrees."""


class Part(msgspec.Struct):
    """Some of the records: all of a cell, those of a task, or those of an instance."""

    title: str
    value: float | None
    samples: int
    epochs: int
    records: list[dict[str, Any]]


class Behind(msgspec.Struct):
    """A number of a figure with all that it was made of."""

    cell: dict[str, Any]
    metric: str
    value: float | None
    """As the grid has it."""
    samples: int
    epochs: int
    counted: float | None
    """The same counted anew from `parts`."""
    agrees: bool | None
    """Whether value, problems and epochs counted anew are those of the grid; None: not counted."""
    parts: list[Part]
    note: str = ""
    """What is not told, and why."""
    changed: list[str] = []
    """Logs that are not as they were when the figure was made, in words."""
    grown: list[str] = []
    """Logs to which more was added since; they were read as far as they were. In words."""
    unread: list[str] = []
    """Logs that could not be read again: their records are as the samples table has them."""
    gap: str = ""
    """Why there is no value by the records; empty where there is one."""
    failed: list[str] = []
    """Where there is no record: the logs that were to hold some."""
    asked: str = ""
    """Where not all problems of a data set were asked for: how many, in words."""
    expected: int | None = None
    """Records that a complete run would hold; None where the kind does not know."""
    heads: dict[str, str] = {}
    """Column → place in the head of its log, of what stands beside the records."""
    against: str = ""
    """What the value is made of where it is one beside a baseline, in words."""
    beside: str = ""
    """What is printed beside the value, in words."""
    printed: str = ""
    """Of aggregates: that they are such, and what was printed beside them."""


def parse(text: str) -> dict[str, str]:
    """`task=a,ratio=0.3` as names and values; a value may hold commas.

    Raises:
        Error: a part has no `=`.
    """
    values: dict[str, str] = {}
    for part in re.split(r",(?=[^,=]+=)", text) if text else []:
        name, equals, value = part.partition("=")
        if not equals:
            raise Error(f"--cell: {part!r} is not name=value")
        values[name.strip()] = value.strip()
    return values


def pick(name: str, text: str | None, values: Iterable[Any], names: Mapping[Any, str] = {}) -> Any:
    """The one of `values` that a text means; where there is only one, it need not be named.

    `names`: value → what the figure calls it, which will do as well.

    Raises:
        Error: none is meant, or there are several and no text.
    """
    values = list(values)
    if text is None:
        if len(values) == 1:
            return values[0]
        raise Error(f"--cell: which {name}? {choices('', map(spelling, values))}")
    for value in values:
        words = str(value), spelling(value), names.get(value)
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        right = text in (*words, spreadsheet.guarded(words[0]))
        if right or (number and _number(text) == value):
            return value
    raise Error(f"--cell: {name}={text}: {choices(text, map(spelling, values))}")


def require_known(cell: Mapping[str, str], keys: Sequence[str]) -> None:
    """Raises Error where a name is not one of those that tell cells apart."""
    for name in cell:
        if name not in keys:
            raise Error(f"--cell: {name!r} does not tell cells apart; {choices(name, keys)}")


def where(values: Mapping[str, Word | list[Word]]) -> pl.Expr:
    """The condition under which a sample belongs to a figure."""
    tests = [
        pl.col(column).is_in(value if isinstance(value, list) else [value])
        for column, value in values.items()
    ]
    return pl.all_horizontal(tests) if tests else pl.lit(value=True)


def as_dicts(rows: pl.DataFrame, measure: str, *also: str) -> list[dict[str, Any]]:
    """The records as plain values: place, sample, what was measured as `value`, columns `also`."""
    columns = [*roles.PLACE, *SHOWN, pl.col(measure).alias("value"), *also]
    return ordered(rows).select(columns).to_dicts()


def ordered(rows: pl.DataFrame) -> pl.DataFrame:
    """The rows in the order in which they are told; one record may hold several."""
    return rows.sort("task", *roles.PLACE[:-1], *roles.KEY[1:])


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


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

    def __init__(self, by: str, most: int | None = None) -> None:
        """`by`: the column of an owner's number; `most`: listed of each, else a fair share."""
        self._by, self._most = by, most
        self._first: list[pl.DataFrame] = []
        self._sums: list[pl.DataFrame] = []

    def add(self, rows: pl.DataFrame) -> None:
        """Note the places of records: `by` and the place columns, of each log all or none."""
        by, parts = self._by, stretches(rows, self._by)
        sums = [*self._sums, parts.select(by, "rows", pl.lit(1, pl.Int64).alias("stretches"))]
        total = pl.concat(sums).group_by(by).agg(pl.col("rows", "stretches").sum())
        self._sums = [total.sort(by)]
        # The more there are, the fewer of one owner: none is dropped too early.
        most = fair(self._sums[0]["stretches"]) if self._most is None else self._most
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
        for owner, count, records in (
            self._sums[0].select(self._by, "stretches", "rows").iter_rows()
        ):
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
