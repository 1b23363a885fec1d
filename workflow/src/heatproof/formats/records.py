"""Structs that decode just the places of a record that a source's fields name.

A record that does not have the layout that config.yaml tells is decoded once more, whole, to say in
words what it has instead.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import islice
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import msgspec

from heatproof.formats.mapping import LISTED, VERDICT, Field, scaled
from heatproof.formats.params import TYPES, excerpted, without_unit
from heatproof.formats.places import EACH, POINT
from heatproof.util.errors import choices, likeliest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from heatproof.formats.mapping import Mapped


KEYS = ("sample_id", "epoch")
"""What no record can do without: null is no id."""

SINGLE = {"numbers": "number", "texts": "text"}
"""What an item of a list is."""

Get = Callable[[Any], Any]


def record_type(wanted: list[Field]) -> tuple[type[msgspec.Struct], dict[str, Get]]:
    """A struct that decodes just the wanted places of a record, and a getter for each column.

    Objects on the way become structs of their own, so that all else is skipped unparsed.
    """
    tree: dict[str, Any] = {}
    for field in wanted:
        node = tree
        *parents, leaf = field.place.split(".")
        for depth, part in enumerate(parents):
            if parents[depth + 1 : depth + 2] == [] and leaf.isdigit():
                node.setdefault(part, []).append(field)  # a list: taken whole, indexed later
                break
            node = node.setdefault(part, {})
        else:
            node.setdefault(leaf, []).append(field)
    kind, names = _struct(tree)
    return kind, {field.column: _getter(field, names) for field in wanted}


def _struct(tree: dict[str, Any], above: str = "") -> tuple[type[msgspec.Struct], dict[str, str]]:
    """Struct for a level of the tree, and JSON place → attribute path in it."""
    members: list[Any] = []
    rename, names = {}, {}
    for number, (key, below) in enumerate(tree.items()):
        attribute, place = f"f{number}", f"{above}{key}"
        rename[attribute], names[place] = key.replace(POINT, "."), attribute
        kind: Any
        if isinstance(below, dict) and EACH in below:
            kind, inner = _struct(below[EACH], f"{place}.{EACH}.")
            kind = list[kind]
            names |= {place: attribute, **inner}
            required = _required(below)
        elif isinstance(below, dict):
            kind, inner = _struct(below, f"{place}.")
            own = {p for p in inner if EACH not in p.removeprefix(place).split(".")}
            names |= {p: f"{attribute}.{a}" if p in own else a for p, a in inner.items()}
            required = any(_required(item) for item in below.values())
        else:
            indexed = any(field.place != place for field in below)
            single = SINGLE if EACH in place.split(".") else {}
            kind = list[Any] if indexed else TYPES[single.get(below[0].type, below[0].type)]
            required = any(field.required for field in below)
            if any(field.column in KEYS for field in below):
                members.append((attribute, kind))
                continue
        if required and isinstance(below, dict):
            members.append((attribute, kind))  # null would have nothing in it
            continue
        members.append((attribute, kind | None) if required else (attribute, kind | None, None))
    members.sort(key=len)  # those without a default come first
    return msgspec.defstruct("Record", members, rename=rename, gc=False), names


def _required(below: Any) -> bool:
    if isinstance(below, dict):
        return any(_required(item) for item in below.values())
    return any(field.required for field in below)


def _getter(field: Field, names: dict[str, str]) -> Get:
    above, each, _ = field.place.partition(f".{EACH}.")
    if each:
        own: Get = attrgetter(names[field.place])
        return _each(attrgetter(names[above]), own if field.required else _optional(own))
    if field.place in names:
        get: Get = attrgetter(names[field.place])
        return get if field.required or "." not in field.place else _optional(get)
    parent, _, index = field.place.rpartition(".")
    whole = attrgetter(names[parent])
    kind = TYPES[field.type] if field.column in KEYS else TYPES[field.type] | None

    def item(record: Any) -> Any:
        try:
            return msgspec.convert(whole(record)[int(index)], kind)
        except msgspec.ValidationError as error:
            raise msgspec.ValidationError(f"{error} - at `$.{field.place}`") from None
        except (AttributeError, LookupError, TypeError):
            raise LookupError(f"no item at `$.{field.place}`") from None

    return item if field.required else _optional(item)


def _each(whole: Get, get: Get) -> Get:
    def items(record: Any) -> list[Any] | None:
        held = whole(record)
        return None if held is None else list(map(get, held))

    return items


def _optional(get: Get) -> Get:
    def guarded(record: Any) -> Any:
        try:
            return get(record)
        except (AttributeError, LookupError, TypeError):  # something on the way is missing
            return None

    return guarded


def _word(value: Any) -> str | None:
    return value if value is None else str(value)


def columns_of(
    entry: Mapped, wanted: list[Field], getters: dict[str, Get]
) -> Callable[[Sequence[Any]], dict[str, list[Any]]]:
    """A function from decoded records to columns."""
    texts = {field.column for field in wanted if field.type == "str"}

    def columns(records: Sequence[Any]) -> dict[str, list[Any]]:
        found = {}
        for column, get in getters.items():
            values = list(map(get, records))
            found[column] = list(map(_word, values)) if column in texts else values
        return scaled(entry, found)

    return columns


MISSING = re.compile(r"Object missing required field `([^`]*)`(?: - at `\$\.?(.*)`)?")
TEXT = re.compile(r"(?:float|int)[^`]*`, got `str` - at `\$\.([^`]*)`")
"""Ends the reason where a text stands for a number."""
LIST = "Expected `object`, got `array`"
SHOWN_KEYS = 12
"""Places in a record that are named at most."""
LOOKED_AT = 200
"""Places that the one that was meant is looked for among."""
DEEP = 3
"""Levels of objects that are looked through for them."""

Look = tuple[str, dict[str, Any]]
"""The reason for a refusal, with a hint; and what the record says, by column."""


class Misfits:
    """Looks at the records of a source that were refused."""

    def __init__(self, wanted: Sequence[Field], shared: Mapping[str, Any]) -> None:
        """`shared`: what all records have."""
        self.places = {field.column: field.place for field in wanted}
        self.shared = shared

    def __call__(self, reason: str, data: bytes, *, document: bool = False) -> Look:
        """What is told of the record in `data`; `document`: it is all of a log."""
        try:
            record = msgspec.json.decode(data)
        except (msgspec.DecodeError, ValueError, RecursionError):
            return reason, dict(self.shared)
        hint = self._hint(reason, record, document=document)
        return f"{reason}; {hint}" if hint else reason, self._told(record)

    def _told(self, record: Any) -> dict[str, Any]:
        """Columns whose place in the record holds something, even if it is of another type."""
        found = dict(self.shared)
        for column, place in self.places.items():
            value = value_at(record, place)
            if value is not None and not column.startswith(LISTED):
                found["score" if column == VERDICT else column] = value
        return found

    def _hint(self, reason: str, record: Any, *, document: bool) -> str:
        if reason == LIST:
            if document:
                return "the document is a list of records: each: $"
            return "a list, not a record a line: format: json, each: $"
        if text := TEXT.search(reason):
            value = value_at(record, text[1])
            return f"it is {excerpted(value)}{without_unit(value)}" if without_unit(value) else ""
        if (place := missing(reason)) and isinstance(record, dict):
            if document and (lists := list(_lists(record))):
                return f"the document has {' and '.join(lists)}"
            return _nearest(place, tuple(islice(record_places(record), LOOKED_AT)))
        return ""


def missing(reason: str) -> str:
    """The place that a record lacks, by the reason for its refusal; empty if that is another."""
    match = MISSING.fullmatch(reason)
    return ".".join(filter(None, (match[2], match[1]))) if match else ""


@lru_cache
def _nearest(place: str, there: tuple[str, ...]) -> str:
    """The places that there are: where many records lack one, they mostly have the same."""
    shown = there[:SHOWN_KEYS]
    if len(there) > len(shown):
        near = likeliest(place, there)
        shown += ("…",) if near in shown or not near else ("…", near)
    return choices(place, shown)


def value_at(record: Any, place: str) -> Any:
    """What stands at a place, if that is a text, a number, true or false."""
    for part in place.split("."):
        if isinstance(record, dict):
            record = record.get(part.replace(POINT, "."))
        elif isinstance(record, list) and part.isdigit() and int(part) < len(record):
            record = record[int(part)]
        else:
            return None
    return record if isinstance(record, str | int | float) else None


def record_places(record: dict[str, Any], above: str = "", deep: int = DEEP) -> Iterator[str]:
    """The places of a record, those nearest to its top first."""
    inside = []
    for key, value in record.items():
        if isinstance(value, dict) and value and deep > 1:
            inside.append((key, value))
        else:
            yield f"{above}{key}"
    for key, value in inside:
        yield from record_places(value, f"{above}{key}.", deep - 1)


def _lists(record: dict[str, Any]) -> Iterator[str]:
    """The lists of objects in a document, which may be its records."""
    for key, value in record.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            keys = ", ".join(list(record_places(value[0]))[:4])
            yield f"{excerpted(key)}, a list of {len(value):,} objects with {keys}: each: {key}"
