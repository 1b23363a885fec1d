"""How much of a log is read: what there was when the run began, to its last whole record.

A log may be written while it is read. What a run noted of it, so many bytes and their digest, is
what is read; what came since is left for the next run. Of a log that is being added to, the last
record noted may lack its end: it is left, too. In a log that nobody adds to, such a record is one
that was cut off, and is refused. A log that no longer begins with what was noted is read as it is.
Archives and documents have one end alone: for them `Gathering` does the same.
"""

from __future__ import annotations

import io
import os
from typing import TYPE_CHECKING, Any

from heatproof.util import hashed

if TYPE_CHECKING:
    from heatproof.config.entries import Ends
    from heatproof.util.hashed import Extent

BLOCK = 1 << 16
"""Bytes looked through at a time for the end of a record."""


def limit(file: int, size: int, ends: Ends) -> int:
    """Bytes to be read of an open log that has grown since it had `size`.

    `ends`: what ends its records.
    """
    return {"": _all, "line": _lines, "row": _rows}[ends](file, size)


def has_grown(file: int, noted: Extent) -> bool:
    """Whether an open log is what was noted and more."""
    return os.fstat(file).st_size > noted.size and hashed.extent(file, noted.size) == noted


def _all(_: int, size: int) -> int:
    return size


def _lines(file: int, size: int) -> int:
    """Where the last line ends that has an end, within the first `size` bytes."""
    stop = size
    while stop:
        start = max(0, stop - BLOCK)
        if at := os.pread(file, stop - start, start).rfind(b"\n") + 1:
            return start + at
        stop = start
    return 0


def _rows(file: int, size: int) -> int:
    """Likewise of rows, which have no end within quotes."""
    end = start = quotes = 0
    while data := os.pread(file, min(BLOCK, size - start), start):
        at = 0
        for line in data.splitlines(keepends=True):
            quotes, at = quotes + line.count(b'"'), at + len(line)
            if line.endswith(b"\n") and not quotes % 2:
                end = start + at
        start += len(data)
    return end


class Window(io.RawIOBase):
    """The first `size` bytes of a file, to be read anywhere, whatever comes behind them."""

    def __init__(self, file: Any, size: int) -> None:
        self._file, self._size, self._at = file, size, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        self._at = max(0, offset + {0: 0, 1: self._at, 2: self._size}[whence])
        return self._at

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer).cast("B")[: max(0, self._size - self._at)]
        self._file.seek(self._at)
        size = int(self._file.readinto(view))
        self._at += size
        return size
