"""The provenance record: from which entry, tables, logs and code a figure was made.

Each stage adds what it knows to the record of the stage before and hands it on inside its own
file: grids in the footer of the Parquet, specs in `usermeta.heatproof`, figures in their metadata.
The same inputs give the same record on every machine: no times, no host names, no absolute paths.
"""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof import __version__
from heatproof.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

RECONSTRUCTED = "Reconstructed from printed digits; the logs were never published."

DRAWN_WITH = ("altair", "font-source-sans-pro", "pikepdf", "uharfbuzz", "vl-convert-python")
"""Libraries whose versions shape the bytes of a figure's files."""

Record = dict[str, Any]


class Behind(NamedTuple):
    """The tables that a grid is made of; those of a source are the same for all its figures."""

    tables: dict[str, str]
    """Samples tables, by their paths below the project folder → SHA-256."""
    logs: dict[str, str]
    """The manifests of their logs, likewise."""
    reconstructed: bool


def of_grid(entry: Mapping[str, Any], behind: Behind, code: str) -> Record:
    """What a grid was made of: entry, samples tables and, beside each, the manifest of its logs."""
    return {
        "figure": entry["name"],
        "entry": dict(entry),
        "tables": behind.tables,
        "logs": behind.logs,
        "code": {"aggregate": code},
        "versions": _versions("polars", "snakemake"),
        "reconstructed": behind.reconstructed,
    }


def of_spec(grid: Record, entry: Mapping[str, Any], given: Mapping[str, str], code: str) -> Record:
    """What a spec was made of: all that its `grid` was, the grid itself, and the whole entry.

    `given`: path of the grid → SHA-256.
    """
    ((path, digest),) = given.items()
    return {
        **grid,
        "entry": dict(entry),
        "grid": {"path": path, "sha256": digest},
        "code": {**grid["code"], "draw": code},
        "versions": {**grid["versions"], **_versions(*DRAWN_WITH)},
    }


def reconstructed(samples: Sequence[str]) -> bool:
    """Whether any sample comes from a log that was made up from printed digits."""
    rows = pl.scan_parquet(list(samples)).select(pl.col("reconstructed").any())
    return bool(rows.collect().item())


def notes(record: Record) -> list[str]:
    """What a reader must be told wherever the figure or its numbers go."""
    return [RECONSTRUCTED] if record["reconstructed"] else []


def _versions(*tools: str) -> dict[str, str]:
    return {"heatproof": __version__, **{tool: version(tool) for tool in tools}}
