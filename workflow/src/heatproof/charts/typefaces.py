"""The typefaces of figures: from packages or from files of the project, never from the system.

The renderer looks for fonts of the system first. So it draws a copy of the faces under a private
name, and files carry the true name.
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
from heatproof.util.errors import Error, why_unread

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import uharfbuzz
    from fontTools.ttLib import TTFont

FACES = {"Regular": (400, False), "Bold": (700, False), "It": (400, True)}
"""Name of a face without the prefix of its typeface → its weight, and whether it is italic."""
_LETTERS = "".join(map(chr, range(32, 127)))
_PLAIN = re.compile(r"[A-Za-z][A-Za-z-]*( [A-Za-z][A-Za-z-]*)*")


class Typeface(NamedTuple):
    """A family of faces."""

    family: str
    private: str
    """Its name for our renderer; as long as the family of a package, whose place it takes in the
    font file."""
    prefix: str  # of the names of its faces
    fallbacks: str
    """Fallbacks for programs that read no embedded font: other names, and faces hardly wider."""
    generic: str
    package: str = ""  # what is to be installed; empty for files of the project
    files: tuple[str, ...] = ()  # of a package: module/file of each of FACES

    @property
    def stack(self) -> str:
        return ", ".join([css(self.family), self.generic])

    def drawing(self, line: str) -> Typeface:
        """The typeface that sets a line: the first that has all its characters, or itself."""
        if line.isascii():
            return self
        similar = TYPEFACES["serif" if self.generic == "serif" else "sans"]
        for typeface in (self, similar, EASTERN):
            if typeface.is_installed() and not missing(line, f"{typeface.prefix}Regular"):
                return typeface
        return self

    def is_installed(self) -> bool:
        """Whether its files are there; those of the project are."""
        return all(is_module(file.partition("/")[0]) for file in self.files)


@cache
def is_module(name: str) -> bool:
    """Whether there is a module; each line of text asks that has a sign beside ASCII."""
    return find_spec(name) is not None


def css(family: str) -> str:
    """A family's name in CSS: in quotes if it is more than words."""
    if _PLAIN.fullmatch(family):
        return family
    plain = re.sub(r"[\\'\"<>&,;]", "", family)
    return f"'{plain}'"


TYPEFACES = {
    "sans": Typeface(
        "Source Sans Pro", "HeatproofFigure", "",
        "'Source Sans 3', Liberation Sans Narrow, Arial Narrow, DejaVu Sans Condensed",
        "sans-serif",
        "font-source-sans-pro",
        tuple(f"font_source_sans_pro/files/SourceSansPro-{name}.ttf" for name in FACES),
    ),
    "serif": Typeface(
        "Source Serif Pro", "HeatproofLetters", "Serif",
        "'Source Serif 4', Times New Roman, Liberation Serif, DejaVu Serif Condensed",
        "serif",
        "font-source-serif-pro",
        tuple(f"font_source_serif_pro/files/SourceSerifPro-{name}.ttf" for name in FACES),
    ),
}  # fmt: skip
SANS = TYPEFACES["sans"]
EXTRA = "heatproof[cjk]"
EASTERN = Typeface(
    "Noto Sans CJK JP", "HeatproofEastern", "Eastern",
    "'Noto Sans CJK KR', 'Noto Sans CJK SC', 'Source Han Sans', Malgun Gothic, Microsoft YaHei",
    "sans-serif",
    EXTRA,
    (
        "noto_cjk_sans_jp_regular/NotoSansCJKjp-Regular.otf",
        "noto_cjk_sans_jp_bold/NotoSansCJKjp-Bold.otf",
        "noto_cjk_sans_jp_regular/NotoSansCJKjp-Regular.otf",  # it has no italics
    ),
)  # fmt: skip
"""Sets lines with Hangul, Chinese or Japanese signs; 33 MB, so it is an extra."""
_typeface = ContextVar("_typeface", default=SANS)
_loaded = {face.prefix: face for face in list(TYPEFACES.values()) + [EASTERN]}
"""Prefix → typeface: all that may occur in a drawing."""
_font_data: dict[str, bytes] = {}  # face → its font file, of those from files


@contextmanager
def using(face: Typeface) -> Iterator[None]:
    """Measure and draw in a typeface."""
    before = _typeface.set(face)
    try:
        yield
    finally:
        _typeface.reset(before)


def typeface() -> Typeface:
    """The typeface in use."""
    return _typeface.get()


def loaded() -> list[Typeface]:
    """All typefaces that may occur in a drawing."""
    return list(_loaded.values())


def load(font: str | Font, root: Path = Path()) -> Typeface:
    """The typeface of a figure's `font`; files lie below `root`.

    Raises Error: a line for each file that cannot be used: `.regular: …`.
    """
    if isinstance(font, str):
        return TYPEFACES[font]
    faults, fonts = [], {}
    for style, name in zip(STYLES, FACES, strict=True):
        path = getattr(font, style)
        try:
            fonts[name] = _read_font(root / path)
        except Error as error:
            faults.append(f".{style}: {path!r} {error}")
    if faults:
        raise Error("\n".join(faults))
    regular = fonts["Regular"]
    family = regular["name"].getBestFamilyName() or Path(font.regular).stem
    data = {name: _font_bytes(face) for name, face in fonts.items()}
    digest = hashlib.sha256(b"".join(data.values())).hexdigest()[:12]
    is_sans = regular["OS/2"].panose.bSerifStyle > 10 or "sans" in family.lower()
    similar = TYPEFACES["sans" if is_sans else "serif"]
    private, prefix = f"Heatproof{digest}", f"Own{digest}"
    face = Typeface(family, private, prefix, similar.fallbacks, similar.generic)
    for name, content in data.items():
        _font_data[prefix + name] = content
    _loaded[face.prefix] = face
    return face


def of_record(record: Mapping[str, Any]) -> Typeface:
    """The typeface of a figure, from its provenance record.

    Raises Error: a font file is not the one of the record.
    """
    font = record.get("entry", {}).get("font", "sans")
    if isinstance(font, str):
        return TYPEFACES[font]
    for path, digest in record.get("fonts", {}).items():
        if (hashed.irregular(path) or hashed.sha256(path)) != digest:
            raise Error(f"{path} is not the font file that the figure was made with")
    return load(msgspec.convert(font, Font))


def _read_font(path: Path) -> TTFont:
    """A font file without ligatures, whose width our renderer gets wrong.

    Raises Error: the end of a sentence about why it cannot be drawn or embedded.
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
        raise Error(f"{path}: {why_unread(error)}") from error
    except (TTLibError, ImportError, KeyError, TypeError, ValueError, AssertionError):
        raise Error("is damaged, or no .ttf or .otf font") from None
    if rights & 0xF == 2 or rights & 0x300:
        raise Error(
            f"forbids embedding a part of it (fsType 0x{rights:04X}); figures "
            "embed the letters that they use"
        )
    if lacking or "fvar" in font:
        reason = f"lacks {lacking[0]!r} and {len(lacking) - 1} more" if lacking else "is variable"
        raise Error(f"{reason}; give a file of one face that has digits and Latin letters")
    for table in ("GSUB", "DSIG"):
        if table in font:
            del font[table]
    return font


def _font_bytes(font: TTFont) -> bytes:
    file = io.BytesIO()
    font.recalcTimestamp = False
    font.save(file)
    return file.getvalue()


@cache
def _data(face: str) -> bytes:
    if face in _font_data:
        return _font_data[face]
    return path(face).read_bytes()


def path(face: str) -> Path:
    """The TTF of a face that lies in a package, e.g. `Regular`, `SerifBold`.

    Raises Error: the package with the font is not installed.
    """
    typeface = typeface_of(face)
    number = list(FACES).index(face.removeprefix(typeface.prefix))
    module, _, name = typeface.files[number].partition("/")
    package = find_spec(module)
    if package is None or not package.submodule_search_locations:
        raise Error(f"figures are set in {typeface.family}: install the package {typeface.package}")
    return Path(package.submodule_search_locations[0], name)


def face(weight: str, style: str, family: str) -> str:
    """The face of text with this `font-weight` and `font-style`; `family`: a private name first."""
    prefix = SANS.prefix
    for typeface in loaded():
        if family.startswith(typeface.private):
            prefix = typeface.prefix
            break
    if style != "normal":
        return f"{prefix}It"
    if weight in ("bold", "bolder") or (weight.isdigit() and int(weight) > 500):
        return f"{prefix}Bold"
    return f"{prefix}Regular"


def typeface_of(face: str) -> Typeface:
    """The typeface of a face."""
    return _loaded[re.sub(f"({'|'.join(FACES)})$", "", face)]


@cache
def font(face: str) -> uharfbuzz.Font:
    """A face, such as `Regular`, for HarfBuzz."""
    import uharfbuzz

    return uharfbuzz.Font(uharfbuzz.Face(uharfbuzz.Blob(_data(face))))


_registered: dict[str, TemporaryDirectory[str]] = {}  # live as long as the process that draws


def register(typeface: Typeface) -> None:
    """Let vl_convert draw with a typeface, as its private family; once per process."""
    if typeface.private in _registered:
        return
    import vl_convert

    folder = TemporaryDirectory(prefix="heatproof-fonts-")
    family, private = (text.encode("utf-16-be") for text in (typeface.family, typeface.private))
    for name in FACES:
        data = _data(f"{typeface.prefix}{name}")
        if typeface.package:
            data = data.replace(family, private)
        else:
            data = _renamed(data, name, typeface)
        Path(folder.name, f"{name}.ttf").write_bytes(data)
    vl_convert.register_font_directory(folder.name)
    _registered[typeface.private] = folder


def _renamed(data: bytes, name: str, typeface: Typeface) -> bytes:
    """A face of a file under the private family's name, with its weight and slant."""
    from fontTools.ttLib import TTFont

    weight, italic = FACES[name]
    font = TTFont(io.BytesIO(data))
    table, style = font["name"], {"It": "Italic"}.get(name, name)
    postscript = table.getDebugName(6) or typeface.private
    table.names = []
    names = {1: typeface.private, 2: style, 4: f"{typeface.private} {style}", 6: postscript}
    for number, text in names.items():
        table.setName(text, number, 3, 1, 0x409)
    font["OS/2"].usWeightClass, font["OS/2"].usWidthClass = weight, 5
    font["OS/2"].fsSelection = {"Regular": 0x40, "Bold": 0x20, "It": 0x01}[name]
    font["head"].macStyle = int(weight > 400) | int(italic) << 1
    return _font_bytes(font)


class Advances(dict[int, float]):
    """Character → advance width in em; 1 if the face lacks it."""

    def __init__(self, face: str) -> None:
        self.font = font(face)

    def __missing__(self, code: int) -> float:
        advance = 1.0
        if glyph := self.font.get_nominal_glyph(code):
            advance = self.font.get_glyph_h_advance(glyph) / self.font.face.upem
        self[code] = advance
        return advance


advances = cache(Advances)


def missing(text: str, face: str) -> list[str]:
    """The characters of `text` that cannot be drawn in a face, sorted."""
    signs = set(text) - set("\n\r\t")
    return sorted(sign for sign in signs if not font(face).get_nominal_glyph(ord(sign)))


def fault(text: str, face: str) -> str:
    """Why a text cannot be drawn, as the end of a sentence; empty if it can."""
    if signs := missing(text, face):
        family = typeface_of(face).family
        listed = ", ".join(f"{sign!r} (U+{ord(sign):04X})" for sign in signs)
        style = re.split("Own.{12}|Serif|Eastern", face)[-1]
        return f"holds {listed}, which {family} {style} cannot draw"
    if any(unicodedata.bidirectional(sign) in ("R", "AL", "AN") for sign in text):
        return "runs from right to left, which figures cannot set"
    return ""


def name_fault(text: str) -> str:
    """Why a figure cannot show a name, and what helps; empty if it can."""
    face = SANS.drawing(text)
    if not (reason := fault(text, f"{face.prefix}Regular")):
        return ""
    if wants_extra(text):
        return f"no figure can show them without a typeface: pip install '{EXTRA}'"
    return f"{reason}; call it otherwise by `names` of the figures"


def wants_extra(text: str) -> bool:
    """Whether a text has signs of East Asia, and the typeface for them is not installed."""
    if EASTERN.is_installed():
        return False
    return any(unicodedata.east_asian_width(sign) in "WF" for sign in text)


@cache
def subset(text: str, face: str = "Regular") -> bytes:
    """A font file of a face with the glyphs of `text` alone."""
    import uharfbuzz

    subset_input = uharfbuzz.SubsetInput()
    subset_input.unicode_set.update(map(ord, text))
    subset_input.flags = uharfbuzz.SubsetFlags.NO_HINTING
    subset_input.name_id_set.clear()
    subset_input.name_id_set.update([0, 1, 2, 4, 6, 13, 14])  # among them the licence
    subset_input.layout_feature_tag_set.clear()
    features = (b"kern", b"mark", b"mkmk", b"ccmp", b"locl")
    subset_input.layout_feature_tag_set.update(map(int.from_bytes, features))
    return bytes(uharfbuzz.subset(font(face).face, subset_input).blob.data)
