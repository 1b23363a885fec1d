"""Read a log as a stream: lines of it, all of it, or the records at given places."""

from __future__ import annotations

import os
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

CHUNK = 1 << 18
"""Bytes read at a time."""
HEAD = 400
"""Bytes kept of a line that is too long."""
BOM = b"\xef\xbb\xbf"
NEWLINE = ord("\n")


class Text(NamedTuple):
    """Lines of a log: `data` starts `offset` bytes into its content."""

    data: bytes
    offset: int
    line: int

    @property
    def octets(self) -> NDArray[np.uint8]:
        """The bytes as an array."""
        import numpy as np

        return np.frombuffer(self.data, np.uint8)

    @property
    def ends(self) -> NDArray[np.int64]:
        """Positions of newlines, and the end of a last line without one."""
        import numpy as np

        ends = (self.octets == NEWLINE).nonzero()[0]
        return ends if self.data[-1] == NEWLINE else np.append(ends, len(self.data))


class Oversize(NamedTuple):
    """A line that is longer than a record may be: its beginning, and its length without its end."""

    offset: int
    line: int
    length: int
    head: bytes


def lines(raw: Hashed, name: str) -> Iterator[Text | Oversize]:
    """All lines of a log, some at a time; a mark of byte order is passed over.

    Raises:
        Unreadable: the file is damaged; the complete lines before the damage were yielded.
    """
    content, offset, line = Content(raw, name), 0, 1
    try:
        for piece in _pieces(content, raw.limits.record):
            if isinstance(piece, tuple):
                yield Oversize(offset, line, *piece)
                offset, line = offset + piece[0] + 1, line + 1
                continue
            if raw.grown and not piece.endswith(b"\n"):
                raise Unreadable(f"the log ends within this line: {UNENDED}", kind="unended")
            mark = len(BOM) if not offset and piece.startswith(BOM) else 0
            if len(piece) > mark:
                yield Text(piece[mark:] if mark else piece, offset + mark, line)
            offset, line = offset + len(piece), line + piece.count(b"\n")
    except Unreadable as error:
        raise Unreadable(
            str(error), offset, line, spoiled=error.spoiled, kind=error.kind
        ) from error


def _pieces(content: Content, limit: int) -> Iterator[bytes | tuple[int, bytes]]:
    """Whole lines; of one that is longer than the limit its length and beginning."""
    part, over = bytearray(), 0
    while data := content.read(CHUNK):
        if over:
            end = data.find(b"\n")
            over += len(data) if end < 0 else end
            if end < 0:
                continue
            yield over, bytes(part)
            part, over, data = bytearray(), 0, data[end + 1 :]
        stop = data.rfind(b"\n") + 1
        if stop:
            yield b"".join((part, memoryview(data)[:stop]))
            part = bytearray()
        part += memoryview(data)[stop:]
        if len(part) > limit and not stop:
            part, over = part[:HEAD], len(part)
    if over:
        yield over, bytes(part)
    elif part:
        yield bytes(part)


def chunks(raw: Hashed, name: str) -> Iterator[Text]:
    """The same for formats in which a line may be no record.

    Raises:
        Unreadable: as for `lines`, or a line is longer than a record may be.
    """
    for part in lines(raw, name):
        if isinstance(part, Oversize):
            raise Unreadable(oversize(raw), part.offset, part.line)
        yield part


def oversize(raw: Hashed) -> str:
    """The reason to refuse a line that is too long."""
    return f"longer than the limit of {raw.limits.record} bytes (max_record)"


def whole(raw: Hashed, name: str, limit: int) -> bytes:
    """The decompressed stream; of lines that others add to, those that have an end.

    Raises:
        Unreadable: the file is damaged, or there are more than `limit` bytes.
    """
    content, parts, size = Content(raw, name), [], 0
    while data := content.read(CHUNK):
        size += len(data)
        if size > limit:
            raise Unreadable(f"larger than the limit of {limit} bytes")
        parts.append(data)
    data = b"".join(parts)
    lines_alone = raw.grown and name.endswith((".jsonl", ".ndjson"))
    return data[: data.rfind(b"\n") + 1] if lines_alone else data


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
