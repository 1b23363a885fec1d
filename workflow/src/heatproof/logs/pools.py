"""Small logs read ahead, many into one buffer: most of what each of them needs is done for all.

Logs of 150 small records, 2,000 or 10,000 of them, are so normalized in three quarters of the CPU
time that they take one by one (`many` of tests/bench/normalize.py).
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple

from blake3 import blake3

from heatproof.logs.raw import PACKED
from heatproof.logs.streams import CHUNK, NEWLINE, Text, room

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from heatproof.logs.streams import Room
    from heatproof.util.hashed import Extent

SMALL = CHUNK >> 3
"""Bytes up to which a log is small."""


class Held(NamedTuple):
    """A small log in a pool: its content from `start` to `stop` of the buffer, and its digest."""

    pool: Pool
    number: int
    start: int
    stop: int
    digest: str

    def begins(self, text: bytes) -> bool:
        """Whether a text stands at the beginning of the log."""
        return self.pool.room.buffer.startswith(text, self.start, self.stop)

    def content(self) -> bytes:
        """The bytes of the log."""
        return bytes(self.pool.room.view[self.start : self.stop])


class Pool:
    """Logs one behind the other, the last line of each with an end."""

    def __init__(self, room: Room) -> None:
        self.room, self.used = room, 0
        self.held: list[Held] = []
        self.decoded: dict[Any, Any] = {}
        """What was made of the logs together, by whoever made it."""

    def full(self) -> bool:
        return len(self.room.buffer) - self.used < SMALL + 2

    def take(self, path: str, noted: Extent | None = None) -> Held | None:
        """Read a log in; None if it is not small, not as it was noted, or cannot be read."""
        start = self.used
        if noted and noted.size > SMALL:
            return None
        try:
            stop = self._read(path, start)
        except OSError:
            return None  # whoever reads it by itself will tell
        if stop - start > SMALL:
            return None
        digest = blake3(self.room.view[start:stop]).hexdigest()
        if noted and digest != noted.digest:
            return None
        if stop > start and self.room.buffer[stop - 1] != NEWLINE:
            self.room.buffer[stop] = NEWLINE
            self.used = stop + 1
        else:
            self.used = stop
        self.held.append(Held(self, len(self.held), start, stop, digest))
        return self.held[-1]

    def _read(self, path: str, at: int) -> int:
        """Read up to one byte more than is small; where what was read ends."""
        end = at + SMALL + 1
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            while size := os.readv(file, [self.room.view[at:end]]):
                at += size
        finally:
            os.close(file)
        return at

    def text(self, first: int, stop: int) -> Text:
        """The logs from number `first` to before `stop`, the added ends of lines included."""
        end = self.held[stop].start if stop < len(self.held) else self.used
        return Text(self.room, self.held[first].start, end)


def ahead(
    paths: Iterable[tuple[str, str]], noted: Mapping[str, Extent] | None = None
) -> Iterator[tuple[str, Held | None]]:
    """Each log's path in the project, of pairs of it and where it lies, in their order.

    With small logs comes their content, valid until the next path is asked for.
    """
    with room(CHUNK) as buffer:
        pool = Pool(buffer)
        waiting: list[tuple[str, Held | None]] = []
        for path, place in paths:
            one = noted.get(path) if noted else None
            held = None if path.endswith(PACKED) else pool.take(place, one)
            waiting.append((path, held))
            if held is None or pool.full():
                yield from waiting
                pool.decoded.clear()  # each log leads to the pool, and it to them
                waiting, pool = [], Pool(buffer)
        yield from waiting
        pool.decoded.clear()
