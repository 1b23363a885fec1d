"""The content of a file: decompressed, hashed, and bounded on the way.

A log may be written while it is read. What a run noted of it, so many bytes and their digest, is
what is read; what came since is left for the next run. Of a log that is being added to, the last
record noted may lack its end: it is left, too. In a log that nobody adds to, such a record is one
that was cut off, and is refused. A log that no longer begins with what was noted is read as it is.
Archives and documents have one end alone: for them `samples/normalize.py` does the same.
"""

from __future__ import annotations

import io
import os
import sys
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

from blake3 import blake3

from heatproof.logs.refusals import UNENDED
from heatproof.util import hashed
from heatproof.util.errors import Error, why_unread
from heatproof.util.hashed import extent

if TYPE_CHECKING:
    from pathlib import Path

    from heatproof.config.entries import Ends
    from heatproof.util.hashed import Extent


PIECE = 1 << 18
"""Bytes taken from a decompressor at a time: what is lost where an archive breaks off."""

PACKED = (".gz", ".zst", ".parquet")
"""Endings of files whose content is not what stands in them byte by byte."""

SUMMED = (".gz", ".zst")
"""Of these, the endings of such whose content is vouched for by a sum at its end alone."""

MAGIC = {
    b"\x1f\x8b": ".gz",
    b"\x28\xb5\x2f\xfd": ".zst",
    b"PAR1": ".parquet",
}
"""How packed files begin, whatever they are called, and what they should be."""

POINTER = b"version https://git-lfs.github.com/spec/"
"""How a file begins that git-LFS has left in the place of another."""


LFS = "a git-LFS pointer, not the log itself: run git lfs pull"
"""What is said of such a file."""
WIDE = b"\xff\xfe", b"\xfe\xff"
"""How text begins that Windows calls Unicode."""
UTF16 = "UTF-16, not UTF-8: write it anew, iconv -f UTF-16 -t UTF-8"


class Limits(NamedTuple):
    """How much a log may ask for."""

    record: int = 64 << 20
    """Bytes of one record."""
    expansion: int = 200
    """Times its own size that an archive may unpack to, where that is more than one record."""


class Unreadable(Error):
    """The stream broke off at `offset`; what came before it was good, unless `spoiled`."""

    def __init__(
        self,
        reason: str,
        offset: int = 0,
        line: int = 1,
        *,
        spoiled: bool = False,
        kind: Literal["damage", "unended"] = "damage",
    ) -> None:
        super().__init__(reason, kind)
        self.offset, self.line, self.spoiled = offset, line, spoiled


class Stream(Protocol):
    """What is needed of a file, compressed or not."""

    def read1(self, size: int = -1, /) -> bytes:
        """Up to `size` bytes, as soon as there are some; none at the end."""
        ...


class Hashed(io.RawIOBase):
    """A file that feeds every byte read from it to BLAKE3: one pass serves hash and content.

    `data` stands for the content of a file that has been read already. Of a file of which an
    extent was `noted` no more than that is read (see `limit`).

    Raises:
        Unreadable: there is no such file, or it may not be read.
    """

    def __init__(
        self,
        path: Path | str,
        limits: Limits | None = None,
        data: bytes | None = None,
        noted: Extent | None = None,
        ends: Ends = "",
    ) -> None:
        self.limits = limits or Limits()
        self._hash, self.size, self._ended = blake3(), 0, False
        self._file: io.FileIO | io.BytesIO
        self._end: int | None = None
        self.grown = False
        """Whether more was written to the file since it was noted."""
        self._stamp = 0
        try:
            if data is not None:
                self._file = io.BytesIO(data)
            else:
                self._file = open(path, "rb", buffering=0)  # noqa: SIM115  a third of the time
                if noted is not None:
                    self._end = self._limit(self._file.fileno(), noted, ends)
        except OSError as error:
            raise Unreadable(why_unread(error)) from error

    def _limit(self, file: int, noted: Extent, ends: Ends) -> int:
        self.grown = has_grown(file, noted)
        return limit(file, noted.size, ends) if self.grown else os.fstat(file).st_size

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        view = memoryview(buffer)
        if self._end is not None:
            view = view[: self._end - self.size]
        size = self._file.readinto(view) or 0
        self._hash.update(view[:size])
        self.size += size
        self._ended = not size
        return size

    def read1(self, size: int = -1, /) -> bytes:
        return self.read(size) or b""

    def pointer(self) -> bool:
        """Whether git-LFS stands in for the log itself."""
        if isinstance(self._file, io.BytesIO):
            data = self._file.getvalue()
            return len(data) < 1024 and data.startswith(POINTER)
        number = self._file.fileno()
        return os.fstat(number).st_size < 1024 and os.pread(number, 64, 0).startswith(POINTER)

    def begins(self) -> bytes:
        """The first bytes of the log, by which its kind is known."""
        if isinstance(self._file, io.BytesIO):
            return self._file.getvalue()[:4]
        return os.pread(self._file.fileno(), 4, 0)

    def unbegun(self) -> bool:
        """Whether the file holds something, but nothing whole of what was noted."""
        return self._end == 0 and os.fstat(self._file.fileno()).st_size > 0

    def hashed(self) -> io.RawIOBase | io.BytesIO:
        """The file, all of which has been hashed: to be read anywhere."""
        if isinstance(self._file, io.BytesIO):
            self.digest()
            return self._file
        stamp = os.fstat(self._file.fileno()).st_mtime_ns
        self.digest()
        self._stamp = stamp
        return Window(self._file, self.size)

    def most(self) -> int:
        """Bytes that the file may unpack to, as far as it has been read."""
        return max(self.limits.record, self.size * self.limits.expansion)

    def bomb(self) -> str:
        """What is said of a file that unpacks to more."""
        times = self.limits.expansion
        return f"the archive unpacks to more than {times} times its size (max_expansion)"

    def digest(self) -> str:
        """BLAKE3 of the whole file, what was left unread included.

        Raises:
            Unreadable: it cannot be read to its end.
        """
        try:
            while not self._ended:
                self.read(1 << 20)
        except OSError as error:
            raise Unreadable(why_unread(error), self.size) from error
        if self._stamp and os.fstat(self._file.fileno()).st_mtime_ns != self._stamp:
            # Written to since it was hashed: what was read may be something else.
            return extent(self._file.fileno(), self.size).digest
        return self._hash.hexdigest()

    def close(self) -> None:
        if hasattr(self, "_file"):
            self._file.close()
        super().close()


def decompressed(raw: Hashed, name: str) -> Stream:
    """`raw` seen through the compression that the file's ending names.

    Of a table (.parquet), it is the rows as lines of JSON.
    """
    if name.endswith(".gz"):
        from isal import igzip

        unpacked: Stream = igzip.GzipFile(fileobj=raw, mode="rb")  # type: ignore[no-untyped-call]
        return unpacked
    if name.endswith(".zst"):
        if sys.version_info >= (3, 14):
            from compression import zstd
        else:
            from backports import zstd
        return zstd.ZstdFile(raw)
    if name.endswith(".parquet"):
        from heatproof.logs.rowlines import RowLines

        return RowLines(raw)
    return raw


class Content:
    """The decompressed content of a file: damage and bombs end it as Unreadable."""

    def __init__(self, raw: Hashed, name: str) -> None:
        self.raw, self.done = raw, 0
        if raw.pointer():
            raise Unreadable(LFS)
        begins = raw.begins()
        if begins[:2] in WIDE:
            raise Unreadable(UTF16)
        for magic, ending in MAGIC.items():
            if begins.startswith(magic) and not name.endswith(PACKED):
                raise Unreadable(f"packed, as files are that end in {ending}: call it so")
        self.stream = decompressed(raw, name)
        self.packed, self.summed = self.stream is not raw, name.endswith(SUMMED)

    def readinto(self, view: memoryview) -> int:
        """Fill the beginning of `view`; the number of bytes, none at the end.

        Raises:
            Unreadable: the file is damaged, ends early, or unpacks to more than it may.
        """
        try:
            if not self.packed:
                size = self.raw.readinto(view)
            else:
                data = self.stream.read1(min(len(view), PIECE))
                size = len(data)
                view[:size] = data
        except Exception as error:
            if not _is_damage(error):
                raise
            what = "archive" if self.packed else "file"
            # An archive that only ends early was good so far. Of any other, what was unpacked may
            # be wrong in any place: where a bit has flipped, the sum at the end alone may tell.
            ends = isinstance(error, EOFError)
            spoiled = self.summed and not ends
            more = "; none of its records is taken" if spoiled else ""
            told = f"it ends too early: {UNENDED}" if ends else str(error)
            said = f"unreadable {what}: {told}{more}"
            raise Unreadable(said, self.done, spoiled=spoiled) from error
        self.done += size
        if self.packed and self.done > self.raw.most():
            raise Unreadable(self.raw.bomb(), self.done)
        return size


def _is_damage(error: Exception) -> bool:
    names = {kind.__name__ for kind in type(error).__mro__}
    return isinstance(error, (EOFError, OSError)) or bool(
        names & {"ZstdError", "IsalError", "error", "ArrowException"}
    )


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
