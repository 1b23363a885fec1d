"""The provenance record: from which entries, logs and code a figure was made.

Each stage adds what it knows to the record of the stage before and hands it on inside its own
file: grids in the footer of the Parquet, specs in `usermeta.heatproof`, figures in their metadata.
The same inputs give the same record on every machine: no times, no host names, no absolute paths.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heatproof import __version__
from heatproof.logs.logs import manifest
from heatproof.samples import held
from heatproof.util.pins import version

if TYPE_CHECKING:
    from collections.abc import Mapping

    from heatproof.samples.held import Log

RECONSTRUCTED = "Reconstructed from printed digits; the logs were never published."

READ_WITH = ("msgspec", "numpy", "pyarrow")
"""Libraries whose versions shape the tables."""

DRAWN_WITH = ("altair", "font-source-sans-pro", "pikepdf", "uharfbuzz", "vl-convert-python")
"""Libraries whose versions shape the bytes of a figure's files."""

Record = dict[str, Any]


def of_grid(
    entry: Mapping[str, Any],
    source: Mapping[str, Any],
    shown: Mapping[str, Log],
    code: Mapping[str, str],
) -> Record:
    """What a grid was made of: all that could change a cell, and nothing else.

    Args:
        entry: the figure's, of the config.
        source: that of the source it shows.
        shown: the logs that it shows; one digest stands for them and their sidecars.
        code: stage → digest, of the stages up to the grid.
    """
    return {
        "figure": entry["name"],
        "entry": dict(entry),
        "source": dict(source),
        "logs": logs(shown),
        "code": dict(code),
        "versions": _versions(*READ_WITH, "polars", "snakemake"),
        "reconstructed": any(log.reconstructed for log in shown.values()),
    }


def logs(shown: Mapping[str, Log]) -> dict[str, Any]:
    """How many logs a figure shows, and one digest for them and their sidecars."""
    return {"count": len(shown), "blake3": manifest(held.digests(shown))}


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


def notes(record: Record) -> list[str]:
    """What a reader must be told wherever the figure or its numbers go."""
    return [RECONSTRUCTED] if record["reconstructed"] else []


def _versions(*tools: str) -> dict[str, str]:
    return {"heatproof": __version__, **{tool: version(tool) for tool in tools}}
