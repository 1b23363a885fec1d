"""Samples that were asked for, but whose records have no score: each lacks in its run."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from heatproof.readers.api import Declared
from heatproof.samples import columns, rowgroups
from heatproof.samples.held import MOST

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

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

    def declared(self, samples: Path | None) -> dict[str, list[Declared]]:
        """Log → the epochs of each problem of which one is lost, with those that are there.

        `samples`: the table of the others, where it was written. What stands in it was not lost.
        """
        for log, settings, name, epoch in self._there(samples) if samples and self._logs else ():
            runs = self._logs.get(log, {})
            if settings in runs and name in runs[settings]:
                runs[settings][name].add(epoch)
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

    def _there(self, samples: Path) -> Iterator[tuple[str, Settings, str, int]]:
        names = ["log", "sample_id", "epoch", *self._names]
        with rowgroups.opened(samples, ["log", "sample_id", *self._names]) as file:
            for group in range(file.num_row_groups):
                rows = rowgroups.read(file, group, names)
                if self._logs.keys().isdisjoint(columns.distinct(columns.array(rows, "log"))):
                    continue
                lists = (columns.array(rows, name).to_pylist() for name in names)
                for log, name, epoch, *settings in zip(*lists, strict=True):
                    yield log, tuple(settings), name, epoch
