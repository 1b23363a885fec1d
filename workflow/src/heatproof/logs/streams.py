"""Read a log as a stream: whole lines of it, all of it, or the records at given places.

Lines come by the chunk, in a buffer that is used again: nothing is copied.
"""

from __future__ import annotations

import os
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from heatproof.logs.raw import PACKED, PIECE, Content, Hashed, Limits, Unreadable, decompressed
from heatproof.logs.refusals import UNENDED

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

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


CHUNK = 1 << 20
"""Bytes handed on at a time: the loop around it costs nothing, and it stays in the cache."""

BOM = b"\xef\xbb\xbf"
PROBE = 2048
"""Bytes within which a line ends where lines count as short."""

NEWLINE = 10
HEAD = 400
"""Bytes kept of a line that is too long to be held."""


class Lines(NamedTuple):
    """Whole lines of a log, valid until the next are asked for.

    `text` starts `offset` bytes into the decompressed stream, with line number `line`.
    """

    text: Text
    offset: int
    line: int


class Oversize(NamedTuple):
    """A line longer than a record may be, and how it begins."""

    offset: int
    line: int
    length: int
    head: bytes


class Room:
    """A buffer, and room for a mark at each of its bytes."""

    def __init__(self, size: int) -> None:
        import numpy as np

        self.buffer = bytearray(size)
        self.view = memoryview(self.buffer)
        self.array = np.frombuffer(self.buffer, np.uint8)
        self.marks = np.empty(size, bool)


class Text:
    """Whole lines in a buffer, from `start` to `stop`, and where they end."""

    def __init__(self, room: Room, start: int, stop: int) -> None:
        self._room, self._start, self._stop = room, start, stop
        self.data = room.view[start:stop]
        self.octets = room.array[start:stop]

    @cached_property
    def ends(self) -> NDArray[np.int64]:
        """Positions of newlines, and the end of a last line without one."""
        import numpy as np

        buffer, start, stop = self._room.buffer, self._start, self._stop
        if self._begins_within(PROBE):
            marks = self._room.marks[start:stop]
            found = np.equal(self.octets, NEWLINE, out=marks).nonzero()[0]
        else:  # lines so long that it is faster to jump from one to the next
            ends, at = [], buffer.find(b"\n", start, stop)
            while at >= 0:
                ends.append(at - start)
                at = buffer.find(b"\n", at + 1, stop)
            found = np.array(ends, np.int64)
        if not buffer.endswith(b"\n", start, stop):
            found = np.append(found, stop - start)
        return found

    def _begins_within(self, size: int) -> bool:
        """Whether the first line ends within so many bytes."""
        stop = min(self._stop, self._start + size)
        return self._room.buffer.find(b"\n", self._start, stop) >= 0


def lines(raw: Hashed, name: str, size: int | None = None) -> Iterator[Lines | Oversize]:
    """All lines of a log, about `size` bytes at a time; a mark of byte order is passed over.

    Raises:
        Unreadable: the file is damaged; the complete lines before the damage were yielded.
    """
    yield from _Reader(raw, name, Room(size or CHUNK)).lines()


class _Reader:
    """Where the reading of a log stands: `held` bytes in the room, the first at `offset`."""

    def __init__(self, raw: Hashed, name: str, room: Room) -> None:
        self.content, self.room, self.most = Content(raw, name), room, raw.limits.record
        self.held = self.offset = 0
        self.line = 1

    def lines(self) -> Iterator[Lines | Oversize]:
        try:
            while size := self.content.readinto(self.room.view[self.held :]):
                seen, self.held = self.held, self.held + size
                if stop := self.room.buffer.rfind(b"\n", seen, self.held) + 1:
                    yield from self._hand_on(stop)
                elif self.held == len(self.room.buffer):
                    yield from self._longer()
        except Unreadable as error:
            raise Unreadable(
                str(error), self.offset, self.line, spoiled=error.spoiled, kind=error.kind
            ) from error
        if not self.held:
            return
        if self.content.packed and self.content.raw.grown:
            raise Unreadable(
                f"the log ends within this line: {UNENDED}", self.offset, self.line, kind="unended"
            )
        yield from self._hand_on(self.held)

    def _hand_on(self, stop: int) -> Iterator[Lines]:
        room, start = self.room, 0
        if not self.offset and room.buffer.startswith(BOM, 0, stop):
            start = len(BOM)
        if stop > start:
            text = Text(room, start, stop)
            yield Lines(text, self.offset + start, self.line)
            self.line += len(text.ends)
        self._keep(stop)

    def _keep(self, start: int) -> None:
        """Move what is held from `start` on to the beginning."""
        rest = self.held - start
        self.room.view[:rest] = self.room.view[start : self.held]
        self.offset, self.held = self.offset + start, rest

    def _longer(self) -> Iterator[Oversize]:
        """A line fills the room: take a larger one, or skip a line longer than may be."""
        if self.held <= self.most:
            larger = Room(min(2 * self.held, self.most + CHUNK))
            larger.view[: self.held] = self.room.view[: self.held]
            self.room = larger
            return
        head, length = bytes(self.room.view[:HEAD]), 0
        end = -1
        while end < 0:
            length, self.held = length + self.held, 0
            self.held = self.content.readinto(self.room.view)
            end = self.room.buffer.find(b"\n", 0, self.held) if self.held else 0
        yield Oversize(self.offset, self.line, length + end, head)
        self.offset, self.line = self.offset + length, self.line + 1
        self._keep(min(end + 1, self.held))
