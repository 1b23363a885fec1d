"""trace: from a picture to the records behind each of its numbers, and back through every stage."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from msgspec import structs

from heatproof.config import paths
from heatproof.config.entries import FORMATS
from heatproof.kinds import api
from heatproof.kinds.cell_records import parse
from heatproof.ledger import pieces
from heatproof.logs import logs as raw_logs
from heatproof.logs import streams
from heatproof.provenance import provenance, reread
from heatproof.samples import shard_index, tables
from heatproof.util import hashed
from heatproof.util.errors import Error
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from heatproof.kinds.cell_records import Behind
    from heatproof.samples.shard_index import Log

    Record = dict[str, Any]


def cell(record: Record, root: Path, wanted: str) -> Behind:
    """What lies behind the cell `wanted` (`task=a,ratio=0.3`) of a figure with this record.

    The logs of the cell are read again: value, counts and records are those of the raw bytes.

    Raises:
        Error: there is no such cell, or grid or tables are not there.
    """
    entry = api.read(record["entry"])
    grid, made = tables.read(_there(root, paths.grid(record["figure"])))
    shards = _shards(record, root)
    stored = tables.scan([_there(root, path) for path in shards])
    room, asked = api.kind(entry.kind), parse(wanted)
    try:
        before: Behind = room.behind(stored, grid, entry, asked)
    except (pl.exceptions.PolarsError, LookupError) as error:  # a record that is not of this build
        said = f"{paths.grid(record['figure'])} is not as the record tells of it"
        raise Error(f"{said} ({type(error).__name__}): run snakemake") from None
    logs = {row["log"] for part in before.parts for row in part.records}

    def within(rows: pl.LazyFrame) -> pl.LazyFrame:
        return room.within(rows, entry, before.cell)

    failed = _of_cell(shards, root, within, _lost)
    logs |= failed | _of_cell(shards, root, within, _settings)
    source = reread.source_of(made.get("source", {}))
    with reread.again(shards, logs, source, root) as again:
        found: Behind = room.behind(again.samples, grid, entry, asked)
    if _records(found):  # what another log made up for has not failed
        every = [log for logs_ in shards.values() for log in logs_.values()]
        there = {tuple(one) for log in every for one in _settings(log)}
        failed = _of_cell(
            shards, root, within, lambda log: [s for s in _lost(log) if tuple(s) not in there]
        )
    found = structs.replace(found, failed=sorted(failed), heads=source.beside_records())
    return _judged(found, before, again)


def _settings(log: Log) -> list[list[Any]]:
    """Settings of the samples of a log."""
    return log.settings or []


def _lost(log: Log) -> list[list[Any]]:
    """Settings of runs of which a log was to hold samples, and holds none."""
    return [meant.settings for meant in log.meant if meant.empty]


def _of_cell(
    shards: Mapping[str, Mapping[str, Log]],
    root: Path,
    within: Callable[[pl.LazyFrame], pl.LazyFrame],
    settings: Callable[[Log], list[list[Any]]],
) -> set[str]:
    """Logs that by their settings have part in a cell, whether or not the tables have their rows.

    None where a cell is told by more than settings.
    """
    found: set[str] = set()
    for table, logs in shards.items():
        columns = ["log", *shard_index.read_index(root / paths.counts(table)).columns]
        rows = [[path, *one] for path, log in logs.items() for one in settings(log)]
        frame = pl.DataFrame(rows, schema=columns, orient="row", infer_schema_length=None)
        with suppress(pl.exceptions.PolarsError):
            found |= set(within(frame.lazy()).select("log").collect()["log"])
    return found


def _judged(found: Behind, before: Behind, again: reread.Again) -> Behind:
    """What was read again, with what is to be said of it; `before`: what the tables have."""
    said, unread = again.said, sorted(again.unread)
    if not said and _records(found) != _records(before):
        said = ["the samples table has other records of this cell than its logs have"]
    found = structs.replace(found, changed=said, grown=again.grown, unread=unread)
    if unread:
        why = "; ".join(f"{path} is {again.unread[path]}" for path in unread)
        found = structs.replace(found, counted=None, agrees=None, note=f"not counted anew: {why}")
    return found


def _records(behind: Behind) -> list[dict[str, Any]]:
    return [record for part in behind.parts for record in part.records]


def changed(record: Record, root: Path, *, drawn: bool = False) -> list[str]:
    """Files that are no longer those that the figure was made of, in words.

    `drawn`: its exported files too.
    """
    grid, shards, name = record.get("grid", {}), _shards(record, root), record["figure"]
    said = []
    if grid and (digest := hashed.of_place(root / grid["path"])) != grid["sha256"]:
        said = [
            f"{grid['path']} changed since the figure was drawn from it (sha256 {digest[:12]}…)"
        ]
    beside = (paths.counts, paths.manifest)
    read = {paths.spec(name), *shards, *(of(table) for table in shards for of in beside)}
    read |= {paths.picture(name, form) for form in FORMATS if drawn}
    outputs = (piece.outputs.items() for piece in pieces.load(root).values())
    said += [
        f"{path} changed since the figure was made (blake3 {file[0][:12]}… then)"
        for some in outputs
        for path, file in some
        if path in read and pieces.contents(root / path) != file
    ]
    then, now = record["logs"], provenance.logs(logs(shards))
    if then != now:
        said.append(
            f"the {now['count']:,} logs of now are not the {then['count']:,} that the figure was "
            f"made of (blake3 {now['blake3'][:12]}…, {then['blake3'][:12]}… then)"
        )
    return said


def logs_now(record: Record, root: Path) -> tuple[dict[str, str], dict[str, str]]:
    """The logs that a figure shows, by path: their digests when it was made, and those of now."""
    _, made = tables.read(_there(root, paths.grid(record["figure"])))
    shown = logs(_shards(record, root))
    return shard_index.digests(shown), reread.beside(
        reread.source_of(made.get("source", {})), shown, root
    )


def stages(record: Record, root: Path, now: Mapping[str, str]) -> list[tuple[str, str, str]]:
    """The chain from the figure back to the logs: stage, what, digest; `now`: of the logs."""
    name = record["figure"]
    files = sorted((root / "results" / "figures").glob(f"{name}.*"))
    files.append(_there(root, paths.spec(name)))
    kinds_of = [*["figure"] * (len(files) - 1), "spec"]
    chain = [
        (stage, _below(path, root), hashed.of_place(path))
        for stage, path in zip(kinds_of, files, strict=True)
    ]
    tables_of = [("grid", paths.grid(name)), *(("table", path) for path in _shards(record, root))]
    chain += [(stage, path, hashed.of_place(root / path)) for stage, path in tables_of]
    chain.append(("logs", f"{len(now):,}", f"blake3 {raw_logs.manifest(now)}"))
    chain += [
        ("log", path, f"blake3 {one}" if reread.is_digest(one) else one)
        for path, one in now.items()
    ]
    chain += [("code", stage, digest) for stage, digest in sorted(record["code"].items())]
    versions = sorted(record["versions"].items())
    return chain + [("tool", name, version) for name, version in versions]


def _shards(record: Record, root: Path) -> dict[str, dict[str, Log]]:
    """The samples tables of now that hold samples of a figure → the logs in them."""
    entry = api.read(record["entry"])
    found = {}
    for counts in sorted((root / paths.counts(paths.tables(entry.source))).glob("*.parquet")):
        if logs := shard_index.shown_logs([shard_index.read_index(counts)], entry):
            found[paths.table(entry.source, counts.stem)] = logs
    if not found:
        raise Error(f"{paths.tables(entry.source)} holds no sample of {entry.name}: run snakemake")
    return found


def logs(shards: dict[str, dict[str, Log]]) -> dict[str, Log]:
    """The logs in tables."""
    return {path: log for logs in shards.values() for path, log in logs.items()}


def raw(records: Iterable[Record], root: Path) -> dict[tuple[str, str, int, int], bytes]:
    """The bytes of records as the logs hold them: (log, member, offset, length) → bytes.

    Of logs that are not there, none.
    """
    wanted: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for record in records:
        place = record["log"], record["member"]
        wanted.setdefault(place, []).append((record["offset"], record["length"]))
    found: dict[tuple[str, str, int, int], bytes] = {}
    for (log, member), places in wanted.items():
        if hashed.other(root / log):
            continue  # told with the logs
        given = [member] if member else []
        cut = streams.slices(root / log, places, *given)
        found |= {(log, member, *place): data for place, data in cut.items()}
    return found


def _there(root: Path, path: str) -> Path:
    if not (root / path).is_file():
        raise Error(f"{path} is not there: run snakemake, or give the project's folder (--project)")
    return root / path


def _below(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix()
