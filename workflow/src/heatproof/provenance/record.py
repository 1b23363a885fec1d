"""The provenance record: from which entries, logs and code a figure was made.

Grids have it in the footer of the Parquet, specs in `usermeta.heatproof`, figures in their
metadata. It is the same on every machine: no times, no host names, no absolute paths.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heatproof import __version__, ledger
from heatproof.config import paths
from heatproof.logs.logs import manifest_digest
from heatproof.samples import shard_index

if TYPE_CHECKING:
    from collections.abc import Mapping

    from heatproof.samples.shard_index import Log

    Record = dict[str, Any]

RECONSTRUCTED = "Reconstructed from printed digits; the logs were never published."


def of_grid(
    entry: Mapping[str, Any], source: Mapping[str, Any], logs: Mapping[str, Log], code: str
) -> Record:
    """The record of a grid: all that could change a cell.

    `logs`: of the figure; one digest stands for them and their sidecars. `code`: digest of the job.
    """
    return {
        "figure": entry["name"],
        "entry": dict(entry),
        "source": dict(source),
        "logs": {"count": len(logs), "blake3": manifest_digest(shard_index.digests(logs))},
        "code": {"aggregate": code},
        "versions": {"heatproof": __version__, **ledger.versions("normalize", "aggregate")},
        "reconstructed": any(log.reconstructed for log in logs.values()),
    }


def of_spec(
    grid: Record, entry: Mapping[str, Any], sha256: str, code: str, fonts: Mapping[str, str]
) -> Record:
    """The record of a spec: that of its grid, with the grid itself and the whole entry.

    `sha256`: of the grid; `code`: digest of the job; `fonts`: file of an own typeface → SHA-256.
    """
    return {
        **grid,
        "entry": dict(entry),
        "grid": {"path": paths.grid(entry["name"]), "sha256": sha256},
        "code": {**grid["code"], "draw": code},
        "versions": {**grid["versions"], **ledger.versions("draw")},
        **({"fonts": dict(fonts)} if fonts else {}),
    }


def notes(record: Mapping[str, Any]) -> list[str]:
    """Notes that go wherever the figure or its numbers go."""
    return [RECONSTRUCTED] if record["reconstructed"] else []
