"""SVG whose letters are outlines: the same picture in every program, whatever fonts it reads.

Each glyph stands once, and each letter names it. The words themselves are left as labels of groups,
and in title and description.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree
from xml.sax.saxutils import quoteattr

from heatproof.charts import outlines
from heatproof.export import drawing as drawings
from heatproof.export import svg

if TYPE_CHECKING:
    from collections.abc import Iterator

    from heatproof.export.drawing import Drawing

record = svg.record

_OF_TEXT = frozenset({"x", "y", "text-anchor", "transform"})
"""Attributes that an outline has no more, besides those of the font."""


def write(drawing: Drawing) -> bytes:
    """The drawing without text elements; same drawing, same bytes."""
    used: dict[tuple[str, int], str] = {}
    drawn = drawings.TEXT.sub(lambda found: _outlined(found[0], used), drawing.svg)
    glyphs = "".join(f'<path id="{_name(*key)}" d="{used[key]}"/>' for key in sorted(used))
    root, body = drawn.split(">", 1)
    return svg.document(drawing, f"{root}><defs>{glyphs}</defs>{body}", "")


def _name(face: str, glyph: int) -> str:
    return f"{face}{glyph}"


def _outlined(text: str, used: dict[tuple[str, int], str]) -> str:
    """A text element as a group; the outlines of its glyphs are noted in `used`."""
    node = ElementTree.fromstring(text)  # noqa: S314 - it comes from our own renderer
    frame = node.get("transform", "")
    kept = {k: v for k, v in node.items() if k not in _OF_TEXT and not k.startswith("font-")}
    lines = (" ".join((line.text or "").split()) for line in [node, *node])
    kept["aria-label"] = " ".join(filter(None, lines))
    drawn = []
    for part in drawings.parts(node):
        moved = f"{frame}translate({_number(part.x)},{_number(part.y)})"
        scaled = f"scale({_number(part.scale)},{_number(-part.scale)})"
        letters = "".join(_letters(part.line, part.face, used))
        drawn.append(f'<g transform="{moved}{scaled}">{letters}</g>')
    told = "".join(f" {name}={quoteattr(value)}" for name, value in kept.items())
    return f"<g{told}>{''.join(drawn)}</g>"


def _letters(line: outlines.Line, face: str, used: dict[tuple[str, int], str]) -> Iterator[str]:
    for number, x, y in line.glyphs:
        if outline := outlines.outline(number, face):
            used[face, number] = outline
            raised = f' y="{y}"' if y else ""
            yield f'<use xlink:href="#{_name(face, number)}" x="{x}"{raised}/>'


def _number(value: float) -> str:
    return f"{round(value, 6) or 0:.10g}"
