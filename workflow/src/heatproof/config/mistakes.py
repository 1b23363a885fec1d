"""Check plain data against a typed struct and name every mistake, not only the first."""

from __future__ import annotations

import re
import types
import typing
from datetime import datetime
from functools import cache
from typing import (
    Any,
    Literal,
    TypeGuard,
    Union,
    get_args,
    get_origin,
)

import msgspec

from heatproof.config import meant
from heatproof.util.errors import choices

EXPONENT = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)[eE][-+]?\d+")

COMMENT = "behind # YAML takes all for a comment: put colours and the like in quotes"

GLUED = re.compile(r"(\w+):[^/].*")
"""A key and its value, without the blank between."""

KINDS = {str: "text", int: "a whole number", float: "a number", bool: "true or false"}


def check(kind: Any, value: object, place: str) -> list[str]:  # noqa: PLR0911 - one per type
    """Problems with `value` as a `kind`: place, wrong value, valid ones; none if it fits.

    `kind`: str, int, float, bool, None, Any, Literal, list, dict, unions, msgspec structs.
    """
    origin = get_origin(kind)
    if kind is Any:
        return []
    if value is None and types.NoneType not in (kind, *get_args(kind)):
        return [f"{place}: needs a value"]
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return _struct(kind, value, place)
    if origin in (Union, types.UnionType):
        return _union(get_args(kind), value, place)
    if origin is Literal:
        names = get_args(kind)
        return (
            [] if value in names else [f"{place}: {value!r} is not valid; {choices(value, names)}"]
        )
    if origin is list:
        return _list(get_args(kind)[0], value, place)
    if origin is dict:
        return _dict(get_args(kind)[1], value, place)
    return _scalar(kind, value, place)


def _scalar(kind: Any, value: object, place: str) -> list[str]:
    # Booleans are ints to Python, ints are fine where a number is asked for.
    accepted = {float: (int, float), int: (int,), str: (str,), bool: (bool,)}.get(kind, (kind,))
    right = isinstance(value, accepted) and (kind is bool or not isinstance(value, bool))
    if right:
        return []
    hint = f"; write {_pointed(float(value))}" if kind is float and is_bare_exponent(value) else ""
    if kind is str and isinstance(value, (bool, int, float, datetime)):
        hint = "; put it in quotes"
        hint += ": yes, no, on and off are true and false in YAML" * isinstance(value, bool)
    if not is_bare_exponent(value):
        hint = meant.scalar(kind, value, place) or hint
    return [f"{place}: {_shown(value)} is not {KINDS.get(kind, kind)}{hint}"]


def _shown(value: object) -> str:
    """A wrong value as the message names it."""
    return str(value) if isinstance(value, datetime) else meant.shown(value)


def is_bare_exponent(value: object) -> TypeGuard[str]:
    """Whether this is a number that YAML 1.1 reads as text: 1e-5, which it wants as 1.0e-5."""
    return isinstance(value, str) and bool(EXPONENT.fullmatch(value))


def _pointed(value: float) -> str:
    """A number as YAML 1.1 reads it."""
    text = repr(value)
    return text if "." in text else text.replace("e", ".0e")


def _union(kinds: tuple[Any, ...], value: object, place: str) -> list[str]:
    if value is None and type(None) in kinds:
        return []
    tried = {kind: check(kind, value, place) for kind in kinds if kind is not type(None)}
    if not all(tried.values()):
        return []
    # What is wrong inside tells most, where there is an inside.
    intended = [kind for kind in tried if len(tried) == 1 or isinstance(value, _shape(kind))]
    if intended:
        return tried[intended[0]]
    words = [_word(kind) for kind in tried]
    hints = (meant.scalar(kind, value, place) for kind in tried if kind in KINDS)
    hint = next(filter(None, hints), "")
    return [f"{place}: {_shown(value)} is not {', '.join(words[:-1])} or {words[-1]}{hint}"]


def _shape(kind: Any) -> type | tuple[type, ...]:
    """What a value is that was meant as this; of scalars none is, unless they are choices."""
    if get_origin(kind) is Literal:
        return str
    if get_origin(kind) is list:
        return list
    return dict if _is_mapping(kind) else ()


def _is_mapping(kind: Any) -> bool:
    struct = isinstance(kind, type) and issubclass(kind, msgspec.Struct)
    return struct or get_origin(kind) is dict


def _word(kind: Any) -> str:
    if get_origin(kind) is Literal:
        return ", ".join(map(str, get_args(kind)))
    if get_origin(kind) is list:
        return "a list"
    return "a mapping" if _is_mapping(kind) else KINDS[kind]


def _list(kind: Any, value: object, place: str) -> list[str]:
    if not isinstance(value, list):
        return [f"{place}: {_shown(value)} is not a list{meant.listed(value)}"]
    if kind is str and value and all(one is None for one in value):
        return [f"{place}: lists nothing; {COMMENT}"]
    return [p for i, item in enumerate(value) for p in check(kind, item, f"{place}[{i}]")]


def _dict(kind: Any, value: object, place: str) -> list[str]:
    if not isinstance(value, dict):
        hint = meant.mapping(value)
        return [f"{place}: {_shown(value)} is not a mapping{hint}"]
    found, before = [], ""
    for key, item in value.items():
        hint = (glued(key) or meant.rest(before, value)) if item is None else ""
        told = [f"{place}.{key}: {hint}"] if hint else check(kind, item, f"{place}.{key}")
        found += told
        before = before if item is None else key
    return found


@cache
def _fields(kind: type[msgspec.Struct]) -> dict[str, tuple[Any, bool]]:
    """The type of each field of a struct, and whether it must be given."""
    hints, fields = typing.get_type_hints(kind), msgspec.structs.fields(kind)
    return {field.encode_name: (hints[field.name], field.required) for field in fields}


def with_lists(kind: type[msgspec.Struct], given: dict[str, Any]) -> dict[str, Any]:
    """The entry with a list of one where a text stands for it: `pool: seed` for `pool: [seed]`."""
    fields = _fields(kind)
    lists = {name for name, (hint, _) in fields.items() if get_origin(hint) is list}
    return {
        name: [value] if name in lists and isinstance(value, str) else value
        for name, value in given.items()
    }


FILLED = ("ranges", "base")
"""Fields of an entry that nobody writes: they are filled from what else the config says."""


def glued(value: object) -> str:
    """What to tell of `x:ratio`, which for YAML is one word; nothing of others."""
    match = GLUED.fullmatch(value) if isinstance(value, str) else None
    return f"a blank is missing behind '{match[1]}:'" if match else ""


def _struct(kind: type[msgspec.Struct], value: object, place: str) -> list[str]:
    if not isinstance(value, dict):
        hint = f"; {hint}" if (hint := glued(value)) else meant.mapping(value)
        return [f"{place}: {_shown(value)} is not a mapping{hint}"]
    fields = {name: field for name, field in _fields(kind).items() if name not in FILLED}
    shown = [name for name in fields if name != "name"]
    problems = [
        f"{place}: {key!r} is not a key here; {glued(key) or meant.key(key, shown)}"
        for key in value
        if key not in fields
    ]
    # A name that is spelled wrong does not lack as well.
    told = {meant.likely(key, shown).partition(":")[0] for key in value if key not in fields}
    problems += [
        f"{place}: needs {name!r}"
        for name, (_, required) in fields.items()
        if required and name not in value and name not in told
    ]
    known = (key for key in value if key in fields)
    return problems + [
        p for key in known for p in check(fields[key][0], value[key], f"{place}.{key}")
    ]
