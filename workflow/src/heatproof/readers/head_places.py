r"""Places in config.yaml that begin with `^`: of the head of a log, not of each record.

`^config.model` is `config.model` of what the list of records lies in. A key of a record that itself
begins with `^` is written `\^key`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping


HEAD = "^"
"""Begins a place of the head."""
EACH = "*"
"""In a place: of each object in a list."""
POINT = "\x01"
"""In a place: a point within a key, as the name of a group may have; config.yaml has none such."""
ESCAPED = re.compile(r"\\+\^")
"""Begins a place of the record whose first key begins with `^`, with one backslash too many."""
OF_RECORDS = ("score", "answer")
"""Columns that cannot be the same in all records of a log."""


def is_head(place: str) -> bool:
    """Whether a place is one of the head."""
    return place.startswith(HEAD)


def literal(place: str) -> str:
    """A place as it stands in a record or head: without the mark of the head, unescaped."""
    place = place.removeprefix(HEAD)
    return place[1:] if ESCAPED.match(place) else place


def mistakes_of_heads(
    places: Mapping[str, str], lists: Collection[str], each: str, why: str
) -> Iterator[str]:
    """With places of the head.

    `places`: key and column → place, of all columns. `lists`: columns of which a record holds a
    list. `each`: the place of the records. `why`: why these logs have no head; empty if they do.
    """
    for where, place in places.items():
        if not is_head(place):
            continue
        parts, name = literal(place).split("."), where.partition(".")[2]
        if why:
            yield f".{where}: {place!r} is of the head of a log; {why}"
        elif "" in parts or EACH in parts:
            yield f".{where}: {place!r} is not of the form {HEAD}a.b"
        elif name in OF_RECORDS or name in lists:
            yield f".{where}: {place!r} is one for all records, and each has its own {name}"
        elif each and f"{literal(place)}.".startswith(f"{each}."):
            yield f".{where}: {place!r} lies in the records, each: {each}"
