"""JSON Lines of any layout, plain, .gz or .zst: one record a line, mapped by config.yaml.

Rows of a Parquet file (.parquet) are read as lines, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from heatproof.formats.api import Batch, Declared, Passed, Place, Reject, excerpt, select
from heatproof.formats.decoding import FAULTS, fault
from heatproof.formats.detection import ONLY_ENDING, plain
from heatproof.formats.lines import as_records, read_lines
from heatproof.formats.mapping import Listed
from heatproof.formats.places import KEY, ROW
from heatproof.formats.records import Misfits, part_of
from heatproof.formats.reshape import Document, Record
from heatproof.formats.scored import finished
from heatproof.logs.streams import Unreadable
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Iterator

    from heatproof.formats.api import Log


class Entry(Listed, kw_only=True):
    """Keys of a `jsonl` source."""

    @property
    def numbers(self) -> str:
        return KEY if self.each else ROW

    def headless(self) -> str:
        return "with each: $ all of a line is records" if self.each == "$" else ""

    def has_lines(self, path: str) -> bool:
        return not self.each


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
    yield from finished(_parts(log, entry), entry)


def _parts(log: Log, entry: Entry) -> Iterator[Batch | Passed | Reject]:
    try:
        rows = Document(entry, log)
        if rows.by_itself():
            yield from _by_record(log, rows)
        else:
            part = part_of(entry)
            misfits = Misfits(part.fields, rows.shared)
            yield from read_lines(log, part.plain, part.columns, rows.shared, misfits)
    except (Unreadable, Error) as error:
        place = Place(error.line, error.offset, 0) if isinstance(error, Unreadable) else START
        yield Reject(place, str(error), kind=error.kind, whole=True)


START = Place(1, 0, 0)
_LINE = msgspec.json.Decoder(msgspec.Raw)


def _by_record(log: Log, rows: Document) -> Iterator[Batch | Passed | Reject]:
    """The rows of a log whose records are looked at one by one."""
    each = rows.entry.each
    parts = read_lines(log, _LINE, as_records, {})
    if rows.headed and not each:
        parts = _below_head(parts, rows)
    for part in parts:
        if isinstance(part, Reject):
            yield part
            continue
        lines = [
            Record(str(place.line), place.line, bytes(memoryview(raw)), place)
            for raw, place in zip(part.columns["record"], part.places, strict=True)
        ]
        for line in lines if each else ():
            try:
                yield from rows.of_document(line.data, line.place)
            except (Error, *FAULTS) as error:
                broken = error if isinstance(error, Error) else fault(error, line.data)
                yield line.refused(broken, {}, broken.kind)
        yield from () if each else rows.of_records(lines)
    yield from rows.rest()


def _below_head(parts: Iterator[Batch | Reject], rows: Document) -> Iterator[Batch | Reject]:
    """What stands below the first line, the head; the refusal of the log if that is none."""
    refusals: list[Reject] = []  # come before the good lines of their chunk
    batch = None
    for part in parts:
        if isinstance(part, Batch):
            batch = part
            break
        refusals.append(part)
    if batch is None or (refusals and refusals[0].place < batch.places[0]):
        first = refusals[0]
        if first.place.length:
            why = f"the head, the first line: {first.reason}"
            first = replace(first, place=first.place._replace(length=0), reason=why, whole=True)
        yield first
        return
    head = bytes(batch.columns["record"][0])
    try:
        rows.begin(head)
    except Error as error:
        yield Reject(START, str(error), excerpt(head), kind=error.kind, whole=True)
        return
    rows.passed += 1
    yield from refusals
    yield select(batch, range(1, len(batch.places)))
    yield from parts
