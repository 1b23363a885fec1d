"""CSV with a header line: one record a row, mapped by config.yaml; rows may span lines."""

from __future__ import annotations

import csv
import json
from collections import Counter
from contextlib import suppress
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from msgspec.structs import replace

from heatproof.config.roles import SETTINGS
from heatproof.formats import aggregates, mapping
from heatproof.formats.api import Batch, Declared, Passed, Place, Reject, excerpt, sift
from heatproof.formats.decoding import fault
from heatproof.formats.detection import ONLY_ENDING, plain
from heatproof.formats.mapping import Mapped
from heatproof.formats.params import excerpted, from_text, number_from_text
from heatproof.formats.places import GROUP, ROW, group_pattern, grouped_place
from heatproof.formats.reshape import settings_beside
from heatproof.formats.scored import finished
from heatproof.logs.raw import EMPTY, NO_ROWS, PACKED
from heatproof.logs.streams import Unreadable, chunks
from heatproof.util.errors import Error, Mistake, choices

if TYPE_CHECKING:
    from collections.abc import Iterator

    from heatproof.config.entries import Ends
    from heatproof.formats.api import Declared, Log
    from heatproof.formats.mapping import Typed


ROWS = 10_000
"""Rows in a batch."""

NUMBER = -1
"""Where the number of a row stands, as if it were its last cell."""


class Entry(Mapped, kw_only=True):
    """Keys of a `csv` source."""

    delimiter: str = ","
    """Between the cells of a row."""
    decimal: Literal[".", ","] = "."
    """Between the whole of a number and its fraction."""

    def ends(self, path: str) -> Ends:
        return "" if path.endswith(PACKED) else "row"

    def mistakes(self) -> list[Mistake]:
        problems = super().mistakes()
        if len(self.delimiter) != 1 or self.delimiter in '"\r\n':
            problems.append(
                Mistake(".delimiter", f"{self.delimiter!r} is not one character, such as ; or \\t")
            )
        if self.delimiter == self.decimal:
            problems.append(Mistake(".decimal", f"{self.decimal!r} is the delimiter too"))
        return problems


ENDINGS = (".csv", ".tsv")
DELIMITERS = ",;\t|"
"""What may stand between the cells of a row, the likeliest first."""


def resembles(path: str, head: bytes) -> str:
    """Why a file can be read as CSV; empty if nothing tells that it can."""
    if not plain(path).endswith(ENDINGS):
        return ""
    first = head.split(b"\n", 1)[0].decode(errors="replace")
    columns = max(first.count(sign) for sign in DELIMITERS) + 1
    return f"its header names {columns} columns" if columns > 1 else ONLY_ENDING


def read(log: Log, entry: Entry) -> Iterator[Batch | Declared | Passed | Reject]:
    """The samples of a file; all of it is refused when its header lacks a mapped column."""
    yield from finished(_parts(log, entry), entry)


def _parts(log: Log, entry: Entry) -> Iterator[Batch | Passed | Reject]:
    rows = rows_of(log, entry.delimiter)
    header, refusal = next(rows, None), Reject(Place(1, 0, 0), EMPTY, kind="empty", whole=True)
    try:
        if isinstance(header, Reject):
            reason = f"the header: {header.reason}"
            refusal = replace(header, place=refusal.place, reason=reason, whole=True)
        table = Table(log, entry, header.cells) if isinstance(header, Row) else None
    except Error as error:
        table, refusal = None, replace(refusal, reason=str(error), kind=error.kind)
    if table is None:
        first = next(rows, refusal)
        for row in chain([first], rows):  # once for each row: all are counted
            yield replace(refusal, place=row.place._replace(length=0))
        return
    while lines := list(islice(rows, ROWS)):
        yield from table.samples(lines)
    yield from table.rest()


class Group(NamedTuple):
    """Columns of which a row fills one row of the table."""

    shared: dict[str, Any]
    """What all rows have: settings of path, config, sidecar, and the name of the group."""
    cells: list[tuple[mapping.Field, int]]
    """What its cells fill, and where they stand in a row."""


class Table:
    """A file whose header is read."""

    def __init__(self, log: Log, entry: Entry, header: list[str]) -> None:
        """Raises Error if path, sidecar or header do not fit."""
        self.entry, self._header = entry, header
        shared, head, _ = settings_beside(entry, log)
        settings, self._alike = mapping.split(entry, head)
        self._groups = [
            Group(shared | settings | columns, self._cells(group))
            for group, columns in self._named_groups()
        ]
        only = mapping.only_values(entry.only)
        self._only = {self._position(name): values for name, values in only.items()}
        self._others = Counter[str]()
        self._read = self._passed = 0

    def _named_groups(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Each group of columns that the header has, and what it says of its rows."""
        column = self.entry.group()
        if not column:
            yield "", {}
            return
        place = grouped_place(self.entry.places())
        for group in aggregates.listed(self.entry.aggregates):
            self._position(place.replace(f"{{{column}}}", group))
        fitting = [(name, group_pattern(place, column).fullmatch(name)) for name in self._header]
        groups = [m[1] for name, m in fitting if m and self.entry.is_group(name, m[1])]
        if not groups:
            raise Error(f"the header has no {place!r}; {choices('', self._header)}", "missing")
        for group in groups:
            yield group, mapping.columns_of_keys(self.entry, {column: group})

    def _position(self, name: str) -> int:
        """Where a column stands. Raises Error if it is not there, or twice."""
        if self._header.count(name) > 1:
            raise Error(f"the header has {name!r} twice", "repeat")
        if name in self._header:
            return self._header.index(name)
        hint = choices(name, self._header)
        for sign in DELIMITERS:
            if len(self._header) == 1 and sign in self._header[0]:
                hint = f"it is one column, {self._header[0]!r:.60}; delimiter: {json.dumps(sign)}"
                break
        raise Error(f"the header has no {name!r}; {hint}", "missing")

    def _cells(self, group: str) -> list[tuple[mapping.Field, int]]:
        """The fields and their positions in a row; those of a group with its name in theirs."""
        cells = []
        defaults = self.entry.columns().defaults
        for field in mapping.fields(self.entry):
            place = GROUP.sub(lambda _: group, field.place) if group else field.place
            if place == ROW:
                cells.append((field, NUMBER))
            elif place in self._header or field.column not in defaults:
                cells.append((field._replace(place=place), self._position(place)))
        return cells

    def samples(self, lines: list[Row | Reject]) -> Iterator[Batch | Reject]:
        """Rows of the samples table; those whose cells are not of their types one by one."""
        damaged = [line for line in lines if isinstance(line, Reject)]
        rows = [line for line in lines if isinstance(line, Row) and self._is_read(line)]
        self._read += len(damaged) + len(rows)
        yield from damaged
        for group in self._groups:
            good: list[tuple[Row, list[Any]]] = []
            for row in rows:
                try:
                    good.append((row, self._values(row, group)))
                except Error as error:
                    yield self._refusal(row, group, error)
            if good:
                yield from self._batch(good, group)

    def _is_read(self, row: Row) -> bool:
        """Whether a row is read, as `only` says; a damaged one is not passed over."""
        for at, values in self._only.items():
            if len(row.cells) == len(self._header) and values.isdisjoint(_typed(row.cells[at])):
                self._passed += 1
                self._others[f"{self._header[at]}: {excerpted(row.cells[at])}"] += 1
                return False
        return True

    def _values(self, row: Row, group: Group) -> list[Any]:
        """The cells of a row; empty numbers are null."""
        if len(row.cells) != len(self._header):
            raise Error(f"{len(row.cells)} cells where the header has {len(self._header)}")
        cells = [*row.cells, str(row.number)]
        return [_value(cells[at], field, self.entry.decimal) for field, at in group.cells]

    def _refusal(self, row: Row, group: Group, error: Error) -> Reject:
        """Of a row of another length nobody knows which cell is of which column."""
        sample: dict[str, Any] | None = dict(group.shared)
        texts = {field.column: cell for field, at in group.cells for cell in row.cells[at : at + 1]}
        settings = {*SETTINGS, "epoch", *self.entry.columns().params}
        cells = [*row.cells, str(row.number)] if len(row.cells) == len(self._header) else []
        for field, at in group.cells if cells else ():
            try:
                value = _value(cells[at], field, self.entry.decimal)
            except Error:
                if field.column in settings:
                    sample = None
            else:
                sample = sample and {**sample, field.column: value}
        record = group.shared | texts
        shown = excerpt(row.data)
        return Reject(row.place, str(error), shown, of=sample, told=record, kind="type")

    def _batch(self, rows: list[tuple[Row, list[Any]]], group: Group) -> Iterator[Batch | Reject]:
        names = [field.column for field, _ in group.cells]
        values = map(list, zip(*(cells for _, cells in rows), strict=True))
        columns = dict(zip(names, values, strict=True))
        texts = {row.place: row.data for row, _ in rows}
        alike = {name: [value] * len(rows) for name, value in self._alike.items()}
        batch = Batch(mapping.scaled(self.entry, columns) | alike, [*texts], group.shared)
        yield from sift(batch, texts.__getitem__)

    def rest(self) -> Iterator[Reject | Passed]:
        """What is to be said when all rows were looked at."""
        if not self._read:
            others = ", ".join(f"{other} ({n} ×)" for other, n in self._others.most_common(6))
            why = f"`only` leaves no record; there are {others}" if others else NO_ROWS
            yield Reject(Place(1, 0, 0), why, kind="empty", whole=True)
        if self._passed:
            yield Passed(self._passed)


def _typed(cell: str) -> Iterator[Typed]:
    """What a cell may be: a text, true or false, a number."""
    yield False, cell
    text = cell.strip().lower()
    if text in ("true", "false"):
        yield True, text == "true"
    with suppress(ValueError):
        number = number_from_text(text)
        yield False, int(text) if text.lstrip("+-").isdigit() else number


def _value(cell: str, field: mapping.Field, decimal: str) -> Any:
    """A cell as its field has it. Raises Error if it is of another type."""
    if field.type in ("str", "text"):
        return cell
    printed = field.type == "printed"
    if not cell.strip() or (printed and cell.strip().casefold() in aggregates.NOTHING):
        return None
    if decimal == "," and "." in cell:  # of thousands, perhaps: 1.024
        message = f"{field.place}: {cell!r} holds a point, where numbers have a decimal comma"
        raise Error(message)
    number = cell.replace(",", ".") if decimal == "," else cell
    if printed:
        return from_text(number.strip().removesuffix("%"), "number", field.place)
    return from_text(number, field.type, field.place)


class Row(NamedTuple):
    """A row of the file as text, and its bytes."""

    cells: list[str]
    place: Place
    data: bytes
    number: int
    """That of the row in the file, from 1 below the header."""


def rows_of(log: Log, delimiter: str) -> Iterator[Row | Reject]:
    """Rows with their places; a row with broken bytes, or one the file ends in, is refused."""
    feed = Feed(log)
    reader = csv.reader(feed, delimiter=delimiter, strict=True)
    number = 0
    while True:
        feed.begin()
        try:
            cells = next(reader)
        except StopIteration:
            return
        except Unreadable as error:
            place = Place(error.line, error.offset, 0)
            yield Reject(place, str(error), spoils=error.spoiled, kind=error.kind)
            return
        except csv.Error as error:
            yield Reject(feed.place(), f"not CSV: {error}", excerpt(feed.data), kind="syntax")
            number += 1
            continue
        if feed.broken:
            broken = fault(feed.broken, feed.data)
            yield Reject(feed.place(), str(broken), excerpt(feed.data), kind=broken.kind)
        elif cells:
            yield Row(cells, feed.place(), feed.data, number)
        number += bool(cells)


class Feed:
    """Lines of a log as text, remembering the bytes of the row that they make up."""

    def __init__(self, log: Log) -> None:
        self._chunks = chunks(log.file, log.path)
        self._lines: Iterator[bytes] = iter(())
        self.offset, self.line = 0, 1
        self.begin()

    def begin(self) -> None:
        """A new row starts here."""
        self.data, self.start = b"", (self.line, self.offset)
        self.broken: UnicodeDecodeError | None = None

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
