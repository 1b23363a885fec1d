"""Mean and spread of the scores of each run in each log, repeats reduced as harnesses do it.

Read off the samples tables piece by piece, so in bounded memory. Sums in a piece are exact, and
pieces are put together in their order: no number depends on the machine.
"""

from __future__ import annotations

from math import fsum, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow.parquet as pq

from heatproof.config.roles import settings
from heatproof.samples import counting, tables
from heatproof.statistics.reductions import is_known, reduced

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from pathlib import Path

    import polars as pl
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


def gather(paths: Iterable[Path], overs: Collection[str]) -> list[Scored]:
    """The scores in samples tables of one source, by the reductions `overs`, if they are known."""
    wanted = sorted({"mean", *filter(is_known, overs)})
    found: dict[tuple[Any, ...], Scored] = {}
    for path in paths:
        *named, _ = settings(pq.read_schema(path).names)
        told = ["log", "run", "scorer", *named]
        for rows in counting.pieces(path, [*told, "sample_id", "score"]):
            for one in _scored(rows, told, wanted):
                key = (one.log, one.run, one.scorer, *one.settings.values())
                found[key] = found[key].plus(one) if key in found else one
    return list(found.values())


def _scored(rows: pl.DataFrame, told: list[str], overs: Sequence[str]) -> Iterator[Scored]:
    # The rows of each scorer together, and in them those of each problem, by epoch.
    rows = rows.drop_nulls("score").sort("scorer", maintain_order=True)
    if not len(rows):
        return
    scores = rows["score"].to_numpy()
    first = tables.starts(rows, [*told, "sample_id"])
    begin = tables.starts(rows, told)
    heads = rows.select(told)[begin].iter_rows(named=True)
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
