"""JSON Lines of any layout, plain, .gz or .zst: one record a line, mapped by config.yaml.

Rows of a Parquet file (.parquet) are read as lines, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from heatproof.logs.raw import PACKED
from heatproof.readers import mapping
from heatproof.readers.api import Batch, Place, Reject, excerpt, places_of
from heatproof.readers.detection import ONLY_ENDING, plain
from heatproof.readers.epochs import finished
from heatproof.readers.faults import FAULTS, reason
from heatproof.readers.items import layout
from heatproof.readers.lines import as_records, read_lines
from heatproof.readers.mapping import KEY, ROW, Listed
from heatproof.readers.records import Misfits, columns_of, record_type
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Iterator

    from heatproof.config.entries import Ends
    from heatproof.readers.api import Log


class Entry(Listed, kw_only=True):
    """Keys of a `jsonl` source."""

    @property
    def numbers(self) -> str:
        return KEY if self.each else ROW

    def headless(self) -> str:
        if self.each == "$":
            return "with each: $ all of a line is records"
        why = "without `each`, the place of a list, a line is the record"
        return "" if self.each else why

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


def read(log: Log, entry: Entry) -> Iterator[Batch | Reject]:
    """The samples of a log; all of it is refused when its path does not fit the pattern."""
    try:
        shared = mapping.shared(entry, log.path)
    except Error as error:
        yield Reject(Place(1, 0, 0), str(error))
        return
    if entry.each:
        yield from finished(_lists(log, entry, shared), entry)
        return
    decoder, columns = _mapped(entry)
    explain = Misfits(mapping.fields(entry), shared)
    parts = read_lines(log, decoder, columns, shared, explain)
    yield from finished(_numbered(parts, entry), entry)


_LINE = msgspec.json.Decoder(msgspec.Raw)


def _lists(log: Log, entry: Entry, shared: dict[str, Any]) -> Iterator[Batch | Reject]:
    """The records of each line, which holds a list of them: a line is a document."""
    for part in read_lines(log, _LINE, as_records, shared):
        if isinstance(part, Reject):
            yield part
            continue
        for raw, place in zip(part.columns["record"], part.places, strict=True):
            yield from _list(bytes(memoryview(raw)), place, entry, shared)


def _list(
    data: bytes, line: Place, entry: Entry, shared: dict[str, Any]
) -> Iterator[Batch | Reject]:
    try:
        found = layout(entry).read(data, shared)
    except Error as error:
        yield Reject(line, str(error), excerpt(data))
    except FAULTS as error:
        yield Reject(line, reason(error, data), excerpt(data))
    else:
        for part in found:
            if isinstance(part, Reject):
                part.place = _within(line, part.place)
            else:
                part.places = [_within(line, place) for place in part.places]
            yield part


def _within(line: Place, place: Place) -> Place:
    """The place in a log of what lies at a place in one of its lines."""
    return Place(line.line, line.offset + place.offset, place.length)


def _numbered(parts: Iterator[Batch | Reject], entry: Entry) -> Iterator[Batch | Reject]:
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
