"""trace: from a picture to the records behind each of its numbers, and back through every stage."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Any

from heatproof import hashed, kinds, paths, tables
from heatproof.errors import Error
from heatproof.proof import traces
from heatproof.proof.behind import parse
from heatproof.reading import streams

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

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
    samples = tables.scan([_there(root, path) for path in record["tables"]])
    found: Behind = kinds.own(traces, typed.kind).behind(samples, grid, typed, parse(wanted))
    return found


def changed(record: Record, root: Path) -> list[str]:
    """Files that are no longer those that the figure was made of, in words."""
    grid = record.get("grid", {})
    known = record["tables"] | record["logs"] | ({grid["path"]: grid["sha256"]} if grid else {})
    return [
        f"{path} changed since the figure was made (sha256 {digest[:12]}… then)"
        for path, digest in known.items()
        if not (root / path).is_file() or hashed.sha256(root / path) != digest
    ]


def stages(record: Record, root: Path) -> list[tuple[str, str, str]]:
    """The chain from the figure back to the logs: stage, what, digest."""
    name = record["figure"]
    files = sorted((root / "results" / "figures").glob(f"{name}.*"))
    chain = [("figure", _below(path, root), hashed.sha256(path)) for path in files]
    spec = _there(root, paths.spec(name))
    chain.append(("spec", _below(spec, root), hashed.sha256(spec)))
    if "grid" in record:
        chain.append(("grid", record["grid"]["path"], record["grid"]["sha256"]))
    chain += [("table", path, digest) for path, digest in record["tables"].items()]
    chain += [("logs", path, digest) for path, digest in record["logs"].items()]
    chain += [("log", row["log"], f"blake3 {row['blake3']}") for row in logs(record, root)]
    chain += [("code", stage, digest) for stage, digest in sorted(record["code"].items())]
    versions = sorted(record["versions"].items())
    return chain + [("tool", name, version) for name, version in versions]


def logs(record: Record, root: Path) -> Iterator[dict[str, str]]:
    """What became of each log that a figure's tables were read from."""
    for path in record["logs"]:
        with _there(root, path).open(newline="") as file:
            yield from csv.DictReader(file)


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
