"""trace: from a figure to the files behind it, and to the records behind a cell, read again."""

from __future__ import annotations

import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import structs

from heatproof import formats, ledger
from heatproof.config import paths, roles
from heatproof.kinds import api
from heatproof.kinds.trace import parse_cell
from heatproof.logs import streams
from heatproof.provenance import job
from heatproof.provenance.verify import of_file
from heatproof.samples import normalize, shard_index, tables
from heatproof.util import hashed, registry
from heatproof.util.errors import Error
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from heatproof.config.entries import Source
    from heatproof.kinds.trace import Behind
    from heatproof.samples.shard_index import Log

    Record = dict[str, Any]
    Shards = Mapping[str, Mapping[str, Log]]

LACKS = "#lacks"  # a column beside settings; no hyper-parameter has this name


def cell(record: Record, root: Path, place: str) -> Behind:
    """The records behind a cell (`task=a,ratio=0.3`). Raises Error: there is none."""
    entry = api.read(record["entry"])
    grid, footer = tables.read(_there(root, paths.grid(record["figure"])))
    shards = _shards(record, root)
    stored = pl.scan_parquet([_there(root, path) for path in shards])
    part, columns = api.kind(entry.kind), parse_cell(place)
    try:
        before: Behind = part.behind(stored, grid, entry, columns)
    except (pl.exceptions.PolarsError, LookupError) as error:  # a record of another build
        wrong = f"{paths.grid(record['figure'])} is not as the record says"
        raise Error(f"{wrong} ({type(error).__name__}): run snakemake") from None
    runs = [*_runs_of_cell(shards, root, entry, before.cell)]
    logs = {row["log"] for row in _rows(before)} | {log for log, *_ in runs}
    _, source = job.source(footer["source"])
    with tempfile.TemporaryDirectory(prefix="heatproof-") as folder:
        samples, changed, grown, unread = again(shards, logs, source, root, Path(folder))
        behind: Behind = part.behind(samples, grid, entry, columns)
    # A run that another log repeats has not failed.
    every = [log for listed in shards.values() for log in listed.values()] if _rows(behind) else []
    there = {tuple(values) for log in every for values in log.settings or []}
    failed = {log for log, lacks, *values in runs if lacks and (*values,) not in there}
    if not changed and _rows(behind) != _rows(before):
        changed = ["the samples table has other records of this cell than its logs have"]
    behind = structs.replace(
        behind, failed=sorted(failed), heads=source.beside_records(), changed=changed,
        grown=grown, unread=sorted(unread),
    )  # fmt: skip
    if unread:
        why = "; ".join(f"{path} is {unread[path]}" for path in behind.unread)
        behind = structs.replace(behind, counted=None, agrees=None, note=f"not counted anew: {why}")
    return behind


def _runs_of_cell(
    shards: Shards, root: Path, entry: Any, cell: Mapping[str, Any]
) -> Iterator[tuple[Any, ...]]:
    """Log, whether all its expected samples lack, and settings of each run in a cell."""
    for table, listed in shards.items():
        names = ["log", LACKS, *shard_index.read_index(root / paths.counts(table)).columns]
        runs = [[path, False, *values] for path in listed for values in listed[path].settings or []]
        runs += [[path, True, *run.settings] for path in listed for run in listed[path].runs
                 if run.empty]  # fmt: skip
        frame = pl.DataFrame(runs, schema=names, orient="row", infer_schema_length=None)
        with suppress(pl.exceptions.PolarsError):  # a cell has more columns than settings
            yield from api.kind(entry.kind).within(frame.lazy(), entry, cell).collect().rows()


def _rows(behind: Behind) -> list[dict[str, Any]]:
    return [row for part in behind.parts for row in part.records]


def _shards(record: Record, root: Path) -> dict[str, dict[str, Log]]:
    """Samples table with samples of a figure → its logs."""
    entry = api.read(record["entry"])
    shards = {}
    for counts in sorted((root / paths.counts(paths.tables(entry.source))).glob("*.parquet")):
        if logs := shard_index.shown_logs(shard_index.read_index(counts), entry):
            shards[paths.table(entry.source, counts.stem)] = logs
    if not shards:
        raise Error(f"{paths.tables(entry.source)} holds no sample of {entry.name}: run snakemake")
    return shards


def _there(root: Path, path: str) -> Path:
    if not (root / path).is_file():
        raise Error(
            f"{path} does not exist: run snakemake, or give the project's folder (--project)"
        )
    return root / path


def _job(table: str) -> str:
    return f"normalize {table.split('/')[-2]}/{Path(table).stem}"


def again(
    shards: Shards, chosen: Collection[str], source: Source, root: Path, folder: Path
) -> tuple[pl.LazyFrame, list[str], list[str], dict[str, str]]:
    """The samples of tables, those of `chosen` logs read again into a folder; and words on these.

    `shards`: samples table → its logs. The words: on logs and sidecars with other bytes than when
    they were read; on logs with more bytes, of which only those of then are read; and log → why it
    cannot be read, so that its samples are those of the tables.
    """
    changed, grown, unread = list[str](), list[str](), dict[str, str]()
    read = registry.find(formats, source.format, "format", "log format").read
    frames = []
    for number, (table, listed) in enumerate(shards.items()):
        logs = [path for path in listed if path in chosen]
        files = {*logs, *(path for log in logs for path in listed[log].beside)}
        files |= {path for log in logs for path in source.sidecars(log, root)}
        inputs = ledger.read(root / ledger.place(_job(table))).inputs
        extents = {}
        for path in sorted(files):
            then = inputs.get(path, hashed.UNREAD)
            extents[path], change = _reread(path, then, root)
            if change:
                (grown if extents[path] == then else changed).append(change)
            if not extents[path].digest and path in logs:
                unread[path] = hashed.other(root / path) or "cannot be read"
        anew = folder / f"{number}.parquet"
        rejected = anew.with_suffix(".rejected")
        good = [path for path in logs if path not in unread]
        try:
            normalize.write(good, root, source, read, anew, rejected, noted=extents)
        except Exception as error:  # noqa: BLE001 - a changed log may fail in any way
            why = (str(error) or type(error).__name__).splitlines()[0]
            unread |= dict.fromkeys(good, f"cannot be read: {why}")
            good = []
        left = pl.scan_parquet(root / table).filter(~pl.col("log").is_in(good))
        frames += [
            left,
            *([_without_repeats(anew, left, root / paths.rejected(table))] if good else []),
        ]
    return pl.concat(frames, how="diagonal_relaxed"), changed, grown, unread


def _reread(path: str, then: hashed.Extent, root: Path) -> tuple[hashed.Extent, str]:
    """The part of a file that is read again, and how the file has changed, in words."""
    now = hashed.content(root / path)
    if now.size > then.size > 0:
        with (root / path).open("rb") as file:
            start = hashed.extent(file.fileno(), then.size)
        if start == then:
            grown = "has grown since the figure was made; it was read as far as it was then"
            return then, f"{path} {grown}"
    return now, str(of_file(path, then, root, now) or "")


def _without_repeats(table: Path, left: pl.LazyFrame, rejected: Path) -> pl.LazyFrame:
    """The samples read again, but for refused repeats of samples of another log of the table.

    A log has none if its runs are named after it. `rejected`: what was refused beside the table.
    """
    read = pl.scan_parquet(table)
    if not len(read.filter(~pl.col("run").str.starts_with(pl.col("log"))).head(1).collect()):
        return read
    place = ["log", "member", "line", "offset"]
    if rejected.is_file():
        refused = pl.scan_parquet(rejected).filter(kind="repeat").select(place)
        read = read.join(refused, on=place, how="anti")
    return read.join(left.select(roles.KEY), on=roles.KEY, how="anti")


def files(
    record: Record, root: Path, *, logs: bool = True
) -> tuple[list[tuple[str, str, str]], list[str]]:
    """The chain from a figure back to its logs: stage, file, digest of now; and all changes.

    `logs`: with the logs of the figure and their sidecars.
    """
    name, shards = record["figure"], _shards(record, root)
    pieces, digests = ledger.load(root), set[str]()
    for listed in shards.values() if logs else ():
        digests |= shard_index.digests(listed).keys()
    jobs = [f"draw {name}", f"aggregate {name}", *map(_job, shards)]
    maker = {path: piece.rule for piece in pieces.values() for path in piece.outputs}
    chain, changed = dict[str, tuple[str, str, str]](), dict[str, None]()
    for piece in (pieces[name] for name in jobs if name in pieces):
        for path, then in {**piece.outputs, **piece.inputs}.items():
            is_log = piece.rule == "normalize" and path not in maker
            if is_log and path not in digests:
                continue
            change = of_file(path, then, root)
            digest = change.now if change else then[0]
            stage = "log" if is_log else maker.get(path, piece.rule)
            chain.setdefault(path, (stage, path, digest))
            if change:
                changed[str(change)] = None
    code = [("code", stage, digest) for stage, digest in sorted(record["code"].items())]
    tools = [("tool", tool, version) for tool, version in sorted(record["versions"].items())]
    return [*chain.values(), *code, *tools], [*changed]


def add_bytes(rows: Iterable[Record], root: Path) -> None:
    """Add their bytes to records, as `record`, if the log exists."""
    places: dict[tuple[str, str], list[Record]] = {}
    for row in rows:
        places.setdefault((row["log"], row["member"]), []).append(row)
    for (log, member), listed in places.items():
        if hashed.other(root / log):
            continue  # told with the logs
        spans = [(row["offset"], row["length"]) for row in listed]
        data = streams.slices(root / log, spans, *([member] if member else []))
        for row, span in zip(listed, spans, strict=True):
            if span in data:
                row["record"] = data[span].decode("utf-8", "backslashreplace")
