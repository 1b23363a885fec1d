"""JSON documents of any layout: one run a file or many, mapped by config.yaml."""

from __future__ import annotations

import msgspec

from heatproof.formats import mapped
from heatproof.formats.api import Place
from heatproof.formats.decoding import LIMIT
from heatproof.formats.detection import document_sign, plain, resembles_lines
from heatproof.formats.harness import Record
from heatproof.formats.mapping import Listed
from heatproof.formats.places import KEY


class Entry(Listed, kw_only=True):
    """Keys of a `json` source."""

    max_document: int = LIMIT
    """Bytes of a document at most; a larger one is refused."""

    @property
    def numbers(self) -> str:
        return KEY

    def headless(self) -> str:
        if self.each == "$" and not self.aggregates:
            return "with each: $ the whole document is records"
        return (
            "" if self.each else "without `each` (the place of a list) the document is one record"
        )


def resembles(path: str, head: bytes) -> str:
    """Why a file can be read as a JSON document; empty if nothing tells that it can."""
    if not plain(path).endswith(".json") or resembles_lines(path, head):
        return ""
    return document_sign(head)


class Reader(mapped.Reader):
    """The log is a document: a record, or with `each` several."""

    def records(self) -> mapped.Parts:
        data = self.document()
        if self.entry.each:
            yield from self.of_document(data)
            return
        msgspec.json.decode(data, type=msgspec.Raw)  # raises FAULTS
        self.document_alone = True
        yield from self.plain([Record(Place(1, 0, len(data)), None, data)])


read = Reader.read
