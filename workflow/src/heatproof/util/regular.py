"""Files that are files: what else may lie in the place of one is never opened, for it may hang."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

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
