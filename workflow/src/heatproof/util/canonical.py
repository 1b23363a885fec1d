"""JSON and CSV that are text alone in a page, an SVG, a PNG, a spreadsheet."""

from __future__ import annotations

import json
from typing import Any

import msgspec
from blake3 import blake3

_UNSAFE = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&"}
STARTS = "=+-@\t\r\n＝＋－＠"  # of formulas in spreadsheets, and what these skip before them
QUOTE = "'"  # before a cell of a CSV file: the rest is text


def key(*values: Any) -> str:
    """A digest of plain values."""
    return blake3(msgspec.json.encode(values, order="sorted")).hexdigest()[:32]


def text(value: Any) -> str:
    """JSON with sorted keys, in ASCII without `<`, `>` and `&`: safe in PNG, XML and HTML."""
    plain = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return plain.translate(_UNSAFE)


def guarded(text: str) -> str:
    """Text for a cell of a CSV file, with a quote before what would be a formula."""
    if text.startswith(tuple(STARTS)):
        return QUOTE + text
    return text


def bare(text: str) -> str:
    """The text of such a cell without that quote."""
    plain = text[1:]
    return plain if guarded(plain) == text else text
