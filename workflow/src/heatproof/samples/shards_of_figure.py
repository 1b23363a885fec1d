"""The shards that hold what a figure shows: a sweep may have a hundred more, and none is opened.

Its mistakes are told in values as logs have them, where the `range` of a source brought them to
0–1.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.config import paths
from heatproof.samples import selection, shard_index, tables
from heatproof.samples.shard_index import ShardIndex
from heatproof.util.errors import Error, Lasting

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from heatproof.config.entries import Figure
    from heatproof.samples.shard_index import Log
    from heatproof.util.lazy import polars as pl

    Scale = Sequence[float]
    """What 0 and 1 are in the log."""


DIGITS = 12
"""Of a number that is brought back: the last ones are what brought it to 0–1."""


class Unfit(Lasting):
    """A value of a log that a figure cannot show; told as it stands there if its scale is known."""

    def __init__(self, column: str, words: Callable[[Callable[[float], str]], str]) -> None:
        """`words` makes the message, by what spells a value of a `column`."""
        super().__init__(words(lambda value: f"{value:.{DIGITS}g}"))
        self.column, self.words = column, words

    def on(self, scales: Mapping[str, Scale]) -> Error:
        """The same with values on the scale of the log; `scales`: of columns that have one."""
        low, high = scales.get(self.column) or (0.0, 1.0)
        return Error(self.words(lambda value: f"{low + value * (high - low):.{DIGITS}g}"))


def scales_of(source: Mapping[str, Any]) -> dict[str, Scale]:
    """Column → what its 0 and 1 are in the logs of a source, given by its plain values."""
    told = source.get("range") or {}
    return {**told} if isinstance(told, dict) else {"score": told}


class ShardsOfFigure(NamedTuple):
    """Some shards of a source."""

    samples: list[str]
    """Paths of their tables."""
    logs: dict[str, Log]
    """What the figure shows of them, by path."""
    columns: Sequence[str] = ()
    """Columns that tell the settings of the logs."""
    expect: int | dict[str, int] | None = None
    """What config.yaml expects of each run (`Source.expect`)."""
    scales: Mapping[str, Sequence[float]] = {}
    """Of columns that were brought to 0–1, what these are in the logs."""

    @property
    def counts(self) -> list[str]:
        """Paths of their counts."""
        return [paths.counts(path) for path in self.samples]

    def portions(self) -> list[pl.LazyFrame]:
        """Their samples, in portions to be held in memory one at a time."""
        return tables.shards([Path(path) for path in self.samples], tables.MANY)

    def partial(self) -> list[pl.LazyFrame]:
        """Their counts, likewise."""
        return tables.shards([Path(path) for path in self.counts])


def shards_near(
    samples: Sequence[str],
    figure: Figure,
    held_in: Callable[[Path], ShardIndex] = shard_index.read_index,
) -> ShardsOfFigure:
    """Of the samples tables of a source those with logs that a figure shows, and these logs."""
    found, logs, columns = [], dict[str, shard_index.Log](), list[str]()
    for path in samples:
        shard = held_in(Path(paths.counts(path)))
        if mine := shard_index.shown_logs([shard], figure):
            found.append(path)
            logs |= mine
            columns = shard.columns
    return ShardsOfFigure(found, logs, columns)


def aggregate(
    part: Any, entry: Figure, mine: ShardsOfFigure, samples: Sequence[str]
) -> pl.DataFrame:
    """The grid of a figure by the `aggregate` part of its kind; `mine`: what is near of all the
    `samples` of its source.

    Raises:
        Error: there is none; the message tells what all of the source holds instead.
    """
    try:
        return _tried(part, entry, mine, samples)
    except Unfit as error:
        raise error.on(mine.scales) from None


def _tried(part: Any, entry: Figure, mine: ShardsOfFigure, samples: Sequence[str]) -> pl.DataFrame:
    if not all(log.is_empty() for log in mine.logs.values()):
        try:
            return _aggregate(part, entry, mine)
        except Error:
            if len(mine.samples) == len(samples):
                raise
    selection.require_some(_scanned(samples), tables.rejected(samples), entry)
    return _aggregate(part, entry, mine._replace(samples=[*samples]))


def _aggregate(part: Any, entry: Figure, some: ShardsOfFigure) -> pl.DataFrame:
    logs = ShardIndex([*some.columns], some.logs, expect=some.expect)
    further = {"logs": logs} if entry.expects() else {}
    made: pl.DataFrame = part.aggregate(_scanned(some.samples), entry, some.partial(), **further)
    return made


def _scanned(samples: Sequence[str]) -> pl.LazyFrame:
    return tables.scan([Path(path) for path in samples])
