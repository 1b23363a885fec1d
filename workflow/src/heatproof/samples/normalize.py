"""normalize: logs → samples table and rejected table; every record ends in one of the two."""

from __future__ import annotations

import csv
import io
from collections import Counter, defaultdict
from contextlib import suppress
from itertools import chain
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import astuple, replace

from heatproof.config import roles
from heatproof.formats.api import Batch, Declared, Log, Passed, Reject, completed
from heatproof.formats.lines import Portion, line_by_line
from heatproof.logs.streams import LFS, PACKED, Unreadable
from heatproof.samples import tables
from heatproof.samples.declarations import Lost
from heatproof.samples.derived import Maker, files_beside
from heatproof.samples.rows import UNLIKE, Repeats, Settings, Sorter, rejected_rows, rows_of
from heatproof.util import terminal
from heatproof.util.errors import Error
from heatproof.util.lazy import polars as pl
from heatproof.util.numerals import numbered

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from heatproof.config.entries import Source
    from heatproof.samples.rows import LogBatch, Refused
    from heatproof.samples.tables import Pieces, Samples, Table
    from heatproof.util.hashed import Extent

    Item = Batch | Reject | Declared | Passed
    Read = Callable[[Log, Any], Iterator[Item]]
    Extents = Mapping[str, Extent]  # log or sidecar → how much of it is read
    Identities = dict[str, tuple[str, int]]  # log or sidecar → its digest and size

SMALL = 1 << 17
TOGETHER = 32
"""Bytes of a small log, and so many of them that are open and decoded together at most."""
UNREAD = "", 0  # digest and size of a file of which nothing could be read, or not yet
ROWS = 1 << 15  # gathered as Python lists before they become a frame
COUNTED = ("rows", "rejected", "passed", "failed")  # what becomes of records
TASKS_AT_MOST = 6  # tasks that are named for each scorer


class Summary(msgspec.Struct):
    """What became of one log, or of a sidecar, which holds no records."""

    log: str
    blake3: str
    bytes: int
    records: int
    rows: int
    rejected: int
    passed: int = 0  # records that config.yaml leaves out
    failed: int = 0  # records that say that they failed


class Outcome(msgspec.Struct):
    """What became of a shard's logs: records = rows + rejected + passed + failed, log by log."""

    manifest: list[Summary]
    beside: dict[str, list[str]] = {}  # log → the sidecars that it was read with
    declared: dict[str, list[Declared]] = {}  # log → what it says that it was to hold


def write(
    paths: Iterable[str],
    root: Path,
    entry: Source,
    read: Read,
    samples: Path,
    rejected: Path,
    noted: Extents | None = None,
    like: Path | None = None,
) -> Outcome:
    """Read the logs at `paths` (relative to `root`) with a reader's `read`; write their tables.

    Memory does not grow with the logs: rows leave with their logs, or wait on disk, beside the
    tables, to be sorted.
    `noted`: how much of each log and sidecar is read; all of it by default. `like`: the table of
    all logs, where only some are read, so that columns in quantiles are the same.
    """
    reading = Reading(root, entry, samples.parent, like)
    logs = portions(sorted(paths), root)
    rows = reading.samples(logs, read, noted)
    schema = tables.schema(reading.kinds)
    tables.write_pieces(rows, schema, samples, together=tables.SAMPLE)
    schema = tables.schema(tables.REJECTED)
    tables.write_pieces(reading.rejected(), schema, rejected)
    return reading.outcome(noted or ())


def portions(paths: Sequence[str], root: Path) -> Iterator[list[str]]:
    """The paths of logs, in their order; small ones that follow each other together."""
    together: list[str] = []
    for path in paths:
        is_small = not path.endswith(PACKED) and _size(root / path) <= SMALL
        if together and not (is_small and len(together) < TOGETHER):
            yield together
            together = []
        if is_small:
            together.append(path)
        else:
            yield [path]
    if together:
        yield together


def _size(path: Path) -> int:
    """The size of a file in bytes; 0 where there is none."""
    try:
        return path.stat().st_size
    except OSError:
        return 0


class Reading:
    """Logs on their way to rows and rejects."""

    def __init__(self, root: Path, entry: Source, folder: Path, like: Path | None = None) -> None:
        columns = entry.columns()
        self.root = root
        self.entry = entry
        self._folder = folder
        self.kinds = entry.all_columns().kinds()
        self._maker = Maker(entry, like)
        self._settings = Settings(["model", "task", *columns.params])
        self._stated = [*self._settings.names, "score"]
        self._defaults = columns.defaults
        self._samples = Sorter(roles.KEY, folder)
        self._rejected = Sorter(tables.ORDER, folder)
        self._batches: list[LogBatch] = []
        self._refused: list[tuple[str, Reject]] = []
        self._rows = 0
        self._spoiled = set[str]()  # logs of which no row can be taken
        self._logs: Identities = {}
        self._sidecars: Identities = {}
        self._beside: dict[str, list[str]] = {}
        self._declared: defaultdict[str, list[Declared]] = defaultdict(list)
        kinds = {name: self.kinds[name] for name in self._settings.names}
        self._lost = Lost(kinds, columns.defaults, getattr(entry, "versus", ""))
        self._counts = {counted: Counter[str]() for counted in COUNTED}

    def read(self, paths: Sequence[str], read: Read, noted: Extents | None) -> None:
        """Read logs, each as far as it was `noted`; several are small."""
        logs: list[Log] = []
        for path in paths:
            try:
                logs.append(Log(path, self.root, self.entry, noted))
            except Unreadable as error:
                self._refuse(path, error)
        self._join_small(logs)
        for log in logs:
            try:
                self._read(log, read)
            except Unreadable as error:
                self._refuse(log.path, error)

    def _join_small(self, logs: Sequence[Log]) -> None:
        """Decode logs of one source together: each source reads lines in its own way."""
        of_source: defaultdict[str, list[Log]] = defaultdict(list)
        for log in logs:
            source = self.entry.source_of(log.path)
            of_source[source.name].append(log)
        for alike in of_source.values():
            if len(alike) > 1:
                portion = Portion(alike)
                for log in alike:
                    log.portion = portion

    def _refuse(self, path: str, why: Unreadable) -> None:
        """Refuse a log of which nothing can be read."""
        reject = Reject.of_log(why)
        self._take(path, reject)
        self._logs[path] = UNREAD

    def _read(self, log: Log, read: Read) -> None:
        self._maker.prepare(log)
        items: Iterable[Any] = read(log, self.entry)
        if log.file.pointer():
            items = [Reject.of_log(Error(LFS, "damage"))]
        has_records = False
        unended = []
        for item in line_by_line(log, items):
            if isinstance(item, Reject) and item.kind in ("unended", "empty"):
                unended.append(item)
                continue
            has_records |= not isinstance(item, Declared | Passed)
            self._take(log.path, item)
        self._logs[log.path] = log.identity()
        if unended and log.changed():  # others write to it: its end is left for the next run
            self._logs[log.path] = log.identity() if has_records else UNREAD
        else:
            for item in unended:
                self._take(log.path, item)
        log.close()
        self._sidecars |= log.sidecars
        sidecars = set(filter(log.was_there, files_beside(self.entry, log.path, self.root)))
        for path in sidecars - self._sidecars.keys():  # the reader had no need to open these
            self._sidecars[path] = UNREAD
            with suppress(Unreadable), log.open(path) as file:
                self._sidecars[path] = file.digest(), file.size
        sidecars |= log.sidecars.keys()
        if sidecars:
            self._beside[log.path] = sorted(sidecars)

    def _take(self, path: str, item: Item) -> None:
        if isinstance(item, Declared):
            self._declared[path].append(item)
        elif isinstance(item, Passed):
            self._counts["passed"][path] += item.count
        elif isinstance(item, Reject):
            self._refused.append((path, item))
            self._lost.add(path, item)
            if item.spoils:
                self._spoiled.add(path)
        elif len(item.places):
            item = completed(item, self._defaults)
            self._batches.append((path, item))
            self._settings.add(path, item)
            self._rows += len(item.places)
        if max(self._rows, len(self._refused)) >= ROWS:
            self.flush()

    def flush(self) -> None:
        if self._batches:
            rows, misfits = rows_of(self._batches, self.kinds, self.entry.ranges())
            rows = self._maker.early(rows)
            self._samples.add(rows)
            self._refused += misfits
            for path, misfit in misfits:
                self._lost.add(path, misfit)
        rejects = rejected_rows(self._refused, self._stated)
        self._rejected.add(rejects)
        self._batches = []
        self._refused = []
        self._rows = 0

    def samples(
        self, portions: Iterable[Sequence[str]], read: Read, noted: Extents | None
    ) -> Pieces:
        """The rows of logs, sorted by their key, each key once: what repeats it is refused."""
        repeats = Repeats(self.entry.repeated(), hasattr(self.entry, "fields"))
        for portion in portions:
            self.read(portion, read, noted)
            if self._samples.rows >= tables.GROUP and self._may_leave():
                yield from self._sorted(repeats)
        yield from self._sorted(repeats)
        rows, repeated = repeats.split(pl.DataFrame(), last=True)
        yield self._without_repeats(rows, repeated)

    def _may_leave(self) -> bool:
        """Whether rows of the logs so far come before all others: runs are named by their logs."""
        return not (self.entry.shares_runs or self._settings.several or self._maker.waits())

    def _sorted(self, repeats: Repeats) -> Pieces:
        """The rows of the logs so far; none of them is held any longer."""
        self.flush()
        rows = self._samples
        self._samples = Sorter(roles.KEY, self._folder)
        if self._settings.several:
            of_runs = Sorter(roles.KEY, self._folder)
            for piece in rows.pieces():
                rows_of_runs = self._settings.with_runs(piece)
                of_runs.add(rows_of_runs)
            rows = of_runs
        for piece in rows.pieces():
            if self._spoiled:
                sound = piece.filter(~pl.col("log").is_in(self._spoiled))
            else:
                sound = piece
            if len(sound):
                yield self._without_repeats(*repeats.split(self._maker.late(sound)))

    def _without_repeats(self, rows: Table, repeated: Sequence[Refused]) -> Table:
        """The rows; `repeated`: what is refused, as it repeats or contradicts other rows."""
        rejects = rejected_rows(repeated, self._stated)
        self._rejected.add(rejects)
        is_printed = bool(getattr(self.entry, "aggregates", None))
        names = ["run"] + self._settings.names
        if not is_printed:
            names += ["sample_id", "epoch"]
        for path, reject in repeated:
            # Of several numbers that were printed of a run it lacks those that are refused.
            if is_printed or reject.reason.startswith(UNLIKE):
                cells = {name: reject.cells[name] for name in names}
                refused = replace(reject, cells=cells)
                self._lost.add(path, refused)
        if len(rows):
            counts = rows["log"].value_counts()
            self._counts["rows"].update(dict(counts.iter_rows()))
        return rows

    def rejected(self) -> Pieces:
        """The rejects in the order of the logs; to be called after all samples."""
        for piece in self._rejected.pieces():
            is_failed = pl.col("kind") == "failed"
            self._counts["failed"].update(piece.filter(is_failed)["log"])
            self._counts["rejected"].update(piece.filter(~is_failed)["log"])
            yield piece

    def outcome(self, noted: Iterable[str]) -> Outcome:
        """To be called after all samples and rejects."""
        manifest = []
        files = dict.fromkeys(noted, UNREAD) | self._sidecars | self._logs
        for path, (digest, size) in sorted(files.items()):
            counts = [count[path] for count in self._counts.values()]
            summary = Summary(path, digest, size, sum(counts), *counts)
            manifest.append(summary)
        declared: dict[str, list[Declared]] = {}
        paths = self._declared.keys() | self._lost.logs.keys()
        for path in sorted(paths):
            # What logs without a row do not tell is what it is by default.
            defaults = self._defaults
            if self._counts["rows"][path]:
                defaults = {}
            of_log = [completed(entry, defaults) for entry in self._declared.get(path, ())]
            declared[path] = []
            for run in chain(of_log, self._lost.logs.get(path, {}).values()):
                shared = self._maker.setting_values(path, run.shared)
                declared[path].append(replace(run, shared=shared))
        return Outcome(manifest, self._beside, declared)


def manifest_text(summaries: Iterable[Summary]) -> str:
    """The summaries as CSV, a line per log."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(Summary.__struct_fields__)
    writer.writerows(astuple(summary) for summary in summaries)
    return out.getvalue()


def read_manifest(path: Path) -> list[Summary]:
    """What became of the logs and sidecars that a shard was read from."""
    with path.open(newline="") as file:
        return [msgspec.convert(row, Summary, strict=False) for row in csv.DictReader(file)]


def scorer_words(source: str, entry: Source, counts: Samples) -> Iterator[str]:
    """A line for each scorer, with its tasks, and one for each choice that is of no task."""
    pairs = counts.select("scorer", "task").unique().sort("scorer", "task").collect()
    scorers = pairs.group_by("scorer", maintain_order=True).agg("task")
    for scorer, tasks in scorers.iter_rows():
        words = [terminal.name(task or "") for task in tasks[:TASKS_AT_MOST]]
        unlisted = len(tasks) - TASKS_AT_MOST
        if unlisted > 0:
            words += [numbered(unlisted, "other task")]
        yield f"scored by {terminal.name(scorer)}: {', '.join(words)}"
    names = set(pairs["task"].drop_nulls())
    for problem in entry.unchosen(sorted(names)):
        yield str(problem.below(f"sources.{source}"))
