"""JSON documents of any layout: one run a file or many, mapped by config.yaml."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof.formats import jsonl_format
from heatproof.formats.api import Place, Reject, excerpt
from heatproof.formats.decoding import FAULTS
from heatproof.formats.detection import ONLY_ENDING, plain
from heatproof.formats.documents import LIMIT, document, document_fault
from heatproof.formats.mapping import Listed
from heatproof.formats.places import KEY
from heatproof.formats.reshape import Document
from heatproof.formats.scored import finished
from heatproof.logs.streams import Unreadable
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Iterator

    from heatproof.formats.api import Batch, Declared, Log, Passed


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
        return "" if self.each else told


def resembles(path: str, head: bytes) -> str:
    """Why a file can be read as a JSON document; empty if nothing tells that it can."""
    if not plain(path).endswith(".json") or jsonl_format.resembles(path, head):
        return ""
    sign = {b"{": "an object", b"[": "a list"}.get(head.lstrip()[:1])
    return f"it is {sign}" if sign else ONLY_ENDING


def read(log: Log, entry: Entry) -> Iterator[Batch | Declared | Passed | Reject]:
    """The samples of a document; all of it is refused when it is no JSON or has no records."""
    yield from finished(_parts(log, entry), entry)


def _parts(log: Log, entry: Entry) -> Iterator[Batch | Passed | Reject]:
    data = b""
    try:
        data = document(log, entry.max_document)
        rows = Document(entry, log)
        yield from rows.of_document(data)
    except Unreadable as error:
        yield Reject(Place(error.line, error.offset, 0), str(error), kind=error.kind, whole=True)
    except Error as error:
        yield Reject(Place(1, 0, 0), str(error), kind=error.kind, whole=True)
    except FAULTS as error:
        fault = document_fault(error, data)
        place = Place(1, 0, len(data))
        yield Reject(place, str(fault), excerpt(data), kind=fault.kind, whole=True)
    else:
        yield from rows.rest()
