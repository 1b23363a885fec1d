"""Read a log as a stream: lines of it, all of it, or the records at given places.

Lines come by the chunk, in a buffer that is used again: nothing is copied. That takes 0.85 of the
time with copies where records are long; see `tests/bench/normalize.py`.
"""

from __future__ import annotations

import os
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from heatproof.logs.raw import (
    PACKED,
    PIECE,
    UNENDED,
    Content,
    Hashed,
    Limits,
    Unreadable,
    decompressed,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray


__all__ = [
    "HEAD", "Hashed", "Limits", "Oversize", "Text", "Unreadable",
    "chunks", "lines", "oversize", "slices", "whole",
]  # fmt: skip

CHUNK = 1 << 20
"""Bytes handed on at a time: the loop around it costs nothing, and it stays in the cache."""
HEAD = 400
"""Bytes kept of a line that is too long."""
BOM = b"\xef\xbb\xbf"
NEWLINE = ord("\n")


class Chunk(NamedTuple):
    """Lines as bytes to keep: `data` starts `offset` bytes into the decompressed stream."""

    data: bytes
    offset: int
    line: int


def chunks(raw: Hashed, name: str) -> Iterator[Chunk]:
    """Lines of the stream as bytes to keep.

    Raises:
        Unreadable: as for `lines`, or a line is longer than a record may be.
    """
    for part in lines(raw, name):
        if isinstance(part, Oversize):
            raise Unreadable(oversize(raw), part.offset, part.line)
        yield Chunk(bytes(part.data), part.offset, part.line)


def oversize(raw: Hashed) -> str:
    """The reason to refuse a line that is too long."""
    return f"longer than the limit of {raw.limits.record} bytes (max_record)"


def whole(raw: Hashed, name: str, limit: int) -> bytes:
    """The decompressed stream.

    Raises:
        Unreadable: the file is damaged, or there are more than `limit` bytes.
    """
    content, parts, size = Content(raw, name), [], 0
    view = memoryview(bytearray(CHUNK))
    while count := content.readinto(view):
        size += count
        if size > limit:
            raise Unreadable(f"larger than the limit of {limit} bytes")
        parts.append(bytes(view[:count]))
    return b"".join(parts)


def slices(
    path: Path, places: Iterable[tuple[int, int]], member: str = ""
) -> dict[tuple[int, int], bytes]:
    """The bytes at each (offset, length) of a log's decompressed stream, in one pass over it.

    In an archive, places are those within its `member`.
    """
    if member:
        from heatproof.logs.archives import Archive

        places = list(places)
        with Archive(path) as archive:
            data = archive.head(member, max((sum(place) for place in places), default=0))
        return {(at, size): data[at : at + size] for at, size in places}
    if not path.name.endswith(PACKED):
        with path.open("rb") as file:
            return {(at, size): os.pread(file.fileno(), size, at) for at, size in places}
    records: dict[tuple[int, int], bytes] = {}
    with Hashed(path) as raw:
        stream = decompressed(raw, path.name)
        position, window = 0, b""
        for offset, length in sorted({*places}):
            while (lacking := offset + length - position - len(window)) > 0:
                try:  # no more is taken of an archive that was cut off than it has
                    data = stream.read1(min(lacking, PIECE))
                except EOFError:
                    data = b""
                if not data:
                    break
                keep = min(max(0, offset - position), len(window))
                position, window = position + keep, window[keep:] + data
            start = offset - position
            records[offset, length] = window[start : start + length]
    return records


class Oversize(NamedTuple):
    """A line that is longer than a record may be: its beginning, and its length without its end."""

    offset: int
    line: int
    length: int
    head: bytes


class Text:
    """Lines of a log, valid until the next are asked for: `data` starts at `offset`."""

    def __init__(self, data: memoryview, offset: int = 0, line: int = 1) -> None:
        self.data, self.offset, self.line = data, offset, line

    @cached_property
    def octets(self) -> NDArray[np.uint8]:
        """The bytes as an array."""
        import numpy as np

        return np.frombuffer(self.data, np.uint8)

    @cached_property
    def ends(self) -> NDArray[np.int64]:
        """Positions of newlines, and the end of a last line without one."""
        import numpy as np

        ends = (self.octets == NEWLINE).nonzero()[0]
        return ends if self.data[-1] == NEWLINE else np.append(ends, len(self.data))


def lines(raw: Hashed, name: str) -> Iterator[Text | Oversize]:
    """All lines of a log, some at a time; a mark of byte order is passed over.

    Raises:
        Unreadable: the file is damaged; the complete lines before the damage were yielded.
    """
    yield from _Buffer(raw, name).parts()


class _Buffer:
    """Where the reading of a log stands: so many bytes `filled`, the first at `offset`."""

    def __init__(self, raw: Hashed, name: str) -> None:
        self.content, self.limit = Content(raw, name), raw.limits.record
        self.bytes = bytearray(CHUNK)
        self.filled = self.offset = 0
        self.line = 1

    def parts(self) -> Iterator[Text | Oversize]:
        try:
            while size := self.content.readinto(memoryview(self.bytes)[self.filled :]):
                before, self.filled = self.filled, self.filled + size
                if stop := self.bytes.rfind(b"\n", before, self.filled) + 1:
                    yield from self._text(stop)
                elif self.filled == len(self.bytes) <= self.limit:  # one line: more room for it
                    self.bytes = self.bytes + bytearray(
                        min(self.filled, self.limit + CHUNK - self.filled)
                    )
                elif self.filled == len(self.bytes):
                    yield self._skip()
        except Unreadable as error:
            raise Unreadable(
                str(error), self.offset, self.line, spoiled=error.spoiled, kind=error.kind
            ) from error
        if self.filled and self.content.packed and self.content.raw.grown:
            message = f"the log ends within this line: {UNENDED}"
            raise Unreadable(message, self.offset, self.line, kind="unended")
        if self.filled:
            yield from self._text(self.filled)

    def _text(self, stop: int) -> Iterator[Text]:
        start = len(BOM) if not self.offset and self.bytes.startswith(BOM, 0, stop) else 0
        if stop > start:
            text = Text(memoryview(self.bytes)[start:stop], self.offset + start, self.line)
            yield text
            self.line += len(text.ends)
        self._keep(stop)

    def _keep(self, start: int) -> None:
        """Move what is there from `start` on to the beginning."""
        rest = self.filled - start
        self.bytes[:rest] = self.bytes[start : self.filled]
        self.offset, self.filled = self.offset + start, rest

    def _skip(self) -> Oversize:
        """Pass over a line that is longer than a record may be."""
        head, length, end = bytes(self.bytes[:HEAD]), 0, -1
        while end < 0:
            length += self.filled
            self.filled = self.content.readinto(memoryview(self.bytes))
            end = self.bytes.find(b"\n", 0, self.filled) if self.filled else 0
        part = Oversize(self.offset, self.line, length + end, head)
        self.offset, self.line = self.offset + length, self.line + 1
        self._keep(min(end + 1, self.filled))
        return part
