r"""Places in records: what config.yaml may say of them, and how just these are decoded.

A place is keys and numbers of items joined by points, `a.b.0`. One that begins with `^` is of the
head of a log, not of each record: `^config.model` is `config.model` of what the list of records
lies in. A key of a record that itself begins with `^` is written `\^key`. Where `{model}` stands in
a place, a record has one for each model, and a row each: what stands in the key of the record fills
that column.

A record of another layout than config.yaml tells is decoded once more, all of it, to say in words
what it has instead.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from itertools import islice
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from heatproof.config import roles
from heatproof.formats.decoding import Decoder, field_of
from heatproof.formats.params import TYPES, excerpted
from heatproof.util.errors import Error, choices, likeliest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

ROW = "$row"  # in `fields`: the number of the record in its log, from 1
KEY = "$key"
"""In `fields`: the key of a record in the object that holds the records, or its place in a list."""
VALUE = "$value"
"""In `fields`: the record itself, where that is no object. `*.key`: of each object in the list that
it is."""
HEAD = "^"  # begins a place of the head
EACH = "*"  # in a place: of each object in a list
LISTED = "*"  # begins the name of a column that holds a list a record, one item an epoch
POINT = "\x01"
"""In a place: a point within a key, as the name of a group may have; config.yaml has none such."""
ESCAPED = re.compile(r"\\+\^")
"""Begins a place of the record whose first key begins with `^`, with one backslash too many."""
GROUP = re.compile(r"\{(\w+)\}")

ANSWER = "answer"
GRADED = (ANSWER, "target")
"""Places in a record that are compared to grade it; no columns of the table, but for answers that
are kept (`Mapped.keeps_answers`)."""
VERDICT = "verdict"  # a score that is a text until `verdicts` tell what it stands for
IDENTITY = (*roles.SETTINGS, *roles.KEY[1:], *roles.KEY[:1])
"""Columns that every source may have beside its score."""
IDS = ("sample_id", "epoch")  # what no record can do without: null is no id
SINGLE = {"numbers": "number", "texts": "text"}  # what an item of a list is

Get = Callable[[Any], Any]
Tree = dict[str, Any]  # key → the tree below it, or the fields that lie there


def is_head(place: str) -> bool:
    """Whether a place is one of the head."""
    return place.startswith(HEAD)


def literal(place: str) -> str:
    """A place as it stands in a record or head: without the mark of the head, unescaped."""
    place = place.removeprefix(HEAD)
    return place[1:] if ESCAPED.match(place) else place


def group_pattern(place: str, column: str) -> re.Pattern[str]:
    """What keys fit a part of a place that has `{column}` in it."""
    before, _, after = place.partition(f"{{{column}}}")
    return re.compile(f"{re.escape(before)}(.+){re.escape(after)}", re.DOTALL)


def grouped_place(places: Mapping[str, str]) -> str:
    """The place that tells which groups a record has: that of score, answer, or first aggregate."""
    candidates = [places.get(f"fields.{name}", "") for name in ("score", "answer")]
    candidates += [place for where, place in places.items() if where.startswith("aggregates.")]
    return next(filter(GROUP.search, candidates), "")


class Field(NamedTuple):
    """A column filled from the record: where it lies and what type it must have there."""

    column: str
    place: str
    type: str
    required: bool


class Part:
    """Places of a record, or of a head, decoded into columns."""

    def __init__(self, fields: list[Field], converters: Mapping[str, Get]) -> None:
        """`converters`: column → what makes a decoded value one of the column, where not as is."""
        self.fields = fields
        kind, getters = record_type(fields)
        self.decoder = Decoder(kind)
        self._getters = [(name, get, converters.get(name)) for name, get in getters.items()]
        self._wraps = any(field.place.split(".")[0] == VALUE for field in fields)

    def decode(self, data: bytes) -> Any:
        """A record. Raises Error as `Decoder.one`."""
        try:
            return self.decoder.one(self.wrapped(data))
        except Error as error:
            text = str(error).replace(f"$.{VALUE}", "$")
            raise Error(text, error.kind, field_of(text)) from error.__cause__

    def decode_all(self, data: Sequence[bytes]) -> list[Any]:
        """Some records, known to be UTF-8, at once. Raises FAULTS where one of them is no good."""
        return self.decoder.values(b"\n".join(map(self.wrapped, data)))

    def wrapped(self, data: bytes) -> bytes:
        """The record; one that is no object, within one."""
        return b'{"%b": %b}' % (VALUE.encode(), data) if self._wraps else data

    def cells(self, record: Any) -> dict[str, Any]:
        """Column → value, of a decoded record. Raises FAULTS or MISFITS: it does not fit."""
        return {
            name: convert(get(record)) if convert else get(record)
            for name, get, convert in self._getters
        }

    def columns(self, records: Sequence[Any]) -> dict[str, list[Any]]:
        """The same of many. Raises FAULTS or MISFITS: one does not fit."""
        return {
            name: [*map(convert, map(get, records))] if convert else [*map(get, records)]
            for name, get, convert in self._getters
        }


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
            nullable = not any(field.column in IDS for field in below)
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
    kind = TYPES[field.type] if field.column in IDS else TYPES[field.type] | None

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


LIST = "Expected `object`, got `array`"
SHOWN_KEYS = 12  # places in a record that are named at most
SEARCHED = 200  # places among which the likeliest is searched
DEEP = 3  # levels of objects in which they are


def explained(
    why: Error,
    data: bytes,
    fields: Sequence[Field],
    shared: Mapping[str, Any],
    *,
    document: bool = False,
) -> tuple[Error, dict[str, Any]]:
    """Why a record is refused, with a hint, and what it says by column, even of another type.

    `shared`: what all records have. `document`: the record is all of a log.
    """
    cells = dict(shared)
    try:
        record = msgspec.json.decode(data)
    except (msgspec.DecodeError, ValueError, RecursionError):
        return why, cells
    for field in fields:
        value = value_at(record, field.place)
        if value is not None and not field.column.startswith(LISTED):
            cells["score" if field.column == VERDICT else field.column] = value
    hint, place = "", why.field if why.kind == "missing" else ""
    if str(why) == LIST:
        hint = "a list, not a record a line: format: json, each: $"
        hint = "the document is a list of records: each: $" if document else hint
    if place and isinstance(record, dict):
        lists = " and ".join(_lists(record)) if document else ""
        near = () if lists else tuple(islice(record_places(record), SEARCHED))
        hint = f"the document has {lists}" if lists else _nearest(place, near)
    return Error(f"{why}; {hint}", why.kind, why.field) if hint else why, cells


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
