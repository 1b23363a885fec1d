"""Texts of an SVG in parts, each with the face that draws it: its typeface's or the fallback's.

Where a typeface has no italics, text that is set so is slanted.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, NamedTuple
from xml.etree import ElementTree
from xml.sax.saxutils import escape, unescape

from heatproof.charts import outlines, runs, typefaces

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

TEXT = re.compile(r"<text\b[^>]*(?:(?<=/)>|>.*?</text>)", re.DOTALL)
"""A text element."""
SLANT = "skewX(-12)"
"""In place of italics; as far as type designers slant."""
_WORDS = re.compile(r"(?<=>)[^<]+(?=<)")
_FRAME = re.compile(r'(?<= transform=")[^"]*(?=")')
_ANCHOR = re.compile(r' text-anchor="(\w+)"')
_NAMED = re.compile(r'<tspan font-family="[^"]*">([^<]*)</tspan>')
_MIRRORED = dict(zip("()[]{}<>«»‹›", ")(][}{><»«›‹", strict=True))
_BEFORE = {"start": 0.0, "middle": 0.5, "end": 1.0}
"""Anchor → the share of a line that lies before it."""


class Row(NamedTuple):
    """A line of a text, and the place of its anchor in pt."""

    text: str
    x: float
    y: float


class Part(NamedTuple):
    """What one face draws of a line, and where it begins, in pt."""

    run: runs.Run
    line: outlines.Line
    x: float


def rows(node: ElementTree.Element) -> Iterator[Row]:
    """The lines of a text: itself, or its parts, each below the one before."""
    x, y = float(node.get("x", 0)), float(node.get("y", 0))
    for part in [node, *node]:
        x = float(part.get("x", x))
        y += float(part.get("dy", 0))
        # As SVG has it: runs of white space are one space.
        if words := re.sub("[ \t\n]+", " ", part.text or "").strip(" "):
            yield Row(words, x, y)


def parts(row: Row, node: ElementTree.Element, face: str) -> Iterator[Part]:
    """The parts of a line of a text, from left to right."""
    size = size_of(node)
    found = runs.drawn(row.text, face)
    lines = [outlines.line(*_shaped(run)) for run in found]
    widths = [size / line.em * line.width for line in lines]
    x = row.x - _BEFORE[node.get("text-anchor", "start")] * sum(widths)
    for run, line, width in zip(found, lines, widths, strict=True):
        yield Part(run, line, x)
        x += width


def _shaped(run: runs.Run) -> tuple[str, str, bool]:
    return run.text, run.face, run.leftwards


def size_of(node: ElementTree.Element) -> float:
    """The size of the type of a text, in pt."""
    return float(node.get("font-size", "0").removesuffix("px"))


def face_of(node: ElementTree.Element) -> tuple[str, bool]:
    """The face of a text, and whether it is to be slanted."""
    style = node.get("font-style", "normal")
    found = typefaces.face(node.get("font-weight", "normal"), style, node.get("font-family", ""))
    return found, style in ("italic", "oblique") and not typefaces.style_of(found)[1]


def named(svg: str) -> str:
    """The same SVG; what the fallback draws names its family, for not all programs look for it."""
    return _each(svg, _with_names)


def placed(svg: str) -> str:
    """The same for our renderer, each part in its place.

    Of text that it places itself, it takes the whole from elsewhere where a face lacks a character.
    """
    return _each(svg, _placed)


def _each(svg: str, way: Callable[[str, ElementTree.Element, str], str]) -> str:
    """An SVG with its texts in parts, if a typeface in it has a fallback or is of files."""
    if not any(one.private in svg for one in typefaces.known() if not one.package):
        return svg

    def changed(text: str) -> str:
        node = ElementTree.fromstring(text)  # noqa: S314 - it comes from our own renderer
        face, slanted = face_of(node)
        found = way(text, node, face)
        return _slanted(found) if slanted else found

    return TEXT.sub(lambda found: changed(found[0]), svg)


def _with_names(text: str, _: ElementTree.Element, face: str) -> str:
    found = _WORDS.sub(lambda at: _named(at[0], face), text)
    return found if found == text else found.replace("<text ", '<text xml:space="preserve" ', 1)


def _named(words: str, face: str) -> str:
    """The content of a text; what the fallback draws as an element of its own."""
    return "".join(
        escape(run.text)
        if run.face == face
        else f"<tspan{_family(run.face)}>{escape(run.text)}</tspan>"
        for run in runs.runs(unescape(words), face)
    )


def unnamed(svg: str) -> str:
    """The SVG of which `named` made this one."""
    return _NAMED.sub(r"\1", svg).replace(' xml:space="preserve"', "")


def _family(face: str) -> str:
    return f' font-family="{typefaces.typeface_of(face).private}"'


def _placed(text: str, node: ElementTree.Element, face: str) -> str:
    """A text with each part in its place, if there are several or letters that are drawn as one."""
    lines = [(row, [*parts(row, node, face)]) for row in rows(node)]
    if all(one.run.face == face and not one.line.joints for _, found in lines for one in found):
        return text
    size = size_of(node)
    content = "".join(
        f'<tspan x="{round(x, 6):.10g}" y="{row.y:.10g}"{_family(one.run.face)}>'
        f"{escape(words)}</tspan>"
        for row, found in lines
        for one in found
        for x, words in _pieces(one, size)
    )
    head = _ANCHOR.sub("", text[: text.index(">") + 1], count=1)
    return f"{head}{content}</text>"


def _pieces(part: Part, size: float) -> Iterator[tuple[float, str]]:
    """What of a part our renderer sets by itself, each with its place."""
    text, scale = part.run.text, size / part.line.em
    if part.run.leftwards and not _has_direction(text):
        text = "".join(_MIRRORED.get(sign, sign) for sign in reversed(text))
    starts = [(0, 0), *part.line.joints]
    ends = [*(place for place, _ in starts[1:]), len(text)]
    for (place, x), end in zip(starts, ends, strict=True):
        words = text[place:end]
        if words.strip():
            blank = words[len(words.rstrip()) :] if part.run.leftwards else _leading(words)
            wide = outlines.line(blank, part.run.face).width
            yield part.x + scale * (x + wide), words.strip()


def _leading(words: str) -> str:
    """The blanks before the first word."""
    return words[: len(words) - len(words.lstrip())]


def _has_direction(text: str) -> bool:
    return any(unicodedata.bidirectional(sign) in ("R", "AL", "AN") for sign in text)


def _slanted(text: str) -> str:
    """A text in a slanted frame, and no more said to be in italics."""
    upright = re.sub(r' font-style="\w+"', "", text, count=1)
    return _FRAME.sub(rf"\g<0>{SLANT}", upright, count=1)
