"""The provenance record: from which entry, tables, logs and code a figure was made.

Each stage adds what it knows to the record of the stage before and hands it on inside its own
file: grids in the footer of the Parquet, specs in `usermeta.heatproof`, figures in their metadata.
The same inputs give the same record on every machine: no times, no host names, no absolute paths.
"""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from heatproof import __version__, hashed
from heatproof.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

RECONSTRUCTED = "Reconstructed from printed digits; the logs were never published."

DRAWN_WITH = ("altair", "font-source-sans-pro", "pikepdf", "uharfbuzz", "vl-convert-python")
"""Libraries whose versions shape the bytes of a figure's files."""

Record = dict[str, Any]


def of_grid(entry: Mapping[str, Any], samples: Sequence[str], code: str) -> Record:
    """What a grid was made of: entry, samples tables and, beside each, the manifest of its logs.

    `samples`: paths below the project folder.
    """
    return {
        "figure": entry["name"],
        "entry": dict(entry),
        "tables": {path: hashed.sha256(path) for path in samples},
        "logs": {path: hashed.sha256(path) for path in map(manifest, samples)},
        "code": {"aggregate": code},
        "versions": _versions("polars", "snakemake"),
        "reconstructed": reconstructed(samples),
    }


def of_spec(grid: Record, entry: Mapping[str, Any], path: Path, code: str) -> Record:
    """What a spec was made of: all that its `grid` was, the grid itself, and the whole entry."""
    return {
        **grid,
        "entry": dict(entry),
        "grid": {"path": path.as_posix(), "sha256": hashed.sha256(path)},
        "code": {**grid["code"], "draw": code},
        "versions": {**grid["versions"], **_versions(*DRAWN_WITH)},
    }


def manifest(samples: str) -> str:
    """Path of the manifest of the logs that a samples table was read from."""
    return samples.removesuffix(".parquet") + ".logs.csv"


def reconstructed(samples: Sequence[str]) -> bool:
    """Whether any sample comes from a log that was made up from printed digits."""
    rows = pl.scan_parquet(list(samples)).select(pl.col("reconstructed").any())
    return bool(rows.collect().item())


def notes(record: Record) -> list[str]:
    """What a reader must be told wherever the figure or its numbers go."""
    return [RECONSTRUCTED] if record["reconstructed"] else []


def _versions(*tools: str) -> dict[str, str]:
    return {"heatproof": __version__, **{tool: version(tool) for tool in tools}}
