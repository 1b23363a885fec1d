"""Records that are the items of a list or object in a document, which may have a head beside it.

A document is a file, or a line of one. All of it is held in memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from heatproof.readers.documents import members, places, require_whole, span
from heatproof.readers.faults import FAULTS, reason
from heatproof.readers.group_places import GROUP
from heatproof.readers.head_places import EACH
from heatproof.util.errors import Error, choices

if TYPE_CHECKING:
    from collections.abc import Iterator

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
    told: dict[str, str] = {}
    """Column → the key on the way to them that fills it."""


class Lost(NamedTuple):
    """A document in a list that has no records where it should."""

    place: Place
    why: str
    data: bytes


class _Run(NamedTuple):
    """What `each` leads to, in one of several ways."""

    document: msgspec.Raw
    cut: msgspec.Raw
    """What is no part of the head."""
    records: msgspec.Raw
    told: dict[str, str]


def runs(
    data: bytes, each: str, begins: Place | None = None, *, heads: bool = True
) -> Iterator[Items | Lost]:
    """The records at a place that leads to several lists, with the head that each has.

    At `*` each item of a list is a document, whose head is its own; where `{model}` stands, each
    key fills that column. `heads`: whether these are asked for. Raises as `items`.
    """
    found: list[_Run] = []
    for run in _runs(msgspec.Raw(data), each.split(".")):
        if isinstance(run, _Run):
            found.append(run)
        else:
            error, raw = run
            yield Lost(places(data, [raw], begins)[0], str(error), bytes(memoryview(raw)))
    pairs = [(n, pair) for n, run in enumerate(found) for pair in _held(run.records)]
    if not pairs and found:
        raise Error(f"each: {each!r} holds no records")
    where = places(data, [raw for _, (_, raw) in pairs], begins)
    of: dict[int, list[Found]] = {}
    for (n, (key, raw)), place in zip(pairs, where, strict=True):
        mine = of.setdefault(n, [])
        mine.append(Found(key, len(mine), memoryview(raw), place))
    for n, held in of.items():
        yield Items(held, _head(found[n]) if heads else b"null", found[n].told)


def _runs(document: msgspec.Raw, parts: list[str]) -> Iterator[_Run | tuple[Error, msgspec.Raw]]:
    """The ways that a place leads, and the documents of a list where it leads nowhere."""
    raw, at = document, 0
    while at < len(parts) and not _is_several(parts[at]):
        raw = _below(raw, parts[at])
        at += 1
    if at == len(parts):
        yield _Run(document, raw, raw, {})
    elif parts[at] == EACH:
        yield from _of_documents(raw, parts[at + 1 :])
    else:
        yield from _of_keys(document, raw, parts[at][1:-1], parts[at + 1 :])


def _of_documents(raw: msgspec.Raw, parts: list[str]) -> Iterator[_Run | tuple[Error, msgspec.Raw]]:
    for item in msgspec.json.decode(raw, type=list[msgspec.Raw]):
        try:
            yield from [*_runs(item, parts)]
        except Error as error:
            yield error, item
        except FAULTS as error:
            yield Error(reason(error, bytes(memoryview(item)))), item


def _of_keys(
    document: msgspec.Raw, raw: msgspec.Raw, column: str, parts: list[str]
) -> Iterator[_Run | tuple[Error, msgspec.Raw]]:
    for key, value in members(raw).items():
        for run in _runs(value, parts):
            if not isinstance(run, _Run):
                yield run
                continue
            told = {column: key, **run.told}
            if run.document is value:  # and no list of documents lies between
                yield _Run(document, raw, run.records, told)
            else:
                yield run._replace(told=told)


def _is_several(part: str) -> bool:
    return part == EACH or bool(GROUP.fullmatch(part))


def _head(run: _Run) -> bytes:
    data = bytes(memoryview(run.document))
    start, stop = span(run.document, run.cut)
    return data[:start] + b"null" + data[stop:]


def _held(raw: msgspec.Raw) -> list[tuple[str, msgspec.Raw]]:
    """Key or number, and bytes, of each record of a list or object."""
    held = msgspec.json.decode(raw, type=dict[str, msgspec.Raw] | list[msgspec.Raw])
    if isinstance(held, dict):
        require_whole(raw, held)
        return [*held.items()]
    return [(str(n), one) for n, one in enumerate(held)]


def _below(raw: msgspec.Raw, part: str) -> msgspec.Raw:
    level = members(raw, [part])
    if part not in level:
        raise Error(f"each: the document has no {part!r}; {choices(part, level)}")
    return level[part]


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
        raw = _below(raw, part)
    held = _held(raw)
    if not held:
        raise Error(f"each: {each!r} holds no records")
    start, stop = span(data, raw)
    head = b"null" if each == "$" else data[:start] + b"null" + data[stop:]
    return Items(_found(data, held, begins), head)


def _found(data: bytes, pairs: list[tuple[str, msgspec.Raw]], begins: Place | None) -> list[Found]:
    where = places(data, [raw for _, raw in pairs], begins)
    return [
        Found(key, number, memoryview(raw), place)
        for number, ((key, raw), place) in enumerate(zip(pairs, where, strict=True))
    ]
