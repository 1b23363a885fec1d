"""JSON documents of any layout: one run a file or many, mapped by config.yaml."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from heatproof.logs.streams import Unreadable
from heatproof.readers import jsonl_format
from heatproof.readers.api import Place, Reject, excerpt
from heatproof.readers.detection import ONLY_ENDING, plain
from heatproof.readers.documents import LIMIT, document, document_fault
from heatproof.readers.epochs import finished
from heatproof.readers.faults import FAULTS
from heatproof.readers.items import items
from heatproof.readers.layout import layout
from heatproof.readers.mapping import KEY, Listed
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Iterator

    from heatproof.readers.api import Batch, Declared, Log, Passed


class Entry(Listed, kw_only=True):
    """Keys of a `json` source."""

    max_document: int = LIMIT
    """Bytes of a document at most: larger ones are refused."""

    @property
    def numbers(self) -> str:
        return KEY

    def headless(self) -> str:
        if self.each == "$" and not self.aggregates:
            return "with each: $ all of the document is records"
        told = "without `each`, the place of a list, the document is the record"
        return "" if self.each or self.ids else told


def resembles(path: str, head: bytes) -> str:
    """Why a file can be read as a JSON document; empty if nothing tells that it can."""
    if not plain(path).endswith(".json") or jsonl_format.resembles(path, head):
        return ""
    sign = {b"{": "an object", b"[": "a list"}.get(head.lstrip()[:1])
    return f"it is {sign}" if sign else ONLY_ENDING


def read(log: Log, entry: Entry) -> Iterator[Batch | Declared | Passed | Reject]:
    """The samples of a document; all of it is refused when it is no JSON or has no records."""
    try:
        data = document(log, entry.max_document)
        how = layout(entry)
        rows = how.of_log(log)
        if entry.ids:
            yield from rows.reported(data)
            return
        if entry.several():
            yield from finished(chain(rows.runs(data), rows.rest()), entry)
            return
        found = items(data, entry.each)
        itself = entry.aggregates and entry.each == "$"  # some of its items are no records
        head = data if itself else found.head
        told = None if entry.sidecar else how.told(head, "the head of the document")
    except Unreadable as error:
        yield Reject(Place(error.line, error.offset, 0), str(error))
    except Error as error:
        yield Reject(Place(1, 0, 0), str(error))
    except FAULTS as error:
        yield Reject(Place(1, 0, len(data)), document_fault(error, data), excerpt(data))
    else:
        parts = rows.rows(found.found, told, head, document=not entry.each)
        yield from finished(chain(parts, rows.rest()), entry)
