"""Find the logs of a source, know them by content, and deal them into shards."""

from __future__ import annotations

import os
import zlib
from typing import TYPE_CHECKING

from blake3 import blake3

from heatproof.errors import Error
from heatproof.reading import patterns

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from heatproof.config import Source

PER_SHARD = 100
"""Logs in a table, about: small enough to redo when one changes, large enough to be worth a job."""


def find(source: Source, root: Path) -> list[str]:
    """Paths of the source's logs relative to the project folder `root`, sorted.

    Raises:
        Error: a pattern matches no file, or reaches outside the project.
    """
    given = [source.logs] if isinstance(source.logs, str) else source.logs
    found: set[str] = set()
    for number, pattern in enumerate(given):
        place = f"config.yaml: sources.{source.name}.logs"
        place += f"[{number}]" if isinstance(source.logs, list) else ""
        if os.path.isabs(pattern) or ".." in pattern.split("/"):
            raise Error(
                f"{place}: {pattern!r} leaves the project folder; "
                "link the logs into data/ (ln -s) and name them there"
            )
        files = list(patterns.files(pattern, str(root)))
        if not files:
            raise Error(f"{place}: no file matches {pattern!r}; {patterns.nearest(pattern, root)}")
        found.update(files)
    return sorted(found)


def matches(source: Source, path: str) -> bool:
    """Whether one of the source's patterns names a path."""
    given = [source.logs] if isinstance(source.logs, str) else source.logs
    names = path.split("/")
    return any(patterns.fits(pattern.split("/"), names) for pattern in given)


def with_sidecars(source: Source, paths: Iterable[str], root: Path) -> list[str]:
    """Logs and what they are read together with: all whose content a shard's digest covers."""
    found = set(paths)
    for path in list(found):
        found.update(source.sidecars(path, root))
    return sorted(found)


def shards(source: Source, count: int) -> list[str]:
    """Names of the source's shards; their number follows the number of logs in powers of 2.

    Reconstructed logs are few, and not there to be counted before the run: one shard.
    """
    steps = 0 if source.reconstruct else (count - 1) // PER_SHARD
    wanted = source.shards or 1 << max(0, steps).bit_length()
    return [f"{number:04d}" for number in range(wanted)]


def deal(paths: Iterable[str], names: Sequence[str]) -> dict[str, list[str]]:
    """Shard name → its logs. A log's shard hangs on its path alone: others never move it."""
    dealt: dict[str, list[str]] = {name: [] for name in names}
    for path in paths:
        dealt[names[zlib.crc32(path.encode()) % len(names)]].append(path)
    return dealt


def manifest(digests: Mapping[str, str]) -> str:
    """One digest for many: BLAKE3 of the sorted lines `digest  path`."""
    lines = "".join(f"{digests[path]}  {path}\n" for path in sorted(digests))
    return blake3(lines.encode()).hexdigest()
