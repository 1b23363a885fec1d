"""normalize: logs → samples table and rejected table; every record ends in one of the two."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import msgspec

from heatproof import logs, names, streams, tables
from heatproof.errors import Error
from heatproof.lazy import polars as pl
from heatproof.readers._batch import Batch, Log, Place, Reject, excerpt

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from heatproof.config import Columns, Source

    Read = Callable[[Log, Any], Iterator[Batch | Reject]]

ROWS = 50_000
"""Rows gathered as Python lists before they become a frame: bounds the memory of long logs."""

DEFAULTS = {"model": "", "task": "", "epoch": 0, "scorer": "", "reconstructed": False,
            "graded": False}  # fmt: skip


class Summary(msgspec.Struct):
    """What became of one log; a sidecar holds no records of its own."""

    log: str
    blake3: str
    bytes: int
    records: int
    rows: int
    rejected: int


class Normalized(msgspec.Struct):
    """The outcome of a shard: records = rows + rejected, log by log."""

    samples: pl.DataFrame
    rejected: pl.DataFrame
    manifest: list[Summary]


class _Gathered:
    """Columns that grow batch by batch and are turned into frames when they are long."""

    def __init__(self, schema: dict[str, pl.DataType]) -> None:
        self.schema, self.frames = schema, list[pl.DataFrame]()
        self._clear()

    def _clear(self) -> None:
        self.columns: dict[str, list[Any]] = {name: [] for name in self.schema}
        self.rows = 0

    def add(self, rows: int, values: dict[str, list[Any]], shared: dict[str, Any]) -> None:
        for name, column in self.columns.items():
            given = values.get(name)
            column.extend(given if given is not None else [shared.get(name)] * rows)
        self.rows += rows
        if self.rows >= ROWS:
            self._flush()

    def _flush(self) -> None:
        self.frames.append(pl.DataFrame(self.columns, schema=self.schema))
        self._clear()

    def frame(self) -> pl.DataFrame:
        self._flush()
        return pl.concat(self.frames, rechunk=True)


def normalize(
    paths: Iterable[str],
    root: Path,
    entry: Source,
    read: Read,
    progress: Callable[[str], None] = lambda log: None,
) -> Normalized:
    """Read the logs at `paths` (relative to `root`) with a reader's `read`.

    Returns samples and rejects, each sorted by its key, and a summary of each log.
    `progress` is called with each log's path before it is read.
    """
    columns = entry.columns()
    samples = _Gathered(tables.samples_schema(columns))
    rejected = _Gathered(tables.rejected_schema())
    digests: dict[str, tuple[str, int]] = {}
    beside: dict[str, tuple[str, int]] = {}
    for path in sorted(paths):
        progress(path)
        log = Log(path, root)
        for part in _parts(log, entry, read):
            _gather(part, path, samples, rejected)
        digests[path] = log.file.digest(), log.file.size
        log.close()
        beside |= log.sidecars
        beside |= _unread(set(entry.sidecars(path, root)) - beside.keys(), root)
    rows = _name_runs(samples.frame(), columns)
    rows, unnamed = _without_bad_names(rows, columns, root)
    rows, repeats = _without_repeats(rows, root)
    refused = pl.concat([rejected.frame(), unnamed, repeats])
    refused = refused.sort("log", "member", "line", "offset", "reason", "excerpt")
    return Normalized(rows, refused, _summaries(beside | digests, rows, refused))


def _parts(log: Log, entry: Source, read: Read) -> Iterator[Batch | Reject]:
    """What a reader makes of a log; a mere pointer to a log's content is none."""
    if streams.is_pointer(log.root / log.path):
        reason = "a git-lfs pointer, not the log itself: fetch it with `git lfs pull`"
        return iter([Reject(Place(1, 0, 0), reason)])
    return read(log, entry)


def _unread(paths: Iterable[str], root: Path) -> dict[str, tuple[str, int]]:
    """Digest and size of sidecars that the reader had no need to open."""
    found = {}
    for path in paths:
        with streams.Hashed(root / path) as file:
            found[path] = file.digest(), file.size
    return found


def _gather(part: Batch | Reject, path: str, samples: _Gathered, rejected: _Gathered) -> None:
    if isinstance(part, Reject):
        line, offset, length = part.place
        values = {"log": path, "member": part.member, "line": line, "offset": offset}
        values |= {"length": length, "reason": part.reason, "excerpt": part.excerpt}
        rejected.add(1, {}, values)
        return
    if part.places:
        line, offset, length = map(list, zip(*part.places, strict=True))
        places = {"line": line, "offset": offset, "length": length}
        shared = DEFAULTS | {"log": path, "run": path, "member": part.member} | part.shared
        samples.add(len(part.places), part.columns | places, shared)


def _name_runs(rows: pl.DataFrame, columns: Columns) -> pl.DataFrame:
    """Tell the runs of a log that holds several apart by their settings: `log#ratio=0.1,…`."""
    settings = ["model", "task", *columns.params]
    runs = rows.select("log", "member", *settings).unique()
    several = runs.group_by("log", "member").len().filter(pl.col("len") > 1)
    if not len(several):
        return rows
    words = [pl.format("{}={}", pl.lit(name), pl.col(name).fill_null("none")) for name in settings]
    named = pl.concat_str("run", pl.lit("#"), pl.concat_str(words, separator=","))
    holds_several = pl.col("log").is_in(several["log"].implode())
    return rows.with_columns(pl.when(holds_several).then(named).otherwise("run").alias("run"))


def _without_repeats(rows: pl.DataFrame, root: Path) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Rows sorted by key, each key once (its first row), and the repeats as rejects."""
    ordered = rows.sort(*tables.KEY, "log", "member", "line", "offset")
    repeated = pl.all_horizontal(pl.col(name) == pl.col(name).shift() for name in tables.KEY)
    marked = ordered.with_columns(repeats=repeated.fill_null(value=False))
    reasons = pl.format(
        "repeats sample {}, epoch {} of run {}", *(pl.col(c) for c in ("sample_id", "epoch", "run"))
    )
    refused = _refused(marked.filter("repeats").with_columns(reasons.alias("reason")), root)
    return marked.filter(~pl.col("repeats")).drop("repeats"), refused


def _without_bad_names(
    rows: pl.DataFrame, columns: Columns, root: Path
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Rows whose names can be shown, and the others as rejects."""
    faults = names.faults(rows, columns)
    bad = rows.with_columns(faults.alias("reason")).filter(faults.is_not_null())
    return rows.filter(faults.is_null()), _refused(bad, root)


def _refused(rows: pl.DataFrame, root: Path) -> pl.DataFrame:
    """Rows with a reason as rejects."""
    excerpts = pl.Series("excerpt", _excerpts(rows, root), pl.String)
    return rows.select(*tables.PLACE, "reason", excerpts)


def _excerpts(rows: pl.DataFrame, root: Path) -> list[str]:
    wanted = list(rows.select("log", "member", "offset", "length").iter_rows())
    places: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for log, member, offset, length in wanted:
        places.setdefault((log, member), []).append((offset, min(length, 400)))
    found = {
        (log, member): streams.slices(root / log, some, member)
        for (log, member), some in places.items()
    }
    return [
        excerpt(found[log, member][offset, min(length, 400)])
        for log, member, offset, length in wanted
    ]


def _summaries(
    digests: dict[str, tuple[str, int]], rows: pl.DataFrame, refused: pl.DataFrame
) -> list[Summary]:
    kept = dict(rows.group_by("log").len().iter_rows())
    lost = dict(refused.group_by("log").len().iter_rows())
    return [
        Summary(log, digest, size, kept.get(log, 0) + lost.get(log, 0), kept.get(log, 0), lost.get(log, 0))
        for log, (digest, size) in sorted(digests.items())
    ]


def require_clean(result: Normalized, entry: Source) -> None:
    """What `strict: true` asks for.

    Raises:
        Error: a record was refused; the message names the first ones.
    """
    if not len(result.rejected):
        return
    first = [f"  {row['log']}:{row['line']}: {row['reason']}" for row in result.rejected.head(5).iter_rows(named=True)]
    more = len(result.rejected) - len(first)
    tail = [f"  and {more} more"] if more > 0 else []
    head = f"config.yaml: sources.{entry.name}.strict: {len(result.rejected)} records were refused"
    raise Error("\n".join([head, *first, *tail]))


def require_unchanged(result: Normalized, expected: str) -> None:
    """The logs read must be the logs that the run was planned for.

    Raises:
        Error: their digest differs from `expected`: a log was written during the run.
    """
    found = logs.manifest({summary.log: summary.blake3 for summary in result.manifest})
    if found != expected:
        raise Error("a log changed while it was being read; run snakemake again when it is complete")


def manifest_text(summaries: Iterable[Summary]) -> str:
    """The summaries as CSV, a line per log."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(Summary.__struct_fields__)
    writer.writerows(msgspec.structs.astuple(summary) for summary in summaries)
    return out.getvalue()
