"""Records that are the items of a list or object in a document, which may have a head beside it.

A document is a file, or a line of one. All of it is held in memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from heatproof.readers.documents import members, places, require_whole, span
from heatproof.util.errors import Error, choices

if TYPE_CHECKING:
    from heatproof.readers.api import Place


class Found(NamedTuple):
    """A record that is yet to be decoded."""

    key: str
    """Its key in the object that holds the records, or its place in the list."""
    number: int
    data: memoryview
    place: Place


class Items(NamedTuple):
    """The records of a document."""

    found: list[Found]
    head: bytes
    """The document without them: `null` stands in their place."""


def items(data: bytes, each: str, begins: Place | None = None) -> Items:
    """The records that lie at the place `each`; without one, the document is the record.

    `begins`: where in a log the document does, if it is not all of it.

    Raises:
        Error: the place holds no array or object, or an empty one.
        Repeated: a key on the way to the records, or that of a record, stands twice.
        msgspec.DecodeError, RecursionError: it is no JSON.
    """
    raw = msgspec.Raw(data)
    if not each:
        msgspec.json.decode(data, type=msgspec.Raw)
        return Items(_found(data, [("", raw)], begins), b"null")
    for part in [] if each == "$" else each.split("."):
        level = members(raw, [part])
        if part not in level:
            raise Error(f"each: the document has no {part!r}; {choices(part, level)}")
        raw = level[part]
    held = msgspec.json.decode(raw, type=dict[str, msgspec.Raw] | list[msgspec.Raw])
    if isinstance(held, dict):
        require_whole(raw, held)
    if not held:
        raise Error(f"each: {each!r} holds no records")
    pairs = held.items() if isinstance(held, dict) else enumerate(held)
    start, stop = span(data, raw)
    head = b"null" if each == "$" else data[:start] + b"null" + data[stop:]
    return Items(_found(data, [(str(key), item) for key, item in pairs], begins), head)


def _found(data: bytes, pairs: list[tuple[str, msgspec.Raw]], begins: Place | None) -> list[Found]:
    where = places(data, [raw for _, raw in pairs], begins)
    return [
        Found(key, number, memoryview(raw), place)
        for number, ((key, raw), place) in enumerate(zip(pairs, where, strict=True))
    ]
