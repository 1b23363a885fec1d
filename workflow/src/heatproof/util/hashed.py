"""Digests of files. Pipes, devices and the like are never opened: that may hang."""

from __future__ import annotations

import hashlib
import math
import os
import stat
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from blake3 import blake3

if TYPE_CHECKING:
    from pathlib import Path


PIECE = 1 << 20
"""Bytes read at a time. No memory map: a log that is cut short meanwhile would kill the process."""
KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}
ABSENT, NOWHERE = "not there", "a link that leads nowhere"
NOTHING = (ABSENT, NOWHERE)  # where one of these lies a file can be put


class Extent(NamedTuple):
    """The BLAKE3 of so many bytes from the start of a file; empty while these are not read yet."""

    digest: str
    size: int


UNREAD = Extent("", 0)  # of a file that is missing, or could not be read
EMPTY = Extent(blake3().hexdigest(), 0)


def sha256(path: str | Path) -> str:
    """SHA-256 of a file's bytes."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def extent(file: int, size: int | None = None) -> Extent:
    """The first `size` bytes of an open file, or all; fewer if there are no more."""
    digest, position = blake3(), 0
    end = math.inf if size is None else size
    while data := os.pread(file, int(min(PIECE, end - position)), position):
        digest.update(data)
        position += len(data)
    return Extent(digest.hexdigest(), position)


def content(path: str | Path) -> Extent:
    """All of a file; nothing of one that cannot be read."""
    with suppress(OSError):
        if not irregular(path):
            with open(path, "rb", buffering=0) as file:
                return extent(file.fileno())
    return UNREAD


def unread_extent(path: str | Path, since: float) -> Extent:
    """As much of a file as there is now, not read yet; nothing of what is no file.

    Of one that was written to after `since` (its file system's seconds), all but the last byte.
    """
    with suppress(OSError):
        status = os.stat(path)
        size = status.st_size
        if not stat.S_ISREG(status.st_mode):
            return UNREAD
        if status.st_mtime > since:
            return Extent("", max(0, size - 1))
        return Extent("", size) if size else EMPTY
    return UNREAD


def irregular(path: str | Path) -> str:
    """The kind of what lies at a place; empty if it is a file, or a link to one."""
    try:
        kind = stat.S_IFMT(os.stat(path).st_mode)
    except OSError:
        return NOWHERE if os.path.islink(path) else ABSENT
    if kind == stat.S_IFREG:
        return ""
    return KINDS.get(kind, "no file")


def read(path: Path) -> bytes:
    """The bytes of a file. Raises OSError if it cannot be read, or is none."""
    if thing := irregular(path):
        raise OSError(f"{path} is {thing}")
    return path.read_bytes()
