"""JSON in one spelling."""

from __future__ import annotations

import json
from typing import Any

import msgspec
from blake3 import blake3

_UNSAFE = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&"}


def key(*parts: Any) -> str:
    """A digest of plain values."""
    return blake3(msgspec.json.encode(parts, order="sorted")).hexdigest()[:32]


def text(value: Any) -> str:
    """JSON with sorted keys that is plain ASCII and free of `<`, `>` and `&`.

    It can stand as it is in a PNG text chunk, in XML, and in an HTML script element, where
    `</script>` or `<!--` in a string would end or confuse it.
    """
    plain = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return plain.translate(_UNSAFE)
