"""Texts of an SVG in parts, each with the face that draws it: its typeface's or the fallback's.

Where a typeface has no italics, text that is set so is slanted.
"""

from __future__ import annotations

import re
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
    found = runs.runs(row.text, face)
    lines = [outlines.line(run.text, run.face) for run in found]
    widths = [size / line.em * line.width for line in lines]
    x = row.x - _BEFORE[node.get("text-anchor", "start")] * sum(widths)
    for run, line, width in zip(found, lines, widths, strict=True):
        yield Part(run, line, x)
        x += width


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
    return _each(svg, lambda text, _, face: _WORDS.sub(lambda at: _named(at[0], face), text))


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
        several = any(run.face != face for row in rows(node) for run in runs.runs(row.text, face))
        found = way(text, node, face) if several else text
        return _slanted(found) if slanted else found

    return TEXT.sub(lambda found: changed(found[0]), svg)


def _named(words: str, face: str) -> str:
    """The content of a text; what the fallback draws as an element of its own."""
    return "".join(
        escape(text) if one == face else f"<tspan{_family(one)}>{escape(text)}</tspan>"
        for one, text in runs.runs(unescape(words), face)
    )


def _family(face: str) -> str:
    return f' font-family="{typefaces.typeface_of(face).private}"'


def _placed(text: str, node: ElementTree.Element, face: str) -> str:
    content = "".join(
        f'<tspan x="{round(part.x, 6):.10g}" y="{row.y:.10g}"{_family(part.run.face)}>'
        f"{escape(part.run.text)}</tspan>"
        for row in rows(node)
        for part in parts(row, node, face)
    )
    head = _ANCHOR.sub("", text[: text.index(">") + 1], count=1)
    return f"{head}{content}</text>"


def _slanted(text: str) -> str:
    """A text in a slanted frame, and no more said to be in italics."""
    upright = re.sub(r' font-style="\w+"', "", text, count=1)
    return _FRAME.sub(rf"\g<0>{SLANT}", upright, count=1)
