"""Digests of files, kept from run to run and taken anew only where a file may have changed.

What else may lie in the place of a file is never opened, for it may hang.
"""

from __future__ import annotations

import hashlib
import os
import stat
from typing import TYPE_CHECKING

import msgspec
from blake3 import blake3

from heatproof.util.atomic_write import swap
from heatproof.util.errors import unreadable

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


def of_place(path: str | Path) -> str:
    """SHA-256 of the file at a place; or, in words, what lies there instead."""
    return other(path) or sha256(path)


PIECE = 1 << 20
"""Bytes read at a time. Not mapped into memory: a log that is cut short meanwhile would kill us."""


class Extent(msgspec.Struct, array_like=True, frozen=True):
    """So many bytes from the start of a file, and their BLAKE3."""

    digest: str
    """Empty where the file could not be read."""
    size: int


def extent(file: int, size: int | None = None) -> Extent:
    """The first `size` bytes of an open file, or all; fewer if there are no more."""
    digest, at = blake3(), 0
    while data := os.pread(file, PIECE if size is None else min(PIECE, size - at), at):
        digest.update(data)
        at += len(data)
    return Extent(digest.hexdigest(), at)


def of_log(path: str | Path) -> str:
    """BLAKE3 of a file's bytes: for logs, which are many or long."""
    with open(path, "rb", buffering=0) as file:
        return extent(file.fileno()).digest


class Index:
    """Digests of files, taken anew only where size, times or inode changed.

    A file of its own in the workflow's private folder: no artefact depends on it, and without it
    everything is hashed once more.
    """

    def __init__(self, path: Path, take: Callable[[str], str] | None = None) -> None:
        """`take` gives the digest of a file; without it, it is BLAKE3, of a log that may grow."""
        self.path, self._known, self._changed = path, dict[str, Known](), False
        self._take = take
        try:
            self._known = msgspec.json.decode(path.read_bytes(), type=dict[str, Known])
        except (OSError, msgspec.DecodeError):
            self._known = {}

    def digests(self, paths: Iterable[str], root: Path) -> dict[str, str]:
        """Path → digest of the file's bytes, for paths relative to `root`.

        Raises:
            Error: one of them cannot be read.
        """
        found = {}
        for path in paths:
            try:
                found[path] = self._look(path, os.path.join(root, path)).digest
            except OSError as error:
                raise unreadable(path, error) from error
        return found

    def extents(self, paths: Iterable[str], root: Path) -> dict[str, Extent]:
        """Path → what there is of it now; what is gone is left out.

        Of a log that others write to, that is as much as there was at one moment.
        """
        found = {}
        for path in paths:
            try:
                known = self._look(path, os.path.join(root, path))
                found[path] = Extent(known.digest, known.size)
            except (FileNotFoundError, NotADirectoryError):
                continue
            except OSError:
                found[path] = Extent("", 0)
        return found

    def _look(self, path: str, place: str) -> Known:
        seen, known = Known.of(os.stat(place)), self._known.get(path)
        if known is not None and known.same(seen):
            return known
        if self._take:
            seen.digest = self._take(place)
        else:
            with open(place, "rb", buffering=0) as file:
                one = extent(file.fileno(), seen.size)
            seen.digest, seen.size = one.digest, one.size
        self._known[path], self._changed = seen, True
        return seen

    def save(self) -> None:
        """Write the index if it changed."""
        if not self._changed:
            return
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with swap(self.path) as part:
            part.write_bytes(msgspec.json.encode(self._known))
        self._changed = False


KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}
ABSENT = "not there"
NOWHERE = "a link that leads nowhere"
NOTHING = (ABSENT, NOWHERE)
"""Where one of these lies a file can be put."""


def other(path: str | Path) -> str:
    """What lies at a place that is no file, in words; empty if it is a file, or a link to one."""
    try:
        kind = stat.S_IFMT(os.stat(path).st_mode)
    except OSError:
        return NOWHERE if os.path.islink(path) else ABSENT
    return "" if kind == stat.S_IFREG else KINDS.get(kind, "no file")


def read(path: Path) -> bytes:
    """The bytes of a file.

    Raises:
        OSError: it cannot be read, or is none.
    """
    if what := other(path):
        raise OSError(f"{path} is {what}")
    return path.read_bytes()
