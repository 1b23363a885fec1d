"""Settings that a log of a harness has to offer, by the names that `params` may ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heatproof import readers
from heatproof.logs.streams import Unreadable
from heatproof.readers.api import Log
from heatproof.util import registry
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from heatproof.config.entries import Source

DEEP = 3
"""Levels of mappings that are looked through."""


def settings(source: Source, path: str, root: Path) -> list[str]:
    """Names of single settings in a log, those first that stand nearest to the top."""
    reader = registry.find(readers, source.format, "format", "log format")
    offer = getattr(reader, "offer", None)
    if offer is None:
        return []
    try:
        log = Log(path, root, source)
        places = offer(log, source).settings
        log.close()
    except (Error, Unreadable, ValueError):  # what is wrong with it, its reader tells
        return []
    return list(dict.fromkeys(name for place in places for name in _names(place)))


def _names(place: Any, above: str = "", deep: int = DEEP) -> Iterator[str]:
    if isinstance(place, str):
        parts = (part.partition("=") for part in place.split(","))
        yield from (name.strip() for name, sign, _ in parts if sign)
    elif isinstance(place, dict):
        inside = {name: value for name, value in place.items() if isinstance(value, dict)}
        single = (name for name, value in place.items() if isinstance(value, str | int | float))
        yield from (f"{above}{name}" for name in single)
        for name, value in inside.items() if deep > 1 else ():
            yield from _names(value, f"{above}{name}.", deep - 1)
