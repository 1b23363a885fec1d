"""SVG whose letters are outlines: the same picture in every program, whatever fonts it reads.

Each glyph stands once, and each letter names it. The words themselves are left as labels of groups,
and in title and description.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple
from xml.etree import ElementTree
from xml.sax.saxutils import quoteattr

from heatproof.charts import lettering, outlines
from heatproof.export import svg

if TYPE_CHECKING:
    from collections.abc import Iterator

    from heatproof.export.drawing import Drawing

record = svg.record

_TEXT = re.compile(r"<text\b[^>]*(?:(?<=/)>|>.*?</text>)", re.DOTALL)
_OF_TEXT = frozenset({"x", "y", "text-anchor", "transform"})
"""Attributes that an outline has no more, besides those of the font."""
_BEFORE = {"start": 0.0, "middle": 0.5, "end": 1.0}
"""Anchor → the share of a line that lies before it."""


class Row(NamedTuple):
    """A line of a text, and the place of its anchor in pt."""

    text: str
    x: float
    y: float


def write(drawing: Drawing) -> bytes:
    """The drawing without text elements; same drawing, same bytes."""
    used: dict[tuple[str, int], str] = {}
    drawn = _TEXT.sub(lambda found: _outlined(found[0], used), drawing.svg)
    glyphs = "".join(f'<path id="{_name(*key)}" d="{used[key]}"/>' for key in sorted(used))
    root, body = drawn.split(">", 1)
    return svg.document(drawing, f"{root}><defs>{glyphs}</defs>{body}", "")


def _name(face: str, glyph: int) -> str:
    return f"{face}{glyph}"


def _outlined(text: str, used: dict[tuple[str, int], str]) -> str:
    """A text element as a group; the outlines of its glyphs are noted in `used`."""
    node = ElementTree.fromstring(text)  # noqa: S314 - it comes from our own renderer
    style = node.get("font-weight", "normal"), node.get("font-style", "normal")
    face = lettering.face(*style, node.get("font-family", ""))
    size = float(node.get("font-size", "0").removesuffix("px"))
    before = _BEFORE[node.get("text-anchor", "start")]
    kept = {k: v for k, v in node.items() if k not in _OF_TEXT and not k.startswith("font-")}
    rows = [*_rows(node)]
    kept["aria-label"] = " ".join(row.text for row in rows)
    drawn = []
    for row in rows:
        line = outlines.line(row.text, face)
        scale = size / line.em
        x = row.x - before * line.width * scale
        moved = f"{node.get('transform', '')}translate({_number(x)},{_number(row.y)})"
        letters = "".join(_letters(line, face, used))
        drawn.append(
            f'<g transform="{moved}scale({_number(scale)},{_number(-scale)})">{letters}</g>'
        )
    told = "".join(f" {name}={quoteattr(value)}" for name, value in kept.items())
    return f"<g{told}>{''.join(drawn)}</g>"


def _rows(node: ElementTree.Element) -> Iterator[Row]:
    """The lines of a text: itself, or its parts, each below the one before."""
    x, y = float(node.get("x", 0)), float(node.get("y", 0))
    for part in [node, *node]:
        x = float(part.get("x", x))
        y += float(part.get("dy", 0))
        # As SVG has it: runs of white space are one space.
        if words := re.sub("[ \t\n]+", " ", part.text or "").strip(" "):
            yield Row(words, x, y)


def _letters(line: outlines.Line, face: str, used: dict[tuple[str, int], str]) -> Iterator[str]:
    for number, x, y in line.glyphs:
        if outline := outlines.outline(number, face):
            used[face, number] = outline
            raised = f' y="{y}"' if y else ""
            yield f'<use xlink:href="#{_name(face, number)}" x="{x}"{raised}/>'


def _number(value: float) -> str:
    return f"{round(value, 6) or 0:.10g}"
