"""What each log holds, and by that the logs and shards that a figure shows.

`normalize` leaves it in the footer of a shard's counts (`counting.index_logs`). A grid is known by
the digests of the logs that it shows, not of whole tables: other logs of its source may come,
change and go, and every byte of the figure stays as it is. A sweep may have a hundred shards more,
and none of them is opened.
"""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from heatproof.config import paths
from heatproof.logs.refusals import Refused  # noqa: TC001 - msgspec looks it up
from heatproof.metrics import is_printed
from heatproof.samples import selection, tables
from heatproof.util import hashed
from heatproof.util.errors import Error, Lasting, Mistake
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from heatproof.config.entries import Figure, Word

    Scale = Sequence[float]
    """What 0 and 1 are in the log."""


PROBLEMS_AT_MOST = 1000
"""Settings that are told of one log; of a log with more, any could be among them."""


class Meant(msgspec.Struct, omit_defaults=True):
    """What a log says that it was to hold of a run."""

    settings: list[Any]
    """Values of `Held.columns`."""
    samples: int | None = None
    """Problems × epochs; None where the log does not tell."""
    lacks: dict[str, int] = {}
    """Problem → its epochs, of those that the log names and does not hold whole."""
    named: bool = False
    """Whether it names all problems."""
    empty: bool = False
    """Whether it holds no sample of the run."""
    lacking: int = 0
    """Samples that it lacks of problems that it does not name."""
    part: tuple[int, int] | None = None
    """Problems that were asked for, and those of the data set, where these are more."""


class Log(msgspec.Struct, omit_defaults=True):
    """What one log holds."""

    blake3: str
    settings: list[list[Any]] | None = None
    """Those of its samples, each the values of `Held.columns`; None: too many to tell."""
    beside: dict[str, str] = {}
    """Path → BLAKE3 of the sidecars that it was read with."""
    reconstructed: bool = False
    meant: list[Meant] = []
    """What it was to hold, by its own word; nothing where it does not say."""

    def is_empty(self) -> bool:
        """Whether it holds no sample: the log of a run that failed."""
        return self.settings == []


class Losses(msgspec.Struct, omit_defaults=True):
    """What was refused of the logs of a shard, beside what was not."""

    logs: int = 0
    """Logs that were read, sidecars left out."""
    records: int = 0
    kept: dict[str, int] = {}
    """Log of which something was refused → samples that it has all the same."""
    refused: list[Refused] = []


class ShardIndex(msgspec.Struct, omit_defaults=True):
    """What the logs of a shard hold."""

    columns: list[str]
    """Model, task and hyper-parameters."""
    logs: dict[str, Log]
    """Path of a log → what it holds; logs that neither hold nor declare a sample are left out."""
    losses: Losses = msgspec.field(default_factory=Losses)
    expect: int | dict[str, int] | None = None
    """As config.yaml has it (`Source.expect`): stored with no table, said by whoever looks."""

    @property
    def made_up(self) -> bool:
        """Whether some log says that which answers are right is made up."""
        return any(log.reconstructed for log in self.logs.values())

    def wanted(self, settings: Sequence[Any]) -> int | None:
        """What config.yaml expects of a run; `settings`: values of `columns`."""
        if not isinstance(self.expect, dict):
            return self.expect
        return self.expect.get(settings[self.columns.index("task")])


def read_index(counts: Path) -> ShardIndex:
    """What the logs hold that counts were made of.

    Raises:
        Error: the file is damaged.
    """
    try:
        if what := hashed.other(counts):
            raise OSError(what)
        return msgspec.json.decode(pl.read_parquet_metadata(counts)[tables.RECORD], type=ShardIndex)
    except Exception as error:  # noqa: BLE001 - a damaged file may fail in any way
        said = str(error).splitlines()[0]
        raise Error(f"{counts} does not tell what its logs hold ({said}): run snakemake") from None


def shown_logs(shards: Iterable[ShardIndex], figure: Figure) -> dict[str, Log]:
    """The logs that a figure shows samples of, or the lack of them, by path."""
    wanted = figure.shown()
    found: dict[str, Log] = {}
    for shard in shards:
        tests = _tests(shard.columns, wanted)
        found |= {path: log for path, log in shard.logs.items() if _shows(log, tests)}
    return found


def may_show(told: Mapping[str, Any] | None, figure: Figure) -> bool:
    """Whether a log may have samples that a figure shows; `told`: what its path tells of them."""
    if told is None:
        return False
    return _shows(Log("", [[*told.values()]]), _tests([*told], figure.shown()))


def _tests(columns: list[str], wanted: Mapping[str, list[Word]]) -> list[tuple[int, list[Word]]]:
    """Which of the columns must have which values; of other columns nothing is known."""
    return [(columns.index(name), v) for name, v in wanted.items() if name in columns]


def _shows(log: Log, tests: list[tuple[int, list[Word]]]) -> bool:
    """Whether a log has samples that pass, as far as its settings tell: asked of every log."""
    if log.settings is None:
        return True
    for one in chain(log.settings, (meant.settings for meant in log.meant if meant.empty)):
        for at, values in tests:
            if one[at] not in values:
                break
        else:
            return True
    return False


def meant_runs(logs: ShardIndex, figure: Figure) -> Iterator[Meant]:
    """What logs were to hold, of the runs that a figure shows."""
    tests = _tests(logs.columns, figure.shown())
    for log in logs.logs.values():
        for one in log.meant:
            if all(one.settings[at] in values for at, values in tests):
                yield one


def declared_problems(
    found: int, meant: Sequence[Meant], short: Mapping[str, int], wanted: int | None
) -> tuple[int, int | None]:
    """What is expected of a run by the word of its logs: at least, and in all if they tell.

    Several logs of the same settings make up for each other where they name what they lack. Where
    they do not, those that hold samples are parts of the run, and one that failed was done again.

    Args:
        found: samples of the run.
        meant: what its logs declare.
        short: problem → its samples, of those that a log does not hold whole.
        wanted: what config.yaml expects in all, which goes before.
    """
    lacks: dict[str, int] = {}
    for one in meant:
        lacks |= {name: max(n, lacks.get(name, 0)) for name, n in one.lacks.items()}
    least = found + sum(max(0, n - short.get(name, 0)) for name, n in lacks.items())
    least += sum(one.lacking for one in meant)
    if wanted is not None:
        return least, max(least, wanted)
    told = [one.samples for one in meant if one.samples is not None]
    if not meant or len(told) < len(meant):
        return least, None
    if len(meant) > 1 and all(one.named for one in meant):
        return least, least
    parts = [one.samples or 0 for one in meant if not one.empty]
    return least, max(least, sum(parts), *told)


def declared_part(problems: int, meant: Sequence[Meant]) -> tuple[int, int] | None:
    """Problems that a run was asked for, and those of the data set, where these are more.

    None where its logs do not say the same, or it holds more: its logs may be parts of it.

    Args:
        problems: of the run.
        meant: what its logs declare.
    """
    found = {one.part for one in meant}
    told = found.pop() if len(found) == 1 else None
    return told if told and problems <= told[0] else None


def digests(found: Mapping[str, Log]) -> dict[str, str]:
    """Path → BLAKE3 of logs and of the sidecars that they were read with."""
    beside = {path: digest for log in found.values() for path, digest in log.beside.items()}
    return beside | {path: log.blake3 for path, log in found.items()}


DIGITS = 12
"""Of a number that is brought back: the last ones are what brought it to 0–1."""


class Unfit(Lasting):
    """A value of a log that a figure cannot show; told as it stands there if its scale is known."""

    def __init__(self, column: str, words: Callable[[Callable[[float], str]], Mistake]) -> None:
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


def shards_of_figure(
    samples: Sequence[str],
    figure: Figure,
    index: Callable[[Path], ShardIndex] = read_index,
) -> ShardsOfFigure:
    """Of the samples tables of a source those with logs that a figure shows, and these logs."""
    # Whether aggregates are shares is told by all numbers of a source.
    needs_all = any(is_printed(word) for word in figure.metrics().values())
    shards = ShardsOfFigure([], {})
    for path in samples:
        shard = index(Path(paths.counts(path)))
        logs = shown_logs([shard], figure)
        if logs or needs_all:
            shards = shards._replace(
                samples=[*shards.samples, path], logs=shards.logs | logs, columns=shard.columns
            )
    return shards


def aggregate(
    part: Any, entry: Figure, shards: ShardsOfFigure, samples: Sequence[str]
) -> pl.DataFrame:
    """The grid of a figure by the `aggregate` part of its kind.

    `shards`: those that the figure needs, of all the `samples` of its source.

    Raises:
        Error: there is none; the message tells what all of the source holds instead.
    """
    logs = ShardIndex([*shards.columns], shards.logs, expect=shards.expect)
    further = {"logs": logs} if entry.expects() else {}

    def grid(some: ShardsOfFigure) -> pl.DataFrame:
        table = tables.scan([Path(path) for path in some.samples])
        return part.aggregate(table, entry, some.partial(), **further)  # type: ignore[no-any-return]

    try:
        if not all(log.is_empty() for log in shards.logs.values()):
            try:
                return grid(shards)
            except Error:
                if len(shards.samples) == len(samples):
                    raise
        all_samples = tables.scan([Path(path) for path in samples])
        selection.require_some(all_samples, tables.rejected(samples), entry)
        return grid(shards._replace(samples=[*samples]))
    except Unfit as error:
        raise error.on(shards.scales) from None
