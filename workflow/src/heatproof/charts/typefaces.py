"""The typefaces of figures: from packages or from files of the project, never from the system.

The renderer looks a family up among all fonts it knows, those of the system first. A copy of the
faces under a name that no system has is therefore what is drawn; files carry the true name.
"""

from __future__ import annotations

import hashlib
import io
import re
import unicodedata
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from heatproof.config.venues import STYLES, Font
from heatproof.util import hashed
from heatproof.util.errors import Error, unreadable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import uharfbuzz
    from fontTools.ttLib import TTFont

FACES = {
    (400, False): "Regular",
    (600, False): "Semibold",
    (700, False): "Bold",
    (400, True): "It",
    (700, True): "BoldIt",
}
"""Weight of a face and whether it is italic → its name, after the prefix of its typeface."""
STYLE_OF = {name: style for style, name in FACES.items()}
OWN = dict(zip(STYLES, ("Regular", "Bold", "It"), strict=True))
"""Key of config.yaml → the face of a typeface from files."""
SIGNS = frozenset("\u00a0°±²µ·¹×÷Δ–…→−√≤≥⁶⁸◆")
"""What figures print by themselves: a line with one that a typeface from files lacks is set in a
package's."""
_LETTERS = "".join(map(chr, range(32, 127)))
_PLAIN = re.compile(r"[A-Za-z][A-Za-z-]*( [A-Za-z][A-Za-z-]*)*")
_WEIGHTS = {"normal": 400, "bold": 700, "bolder": 700, "lighter": 400}


class Typeface(NamedTuple):
    """A family of faces."""

    family: str
    private: str
    """For a package's, as long as the family, so that one can replace the other in a font."""
    prefix: str
    """Before the names of its faces."""
    others: str
    """For programs that read no embedded font: its other names, in quotes where one is a number,
    and faces that are no wider, so that text stays in its room."""
    generic: str
    package: str = ""
    files: str = ""
    """Before the names of its files in the package."""
    faces: tuple[str, ...] = tuple(FACES.values())
    """The names of its faces, after the prefix."""
    lacks: frozenset[str] = frozenset()
    """Those of `SIGNS` that a face of it cannot draw."""

    @property
    def stack(self) -> str:
        """The value of a `font` of Vega-Lite."""
        return ", ".join([css(self.family), self.generic])

    @property
    def packaged(self) -> Typeface:
        """That of a package: itself, or the one that has the signs which it may lack."""
        return self if self.package else TYPEFACES["serif" if self.generic == "serif" else "sans"]

    def drawing(self, line: str) -> Typeface:
        """The typeface in which a line is set: itself, or a package's for the signs it lacks."""
        return self.packaged if self.lacks & {*line} else self


def css(family: str) -> str:
    """A family's name as a style sheet has it: in quotes where it is more than words."""
    return family if _PLAIN.fullmatch(family) else "'" + re.sub(r"[\\'\"<>&,;]", "", family) + "'"


TYPEFACES = {
    "sans": Typeface(
        "Source Sans Pro", "HeatproofFigure", "",
        "'Source Sans 3', Liberation Sans Narrow, Arial Narrow", "sans-serif",
        "font-source-sans-pro", "SourceSansPro",
    ),
    "serif": Typeface(
        "Source Serif Pro", "HeatproofLetters", "Serif",
        "'Source Serif 4', Times New Roman, Liberation Serif", "serif",
        "font-source-serif-pro", "SourceSerifPro",
    ),
}  # fmt: skip
SANS = TYPEFACES["sans"]
_typeface = ContextVar("_typeface", default=SANS)
_from_files: dict[str, Typeface] = {}
"""Prefix → typeface, of those from files that this process has read."""
_font_data: dict[str, bytes] = {}
"""Face → its font file, likewise."""


@contextmanager
def using(face: Typeface) -> Iterator[None]:
    """Measure, and have charts set, in a typeface."""
    before = _typeface.set(face)
    try:
        yield
    finally:
        _typeface.reset(before)


def typeface() -> Typeface:
    """The one that is measured and set now."""
    return _typeface.get()


def loaded() -> list[Typeface]:
    """All that may occur in a drawing, each by its private name."""
    return [*_from_files.values(), *TYPEFACES.values()]


def load(font: str | Font, root: Path = Path()) -> Typeface:
    """The typeface that a figure asks for; its files lie below `root`.

    Raises:
        Error: a line for each file that cannot be drawn and embedded: `.regular: …`.
    """
    if isinstance(font, str):
        return TYPEFACES[font]
    faults, fonts = [], {}
    for style, name in OWN.items():
        path = getattr(font, style)
        try:
            fonts[name] = _read_font(root / path)
        except Error as error:
            faults.append(f".{style}: {path!r} {error}")
    if faults:
        raise Error("\n".join(faults))
    family = fonts["Regular"]["name"].getBestFamilyName() or Path(font.regular).stem
    data = {name: _font_bytes(face) for name, face in fonts.items()}
    digest = hashlib.sha256(b"".join(data.values())).hexdigest()[:12]
    generic = "serif" if _has_serifs(fonts["Regular"], family) else "sans-serif"
    others = TYPEFACES["serif" if generic == "serif" else "sans"].others
    lacks = {
        sign for face in fonts.values() for sign in SIGNS if ord(sign) not in face.getBestCmap()
    }
    face = Typeface(
        family, f"Heatproof{digest}", f"Own{digest}", others, generic,
        faces=(*fonts,), lacks=frozenset(lacks),
    )  # fmt: skip
    _font_data.update({f"{face.prefix}{name}": content for name, content in data.items()})
    _from_files[face.prefix] = face
    return face


def of_record(record: Mapping[str, Any], root: Path = Path()) -> Typeface:
    """The typeface of a figure, from its provenance record.

    Raises:
        Error: it is of files that are not those which the record names.
    """
    font = record.get("entry", {}).get("font", "sans")
    if isinstance(font, str):
        return TYPEFACES[font]
    for path, digest in record.get("fonts", {}).items():
        if hashed.of_place(root / path) != digest:
            raise Error(f"{path} is not the font file that the figure was made with")
    return load(msgspec.convert(font, Font), root)


def _read_font(path: Path) -> TTFont:
    """A font file that can be drawn and embedded, without the joining of letters into one glyph.

    Our renderer takes joined letters to be as wide as the widest of them.

    Raises:
        Error: it cannot: the end of a sentence about the file.
    """
    from fontTools.ttLib import TTFont, TTLibError

    try:
        font = TTFont(io.BytesIO(path.read_bytes()))
        rights = font["OS/2"].fsType
        lacking = [sign for sign in _LETTERS if ord(sign) not in font.getBestCmap()]
        font.ensureDecompiled()
    except FileNotFoundError:
        raise Error("is not there") from None
    except OSError as error:
        raise unreadable(f"{path}", error) from error
    except (TTLibError, ImportError, KeyError, TypeError, ValueError, AssertionError):
        raise Error("is no font that can be drawn, or damaged; there are .ttf and .otf") from None
    if rights & 0xF == 2 or rights & 0x300:
        raise Error(
            f"may not be embedded in parts, as it says itself (fsType 0x{rights:04X}); figures "
            "embed the letters that they use"
        )
    if lacking or "fvar" in font:
        what = f"lacks {lacking[0]!r} and {len(lacking) - 1} more" if lacking else "is variable"
        raise Error(f"{what}; give a file of one face that has digits and Latin letters")
    for table in ("GSUB", "DSIG"):
        if table in font:
            del font[table]
    return font


def _font_bytes(font: TTFont) -> bytes:
    file = io.BytesIO()
    font.recalcTimestamp = False
    font.save(file)
    return file.getvalue()


def _has_serifs(font: TTFont, family: str) -> bool:
    """By PANOSE, else by the family's name."""
    panose = font["OS/2"].panose
    if panose.bFamilyType == 2 and panose.bSerifStyle >= 2:
        return bool(panose.bSerifStyle <= 10)
    return "sans" not in family.lower()


def _rename(name: str, face: Typeface) -> bytes:
    """A face from a file as the one of its weight and slant in the private family."""
    from fontTools.ttLib import TTFont

    weight, italic = STYLE_OF[name]
    style = {"It": "Italic"}.get(name, name)
    font = TTFont(io.BytesIO(_font_data[f"{face.prefix}{name}"]))
    table = font["name"]
    postscript = table.getDebugName(6) or face.private
    table.names = []
    names = {1: face.private, 2: style, 4: f"{face.private} {style}", 6: postscript}
    for number, text in names.items():
        table.setName(text, number, 3, 1, 0x409)
    font["OS/2"].usWeightClass, font["OS/2"].usWidthClass = weight, 5
    regular = weight == 400 and not italic
    font["OS/2"].fsSelection = 0x40 * regular | 0x20 * (weight > 400) | int(italic)
    font["head"].macStyle = int(weight > 400) | int(italic) << 1
    return _font_bytes(font)


def with_private(text: str, face: Typeface = SANS) -> str:
    """A stack with families under the names that our renderer knows them by."""
    for typeface in (face, *TYPEFACES.values()):
        text = text.replace(css(typeface.family), typeface.private)
    return text


def face(weight: str = "normal", style: str = "normal", family: str = "") -> str:
    """The face in which SVG draws text of this `font-weight` and `font-style`, by CSS's rule.

    `family`: a stack that begins with a private name, else that of `SANS`.
    """
    typeface = next((own for own in loaded() if family.startswith(own.private)), SANS)
    number, italic = _WEIGHTS.get(weight) or float(weight), style in ("italic", "oblique")
    weights = {STYLE_OF[name][0]: name for name in typeface.faces if STYLE_OF[name][1] == italic}
    heavier = [heavy for heavy in sorted(weights) if heavy >= number > 500]
    nearest = heavier[0] if heavier else (max(weights) if number > 500 else min(weights))
    return typeface.prefix + weights[nearest]


def typeface_of(face: str) -> Typeface:
    """The typeface that a face is of."""
    return next((own for own in loaded() if own.prefix and face.startswith(own.prefix)), SANS)


def style_of(face: str) -> tuple[int, bool]:
    """Weight of a face, and whether it is italic."""
    return STYLE_OF[face.removeprefix(typeface_of(face).prefix)]


@cache
def path(face: str) -> Path:
    """The TTF of a face that lies in a package, e.g. `Regular`, `SerifBold`.

    Raises:
        Error: the package with the font is not installed.
    """
    typeface = typeface_of(face)
    package = find_spec(typeface.package.replace("-", "_"))
    if package is None or not package.submodule_search_locations:
        raise Error(f"figures are set in {typeface.family}: install the package {typeface.package}")
    name = face.removeprefix(typeface.prefix)
    return Path(package.submodule_search_locations[0]) / "files" / f"{typeface.files}-{name}.ttf"


@cache
def font(face: str) -> uharfbuzz.Font:
    """A face as HarfBuzz has it, such as `Regular`."""
    import uharfbuzz

    data = _font_data.get(face) or path(face).read_bytes()
    return uharfbuzz.Font(uharfbuzz.Face(uharfbuzz.Blob(data)))


_registered: dict[str, TemporaryDirectory[str]] = {}  # live as long as the process that draws


def register(typeface: Typeface = SANS) -> None:
    """Let vl_convert draw with a typeface, as its private family; once per process."""
    if typeface.private in _registered:
        return
    import vl_convert

    folder = TemporaryDirectory(prefix="heatproof-fonts-")
    family, private = (text.encode("utf-16-be") for text in (typeface.family, typeface.private))
    for name in typeface.faces:
        if typeface.package:
            data = path(f"{typeface.prefix}{name}").read_bytes().replace(family, private)
        else:
            data = _rename(name, typeface)
        Path(folder.name, f"{name}.ttf").write_bytes(data)
    vl_convert.register_font_directory(folder.name)
    _registered[typeface.private] = folder


def register_all(text: str, typeface: Typeface = SANS) -> None:
    """Register a typeface, those of packages that a text names by either name, and `SANS`."""
    for face in TYPEFACES.values():
        if face.family in text or face.private in text:
            register(face)
    for face in (SANS, typeface, typeface.packaged):
        register(face)


class Advances(dict[int, float]):
    """Character → advance width in em, 1 of those that the face lacks; looked up once."""

    def __init__(self, face: str) -> None:
        self.font = font(face)

    def __missing__(self, code: int) -> float:
        glyph = self.font.get_nominal_glyph(code)
        self[code] = self.font.get_glyph_h_advance(glyph) / self.font.face.upem if glyph else 1.0
        return self[code]


@cache
def advances(face: str) -> Advances:
    """Advance widths of a face."""
    return Advances(face)


def missing(text: str, face: str = "Regular") -> list[str]:
    """The characters of `text` that cannot be drawn in a face, sorted."""
    signs = {*text} - {*"\n\r\t"}
    return sorted(sign for sign in signs if not font(face).get_nominal_glyph(ord(sign)))


def fault(text: str, face: str = "Regular") -> str:
    """What of a text cannot be drawn, as the end of a sentence; empty if all can."""
    name = f"{typeface_of(face).family} {face.removeprefix(typeface_of(face).prefix)}"
    if signs := ", ".join(f"{sign!r} (U+{ord(sign):04X})" for sign in missing(text, face)):
        return f"holds {signs}, which {name} cannot draw"
    if any(unicodedata.bidirectional(sign) in ("R", "AL", "AN") for sign in text):
        return "runs from right to left, which figures cannot set"
    return ""


_LAYOUT_FEATURES = [b"kern", b"mark", b"mkmk", b"ccmp", b"locl"]
_NAMES_KEPT = [0, 1, 2, 4, 6, 13, 14]  # among them the licence and its address


@cache
def subset(text: str, face: str = "Regular") -> bytes:
    """A font with the glyphs of `text` alone, of one face: same characters, same bytes."""
    import uharfbuzz

    subset_input = uharfbuzz.SubsetInput()
    subset_input.unicode_set.update(map(ord, text))
    subset_input.flags = uharfbuzz.SubsetFlags.NO_HINTING
    subset_input.name_id_set.clear()
    subset_input.name_id_set.update(_NAMES_KEPT)
    subset_input.layout_feature_tag_set.clear()
    subset_input.layout_feature_tag_set.update(map(int.from_bytes, _LAYOUT_FEATURES))
    return bytes(uharfbuzz.subset(font(face).face, subset_input).blob.data)
