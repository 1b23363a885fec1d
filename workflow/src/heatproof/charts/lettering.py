"""Text that must fit a width: measured in the typeface of its figure, never guessed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from heatproof.charts import outlines, runs
from heatproof.charts.typefaces import advances, typeface

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence


ELLIPSIS = "…"
_HAN = (
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u30ff\u3105-\u312f\u31a0-\u31ff\u3400-\u9fff\uf900-\ufaff"
    "\uff66-\uff9f\U00020000-\U0003ffff"
)
"""Han, kana and bopomofo, which have no blanks; Korean has them."""
_OPENING = "([{“‘〈《「『【〔〖〘〚（［｛｟｢"
"""What no line ends with (Unicode Standard Annex 14, class OP)."""
_CLOSING = (
    ")\\]},.:;!?%…‥”’、。，．：；！？％〉》」』】〕〗〙〛）］｝｠｣・･–—～〜"
    "ー々〻ゝゞヽヾぁぃぅぇぉっゃゅょゎゕゖァィゥェォッャュョヮヵヶｧｨｩｪｫｬｭｮｯ"
)
"""What no line begins with that need not (the same, classes CL, CP, EX, IS, NS and CJ)."""
_SIGN = rf"(?:(?![{_OPENING}]+[{_HAN}])(?:\u00a0|[^\s{_HAN}]))"
_WORD = re.compile(
    rf"[{_OPENING}]*[{_HAN}][{_CLOSING}]*[ \t\n]*"
    rf"|{_SIGN}+?[-/_]+(?=[^\s/_-]{{3}})|{_SIGN}+[ \t\n]*|\s+"
)
_SHAPED = re.compile(
    "[\u0300-\u036f\u0590-\u109f\u1780-\u18af\u1a20-\u1aaf\u1b00-\u1c4f\u200c\u200d\ufb1d-\ufdff\ufe70-\ufeff]"
)
"""Marks, Hebrew, Arabic, and the scripts of India and South-East Asia."""


def widest(texts: Iterable[str], size: float, bold: bool = False) -> float:
    """Width in pt of the widest of some lines; 0 if there are none."""
    return max((text_width(text, size, bold) for text in texts), default=0.0)


def fit(text: str, room: float, size: float, bold: bool = False) -> str:
    """The text, its end cut for an ellipsis if it is wider than `room` pt."""
    if text_width(text, size, bold) <= room:
        return text
    cuts = (text[:end].rstrip(" -–_.·") + ELLIPSIS for end in range(len(text) - 1, 0, -1))
    return next((cut for cut in cuts if text_width(cut, size, bold) <= room), ELLIPSIS)


def fit_middle(text: str, room: float, size: float, bold: bool = False) -> str:
    """The text, its middle cut for an ellipsis if it is wider than `room` pt."""
    if text_width(text, size, bold) <= room:
        return text
    kept = range(len(text) - 1, 1, -1)
    cuts = (text[: (n + 1) // 2] + ELLIPSIS + text[len(text) - n // 2 :] for n in kept)
    return next((cut for cut in cuts if text_width(cut, size, bold) <= room), ELLIPSIS)


def short_names(
    names: Sequence[str], room: float, size: float, bold: bool = False
) -> dict[str, str]:
    """Name → what is printed of it, at most `room` pt wide, and no two alike if at all possible."""
    ways: list[Callable[[str, float, float, bool], str]] = [fit, fit_middle]
    for way in ways:
        short = {name: way(name, room, size, bold) for name in names}
        if len(set(short.values())) == len(set(names)):
            break
    return short


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
    lines = broken(text, room, size, bold)
    return [piece for line in lines for piece in _pieces(line, room, size, bold)]


def _pieces(line: str, room: float, size: float, bold: bool) -> list[str]:
    found = []
    while text_width(line, size, bold) > room and len(line) > 1:
        ends = range(len(line) - 1, 1, -1)
        end = next((n for n in ends if text_width(line[:n], size, bold) <= room), 1)
        found.append(line[:end])
        line = line[end:]
    return [*found, line]


def broken(text: str, room: float, size: float, bold: bool = False) -> list[str]:
    """Lines of one text, broken at spaces and after hyphens, slashes and underscores.

    Chinese and Japanese, which have no spaces, are broken between any two signs, but no line begins
    with a closing bracket or a full stop or ends with an opening bracket.

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

    A character that the font lacks counts as one em. Letters whose shapes hang on their neighbours
    are measured together.
    """
    face = f"{typeface().prefix}{'Bold' if bold else 'Regular'}"
    if not text.isascii() and _SHAPED.search(text):
        found = [outlines.line(run.text, run.face, run.leftwards) for run in runs.drawn(text, face)]
        return size * sum(one.width / one.em for one in found)
    widths = advances(face)
    return size * sum(widths[ord(character)] for character in text)
