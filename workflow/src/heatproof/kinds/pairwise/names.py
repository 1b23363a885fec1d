"""What tells models apart in their names, for where there is no room for what all of them share."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from heatproof.charts.lettering import ELLIPSIS, fit, widest

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_PART = re.compile(r"[^/\-_ :@]+|[/\-_ :@]+")


def shared_parts(names: Sequence[str]) -> tuple[str, str]:
    """How all names begin, and how they end: whole parts between / - _ : @ and spaces.

    Of each name something is left. `vendor/m-a-17`, `vendor/m-b-17`: `vendor/m-` and `-17`.
    """
    parts = [_PART.findall(name) for name in names]
    least = min(map(len, parts), default=0)
    first = _count_equal(parts, least - 1)
    # Names go from word to word: what is left begins and ends with one.
    starts_with_mark = bool(parts) and not parts[0][0][0].isalnum()
    first = max(first - (first % 2 != starts_with_mark), 0)
    last = _count_equal([words[first:][::-1] for words in parts], least - first - 1)
    last -= last % 2
    end = "".join(parts[0][len(parts[0]) - last :]) if last else ""
    return "".join(parts[0][:first]), end


def _count_equal(parts: Sequence[Sequence[str]], most: int) -> int:
    """How many parts, from the first, are the same in all."""
    n = 0
    while n < most and len({words[n] for words in parts}) == 1:
        n += 1
    return n


def distinct_parts(names: Sequence[str]) -> dict[str, str]:
    """Name → the same without what all of them share."""
    first, last = shared_parts(names)
    return {name: name[len(first) : len(name) - len(last)] for name in names}


def shorten(names: Sequence[str], room: float, size: float, bold: bool = False) -> dict[str, str]:
    """Name → what is printed of it, `room` pt wide at most.

    The whole name where all have room; else without what all share; the middle is cut out last.
    """
    if widest(names, size, bold) <= room:
        return {name: name for name in names}
    parts = distinct_parts(names)
    return {name: fit(part, room, size, bold, keep="ends") for name, part in parts.items()}


def shared_words(printed: Mapping[str, str]) -> list[str]:
    """How to read whole names off what is `printed` of them; nothing if they are whole."""
    if all(name == text for name, text in printed.items()):
        return []
    first, last = shared_parts([*printed])
    return [f"whole names: {first}{ELLIPSIS}{last}"] if first or last else []


def cut_names(printed: Mapping[str, str]) -> list[str]:
    """Names of which more is cut than what all share, so that no place has the whole."""
    parts = distinct_parts([*printed])
    return [name for name, text in printed.items() if text not in (name, parts[name])]
