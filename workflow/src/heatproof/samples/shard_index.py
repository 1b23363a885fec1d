"""What each log holds, and by that the logs and shards that a figure shows.

`normalize` leaves it in the footer of a shard's counts (`write_counts`). A grid is known by
the digests of the logs that it shows, not of whole tables: other logs of its source may come,
change and go, and every byte of the figure stays as it is. A sweep may have a hundred shards more,
and none of them is opened.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from msgspec.structs import replace

from heatproof.config import paths, roles
from heatproof.metrics import is_printed
from heatproof.samples import counts, selection, tables
from heatproof.samples.declared import AT_MOST, Declarations, Meant
from heatproof.samples.refusals import Refused  # noqa: TC001 - msgspec looks it up
from heatproof.util.errors import Error
from heatproof.util.lazy import parquet as pq
from heatproof.util.lazy import polars as pl
from heatproof.util.lazy import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from heatproof.config.entries import Figure
    from heatproof.samples.normalize import Outcome


class Log(msgspec.Struct, omit_defaults=True):
    """What one log holds."""

    blake3: str
    settings: list[list[Any]] | None = None
    """Those of its samples, each the values of `ShardIndex.columns`; None: too many to tell."""
    beside: dict[str, str] = {}  # path → BLAKE3 of the sidecars that it was read with
    reconstructed: bool = False
    runs: list[Meant] = []  # what it was to hold, by its own word; nothing where it does not say


class Losses(msgspec.Struct, omit_defaults=True):
    """What was refused of the logs of a shard, beside what was not."""

    logs: int = 0  # logs that were read, sidecars left out
    records: int = 0
    kept: dict[str, int] = {}
    """Log of which something was refused → samples that it has all the same."""
    refused: list[Refused] = []


class ShardIndex(msgspec.Struct, omit_defaults=True):
    """What the logs of a shard hold."""

    columns: list[str]  # model, task and hyper-parameters
    logs: dict[str, Log]
    """Path of a log → what it holds; logs that neither hold nor declare a sample are left out."""
    losses: Losses = msgspec.field(default_factory=Losses)
    expect: int | dict[str, int] | None = None
    """As config.yaml has it (`Source.expect`): stored with no table, said by whoever looks."""

    def expected_of(self, settings: Sequence[Any]) -> int | None:
        """What config.yaml expects of a run; `settings`: values of `columns`."""
        if not isinstance(self.expect, dict):
            return self.expect
        return self.expect.get(settings[self.columns.index("task")])


def write_counts(samples: Path, path: Path, outcome: Outcome | None = None) -> None:
    """Write the counts of a samples table, sorted as it is, and in the footer what its logs hold.

    `outcome`: of reading the logs; without, the footer is empty.
    """
    declarations = Declarations(outcome.declared if outcome else {})

    def pieces() -> Iterator[pl.DataFrame]:
        names = pq.read_schema(samples).names
        columns = [*counts.count_key(names), *roles.columns(names, "measure"), "reconstructed"]
        for rows in counts.pieces(samples, columns):
            piece = counts.counted(rows)
            declarations.take(piece)
            yield piece

    def record() -> bytes:
        return msgspec.json.encode(_index(samples, outcome, declarations)) if outcome else b""

    # Counts are never null; what was counted may be, where it may be in the samples.
    null = {field.name for field in pq.read_schema(samples) if field.nullable}
    fields = counts.counted(pl.DataFrame(schema=pl.read_parquet_schema(samples))).to_arrow().schema
    schema = pa.schema(field.with_nullable(field.name in null) for field in fields)
    tables.write_pieces(pieces(), schema, path, record)


def _index(samples: Path, outcome: Outcome, declarations: Declarations) -> ShardIndex:
    """What the logs hold, or were to hold, that a samples table was read from."""
    columns = roles.columns(pq.read_schema(samples).names, "setting")
    digests = {summary.log: summary.blake3 for summary in outcome.manifest}
    settings: defaultdict[str, set[tuple[Any, ...]]] = defaultdict(set)
    made_up: set[str] = set()
    names = ["log", "reconstructed", *columns]
    for rows in counts.groups(samples, names):
        for path, reconstructed, *values in rows[tables.starts(rows, names)].iter_rows():
            if len(settings[path]) <= AT_MOST:
                settings[path].add(tuple(values))
            if reconstructed:
                made_up.add(path)
    runs = declarations.of_logs(columns)
    logs = {}
    for path in sorted({*settings, *runs}):
        rows_of = sorted(settings[path], key=lambda row: [(v is not None, v) for v in row])
        logs[path] = Log(
            digests[path],
            None if len(rows_of) > AT_MOST else [list(row) for row in rows_of],
            {beside: digests[beside] for beside in outcome.beside.get(path, ())},
            path in made_up,
            runs.get(path, []),
        )
    bad = {group.log for group in outcome.refused}
    kept = {summary.log: summary.rows for summary in outcome.manifest if summary.log in bad}
    records = [summary.records for summary in outcome.manifest if summary.records]
    return ShardIndex(columns, logs, Losses(len(records), sum(records), kept, outcome.refused))


def read_index(path: Path) -> ShardIndex:
    """What the logs hold that counts were made of.

    Raises:
        Error: the file is damaged.
    """
    try:
        return msgspec.json.decode(pl.read_parquet_metadata(path)[tables.RECORD], type=ShardIndex)
    except Exception as error:  # noqa: BLE001 - a damaged file may fail in any way
        why = str(error).splitlines()[0]
        raise Error(f"{path} does not tell what its logs hold ({why}): run snakemake") from None


def shown_logs(shards: Iterable[ShardIndex], figure: Figure) -> dict[str, Log]:
    """The logs that a figure shows samples of, or the lack of them, by path."""
    logs: dict[str, Log] = {}
    for shard in shards:
        passes = _passing(shard.columns, figure)
        for path, log in shard.logs.items():
            declared = (run.settings for run in log.runs if run.empty)
            if log.settings is None or any(map(passes, chain(log.settings, declared))):
                logs[path] = log
    return logs


def _passing(columns: list[str], figure: Figure) -> Callable[[list[Any]], bool]:
    """Whether settings are shown, as far as these columns tell: asked of every log."""
    tests = [(columns.index(name), v) for name, v in figure.selected().items() if name in columns]
    return lambda settings: all(settings[at] in values for at, values in tests)


def runs_of_figure(index: ShardIndex, figure: Figure) -> ShardIndex:
    """The same, with what logs were to hold of the runs that a figure shows."""
    passes = _passing(index.columns, figure)
    logs = {
        path: replace(log, runs=[run for run in log.runs if passes(run.settings)])
        for path, log in index.logs.items()
    }
    return replace(index, logs=logs)


def digests(logs: Mapping[str, Log]) -> dict[str, str]:
    """Path → BLAKE3 of logs and of the sidecars that they were read with."""
    beside = {path: digest for log in logs.values() for path, digest in log.beside.items()}
    return beside | {path: log.blake3 for path, log in logs.items()}


class ShardsOfFigure(NamedTuple):
    """Some shards of a source."""

    samples: list[str]  # paths of their tables
    logs: dict[str, Log]  # what the figure shows of them, by path
    columns: Sequence[str] = ()  # columns that tell the settings of the logs
    expect: int | dict[str, int] | None = None
    """What config.yaml expects of each run (`Source.expect`)."""

    def portions(self) -> list[pl.LazyFrame]:
        """Their samples, in portions to be held in memory one at a time."""
        return tables.shards([Path(path) for path in self.samples], tables.MANY)

    def partial(self) -> list[pl.LazyFrame]:
        """Their counts, likewise."""
        return tables.shards([Path(paths.counts(path)) for path in self.samples])


def shards_of_figure(
    samples: Sequence[str], figure: Figure, index: Callable[[Path], ShardIndex] = read_index
) -> ShardsOfFigure:
    """Of the samples tables of a source those with logs that a figure shows, and these logs."""
    # Whether aggregates are shares is told by all numbers of a source.
    needs_all = any(is_printed(word) for word in figure.metrics().values())
    shards = ShardsOfFigure([], {})
    for path in samples:
        shard = index(Path(paths.counts(path)))
        if (logs := shown_logs([shard], figure)) or needs_all:
            shards.samples.append(path)
            shards.logs.update(logs)
            shards = shards._replace(columns=shard.columns)
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
    options = {"logs": logs} if entry.expects() else {}

    def grid(part_of: ShardsOfFigure) -> pl.DataFrame:
        table = pl.scan_parquet(part_of.samples)
        return part.aggregate(table, entry, part_of.partial(), **options)  # type: ignore[no-any-return]

    if not all(log.settings == [] for log in shards.logs.values()):
        try:
            return grid(shards)
        except Error:
            if len(shards.samples) == len(samples):
                raise
    rejected = pl.scan_parquet([paths.rejected(path) for path in samples])
    selection.require_some(pl.scan_parquet([*samples]), rejected, entry)
    return grid(shards._replace(samples=[*samples]))
