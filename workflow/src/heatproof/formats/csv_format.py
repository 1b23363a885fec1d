"""CSV with a header line: one record a row, mapped by config.yaml; rows may span lines.

A cell may hold an object, as JSON or as Python prints it: `config.model` is `model` in the cell of
the column `config`.
"""

from __future__ import annotations

import ast
import csv
import json
import warnings
from contextlib import suppress
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from msgspec.structs import replace

from heatproof.formats import mapped, mapping
from heatproof.formats.api import START, Batch, Place, Reject
from heatproof.formats.decoding import excerpt, fault, require_unique
from heatproof.formats.detection import ONLY_ENDING, plain
from heatproof.formats.harness import Record
from heatproof.formats.lines import Lines, texts
from heatproof.formats.mapping import Mapped
from heatproof.formats.params import excerpted, from_text, number_from_text
from heatproof.formats.places import GROUP, value_in
from heatproof.logs.streams import NO_ROWS, Text
from heatproof.util.errors import Error, Mistake, choices
from heatproof.util.lazy import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from heatproof.formats.api import Declared, Log, Passed
    from heatproof.formats.mapping import Typed
    from heatproof.formats.places import Field


class Entry(Mapped, kw_only=True):
    """Keys of a `csv` source."""

    delimiter: str = ","
    """The sign between the cells of a row."""
    decimal: Literal[".", ","] = "."
    """The decimal sign."""

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
WORDS = ("true", "false")  # scores; in a measure they are a slip
DELIMITERS = ",;\t|"  # the likeliest first


def resembles(path: str, head: bytes) -> str:
    """Why a file can be read as CSV; empty if nothing tells that it can."""
    if not plain(path).endswith(ENDINGS):
        return ""
    first = head.split(b"\n", 1)[0].decode(errors="replace")
    columns = max(first.count(sign) for sign in DELIMITERS) + 1
    if columns > 1:
        return f"its header names {columns} columns"
    return ONLY_ENDING


class Spot(NamedTuple):
    """Where a value stands in each row."""

    place: str
    column: int
    inside: str = ""  # its place in the object that the cell holds

    def text(self, row: list[str]) -> str:
        """The value as a cell has it. Raises Error: the cell holds no object."""
        cell = row[self.column]
        if not self.inside:
            return cell
        holder = object_in_cell(cell)
        if holder is None:
            why = f"{self.place}: {excerpted(cell)} is no object, or has a key twice"
            raise Error(why, "type", self.place)
        return cell_text(value_in(holder, self.inside))


class _Literals(ast.NodeTransformer):
    """Reads `nan` and `inf`, as Python prints numbers; refuses keys that are no texts or repeat."""

    def visit_Name(self, node: ast.Name) -> ast.expr:
        is_number = node.id in ("nan", "inf")
        if is_number:
            return ast.copy_location(ast.Constant(float(node.id)), node)
        return node

    def visit_Dict(self, node: ast.Dict) -> ast.AST:
        keys = [key.value for key in node.keys if isinstance(key, ast.Constant)]
        texts = {key for key in keys if isinstance(key, str)}
        if len(texts) < len(node.keys):
            raise ValueError
        return self.generic_visit(node)


def _from_python(text: str) -> Any:
    with warnings.catch_warnings(action="ignore"):  # of backslashes in texts
        value = ast.literal_eval(_Literals().visit(ast.parse(text, mode="eval")))
    return json.loads(json.dumps(value))  # as JSON has it, without sets and the like


def _from_json(text: str) -> Any:
    require_unique(text.encode())
    return json.loads(text)


@lru_cache(maxsize=64)
def object_in_cell(cell: str) -> dict[str, Any] | None:
    """The object that a cell holds; an empty one of an empty cell. None: it holds none.

    Nor does a cell hold one in which a key stands twice.
    """
    text = cell.strip()
    if not text:
        return {}
    for read_object in (_from_json, _from_python):
        with suppress(TypeError, ValueError, SyntaxError, RecursionError, MemoryError):
            value = read_object(text)
            if isinstance(value, dict):
                return value
    return None


def cell_text(value: Any) -> str:
    """A value of an object as a cell has it; empty for none."""
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else str(value)


class Reader(mapped.Reader):
    """A record is a row below the header."""

    sheet = ""  # of an Excel file

    def begin(self) -> None:
        """Find the columns in the header. Its error refuses each row."""
        self.chunks, self.has_plain_header = _header_apart(texts(self.log, self.sheet))
        self.rows = rows_of(self.log, self.chunks, self.entry.delimiter, self.sheet)
        header = next(self.rows, None)
        self.unusable: Reject | None = None
        try:
            if isinstance(header, Reject):
                why = f"the header: {header.reason}"
                reason = why
                if header.kind == "empty":
                    reason = header.reason
                self.unusable = replace(header, place=START, reason=reason, whole=True)
            elif header:
                self.header: list[str] = header.value
                super().begin()
                self.groups = None
                self.columns = {group: self.columns_of(group) for group in self.all_groups()}
                self.only_at = {self.position(name): v for name, v in self.only.items()}
        except Error as error:
            self.unusable = Reject.of_log(error)

    def records(self) -> mapped.Parts | Iterator[Batch]:
        has_batches = False
        if not self.unusable and self.has_plain_header and self.is_plain():
            for batch in self.at_once():
                has_batches = True
                yield batch
        first = next(self.rows, None)
        if first is None and has_batches:
            return
        if self.unusable or first is None:
            refusal = self.unusable or Reject.of_log(Error(NO_ROWS, "empty"))
            for row in chain([first or refusal], self.rows):
                yield replace(refusal, place=row.place._replace(record_bytes=0))
            return
        yield from self.plain(chain([first], self.rows))

    def is_plain(self) -> bool:
        """Whether a row is a sample, and its columns are those of the header."""
        entry: Entry = self.entry
        options = entry.group, entry.only, entry.aggregates, entry.versus, self.head, self.sheet
        return not any((*options, self.numbered, self.lists, self.judge, self.partners))

    def at_once(self) -> Iterator[Batch]:
        """Batches of rows that are read by the column, up to the first that cannot be."""
        for chunk in self.chunks:
            if isinstance(chunk, Text):
                rows = rows_at_once(chunk, self.entry.delimiter)
            else:
                rows = None
            batch = self.batch_of(rows) if rows else None
            if batch is None:
                rest = chain([chunk], self.chunks)
                self.rows = rows_of(self.log, rest, self.entry.delimiter)
                return
            self.count += len(batch.places)
            yield batch

    def read_columns(self, rows: Sequence[list[str]]) -> dict[str, list[Any]]:
        """Column → values of rows. Raises Error: one is refused."""
        if set(map(len, rows)) != {len(self.header)}:
            raise Error("rows of other lengths than the header")
        columns = {}
        for field, spot in self.columns[""]:
            cells = list(map(spot.text, rows))
            values = {cell: self.value_of(cell, field) for cell in set(cells)}
            columns[field.column] = [values[cell] for cell in cells]
        return self.judged_columns(columns)

    def value_of(self, cell: str, field: Field) -> Any:
        """The value of a cell. Raises Error: it is of another type."""
        value = _value(cell, field, self.entry.decimal)
        if field.convert:
            return field.convert(value)
        return value

    def ended(self) -> Iterable[Declared | Reject | Passed]:
        if self.unusable:
            return ()
        return super().ended()

    def groups_of(self, record: Record) -> list[str]:
        if not self.entry.groups:
            return list(self.columns)
        cells = ((group, spot.text(record.value)) for group, spot in self.scores_at.items())
        return [group for group, cell in cells if cell.strip().casefold() not in mapping.NOTHING]

    def all_groups(self) -> list[str]:
        entry: Entry = self.entry
        column = entry.group
        place = entry.grouped_place
        if not column:
            return [""]
        hole = f"{{{column}}}"
        for group in () if entry.groups else entry.groups_listed():
            self.position(place.replace(hole, group))
        groups = [group for name in self.header if (group := entry.group_of(name, place))]
        if entry.groups and place.partition(".")[0] in self.header:
            groups = entry.groups
        if not groups:
            of_groups = ""
            if entry.groups:
                of_groups = f" of {', '.join(entry.groups)}"
            why = f"the header has no {place!r}{of_groups}; {choices('', self.header)}"
            raise Error(why, "missing", place)
        for group in groups:
            mapping.columns_of_keys(entry, {column: group})
        self.scores_at = {group: self.position(place.replace(hole, group)) for group in groups}
        return groups

    def position(self, name: str) -> Spot:
        """Where a column stands. Raises Error: it is not there, or twice."""
        if self.header.count(name) > 1:
            raise Error(f"the header has {name!r} twice", "repeat")
        if name in self.header:
            return Spot(name, self.header.index(name))
        column, _, inner = name.partition(".")
        if inner and column in self.header:
            return self.position(column)._replace(place=name, inside=inner)
        hint = choices(name, self.header)
        if self.header[0].lstrip()[:1] == "{":
            hint = "it is a line of JSON: write format: jsonl"
        sign = next((s for s in DELIMITERS if len(self.header) == 1 and s in self.header[0]), "")
        if sign:
            hint = f"it is one column, {self.header[0]!r:.60}; write delimiter: {json.dumps(sign)}"
        raise Error(f"the header has no {name!r}; {hint}", "missing", name)

    def columns_of(self, group: str) -> list[tuple[Field, Spot]]:
        columns = []
        defaults = self.entry.columns().defaults
        for field in mapping.fields(self.entry):
            if group:
                place = GROUP.sub(lambda _: group, field.place)
            else:
                place = field.place
            column = place.partition(".")[0]
            lacks = not {place, column} & set(self.header) and field.column in defaults
            if field.column not in self.numbered and not lacks:
                columns.append((field._replace(place=place), self.position(place)))
        return columns

    def other(self, record: Record) -> str:
        row = record.value
        if len(row) != len(self.header):
            self.count += 1
            raise Error(f"{len(row)} cells where the header has {len(self.header)}", "type")
        for spot, values in self.only_at.items():
            text = spot.text(row)
            if values.isdisjoint(_typed(text)):
                return f"{spot.place}: {excerpted(text)}"
        return ""

    def cells(self, record: Record, group: str) -> dict[str, Any]:
        cells = {}
        for field, spot in self.columns[group]:
            cells[field.column] = self.value_of(spot.text(record.value), field)
        return cells

    def explain(
        self, why: Error, record: Record, group: str, cells: dict[str, Any]
    ) -> tuple[Error, dict[str, Any]]:
        cells = dict(cells)
        for field, spot in self.columns.get(group) or next(iter(self.columns.values())):
            try:
                cells[field.column] = _value(spot.text(record.value), field, self.entry.decimal)
            except Error:
                cells[field.column] = record.value[spot.column]
        return why, cells


read = Reader.read


def _typed(cell: str) -> Iterator[Typed]:
    """A cell as a text, and as true, false or a number if it reads as one."""
    yield False, cell
    text = cell.strip().lower()
    if text in WORDS:
        yield True, text == "true"
    with suppress(ValueError):
        number = number_from_text(text)
        yield False, int(text) if text.lstrip("+-").isdigit() else number


def _value(cell: str, field: Field, decimal: str) -> Any:
    """A cell as its field has it; empty numbers are null. Raises Error: it is of another type."""
    if field.type in ("str", "text", "any"):
        return cell
    printed = field.type == "printed"
    if not cell.strip() or (printed and cell.strip().casefold() in mapping.NOTHING):
        return None
    if decimal == "," and "." in cell:  # of thousands, perhaps: 1.024
        message = f'{field.place}: {cell!r} has a point, but config.yaml says decimal: ","'
        raise Error(message, "type", field.place)
    number = cell
    if decimal == ",":
        number = cell.replace(",", ".")
    if field.type in ("printed", "number"):
        number = number.strip().removesuffix("%")
    if printed:
        return from_text(number, "number", field.place)
    if field.column != "score" and field.type == "number" and cell.strip().lower() in WORDS:
        raise Error(f"{field.place}: {cell!r} is not number", "type", field.place)
    return from_text(number, field.type, field.place)


class Torn(Exception):
    """The rest of a log cannot be read, by its refusal."""


def rows_at_once(text: Text, delimiter: str) -> Lines | None:
    """The rows of some lines; None where one is empty or broken, or ends elsewhere."""
    if text.data.count(b"\r") != text.data.count(b"\r\n"):
        return None
    rows = []
    ends = [0]
    lines = text.data.splitlines(keepends=True)
    try:
        reader = csv.reader(map(bytes.decode, lines), delimiter=delimiter, strict=True)
        for row in reader:
            rows.append(row)
            ends.append(reader.line_num)
    except (csv.Error, UnicodeDecodeError):
        return None
    if not all(rows):
        return None
    offsets = np.cumsum([0] + list(map(len, lines)))
    unended = np.cumsum([0] + [len(line.rstrip(b"\r\n")) for line in lines])
    starts = np.array(ends[:-1])
    stops = np.array(ends[1:])
    breaks = np.diff(offsets - unended)[stops - 1]
    lengths = offsets[stops] - offsets[starts] - breaks
    places = np.stack([text.line + starts, text.offset + offsets[starts], lengths], axis=1)
    return Lines(places, rows, [])


def _header_apart(chunks: Iterator[Text | Reject]) -> tuple[Iterator[Text | Reject], bool]:
    """The same lines; and whether the first, which is a row then, comes by itself."""
    first = next(chunks)
    if not isinstance(first, Text):
        return chain([first], chunks), False
    line, end, rest = first.data.partition(b"\n")
    is_row = end and line.strip() and b'"' not in line and b"\r" not in line.removesuffix(b"\r")
    if not is_row:
        return chain([first], chunks), False
    pieces: list[Text | Reject] = [Text(line + end, first.offset, first.line)]
    if rest:
        pieces.append(Text(rest, first.offset + len(line) + 1, first.line + 1))
    return chain(pieces, chunks), True


def rows_of(
    log: Log, chunks: Iterable[Text | Reject], delimiter: str, sheet: str = ""
) -> Iterator[Record | Reject]:
    """Rows with their places; rows with broken bytes or without an end are refused."""
    lines: list[tuple[Place, bytes]] = []  # of a row
    reader = csv.reader(_texts(chunks, lines), delimiter=delimiter, strict=True)
    number = 0
    while True:
        lines.clear()
        cells = []
        why = None
        try:
            cells = next(reader)
            b"".join(data for _, data in lines).decode()
        except StopIteration:
            return
        except Torn as torn:
            yield torn.args[0]
            return
        except UnicodeDecodeError as error:
            why = fault(error, error.object)
        except csv.Error as error:
            growing = log.file.grown and "unexpected end" in str(error)
            why = Error(f"not CSV: {error}", "unended" if growing else "syntax")
        data = b"".join(data for _, data in lines)
        row = data.rstrip(b"\r\n")
        place = lines[0][0]._replace(record_bytes=len(row))
        if why:
            yield Reject.of_error(place, why, excerpt(data))
        elif cells:
            yield Record(place, cells, row, str(number), number, member=sheet)
        number += bool(cells or why)


def _texts(chunks: Iterable[Text | Reject], lines: list[tuple[Place, bytes]]) -> Iterator[str]:
    """The lines of a log as text; appends the place and the bytes of each to `lines`.

    Raises Torn: the rest cannot be read; a line that is too long may be a part of a record.
    """
    number = 0
    for chunk in chunks:
        if isinstance(chunk, Reject):
            raise Torn(chunk)
        number = number or chunk.line
        offset = chunk.offset
        for data in chunk.data.splitlines(keepends=True):
            lines.append((Place(number, offset, len(data)), data))
            yield data.decode(errors="replace")
            number += 1
            offset += len(data)
