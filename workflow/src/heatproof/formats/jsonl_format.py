"""JSON Lines of any layout, plain, .gz or .zst: one record a line, mapped by config.yaml.

Rows of a Parquet file (.parquet) are read as lines, too.
"""

from __future__ import annotations

from itertools import repeat
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from heatproof.formats import mapped, mapping
from heatproof.formats.api import START, Batch, Reject
from heatproof.formats.decoding import FAULTS, excerpt
from heatproof.formats.detection import resembles_lines
from heatproof.formats.harness import Record
from heatproof.formats.lines import read_lines
from heatproof.formats.mapping import Listed
from heatproof.formats.places import KEY, ROW, VALUE
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

resembles = resembles_lines


class Entry(Listed, kw_only=True):
    """Keys of a `jsonl` source."""

    @property
    def numbers(self) -> str:
        return KEY if self.each else ROW

    def headless(self) -> str:
        return "with each: $ the whole line is records" if self.each == "$" else ""

    def has_lines(self, path: str) -> bool:
        return not self.each


class Reader(mapped.Reader):
    """A line is a record, or with `each` a document of several."""

    def records(self) -> mapped.Parts | Iterator[Batch]:
        entry = self.entry
        first = {field.place.split(".")[0] for field in mapping.fields(entry)}
        alone = entry.each or entry.only or entry.aggregates or entry.sidecar
        if not (alone or self.groups or self.headed or first & {VALUE, ROW}):
            yield from self.chunks()
            return
        lines = self.raw_lines()
        if self.headed and not self.entry.each:
            if refusal := self.head_fault(next(lines)):
                yield refusal
                return
            self.has_head_line = True
        if not self.entry.each:
            yield from self.plain(lines)
            return
        for line in lines:
            if isinstance(line, Reject):
                yield line
                continue
            try:
                yield from self.of_document(line.data, line.place)
            except (Error, *FAULTS) as error:
                yield self.refused(line, mapped.reason_of(error, line.data), {})

    def chunks(self) -> mapped.Parts | Iterator[Batch]:
        """Lines decoded by the chunk: batches, or records where one of them is refused."""
        entry = self.entry
        is_sample = not (entry.epochs or entry.grade or entry.versus or entry.join)
        for lines in read_lines(self.log, mapped.part_of(entry).decoder):
            if isinstance(lines, Reject):
                yield lines
            elif batch := self.batch_of(lines) if is_sample else None:
                yield batch
            else:
                data = lines.data or repeat(b"")
                yield from self.plain(map(Record, lines.each_place(), lines.records, data))

    def read_columns(self, records: Sequence[Any]) -> dict[str, list[Any]]:
        """The same. Raises Error: a record failed."""
        return self.judged_columns(mapped.part_of(self.entry).columns(records))

    def raw_lines(self) -> Iterator[Record | Reject]:
        for line in self.lines(msgspec.Raw):
            if isinstance(line, Reject):
                yield line
            else:
                data = bytes(memoryview(line.value))
                number = line.place.line
                yield Record(line.place, None, data, str(number), number)

    def head_fault(self, first: Record | Reject) -> Reject | None:
        """Read the head from the first line; the refusal of the log if that is none."""
        if isinstance(first, Reject):
            if not first.place.record_bytes:
                return first
            why = f"the head, the first line: {first.reason}"
            return replace(
                first, place=first.place._replace(record_bytes=0), reason=why, whole=True
            )
        try:
            self.take_head(first.data, "the head of the log, its first line")
        except Error as error:
            return Reject.of_error(START, error, excerpt(first.data), whole=True)
        return None


read = Reader.read
