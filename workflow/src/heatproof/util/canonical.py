"""JSON and CSV that are text alone in a page, an SVG, a PNG, a spreadsheet."""

from __future__ import annotations

import json
from typing import Any

import msgspec
from blake3 import blake3

_UNSAFE = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&"}
STARTS = "=+-@\t\r\n＝＋－＠"  # of formulas in spreadsheets, and what these skip before them
QUOTE = "'"  # before a cell of a CSV file: the rest is text


def key(*parts: Any) -> str:
    """A digest of plain values."""
    return blake3(msgspec.json.encode(parts, order="sorted")).hexdigest()[:32]


def text(value: Any) -> str:
    """JSON with sorted keys, in ASCII without `<`, `>` and `&`: safe in PNG, XML and HTML."""
    plain = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return plain.translate(_UNSAFE)


def guarded(text: str) -> str:
    """Text for a cell of a CSV file, with a quote before what would be a formula."""
    return QUOTE + text if text[:1] and text[0] in STARTS else text


def bare(text: str) -> str:
    """The text of such a cell without that quote."""
    return text[1:] if guarded(text[1:]) == text else text
