"""The record in a file from elsewhere: nothing of it is believed before it is known to be one."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from heatproof.config import configuration, paths
from heatproof.kinds import api
from heatproof.util.errors import Error

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
