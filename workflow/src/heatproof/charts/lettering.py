"""The typefaces of figures, and text that must fit a width: measured, never guessed.

Both are taken from their packages and never from the system.

The renderer looks a family up among all fonts it knows, those of the system first. A copy of the
faces under a name that no system has is therefore what is drawn; files carry the true name.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple

from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    import uharfbuzz


ELLIPSIS = "…"
_WORD = re.compile(r"(?:\u00a0|\S)+?[-/_]+(?=[^\s/_-]{3})|(?:\u00a0|\S)+[ \t\n]*|\s+")


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

    A word may still be too wide. A no-break space is part of a word, and so is a hyphen with one or
    two letters after it.
    """
    lines = [""]
    for word in _WORD.findall(text):
        if lines[-1] and text_width((lines[-1] + word).rstrip(), size, bold) > room:
            lines.append("")
        lines[-1] += word
    return [line.strip() for line in lines]


class Typeface(NamedTuple):
    """A family of faces that lies in a package."""

    family: str
    private: str
    """As long as the family, so that one can replace the other in the name table of a font."""
    prefix: str
    """Before the names of its faces."""
    package: str
    files: str
    """Before the names of its files."""
    others: str
    """For programs that read no embedded font: its newer name, in quotes since a word is a number,
    and faces that are no wider, so that text stays in its room."""
    generic: str

    @property
    def stack(self) -> str:
        """The value of a `font` of Vega-Lite."""
        return f"{self.family}, {self.generic}"


TYPEFACES = {
    "sans": Typeface(
        "Source Sans Pro", "HeatproofFigure", "", "font-source-sans-pro", "SourceSansPro",
        "'Source Sans 3', Liberation Sans Narrow, Arial Narrow", "sans-serif",
    ),
    "serif": Typeface(
        "Source Serif Pro", "HeatproofLetters", "Serif", "font-source-serif-pro", "SourceSerifPro",
        "'Source Serif 4', Times New Roman, Liberation Serif", "serif",
    ),
}  # fmt: skip
SANS = TYPEFACES["sans"]
_typeface = ContextVar("_typeface", default=SANS)


@contextmanager
def using(word: str) -> Iterator[None]:
    """Measure, and have charts set, in a typeface: `sans` or `serif`."""
    before = _typeface.set(TYPEFACES[word])
    try:
        yield
    finally:
        _typeface.reset(before)


def typeface() -> Typeface:
    """The one that is measured and set now."""
    return _typeface.get()


def with_private(text: str) -> str:
    """A text with the families under the names that our renderer knows them by."""
    for one in TYPEFACES.values():
        text = text.replace(one.family, one.private)
    return text


FACES = {
    (400, False): "Regular",
    (600, False): "Semibold",
    (700, False): "Bold",
    (400, True): "It",
    (700, True): "BoldIt",
}
_WEIGHTS = {"normal": 400, "bold": 700, "bolder": 700, "lighter": 400}
_LAYOUT_FEATURES = [b"kern", b"mark", b"mkmk", b"ccmp", b"locl"]
_NAMES_KEPT = [0, 1, 2, 4, 6, 13, 14]  # among them the licence and its address

_registered: dict[str, TemporaryDirectory[str]] = {}  # live as long as the process that draws


def face(weight: str = "normal", style: str = "normal", family: str = "") -> str:
    """The face in which SVG draws text of this `font-weight` and `font-style`, by CSS's rule.

    `family`: a stack that begins with a private name; else that of `SANS` is meant.
    """
    wanted = _WEIGHTS.get(weight) or float(weight)
    italic = style in ("italic", "oblique")
    heavier = sorted(have for have, slanted in FACES if slanted == italic and have >= wanted > 500)
    found = FACES[next(iter(heavier), 400 if wanted <= 500 else 700), italic]
    prefix = next((t.prefix for t in TYPEFACES.values() if family.startswith(t.private)), "")
    return f"{prefix}{found}"


def plain(word: str) -> str:
    """The face in which most of a figure is set: `sans` or `serif`."""
    return f"{TYPEFACES[word].prefix}Regular"


def typeface_of(face: str) -> Typeface:
    """The typeface that a face is of."""
    return next((t for t in TYPEFACES.values() if t.prefix and face.startswith(t.prefix)), SANS)


def style_of(face: str) -> tuple[int, bool]:
    """Weight of a face, and whether it is italic."""
    plain = face.removeprefix(typeface_of(face).prefix)
    return next(key for key, name in FACES.items() if name == plain)


@cache
def path(name: str) -> Path:
    """The TTF of a face, e.g. `Regular`, `SerifBold`.

    Raises:
        Error: the package with the font is not installed.
    """
    one = typeface_of(name)
    package = find_spec(one.package.replace("-", "_"))
    if package is None or not package.submodule_search_locations:
        raise Error(f"figures are set in {one.family}: install the package {one.package}")
    plain = name.removeprefix(one.prefix)
    return Path(package.submodule_search_locations[0]) / "files" / f"{one.files}-{plain}.ttf"


def register(one: Typeface = SANS) -> None:
    """Let vl_convert draw with the five faces, as the private family; once per process.

    Raises:
        Error: text in that family would not be drawn, or each face not as itself.
    """
    if one.family in _registered:
        return
    import vl_convert

    folder = TemporaryDirectory(prefix="heatproof-fonts-")
    for name in FACES.values():
        font = path(f"{one.prefix}{name}").read_bytes()
        private = font.replace(_utf16(one.family), _utf16(one.private))
        Path(folder.name, f"{name}.ttf").write_bytes(private)
    vl_convert.register_font_directory(folder.name)
    _probe(one)
    _registered[one.family] = folder


def register_all(text: str) -> None:
    """Register the typefaces that a text names, by either name; `SANS` always."""
    for one in TYPEFACES.values():
        if one is SANS or one.family in text or one.private in text:
            register(one)


def _utf16(text: str) -> bytes:
    return text.encode("utf-16-be")


def _probe(one: Typeface) -> None:
    """An unknown family draws nothing and says nothing, hence a look at what is drawn."""
    from vl_convert import svg_to_png

    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" width="24" height="16"><text y="12" '
        'font-family="{}" font-size="12" font-weight="{}" font-style="{}">Rg</text></svg>'
    )
    styles = [(one.private, weight, "italic" if italic else "normal") for weight, italic in FACES]
    drawn = {svg_to_png(svg.format(*style)) for style in [("no such family", 400, ""), *styles]}
    if len(drawn) != len(FACES) + 1:
        raise Error(f"{one.family}: {len(drawn) - 1} of {len(FACES)} faces are drawn; reinstall it")


@cache
def font(name: str) -> uharfbuzz.Font:
    """A face as HarfBuzz has it, such as `Regular`."""
    import uharfbuzz

    return uharfbuzz.Font(uharfbuzz.Face(uharfbuzz.Blob(path(name).read_bytes())))


@cache
def _advances(name: str) -> dict[int, float]:
    """Character → advance width in em."""
    found = font(name)
    glyphs = {code: found.get_nominal_glyph(code) for code in found.face.unicodes}
    em = found.face.upem
    return {code: found.get_glyph_h_advance(glyph) / em for code, glyph in glyphs.items()}


def text_width(text: str, size: float, bold: bool = False) -> float:
    """Width of a line of text, in the unit of `size` (pt), without kerning.

    A character that the font lacks counts as one em.
    """
    advances = _advances(f"{typeface().prefix}{'Bold' if bold else 'Regular'}")
    return size * sum(advances.get(ord(character), 1.0) for character in text)


def missing(text: str, name: str = "Regular") -> list[str]:
    """The characters of `text` for which the face has no glyph, sorted."""
    return sorted({c for c in text if ord(c) not in _advances(name) and c not in "\n\r\t"})


def fault(text: str, name: str = "Regular") -> str:
    """Which characters a face cannot draw, as the end of a sentence; empty if it draws all."""
    signs = ", ".join(f"{sign!r} (U+{ord(sign):04X})" for sign in missing(text, name))
    one = typeface_of(name)
    called = f"{one.family} {name.removeprefix(one.prefix)}"
    return signs and f"holds {signs}, which {called} cannot draw"


@cache
def subset(text: str, name: str = "Regular") -> bytes:
    """A TTF of one face with the glyphs of `text` alone: same characters, same bytes."""
    import uharfbuzz

    wanted = uharfbuzz.SubsetInput()
    wanted.unicode_set.update(map(ord, text))
    wanted.flags = uharfbuzz.SubsetFlags.NO_HINTING
    wanted.name_id_set.clear()
    wanted.name_id_set.update(_NAMES_KEPT)
    wanted.layout_feature_tag_set.clear()
    wanted.layout_feature_tag_set.update(int.from_bytes(tag) for tag in _LAYOUT_FEATURES)
    return bytes(uharfbuzz.subset(font(name).face, wanted).blob.data)
