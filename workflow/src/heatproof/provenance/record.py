"""The provenance record: from which entries, logs and code a figure was made.

Each stage adds what it knows to the record of the stage before and hands it on inside its own
file: grids in the footer of the Parquet, specs in `usermeta.heatproof`, figures in their metadata.
The same inputs give the same record on every machine: no times, no host names, no absolute paths.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heatproof import __version__
from heatproof.config import paths
from heatproof.logs.logs import manifest
from heatproof.samples import shard_index, tables
from heatproof.util.errors import Error
from heatproof.util.lazy import polars as pl
from heatproof.util.repository import version

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from heatproof.samples.shard_index import Log

RECONSTRUCTED = "Reconstructed from printed digits; the logs were never published."
READ_WITH = ("msgspec", "numpy", "pyarrow", "polars", "snakemake")
"""Libraries whose versions shape the tables."""
DRAWN_WITH = (
    *("altair", "font-source-sans-pro", "font-source-serif-pro", "pikepdf", "pillow"),
    *("pyarrow", "uharfbuzz", "vl-convert-python"),
)
"""Libraries whose versions shape the bytes of a figure's files."""

Record = dict[str, Any]


def of_grid(
    entry: Mapping[str, Any],
    source: Mapping[str, Any],
    logs_shown: Mapping[str, Log],
    code: Mapping[str, str],
) -> Record:
    """What a grid was made of: all that could change a cell, and nothing else.

    Args:
        entry: the figure's, of the config.
        source: that of the source it shows.
        logs_shown: the logs that it shows; one digest stands for them and their sidecars.
        code: stage → digest, of the stages up to the grid.
    """
    return {
        "figure": entry["name"],
        "entry": dict(entry),
        "source": dict(source),
        "logs": {"count": len(logs_shown), "blake3": manifest(shard_index.digests(logs_shown))},
        "code": dict(code),
        "versions": {"heatproof": __version__, **{tool: version(tool) for tool in READ_WITH}},
        "reconstructed": any(log.reconstructed for log in logs_shown.values()),
    }


def of_spec(
    grid: Record, entry: Mapping[str, Any], sha256: str, code: str, fonts: Mapping[str, str]
) -> Record:
    """What a spec was made of: all that its `grid` was, the grid itself, and the whole entry.

    Args:
        grid: the record of the grid.
        entry: the figure's, of the config.
        sha256: of the grid.
        code: digest of the stage.
        fonts: path → SHA-256 of the files of its typeface, where it has its own.
    """
    return {
        **grid,
        "entry": dict(entry),
        "grid": {"path": paths.grid(entry["name"]), "sha256": sha256},
        "code": {**grid["code"], "draw": code},
        "versions": {**grid["versions"], **{tool: version(tool) for tool in DRAWN_WITH}},
        **({"fonts": dict(fonts)} if fonts else {}),
    }


def notes(record: Record) -> list[str]:
    """What a reader must be told wherever the figure or its numbers go."""
    return [RECONSTRUCTED] if record["reconstructed"] else []


def read_grid(path: Path) -> tuple[pl.DataFrame, Record]:
    """The cells of a grid, and the record in its footer.

    Raises:
        Error: the file is damaged.
    """
    wrong = f"{path}: damaged, no grid of ours any more: run snakemake"
    try:
        cells, footer = tables.read(path)
    except (pl.exceptions.PolarsError, ValueError) as error:
        raise Error(wrong) from error
    if "entry" not in footer:
        raise Error(wrong)
    return cells, footer
