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
NEEDED = {
    "models": ", two or more values of what `compare` names (model): models: [A, B]; "
    "`models: all` has those told that there are",
    "logs": ", a pattern of paths: logs: 'data/**/*.jsonl'",
    "source": ", the name of a block under sources",
}
"""What to tell of a key that is not there."""

TYPE, CHOICE, EMPTY = "wrong type", "not a choice", "no value"
UNKNOWN, MISSING, BLANK = "unknown key", "missing key", "missing blank"


def check(kind: Any, value: Any, place: str) -> list[Mistake]:  # noqa: PLR0911 - one per type
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
    shape = _shape(kind)
    # Booleans are ints to Python, ints are fine where a number is asked for.
    accepted: Any = (int, float) if kind is float else shape or kind
    if not isinstance(value, accepted) or (isinstance(value, bool) and kind is not bool):
        return [_mistyped(kind, value, place)]
    if shape is list:
        return _list(arguments[0], value, place)
    if shape is dict:
        return (_dict if origin is dict else _struct)(kind, value, place)
    return []


def _shape(kind: Any) -> Any:
    """Whether it is a list or a dict, if a value of this kind is one."""
    struct = isinstance(kind, type) and issubclass(kind, msgspec.Struct)
    return dict if struct else {list: list, dict: dict}.get(get_origin(kind))


def _mistyped(kind: Any, value: object, place: str) -> Mistake:
    """Of a value that is no list, no mapping, or another scalar."""
    what = {list: "a list", dict: "a mapping"}.get(_shape(kind)) or KINDS.get(kind, kind)
    hint = "" if is_bare_exponent(value) else hints.form(_belongs(what), place, value)
    if is_bare_exponent(value) and kind is float:  # as YAML 1.1 reads it
        text = repr(float(value))
        hint = f"; write {text if '.' in text else text.replace('e', '.0e')}"
    elif kind is str and isinstance(value, bool | int | float | datetime):
        hint = hint or "; put it in quotes"
        hint += ": yes, no, on and off are true and false in YAML" * isinstance(value, bool)
    elif (missing := glued(value)) and what == "a mapping":
        hint = f"; {missing}"
    return Mistake(place, f"{_excerpt(value)} is not {what}{hint}", TYPE)


def _belongs(what: str) -> str:
    return what.removeprefix("a ").removeprefix("whole ")


def _excerpt(value: object) -> str:
    return str(value) if isinstance(value, datetime) else hints.excerpt(value)


def is_bare_exponent(value: object) -> TypeGuard[str]:
    """Whether this is a number that YAML 1.1 reads as text: 1e-5, which it wants as 1.0e-5."""
    return isinstance(value, str) and bool(EXPONENT.fullmatch(value))


def _union(kinds: list[Any], value: object, place: str) -> list[Mistake]:
    mistakes = {kind: check(kind, value, place) for kind in kinds}
    if not all(mistakes.values()):
        return []
    # What is wrong inside tells most, where there is an inside; of scalars only choices have one.
    for kind in kinds:
        shape = str if get_origin(kind) is Literal else _shape(kind)
        if len(kinds) == 1 or (shape and isinstance(value, shape)):
            return mistakes[kind]
    words = []
    for kind in kinds:
        choices = ", ".join(map(str, get_args(kind)))
        shapes: dict[Any, str] = {list: "a list", dict: "a mapping", None: KINDS.get(kind, "")}
        words.append(choices if get_origin(kind) is Literal else shapes[_shape(kind)])
    # A text may be wrong as a number; as a list or a mapping it is not meant.
    meant = [word for word in words if not isinstance(value, str) or word in KINDS.values()]
    forms = (hints.form(_belongs(word), place, value) for word in reversed(meant))
    hint = next(filter(None, forms), "")
    message = f"{_excerpt(value)} is not {', '.join(words[:-1])} or {words[-1]}{hint}"
    return [Mistake(place, message, TYPE)]


def _list(kind: Any, value: list[Any], place: str) -> list[Mistake]:
    if kind is str and value and all(item is None for item in value):
        return [Mistake(place, f"lists nothing; {COMMENT}", EMPTY)]
    items = enumerate(value)
    return [wrong for n, item in items for wrong in check(kind, item, f"{place}[{n}]")]


def _dict(kind: Any, value: dict[str, Any], place: str) -> list[Mistake]:
    problems = []
    for key, item in value.items():
        hint = glued(key) if item is None else ""
        wrong = [Mistake(f"{place}.{key}", hint, BLANK)] if hint else []
        problems += wrong or check(get_args(kind)[1], item, f"{place}.{key}")
    return problems


def _struct(kind: type[msgspec.Struct], value: dict[str, Any], place: str) -> list[Mistake]:
    fields = {name: field for name, field in _fields(kind).items() if name not in FILLED}
    names = [name for name in fields if name != "name"]
    problems, misspelled = [], set()
    for key in value:
        if key not in fields:
            message = f"{key!r} is not a key here; {glued(key) or hints.key(key, names)}"
            problems.append(Mistake(place, message, UNKNOWN, f"{key}"))
            # A name that is spelled wrong does not lack as well.
            misspelled.add(hints.likely(key, names).partition(":")[0])
    for name, (hint, required) in fields.items():
        if required and name not in value and name not in misspelled:
            parts = _fields(hint) if _shape(hint) is dict and get_origin(hint) is None else {}
            needed = ", ".join(f"{part}: …" for part, (_, needs) in parts.items() if needs)
            example = NEEDED.get(name) or (f": {{{needed}}}" if parts else "")
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
