"""Hyper-parameters of a run, and values of logs as the types that config.yaml gives them."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Annotated, Any

import msgspec

from heatproof.config.entries import constant
from heatproof.config.roles import Type  # noqa: TC001  msgspec looks it up
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


def path_columns(entry: Any, path: str) -> dict[str, Any]:
    """Columns that `path` and `set` of a source fill. Raises Error: the path does not fit."""
    match = re.search(entry.path, path)
    if match is None:
        raise Error(f"the path does not match {entry.path!r}", "path")
    columns = {}
    for name, text in match.groupdict().items():
        if text is not None:
            columns[name] = from_text(text, entry.kind(name), name)
    for name, value in entry.set.items():
        columns[name] = constant(value, entry.kind(name))
    return columns


def unit(score: float, ends: list[float]) -> float:
    """A score scaled to 0–1; true and false are 1 and 0 in any range."""
    if isinstance(score, bool):
        return float(score)
    low, high = ends or (0.0, 1.0)
    try:
        return (score - low) / (high - low)
    except OverflowError:
        if score > 0:
            return math.inf
        return -math.inf


def lookup(params: Mapping[str, tuple[str, Type]], sources: Iterable[object]) -> dict[str, Any]:
    """Each parameter's value in the first of `sources` that has it; null where none does.

    `params`: as `Harness.lookups`. `sources`: mappings, or texts such as `a=1,b=x`; others are
    skipped. Raises Error: a value is of another type.
    """
    mappings = []
    for source in sources:
        if isinstance(source, str):
            pairs = (part.partition("=") for part in source.split(","))
            mappings.append({key.strip(): value.strip() for key, sign, value in pairs if sign})
        elif isinstance(source, dict):
            mappings.append(source)
    columns: dict[str, Any] = {}
    for column, (name, kind) in params.items():
        values = (_value_in(mapping, name) for mapping in mappings)
        value = next((value for value in values if value is not None), None)
        if value is None:
            columns[column] = None
        else:
            columns[column] = typed(value, kind, name)
    return columns


def _value_in(mapping: Mapping[str, Any], name: str) -> Any:
    value: Any = mapping.get(name)
    if value is None and "." in name:
        value = mapping
        for key in place_keys(name):
            if isinstance(value, dict):
                value = value.get(key)
            else:
                value = None
    return value


BETWEEN_KEYS = re.compile(r'\.(?=(?:[^"]*"[^"]*")*[^"]*$)')
"""A point of a place that is not within quotes."""
QUOTED = re.compile(r'"[^"]*"')


def place_keys(place: str) -> list[str]:
    """The keys of a place `a.b`; one with a point is in quotes, `runs."gpt-4.1".score`."""
    if '"' not in place:
        return place.split(".")
    parts = BETWEEN_KEYS.split(place)
    return [part[1:-1] if QUOTED.fullmatch(part) else part for part in parts]


def as_key(name: str) -> str:
    """A name as a key of a place."""
    if "." in name:
        return f'"{name}"'
    return name


def typed(value: Any, kind: Type, name: str) -> Any:
    """A value of a log, or a text that reads as one, as the type that config.yaml gives it.

    Raises Error: it is of another type.
    """
    right = {"int": (int,), "float": (int, float), "bool": (bool,)}.get(kind, ())
    if isinstance(value, str):
        value = from_text(value, kind, name)
    elif kind == "str" and isinstance(value, (bool, int, float)):
        value = str(value)
    elif not isinstance(value, right) or (isinstance(value, bool) and kind != "bool"):
        raise Error(f"{name}: {excerpted(value)} is not {kind}", "type", name)
    try:
        if kind == "float":
            value = float(value)
    except OverflowError:
        raise Error(f"{name}: {excerpted(value)} is too large a number", "type", name) from None
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise Error(f"{name}: a whole number beyond 64 bits", "type", name)
    return value


def excerpted(value: object) -> str:
    """A value in at most 60 characters, for a message."""
    text = repr(value)
    if len(text) <= 60:
        return text
    return f"{text[:57]}..."


Int64 = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]
"""A whole number that a column can hold."""
TYPES: dict[str, Any] = {
    "str": str | int,
    "int": Int64,
    "float": float,
    "bool": bool,
    "number": bool | float | str,
    "text": str | bool | int | float,
    "printed": str | bool | int | float,
    "any": Any,
    "count": Any,
    "counts": list[Any],
    "numbers": list[bool | float | str | None],
    "texts": list[str | bool | int | float | None],
}


NUMBERS = {
    "int": re.compile(r"[+-]?[0-9]+"),
    "float": re.compile(
        r"[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?|nan|inf|infinity)",
        re.IGNORECASE | re.ASCII,
    ),
}
"""How numbers are written: Python itself would also take other digits, and `1_0` for 10."""
BLANKS = " \t\r\n"
ZERO = f"{BLANKS}+-0."  # characters of a number that is written as 0


def number_from_text(text: str) -> float:
    """A number written as text. Raises ValueError: it is none, or beyond all floats."""
    if not NUMBERS["float"].fullmatch(text.strip(BLANKS)):
        raise ValueError(text)
    number = float(text)
    digits = text.lower().partition("e")[0]
    is_lost = math.isinf(number) and "inf" not in digits.lower()
    if is_lost or (number == 0 and digits.strip(ZERO)):
        raise ValueError(text)
    return number


def from_text(text: str, kind: str, column: str) -> Any:
    """A text of a path, of CSV or of JSON as a `kind`. Raises Error: it reads as no such value."""
    if kind in ("str", "text"):
        return text
    words = {"true": True, "false": False}
    lowered = text.strip().lower()
    if kind in ("bool", "number") and lowered in words:
        return words[lowered]
    try:
        if kind == "int" and NUMBERS["int"].fullmatch(text.strip(BLANKS)):
            return int(text)
        if kind in ("float", "number"):
            return number_from_text(text)
    except ValueError:
        pass
    name = "true or false" if kind == "bool" else kind
    raise Error(f"{column}: {text!r} is not {name}", "type", column)
