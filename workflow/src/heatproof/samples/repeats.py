"""What only shows when rows lie together: several runs in a log, and samples that stand twice."""

from __future__ import annotations

import math
from itertools import repeat
from typing import TYPE_CHECKING, Any

from heatproof.config import roles
from heatproof.logs import streams
from heatproof.readers.api import Batch, Place, Reject, excerpt
from heatproof.util.errors import Error
from heatproof.util.lazy import numpy as np
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from heatproof.samples.frames import Refused

EXCERPTS = 1000
"""Repeats that are shown with an excerpt; each has its place, and often all of a log repeats."""


class Settings:
    """Which models, tasks and hyper-parameters each log holds: several are several runs."""

    def __init__(self, names: Iterable[str]) -> None:
        self.names = list(names)
        self._log, self._seen = "", dict[str, set[tuple[Any, ...]]]()
        self._several: set[str] = set()

    def add(self, log: str, batch: Batch) -> None:
        """Look at a batch; those of one log come one after the other."""
        if log != self._log:
            self._log, self._seen = log, {}
        seen = self._seen.setdefault(batch.member, set())
        shared = tuple(map(batch.shared.get, self.names))
        if batch.columns.keys().isdisjoint(self.names):
            seen.add(shared)
        else:
            pairs = zip(map(batch.columns.get, self.names), shared, strict=True)
            seen.update(zip(*(repeat(v) if c is None else c for c, v in pairs), strict=False))
        if len(seen) > 1:
            self._several.add(log)

    def several(self) -> list[str]:
        """Logs that hold several runs."""
        return sorted(self._several)

    def named(self, rows: pl.DataFrame) -> pl.DataFrame:
        """The rows with each run of a log that holds several named: `log#ratio=0.1,…`."""
        told = [pl.format(f"{name}={{}}", _word(rows[name])) for name in self.names]
        name = pl.format("{}#{}", "run", pl.concat_str(told, separator=","))
        several = pl.col("log").is_in(self.several())
        return rows.with_columns(pl.when(several).then(name).otherwise("run").alias("run"))


def _word(values: pl.Series) -> pl.Series:
    """Settings as config.yaml would write them."""
    if values.dtype == pl.Float64:  # as Python writes them
        words = [None if value is None else str(value) for value in values.to_list()]
        return pl.Series(words, dtype=pl.String).fill_null("none")
    return values.cast(pl.String).fill_null("none")


class Repeats:
    """Takes out of sorted rows those whose key stood in the row before."""

    def __init__(self, root: Path, apart: str = "") -> None:
        """`apart`: what of config.yaml would tell repetitions apart."""
        self._root = root
        hint = f"; {apart} in config.yaml tells repetitions of one sample apart" if apart else ""
        self._reason = f"repeats a record: the same sample, epoch, run and scorer{hint}"
        self._unlike = self._reason if apart else f"{self._reason}; and its score is another"
        self._last: tuple[Any, ...] | None = None
        self._score = math.nan
        self._shown = 0

    def split(self, rows: pl.DataFrame) -> tuple[pl.DataFrame, list[Refused]]:
        """The rows of a piece without repeats, and these as rejects."""
        again = self._again(rows.select(roles.KEY))
        if not again.any():
            score = rows["score"][-1]
            self._score = math.nan if score is None else score
            return rows, []
        unlike = self._is_unlike(rows["score"].to_numpy(), again)
        repeated = rows.filter(again).to_dicts()
        told = [self._unlike if other else self._reason for other in unlike[again]]
        return rows.filter(~again), list(self._rejects(repeated, told))

    def _again(self, keys: pl.DataFrame) -> NDArray[np.bool_]:
        """Whether the key of each row stood in the row before."""
        same = keys.select(pl.all_horizontal(pl.all() == pl.all().shift())).to_series()
        found = same.fill_null(value=False).to_numpy(writable=True)
        found[0] = keys.row(0) == self._last
        self._last = keys.row(-1)
        return found

    def _is_unlike(self, scores: NDArray[Any], again: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Whether the score of each row is another than that of the row that it repeats."""
        first = np.maximum.accumulate(np.where(again, -1, np.arange(len(scores))))
        kept = np.where(first < 0, self._score, scores[first])
        self._score = kept[-1]
        other: NDArray[np.bool_] = (scores != kept) & ~(np.isnan(scores) & np.isnan(kept))
        return other

    def _rejects(self, rows: list[dict[str, Any]], reasons: list[str]) -> Iterator[Refused]:
        shown = self._excerpts(rows[: EXCERPTS - self._shown])
        self._shown += len(shown)
        for at, row in enumerate(rows):
            place = Place(row["line"], row["offset"], row["length"])
            data = shown[at] if at < len(shown) else ""
            yield row["log"], Reject(place, reasons[at], data, row["member"], told=row)

    def _excerpts(self, rows: list[dict[str, Any]]) -> list[str]:
        places: dict[tuple[str, str], list[tuple[int, int]]] = {}
        wanted = [(r["log"], r["member"], r["offset"], min(r["length"], 400)) for r in rows]
        for log, member, *place in wanted:
            places.setdefault((log, member), []).append((place[0], place[1]))
        found = {place: self._bytes(*place, some) for place, some in places.items()}
        cut = (found[log, member].get((at, size), b"") for log, member, at, size in wanted)
        return [excerpt(data) for data in cut]

    def _bytes(
        self, log: str, member: str, places: list[tuple[int, int]]
    ) -> dict[tuple[int, int], bytes]:
        try:
            return streams.slices(self._root / log, places, member)
        except (OSError, Error):  # it is gone, or another, since it was read
            return {}
