"""CSV with a header line: one record a row, mapped by config.yaml; rows may span lines."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import msgspec
from msgspec.structs import replace

from heatproof.config.entries import spelling
from heatproof.logs.raw import PACKED
from heatproof.logs.refusals import EMPTY, NO_ROWS
from heatproof.logs.streams import Unreadable, chunks
from heatproof.readers import aggregates, mapping
from heatproof.readers.api import Batch, Declared, Passed, Place, Reject, excerpt, sift
from heatproof.readers.detection import ONLY_ENDING, plain
from heatproof.readers.epochs import EPOCH, finished
from heatproof.readers.faults import reason
from heatproof.readers.group_places import GROUP, grouped_place, pattern
from heatproof.readers.layout import beside
from heatproof.readers.mapping import Mapped
from heatproof.readers.params import excerpted, from_text, number_from_text
from heatproof.util.errors import Error, choices

if TYPE_CHECKING:
    from collections.abc import Iterator

    from heatproof.config.entries import Ends
    from heatproof.readers.api import Declared, Log


SIGNS = ",;\t|"
"""What divides columns in most tables."""

ROWS = 10_000
"""Rows in a batch."""

NUMBER = -1
"""Where the number of a row stands, as if it were its last cell."""


class Wide(msgspec.Struct):
    """Rows that hold several epochs, a column each."""

    columns: str
    """Header of these columns, with {n} for the number of the epoch: `Answer {n}`."""
    fill: Literal["answer", "score"] = "answer"
    """What their cells hold."""


class Entry(Mapped, kw_only=True):
    """Keys of a `csv` source."""

    delimiter: str = ","
    """Between the cells of a row."""
    decimal: Literal[".", ","] = "."
    """Between the whole of a number and its fraction."""
    epochs: Wide | None = None
    """Columns that hold one repetition each."""

    def ends(self, path: str) -> Ends:
        return "" if path.endswith(PACKED) else "row"

    def exploded(self) -> list[str]:
        return [self.epochs.fill] if self.epochs else []

    def mistakes(self) -> list[str]:
        problems = super().mistakes()
        if len(self.delimiter) != 1 or self.delimiter in '"\r\n':
            problems.append(
                f".delimiter: {self.delimiter!r} is not one character, such as ; or \\t"
            )
        if self.delimiter == self.decimal:
            problems.append(f".decimal: {self.decimal!r} is the delimiter too")
        if self.epochs and "{n}" not in self.epochs.columns:
            problems.append(f".epochs.columns: {self.epochs.columns!r} does not hold {{n}}")
        if self.epochs and (taken := {"epoch", self.epochs.fill} & {*self.fields}):
            problems.append(f".fields.{min(taken)}: the columns of `epochs` fill it")
        return problems


ENDINGS = (".csv", ".tsv")
DELIMITERS = ",;\t|"
"""What may stand between the cells of a row, the likeliest first."""


def resembles(path: str, head: bytes) -> str:
    """Why a file can be read as CSV; empty if nothing tells that it can."""
    if not plain(path).endswith(ENDINGS):
        return ""
    first = head.split(b"\n", 1)[0].decode(errors="replace")
    many = max(first.count(sign) for sign in DELIMITERS) + 1
    return f"its header names {many} columns" if many > 1 else ONLY_ENDING


def read(log: Log, entry: Entry) -> Iterator[Batch | Declared | Passed | Reject]:
    """The samples of a file; all of it is refused when its header lacks a mapped column."""
    yield from finished(_read(log, entry), entry)


class Told(NamedTuple):
    """What all rows of a group have."""

    shared: dict[str, Any]
    alike: dict[str, Any]
    """What is no setting: a column of its own in each batch."""
    wanted: list[tuple[mapping.Field, int]]
    """What its cells fill, and where they stand in a row."""


class Begun(NamedTuple):
    """A file whose header is read."""

    rows: Iterator[Row | Reject]
    groups: list[Told]
    only: Only
    width: int


def _begun(log: Log, entry: Entry) -> Begun | Reject:
    """Raises Error if path, sidecar or header do not fit."""
    shared, head, _ = beside(entry, log)
    settings, alike = mapping.split(entry, head)
    rows = rows_of(log, entry.delimiter)
    header = next(rows, None)
    if header is None:
        raise Error(EMPTY)
    if isinstance(header, Reject):
        return replace(header, place=Place(1, 0, 0), reason=f"the header: {header.reason}")
    groups = [
        Told(shared | settings | told, alike, _columns(entry, header.cells, group))
        for group, told in _groups(entry, header.cells)
    ]
    return Begun(rows, groups, Only(entry, header.cells), len(header.cells))


def _read(log: Log, entry: Entry) -> Iterator[Batch | Declared | Passed | Reject]:
    try:
        begun = _begun(log, entry)
    except Error as error:
        yield Reject(Place(1, 0, 0), str(error))
        return
    if isinstance(begun, Reject):
        yield begun
        return
    seen, only = False, begun.only
    for part in _batches(begun.rows, only):
        seen = True
        if isinstance(part, Reject):
            yield part
            continue
        for group in begun.groups:
            yield from _group(part, group, begun.width, entry)
    if not seen:
        yield Reject(Place(1, 0, 0), only.none() if only.passed else NO_ROWS)
    if only.passed:
        yield Passed(only.passed)


class Only:
    """Which rows are read, as `only` says; the others are counted."""

    def __init__(self, entry: Entry, header: list[str]) -> None:
        """Raises Error if the header lacks a column."""
        values = mapping.only_values(entry.only)
        self._cells = {_position(name, header): given for name, given in values.items()}
        self._header, self._others = header, Counter[str]()
        self.passed = 0

    def keeps(self, row: Row) -> bool:
        """Whether a row is read; a damaged one is not passed over."""
        for at, given in self._cells.items():
            if len(row.cells) == len(self._header) and not _is_one(row.cells[at], given):
                self.passed += 1
                self._others[f"{self._header[at]}: {excerpted(row.cells[at])}"] += 1
                return False
        return True

    def none(self) -> str:
        """Why no row was read."""
        seen = ", ".join(f"{what} ({n} ×)" for what, n in self._others.most_common(6))
        return f"`only` leaves no record; there are {seen}"


def _is_one(cell: str, given: list[str]) -> bool:
    """Whether a cell is one of some values, as `spelling` writes them."""
    text = cell.strip()
    if text in given or text.lower() in given:
        return True
    try:
        return spelling(number_from_text(text)) in given
    except ValueError:
        return False


def _batches(rows: Iterator[Row | Reject], only: Only) -> Iterator[list[tuple[int, Row]] | Reject]:
    """Rows with their numbers, many at a time, and those that are none one by one."""
    batch: list[tuple[int, Row]] = []
    for number, row in enumerate(rows, 1):
        if isinstance(row, Reject):
            yield row
        elif only.keeps(row):
            batch.append((number, row))
        if len(batch) == ROWS:
            yield batch
            batch = []
    if batch:
        yield batch


def _group(
    rows: list[tuple[int, Row]], group: Told, width: int, entry: Entry
) -> Iterator[Batch | Reject]:
    """A row of the table for each of these; those whose cells are not of their types one by one."""
    batch: list[tuple[Row, list[Any]]] = []
    for number, row in rows:
        try:
            batch.append((row, _values(row, number, group.wanted, width, entry.decimal)))
        except Error as error:
            known = {f.column: cell for f, at in group.wanted for cell in row.cells[at : at + 1]}
            yield Reject(row.place, str(error), excerpt(row.data), told=group.shared | known)
    if batch:
        yield from _batch(batch, group, entry)


def _groups(entry: Entry, header: list[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each group of columns that the header has, and what it says of its rows."""
    column = entry.group()
    if not column:
        yield "", {}
        return
    place = grouped_place(entry.places())
    keys = ((name, pattern(place, column).fullmatch(name)) for name in header)
    found = [match[1] for name, match in keys if match and entry.is_group(name, match[1])]
    for group in aggregates.asked(entry.aggregates):
        _position(place.replace(f"{{{column}}}", group), header)
    if not found:
        raise Error(f"the header has no {place!r}; {choices('', header)}")
    for group in found:
        yield group, mapping.told_by_group(entry, group)


def _position(name: str, header: list[str]) -> int:
    """Where a column stands. Raises Error if it is not there, or twice."""
    if name not in header:
        raise Error(f"the header has no {name!r}; {_divided(header) or choices(name, header)}")
    if header.count(name) > 1:
        raise Error(f"the header has {name!r} twice")
    return header.index(name)


def _divided(header: list[str]) -> str:
    """What to write where a header seems to be divided by another sign; empty if it does not."""
    for sign in SIGNS:
        if len(header) == 1 and sign in header[0]:
            return f"it is one column, {header[0]!r:.60}; delimiter: {json.dumps(sign)}"
    return ""


def _columns(entry: Entry, header: list[str], group: str) -> list[tuple[mapping.Field, int]]:
    """The wanted fields and their positions in a row; those of a group with its name in theirs."""
    found = []
    for field in mapping.fields(entry):
        place = GROUP.sub(lambda _: group, field.place) if group else field.place
        if place == mapping.ROW:
            found.append((field, NUMBER))
        elif place in header or field.column not in entry.columns().defaults:
            found.append((field._replace(place=place), _position(place, header)))
    return found + _wide(entry, header)


def _wide(entry: Entry, header: list[str]) -> list[tuple[mapping.Field, int]]:
    """The columns that hold an epoch each, in the order of their numbers."""
    if entry.epochs is None:
        return []
    before, _, after = entry.epochs.columns.partition("{n}")
    pattern = re.compile(re.escape(before) + r"([0-9]{1,9})" + re.escape(after))
    found = [(int(m[1]), at) for at, name in enumerate(header) if (m := pattern.fullmatch(name))]
    if not found:
        raise Error(f"the header has no {entry.epochs.columns!r}; {choices('', header)}")
    if len({n for n, _ in found}) < len(found):
        raise Error(f"the header has two columns {entry.epochs.columns!r} of one number")
    kind = "text" if entry.epochs.fill == "answer" or entry.verdicts else "number"
    return [
        (mapping.Field(f"{EPOCH}{n}", header[at], kind, required=True), at)
        for n, at in sorted(found)
    ]


def _values(
    row: Row, number: int, wanted: list[tuple[mapping.Field, int]], width: int, decimal: str
) -> list[Any]:
    """The wanted cells of a row, typed; empty numbers are null."""
    if len(row.cells) != width:
        raise Error(f"{len(row.cells)} cells where the header has {width}")
    cells = [*row.cells, str(number)]
    return [_value(cells[at], field, decimal) for field, at in wanted]


def _value(cell: str, field: mapping.Field, decimal: str) -> Any:
    if field.type in ("str", "text"):
        return cell
    if field.type == "printed" and cell.strip().casefold() in aggregates.NOTHING:
        return None
    if not cell.strip():
        return None
    if decimal == ",":
        if "." in cell:  # of thousands, perhaps: 1.024
            raise Error(
                f"{field.place}: {cell!r} holds a point, where numbers have a decimal comma"
            )
        cell = cell.replace(",", ".")
    if field.type == "printed":
        return from_text(cell.strip().removesuffix("%"), "number", field.place)
    return from_text(cell, field.type, field.place)


def _batch(
    rows: list[tuple[Row, list[Any]]], group: Told, entry: Entry
) -> Iterator[Batch | Reject]:
    values = [list(column) for column in zip(*(found for _, found in rows), strict=True)]
    columns = {field.column: values[i] for i, (field, _) in enumerate(group.wanted)}
    if entry.epochs:
        wide = [name for name in columns if name.startswith(EPOCH)]
        cells = [list(row) for row in zip(*(columns.pop(name) for name in wide), strict=True)]
        filled = mapping.VERDICT if entry.verdicts else entry.epochs.fill
        columns[f"{mapping.LISTED}{filled}"] = cells
        columns[EPOCH] = [[int(name.removeprefix(EPOCH)) for name in wide]] * len(rows)
    places = [row.place for row, _ in rows]
    records = {row.place: row.data for row, _ in rows}
    alike = {name: [value] * len(rows) for name, value in group.alike.items()}
    batch = Batch(mapping.scaled(entry, columns) | alike, places, group.shared)
    yield from sift(batch, records.__getitem__)


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
