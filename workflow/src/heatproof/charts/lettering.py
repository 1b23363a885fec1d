"""Text that must fit a width: measured in the typeface of its figure, never guessed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from heatproof.charts.typefaces import advances, typeface

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


ELLIPSIS = "…"
_WORD = re.compile(r"(?:\u00a0|\S)+?[-/_]+(?=[^\s/_-]{3})|(?:\u00a0|\S)+[ \t\n]*|\s+")


def widest(texts: Iterable[str], size: float, bold: bool = False) -> float:
    """Width in pt of the widest of some lines; 0 if there are none."""
    return max((text_width(text, size, bold) for text in texts), default=0.0)


def fit(
    text: str,
    room: float,
    size: float,
    bold: bool = False,
    keep: Literal["start", "ends", "end"] = "start",
) -> str:
    """The text, cut for an ellipsis if it is wider than `room` pt: what is to `keep` stays."""
    if text_width(text, size, bold) <= room:
        return text
    if keep == "end":
        return fit(text[::-1], room, size, bold)[::-1]
    if keep == "start":
        cuts = (text[:end].rstrip(" -–_.·") + ELLIPSIS for end in range(len(text) - 1, 0, -1))
    else:
        counts = range(len(text) - 1, 1, -1)
        cuts = (text[: (n + 1) // 2] + ELLIPSIS + text[len(text) - n // 2 :] for n in counts)
    return next((cut for cut in cuts if text_width(cut, size, bold) <= room), ELLIPSIS)


def short_names(
    names: Sequence[str], room: float, size: float, bold: bool = False
) -> dict[str, str]:
    """Name → what is printed of it, at most `room` pt wide, and no two alike if at all possible."""
    short = {name: fit(name, room, size, bold) for name in names}
    if len(set(short.values())) == len(set(names)):
        return short
    return {name: fit(name, room, size, bold, keep="ends") for name in names}


def wrap(parts: Sequence[str], room: float, size: float, joint: str = " · ") -> list[str]:
    """Lines of parts joined by `joint`; a part that is wider than `room` is broken."""
    lines: list[str] = []
    for part in parts:
        longer = f"{lines[-1]}{joint}{part}" if lines else part
        if lines and text_width(longer, size) <= room:
            lines[-1] = longer
        else:
            lines += [part] if text_width(part, size) <= room else broken(part, room, size)
    return lines


def wrapped(text: str, room: float, size: float, bold: bool = False) -> list[str]:
    """Lines of one text, none wider than `room`: a word that is goes on in the next line."""
    lines = []
    for line in broken(text, room, size, bold):
        rest = line
        while text_width(rest, size, bold) > room and len(rest) > 1:
            ends = range(len(rest) - 1, 1, -1)
            end = next((n for n in ends if text_width(rest[:n], size, bold) <= room), 1)
            lines.append(rest[:end])
            rest = rest[end:]
        lines.append(rest)
    return lines


def broken(text: str, room: float, size: float, bold: bool = False) -> list[str]:
    """Lines of one text, broken at spaces and after hyphens, slashes and underscores.

    A word may still be too wide. A no-break space is part of a word, and so is a hyphen with one or
    two letters after it.
    """
    lines = [""]
    for word in _WORD.findall(text):
        if lines[-1] and text_width((lines[-1] + word).rstrip(), size, bold) > room:
            lines.append("")
        lines[-1] += word
    return [line.strip() for line in lines]


def text_width(text: str, size: float, bold: bool = False) -> float:
    """Width of a line of text, in the unit of `size` (pt), without kerning.

    A character that the font lacks counts as one em.
    """
    face = typeface().drawing(text)
    widths = advances(f"{face.prefix}{'Bold' if bold else 'Regular'}")
    return size * sum(widths[ord(character)] for character in text)
