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
from heatproof.provenance.verify import file_difference
from heatproof.samples import normalize, shard_index, tables
from heatproof.samples.derived import files_beside
from heatproof.util import hashed, registry
from heatproof.util.errors import Error
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from heatproof.config.entries import Source
    from heatproof.kinds.trace import Behind
    from heatproof.ledger import Piece
    from heatproof.samples.shard_index import Log

    Record = dict[str, Any]
    Shards = Mapping[str, Mapping[str, Log]]

CLOSED = "cannot be read"
LACKS = "#lacks"  # a column beside settings; no hyper-parameter has this name


def cell(record: Record, root: Path, address: str) -> Behind:
    """The records behind a cell (`task=a,ratio=0.3`). Raises Error: there is none."""
    entry = api.read(record["entry"])
    kind = api.kind(entry.kind)
    place = parse_cell(address)
    grid, footer = tables.read(_require_file(root, paths.grid(record["figure"])))
    shards = _shards(record, root)
    stored = pl.scan_parquet([_require_file(root, path) for path in shards])
    try:
        before: Behind = kind.behind(stored, grid, entry, place)
    except (pl.exceptions.PolarsError, LookupError) as error:  # a record of another build
        wrong = f"{paths.grid(record['figure'])} is not as the record says"
        raise Error(f"{wrong} ({type(error).__name__}): call `heatproof run`") from None
    runs = list(_runs_of_cell(shards, root, entry, before.cell))
    logs = {row["log"] for row in _records_behind(before)}
    logs |= {log for log, *_ in runs}
    _, source = job.source(footer["source"])
    with tempfile.TemporaryDirectory(prefix="heatproof-") as folder:
        samples, changed, grown, unread = read_again(shards, logs, source, root, Path(folder))
        behind = before
        if not have_same_samples(stored, samples, logs):
            behind = kind.behind(samples, grid, entry, place)
    if not changed and _records_behind(behind) != _records_behind(before):
        changed = ["the samples table has other records of this cell than its logs have"]
    failed = _failed_logs(runs, shards, behind)
    heads = source.beside_records()
    behind = structs.replace(behind, failed=failed, heads=heads, changed=changed, grown=grown)
    if not unread:
        return behind
    paths_unread = sorted(unread)
    why = "; ".join(f"{path} is {unread[path]}" for path in paths_unread)
    note = f"not counted anew: {why}"
    return structs.replace(behind, unread=paths_unread, counted=None, agrees=None, note=note)


def have_same_samples(stored: pl.LazyFrame, anew: pl.LazyFrame, logs: Collection[str]) -> bool:
    """Whether tables have the same samples of some logs, so that all counts are the same."""
    names = stored.collect_schema().names()
    if set(names) != set(anew.collect_schema().names()):
        return False
    frames = []
    for samples in (stored, anew):
        of_logs = samples.filter(pl.col("log").is_in(list(logs))).select(names)
        frames.append(of_logs.sort(*roles.KEY, *roles.PLACE).collect())
    return frames[0].equals(frames[1])


def _failed_logs(runs: Iterable[tuple[Any, ...]], shards: Shards, behind: Behind) -> list[str]:
    """The logs of failed runs of a cell. A run that another log repeats has not failed."""
    repeated = set[tuple[Any, ...]]()
    if _records_behind(behind):
        for logs in shards.values():
            for log in logs.values():
                repeated |= {tuple(settings) for settings in log.settings or []}
    failed = set[str]()
    for path, lacks_all, *settings in runs:
        if lacks_all and tuple(settings) not in repeated:
            failed.add(path)
    return sorted(failed)


def _runs_of_cell(
    shards: Shards, root: Path, entry: Any, cell: Mapping[str, Any]
) -> Iterator[tuple[Any, ...]]:
    """Log, whether all its expected samples lack, and settings of each run in a cell."""
    for table, logs in shards.items():
        settings = shard_index.read_index(root / paths.counts(table)).columns
        runs: list[list[Any]] = []
        for path, log in logs.items():
            runs += [([path, False] + values) for values in log.settings or []]
        for path, log in logs.items():
            runs += [([path, True] + run.settings) for run in log.runs if run.empty]
        names = ["log", LACKS] + settings
        frame = pl.DataFrame(runs, schema=names, orient="row", infer_schema_length=None)
        with suppress(pl.exceptions.PolarsError):  # a cell has more columns than settings
            rows = api.kind(entry.kind).within(frame.lazy(), entry, cell)
            yield from rows.collect().rows()


def _records_behind(behind: Behind) -> list[Record]:
    rows: list[Record] = []
    for part in behind.parts:
        rows += part.records
    return rows


def _shards(record: Record, root: Path) -> dict[str, dict[str, Log]]:
    """Samples table with samples of a figure → its logs."""
    entry = api.read(record["entry"])
    shards = {}
    folder = root / paths.counts(paths.tables(entry.source))
    for counts in sorted(folder.glob("*.parquet")):
        index = shard_index.read_index(counts)
        if logs := shard_index.shown_logs(index, entry):
            shards[paths.table(entry.source, counts.stem)] = logs
    if not shards:
        raise Error(
            f"{paths.tables(entry.source)} holds no sample of {entry.name}: call `heatproof run`"
        )
    return shards


def _require_file(root: Path, path: str) -> Path:
    if not (root / path).is_file():
        raise Error(
            f"{path} does not exist: call `heatproof run`, or give the project's folder (--project)"
        )
    return root / path


def _job(table: str) -> str:
    return f"normalize {table.split('/')[-2]}/{Path(table).stem}"


def read_again(
    shards: Shards, chosen: Collection[str], source: Source, root: Path, folder: Path
) -> tuple[pl.LazyFrame, list[str], list[str], dict[str, str]]:
    """The samples of tables, those of `chosen` logs read again into a folder; and words on these.

    `shards`: samples table → its logs. The words: on logs and sidecars with other bytes than when
    they were read; on logs with more bytes, of which only the first ones are read; and log → why it
    cannot be read, so that its samples are those of the tables.
    """
    changed = list[str]()
    grown = list[str]()
    unread = dict[str, str]()
    read = registry.find(formats, source.format, "format", "log format").read
    frames: list[pl.LazyFrame] = []
    for number, (table, index) in enumerate(shards.items()):
        logs = [path for path in index if path in chosen]
        inputs = ledger.read(root / ledger.place(_job(table))).inputs
        extents = {}
        for path in sorted(_files_of_logs(logs, index, source, root)):
            noted = inputs.get(path, hashed.UNREAD)
            extents[path], change = _read_extent(path, noted, root)
            if change and extents[path] == noted:
                grown.append(change)
            elif change:
                changed.append(change)
            if path in logs and not extents[path].digest:
                unread[path] = hashed.irregular(root / path) or CLOSED
        anew = folder / f"{number}.parquet"
        good = [path for path in logs if path not in unread]
        try:
            rejected = anew.with_suffix(".rejected")
            normalize.write(good, root, source, read, anew, rejected, extents, root / table)
        except Exception as error:  # noqa: BLE001 - a changed log may fail in any way
            why = (str(error) or type(error).__name__).splitlines()[0]
            unread |= dict.fromkeys(good, f"{CLOSED}: {why}")
            good = []
        is_read = pl.col("log").is_in(good)
        left = pl.scan_parquet(root / table).filter(~is_read)
        frames.append(left)
        if good:
            frames.append(_without_repeats(anew, left, root / paths.rejected(table)))
    return pl.concat(frames, how="diagonal_relaxed"), changed, grown, unread


def _files_of_logs(
    logs: Collection[str], index: Mapping[str, Log], source: Source, root: Path
) -> set[str]:
    """Logs with their sidecars, those of then and those of now."""
    files = set(logs)
    for log in logs:
        files.update(index[log].beside, files_beside(source, log, root))
    return files


def _read_extent(path: str, noted: hashed.Extent, root: Path) -> tuple[hashed.Extent, str]:
    """The part of a file that is read again, and how the file has changed, in words."""
    now = hashed.content(root / path)
    if now.size > noted.size > 0:
        with (root / path).open("rb") as file:
            start = hashed.extent(file.fileno(), noted.size)
        if start == noted:
            grown = "has grown since the figure was made; it was read as far as it was then"
            return noted, f"{path} {grown}"
    difference = file_difference(path, noted, root, now)
    return now, str(difference or "")


def _without_repeats(table: Path, left: pl.LazyFrame, rejected: Path) -> pl.LazyFrame:
    """The samples read again, but for refused repeats of samples of another log of the table.

    A log has none if its runs are named after it. `rejected`: what was refused beside the table.
    """
    read = pl.scan_parquet(table)
    is_named_otherwise = ~pl.col("run").str.starts_with(pl.col("log"))
    if read.filter(is_named_otherwise).head(1).collect().is_empty():
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
    name = record["figure"]
    shards = _shards(record, root)
    digests = set[str]()
    if logs:
        for index in shards.values():
            digests |= shard_index.digests(index).keys()
    pieces = ledger.load(root)
    makers = _rules_by_output(pieces.values())
    chain = dict[str, tuple[str, str, str]]()
    changed = dict[str, None]()
    jobs = [f"draw {name}", f"aggregate {name}", *map(_job, shards)]
    for piece in (pieces[name] for name in jobs if name in pieces):
        for path, noted in (piece.outputs | piece.inputs).items():
            is_log = piece.rule == "normalize" and path not in makers
            if is_log and path not in digests:
                continue
            change = file_difference(path, noted, root)
            digest = change.now if change else noted.digest
            stage = "log" if is_log else makers.get(path, piece.rule)
            chain.setdefault(path, (stage, path, digest))
            if change:
                changed[str(change)] = None
    rows = list(chain.values())
    for what, versions in (("code", record["code"]), ("tool", record["versions"])):
        rows += [(what, name, version) for name, version in sorted(versions.items())]
    return rows, list(changed)


def _rules_by_output(pieces: Iterable[Piece]) -> dict[str, str]:
    """File → the rule whose job made it."""
    rules: dict[str, str] = {}
    for piece in pieces:
        rules |= dict.fromkeys(piece.outputs, piece.rule)
    return rules


def add_bytes(rows: Iterable[Record], root: Path) -> None:
    """Add their bytes to records, as `record`, if the log exists."""
    places: dict[tuple[str, str], list[Record]] = {}
    for row in rows:
        places.setdefault((row["log"], row["member"]), []).append(row)
    for (log, member), listed in places.items():
        if hashed.irregular(root / log):
            continue  # told with the logs
        spans = [(row["offset"], row["record_bytes"]) for row in listed]
        members = [member] if member else []
        data = streams.slices(root / log, spans, *members)
        for row, span in zip(listed, spans, strict=True):
            if span in data:
                row["record"] = data[span].decode("utf-8", "backslashreplace")
