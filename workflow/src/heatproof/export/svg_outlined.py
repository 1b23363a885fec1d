"""SVG whose letters are outlines: the same picture in every program, whatever fonts it reads.

Text is set as a renderer sets it: kerned, with ligatures. Each glyph stands once, and each letter
names it. The words themselves are left as labels of groups, and in title and description.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING
from xml.etree import ElementTree
from xml.sax.saxutils import quoteattr

from heatproof.charts import typefaces
from heatproof.export import svg
from heatproof.export.drawing import lines

if TYPE_CHECKING:
    from heatproof.export.drawing import Drawing

    Glyph = tuple[int, int, int]
    """Its number in a face, and where it begins."""

record = svg.record

_TEXT = re.compile(r"<text\b[^>]*(?:(?<=/)>|>.*?</text>)", re.DOTALL)
_OF_TEXT = frozenset({"x", "y", "text-anchor", "transform"})
"""Attributes that an outline has no more, besides those of the font."""
_BEFORE = {"start": 0.0, "middle": 0.5, "end": 1.0}
"""Anchor → the share of a line that lies before it."""


def write(drawing: Drawing) -> bytes:
    """The drawing without text elements; same drawing, same bytes."""
    outlines: dict[tuple[str, int], str] = {}
    drawn = _TEXT.sub(lambda text: _outlined(text[0], outlines), drawing.svg)
    glyphs = (
        f'<path id="{face}{number}" d="{outlines[face, number]}"/>'
        for face, number in sorted(outlines)
    )
    root, body = drawn.split(">", 1)
    return svg.document(drawing, f"{root}><defs>{''.join(glyphs)}</defs>{body}", "")


def _outlined(text: str, outlines: dict[tuple[str, int], str]) -> str:
    """A text element as a group; the outlines of its glyphs are added to `outlines`."""
    node = ElementTree.fromstring(text)  # noqa: S314 - it comes from our own renderer
    kept = {k: v for k, v in node.items() if k not in _OF_TEXT and not k.startswith("font-")}
    size, before = float(node.get("font-size", "0").removesuffix("px")), node.get("text-anchor")
    x, y = float(node.get("x", 0)), float(node.get("y", 0))
    labels, drawn = [], []
    for line, face, _ in lines(node):
        x, y = float(line.get("x", x)), float(line.get("y", y)) + float(line.get("dy", 0))
        # As SVG has it: runs of white space are one space.
        words = re.sub("[ \t\n]+", " ", line.text or "").strip(" ")
        if not words:
            continue
        labels.append(" ".join(words.split()))
        glyphs, width = _glyphs(words, face)
        scale = size / typefaces.font(face).face.upem
        start = x - _BEFORE[before or "start"] * scale * width
        moved = f"{node.get('transform', '')}translate({_number(start)},{_number(y)})"
        letters = []
        for number, right, up in glyphs:
            if outline := _outline(number, face):
                outlines[face, number] = outline
                raised = f' y="{up}"' if up else ""
                letters.append(f'<use xlink:href="#{face}{number}" x="{right}"{raised}/>')
        scaled = f"scale({_number(scale)},{_number(-scale)})"
        drawn.append(f'<g transform="{moved}{scaled}">{"".join(letters)}</g>')
    kept["aria-label"] = " ".join(labels)
    attributes = "".join(f" {name}={quoteattr(value)}" for name, value in kept.items())
    return f"<g{attributes}>{''.join(drawn)}</g>"


@cache
def _glyphs(text: str, face: str) -> tuple[list[Glyph], int]:
    """The glyphs of a line in a face, from its left end on the baseline, and its width."""
    import uharfbuzz

    buffer = uharfbuzz.Buffer()
    buffer.add_str(text)
    buffer.guess_segment_properties()
    buffer.direction = "ltr"
    buffer.language = "en"  # else that of the machine, which some fonts heed
    uharfbuzz.shape(typefaces.font(face), buffer)
    at, glyphs = 0, []
    for info, place in zip(buffer.glyph_infos, buffer.glyph_positions or (), strict=True):
        glyphs.append((info.codepoint, at + place.x_offset, place.y_offset))
        at += place.x_advance
    return glyphs, at


@cache
def _outline(glyph: int, face: str) -> str:
    """A glyph as the data of an SVG path, y upwards; empty of a space."""
    import uharfbuzz

    drawn: list[str] = []
    pen = uharfbuzz.DrawFuncs()
    pen.set_move_to_func(lambda x, y, _: drawn.append(f"M{x:g} {y:g}"))
    pen.set_line_to_func(lambda x, y, _: drawn.append(f"L{x:g} {y:g}"))
    pen.set_quadratic_to_func(lambda x1, y1, x, y, _: drawn.append(f"Q{x1:g} {y1:g} {x:g} {y:g}"))
    pen.set_cubic_to_func(
        lambda x1, y1, x2, y2, x, y, _: drawn.append(f"C{x1:g} {y1:g} {x2:g} {y2:g} {x:g} {y:g}")
    )
    pen.set_close_path_func(lambda _: drawn.append("Z"))
    typefaces.font(face).draw_glyph(glyph, pen)
    return "".join(drawn)


def _number(value: float) -> str:
    return f"{round(value, 6) or 0:.10g}"
