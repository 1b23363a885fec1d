"""Members of zip archives, with deflate or zstd entries, as bytes."""

from __future__ import annotations

import os
import sys
import zlib
from collections import Counter
from typing import TYPE_CHECKING, Any

from heatproof.logs.streams import UNENDED, Unreadable

if TYPE_CHECKING:
    import io
    from pathlib import Path

MEMBERS = 1_000_000  # entries of an archive at most
ENTRY = b"PK\x01\x02"  # begins an entry of an archive's directory
MEMBER, END = b"PK\x03\x04", b"PK\x05\x06"  # begin an archive, and the end of its directory
END_SIZE, COMMENT = 22, 1 << 16  # bytes of that end, and at most of a comment behind it
METHODS = 0, 8, 93  # stored, deflate, zstd: compression methods that are read (APPNOTE 4.4.5)
DAMAGE = (KeyError, EOFError, OSError, ValueError, RuntimeError, NotImplementedError, zlib.error)


class Archive:
    """A zip file, by its path or as a file. Raises Unreadable: it is none, or too large."""

    def __init__(self, file: Path | io.RawIOBase) -> None:
        try:
            self._zip = _libraries()[0].ZipFile(file)
        except Exception as error:
            if _is_begun(file):
                message = f"unreadable archive: it ends too early: {UNENDED}"
                raise Unreadable(message, kind="unended") from error
            raise Unreadable(f"unreadable archive: {error}") from error
        names = self._zip.namelist()
        if len(names) > MEMBERS:
            raise Unreadable(f"an archive of {len(names)} members; the limit is {MEMBERS}")
        # An entry with a wrong length would take those behind it for its comment.
        if any(ENTRY in info.comment + info.extra for info in self._zip.infolist()):
            raise Unreadable("unreadable archive: one entry of its directory overlaps others")
        counts = Counter(names)
        self.names: list[str] = sorted(counts)
        self.repeated = {name: n for name, n in counts.items() if n > 1}

    def read(self, name: str, limit: int) -> bytes:
        """A whole member. Raises Unreadable: it is damaged, encrypted or larger than `limit`."""
        claims_more = self._zip.getinfo(name).file_size > limit
        data = b"" if claims_more else self.head(name, limit + 1)
        if claims_more or len(data) > limit:
            raise Unreadable(f"larger than the limit of {limit} bytes")
        return data

    def head(self, name: str, size: int) -> bytes:
        """The first `size` bytes of a member, or all there are. Raises Unreadable as `read`."""
        zipfile, zstd_error = _libraries()
        try:
            info = self._zip.getinfo(name)
            if info.compress_type not in METHODS:
                raise Unreadable(f"compressed by method {info.compress_type}")
            with self._zip.open(info) as file:
                data: bytes = file.read(size)
        except (*DAMAGE, zipfile.BadZipFile, zstd_error) as error:
            raise Unreadable(f"unreadable member: {error or type(error).__name__}") from error
        return data


def _is_begun(file: Path | io.RawIOBase) -> bool:
    """Whether a file begins as an archive, and lacks the directory at its end."""
    if isinstance(file, os.PathLike):
        with file.open("rb", buffering=0) as opened:
            return _is_begun(opened)
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    head = file.read(len(MEMBER)) or b""
    file.seek(max(0, size - END_SIZE - COMMENT))
    rest = file.read() or b""
    place = rest.rfind(END)
    return MEMBER.startswith(head) and (place < 0 or len(rest) - place < END_SIZE)


def _libraries() -> tuple[Any, type[Exception]]:
    """The zipfile module that knows zstd entries, and the error of zstd."""
    if sys.version_info >= (3, 14):
        import zipfile

        from compression.zstd import ZstdError
    else:
        from backports.zstd import ZstdError, zipfile
    return zipfile, ZstdError
