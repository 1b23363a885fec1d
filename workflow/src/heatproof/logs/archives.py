"""Members of zip archives, with deflate or zstd entries, as bytes: never more than asked for."""

from __future__ import annotations

import os
import sys
import zlib
from collections import Counter
from typing import TYPE_CHECKING, Any, Literal, Self

from heatproof.logs.refusals import UNENDED
from heatproof.logs.streams import Unreadable

if TYPE_CHECKING:
    import io
    from collections.abc import Iterable
    from pathlib import Path

MEMBERS = 1_000_000
"""Entries of an archive at most."""

ENTRY = b"PK\x01\x02"
"""How an entry of an archive's directory begins. Should an entry claim to be longer than it is,
those behind it would be taken for its comment, and be lost without a word."""

MEMBER, END = b"PK\x03\x04", b"PK\x05\x06"
"""How an archive begins, and how the last part of its directory does."""

END_SIZE, COMMENT = 22, 1 << 16
"""Bytes of that part, and of a comment behind it at most."""

METHODS = {0: "stored", 8: "deflate", 93: "zstd"}
"""Compression methods that are read (PKWARE APPNOTE 4.4.5)."""


class Archive:
    """A zip file opened for reading, by its path or as a file.

    Raises:
        Unreadable: it is no zip file, or lists more than `MEMBERS` entries.
    """

    def __init__(self, file: Path | io.RawIOBase | io.BytesIO) -> None:
        try:
            self._zip = _zipfile().ZipFile(file)
        except Exception as error:
            is_begun = _is_begun(file)
            why = f"it ends too early: {UNENDED}" if is_begun else error
            kind: Literal["damage", "unended"] = "unended" if is_begun else "damage"
            raise Unreadable(f"unreadable archive: {why}", kind=kind) from error
        names = self._zip.namelist()
        if len(names) > MEMBERS:
            raise Unreadable(f"an archive of {len(names)} members; the limit is {MEMBERS}")
        if any(ENTRY in info.comment + info.extra for info in self._zip.infolist()):
            raise Unreadable("unreadable archive: an entry of its directory swallows others")
        counts = Counter(names)
        self.names: list[str] = sorted(counts)
        self.repeated: dict[str, int] = {name: n for name, n in counts.items() if n > 1}
        """Names that several members have, and how many."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._zip.close()

    def read(self, name: str, limit: int) -> bytes:
        """The whole of a member.

        Raises:
            Unreadable: it is damaged, encrypted, of an unknown method, or larger than `limit`
                bytes, whatever size its header claims.
        """
        size = self._zip.getinfo(name).file_size
        if size > limit:
            raise Unreadable(f"larger than the limit of {limit} bytes")
        data = self.head(name, limit + 1)
        if len(data) > limit:
            raise Unreadable(f"larger than the limit of {limit} bytes")
        return data

    def head(self, name: str, size: int) -> bytes:
        """The first `size` bytes of a member, or all there are. Raises Unreadable as `read`."""
        try:
            info = self._zip.getinfo(name)
            if info.compress_type not in METHODS:
                raise Unreadable(f"compressed by method {info.compress_type}")
            with self._zip.open(info) as file:
                data: bytes = file.read(size)
        except (*DAMAGE, _zipfile().BadZipFile, _zstd_error()) as error:
            raise Unreadable(f"unreadable member: {error or type(error).__name__}") from error
        return data


def _is_begun(file: Path | io.RawIOBase | io.BytesIO) -> bool:
    """Whether a file begins as an archive does, without the directory that all of them end in."""
    if isinstance(file, os.PathLike):
        with file.open("rb", buffering=0) as opened:
            return _is_begun(opened)
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    head = file.read(len(MEMBER)) or b""
    file.seek(max(0, size - END_SIZE - COMMENT))
    rest = file.read() or b""
    at = rest.rfind(END)
    return MEMBER.startswith(head) and (at < 0 or len(rest) - at < END_SIZE)


DAMAGE = (KeyError, EOFError, OSError, ValueError, RuntimeError, NotImplementedError, zlib.error)


def _zipfile() -> Any:
    """The zipfile module that knows zstd entries."""
    if sys.version_info >= (3, 14):
        import zipfile
    else:
        from backports.zstd import zipfile
    return zipfile


def _zstd_error() -> type[Exception]:
    if sys.version_info >= (3, 14):
        from compression.zstd import ZstdError
    else:
        from backports.zstd import ZstdError
    return ZstdError


def slices(
    path: Path, places: Iterable[tuple[int, int]], member: str
) -> dict[tuple[int, int], bytes]:
    """The bytes at each (offset, length) of a member."""
    places = list(places)
    end = max((offset + length for offset, length in places), default=0)
    with Archive(path) as archive:
        data = archive.head(member, end)
    return {(offset, length): data[offset : offset + length] for offset, length in places}
