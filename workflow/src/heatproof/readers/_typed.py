"""Types that config.yaml names, and values written as text."""

from __future__ import annotations

import re
from typing import Annotated, Any

import msgspec

from heatproof.util.errors import Error

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


NUMBERS = {
    "int": re.compile(r"[+-]?[0-9]+"),
    "float": re.compile(
        r"[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?|nan|inf|infinity)",
        re.IGNORECASE | re.ASCII,
    ),
}
"""How numbers are written: Python itself would take other digits than these, and `1_0` for 10."""
BLANKS = " \t\r\n"


def number(text: str) -> float:
    """A number written as text. Raises ValueError if it is written otherwise than numbers are."""
    if not NUMBERS["float"].fullmatch(text.strip(BLANKS)):
        raise ValueError(text)
    return float(text)


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
        if kind == "int" and NUMBERS["int"].fullmatch(text.strip(BLANKS)):
            return int(text)
        if kind in ("float", "number"):
            return number(text)
    except ValueError:
        pass
    raise Error(f"{column}: {text!r} is not {'true or false' if kind == 'bool' else kind}")
