"""Digests of files, kept from run to run and taken anew only where a file may have changed."""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING

import msgspec
from blake3 import blake3

from heatproof.errors import unreadable
from heatproof.swap import swap

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path


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


def sha256(path: str | Path) -> str:
    """SHA-256 of a file's bytes."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


LONG = 1 << 20
"""Bytes from which on several threads, and no copy, are worth their start."""


def of_log(path: str | Path) -> str:
    """BLAKE3 of a file's bytes: for logs, which are many or long."""
    if os.path.getsize(path) > LONG:
        return blake3(max_threads=blake3.AUTO).update_mmap(path).hexdigest()
    with open(path, "rb", buffering=0) as file:
        return blake3(file.read()).hexdigest()


class Index:
    """Digests of files, taken anew only where size, times or inode changed.

    A file of its own in the workflow's private folder: no artefact depends on it, and without it
    everything is hashed once more.
    """

    def __init__(self, path: Path, take: Callable[[str], str] | None = None) -> None:
        """`take` gives the digest of a file; without it, it is BLAKE3."""
        self.path, self._known, self._changed = path, dict[str, Known](), False
        self._take = take or of_log
        try:
            self._known = msgspec.json.decode(path.read_bytes(), type=dict[str, Known])
        except (OSError, msgspec.DecodeError):
            self._known = {}

    def digests(self, paths: Iterable[str], root: Path) -> dict[str, str]:
        """Path → digest of the file's bytes, for paths relative to `root`.

        Raises:
            Error: one of them cannot be read.
        """
        return {path: self._digest(path, os.path.join(root, path)) for path in paths}

    def _digest(self, path: str, place: str) -> str:
        try:
            seen = Known.of(os.stat(place))
            known = self._known.get(path)
            if known is not None and known.same(seen):
                return known.digest
            seen.digest = self._take(place)
        except OSError as error:
            raise unreadable(path, error) from error
        self._known[path], self._changed = seen, True
        return seen.digest

    def size(self, paths: Iterable[str]) -> int:
        """Bytes of files whose digests were asked for."""
        return sum(self._known[path].size for path in paths)

    def save(self) -> None:
        """Write the index if it changed."""
        if not self._changed:
            return
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with swap(self.path) as part:
            part.write_bytes(msgspec.json.encode(self._known))
        self._changed = False
