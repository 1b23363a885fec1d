"""CSV with a header line: one record a row, mapped by config.yaml; rows may span lines."""

from __future__ import annotations

import csv
import json
from contextlib import suppress
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Literal

from msgspec.structs import replace

from heatproof.formats import aggregates, mapping
from heatproof.formats.api import Batch, Declared, Passed, Place, Reject, excerpt
from heatproof.formats.decoding import fault
from heatproof.formats.detection import ONLY_ENDING, plain
from heatproof.formats.mapping import Mapped
from heatproof.formats.params import excerpted, from_text, number_from_text
from heatproof.formats.places import GROUP, group_pattern, grouped_place
from heatproof.formats.reshape import Record, Rows
from heatproof.formats.scored import finished
from heatproof.logs.streams import EMPTY, NO_ROWS, Unreadable, chunks
from heatproof.util.errors import Error, Mistake, choices

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from heatproof.formats.api import Declared, Kind, Log
    from heatproof.formats.mapping import Typed


ROWS = 10_000
"""Rows in a batch."""


class Entry(Mapped, kw_only=True):
    """Keys of a `csv` source."""

    delimiter: str = ","
    """Between the cells of a row."""
    decimal: Literal[".", ","] = "."
    """Between the whole of a number and its fraction."""

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
    table = None
    try:
        if isinstance(header, Reject):
            why = f"the header: {header.reason}"
            refusal = replace(header, place=refusal.place, reason=why, whole=True)
        elif header:
            table = Table(entry, log, header.cells)
    except Error as error:
        refusal = replace(refusal, reason=str(error), kind=error.kind)
    if table is None:
        first = next(rows, refusal)
        for row in chain([first], rows):  # once for each row: all are counted
            yield replace(refusal, place=row.place._replace(length=0))
        return
    empty = True
    while lines := list(islice(rows, ROWS)):
        empty = False
        damaged = [line for line in lines if isinstance(line, Reject)]
        table.read += len(damaged)
        yield from damaged
        yield from table.of_records(line for line in lines if isinstance(line, Record))
    if empty:
        yield replace(refusal, reason=NO_ROWS)
    yield from table.rest()


class Table(Rows):
    """The rows of a file whose header is read."""

    entry: Entry

    def __init__(self, entry: Entry, log: Log, header: list[str]) -> None:
        """Raises Error if path, sidecar or header do not fit."""
        super().__init__(entry, log)
        self._header = header
        self._cells = {group: self._cells_of(group) for group in self._named_groups()}
        only = mapping.only_values(entry.only)
        self._only = {self._position(name): values for name, values in only.items()}

    def _named_groups(self) -> list[str]:
        """Each group of columns that the header has."""
        column = self.entry.group()
        if not column:
            return [""]
        place = grouped_place(self.entry.places())
        for group in aggregates.listed(self.entry.aggregates):
            self._position(place.replace(f"{{{column}}}", group))
        fitting = [(name, group_pattern(place, column).fullmatch(name)) for name in self._header]
        groups = [m[1] for name, m in fitting if m and self.entry.is_group(name, m[1])]
        if not groups:
            raise Error(f"the header has no {place!r}; {choices('', self._header)}", "missing")
        for group in groups:
            mapping.columns_of_keys(self.entry, {column: group})
        return groups

    def _position(self, name: str) -> int:
        """Where a column stands. Raises Error if it is not there, or twice."""
        if self._header.count(name) > 1:
            raise Error(f"the header has {name!r} twice", "repeat")
        if name in self._header:
            return self._header.index(name)
        hint = choices(name, self._header)
        sign = next((s for s in DELIMITERS if len(self._header) == 1 and s in self._header[0]), "")
        if sign:
            hint = f"it is one column, {self._header[0]!r:.60}; delimiter: {json.dumps(sign)}"
        raise Error(f"the header has no {name!r}; {hint}", "missing")

    def _cells_of(self, group: str) -> list[tuple[mapping.Field, int]]:
        """The fields and their positions in a row; those of a group with its name in theirs."""
        cells = []
        defaults = self.entry.columns().defaults
        for field in mapping.fields(self.entry):
            place = GROUP.sub(lambda _: group, field.place) if group else field.place
            lacks = place not in self._header and field.column in defaults
            if field.column not in self.numbered and not lacks:
                cells.append((field._replace(place=place), self._position(place)))
        return cells

    def other(self, record: Record) -> str:
        for at, values in self._only.items():
            if len(record.cells) == len(self._header) and values.isdisjoint(
                _typed(record.cells[at])
            ):
                return f"{self._header[at]}: {excerpted(record.cells[at])}"
        return ""

    def groups(self, record: Record) -> Iterable[str]:
        if len(record.cells) != len(self._header):  # nobody knows which cell is of which column
            raise Error(
                f"{len(record.cells)} cells where the header has {len(self._header)}", "type"
            )
        return self._cells

    def decode(self, record: Record, group: str) -> list[Any]:
        decimal = self.entry.decimal
        return [_value(record.cells[at], field, decimal) for field, at in self._cells[group]]

    def columns(self, decoded: list[Any], group: str) -> dict[str, list[Any]]:
        names = [field.column for field, _ in self._cells[group]]
        values = list(map(list, zip(*decoded, strict=True))) or [[] for _ in names]
        return mapping.scaled(self.entry, dict(zip(names, values, strict=True)))

    def explain(
        self, why: str, record: Record, group: str, shared: dict[str, Any]
    ) -> tuple[str, dict[str, Any]]:
        cells = dict(shared)
        for field, at in self._cells[group]:
            try:
                cells[field.column] = _value(record.cells[at], field, self.entry.decimal)
            except Error:
                cells[field.column] = record.cells[at]
        return why, cells


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
    """A cell as its field has it; empty numbers are null. Raises Error if it is of another type."""
    if field.type in ("str", "text"):
        return cell
    printed = field.type == "printed"
    if not cell.strip() or (printed and cell.strip().casefold() in aggregates.NOTHING):
        return None
    if decimal == "," and "." in cell:  # of thousands, perhaps: 1.024
        message = f"{field.place}: {cell!r} holds a point, where numbers have a decimal comma"
        raise Error(message, "type")
    number = cell.replace(",", ".") if decimal == "," else cell
    if printed:
        return from_text(number.strip().removesuffix("%"), "number", field.place)
    return from_text(number, field.type, field.place)


def rows_of(log: Log, delimiter: str) -> Iterator[Record | Reject]:
    """Rows with their places; a row with broken bytes, or one the file ends in, is refused."""
    feed, number = Feed(log), 0
    reader = csv.reader(feed, delimiter=delimiter, strict=True)
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
            torn = log.file.grown and "unexpected end" in str(error)
            kind: Kind = "unended" if torn else "syntax"
            yield Reject(feed.place(), f"not CSV: {error}", excerpt(feed.data), kind=kind)
            number += 1
            continue
        if feed.broken:
            broken = fault(feed.broken, feed.data)
            yield Reject(feed.place(), str(broken), excerpt(feed.data), kind=broken.kind)
        elif cells:
            yield Record(str(number), number, feed.data, feed.place(), cells)
        number += bool(cells)


class Feed:
    """Lines of a log as text, remembering the bytes of the row that they make up."""

    def __init__(self, log: Log) -> None:
        parts = chunks(log.file, log.path)
        self._lines = (
            (chunk.offset if at == 0 else -1, line)
            for chunk in parts
            for at, line in enumerate(chunk.data.splitlines(keepends=True))
        )
        self.offset, self.line = 0, 1
        self.begin()

    def begin(self) -> None:
        """A new row starts here."""
        self.data, self.start = b"", (self.line, self.offset)
        self.broken: UnicodeDecodeError | None = None

    def place(self) -> Place:
        return Place(*self.start, len(self.data.rstrip(b"\r\n")))

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        offset, data = next(self._lines)
        if offset >= 0:
            self.offset = offset
            self.start = (
                self.start if self.data else (self.line, offset)
            )  # behind a byte order mark
        self.data += data
        self.offset, self.line = self.offset + len(data), self.line + 1
        try:
            return data.decode()
        except UnicodeDecodeError as error:
            self.broken = error
            return data.decode(errors="replace")
