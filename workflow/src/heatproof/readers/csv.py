"""CSV with a header line: one record a row, mapped by config.yaml; rows may span lines."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Literal

import msgspec
from msgspec.structs import replace

from heatproof.logs.raw import PACKED
from heatproof.logs.refusals import EMPTY, NO_ROWS
from heatproof.readers import _fields
from heatproof.readers._batch import Batch, Place, Reject, excerpt
from heatproof.readers._epochs import EPOCH, finished
from heatproof.readers._mapped import Mapped
from heatproof.readers._rows import Row, rows_of
from heatproof.readers._scores import sift
from heatproof.readers._typed import from_text
from heatproof.util.errors import Error, choices

if TYPE_CHECKING:
    from collections.abc import Iterator

    from heatproof.config.entries import Ends
    from heatproof.readers._log import Log

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


def read(log: Log, entry: Entry) -> Iterator[Batch | Reject]:
    """The samples of a file; all of it is refused when its header lacks a mapped column."""
    yield from finished(_read(log, entry), entry)


def _read(log: Log, entry: Entry) -> Iterator[Batch | Reject]:
    try:
        shared = _fields.shared(entry, log.path)
        rows = rows_of(log, entry.delimiter)
        header = next(rows, None)
        if header is None:
            raise Error(EMPTY)
        if isinstance(header, Reject):
            yield replace(header, place=Place(1, 0, 0), reason=f"the header: {header.reason}")
            return
        wanted = _columns(entry, header.cells)
    except Error as error:
        yield Reject(Place(1, 0, 0), str(error))
        return
    seen = False
    for part in _batches(rows, wanted, len(header.cells), entry):
        seen = True
        yield from (part,) if isinstance(part, Reject) else _batch(part, wanted, entry, shared)
    if not seen:
        yield Reject(Place(1, 0, 0), NO_ROWS)


def _batches(
    rows: Iterator[Row | Reject],
    wanted: list[tuple[_fields.Field, int]],
    width: int,
    entry: Entry,
) -> Iterator[list[tuple[Row, list[Any]]] | Reject]:
    """Rows with their typed cells, many at a time, and those that have none one by one."""
    batch: list[tuple[Row, list[Any]]] = []
    for number, row in enumerate(rows, 1):
        if isinstance(row, Reject):
            yield row
            continue
        try:
            batch.append((row, _values(row, number, wanted, width, entry.decimal)))
        except Error as error:
            known = {f.column: cell for f, at in wanted for cell in row.cells[at : at + 1]}
            yield Reject(row.place, str(error), excerpt(row.data), told=known)
        if len(batch) == ROWS:
            yield batch
            batch = []
    if batch:
        yield batch


def _columns(entry: Entry, header: list[str]) -> list[tuple[_fields.Field, int]]:
    """The wanted fields and their positions in a row."""
    found = []
    for field in _fields.fields(entry):
        if field.place == _fields.ROW:
            found.append((field, NUMBER))
            continue
        if field.place not in header and field.column in entry.columns().defaults:
            continue
        if field.place not in header:
            raise Error(f"the header has no {field.place!r}; {choices(field.place, header)}")
        if header.count(field.place) > 1:
            raise Error(f"the header has {field.place!r} twice")
        found.append((field, header.index(field.place)))
    return found + _wide(entry, header)


def _wide(entry: Entry, header: list[str]) -> list[tuple[_fields.Field, int]]:
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
        (_fields.Field(f"{EPOCH}{n}", header[at], kind, required=True), at)
        for n, at in sorted(found)
    ]


def _values(
    row: Row, number: int, wanted: list[tuple[_fields.Field, int]], width: int, decimal: str
) -> list[Any]:
    """The wanted cells of a row, typed; empty numbers are null."""
    if len(row.cells) != width:
        raise Error(f"{len(row.cells)} cells where the header has {width}")
    cells = [*row.cells, str(number)]
    return [_value(cells[at], field, decimal) for field, at in wanted]


def _value(cell: str, field: _fields.Field, decimal: str) -> Any:
    if field.type in ("str", "text"):
        return cell
    if not cell.strip():
        return None
    if decimal == ",":
        if "." in cell:  # of thousands, perhaps: 1.024
            raise Error(
                f"{field.place}: {cell!r} holds a point, where numbers have a decimal comma"
            )
        cell = cell.replace(",", ".")
    return from_text(cell, field.type, field.place)


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
        filled = _fields.VERDICT if entry.verdicts else entry.epochs.fill
        columns[f"{_fields.LISTED}{filled}"] = cells
        columns[EPOCH] = [[int(name.removeprefix(EPOCH)) for name in wide]] * len(rows)
    places = [row.place for row, _ in rows]
    records = {row.place: row.data for row, _ in rows}
    yield from sift(Batch(_fields.scaled(entry, columns), places, shared), records.__getitem__)
