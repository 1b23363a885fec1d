"""Structs that decode just the places of a record that a source's fields name.

A record of another layout than config.yaml tells is decoded once more, all of it, to say in words
what it has instead.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import islice
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import msgspec

from heatproof.formats import mapping
from heatproof.formats.decoding import FAULTS, MISFITS, Decoder
from heatproof.formats.documents import one
from heatproof.formats.mapping import LISTED, Field
from heatproof.formats.params import TYPES, excerpted
from heatproof.formats.places import EACH, HEAD, KEY, POINT, ROW, VALUE, VERDICT
from heatproof.util.errors import Error, choices, likeliest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from heatproof.formats.mapping import Mapped


KEYS = ("sample_id", "epoch")
"""What no record can do without: null is no id."""
SINGLE = {"numbers": "number", "texts": "text"}
"""What an item of a list is."""

Get = Callable[[Any], Any]
Tree = dict[str, Any]
"""Key → the tree below it, or the fields that lie there."""


def record_type(fields: Sequence[Field]) -> tuple[type[msgspec.Struct], dict[str, Get]]:
    """A struct that decodes just these places of a record, and a getter for each column."""
    tree: Tree = {}
    for field in fields:
        node = tree
        *parents, leaf = field.place.split(".")
        for depth, part in enumerate(parents):
            if depth == len(parents) - 1 and leaf.isdigit():
                node.setdefault(part, []).append(field)  # a list: decoded as such, indexed later
                break
            node = node.setdefault(part, {})
        else:
            node.setdefault(leaf, []).append(field)
    kind, names = _struct(tree)
    return kind, {field.column: _getter(field, names) for field in fields}


def _struct(tree: Tree, above: str = "") -> tuple[type[msgspec.Struct], dict[str, str]]:
    """Struct for a level of the tree, and JSON place → attribute path in it."""
    members: list[Any] = []
    rename, names = {}, {}
    for number, (key, below) in enumerate(tree.items()):
        attribute, place = f"f{number}", f"{above}{key}"
        rename[attribute], names[place] = key.replace(POINT, "."), attribute
        kind: Any
        required = _is_required(below)
        nullable = not required
        if isinstance(below, list):
            fits = SINGLE.get(below[0].type, "") if EACH in place.split(".") else ""
            indexed = any(field.place != place for field in below)
            kind = list[Any] if indexed else TYPES[fits or below[0].type]
            nullable = not any(field.column in KEYS for field in below)
            required |= not nullable
        elif EACH in below:
            kind, inner = _struct(below[EACH], f"{place}.{EACH}.")
            kind, names = list[kind], {**names, **inner}
        else:
            kind, inner = _struct(below, f"{place}.")
            own = {p for p in inner if EACH not in p.removeprefix(place).split(".")}
            names |= {p: f"{attribute}.{a}" if p in own else a for p, a in inner.items()}
        kind = kind | None if nullable else kind  # null would have nothing in it
        members.append((attribute, kind) if required else (attribute, kind, None))
    members.sort(key=len)  # those without a default come first
    return msgspec.defstruct("Record", members, rename=rename, gc=False), names


def _is_required(below: Tree | list[Field]) -> bool:
    if isinstance(below, dict):
        return any(map(_is_required, below.values()))
    return any(field.required for field in below)


def _getter(field: Field, names: dict[str, str]) -> Get:
    above, lists, _ = field.place.partition(f".{EACH}.")
    if lists:
        items, own = attrgetter(names[above]), attrgetter(names[field.place])
        item: Get = own if field.required else _optional(own)

        def listed(record: Any) -> list[Any] | None:
            objects = items(record)
            return None if objects is None else list(map(item, objects))

        return listed
    if field.place in names:
        get: Get = attrgetter(names[field.place])
        return get if field.required or "." not in field.place else _optional(get)
    parent, _, index = field.place.rpartition(".")
    items = attrgetter(names[parent])
    kind = TYPES[field.type] if field.column in KEYS else TYPES[field.type] | None

    def indexed(record: Any) -> Any:
        try:
            return msgspec.convert(items(record)[int(index)], kind)
        except msgspec.ValidationError as error:
            raise msgspec.ValidationError(f"{error} - at `$.{field.place}`") from None
        except (AttributeError, LookupError, TypeError):
            raise LookupError(f"no item at `$.{field.place}`") from None

    return indexed if field.required else _optional(indexed)


def _optional(get: Get) -> Get:
    def guarded(record: Any) -> Any:
        try:
            return get(record)
        except (AttributeError, LookupError, TypeError):  # something on the way is missing
            return None

    return guarded


LACKS = re.compile(r"Object missing required field `([^`]*)`(?: - at `\$\.?(.*)`)?")
LIST = "Expected `object`, got `array`"
SHOWN_KEYS = 12
"""Places in a record that are named at most."""
SEARCHED = 200
"""Places among which the likeliest is searched."""
DEEP = 3
"""Levels of objects in which they are."""


class Misfits:
    """Looks at the records of a source that were refused."""

    def __init__(
        self,
        fields: Sequence[Field],
        shared: Mapping[str, Any],
        beside: Callable[[], bytes] = lambda: b"null",
    ) -> None:
        """`shared`: what all records have; `beside`: the bytes of the head, or sidecar."""
        self.places = {field.column: field.place for field in fields}
        self.shared, self._beside = shared, beside

    def __call__(
        self, reason: str, data: bytes, *, document: bool = False
    ) -> tuple[str, dict[str, Any]]:
        """Why a record is refused, with a hint, and what it says by column, even of another type.

        `document`: it is all of a log.
        """
        try:
            record = msgspec.json.decode(data)
        except (msgspec.DecodeError, ValueError, RecursionError):
            return reason, dict(self.shared)
        hint = self._hint(reason, record, document=document)
        cells = dict(self.shared)
        for column, place in self.places.items():
            value = value_at(record, place)
            if value is not None and not column.startswith(LISTED):
                cells["score" if column == VERDICT else column] = value
        if missing(reason):
            head = msgspec.json.decode(self._beside())
            for column, place in self.places.items():
                value = None if column in cells else value_at(head, place)
                if value is not None:
                    hint = f"beside the records stands {place}, {excerpted(value)}: "
                    hint += f"write {HEAD}{place}"
                    break
        return f"{reason}; {hint}" if hint else reason, cells

    def _hint(self, reason: str, record: Any, *, document: bool) -> str:
        if reason == LIST:
            if document:
                return "the document is a list of records: each: $"
            return "a list, not a record a line: format: json, each: $"
        if (place := missing(reason)) and isinstance(record, dict):
            if document and (lists := list(_lists(record))):
                return f"the document has {' and '.join(lists)}"
            return _nearest(place, tuple(islice(record_places(record), SEARCHED)))
        return ""


def missing(reason: str) -> str:
    """The place that a record lacks, by the reason for its refusal; empty if that is another."""
    match = LACKS.fullmatch(reason)
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
    inside = {k: v for k, v in record.items() if isinstance(v, dict) and v and deep > 1}
    yield from (f"{above}{key}" for key in record if key not in inside)
    for key, value in inside.items():
        yield from record_places(value, f"{above}{key}.", deep - 1)


def _lists(record: dict[str, Any]) -> Iterator[str]:
    """The lists of objects in a document, which may be its records."""
    for key, value in record.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            keys = ", ".join(list(record_places(value[0]))[:4])
            yield f"{excerpted(key)}, a list of {len(value):,} objects with {keys}: each: {key}"


class Part:
    """Places of a record, or of a head, decoded into columns."""

    def __init__(self, entry: Mapped, fields: list[Field]) -> None:
        self.entry, self.fields = entry, fields
        kind, self._getters = record_type(fields)
        self.plain = msgspec.json.Decoder(kind)
        self._wraps = any(field.place.split(".")[0] == VALUE for field in fields)
        self._decoder = Decoder(self.plain)

    def decode(self, data: bytes) -> Any:
        """A record. Raises Error as `documents.one`."""
        try:
            return one(self._decoder, self.wrapped(data))
        except Error as error:
            raise Error(str(error).replace(f"$.{VALUE}", "$"), error.kind) from error.__cause__

    def wrapped(self, data: bytes) -> bytes:
        """The record; one that is no object, within one."""
        return b'{"%b": %b}' % (VALUE.encode(), data) if self._wraps else data

    def columns(self, records: Sequence[Any]) -> dict[str, list[Any]]:
        """Decoded records as columns. Raises FAULTS or MISFITS: one does not fit."""
        values = {column: list(map(get, records)) for column, get in self._getters.items()}
        for field in self.fields:
            if field.type == "str":
                texts = values[field.column]
                values[field.column] = [None if v is None else str(v) for v in texts]
        return mapping.scaled(self.entry, values)

    def first(self, data: bytes, what: str) -> dict[str, Any]:
        """Column → value, of a head; `what`: what that is.

        Raises:
            Error: it lacks a place, or holds something else there than the column does.
        """
        try:
            columns = self.columns([self.decode(data)])
        except (Error, *MISFITS, *FAULTS) as error:
            why, _ = Misfits(self.fields, {})(str(error), data)
            kind = error.kind if isinstance(error, Error) else "type"
            raise Error(f"{what}: {why}", kind) from error
        return {name: values[0] for name, values in columns.items()}


_LAST: list[tuple[Mapped, dict[tuple[str, str], Part]]] = []


def part_of(entry: Mapped, what: str = "record", group: str = "") -> Part:
    """How a `record` is decoded, or the `head`, or of a record what `only` names.

    Made once for all logs of a source. `group`: of records that hold several, one of these.
    """
    if not _LAST or _LAST[0][0] is not entry:
        _LAST[:] = [(entry, {})]
    parts = _LAST[0][1]
    if (what, group) not in parts:
        fields = mapping.heads(entry)
        if what == "only":
            fields = [Field(f"={place}", place, "text", required=False) for place in entry.only]
        elif what == "record":
            hole, name = f"{{{entry.group()}}}", group.replace(".", POINT)
            fields = [f for f in mapping.fields(entry) if f.place not in (ROW, KEY)]
            fields = [f._replace(place=f.place.replace(hole, name)) for f in fields]
        parts[what, group] = Part(entry, fields)
    return parts[what, group]
