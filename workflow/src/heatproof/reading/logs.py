"""Find the logs of a source, know them by content, and deal them into shards."""

from __future__ import annotations

import os
import tempfile
import zlib
from typing import TYPE_CHECKING

import msgspec
from blake3 import blake3

from heatproof.errors import Error
from heatproof.reading import patterns

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
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


class Known(msgspec.Struct, array_like=True):
    """What a file looked like when its digest was taken."""

    size: int
    mtime: int
    ctime: int
    inode: int
    digest: str

    @classmethod
    def of(cls, stat: os.stat_result, digest: str = "") -> Known:
        return cls(stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino, digest)

    def same(self, other: Known) -> bool:
        """Whether nothing tells that the file was written since: ctime cannot be set back."""
        return msgspec.structs.replace(other, digest=self.digest) == self


def _blake3(path: str) -> str:
    hasher = blake3(max_threads=blake3.AUTO if os.path.getsize(path) > 1 << 20 else 1)
    return hasher.update_mmap(path).hexdigest()


class Index:
    """Digests of files, taken anew only where size, times or inode changed.

    A file of its own in the workflow's private folder: no artefact depends on it, and without it
    everything is hashed once more.
    """

    def __init__(self, path: Path, take: Callable[[str], str] | None = None) -> None:
        """`take` gives the digest of a file; without it, it is BLAKE3."""
        self.path, self._known, self._changed = path, dict[str, Known](), False
        self._take = take or _blake3
        try:
            self._known = msgspec.json.decode(path.read_bytes(), type=dict[str, Known])
        except (OSError, msgspec.DecodeError):
            self._known = {}

    def digests(self, paths: Iterable[str], root: Path) -> dict[str, str]:
        """Path → digest of the file's bytes, for paths relative to `root`."""
        return {path: self._digest(path, os.path.join(root, path)) for path in paths}

    def _digest(self, path: str, place: str) -> str:
        seen = Known.of(os.stat(place))
        known = self._known.get(path)
        if known is None or not known.same(seen):
            seen.digest = self._take(place)
            self._known[path], self._changed = seen, True
            return seen.digest
        return known.digest

    def save(self) -> None:
        """Write the index if it changed; readers see the old or the new one, never a half."""
        if not self._changed:
            return
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=self.path.parent, delete=False) as file:
            file.write(msgspec.json.encode(self._known))
        os.replace(file.name, self.path)
        self._changed = False
