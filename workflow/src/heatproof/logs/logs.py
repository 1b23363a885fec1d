"""Find the logs of a source, know them by content, and deal them into shards."""

from __future__ import annotations

import os
import zlib
from typing import TYPE_CHECKING

from blake3 import blake3

from heatproof.logs import patterns
from heatproof.util.errors import Error, unreadable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from heatproof.config.entries import Source

PER_SHARD, BYTES = 1000, 200_000_000
"""Logs and bytes that a job reads, about: a second or two, little to redo when one changes."""
GRADED = 100
"""Logs in a shard whose answers a library grades: that takes long, and other cores can help."""


def find(source: Source, root: Path) -> list[str]:
    """Paths of the source's logs relative to the project folder `root`, sorted.

    Raises:
        Error: a pattern matches no file or one that is not to be had, or reaches outside the
            project.
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
        try:
            files = list(patterns.files(pattern, str(root)))
        except OSError as error:
            raise unreadable(f"{place}: {os.path.relpath(error.filename, root)}", error) from error
        if not files:
            raise Error(f"{place}: no file matches {pattern!r}; {patterns.nearest(pattern, root)}")
        found.update(files)
    _require_utf8(found, f"config.yaml: sources.{source.name}.logs")
    return sorted(path for path in found if not source.is_sidecar(path)) or sorted(found)


def _require_utf8(paths: Iterable[str], place: str) -> None:
    """Raise Error if a path could not be written down in a table, a page or a message."""
    for path in paths:
        try:
            path.encode()
        except UnicodeEncodeError as error:
            shown = os.fsencode(path).decode(errors="backslashreplace")
            raise Error(f"{place}: the name of {shown} is not UTF-8; rename it") from error


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


def shards(source: Source, count: int, size: int = 0) -> list[str]:
    """Names of the source's shards, one for about each `PER_SHARD` logs or `BYTES` of all.

    Reconstructed logs are few, and not there to be counted before the run: one shard.
    """
    wanted = 1
    if not source.reconstruct:
        several = GRADED if source.libraries() else PER_SHARD
        wanted = max(1, -(-count // several), min(count, size // BYTES))
    return [f"{number:04d}" for number in range(source.shards or wanted)]


def deal(paths: Iterable[str], names: Sequence[str]) -> dict[str, list[str]]:
    """Shard name → its logs. A log's shard hangs on its path alone: others never move it.

    One shard more splits just one of the others in two (linear hashing, Litwin 1980): from one
    power of two to the next the shards are split in their order, each by one more bit of the hash.
    """
    dealt: dict[str, list[str]] = {name: [] for name in names}
    whole = 1 << (len(names).bit_length() - 1)
    split = len(names) - whole
    for path in paths:
        code = zlib.crc32(path.encode())
        number = code % whole
        dealt[names[code % (2 * whole) if number < split else number]].append(path)
    return dealt


def dealt(source: Source, root: Path) -> dict[str, list[str]]:
    """Shard → its logs, of a source whose logs a rule made. Raises as `find`."""
    paths = find(source, root)
    return deal(paths, shards(source, len(paths)))


def manifest(digests: Mapping[str, str]) -> str:
    """One digest for many: BLAKE3 of the sorted lines `digest  path`."""
    lines = "".join(f"{digests[path]}  {path}\n" for path in sorted(digests))
    return blake3(lines.encode()).hexdigest()
