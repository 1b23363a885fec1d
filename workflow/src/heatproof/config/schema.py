"""Typed structs as the schema of config.yaml: all mistakes in it, and the JSON schema for editors.

The description of a key is the text below the key in its struct.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
import types
from datetime import datetime
from functools import cache
from itertools import pairwise
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Literal,
    NamedTuple,
    TypeGuard,
    Union,
    get_args,
    get_origin,
)  # fmt: skip

import msgspec

from heatproof import formats, kinds
from heatproof.config import hints
from heatproof.util import registry
from heatproof.util.errors import Mistake

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

EXPONENT = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)[eE][-+]?\d+")
COMMENT = "behind # YAML reads the rest as a comment: put colours and the like in quotes"
UNIONS = (Union, types.UnionType)
KINDS = {str: "text", int: "a whole number", float: "a number", bool: "true or false"}
JSON = {str: "string", int: "integer", float: "number", bool: "boolean", types.NoneType: "null"}
TEXT = {"type": "string"}
FILLED = {"ranges": "source: its range", "opponent": "source: its versus",
          "mixable": "source: its columns", "orders": "source: its columns"}  # fmt: skip
"""Field of a figure that is filled from its source → its name for users."""
NEEDED = {
    "models": ", two or more values of the column `compare` (model): models: [A, B]; "
    "`models: all` makes the message list them",
    "logs": ", a pattern of paths: logs: 'data/**/*.jsonl'",
    "source": ", the name of a block under sources",
}
"""Missing key → what to write."""

TYPE, CHOICE, EMPTY = "wrong type", "not a choice", "no value"
UNKNOWN, MISSING, BLANK = "unknown key", "missing key", "missing blank"


class Section(NamedTuple):
    """A section of named entries; the value of one key names the struct of an entry."""

    name: str
    key: str
    package: ModuleType  # its modules have the structs
    noun: str

    def words(self) -> list[str]:
        return registry.names(self.package)

    def entry(self, word: str) -> Any:
        return registry.load(self.package, word).Entry


SOURCES = Section("sources", "format", formats, "log format")
FIGURES = Section("figures", "kind", kinds, "figure kind")


@cache
def fields(kind: type[msgspec.Struct]) -> dict[str, msgspec.structs.FieldInfo]:
    """The keys of a struct, but for FILLED."""
    all_fields = msgspec.structs.fields(kind)
    return {field.encode_name: field for field in all_fields if field.name not in FILLED}


def check(kind: Any, value: Any, place: str) -> list[Mistake]:  # noqa: C901, PLR0911 - one per type
    """What is wrong with a value as a `kind`: scalar, Any, Literal, list, dict, union or struct."""
    origin, arguments = get_origin(kind), get_args(kind)
    if kind is Any or (value is None and types.NoneType in (kind, *arguments)):
        return []
    if value is None:
        return [Mistake(place, "needs a value", EMPTY)]
    if origin is Annotated:
        return check(arguments[0], value, place)
    if origin in UNIONS:
        return _union(
            [member for member in arguments if member is not types.NoneType],
            value,
            place,
        )
    if origin is Literal:
        if value in arguments:
            return []
        hint = hints.form("choice", place, value) or f"; {hints.key(value, arguments)}"
        return [Mistake(place, f"{value!r} is not valid{hint}", CHOICE)]
    shape = _shape(kind)
    # Booleans are ints to Python, ints are fine where a number is asked for.
    accepted: Any = (int, float) if kind is float else shape or kind
    if not isinstance(value, accepted) or (isinstance(value, bool) and kind is not bool):
        return [_mistyped(kind, value, place)]
    if origin is list:
        if arguments[0] is str and value and all(item is None for item in value):
            return [Mistake(place, f"lists nothing; {COMMENT}", EMPTY)]
        problems = []
        for number, item in enumerate(value):
            problems += check(arguments[0], item, f"{place}[{number}]")
        return problems
    problems = []
    if origin is dict:
        for key, item in value.items():
            hint = missing_space(key) if item is None else ""
            blank = [Mistake(f"{place}.{key}", hint, BLANK)] if hint else []
            problems += blank or check(arguments[1], item, f"{place}.{key}")
        return problems
    return _struct(kind, value, place) if shape else []


def _shape(kind: Any) -> Any:
    """The type list or dict, if values of a kind are one."""
    struct = isinstance(kind, type) and issubclass(kind, msgspec.Struct)
    if struct:
        return dict
    return {list: list, dict: dict}.get(get_origin(kind))


def _mistyped(kind: Any, value: object, place: str) -> Mistake:
    noun = {list: "a list", dict: "a mapping"}.get(_shape(kind)) or KINDS.get(kind, kind)
    hint = ""
    if not is_bare_exponent(value):
        hint = hints.form(noun, place, value)
    if is_bare_exponent(value) and kind is float:  # as YAML 1.1 reads it
        text = repr(float(value))
        hint = f"; write {text if '.' in text else text.replace('e', '.0e')}"
    elif kind is str and isinstance(value, bool | int | float | datetime):
        hint = hint or "; put it in quotes"
        if isinstance(value, bool):
            hint += ": yes, no, on and off are true and false in YAML"
    elif (blank := missing_space(value)) and noun == "a mapping":
        hint = f"; {blank}"
    return Mistake(place, f"{hints.excerpt(value)} is not {noun}{hint}", TYPE)


def is_bare_exponent(value: object) -> TypeGuard[str]:
    """Whether YAML 1.1 reads this number as text: 1e-5, for which it wants 1.0e-5."""
    return isinstance(value, str) and bool(EXPONENT.fullmatch(value))


def missing_space(value: object) -> str:
    """What to write for `x:ratio`, which for YAML is one word; empty for others."""
    if not isinstance(value, str):
        return ""
    match = re.fullmatch(r"(\w+):[^/].*", value)
    return f"a space is missing after '{match[1]}:'" if match else ""


def _union(members: list[Any], value: object, place: str) -> list[Mistake]:
    mistakes = {member: check(member, value, place) for member in members}
    if not all(mistakes.values()):
        return []
    words = []
    meant_as_word = True
    for member in members:
        # Of a list, mapping or choice, the mistake inside says most.
        choices = ""
        if get_origin(member) is Literal:
            choices = ", ".join(map(str, get_args(member)))
        shape = str if choices else _shape(member)
        if len(members) > 1 and len(get_args(member)) == 1 and not hints.likely(value, [choices]):
            meant_as_word = not choices  # one word beside a mapping: another text belongs into it
            shape = None if choices else shape
        if len(members) == 1 or (shape and isinstance(value, shape)):
            return mistakes[member]
        words.append(choices or {list: "a list", dict: "a mapping"}.get(shape) or KINDS[member])
    # A text may be wrong as a number; it is not meant as a list or a mapping.
    is_word = isinstance(value, str) and meant_as_word
    likely = [noun for noun in words if not is_word or noun in KINDS.values()]
    hint = next(filter(None, (hints.form(noun, place, value) for noun in reversed(likely))), "")
    listed = f"{', '.join(words[:-1])} or {words[-1]}"
    message = f"{hints.excerpt(value)} is not {listed}{hint}"
    return [Mistake(place, message, TYPE)]


def _struct(kind: type[msgspec.Struct], value: dict[str, Any], place: str) -> list[Mistake]:
    valid = fields(kind)
    names = [name for name in valid if name != "name"]
    cure = getattr(kind, "CURE", "")
    if cure and not value.keys() & set(names):
        return [Mistake(place, f"{hints.excerpt(value)}: {cure}", TYPE)]
    problems, misspelled = [], set()
    for key in value:
        if key not in valid:
            message = f"{key!r} is not a key here; {missing_space(key) or hints.key(key, names)}"
            problems.append(Mistake(place, message, UNKNOWN, f"{key}"))
            # A misspelled name is not told as missing too.
            misspelled.add(hints.likely(key, names).partition(":")[0])
    for name, field in valid.items():
        if field.required and name not in value and name not in misspelled:
            is_struct = isinstance(field.type, type) and issubclass(field.type, msgspec.Struct)
            inner = fields(field.type) if is_struct else {}
            needed = ", ".join(
                f"{inner_key}: …"
                for inner_key, inner_field in inner.items()
                if inner_field.required
            )
            example = NEEDED.get(name) or (f": {{{needed}}}" if inner else "")
            problems.append(Mistake(place, f"needs {name!r}{example}", MISSING))
    for key, item in value.items():
        if key in valid:
            problems += check(valid[key].type, item, f"{place}.{key}")
    return problems


def with_lists(kind: type[msgspec.Struct], entry: dict[str, Any]) -> dict[str, Any]:
    """The entry with a list for each text that stands for one: `pool: [seed]` for `pool: seed`."""
    lists = {name for name, field in fields(kind).items() if get_origin(field.type) is list}
    block = dict(entry)
    for name, value in entry.items():
        if name in lists and isinstance(value, str):
            block[name] = [value]
    return block


def schema() -> dict[str, Any]:
    """The JSON schema, of draft 7, which editors know best."""
    definitions: dict[str, Any] = {}
    properties = {}
    for section in (SOURCES, FIGURES):
        cases = []
        for word in section.words():
            entry = section.entry(word)
            item = define(entry, word, definitions)
            says = {"const": word, "description": summary(entry)}
            definitions[word]["properties"][section.key] = says
            cases.append({"if": {"properties": {section.key: {"const": word}}}, "then": item})
        properties[section.name] = {
            "type": "object",
            "description": f"Name → entry; `{section.key}` says which further keys it has.",
            "propertyNames": {"pattern": "^[A-Za-z0-9][A-Za-z0-9._-]*$"},
            "additionalProperties": {
                "type": "object",
                "required": [section.key],
                "properties": {section.key: {"enum": section.words()}},
                "allOf": cases,
            },
        }
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "heatproof: config.yaml",
        "type": "object",
        "properties": properties,
        "patternProperties": {"^\\.": {"description": "For YAML anchors alone."}},
        "additionalProperties": False,
        "definitions": dict(sorted(definitions.items())),
    }


@cache
def text() -> str:
    """The text of the JSON schema."""
    text = msgspec.json.format(msgspec.json.encode(schema()), indent=1)
    return text.decode() + "\n"


def define(kind: type[msgspec.Struct], name: str, definitions: dict[str, Any]) -> dict[str, Any]:
    """Add the definition of a struct under a name; a reference to it."""
    definition: dict[str, Any] = {"type": "object", "properties": {}, "additionalProperties": False}
    meanings = keys(kind)
    for key, field in fields(kind).items():
        if key == "name" and "." not in name:  # it is the key of the entry
            continue
        item = _json_type(field.type, name, definitions)
        items = item.get("items", {})
        if items == TEXT or "enum" in items:  # one of a list may stand for it
            item = {"anyOf": [item, TEXT]}
        if field.default not in (None, "", [], {}, msgspec.NODEFAULT):
            item = item | {"default": field.default}
        if meanings[key]:
            item = item | {"description": meanings[key]}
        definition["properties"][key] = item
        if field.required:
            definition.setdefault("required", []).append(key)
    definitions[name] = definition
    return {"$ref": f"#/definitions/{name}"}


def _json_type(  # noqa: PLR0911 - one per type
    kind: Any, name: str, definitions: dict[str, Any]
) -> dict[str, Any]:
    """The JSON schema of a type; `name`: of the entry that has it."""
    origin, arguments = get_origin(kind), get_args(kind)
    if kind is Any:
        return {}
    if origin is Annotated:
        return dict(arguments[1].extra_json_schema)
    if origin is Literal:
        return {"enum": sorted(arguments)}
    if origin in UNIONS:
        return {"anyOf": [_json_type(member, name, definitions) for member in arguments]}
    if origin is list:
        return {"type": "array", "items": _json_type(arguments[0], name, definitions)}
    if origin is dict:
        value_type = _json_type(arguments[1], name, definitions)
        return {"type": "object", "additionalProperties": value_type}
    if kind in JSON:
        return {"type": JSON[kind]}
    return define(kind, f"{name}.{kind.__name__}", definitions)


@cache
def keys(kind: type[msgspec.Struct]) -> dict[str, str]:
    """Key → its description in one line."""
    texts: dict[str, str] = {}
    for struct in reversed(kind.__mro__):
        if struct is not msgspec.Struct and issubclass(struct, msgspec.Struct):
            texts |= _descriptions(struct.__module__).get(struct.__name__, {})
    fields_of_kind = msgspec.structs.fields(kind)
    return {field.encode_name: texts.get(field.name, "") for field in fields_of_kind}


@cache
def _descriptions(module: str) -> dict[str, dict[str, str]]:
    """Struct of a module → field → the text below it. A module is parsed once for all of them."""
    structs = {}
    for node in ast.walk(ast.parse(inspect.getsource(sys.modules[module]))):
        if isinstance(node, ast.ClassDef):
            structs[node.name] = dict(_texts_below(node.body))
    return structs


def _texts_below(body: list[ast.stmt]) -> Iterator[tuple[str, str]]:
    """Each field of a class with the text in the statement below it."""
    for field, next_field in pairwise(body):
        if isinstance(field, ast.AnnAssign) and isinstance(next_field, ast.Expr):
            text = ast.literal_eval(next_field.value)
            yield ast.unparse(field.target), " ".join(text.split())


def summary(kind: type) -> str:
    """The first line of a struct's description."""
    return str(inspect.getdoc(kind) or "").partition("\n")[0]
