"""SVG with the record as metadata; text is set in an embedded subset of the typeface, or outlines.

Outlines are the same picture in every program, whatever fonts it reads: text is set as a renderer
sets it, kerned, and its words are left as labels of groups, and in title and description.
"""

from __future__ import annotations

import re
from base64 import b64encode
from functools import cache
from typing import TYPE_CHECKING
from xml.etree import ElementTree
from xml.sax.saxutils import escape, quoteattr

from heatproof.charts import typefaces
from heatproof.export.drawing import lines
from heatproof.util import canonical

if TYPE_CHECKING:
    from heatproof.export.drawing import Drawing

PX = 96 / 72  # CSS pixels, which are a number without a unit, to a pt
_ID = re.compile(r'(?<= id=")\w+(?=")|(?<="url\(#)\w+(?=\)")')
_TEXT = re.compile(r"<text\b[^>]*(?:(?<=/)>|>.*?</text>)", re.DOTALL)
_BEFORE = {"start": 0.0, "middle": 0.5, "end": 1.0}  # share of a line before its anchor


def write(drawing: Drawing) -> bytes:
    """The drawing as a document of its own, with title, description and record."""
    return _document(drawing, drawing.public, f"<style>{font_faces(drawing.texts)}</style>")


def write_outlined(drawing: Drawing) -> bytes:
    """The same without text elements."""
    return _document(drawing, _TEXT.sub(lambda text: _outlined(text[0]), drawing.svg), "")


def _document(drawing: Drawing, svg: str, style: str) -> bytes:
    """Its size has no unit, for some programs refuse one. Its ids hold the figure's own: several
    figures may stand in one page.
    """
    own = drawing.record.get("id")
    name = f"heatproof-{own}" if own else "heatproof"
    head = (
        f'<title id="{name}-title">{escape(drawing.title)}</title>'
        f'<desc id="{name}-description">{escape(drawing.description)}</desc>'
        f'<metadata id="{name}">{canonical.text(drawing.record)}</metadata>'
        f"{style}"
    )
    root, body = svg.split(">", 1)
    for side, length in zip(("width", "height"), drawing.size, strict=True):
        root = re.sub(rf'(?<= {side}=")[^"]*', f"{round(length * PX, 4):.10g}", root)
    body = _ID.sub(rf"\g<0>-{own}", body) if own else body
    names = f'role="img" aria-labelledby="{name}-title" aria-describedby="{name}-description"'
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{root} {names}>{head}{body}\n'.encode()


def font_faces(texts: dict[str, str]) -> str:
    """CSS that brings along the characters of each face: face → characters."""
    rules = []
    for face, text in texts.items():
        typeface = typefaces.typeface_of(face)
        weight, italic = typefaces.FACES[face.removeprefix(typeface.prefix)]
        data = b64encode(typefaces.subset(text, face)).decode()
        rules.append(
            f'@font-face{{font-family:"{typeface.family}";font-weight:{weight};'
            f"font-style:{'italic' if italic else 'normal'};"
            f'src:url("data:font/ttf;base64,{data}") format("truetype")}}'
        )
    return "".join(rules)


def _outlined(text: str) -> str:
    """A text element as a group of paths, a path for each of its lines."""
    node = ElementTree.fromstring(text)  # noqa: S314 - it comes from our own renderer
    gone = ("x", "y", "text-anchor", "transform")
    kept = {k: v for k, v in node.items() if k not in gone and not k.startswith("font-")}
    size, before = float(node.get("font-size", "0").removesuffix("px")), node.get("text-anchor")
    x, y = float(node.get("x", 0)), float(node.get("y", 0))
    labels, paths = [], []
    for line, face, _ in lines(node):
        x, y = float(line.get("x", x)), float(line.get("y", y)) + float(line.get("dy", 0))
        # As SVG has it: runs of white space are one space.
        words = re.sub("[ \t\n]+", " ", line.text or "").strip(" ")
        if not words:
            continue
        labels.append(" ".join(words.split()))
        outline, width = _outline(words, face)
        scale = size / typefaces.font(face).face.upem
        start = x - _BEFORE[before or "start"] * scale * width
        moved = f"{node.get('transform', '')}translate({_number(start)},{_number(y)})"
        scaled = f"scale({_number(scale)},{_number(-scale)})"
        paths.append(f'<path transform="{moved}{scaled}" d="{outline}"/>')
    kept["aria-label"] = " ".join(labels)
    attributes = "".join(f" {name}={quoteattr(value)}" for name, value in kept.items())
    return f"<g{attributes}>{''.join(paths)}</g>"


@cache
def _outline(text: str, face: str) -> tuple[str, int]:
    """A line as the data of a path, from its left end on the baseline, y upwards; and its width."""
    import uharfbuzz

    buffer = uharfbuzz.Buffer()
    buffer.add_str(text)
    buffer.guess_segment_properties()
    buffer.direction = "ltr"
    buffer.language = "en"  # else that of the machine, which some fonts heed
    font = typefaces.font(face)
    uharfbuzz.shape(font, buffer)
    right, left, up, path = 0, 0, 0, list[str]()

    def draw(command: str, *places: float) -> None:
        pairs = zip(places[::2], places[1::2], strict=True)
        path.append(command + " ".join(f"{left + x:.10g} {up + y:.10g}" for x, y in pairs))

    pen = uharfbuzz.DrawFuncs()
    pen.set_move_to_func(lambda x, y, _: draw("M", x, y))
    pen.set_line_to_func(lambda x, y, _: draw("L", x, y))
    pen.set_quadratic_to_func(lambda x1, y1, x, y, _: draw("Q", x1, y1, x, y))
    pen.set_cubic_to_func(lambda x1, y1, x2, y2, x, y, _: draw("C", x1, y1, x2, y2, x, y))
    pen.set_close_path_func(lambda _: draw("Z"))
    for glyph, place in zip(buffer.glyph_infos, buffer.glyph_positions or (), strict=True):
        left, up = right + place.x_offset, place.y_offset
        font.draw_glyph(glyph.codepoint, pen)
        right += place.x_advance
    return "".join(path), right


def _number(value: float) -> str:
    return f"{round(value, 6) or 0:.10g}"
