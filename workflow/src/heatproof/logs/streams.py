"""Read a log as a stream: whole lines of it, all of it, or the records at given places."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from heatproof.logs.buffers import HEAD, Lines, Oversize, Text, lines
from heatproof.logs.raw import PACKED, PIECE, Content, Hashed, Limits, Unreadable, decompressed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from heatproof.logs.raw import Stream

__all__ = [
    "HEAD", "Hashed", "Limits", "Lines", "Oversize", "Text", "Unreadable",
    "chunks", "lines", "oversize", "slices", "whole",
]  # fmt: skip

PART = 1 << 20
"""Bytes of a whole document taken at a time."""


class Chunk(NamedTuple):
    """Whole lines as bytes to keep: `data` starts `offset` bytes into the decompressed stream."""

    data: bytes
    offset: int
    line: int


def chunks(raw: Hashed, name: str, size: int | None = None) -> Iterator[Chunk]:
    """Whole lines of the stream as bytes, about `size` at a time.

    Raises:
        Unreadable: as for `lines`, or a line is longer than a record may be.
    """
    for part in lines(raw, name, size):
        if isinstance(part, Oversize):
            raise Unreadable(oversize(raw), part.offset, part.line)
        yield Chunk(bytes(part.text.data), part.offset, part.line)


def oversize(raw: Hashed) -> str:
    """The reason to refuse a line that is too long."""
    return f"longer than the limit of {raw.limits.record} bytes (max_record)"


def whole(raw: Hashed, name: str, limit: int) -> bytes:
    """The whole decompressed stream.

    Raises:
        Unreadable: the file is damaged, or there are more than `limit` bytes.
    """
    content, parts, size = Content(raw, name), [], 0
    view = memoryview(bytearray(PART))
    while got := content.readinto(view):
        size += got
        if size > limit:
            raise Unreadable(f"larger than the limit of {limit} bytes")
        parts.append(bytes(view[:got]))
    return b"".join(parts)


def _more(stream: Stream, size: int) -> bytes:
    """Up to `size` bytes: no more are asked of an archive that was cut off than it has."""
    try:
        return stream.read1(min(size, PIECE))
    except EOFError:
        return b""


def slices(
    path: Path, places: Iterable[tuple[int, int]], member: str = ""
) -> dict[tuple[int, int], bytes]:
    """The bytes at each (offset, length) of a log's decompressed stream, in one pass over it.

    In an archive, places are those within its `member`.
    """
    if member:
        from heatproof.logs import archives

        return archives.slices(path, places, member)
    if not path.name.endswith(PACKED):
        with path.open("rb") as file:
            return {(at, size): os.pread(file.fileno(), size, at) for at, size in places}
    found: dict[tuple[int, int], bytes] = {}
    with Hashed(path) as raw:
        stream = decompressed(raw, path.name)
        position, window = 0, b""
        for offset, length in sorted(set(places)):
            end = offset + length
            while position + len(window) < end:
                if not (data := _more(stream, end - position - len(window))):
                    break
                keep = max(0, offset - position)
                position, window = position + min(keep, len(window)), window[keep:] + data
            start = offset - position
            found[offset, length] = window[start : start + length]
    return found
