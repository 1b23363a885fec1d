"""trace: from a picture to the records behind each of its numbers, and back through every stage."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heatproof import hashed, held, kinds, paths, provenance, tables
from heatproof.errors import Error
from heatproof.proof import manifest, traces
from heatproof.proof.behind import parse
from heatproof.reading import streams

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from heatproof.held import Log
    from heatproof.proof.behind import Behind

    Record = dict[str, Any]


def cell(record: Record, root: Path, wanted: str) -> Behind:
    """What lies behind the cell `wanted` (`task=a,ratio=0.3`) of a figure with this record.

    Raises:
        Error: there is no such cell, or grid or tables are not there.
    """
    entry = record["entry"]
    _, typed = kinds.read(entry)
    grid, _ = tables.read(_there(root, paths.grid(record["figure"])))
    samples = tables.scan([_there(root, path) for path in _shards(record, root)])
    found: Behind = kinds.own(traces, typed.kind).behind(samples, grid, typed, parse(wanted))
    return found


def changed(record: Record, root: Path) -> list[str]:
    """Files that are no longer those that the figure was made of, in words."""
    grid, shards = record.get("grid", {}), _shards(record, root)
    known = {grid["path"]: grid["sha256"]} if grid else {}
    beside = (paths.counts, paths.manifest)
    read = {*shards, *(name(table) for table in shards for name in beside)}
    known |= {path: digest for path, digest in _built(root).items() if path in read}
    said = [
        f"{path} changed since the figure was made (sha256 {digest[:12]}… then)"
        for path, digest in known.items()
        if not (root / path).is_file() or hashed.sha256(root / path) != digest
    ]
    then, now = record["logs"], provenance.logs(logs(shards))
    if then != now:
        said.append(
            f"the {now['count']:,} logs of now are not the {then['count']:,} that the figure was "
            f"made of (blake3 {now['blake3'][:12]}…, {then['blake3'][:12]}… then)"
        )
    return said


def _built(root: Path) -> dict[str, str]:
    """Path → SHA-256 as the last build made it; nothing where its manifest is not there."""
    try:
        return manifest.read(root).files
    except Error:
        return {}


def stages(record: Record, root: Path) -> list[tuple[str, str, str]]:
    """The chain from the figure back to the logs: stage, what, digest."""
    name = record["figure"]
    files = sorted((root / "results" / "figures").glob(f"{name}.*"))
    chain = [("figure", _below(path, root), hashed.sha256(path)) for path in files]
    spec = _there(root, paths.spec(name))
    chain.append(("spec", _below(spec, root), hashed.sha256(spec)))
    if "grid" in record:
        chain.append(("grid", record["grid"]["path"], record["grid"]["sha256"]))
    shards = _shards(record, root)
    chain += [("table", path, hashed.sha256(root / path)) for path in shards]
    chain.append(("logs", f"{record['logs']['count']:,}", f"blake3 {record['logs']['blake3']}"))
    digests = held.digests(logs(shards))
    chain += [("log", path, f"blake3 {digest}") for path, digest in sorted(digests.items())]
    chain += [("code", stage, digest) for stage, digest in sorted(record["code"].items())]
    versions = sorted(record["versions"].items())
    return chain + [("tool", name, version) for name, version in versions]


def _shards(record: Record, root: Path) -> dict[str, dict[str, Log]]:
    """The samples tables of now that hold samples of a figure → the logs in them."""
    _, entry = kinds.read(record["entry"])
    found = {}
    for counts in sorted((root / paths.counts(paths.tables(entry.source))).glob("*.parquet")):
        if logs := held.shown([held.read(counts)], entry):
            found[paths.table(entry.source, counts.stem)] = logs
    if not found:
        raise Error(f"{paths.tables(entry.source)} holds no sample of {entry.name}: run snakemake")
    return found


def logs(shards: dict[str, dict[str, Log]]) -> dict[str, Log]:
    """The logs in tables."""
    return {path: log for logs in shards.values() for path, log in logs.items()}


def raw(records: Iterable[Record], root: Path) -> dict[tuple[str, str, int, int], bytes]:
    """The bytes of records as the logs hold them: (log, member, offset, length) → bytes."""
    wanted: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for record in records:
        place = record["log"], record["member"]
        wanted.setdefault(place, []).append((record["offset"], record["length"]))
    found: dict[tuple[str, str, int, int], bytes] = {}
    for (log, member), places in wanted.items():
        given = [member] if member else []
        cut = streams.slices(_there(root, log), places, *given)
        found |= {(log, member, *place): data for place, data in cut.items()}
    return found


def _there(root: Path, path: str) -> Path:
    if not (root / path).is_file():
        raise Error(f"{path} is not there: run snakemake, or give the project's folder (--project)")
    return root / path


def _below(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix()
