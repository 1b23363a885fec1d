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
    joints: list[tuple[int, int]]
    """Places in the text, and how far to the right, before which our renderer goes wrong: it takes
    letters that are drawn as one to be as wide as the widest sign of theirs."""


@cache
def line(text: str, face: str, leftwards: bool = False) -> Line:
    """A line of text in a face such as `Regular`, from its left end on the baseline."""
    import uharfbuzz

    buffer = uharfbuzz.Buffer()
    buffer.add_str(text)
    buffer.guess_segment_properties()
    buffer.direction = "rtl" if leftwards else "ltr"
    buffer.language = "en"  # else that of the machine, which some fonts heed
    uharfbuzz.shape(typefaces.font(face), buffer)
    at, glyphs = 0, []
    widths: dict[int, list[int]] = {}
    for info, place in zip(buffer.glyph_infos, buffer.glyph_positions or (), strict=True):
        glyphs.append(Glyph(info.codepoint, at + place.x_offset, place.y_offset))
        at += place.x_advance
        widths.setdefault(info.cluster, []).append(place.x_advance)
    joints = [] if leftwards else _joints(widths)
    return Line(glyphs, at, typefaces.font(face).face.upem, joints)


def _joints(widths: dict[int, list[int]]) -> list[tuple[int, int]]:
    """The joints of a line: place of what is drawn as one → widths of its signs."""
    found, at, short = [], 0, False
    for place, parts in widths.items():
        if short:
            found.append((place, at))
        at, short = at + sum(parts), sum(parts) != max(parts)
    return found


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
