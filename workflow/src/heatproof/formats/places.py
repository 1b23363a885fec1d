r"""Places in records, as config.yaml names them, and decoders of these places alone.

A place is keys and numbers of items joined by points, `a.b.0`; a key with points is in quotes,
`runs."gpt-4.1".score`. `^config.model` is `config.model` in the head of a log: the nearest object
around the records that has it, or a sidecar. A key that begins with `^` is written `\^key`. Where
`{model}` stands in a place, a record has a row for each key that fits, and what stands there fills
that column. `count(a.b)` is the number of items of the list or object there.
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
from heatproof.formats.params import TYPES, as_key, excerpted, place_keys
from heatproof.util.errors import Error, choices, likeliest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

ROW = "$row"  # the number of the record in its log, from 1
KEY = "$key"  # the key of a record in the object that holds the records, or its number in the list
VALUE = "$value"  # the record itself, if it is no object
HEAD = "^"  # begins a place of the head
EACH = "*"  # in a place: each object in a list
LISTED = "*"  # begins the name of a column with a list a record, an item for each epoch
ESCAPED = re.compile(r"\\+\^")  # begins a place whose first key begins with `^`
GROUP = re.compile(r"\{(\w+)\}")
COUNT = re.compile(r"(\^?)count\((.+)\)")
LOOSE = ("any", "count", "counts")  # types of fields that are decoded whatever they are

ANSWER = "answer"
GRADED = (ANSWER, "target")
"""Compared to grade a record; no columns of the table, except answers for a vote."""
VERDICT = "verdict"  # a score as a text, before `verdicts` turns it into a number
IDENTITY = (*roles.SETTINGS, *roles.KEY[1:], *roles.KEY[:1])
"""Columns that every source may have beside its score."""
IDS = ("sample_id", "epoch")  # every record needs them: null is no id
SINGLE = {"numbers": "number", "texts": "text", "counts": "count"}  # what an item of a list is

Get = Callable[[Any], Any]


def is_head(place: str) -> bool:
    """Whether a place lies in the head."""
    return place.startswith(HEAD)


def literal(place: str) -> str:
    """A place within the record or head: without `^`, unescaped."""
    place = place.removeprefix(HEAD)
    if ESCAPED.match(place):
        return place[1:]
    return place


def filled(place: str, hole: str, group: str) -> str:
    """A place with a key, or a part of one, for its hole."""
    if hole not in place:
        return place
    return ".".join(as_key(key.replace(hole, group)) for key in place_keys(place))


def counted(place: str) -> str:
    """The place of what is counted; any other place as it is."""
    match = COUNT.fullmatch(place)
    if match:
        return match[1] + match[2]
    return place


def count_items(value: Any) -> int | None:
    """The number of items of a list or object. Raises TypeError: it is none."""
    if value is None or isinstance(value, list | dict):
        return None if value is None else len(value)
    raise TypeError(f"{excerpted(value)} is no list or object whose items could be counted")


def group_pattern(place: str, column: str) -> re.Pattern[str]:
    """A pattern of the keys that fit a part of a place with `{column}` in it."""
    before, _, after = place.partition(f"{{{column}}}")
    return re.compile(f"{re.escape(before)}(.+){re.escape(after)}", re.DOTALL)


class Field(NamedTuple):
    """A column that the record fills: its place there, and its type."""

    column: str
    place: str
    type: str
    required: bool
    convert: Get | None = None  # from the decoded value to that of the column


class Part:
    """A decoder of the places of a record, or of a head, into columns."""

    def __init__(self, fields: list[Field]) -> None:
        self.fields = fields
        kind, getters = _struct([(place_keys(field.place), field) for field in fields])
        self.decoder = Decoder(kind)
        self._getters = [(f.column, getters[f.column], f.convert) for f in fields]
        self._wraps = any(field.place.split(".")[0] == VALUE for field in fields)

    def decode(self, data: bytes) -> Any:
        """A record. Raises Error: it does not fit."""
        try:
            return self.decoder.one(self.wrapped(data))
        except Error as error:
            text = str(error).replace(f"$.{VALUE}", "$")
            raise Error(text, error.kind, field_of(text)) from error.__cause__

    def wrapped(self, data: bytes) -> bytes:
        """The record, within an object if it is none."""
        if self._wraps:
            return b'{"%b": %b}' % (VALUE.encode(), data)
        return data

    def cells(self, record: Any) -> dict[str, Any]:
        """Column → value, of a decoded record. Raises FAULTS or MISFITS."""
        return {
            name: convert(get(record)) if convert else get(record)
            for name, get, convert in self._getters
        }

    def columns(self, records: Sequence[Any]) -> dict[str, list[Any]]:
        """Column → values, of many. Raises FAULTS or MISFITS."""
        return {
            name: list(map(convert, map(get, records))) if convert else list(map(get, records))
            for name, get, convert in self._getters
        }


def _struct(
    pairs: Sequence[tuple[list[str], Field]], *, listed: bool = False
) -> tuple[type[msgspec.Struct], dict[str, Get]]:
    """A struct that decodes these places alone, and a getter for each column.

    `pairs`: the parts of each place, and its field; `listed`: they lie in a list of objects.
    """
    by_key: dict[str, list[tuple[list[str], Field]]] = {}
    for (key, *rest), field in pairs:
        by_key.setdefault(key, []).append((rest, field))
    members: list[Any] = []
    rename: dict[str, str] = {}
    getters: dict[str, Get] = {}
    for number, (key, below) in enumerate(by_key.items()):
        attribute, (rest, first) = f"f{number}", below[0]
        rename[attribute], own = key, attrgetter(attribute)
        required = any(field.required for _, field in below)
        nullable = not required
        each = rest[:1] == [EACH]
        kind: Any
        if _is_loose(below):
            kind = Any
            getters |= {f.column: _walk(own, r, f, listed=listed) for r, f in below}
        elif rest:
            kind, inner = _struct([(r[each:], f) for r, f in below], listed=listed or each)
            if each:
                kind = list[kind]
            getters |= {f.column: _below(own, inner[f.column], f, each=each) for _, f in below}
        else:
            kind = TYPES[SINGLE.get(first.type, first.type) if listed else first.type]
            nullable = not any(field.column in IDS for _, field in below)
            required |= not nullable
            getters |= {f.column: own for _, f in below}
        if nullable:
            kind = kind | None
        members.append((attribute, kind) if required else (attribute, kind, None))
    members.sort(key=len)  # those without a default come first
    return msgspec.defstruct("Record", members, rename=rename, gc=False), getters


def _below(own: Get, get: Get, field: Field, *, each: bool) -> Get:
    """A getter of what lies below a member, or in each item of a list."""

    def below(record: Any) -> Any:
        level = own(record)
        if each:
            if level is None:
                return None
            return list(map(get, level))
        return get(level)

    return below if field.required else _optional(below)


def _is_loose(below: Sequence[tuple[list[str], Field]]) -> bool:
    """Whether a member is decoded as it is: it is counted, has numbered items, or is more than one.

    `below`: the rest of each place in it.
    """
    whole = [field for rest, field in below if not rest]
    numbered = any(rest[0].isdigit() for rest, _ in below if rest)
    return numbered or 0 < len(whole) < len(below) or any(f.type in LOOSE for f in whole)


def _walk(own: Get, path: Sequence[str], field: Field, *, listed: bool) -> Get:
    """A getter of what lies below a member that is decoded as it is."""
    kind = TYPES[SINGLE.get(field.type, field.type) if listed else field.type]
    if field.column not in IDS:
        kind = kind | None

    def walked(record: Any) -> Any:
        try:
            value = own(record)
            for part in path:
                value = value[int(part) if isinstance(value, list) else part]
            return msgspec.convert(value, kind)
        except msgspec.ValidationError as error:
            raise msgspec.ValidationError(f"{error} - at `$.{field.place}`") from None
        except (AttributeError, LookupError, TypeError, ValueError):
            raise LookupError(f"no item at `$.{field.place}`") from None

    return walked if field.required else _optional(walked)


def _optional(get: Get) -> Get:
    def guarded(record: Any) -> Any:
        try:
            return get(record)
        except (AttributeError, LookupError, TypeError):  # something on the way is missing
            return None

    return guarded


LIST = "Expected `object`, got `array`"
SHOWN_KEYS = 12  # places of a record in a message, at most
SEARCHED = 200  # places in which the likeliest is searched
DEEP = 3  # levels of objects


def explained(
    why: Error,
    data: bytes,
    fields: Sequence[Field],
    shared: Mapping[str, Any],
    *,
    document: bool = False,
) -> tuple[Error, dict[str, Any]]:
    """Why a record is refused, with a hint, and its values by column, even of another type.

    `shared`: columns of all records. `document`: the record is a whole log.
    """
    cells = dict(shared)
    try:
        record = msgspec.json.decode(data)
    except (msgspec.DecodeError, ValueError, RecursionError):
        return why, cells
    for field in fields:
        value = value_at(record, field.place)
        known = isinstance(value, str | int | float) or field.type == "any"
        if known and not field.column.startswith(LISTED):
            cells["score" if field.column == VERDICT else field.column] = value
    hint = ""
    place = why.field if why.kind == "missing" else ""
    if str(why) == LIST:
        hint = "a list, not one record a line: write format: json and each: $"
        hint = "the document is a list of records: write each: $" if document else hint
    if place and isinstance(record, dict):
        lists = " and ".join(_lists(record)) if document else ""
        near = () if lists else tuple(islice(record_places(record), SEARCHED))
        hint = f"the document has {lists}" if lists else _nearest(place, near)
    return Error(f"{why}; {hint}", why.kind, why.field) if hint else why, cells


@lru_cache
def _nearest(place: str, there: tuple[str, ...]) -> str:
    """A hint of places; cached, as many records often lack the same one."""
    shown = there[:SHOWN_KEYS]
    if len(there) > len(shown):
        near = likeliest(place, there)
        shown += ("…",) if near in shown or not near else ("…", near)
    return choices(place, shown)


def value_at(record: Any, place: str) -> Any:
    """What stands at a place; None for nothing."""
    for key in place_keys(place):
        if isinstance(record, dict):
            record = record.get(key)
        elif isinstance(record, list) and key.isdigit() and int(key) < len(record):
            record = record[int(key)]
        else:
            return None
    return record


def value_in(record: Any, place: str) -> Any:
    """What stands at a place; a key, or a column of a table, may have points in its name."""
    is_key = isinstance(record, dict) and place in record
    if is_key:
        return record[place]
    return value_at(record, place)


def record_places(record: dict[str, Any], above: str = "", deep: int = DEEP) -> Iterator[str]:
    """The places of a record, those at its top first."""
    inside = {k: v for k, v in record.items() if isinstance(v, dict) and v and deep > 1}
    yield from (f"{above}{as_key(key)}" for key in record if key not in inside)
    for key, value in inside.items():
        yield from record_places(value, f"{above}{as_key(key)}.", deep - 1)


def _lists(record: dict[str, Any]) -> Iterator[str]:
    """Hints of lists of objects in a document, which may be its records."""
    for key, value in record.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            inner = ", ".join(list(record_places(value[0]))[:4])
            yield (
                f"{excerpted(key)}, a list of {len(value):,} objects with {inner}: "
                f"each: {as_key(key)}"
            )
