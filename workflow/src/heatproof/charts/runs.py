"""Which face draws which part of a text: the one that it is set in, or the fallback's."""

from __future__ import annotations

import unicodedata
from typing import NamedTuple

from heatproof.charts import bidi, typefaces
from heatproof.charts.typefaces import face_of, has, style_of, typeface_of

_JOINED = frozenset({"Mn", "Mc", "Me", "Cf", "Zs"})
"""Categories of characters that stay with what stands before them, where its face has them."""


class Run(NamedTuple):
    """A part of a text that one face draws, all of it one way."""

    face: str
    text: str
    leftwards: bool = False


def runs(text: str, face: str) -> list[Run]:
    """The parts of a text that is set in a face, each as long as it can be."""
    found: list[Run] = []
    for sign in text:
        one = typefaces.drawn_by(sign, face)
        if found and unicodedata.category(sign) in _JOINED and has(sign, found[-1].face):
            one = found[-1].face
        if found and found[-1].face == one:
            found[-1] = Run(one, found[-1].text + sign)
        else:
            found.append(Run(one, sign))
    return found


def drawn(text: str, face: str) -> list[Run]:
    """The parts of a text in the order in which they are drawn, from left to right."""
    found: list[Run] = []
    for part, leftwards in bidi.stretches(text):
        parts = [run._replace(leftwards=leftwards) for run in runs(part, face)]
        found += reversed(parts) if leftwards else parts
    return found


def missing(text: str, face: str = "Regular") -> list[str]:
    """The characters of `text` for which neither the face nor its fallback has a glyph, sorted."""
    signs = {*text} - {*"\n\r\t"}
    return sorted(sign for sign in signs if not has(sign, typefaces.drawn_by(sign, face)))


def fault(text: str, face: str = "Regular") -> str:
    """Which characters a face cannot draw, as the end of a sentence; empty if it draws all."""
    signs = ", ".join(f"{sign!r} (U+{ord(sign):04X})" for sign in missing(text, face))
    if not signs:
        return ""
    one = typeface_of(face)
    name = f"{one.family} {face.removeprefix(one.prefix)}"
    if one.fallback and one.whole:
        other = face_of(one.fallback, *style_of(face)).removeprefix(one.fallback.prefix)
        return f"holds {signs}, which neither {name} nor {one.fallback.family} {other} can draw"
    return f"holds {signs}, which {name} cannot draw"
