"""trace: from a picture to the records behind each of its numbers, and back through every stage."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from msgspec import structs

from heatproof import ledger
from heatproof.config import paths
from heatproof.config.entries import FORMATS
from heatproof.kinds import api
from heatproof.kinds.trace import parse
from heatproof.logs import logs as raw_logs
from heatproof.logs import streams
from heatproof.provenance import record as records
from heatproof.provenance import reread
from heatproof.samples import shard_index, tables
from heatproof.util import hashed
from heatproof.util.errors import Error
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from heatproof.kinds.trace import Behind
    from heatproof.provenance.record import Record
    from heatproof.samples.shard_index import Log

    Settings = list[list[Any]]
    Shards = dict[str, dict[str, Log]]


def cell(record: Record, root: Path, place: str) -> Behind:
    """What lies behind the cell at a place (`task=a,ratio=0.3`) of a figure with this record.

    The logs of the cell are read again: value, counts and records are those of the raw bytes.

    Raises:
        Error: there is no such cell, or grid or tables are not there.
    """
    entry = api.read(record["entry"])
    grid, footer = tables.read(_there(root, paths.grid(record["figure"])))
    shards = _shards(record, root)
    stored = tables.scan([_there(root, path) for path in shards])
    part, columns = api.kind(entry.kind), parse(place)
    try:
        before: Behind = part.behind(stored, grid, entry, columns)
    except (pl.exceptions.PolarsError, LookupError) as error:  # a record that is not of this build
        wrong = f"{paths.grid(record['figure'])} is not as the record tells of it"
        raise Error(f"{wrong} ({type(error).__name__}): run snakemake") from None

    def of_cell(settings: Callable[[Log], Settings]) -> set[str]:
        """Logs that by their settings have part in the cell, with rows or without.

        None where a cell is told by more than settings.
        """
        logs: set[str] = set()
        for table, listed in shards.items():
            names = ["log", *shard_index.read_index(root / paths.counts(table)).columns]
            rows = [[path, *values] for path, log in listed.items() for values in settings(log)]
            frame = pl.DataFrame(rows, schema=names, orient="row", infer_schema_length=None)
            with suppress(pl.exceptions.PolarsError):
                within = part.within(frame.lazy(), entry, before.cell)
                logs |= {*within.select("log").collect()["log"]}
        return logs

    failed = of_cell(_lost)
    logs = {row["log"] for row in _rows(before)} | failed | of_cell(lambda log: log.settings or [])
    source = reread.source_of(footer.get("source", {}))
    with reread.again(shards, logs, source, root) as again:
        behind: Behind = part.behind(again.samples, grid, entry, columns)
    if _rows(behind):  # what another log made up for has not failed
        every = [log for listed in shards.values() for log in listed.values()]
        there = {tuple(values) for log in every for values in log.settings or []}
        failed = of_cell(lambda log: [s for s in _lost(log) if tuple(s) not in there])
    changed = again.changed
    if not changed and _rows(behind) != _rows(before):
        changed = ["the samples table has other records of this cell than its logs have"]
    behind = structs.replace(
        behind, failed=sorted(failed), heads=source.beside_records(), changed=changed,
        grown=again.grown, unread=sorted(again.unread),
    )  # fmt: skip
    if again.unread:
        why = "; ".join(f"{path} is {again.unread[path]}" for path in behind.unread)
        note = f"not counted anew: {why}"
        behind = structs.replace(behind, counted=None, agrees=None, note=note)
    return behind


def _lost(log: Log) -> Settings:
    """Settings of runs of which a log was to hold samples, and holds none."""
    return [run.settings for run in log.runs if run.empty]


def _rows(behind: Behind) -> list[dict[str, Any]]:
    return [row for part in behind.parts for row in part.records]


def changed(record: Record, root: Path, *, drawn: bool = False) -> list[str]:
    """Files that are no longer those that the figure was made of, in words.

    `drawn`: its exported files too.
    """
    grid, shards, name = record.get("grid", {}), _shards(record, root), record["figure"]
    lines = []
    if grid and (digest := hashed.of_place(root / grid["path"])) != grid["sha256"]:
        lines = [
            f"{grid['path']} changed since the figure was drawn from it (sha256 {digest[:12]}…)"
        ]
    beside = (paths.counts, paths.manifest)
    read = {paths.spec(name), *shards, *(place(table) for table in shards for place in beside)}
    read |= {paths.picture(name, form) for form in FORMATS if drawn}
    lines += [
        f"{path} changed since the figure was made (blake3 {file[0][:12]}… then)"
        for piece in ledger.load(root).values()
        for path, file in piece.outputs.items()
        if path in read and ledger.contents(root / path) != file
    ]
    then, now = record["logs"], records.logs(_logs(shards))
    if then != now:
        lines.append(
            f"the {now['count']:,} logs of now are not the {then['count']:,} that the figure was "
            f"made of (blake3 {now['blake3'][:12]}…, {then['blake3'][:12]}… then)"
        )
    return lines


def logs_now(record: Record, root: Path) -> tuple[dict[str, str], dict[str, str]]:
    """The logs that a figure shows, by path: their digests when it was made, and those of now."""
    _, footer = tables.read(_there(root, paths.grid(record["figure"])))
    logs, source = _logs(_shards(record, root)), reread.source_of(footer.get("source", {}))
    return shard_index.digests(logs), reread.beside(source, logs, root)


def stages(record: Record, root: Path, now: Mapping[str, str]) -> list[tuple[str, str, str]]:
    """The chain from the figure back to the logs: stage, what, digest; `now`: of the logs."""
    name = record["figure"]
    figures = sorted((root / "results" / "figures").glob(f"{name}.*"))
    files = [("figure", path.relative_to(root).as_posix()) for path in figures]
    files += [("spec", paths.spec(name)), ("grid", paths.grid(name))]
    files += [("table", path) for path in _shards(record, root)]
    chain = [(stage, path, hashed.of_place(root / path)) for stage, path in files]
    chain.append(("logs", f"{len(now):,}", f"blake3 {raw_logs.manifest(now)}"))
    chain += [
        ("log", path, f"blake3 {digest}" if reread.is_digest(digest) else digest)
        for path, digest in now.items()
    ]
    chain += [("code", stage, digest) for stage, digest in sorted(record["code"].items())]
    return chain + [("tool", tool, version) for tool, version in sorted(record["versions"].items())]


def _shards(record: Record, root: Path) -> Shards:
    """The samples tables of now that hold samples of a figure → the logs in them."""
    entry = api.read(record["entry"])
    shards = {}
    for counts in sorted((root / paths.counts(paths.tables(entry.source))).glob("*.parquet")):
        if logs := shard_index.shown_logs([shard_index.read_index(counts)], entry):
            shards[paths.table(entry.source, counts.stem)] = logs
    if not shards:
        raise Error(f"{paths.tables(entry.source)} holds no sample of {entry.name}: run snakemake")
    return shards


def _logs(shards: Shards) -> dict[str, Log]:
    """The logs in tables."""
    return {path: log for listed in shards.values() for path, log in listed.items()}


def raw(rows: Iterable[Record], root: Path) -> dict[tuple[str, str, int, int], bytes]:
    """The bytes of records as the logs hold them: (log, member, offset, length) → bytes.

    Of logs that are not there, none.
    """
    places: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for row in rows:
        places.setdefault((row["log"], row["member"]), []).append((row["offset"], row["length"]))
    data: dict[tuple[str, str, int, int], bytes] = {}
    for (log, member), spans in places.items():
        if hashed.other(root / log):
            continue  # told with the logs
        cut = streams.slices(root / log, spans, *([member] if member else []))
        data |= {(log, member, *span): piece for span, piece in cut.items()}
    return data


def _there(root: Path, path: str) -> Path:
    if not (root / path).is_file():
        raise Error(f"{path} is not there: run snakemake, or give the project's folder (--project)")
    return root / path
