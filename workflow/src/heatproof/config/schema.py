"""The JSON schema of config.yaml, made of the same structs that check it; editors complete by it.

What is said of a key is the text below it in its struct.
"""

from __future__ import annotations

import ast
import inspect
import json
import textwrap
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, get_args, get_type_hints

import msgspec

from heatproof import formats, kinds
from heatproof.config.checks import FILLED
from heatproof.util import registry

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import ModuleType

DRAFT = "http://json-schema.org/draft-07/schema#"
"""The one that editors know best."""
SECTIONS = {"sources": (formats, "format"), "figures": (kinds, "kind")}
"""Section of the config → where its entries are found, and the key that says which one is meant."""


def schema(others: Mapping[str, type[msgspec.Struct]]) -> dict[str, Any]:
    """The schema; `others`: sections beyond sources and figures → what each says of a source."""
    definitions: dict[str, Any] = {}
    properties = {name: _section(*of, definitions) for name, of in SECTIONS.items()}
    for name, kind in others.items():
        properties[name] = {
            "description": summary(kind),
            "type": "object",
            "additionalProperties": define(kind, name, definitions),
        }
    return {
        "$schema": DRAFT,
        "title": "heatproof: config.yaml",
        "type": "object",
        "properties": properties,
        "patternProperties": {"^\\.": {"description": "For YAML anchors alone."}},
        "additionalProperties": False,
        "definitions": dict(sorted(definitions.items())),
    }


def text(others: Mapping[str, type[msgspec.Struct]]) -> str:
    """The schema as a file has it."""
    return json.dumps(schema(others), indent=1, ensure_ascii=False) + "\n"


def _section(package: ModuleType, key: str, definitions: dict[str, Any]) -> dict[str, Any]:
    """A section of named entries, of which one key says what the others may be."""
    words = registry.names(package)
    cases = []
    for word in words:
        entry = registry.load(package, word).Entry
        item = define(entry, word, definitions)
        definitions[word]["properties"][key] = {"const": word, "description": summary(entry)}
        cases.append({"if": {"properties": {key: {"const": word}}}, "then": item})
    return {
        "type": "object",
        "description": f"Name → entry; `{key}` says which further keys it has.",
        "propertyNames": {"pattern": "^[A-Za-z0-9][A-Za-z0-9._-]*$"},
        "additionalProperties": {
            "type": "object",
            "required": [key],
            "properties": {key: {"enum": words}},
            "allOf": cases,
        },
    }


def define(kind: type[msgspec.Struct], name: str, definitions: dict[str, Any]) -> dict[str, Any]:
    """A reference to the definition of a struct, which is `made` under a name."""
    template = f"#/definitions/{name}.{{name}}"
    (_,), parts = msgspec.json.schema_components((kind,), ref_template=template)
    structs = _structs(kind)
    for part, part_schema in parts.items():
        own = part == kind.__name__
        definitions[name if own else f"{name}.{part}"] = _described(
            part_schema, structs[part], own=own
        )
    return {"$ref": f"#/definitions/{name}"}


def _structs(kind: type[msgspec.Struct]) -> dict[str, type[msgspec.Struct]]:
    """Name → struct, for one and all that lie in it."""
    structs = {kind.__name__: kind}
    waiting = [*get_type_hints(kind).values()]
    while waiting:
        inner = waiting.pop()
        waiting += get_args(inner)
        is_struct = isinstance(inner, type) and issubclass(inner, msgspec.Struct)
        if is_struct and inner.__name__ not in structs:
            structs[inner.__name__] = inner
            waiting += get_type_hints(inner).values()
    return structs


def _described(
    part_schema: dict[str, Any], kind: type[msgspec.Struct], *, own: bool
) -> dict[str, Any]:
    """The definition of a struct with what its keys mean, and no others allowed."""
    meanings = keys(kind)
    properties = {
        name: _kept(item) | ({"description": meanings[name]} if meanings.get(name) else {})
        for name, item in part_schema["properties"].items()
        if not (own and name in ("name", *FILLED))
    }
    required = [name for name in part_schema.get("required", []) if name in properties]
    definition = {"type": "object", "properties": properties, "additionalProperties": False}
    return definition | ({"required": required} if required else {})


def _kept(item: dict[str, Any]) -> dict[str, Any]:
    """A key's schema: a text may stand for a list of one, and a default that says nothing goes."""
    default = {k: v for k, v in item.items() if k == "default" and v not in (None, "", [], {})}
    bare = {k: v for k, v in item.items() if k != "default"}
    if bare.get("type") == "array" and _takes_text(bare.get("items", {})):
        bare = {"anyOf": [bare, {"type": "string"}]}
    if bare.get("type") == "string" and "items" in bare:  # of what may be listed, too
        listed = {"type": "array", "items": bare["items"]}
        bare = {"anyOf": [{"type": "string"}, listed]}
    return bare | default


def _takes_text(items: dict[str, Any]) -> bool:
    return items.get("type") == "string" or all(isinstance(v, str) for v in items.get("enum", [0]))


@cache
def keys(kind: type[msgspec.Struct]) -> dict[str, str]:
    """Key → what is said of it, in one line; empty where nothing is."""
    texts: dict[str, str] = {}
    for item in reversed(kind.__mro__):
        if item is not msgspec.Struct and issubclass(item, msgspec.Struct):
            texts |= _texts(item)
    return {field.encode_name: texts.get(field.name, "") for field in msgspec.structs.fields(kind)}


def _texts(kind: type) -> dict[str, str]:
    """Field → the text below it in the struct's source."""
    body = ast.parse(textwrap.dedent(inspect.getsource(kind))).body[0].body  # type: ignore[attr-defined]
    return {
        field.target.id: " ".join(text.value.value.split())
        for field, text in pairwise(body)
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and isinstance(text, ast.Expr)
        and isinstance(text.value, ast.Constant)
        and isinstance(text.value.value, str)
    }


def summary(kind: type) -> str:
    """What a struct is for: the first line of its text."""
    return str(inspect.getdoc(kind) or "").partition("\n")[0]
