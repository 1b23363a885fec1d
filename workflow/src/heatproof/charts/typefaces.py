"""The typefaces of figures: from packages or from files of the project, never from the system.

The renderer looks a family up among all fonts it knows, those of the system first. A copy of the
faces under a name that no system has is therefore what is drawn; files carry the true name.
"""

from __future__ import annotations

import hashlib
import re
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.charts import fontfiles
from heatproof.config.fonts import Files, Font
from heatproof.util import hashed
from heatproof.util.errors import Error, unreadable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import uharfbuzz


FACES = {
    (400, False): "Regular",
    (600, False): "Semibold",
    (700, False): "Bold",
    (400, True): "It",
    (700, True): "BoldIt",
}
"""Weight of a face and whether it is italic → what it is called, after its typeface's prefix."""
STYLES = {
    "regular": (400, False),
    "bold": (700, False),
    "italic": (400, True),
    "bold_italic": (700, True),
}
"""Key of config.yaml → the same of a file of one's own."""
SIGNS = "°±²µ·¹×÷Δ–…→−√≤≥⁶⁸◆"
"""What figures print on their own account: where a typeface of one's own lacks it, ours has it."""
NARROW = {
    "sans-serif": "Liberation Sans Narrow, Arial Narrow",
    "serif": "Times New Roman, Liberation Serif",
}
"""Faces that are no wider than most, for programs that read no embedded font."""
_PLAIN = re.compile(r"[A-Za-z][A-Za-z-]*( [A-Za-z][A-Za-z-]*)*")


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
    fallback: Typeface | None = None
    """What draws the characters that it lacks."""
    whole: bool = True
    """Whether that draws all of them, or `SIGNS` alone."""

    @property
    def stack(self) -> str:
        """The value of a `font` of Vega-Lite."""
        return ", ".join([*(css(one.family) for one in self.chain), self.generic])

    @property
    def chain(self) -> tuple[Typeface, ...]:
        """It, and what draws the characters that it lacks."""
        return (self, self.fallback) if self.fallback else (self,)


def css(family: str) -> str:
    """A family's name as a style sheet has it: in quotes where it is more than words."""
    return family if _PLAIN.fullmatch(family) else "'" + re.sub(r"[\\'\"<>&,;]", "", family) + "'"


TYPEFACES = {
    "sans": Typeface(
        "Source Sans Pro", "HeatproofFigure", "",
        f"'Source Sans 3', {NARROW['sans-serif']}", "sans-serif",
        "font-source-sans-pro", "SourceSansPro",
    ),
    "serif": Typeface(
        "Source Serif Pro", "HeatproofLetters", "Serif",
        f"'Source Serif 4', {NARROW['serif']}", "serif",
        "font-source-serif-pro", "SourceSerifPro",
    ),
}  # fmt: skip
SANS = TYPEFACES["sans"]
_typeface = ContextVar("_typeface", default=SANS)
_own: dict[str, Typeface] = {}
"""Prefix → typeface, of those from files that this process has read."""
_read: dict[str, bytes] = {}
"""Face → its font file, likewise."""


@contextmanager
def using(one: Typeface) -> Iterator[None]:
    """Measure, and have charts set, in a typeface."""
    before = _typeface.set(one)
    try:
        yield
    finally:
        _typeface.reset(before)


def typeface() -> Typeface:
    """The one that is measured and set now."""
    return _typeface.get()


def known() -> list[Typeface]:
    """All that may be met in a drawing, each by its private name."""
    return [*_own.values(), *TYPEFACES.values()]


def of(font: str | Font, root: Path = Path()) -> Typeface:
    """The typeface that a figure asks for; its files lie below `root`.

    Raises:
        Error: a line for each file that is none that can be drawn and embedded, with its key:
            `.regular: …`.
    """
    if isinstance(font, str):
        return TYPEFACES[font]
    faults: list[str] = []
    main = TYPEFACES.get(font.family) or _of_files(font, root, faults)
    fallback = None
    if font.fallback:
        fallback = (
            TYPEFACES[font.fallback]
            if isinstance(font.fallback, str)
            else _of_files(font.fallback, root, faults, ".fallback")
        )
    if faults:
        raise Error("\n".join(faults))
    if main in TYPEFACES.values() and not fallback:
        return main
    ours = TYPEFACES["serif" if main.generic == "serif" else "sans"]
    return _joined(main, fallback or ours, whole=fallback is not None)


def _joined(main: Typeface, fallback: Typeface, whole: bool) -> Typeface:
    """A typeface with another for what it lacks; known by what both are made of."""
    digest = hashlib.sha256(f"{main.private} {fallback.private} {whole}".encode()).hexdigest()[:12]
    prefix = f"Own{digest}"
    for name in main.faces:
        _read[f"{prefix}{name}"] = _data(f"{main.prefix}{name}")
    found = main._replace(
        private=f"Heatproof{digest}", prefix=prefix, package="", fallback=fallback, whole=whole
    )
    _own[prefix] = found
    return found


def _data(face: str) -> bytes:
    """The font file of a face."""
    return _read.get(face) or path(face).read_bytes()


def of_record(record: Mapping[str, Any], root: Path = Path()) -> Typeface:
    """The typeface of a figure, from its provenance record.

    Raises:
        Error: it is of files that are not those which the record tells of.
    """
    import msgspec

    font = record.get("entry", {}).get("font", "sans")
    if isinstance(font, str):
        return TYPEFACES[font]
    told = msgspec.convert(font, Font)
    for path, digest in record.get("fonts", {}).items():
        if hashed.of_place(root / path) != digest:
            raise Error(f"{path} is not the font file that the figure was made with")
    return of(told, root)


def _of_files(font: Files, root: Path, faults: list[str], place: str = "") -> Typeface:
    """A typeface of files; what is wrong with them goes to `faults`."""
    read = dict[str, fontfiles.FontFile]()
    for key, path in font.files():
        weight, italic = STYLES[key]
        try:
            data = _bytes(path, root)
            read[FACES[weight, italic]] = _face_of_file(data, font.family, weight, italic)
        except Error as error:
            faults.append(f"{place}.{key}: {path!r} {error}")
    if "Regular" not in read:
        return SANS
    families, serif = read["Regular"].families, read["Regular"].serif
    family = font.family or families[0] if families else Path(font.regular).stem
    generic = "serif" if serif else "sans-serif"
    names = [css(name) for name in families if name != family]
    others = ", ".join([*names, NARROW[generic]])
    parts = [(name, hashlib.sha256(file.data).hexdigest()) for name, file in read.items()]
    digest = hashlib.sha256(f"{family} {parts}".encode()).hexdigest()[:12]
    one = Typeface(family, f"Heatproof{digest}", f"Own{digest}", others, generic, faces=(*read,))
    _read.update({f"{one.prefix}{name}": file.data for name, file in read.items()})
    _own[one.prefix] = one
    return one


@lru_cache(maxsize=16)
def _face_of_file(data: bytes, family: str, weight: int, italic: bool) -> fontfiles.FontFile:
    """A face of a font file; figures of a project mostly share theirs."""
    return fontfiles.read(data, fontfiles.Wanted(family, weight, italic))


def _bytes(path: str, root: Path) -> bytes:
    """A file of the project.

    Raises:
        Error: there is none: the end of a sentence about it.
    """
    try:
        return (root / path).read_bytes()
    except FileNotFoundError:
        raise Error("is not there") from None
    except OSError as error:
        raise unreadable(path, error) from error


def with_private(text: str, one: Typeface = SANS) -> str:
    """A stack with families under the names that our renderer knows them by.

    `one`: the typeface of the figure; those of packages may be named besides.
    """
    for each in [*one.chain, *TYPEFACES.values()]:
        text = text.replace(css(each.family), each.private)
    return text


def face(weight: str = "normal", style: str = "normal", family: str = "") -> str:
    """The face in which SVG draws text of this `font-weight` and `font-style`, by CSS's rule.

    `family`: a stack that begins with a private name; else that of `SANS` is meant.
    """
    one = next((t for t in known() if family.startswith(t.private)), SANS)
    return face_of(one, _WEIGHTS.get(weight) or float(weight), style in ("italic", "oblique"))


_WEIGHTS = {"normal": 400, "bold": 700, "bolder": 700, "lighter": 400}


def face_of(one: Typeface, wanted: float, italic: bool) -> str:
    """The face of a typeface for a weight; upright where it has no italics."""
    have = [(weight, name) for (weight, slanted), name in FACES.items()
            if name in one.faces and slanted == italic]  # fmt: skip
    if not have:
        return face_of(one, wanted, False)
    heavier = [name for weight, name in sorted(have) if weight >= wanted > 500]
    rest = sorted(have, reverse=wanted > 500)
    return one.prefix + (heavier[0] if heavier else rest[0][1])


def plain(one: Typeface) -> str:
    """The face in which most of a figure is set."""
    return f"{one.prefix}Regular"


def typeface_of(face: str) -> Typeface:
    """The typeface that a face is of."""
    return next((t for t in known() if t.prefix and face.startswith(t.prefix)), SANS)


def style_of(face: str) -> tuple[int, bool]:
    """Weight of a face, and whether it is italic."""
    name = face.removeprefix(typeface_of(face).prefix)
    return next(key for key, called in FACES.items() if called == name)


@cache
def path(name: str) -> Path:
    """The TTF of a face that lies in a package, e.g. `Regular`, `SerifBold`.

    Raises:
        Error: the package with the font is not installed.
    """
    one = typeface_of(name)
    package = find_spec(one.package.replace("-", "_"))
    if package is None or not package.submodule_search_locations:
        raise Error(f"figures are set in {one.family}: install the package {one.package}")
    plain = name.removeprefix(one.prefix)
    return Path(package.submodule_search_locations[0]) / "files" / f"{one.files}-{plain}.ttf"


@cache
def font(name: str) -> uharfbuzz.Font:
    """A face as HarfBuzz has it, such as `Regular`."""
    import uharfbuzz

    return uharfbuzz.Font(uharfbuzz.Face(uharfbuzz.Blob(_data(name))))


_registered: dict[str, TemporaryDirectory[str]] = {}  # live as long as the process that draws


def register(one: Typeface = SANS) -> None:
    """Let vl_convert draw with a typeface, as its private family; once per process.

    Raises:
        Error: text in that family would not be drawn, or each face not as itself.
    """
    if one.private in _registered:
        return
    import vl_convert

    folder = TemporaryDirectory(prefix="heatproof-fonts-")
    for name in one.faces:
        Path(folder.name, f"{name}.ttf").write_bytes(_private(one, name))
    vl_convert.register_font_directory(folder.name)
    _probe(one)
    _registered[one.private] = folder


def _private(one: Typeface, name: str) -> bytes:
    """A face under the private name of its typeface."""
    face = f"{one.prefix}{name}"
    if face in _read:
        return fontfiles.renamed(_read[face], one.private, *style_of(face))
    return path(face).read_bytes().replace(_utf16(one.family), _utf16(one.private))


def register_all(text: str, one: Typeface = SANS) -> None:
    """Register a typeface, those of packages that a text names by either name, and `SANS`."""
    named = [each for each in TYPEFACES.values() if each.family in text or each.private in text]
    for each in [SANS, *one.chain, *named]:
        register(each)


def _utf16(text: str) -> bytes:
    return text.encode("utf-16-be")


def _probe(one: Typeface) -> None:
    """An unknown family draws nothing and says nothing, hence a look at what is drawn."""
    from vl_convert import svg_to_png

    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" width="24" height="16"><text y="12" '
        'font-family="{}" font-size="12" font-weight="{}" font-style="{}">{}</text></svg>'
    )
    signs = _some_signs(one)
    styles = [(one.private, weight, "italic" if italic else "normal")
              for (weight, italic), name in FACES.items() if name in one.faces]  # fmt: skip
    looks = [svg_to_png(svg.format(*style, signs)) for style in styles]
    none = svg_to_png(svg.format("no such family", 400, "", signs))
    drawn = len({look for look in looks if look != none})
    files = {_read.get(f"{one.prefix}{name}", name) for name in one.faces}
    if drawn != len(files):
        raise Error(f"{one.family}: {drawn} of {len(files)} faces are drawn; reinstall it")


def _some_signs(one: Typeface) -> str:
    """Two characters of a typeface by which its faces are told apart."""
    if one.package:
        return "Rg"
    codes = [code for code in sorted(font(plain(one)).face.unicodes) if chr(code).isalpha()]
    return "".join(c for c in "Rg" if ord(c) in codes) or "".join(map(chr, codes[:2]))


class Advances(dict[int, float]):
    """Character → advance width in em, 1 of those that no face has; looked up once each."""

    def __init__(self, face: str) -> None:
        self.face = face

    def __missing__(self, code: int) -> float:
        name = drawn_by(chr(code), self.face)
        found = font(name)
        glyph = found.get_nominal_glyph(code)
        self[code] = found.get_glyph_h_advance(glyph) / found.face.upem if glyph else 1.0
        return self[code]


@cache
def advances(face: str) -> Advances:
    """Advance widths of a face; of a character that it lacks, that of the fallback."""
    return Advances(face)


def has(sign: str, face: str) -> bool:
    """Whether a face itself has a glyph for a character."""
    return bool(font(face).get_nominal_glyph(ord(sign)))


def drawn_by(sign: str, face: str) -> str:
    """The face that draws a character in text of a face: itself, or the fallback's."""
    one = typeface_of(face)
    if not one.fallback or has(sign, face) or not (one.whole or sign in SIGNS):
        return face
    other = face_of(one.fallback, *style_of(face))
    return other if has(sign, other) else face


_LAYOUT_FEATURES = [b"kern", b"mark", b"mkmk", b"ccmp", b"locl"]
_NAMES_KEPT = [0, 1, 2, 4, 6, 13, 14]  # among them the licence and its address


@cache
def subset(text: str, name: str = "Regular") -> bytes:
    """A font with the glyphs of `text` alone, of one face: same characters, same bytes."""
    import uharfbuzz

    wanted = uharfbuzz.SubsetInput()
    wanted.unicode_set.update(map(ord, text))
    wanted.flags = uharfbuzz.SubsetFlags.NO_HINTING
    wanted.name_id_set.clear()
    wanted.name_id_set.update(_NAMES_KEPT)
    if typeface_of(name).package:
        wanted.layout_feature_tag_set.clear()
        wanted.layout_feature_tag_set.update(int.from_bytes(tag) for tag in _LAYOUT_FEATURES)
    return bytes(uharfbuzz.subset(font(name).face, wanted).blob.data)
