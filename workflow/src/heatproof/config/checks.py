"""Check plain data against a typed struct and name every mistake, not only the first."""

from __future__ import annotations

import re
import types
import typing
from datetime import datetime
from functools import cache
from typing import Any, Literal, TypeGuard, Union, get_args, get_origin

import msgspec

from heatproof.config import hints
from heatproof.util.errors import Mistake

EXPONENT = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)[eE][-+]?\d+")
COMMENT = "behind # YAML takes all for a comment: put colours and the like in quotes"
GLUED = re.compile(r"(\w+):[^/].*")
"""A key and its value, without the blank between."""
KINDS = {str: "text", int: "a whole number", float: "a number", bool: "true or false"}
FILLED = ("ranges", "opponent")
"""Fields of an entry that nobody writes: they are filled from what else the config says."""

TYPE, CHOICE, EMPTY = "wrong type", "not a choice", "no value"
UNKNOWN, MISSING, BLANK = "unknown key", "missing key", "missing blank"


def check(kind: Any, value: Any, place: str) -> list[Mistake]:  # noqa: C901, PLR0911 - one per type
    """What is wrong with `value` as a `kind`; nothing if it fits.

    `kind`: str, int, float, bool, None, Any, Literal, list, dict, unions, msgspec structs.
    """
    origin, arguments = get_origin(kind), get_args(kind)
    if kind is Any or (value is None and types.NoneType in (kind, *arguments)):
        return []
    if value is None:
        return [Mistake(place, "needs a value", EMPTY)]
    if origin in (Union, types.UnionType):
        return _union([one for one in arguments if one is not types.NoneType], value, place)
    if origin is Literal:
        wrong = Mistake(place, f"{value!r} is not valid; {hints.key(value, arguments)}", CHOICE)
        return [] if value in arguments else [wrong]
    if (shape := _shape(kind)) is None:
        return _scalar(kind, value, place)
    if not isinstance(value, shape):
        return [_misshaped(kind, value, place)]
    if shape is list:
        if arguments[0] is str and value and all(item is None for item in value):
            return [Mistake(place, f"lists nothing; {COMMENT}", EMPTY)]
        items = enumerate(value)
        return [wrong for n, item in items for wrong in check(arguments[0], item, f"{place}[{n}]")]
    if origin is dict:
        return _dict(arguments[1], value, place)
    return _struct(kind, value, place)


def _shape(kind: Any) -> Any:
    """Whether it is a list or a dict, if a value of this kind is one."""
    struct = isinstance(kind, type) and issubclass(kind, msgspec.Struct)
    return (
        list if get_origin(kind) is list else dict if struct or get_origin(kind) is dict else None
    )


def _misshaped(kind: Any, value: object, place: str) -> Mistake:
    """Of a value that is no list, or no mapping."""
    if _shape(kind) is list:
        hint = hints.listed(value, mappings=_shape(get_args(kind)[0]) is dict)
        return Mistake(place, f"{_shown(value)} is not a list{hint}", TYPE)
    hint = ""
    if get_origin(kind) is not dict:
        hint = f"; {glue}" if (glue := glued(value)) else _form(kind, value)
    hint = hint or hints.mapping(value, place)
    return Mistake(place, f"{_shown(value)} is not a mapping{hint}", TYPE)


def _scalar(kind: Any, value: object, place: str) -> list[Mistake]:
    # Booleans are ints to Python, ints are fine where a number is asked for.
    accepted = (int, float) if kind is float else kind
    if isinstance(value, accepted) and (kind is bool or not isinstance(value, bool)):
        return []
    hint = ""
    if kind is str and isinstance(value, bool | int | float | datetime):
        hint = "; put it in quotes"
        hint += ": yes, no, on and off are true and false in YAML" * isinstance(value, bool)
    if not is_bare_exponent(value):
        hint = hints.scalar(kind, value, place) or hint
    elif kind is float:  # as YAML 1.1 reads it
        text = repr(float(value))
        hint = f"; write {text if '.' in text else text.replace('e', '.0e')}"
    return [Mistake(place, f"{_shown(value)} is not {KINDS.get(kind, kind)}{hint}", TYPE)]


def _shown(value: object) -> str:
    """A wrong value as the message names it."""
    return str(value) if isinstance(value, datetime) else hints.excerpt(value)


def is_bare_exponent(value: object) -> TypeGuard[str]:
    """Whether this is a number that YAML 1.1 reads as text: 1e-5, which it wants as 1.0e-5."""
    return isinstance(value, str) and bool(EXPONENT.fullmatch(value))


def _union(kinds: list[Any], value: object, place: str) -> list[Mistake]:
    tried = {kind: check(kind, value, place) for kind in kinds}
    if not all(tried.values()):
        return []
    # What is wrong inside tells most, where there is an inside; of scalars only choices have one.
    for kind in kinds:
        shape = str if get_origin(kind) is Literal else _shape(kind)
        if len(kinds) == 1 or (shape and isinstance(value, shape)):
            return tried[kind]
    words = []
    for kind in kinds:
        choices = ", ".join(map(str, get_args(kind)))
        shapes: dict[Any, str] = {list: "a list", dict: "a mapping", None: KINDS.get(kind, "")}
        words.append(choices if get_origin(kind) is Literal else shapes[_shape(kind)])
    scalars = (hints.scalar(kind, value, place) for kind in kinds if kind in KINDS)
    hint = hints.chosen(place, value) or next(filter(None, scalars), "")
    hint = hint or ("" if isinstance(value, str) else hints.form(place, value))
    message = f"{_shown(value)} is not {', '.join(words[:-1])} or {words[-1]}{hint}"
    return [Mistake(place, message, TYPE)]


def _dict(kind: Any, value: dict[str, Any], place: str) -> list[Mistake]:
    problems = []
    for key, item in value.items():
        hint = glued(key) if item is None else ""
        wrong = [Mistake(f"{place}.{key}", hint, BLANK)] if hint else []
        problems += wrong or check(kind, item, f"{place}.{key}")
    return problems


def _struct(kind: type[msgspec.Struct], value: dict[str, Any], place: str) -> list[Mistake]:
    fields = {name: field for name, field in _fields(kind).items() if name not in FILLED}
    names = [name for name in fields if name != "name"]
    strange = [key for key in value if key not in fields]
    problems = [
        Mistake(
            place,
            f"{key!r} is not a key here; {glued(key) or hints.key(key, names)}",
            UNKNOWN,
            f"{key}",
        )
        for key in strange
    ]
    # A name that is spelled wrong does not lack as well.
    misspelled = {hints.likely(key, names).partition(":")[0] for key in strange}
    for name, (hint, required) in fields.items():
        if required and name not in value and name not in misspelled:
            example = hints.NEEDED.get(name, "") or _parts(hint)
            problems.append(Mistake(place, f"needs {name!r}{example}", MISSING))
    for key, item in value.items():
        problems += check(fields[key][0], item, f"{place}.{key}") if key in fields else []
    return problems


@cache
def _fields(kind: type[msgspec.Struct]) -> dict[str, tuple[Any, bool]]:
    """The type of each field of a struct, and whether it must be given."""
    types_, fields = typing.get_type_hints(kind), msgspec.structs.fields(kind)
    return {field.encode_name: (types_[field.name], field.required) for field in fields}


def with_lists(kind: type[msgspec.Struct], given: dict[str, Any]) -> dict[str, Any]:
    """The entry with a list of one where a text stands for it: `pool: seed` for `pool: [seed]`."""
    lists = {name for name, (hint, _) in _fields(kind).items() if get_origin(hint) is list}
    return {k: [v] if k in lists and isinstance(v, str) else v for k, v in given.items()}


def glued(value: object) -> str:
    """What to tell of `x:ratio`, which for YAML is one word; nothing of others."""
    match = GLUED.fullmatch(value) if isinstance(value, str) else None
    return f"a blank is missing behind '{match[1]}:'" if match else ""


def _parts(kind: Any) -> str:
    """What a key that is not there must hold, if that has keys of its own."""
    if not (isinstance(kind, type) and issubclass(kind, msgspec.Struct)):
        return ""
    needed = [f"{name}: …" for name, (_, required) in _fields(kind).items() if required]
    return f": {{{', '.join(needed)}}}"


def _form(kind: type[msgspec.Struct], value: object) -> str:
    """The key of a struct that a value in its place was meant for, if one is sure."""
    word = value[0] if isinstance(value, list) and len(value) == 1 else value
    for name, (hint, required) in _fields(kind).items():
        for choice in get_args(hint) if isinstance(word, str) else ():
            if get_origin(choice) is Literal and (near := hints.likely(word, get_args(choice))):
                return f"; write {{{name}: {near}}}"
        items = [value] if isinstance(value, str) and get_origin(hint) is list else value
        if required and not check(hint, items, ""):
            return f"; write {{{name}: {hints.plain(items)}}}"
    return ""
