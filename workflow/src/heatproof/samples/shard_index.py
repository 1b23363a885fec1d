"""What each log of a shard holds and was to hold, and by that the runs and shards of a figure.

`normalize` writes it into the footer of a shard's counts. A grid is known by the digests of the
logs that it shows, not of whole tables: other logs of its source may come, change and go, and every
byte of the figure stays as it is. Shards without a log of the figure are not opened.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from msgspec.structs import replace

from heatproof.config import paths, roles
from heatproof.metrics import is_printed
from heatproof.samples import counts, selection, tables
from heatproof.samples.declarations import AT_MOST, DeclaredRun, declared_runs, highest_counts
from heatproof.util import terminal
from heatproof.util.errors import Error, choices
from heatproof.util.lazy import parquet as pq
from heatproof.util.lazy import polars as pl
from heatproof.util.lazy import pyarrow as pa
from heatproof.util.numerals import numbered

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from heatproof.config.entries import Figure
    from heatproof.samples.normalize import Outcome
    from heatproof.samples.selection import Selecting
    from heatproof.samples.tables import Names, Samples, Table

Settings = tuple[Any, ...]
Expected = int | dict[str, int] | None  # samples of each run, or task → of each of its runs
LOG = "log"
"""Of a run of which no sample came, the log that says that it was to be there; null of others."""


class Log(msgspec.Struct, omit_defaults=True):
    """What one log holds."""

    blake3: str
    settings: list[list[Any]] | None = None
    """Those of its samples, each the values of `ShardIndex.columns`; None: too many to tell."""
    beside: dict[str, str] = {}  # path → BLAKE3 of the sidecars that it was read with
    reconstructed: bool = False
    runs: list[
        DeclaredRun
    ] = []  # what it was to hold, by its own word; nothing where it does not say


class ShardIndex(msgspec.Struct, omit_defaults=True):
    """What the logs of a shard hold."""

    columns: list[str]  # model, task and hyper-parameters
    logs: dict[str, Log]
    """Path of a log → what it holds; logs that neither hold nor declare a sample are left out."""
    expect: Expected = None
    """As config.yaml has it (`Source.expect`); not stored in the footer."""

    def declared_runs(self) -> Iterator[tuple[str, DeclaredRun]]:
        """Path of a log, and a run that it was to hold."""
        for path, log in sorted(self.logs.items()):
            for run in log.runs:
                yield path, run


def write_counts(samples: Path, path: Path, outcome: Outcome | ShardIndex | None = None) -> None:
    """Write the counts of a samples table, sorted as it is; the footer says what its logs hold.

    `outcome`: that, or what became of the logs.
    """

    def record() -> bytes:
        if outcome is None:
            return b""
        if isinstance(outcome, ShardIndex):
            index = outcome
        else:
            index = _index(samples, outcome)
        return msgspec.json.encode(index)

    fields = pq.read_schema(samples)
    columns = counts.count_key(fields.names) + roles.columns(fields.names, "measure")
    pieces = counts.pieces(samples, columns + ["reconstructed"])
    # Counts are never null; what was counted may be, where it may be in the samples.
    null = {field.name for field in fields if field.nullable}
    empty = pl.DataFrame(schema=pl.read_parquet_schema(samples))
    none = counts.count_sorted(empty).to_arrow()
    schema = pa.schema(field.with_nullable(field.name in null) for field in none.schema)
    tables.write_pieces(map(counts.count_sorted, pieces), schema, path, record)


def _index(samples: Path, outcome: Outcome) -> ShardIndex:
    table = pl.scan_parquet(samples)
    columns = tables.setting_names(table)
    selected = table.select("log", "reconstructed", *columns)
    rows = selected.unique().collect(engine="streaming")
    ordered = rows.select("log", *columns).unique().sort(columns)
    settings = ordered.rows_by_key("log")
    reconstructed_rows = rows.filter("reconstructed")
    reconstructed = set(reconstructed_rows["log"])
    runs = declared_runs(table, outcome.declared)
    digests = {summary.log: summary.blake3 for summary in outcome.manifest}
    logs = {}
    for path in sorted(settings.keys() | runs.keys()):
        log = Log(digests[path], reconstructed=path in reconstructed)
        rows_of_log = settings.get(path, ())
        if len(rows_of_log) <= AT_MOST:
            log.settings = list(map(list, rows_of_log))
        log.beside = {file: digests[file] for file in outcome.beside.get(path, ())}
        log.runs = runs.get(path, [])
        logs[path] = log
    return ShardIndex(columns, logs)


def read_index(path: Path) -> ShardIndex:
    """The index in the footer of counts. Raises Error if the file is damaged."""
    try:
        metadata = pl.read_parquet_metadata(path)
        record = metadata[tables.RECORD]
        return msgspec.json.decode(record, type=ShardIndex)
    except Exception as error:  # noqa: BLE001 - a damaged file may fail in any way
        why, *_ = str(error).splitlines()
        raise Error(
            f"{path} does not say what its logs hold ({why}): call `heatproof run`"
        ) from None


class Size(NamedTuple):
    """How large a run should be."""

    least: int  # samples that it holds, or is known to lack
    declared: int | None  # samples that its logs declare; None if they do not, or not all
    part: tuple[int, int] | None = None
    """Problems that it was asked for, and those of the data set, where these are more. None where
    its logs disagree, or it holds more: they may be parts of it."""


def run_size(
    samples: int,
    problems: int,
    logs: Sequence[DeclaredRun],
    short: Mapping[str, int],
    expect: int | None,
) -> Size:
    """What is expected of a run of so many samples and problems, by what its `logs` declare.

    Logs of the same settings make up for each other where they name what they lack. Where they do
    not, those with samples are parts of the run, and one without was done again. `short`: problem →
    its samples, of those that a log does not hold whole. `expect`: samples that config.yaml
    expects, whatever the logs declare.
    """
    log_parts = {log.part for log in logs}
    part = None
    if len(log_parts) == 1:
        part = log_parts.pop()
    if part:
        asked, _ = part
        if problems > asked:
            part = None
    lowest = samples + sum(log.lacking for log in logs)
    for name, number in highest_counts(log.lacks for log in logs).items():
        present = short.get(name, 0)
        lowest += max(0, number - present)
    sizes = [log.samples for log in logs if log.samples is not None]
    if expect is not None:
        expected = max(lowest, expect)
        return Size(lowest, expected, part)
    if not logs or len(sizes) < len(logs):
        return Size(lowest, None, part)
    if len(logs) > 1 and all(log.names_all for log in logs):
        return Size(lowest, lowest, part)
    parts_of_run = sum(log.samples or 0 for log in logs if not log.empty)
    declared = max(lowest, parts_of_run, *sizes)
    return Size(lowest, declared, part)


def runs(partial: Table, index: ShardIndex | None) -> Table:
    """A row per run, by its settings and scorer, with the numbers of its `Size`.

    `least`; `whole`, null where its logs do not tell; `asked` and `dataset`, null unless it was
    asked for a part of its data set; `failed`, samples of records that say that they failed;
    `stopped`, whether results stopped some of its samples. A run without a sample has a row for
    each scorer of the others, with its first `log`. `partial`: counts of all shards, their `epochs`
    at least.
    """
    names = roles.settings(partial.columns)
    deep = len(roles.columns(partial.columns, "setting"))
    grader_names = names[deep:]
    numbers = dict.fromkeys(("least", "whole", "asked", "dataset", "failed"), pl.Int64())
    schema = {name: partial.schema[name] for name in names} | numbers
    schema |= {"stopped": pl.Boolean(), LOG: pl.String()}
    if index is None:
        return pl.DataFrame(schema=schema)
    logs = defaultdict[Settings, list[DeclaredRun]](list)
    first: dict[Settings, str] = {}
    for path, declared in index.declared_runs():
        settings = tuple(declared.settings)
        logs[settings].append(declared)
        first.setdefault(settings, path)
    epochs = pl.col("epochs").sum()
    problems = pl.col("sample_id").n_unique()
    sums = partial.group_by(names).agg(epochs, problems).sort(names)
    sizes = [(*row, None) for row in sums.iter_rows()]
    graders = sums.select(grader_names).unique().sort(grader_names).rows()
    graders = graders or [("",) * len(grader_names)]
    present = {row[:deep] for row in sizes}
    for settings in logs:
        if settings not in present:
            sizes += [(*settings, *grader, 0, 0, first[settings]) for grader in graders]
    short = _epochs_of_lacking(partial, names, logs)
    rows = []
    for *run, samples, number, failed_log in sizes:
        settings = tuple(run[:deep])
        expect = index.expect
        if isinstance(expect, dict):
            expect = expect.get(run[names.index("task")])
        entries = logs.get(settings, [])
        lacks = short[tuple(run)]
        size = run_size(samples, number, entries, lacks, expect)
        part = size.part or (None, None)
        failed = sum(entry.failed for entry in entries)
        stopped = any(entry.stopped for entry in entries)
        rows.append((*run, size.least, size.declared, *part, failed, stopped, failed_log))
    return pl.DataFrame(rows, schema, orient="row")


def _epochs_of_lacking(
    partial: Table, names: Names, logs: Mapping[Settings, Sequence[DeclaredRun]]
) -> defaultdict[Settings, dict[str, int]]:
    """Run → problem → its epochs, of problems that some log lacks."""
    lacking = set[str]()
    for entries in logs.values():
        lacking.update(*(entry.lacks for entry in entries))
    is_lacking = pl.col("sample_id").is_in(list(lacking))
    rows = partial.filter(is_lacking).lazy()
    sums = counts.sum_epochs(rows, list(names) + ["sample_id"])
    short = defaultdict[Settings, dict[str, int]](dict)
    for *run, name, number in sums.iter_rows():
        short[tuple(run)][name] = number
    return short


def expectation_words(source: str, expect: Expected, partial: Table | Samples) -> Iterator[str]:
    """A line for each expected task without a run, and for runs that hold more than is expected."""
    if expect is None:
        return
    place = f"config.yaml: sources.{source}.expect"
    rows = partial.lazy()
    names = roles.settings(rows.collect_schema().names())
    sizes = counts.sum_epochs(rows, names)
    tasks = sorted(sizes["task"].unique())
    if isinstance(expect, dict):
        expected = expect
    else:
        expected = dict.fromkeys(tasks, expect)
    for task in sorted(expected.keys() - set(tasks)):
        yield f"{place}.{task}: no sample is of task {task!r}; {choices(task, tasks)}"
    for task in filter(expected.get, tasks):
        runs = sizes.filter(task=task)["epochs"].to_list()
        exceeding = [size for size in runs if size > expected[task]]
        number = len(exceeding)
        if number:
            runs_words = numbered(number, "run")
            if task:
                runs_words += f" of task {terminal.name(task)}"
            yield (
                f"{place}: {runs_words} of more than {expected[task]:,} samples, up to "
                f"{max(exceeding):,} (it counts problems × epochs)"
            )


def shown_logs(shard: ShardIndex, figure: Figure) -> dict[str, Log]:
    """Path → log, of the logs of a shard of which a figure shows samples, or their lack."""
    passes = _passing(shard, figure)
    logs = {}
    for path, log in shard.logs.items():
        declared = [run.settings for run in log.runs if run.empty]
        if log.settings is None or any(map(passes, log.settings + declared)):
            logs[path] = log
    return logs


def _passing(shard: ShardIndex, figure: Selecting) -> Callable[[list[Any]], bool]:
    """A function of settings: whether the figure shows them, as far as these columns tell."""
    choices = []
    for name, choice in figure.selected().items():
        if name in shard.columns:
            index = shard.columns.index(name)
            choices.append((index, choice))
    return lambda settings: all(choice.keeps(settings[index]) for index, choice in choices)


def runs_of_figure(index: ShardIndex, figure: Selecting) -> ShardIndex:
    """The index, with those runs alone that a figure shows."""
    passes = _passing(index, figure)
    logs = {}
    for path, log in index.logs.items():
        runs = [run for run in log.runs if passes(run.settings)]
        logs[path] = replace(log, runs=runs)
    return replace(index, logs=logs)


def digests(logs: Mapping[str, Log]) -> dict[str, str]:
    """Path → BLAKE3 of logs and their sidecars."""
    files: dict[str, str] = {}
    for log in logs.values():
        files |= log.beside
    for path, log in logs.items():
        files[path] = log.blake3
    return files


class ShardsOfFigure(NamedTuple):
    """The shards of a source that a figure needs."""

    samples: list[str]  # paths of their tables
    log_index: ShardIndex  # of the logs that the figure shows

    def portions(self) -> list[Samples]:
        """Their samples, in portions of whole logs that fit into memory one at a time."""
        portions: list[Samples] = []
        files = list(map(Path, self.samples))
        for samples in tables.shards(files, tables.MANY):
            portions += tables.split_by_logs(samples)
        return portions

    def partial(self) -> list[Samples]:
        """Their counts, likewise."""
        files = [Path(paths.counts(path)) for path in self.samples]
        return tables.shards(files)


def shards_of_figure(
    samples: Sequence[str], figure: Figure, expect: Expected = None
) -> ShardsOfFigure:
    """Of the samples tables of a source those with logs that a figure shows, and these logs."""
    # All numbers of a source tell whether its aggregates are shares.
    needs_all = any(map(is_printed, figure.metrics().values()))
    tables_of_figure = []
    index = ShardIndex([], {}, expect)
    for path in samples:
        file = Path(paths.counts(path))
        shard = read_index(file)
        logs = shown_logs(shard, figure)
        if logs or needs_all:
            tables_of_figure.append(path)
            index.logs |= logs
            index.columns = shard.columns
    return ShardsOfFigure(tables_of_figure, index)


def aggregate(part: Any, entry: Figure, shards: ShardsOfFigure, samples: Sequence[str]) -> Table:
    """The grid of a figure by the `aggregate` part of its kind.

    `shards`: those that the figure needs, of all the `samples` of its source.

    Raises Error: there is no grid; the message names what all of the source holds instead.
    """
    options = {}
    if entry.expects():
        options["logs"] = shards.log_index

    def grid(part_of: ShardsOfFigure) -> Table:
        table = pl.scan_parquet(part_of.samples)
        return part.aggregate(table, entry, part_of.partial(), **options)  # type: ignore[no-any-return]

    logs = shards.log_index.logs.values()
    if not all(log.settings == [] for log in logs):
        try:
            return grid(shards)
        except Error:
            if len(shards.samples) == len(samples):
                raise
    listed = list(samples)
    rejected = pl.scan_parquet(list(map(paths.rejected, listed)))
    selection.require_some(pl.scan_parquet(listed), rejected, entry)
    return grid(shards._replace(samples=listed))
