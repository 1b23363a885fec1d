"""Mean and spread of the scores of each run in each log, repeats reduced as harnesses do it.

Read off the samples tables piece by piece, so in bounded memory. Sums in a piece are exact, and
pieces are put together in their order: no number depends on the machine.
"""

from __future__ import annotations

from math import fsum, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from heatproof.config.roles import settings
from heatproof.samples import columns, tallying
from heatproof.statistics.reductions import is_known, reduced

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray


class Moments(NamedTuple):
    """What values add up to: how many, their mean, the sum of squares around it."""

    n: int = 0
    mean: float = 0.0
    squares: float = 0.0

    def plus(self, other: Moments) -> Moments:
        """Both together (Chan, Golub, LeVeque 1979)."""
        n = self.n + other.n
        if not n:
            return self
        gap = other.mean - self.mean
        squares = self.squares + other.squares + gap * gap * self.n * other.n / n
        return Moments(n, self.mean + gap * other.n / n, squares)

    def statistic(self, name: str) -> float | None:
        """Mean, var, std or stderr; None where there are too few values for it."""
        if name == "mean":
            return self.mean if self.n else None
        if not self.n:
            return None
        # Of a single value harnesses print 0, or nothing.
        variance = self.squares / (self.n - 1) if self.n > 1 else 0.0
        return {"var": variance, "std": sqrt(variance), "stderr": sqrt(variance / self.n)}[name]


class Scored(NamedTuple):
    """The scores of one run in one log, by one scorer."""

    log: str
    run: str
    scorer: str
    settings: dict[str, Any]
    """Model, task and hyper-parameters."""
    samples: int
    by: dict[str, Moments]
    """Reduction of the repeats → the moments of what it leaves."""

    def plus(self, other: Scored) -> Scored:
        """Both together, where their runs may be taken as one."""
        by = {over: mine.plus(other.by[over]) for over, mine in self.by.items()}
        return self._replace(samples=self.samples + other.samples, by=by)


def gather(tables: Iterable[Path], overs: Collection[str]) -> list[Scored]:
    """The scores in samples tables of one source, by the reductions `overs`, if they are known."""
    wanted = sorted({"mean", *filter(is_known, overs)})
    found: dict[tuple[Any, ...], Scored] = {}
    for table in tables:
        *named, _ = settings(pq.read_schema(table).names)
        told = ["log", "run", "scorer", *named]
        for rows in tallying.pieces(table, [*told, "sample_id", "score"]):
            for one in _scored(rows, told, wanted):
                key = (one.log, one.run, one.scorer, *one.settings.values())
                found[key] = found[key].plus(one) if key in found else one
    return list(found.values())


def _scored(rows: pa.Table, told: list[str], overs: Sequence[str]) -> Iterator[Scored]:
    scores, there = columns.values(columns.array(rows, "score"))
    # The rows of each scorer together, and in them those of each problem, by epoch.
    scorer = columns.codes(columns.array(rows, "scorer"))[0]
    order = np.argsort(scorer, kind="stable")
    order = order[there[order]]
    if not len(order):
        return
    rows, scores = rows.take(pa.array(order)).combine_chunks(), scores[order]
    first = np.flatnonzero(tallying.starts(rows, [*told, "sample_id"]))
    begin = np.flatnonzero(tallying.starts(rows, told))
    heads = rows.take(pa.array(begin)).select(told).to_pylist()
    ends = [*begin[1:], len(rows)]
    parts = {over: _values(scores, first, over) for over in overs}
    for head, start, end in zip(heads, begin, ends, strict=True):
        log, run, scorer_, *_ = head.values()
        named = {name: head[name] for name in told[3:]}
        inside = slice(*np.searchsorted(first, [start, end]))
        by = {
            over: _moments(values[start:end] if over == "all" else values[inside])
            for over, values in parts.items()
        }
        yield Scored(log, run, scorer_, named, int(end - start), by)


def _values(scores: NDArray[Any], first: NDArray[Any], over: str) -> NDArray[np.float64]:
    return reduced(scores.astype(np.float64), first, over)


def _moments(values: NDArray[np.float64]) -> Moments:
    values = values[~np.isnan(values)]
    if not len(values):
        return Moments()
    mean = fsum(values) / len(values)
    return Moments(len(values), mean, fsum((values - mean) ** 2))
