"""The provenance record: from which entries, logs and code a figure was made.

Each stage adds what it knows to the record of the stage before and hands it on inside its own
file: grids in the footer of the Parquet, specs in `usermeta.heatproof`, figures in their metadata.
The same inputs give the same record on every machine: no times, no host names, no absolute paths.

Of a record in a file from elsewhere nothing is believed before it is known to be one.
"""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import msgspec

from heatproof import __version__
from heatproof.config import configuration, paths
from heatproof.kinds import api
from heatproof.logs.logs import manifest
from heatproof.samples import shard_index
from heatproof.util.errors import Error
from heatproof.util.pins import version

if TYPE_CHECKING:
    from collections.abc import Mapping

    from heatproof.samples.shard_index import Log


RECONSTRUCTED = "Reconstructed from printed digits; the logs were never published."

READ_WITH = ("msgspec", "numpy", "pyarrow")
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
    return {"count": len(shown), "blake3": manifest(shard_index.digests(shown))}


def of_spec(
    grid: Record,
    entry: Mapping[str, Any],
    given: Mapping[str, str],
    code: str,
    fonts: Mapping[str, str] = MappingProxyType({}),
) -> Record:
    """What a spec was made of: all that its `grid` was, the grid itself, and the whole entry.

    Args:
        grid: the record of the grid.
        entry: the figure's, of the config.
        given: path of the grid → SHA-256.
        code: digest of the stage.
        fonts: path → SHA-256 of the files of its typeface, where it has its own.
    """
    ((path, digest),) = given.items()
    return {
        **grid,
        "entry": dict(entry),
        "grid": {"path": path, "sha256": digest},
        "code": {**grid["code"], "draw": code},
        "versions": {**grid["versions"], **_versions(*DRAWN_WITH)},
        **({"fonts": dict(fonts)} if fonts else {}),
    }


def notes(record: Record) -> list[str]:
    """What a reader must be told wherever the figure or its numbers go."""
    return [RECONSTRUCTED] if record["reconstructed"] else []


def _versions(*tools: str) -> dict[str, str]:
    return {"heatproof": __version__, **{tool: version(tool) for tool in tools}}


ID = re.compile(r"([0-9a-f]{8})?")
"""What a figure's id looks like; a grid has none."""


class Logs(msgspec.Struct):
    """The logs of a figure, as its record tells of them."""

    count: int
    blake3: str


class Grid(msgspec.Struct):
    """The grid of a figure, likewise."""

    path: str
    sha256: str


class Told(msgspec.Struct):
    """What every record of a figure has."""

    figure: str
    entry: dict[str, Any]
    source: dict[str, Any]
    logs: Logs
    code: dict[str, str]
    versions: dict[str, str]
    reconstructed: bool
    id: str = ""
    grid: Grid | None = None
    fonts: dict[str, str] = {}


def is_one(record: Any) -> bool:
    """Whether plain values are the record of a figure, all of whose files lie where ours do."""
    try:
        told = msgspec.convert(record, Told)
        entry = api.read(told.entry)
        wrong = entry.mistakes()
    except (Error, LookupError, TypeError, ValueError):  # msgspec's own are of the last kind
        return False
    named = all(map(configuration.is_name, (told.figure, entry.source)))
    placed = told.grid is None or told.grid.path == paths.grid(told.figure)
    return bool(
        named and placed and not wrong and entry.name == told.figure and ID.fullmatch(told.id)
    )
