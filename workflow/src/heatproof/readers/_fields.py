"""Field maps: which place in a record, in the log's path or in config.yaml fills which column."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib.util import find_spec
from operator import attrgetter
from typing import Annotated, Any, Literal, NamedTuple

import msgspec

from heatproof.config import Columns, Source, Type, Word
from heatproof.errors import Error, choices
from heatproof.reading.grading import MISSING, Grade

IDENTITY = ("model", "task", "sample_id", "epoch", "scorer", "run")
KEYS = ("sample_id", "epoch")
"""What no record can do without: null is no id."""
GRADED = ("answer", "target")
"""Places in a record that are compared to grade it; no columns of the table."""
LISTED = "*"
"""Starts the name of a column that holds a list a record, one item an epoch."""
Int64 = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]
"""A whole number that a column can hold."""
TYPES: dict[str, Any] = {
    "str": str | int,
    "int": Int64,
    "float": float,
    "bool": bool,
    "number": bool | float,
    "text": str | bool | int | float,
    "numbers": list[bool | float | None],
    "texts": list[str | bool | int | float | None],
}
Get = Callable[[Any], Any]


class Param(msgspec.Struct):
    """A hyper-parameter: its type, and its place in a record if that is not its name."""

    type: Type
    field: str | None = None


class Mapped(Source, kw_only=True):
    """Keys of a source whose records have any layout."""

    fields: dict[str, str] = {}
    """model, task, sample_id, epoch, scorer, run, score → place in the record (`a.b`, `a.0`)."""
    params: dict[str, Type | Param] = {}
    """Hyper-parameter → type, or type and place in the record."""
    measures: dict[str, str] = {}
    """Further numbers (progress, tokens, …) → place in the record."""
    path: str = ""
    """A regular expression searched in the log's path; its named groups fill columns."""
    set: dict[str, Word] = {}
    """Columns that are the same for all records."""
    range: dict[str, list[float]] = {}
    """Score or measure → its lowest and highest value, brought to 0 and 1."""
    grade: Grade | None = None
    """For logs without a score: how the `answer` in `fields` is compared with the `target`."""
    empty: Literal["refuse", "wrong"] = "refuse"
    """An empty answer has no grade, or is a wrong one."""

    def columns(self) -> Columns:
        return Columns({n: self.param(n).type for n in self.params}, list(self.measures))

    def told(self, path: str) -> dict[str, Any] | None:
        try:
            return shared(self, path)
        except Error:
            return None

    def param(self, name: str) -> Param:
        given = self.params[name]
        return given if isinstance(given, Param) else Param(given)

    def problems(self) -> list[str]:
        """What is wrong with the map beyond the types of its keys."""
        try:
            groups = set(re.compile(self.path).groupindex)
        except re.error as error:
            return [f".path: {self.path!r} is not a regular expression: {error}"]
        standard = [*IDENTITY, "score", *GRADED]
        constant = [*IDENTITY, *self.params]
        numbers = ["score", *self.measures]
        problems = [
            f".{key}.{name}: {name!r} is not a column; {choices(name, valid)}"
            for key, names, valid in (
                ("fields", self.fields, standard),
                ("path", groups, constant),
                ("set", self.set, constant),
                ("range", self.range, numbers),
            )
            for name in names
            if name not in valid
        ]
        for name, ends in self.range.items():
            if len(ends) != 2 or ends[0] >= ends[1]:
                problems.append(f".range.{name}: {ends} is not [lowest, highest]")
        if "sample_id" not in {*self.fields, *groups, *self.set}:
            problems.append(".fields: needs 'sample_id', the place of a problem's id in a record")
        return problems + self.ungraded()

    def libraries(self) -> list[str]:
        return ["math-verify"] if self.grade == "math" else []

    def ungraded(self) -> list[str]:
        """What is wrong with the keys that say how a record is graded."""
        filled = {*self.fields, *self.exploded()}
        if self.grade == "math" and find_spec("math_verify") is None:
            return [f".grade: {MISSING}"]
        if self.grade is None:
            return [
                f".fields.{name}: {name!r} is for grading; say how with 'grade'"
                for name in GRADED
                if name in filled
            ]
        if "score" in filled:
            return [f".grade: {self.grade!r} would replace the 'score' in fields; name one of them"]
        return [
            f".fields: needs {name!r}, the place of the {name}, for 'grade'"
            for name in GRADED
            if name not in filled
        ]

    def exploded(self) -> list[str]:
        """Columns of which a record holds a list, one item an epoch."""
        return []


class Lists(msgspec.Struct):
    """Records that hold several epochs, as lists side by side."""

    lists: list[str]
    """Names in `fields` or `measures` whose places hold lists: score, answer, …"""


class Listed(Mapped, kw_only=True):
    """Keys of a source of JSON records."""

    epochs: Lists | None = None

    def exploded(self) -> list[str]:
        return self.epochs.lists if self.epochs else []

    def problems(self) -> list[str]:
        known = [*self.fields, *self.measures]
        problems = [
            f".epochs.lists: {name!r} is not among fields and measures; {choices(name, known)}"
            for name in self.exploded()
            if name not in known
        ]
        if self.exploded() and "epoch" in self.fields:
            problems.append(".fields.epoch: the place in the lists is the epoch")
        return super().problems() + problems


class Field(NamedTuple):
    """A column filled from the record: where it lies and what type it must have there."""

    column: str
    place: str
    type: str
    required: bool


def fields(entry: Mapped) -> list[Field]:
    """The columns that are filled from the record; path and constants fill the others."""
    elsewhere = {*re.compile(entry.path).groupindex, *entry.set}
    lists = entry.exploded()
    found = [
        Field(f"{LISTED}{column}", place, f"{_standard(column)}s", required=True)
        if column in lists
        else Field(column, place, _standard(column), required=True)
        for column, place in entry.fields.items()
    ]
    for name in entry.params:
        if name not in elsewhere:
            param = entry.param(name)
            found.append(Field(name, param.field or name, param.type, required=True))
    found += [
        Field(f"{LISTED}{m}", place, "numbers", required=False)
        if m in lists
        else Field(m, place, "number", required=False)
        for m, place in entry.measures.items()
    ]
    return found


def _standard(column: str) -> str:
    kinds = {"epoch": "int", "score": "number", "answer": "text", "target": "text"}
    return kinds.get(column, "str")


def shared(entry: Mapped, log: str) -> dict[str, Any]:
    """What the log's path and config.yaml say of all its records.

    Raises:
        Error: the path does not match, or a part of it is not of the column's type.
    """
    match = re.search(entry.path, log)
    if match is None:
        raise Error(f"the path does not match {entry.path!r}")
    found = dict(entry.set)
    for column, text in match.groupdict().items():
        kind = entry.param(column).type if column in entry.params else _standard(column)
        if text is not None:
            found[column] = from_text(text, kind, column)
    return found


def from_text(text: str, kind: str, column: str) -> Any:
    """A value written as text (in a path, in CSV) as a `kind`.

    Raises:
        Error: the text is no such value.
    """
    if kind in ("str", "text"):
        return text
    words = {"true": True, "false": False}
    lowered = text.strip().lower()
    if kind in ("bool", "number") and lowered in words:
        return words[lowered]
    try:
        if kind == "int":
            return int(text)
        if kind in ("float", "number"):
            return float(text)
    except ValueError:
        pass
    raise Error(f"{column}: {text!r} is not {'true or false' if kind == 'bool' else kind}")


def scaled(
    entry: Mapped, columns: dict[str, list[Any]], only: set[str] | None = None
) -> dict[str, list[Any]]:
    """Columns with scores and measures as floats, brought to 0–1 where `range` says so."""
    for column in ("score", *entry.measures):
        if column not in columns or (only is not None and column not in only):
            continue
        low, high = entry.range.get(column, (0.0, 1.0))
        span = high - low
        plain = (low, high) == (0.0, 1.0)
        columns[column] = [
            v if v is None else float(v) if plain else (v - low) / span for v in columns[column]
        ]
    return columns


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
        rename[attribute], names[place] = key, attribute
        kind: Any
        if isinstance(below, dict):
            kind, inner = _struct(below, f"{place}.")
            names |= {p: f"{attribute}.{a}" for p, a in inner.items()}
            required = any(_required(item) for item in below.values())
        else:
            indexed = any(field.place != place for field in below)
            kind = list[Any] if indexed else TYPES[below[0].type]
            required = any(field.required for field in below)
            if any(field.column in KEYS for field in below):
                members.append((attribute, kind))
                continue
        members.append((attribute, kind | None) if required else (attribute, kind | None, None))
    members.sort(key=len)  # those without a default come first
    return msgspec.defstruct("Record", members, rename=rename, gc=False), names


def _required(below: Any) -> bool:
    if isinstance(below, dict):
        return any(_required(item) for item in below.values())
    return any(field.required for field in below)


def _getter(field: Field, names: dict[str, str]) -> Get:
    if field.place in names:
        get: Get = attrgetter(names[field.place])
        return get if field.required or "." not in field.place else _optional(get)
    parent, _, index = field.place.rpartition(".")
    whole = attrgetter(names[parent])
    kind = TYPES[field.type] if field.column in KEYS else TYPES[field.type] | None

    def item(record: Any) -> Any:
        return msgspec.convert(whole(record)[int(index)], kind)

    return item if field.required else _optional(item)


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
) -> Callable[[list[Any]], dict[str, list[Any]]]:
    """A function from decoded records to columns."""
    texts = {field.column for field in wanted if field.type == "str"}

    def columns(records: list[Any]) -> dict[str, list[Any]]:
        found = {}
        for column, get in getters.items():
            values = list(map(get, records))
            found[column] = list(map(_word, values)) if column in texts else values
        return scaled(entry, found)

    return columns
