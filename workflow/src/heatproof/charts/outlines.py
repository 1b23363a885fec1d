"""Text as the outlines of its glyphs, set as a renderer sets it: kerned, with ligatures."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from heatproof.charts import typefaces


class Glyph(NamedTuple):
    """A glyph of a face, and where it begins."""

    number: int
    x: int
    y: int


class Line(NamedTuple):
    """A line of text; lengths are those of the font, `em` of them to the size of the type."""

    glyphs: list[Glyph]
    width: int
    em: int


@cache
def line(text: str, face: str) -> Line:
    """A line of text in a face such as `Regular`, from its left end on the baseline."""
    import uharfbuzz

    buffer = uharfbuzz.Buffer()
    buffer.add_str(text)
    buffer.guess_segment_properties()
    buffer.direction = "ltr"
    buffer.language = "en"  # else that of the machine, which some fonts heed
    uharfbuzz.shape(typefaces.font(face), buffer)
    at, glyphs = 0, []
    for info, place in zip(buffer.glyph_infos, buffer.glyph_positions or (), strict=True):
        glyphs.append(Glyph(info.codepoint, at + place.x_offset, place.y_offset))
        at += place.x_advance
    return Line(glyphs, at, typefaces.font(face).face.upem)


@cache
def outline(glyph: int, face: str) -> str:
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
