"""Samples that were asked for, but whose records have no score: each lacks in its run."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from heatproof.readers.api import Declared
from heatproof.samples.held import MOST
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from heatproof.readers.api import Reject

    Settings = tuple[Any, ...]
    Epochs = defaultdict[str, set[int]]

WITHOUT = {"model": "", "task": ""}
"""What records are of that do not say."""


class Lost:
    """The samples of refused records, as far as these tell them: of each run the first ones."""

    def __init__(self, names: Sequence[str], defaults: Mapping[str, Any]) -> None:
        """`names`: of the settings."""
        self._names, self._defaults = names, {**WITHOUT, **defaults}
        self._logs: dict[str, dict[Settings, Epochs]] = {}
        self._runs: dict[tuple[str, Settings], str] = {}

    def add(self, log: str, refused: Reject) -> None:
        """Look at a refused record."""
        if refused.of is None or (name := refused.of.get("sample_id")) is None:
            return
        told = self._defaults | {n: v for n, v in refused.of.items() if v is not None}
        settings = tuple(map(told.get, self._names))
        runs = self._logs.setdefault(log, {})
        epochs = runs.setdefault(settings, defaultdict(set))
        if name in epochs or len(epochs) <= MOST:
            epochs[str(name)].add(told.get("epoch", 0))
        self._runs[log, settings] = told.get("run", log)

    def declared(self, samples: pl.LazyFrame) -> dict[str, list[Declared]]:
        """Log → the epochs of each problem of which one is lost, with those that are there.

        `samples`: those of the other records, of any logs. What stands there was not lost.
        """
        for log, name, epoch, *settings in self._there(samples) if self._logs else ():
            runs = self._logs[log]
            if tuple(settings) in runs and name in runs[tuple(settings)]:
                runs[tuple(settings)][name].add(epoch)
        return {
            log: [
                Declared(
                    dict(zip(self._names, settings, strict=True))
                    | {"run": self._runs[log, settings]},
                    each={name: len(epochs) for name, epochs in sorted(found.items())},
                )
                for settings, found in runs.items()
            ]
            for log, runs in self._logs.items()
        }

    def _there(self, samples: pl.LazyFrame) -> Iterator[tuple[Any, ...]]:
        """Samples of logs and of problems of which one is lost."""
        names = {name for runs in self._logs.values() for found in runs.values() for name in found}
        of = pl.col("log").is_in([*self._logs]) & pl.col("sample_id").is_in(sorted(names))
        found = samples.filter(of).select("log", "sample_id", "epoch", *self._names)
        return found.collect(engine="streaming").iter_rows()
