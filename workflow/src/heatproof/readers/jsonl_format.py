"""JSON Lines of any layout, plain, .gz or .zst: one record a line, mapped by config.yaml.

Rows of a Parquet file (.parquet) are read as lines, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from heatproof.logs.raw import PACKED
from heatproof.logs.streams import Unreadable
from heatproof.readers import mapping
from heatproof.readers.api import Batch, Declared, Passed, Place, Reject, excerpt, places_of
from heatproof.readers.detection import ONLY_ENDING, plain
from heatproof.readers.epochs import finished
from heatproof.readers.faults import FAULTS, reason
from heatproof.readers.items import Found, items
from heatproof.readers.layout import by_itself, layout
from heatproof.readers.lines import as_records, read_lines
from heatproof.readers.mapping import KEY, ROW, Listed
from heatproof.readers.records import Misfits, columns_of, record_type
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Iterator

    from heatproof.config.entries import Ends
    from heatproof.readers.api import Declared, Log
    from heatproof.readers.layout import Rows


class Entry(Listed, kw_only=True):
    """Keys of a `jsonl` source."""

    @property
    def numbers(self) -> str:
        return KEY if self.each else ROW

    def headless(self) -> str:
        return "with each: $ all of a line is records" if self.each == "$" else ""

    def ends(self, path: str) -> Ends:
        return "" if path.endswith(PACKED) else "line"


ENDINGS = (".jsonl", ".ndjson", ".parquet")


def resembles(path: str, head: bytes) -> str:
    """Why a file can be read as JSON lines; empty if nothing tells that it can.

    A file that is called otherwise may be so, too, if its first two lines are objects.
    """
    lines = [line.strip() for line in head.split(b"\n", 2)]
    objects = [line[:1] == b"{" and line[-1:] == b"}" for line in lines[:2]]
    if plain(path).endswith(ENDINGS):
        return "its lines are objects" if objects[0] else ONLY_ENDING
    return "its lines are objects, whatever its name" if len(lines) > 1 and all(objects) else ""


def read(log: Log, entry: Entry) -> Iterator[Batch | Declared | Passed | Reject]:
    """The samples of a log; all of it is refused when its path does not fit the pattern."""
    try:
        if by_itself(entry):
            parts = _by_record(log, entry, layout(entry).of_log(log))
        else:
            shared = mapping.shared(entry, log.path)
            decoder, columns = _mapped(entry)
            explain = Misfits(mapping.fields(entry), shared)
            parts = read_lines(log, decoder, columns, shared, explain)
    except Unreadable as error:
        yield Reject(Place(error.line, error.offset, 0), str(error))
    except Error as error:
        yield Reject(Place(1, 0, 0), str(error))
    else:
        yield from finished(_numbered(parts, entry), entry)


_LINE = msgspec.json.Decoder(msgspec.Raw)


def _by_record(log: Log, entry: Entry, rows: Rows) -> Iterator[Batch | Declared | Passed | Reject]:
    """The rows of a log whose records are looked at one by one."""
    waits = layout(entry).head is not None and not (entry.each or entry.ids or entry.sidecar)
    for part in read_lines(log, _LINE, as_records, {}):
        if isinstance(part, Reject):
            if waits:
                yield replace(part, reason=f"the head, the first line: {part.reason}")
                return
            yield part
            continue
        lines = [
            Found("", 0, memoryview(raw), place)
            for raw, place in zip(part.columns["record"], part.places, strict=True)
        ]
        if waits:
            first, *lines = lines
            try:
                rows.begin(bytes(first.data))
            except Error as error:
                yield Reject(Place(1, 0, 0), str(error), excerpt(bytes(first.data)))
                return
            waits = False
        if entry.each or entry.ids:
            for line in lines:
                yield from _list(bytes(line.data), line.place, entry, rows)
        else:
            yield from rows.rows(lines)
    yield from rows.rest()


def _list(
    data: bytes, line: Place, entry: Entry, rows: Rows
) -> Iterator[Batch | Declared | Reject]:
    """The records of a line, which is a document."""
    try:
        if entry.ids:
            yield from rows.reported(data, line)
            return
        if entry.several():
            yield from rows.runs(data, line)
            return
        found = items(data, entry.each, line)
        told = None if entry.sidecar else layout(entry).told(found.head, "the head of the document")
    except Error as error:
        yield Reject(line, str(error), excerpt(data))
    except FAULTS as error:
        yield Reject(line, reason(error, data), excerpt(data))
    else:
        yield from rows.rows(found.found, told, found.head)


def _numbered(
    parts: Iterator[Batch | Declared | Passed | Reject], entry: Entry
) -> Iterator[Batch | Declared | Passed | Reject]:
    """The batches with the numbers of their lines in the columns that ask for them."""
    kinds = {c: mapping.kind(entry, c) for c, place in entry.fields.items() if place == ROW}
    for part in parts:
        if kinds and isinstance(part, Batch):
            lines = places_of(part.places, "line").tolist()
            found = {c: list(map(str, lines)) if k == "str" else lines for c, k in kinds.items()}
            part.columns = {**part.columns, **found}
        elif kinds and isinstance(part, Reject) and part.of:
            line = part.place.line
            part.of = {
                **part.of,
                **{c: str(line) if k == "str" else line for c, k in kinds.items()},
            }
        yield part


_LAST: list[tuple[Entry, tuple[Any, Any]]] = []


def _mapped(entry: Entry) -> tuple[msgspec.json.Decoder[Any], Any]:
    """Decoder and columns of a source: the same for all its logs."""
    if not _LAST or _LAST[0][0] is not entry:
        wanted = [field for field in mapping.fields(entry) if field.place != ROW]
        kind, getters = record_type(wanted)
        columns = columns_of(entry, wanted, getters)
        _LAST[:] = [(entry, (msgspec.json.Decoder(kind), columns))]
    return _LAST[0][1]
