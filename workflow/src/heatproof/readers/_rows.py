"""Rows of a CSV file with their places: they may span lines."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, NamedTuple

from heatproof.logs.streams import Unreadable, chunks
from heatproof.readers._batch import Place, Reject, excerpt
from heatproof.readers._lines import reason

if TYPE_CHECKING:
    from collections.abc import Iterator

    from heatproof.readers._log import Log


class Row(NamedTuple):
    """A row of the file as text, and its bytes."""

    cells: list[str]
    place: Place
    data: bytes


def rows_of(log: Log, delimiter: str) -> Iterator[Row | Reject]:
    """Rows with their places; a row with broken bytes, or one the file ends in, is refused."""
    feed = Lines(log)
    reader = csv.reader(feed, delimiter=delimiter, strict=True)
    while True:
        feed.begin()
        try:
            cells = next(reader)
        except StopIteration:
            return
        except Unreadable as error:
            yield Reject(Place(error.line, error.offset, 0), str(error), spoils=error.spoiled)
            return
        except csv.Error as error:
            yield Reject(feed.place(), f"not CSV: {error}", excerpt(feed.data))
            continue
        if feed.broken:
            yield Reject(feed.place(), reason(feed.broken, feed.data), excerpt(feed.data))
        elif cells:
            yield Row(cells, feed.place(), feed.data)


class Lines:
    """Lines of a log as text, remembering the bytes of the row that they make up."""

    def __init__(self, log: Log) -> None:
        self._chunks = chunks(log.file, log.path)
        self._lines: Iterator[bytes] = iter(())
        self.offset, self.line = 0, 1
        self.broken: UnicodeDecodeError | None = None
        self.begin()

    def begin(self) -> None:
        """A new row starts here."""
        self.data, self.start, self.broken = b"", (self.line, self.offset), None

    def place(self) -> Place:
        line, offset = self.start
        return Place(line, offset, len(self.data.rstrip(b"\r\n")))

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        data = next(self._lines, None)
        while data is None:
            chunk = next(self._chunks)
            if not self.data:
                self.start = self.line, chunk.offset  # a mark of byte order is passed over
            self.offset = chunk.offset
            self._lines = iter(chunk.data.splitlines(keepends=True))
            data = next(self._lines, None)
        self.data += data
        self.offset, self.line = self.offset + len(data), self.line + 1
        try:
            return data.decode()
        except UnicodeDecodeError as error:
            self.broken = error
            return data.decode(errors="replace")
