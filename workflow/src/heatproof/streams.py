"""Read a log as a stream of whole lines: decompressed, hashed and measured on the way."""

from __future__ import annotations

import io
import sys
import zlib
from typing import TYPE_CHECKING, NamedTuple, Protocol

from blake3 import blake3

from heatproof.errors import Error

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

POINTER = b"version https://git-lfs.github.com/spec/"
CHUNK = 4 << 20
"""Bytes handed on at a time: large enough that the loop around it costs nothing."""


class Chunk(NamedTuple):
    """Whole lines of a log: `data` starts `offset` bytes into the decompressed stream."""

    data: bytes
    offset: int
    line: int


class Unreadable(Error):
    """The stream broke off at `offset`; what came before it was good."""

    def __init__(self, reason: str, offset: int = 0, line: int = 1) -> None:
        super().__init__(reason)
        self.offset, self.line = offset, line


class Stream(Protocol):
    """What the readers need of a file, compressed or not."""

    def read1(self, size: int = -1, /) -> bytes:
        """Up to `size` bytes, as soon as there are some; none at the end."""
        ...


class Hashed(io.RawIOBase):
    """A file that feeds every byte read from it to BLAKE3: one pass serves hash and content."""

    def __init__(self, path: Path) -> None:
        self._file, self._hash, self.size = path.open("rb", buffering=0), blake3(), 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        size = self._file.readinto(buffer) or 0
        self._hash.update(memoryview(buffer)[:size])
        self.size += size
        return size

    def read1(self, size: int = -1, /) -> bytes:
        return self.read(size) or b""

    def digest(self) -> str:
        """BLAKE3 of the whole file, what was left unread included."""
        while self.read(CHUNK):
            pass
        return self._hash.hexdigest()

    def close(self) -> None:
        self._file.close()
        super().close()


def decompressed(raw: Hashed, name: str) -> Stream:
    """`raw` seen through the compression that the file's ending names (.gz, .zst)."""
    if name.endswith(".gz"):
        from isal import igzip

        return igzip.GzipFile(fileobj=raw, mode="rb")  # type: ignore[no-any-return]
    if name.endswith(".zst"):
        if sys.version_info >= (3, 14):
            from compression import zstd
        else:
            from backports import zstd
        return zstd.ZstdFile(raw)  # type: ignore[arg-type]
    return raw


def blocks(raw: Hashed, name: str, size: int = CHUNK) -> Iterator[bytes]:
    """The decompressed stream in pieces of at most `size` bytes.

    Raises:
        Unreadable: the archive is damaged or ends early; all before the damage was yielded.
    """
    parts: list[bytes] = []
    held = done = 0
    damage: Exception | None = None
    try:
        stream = decompressed(raw, name)
        while data := stream.read1(size - held):
            parts.append(data)
            held += len(data)
            if held == size:
                yield parts[0] if len(parts) == 1 else b"".join(parts)
                parts, held, done = [], 0, done + size
    except Exception as error:
        if not _is_damage(error):
            raise
        damage = error
    if parts:
        yield b"".join(parts)
    if damage:
        raise Unreadable(f"unreadable archive: {damage}", done + held)


def _is_damage(error: Exception) -> bool:
    return isinstance(error, (EOFError, OSError, zlib.error)) or "Zstd" in type(error).__name__


def chunks(raw: Hashed, name: str, size: int = CHUNK) -> Iterator[Chunk]:
    """Whole lines of the stream, about `size` bytes at a time; a last line may lack its newline.

    Raises:
        Unreadable: as for `blocks`; the complete lines before the damage were yielded.
    """
    offset, line, rest = 0, 1, b""
    try:
        for block in blocks(raw, name, size):
            end = block.rfind(b"\n") + 1
            if not end:
                rest += block
                continue
            data = rest + block[:end] if rest else block[:end]
            rest = block[end:]
            yield Chunk(data, offset, line)
            offset += len(data)
            line += data.count(b"\n")
    except Unreadable as error:
        raise Unreadable(str(error), offset, line) from error
    if rest:
        yield Chunk(rest, offset, line)


def whole(raw: Hashed, name: str, limit: int) -> bytes:
    """The whole decompressed stream.

    Raises:
        Unreadable: as for `blocks`, or there are more than `limit` bytes.
    """
    parts, size = [], 0
    for block in blocks(raw, name):
        size += len(block)
        if size > limit:
            raise Unreadable(f"larger than the limit of {limit} bytes")
        parts.append(block)
    return b"".join(parts)


def is_pointer(path: Path) -> bool:
    """Whether a file is what git-lfs leaves in the place of one that was not fetched."""
    with path.open("rb") as file:
        return file.read(len(POINTER)) == POINTER


def slices(
    path: Path, places: Iterable[tuple[int, int]], member: str = ""
) -> dict[tuple[int, int], bytes]:
    """The bytes at each (offset, length) of a log's decompressed stream, in one pass over it.

    In an archive, places are those within its `member`.
    """
    if member:
        from heatproof import archives

        return archives.slices(path, places, member)
    found: dict[tuple[int, int], bytes] = {}
    with Hashed(path) as raw:
        stream = decompressed(raw, path.name)
        position, window = 0, b""
        for offset, length in sorted(set(places)):
            while position + len(window) < offset + length and (data := stream.read1(CHUNK)):
                keep = max(0, offset - position)
                position, window = position + min(keep, len(window)), window[keep:] + data
            start = offset - position
            found[offset, length] = window[start : start + length]
    return found
