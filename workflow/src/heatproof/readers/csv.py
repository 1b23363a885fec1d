"""CSV with a header line: one record a row, mapped by config.yaml; rows may span lines."""

from __future__ import annotations

import csv
import re
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import msgspec

from heatproof.errors import Error, choices
from heatproof.readers import _fields
from heatproof.readers._batch import Batch, Log, Place, Reject, excerpt, sift
from heatproof.readers._epochs import EPOCH, finished
from heatproof.readers._lines import reason
from heatproof.reading.streams import Unreadable, chunks

if TYPE_CHECKING:
    from collections.abc import Iterator

ROWS = 10_000
"""Rows in a batch."""


class Wide(msgspec.Struct):
    """Rows that hold several epochs, a column each."""

    columns: str
    """Header of these columns, with {n} for the number of the epoch: `Answer {n}`."""
    fill: Literal["answer", "score"] = "answer"
    """What their cells hold."""


class Entry(_fields.Mapped, kw_only=True):
    """Keys of a `csv` source."""

    delimiter: str = ","
    epochs: Wide | None = None

    def exploded(self) -> list[str]:
        return [self.epochs.fill] if self.epochs else []

    def problems(self) -> list[str]:
        problems = super().problems()
        if self.epochs and "{n}" not in self.epochs.columns:
            problems.append(f".epochs.columns: {self.epochs.columns!r} does not hold {{n}}")
        if self.epochs and (taken := {"epoch", self.epochs.fill} & {*self.fields}):
            problems.append(f".fields.{min(taken)}: the columns of `epochs` fill it")
        return problems


class Row(NamedTuple):
    """A row of the file as text, and its bytes."""

    cells: list[str]
    place: Place
    data: bytes


def read(log: Log, entry: Entry) -> Iterator[Batch | Reject]:
    """The samples of a file; all of it is refused when its header lacks a mapped column."""
    yield from finished(_read(log, entry), entry)


def _read(log: Log, entry: Entry) -> Iterator[Batch | Reject]:
    try:
        shared = _fields.shared(entry, log.path)
        rows = _rows(log, entry.delimiter)
        header = next(rows, None)
        if header is None:
            raise Error("the log is empty")
        if isinstance(header, Reject):
            yield header
            return
        wanted = _columns(entry, header.cells)
    except Error as error:
        yield Reject(Place(1, 0, 0), str(error))
        return
    seen = False
    for part in _batches(rows, wanted, len(header.cells)):
        seen = True
        yield from (part,) if isinstance(part, Reject) else _batch(part, wanted, entry, shared)
    if not seen:
        yield Reject(Place(1, 0, 0), "the log has a header and no rows")


def _batches(
    rows: Iterator[Row | Reject], wanted: list[tuple[_fields.Field, int]], width: int
) -> Iterator[list[tuple[Row, list[Any]]] | Reject]:
    """Rows with their typed cells, many at a time, and those that have none one by one."""
    batch: list[tuple[Row, list[Any]]] = []
    for row in rows:
        if isinstance(row, Reject):
            yield row
            continue
        try:
            batch.append((row, _values(row, wanted, width)))
        except Error as error:
            yield Reject(row.place, str(error), excerpt(row.data))
        if len(batch) == ROWS:
            yield batch
            batch = []
    if batch:
        yield batch


def _columns(entry: Entry, header: list[str]) -> list[tuple[_fields.Field, int]]:
    """The wanted fields and their positions in a row."""
    found = []
    for field in _fields.fields(entry):
        if field.place not in header:
            raise Error(f"the header has no {field.place!r}; {choices(field.place, header)}")
        found.append((field, header.index(field.place)))
    return found + _wide(entry, header)


def _wide(entry: Entry, header: list[str]) -> list[tuple[_fields.Field, int]]:
    """The columns that hold an epoch each, in the order of their numbers."""
    if entry.epochs is None:
        return []
    before, _, after = entry.epochs.columns.partition("{n}")
    pattern = re.compile(re.escape(before) + r"(\d{1,9})" + re.escape(after))
    found = [(int(m[1]), at) for at, name in enumerate(header) if (m := pattern.fullmatch(name))]
    if not found:
        raise Error(f"the header has no {entry.epochs.columns!r}; {choices('', header)}")
    kind = "text" if entry.epochs.fill == "answer" else "number"
    return [
        (_fields.Field(f"{EPOCH}{n}", header[at], kind, required=True), at)
        for n, at in sorted(found)
    ]


def _values(row: Row, wanted: list[tuple[_fields.Field, int]], width: int) -> list[Any]:
    """The wanted cells of a row, typed; empty numbers are null."""
    if len(row.cells) != width:
        raise Error(f"{len(row.cells)} cells where the header has {width}")
    return [
        None
        if field.type not in ("str", "text") and not row.cells[at].strip()
        else _fields.from_text(row.cells[at], field.type, field.place)
        for field, at in wanted
    ]


def _batch(
    rows: list[tuple[Row, list[Any]]],
    wanted: list[tuple[_fields.Field, int]],
    entry: Entry,
    shared: dict[str, Any],
) -> Iterator[Batch | Reject]:
    values = [list(column) for column in zip(*(found for _, found in rows), strict=True)]
    columns = {field.column: values[i] for i, (field, _) in enumerate(wanted)}
    if entry.epochs:
        wide = [name for name in columns if name.startswith(EPOCH)]
        cells = [list(row) for row in zip(*(columns.pop(name) for name in wide), strict=True)]
        columns[f"{_fields.LISTED}{entry.epochs.fill}"] = cells
        columns[EPOCH] = [[int(name.removeprefix(EPOCH)) for name in wide]] * len(rows)
    places = [row.place for row, _ in rows]
    records = {row.place: row.data for row, _ in rows}
    yield from sift(Batch(_fields.scaled(entry, columns), places, shared), records.__getitem__)


def _rows(log: Log, delimiter: str) -> Iterator[Row | Reject]:
    """Rows with their places; a row with broken bytes, or one the file ends in, is refused."""
    feed = _Lines(log)
    reader = csv.reader(feed, delimiter=delimiter, strict=True)
    while True:
        feed.begin()
        try:
            cells = next(reader)
        except StopIteration:
            return
        except Unreadable as error:
            yield Reject(Place(error.line, error.offset, 0), str(error))
            return
        except csv.Error as error:
            yield Reject(feed.place(), f"not CSV: {error}", excerpt(feed.data))
            continue
        if feed.broken:
            yield Reject(feed.place(), reason(feed.broken, feed.data), excerpt(feed.data))
        elif cells:
            yield Row(cells, feed.place(), feed.data)


class _Lines:
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
            self._lines = iter(next(self._chunks).data.splitlines(keepends=True))
            data = next(self._lines, None)
        self.data += data
        self.offset, self.line = self.offset + len(data), self.line + 1
        try:
            return data.decode("utf-8-sig" if self.start == (1, 0) else "utf-8")
        except UnicodeDecodeError as error:
            self.broken = error
            return data.decode("utf-8", "replace")
