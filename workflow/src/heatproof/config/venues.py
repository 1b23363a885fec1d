"""The page of a figure: lengths, the pages of journals and conferences, and its typeface."""

from __future__ import annotations

import math
import re
from pathlib import PurePosixPath
from typing import NamedTuple

import msgspec

from heatproof.util.errors import Error, Mistake, choices

UNITS = {"in": 72.0, "mm": 72 / 25.4, "cm": 72 / 2.54, "pt": 1.0}
"""Unit → pt."""
_LENGTH = re.compile(r"(\d+\.?\d*|\.\d+)\s*(in|mm|cm|pt)")
NARROWEST, WIDEST = 72.0, 72.0 * 40  # of a figure, in pt


class Venue(NamedTuple):
    """The page of a venue, lengths in inches."""

    column: float  # width of its text, or of one of its two columns
    full: float  # width of all columns
    high: float  # height of its text, or the part of it for a figure
    source: str


VENUES: dict[str, Venue] = {
    "neurips": Venue(5.5, 5.5, 9.0, "neurips_2025.sty"),
    "iclr": Venue(5.5, 5.5, 9.0, "tueplots, figsizes.iclr2024; height as neurips"),
    "colm": Venue(5.5, 5.5, 9.0, "colm2025_conference.sty"),
    "icml": Venue(3.25, 6.75, 9.0, "icml2025.sty"),
    "aistats": Venue(3.25, 6.75, 9.25, "tueplots, figsizes.aistats2025_half, _full"),
    "uai": Venue(3.25, 6.75, 9.25, "tueplots, figsizes.uai2023_half, _full"),
    "acl": Venue(7.7 / 2.54, 16.0 / 2.54, 24.7 / 2.54, "formatting.md of acl-style-files"),
    "aaai": Venue(3.3, 6.975, 9.0, "tueplots, figsizes.aaai2024_half, _full"),
    "cvpr": Venue(3.25, 6.875, 8.875, "tueplots, figsizes.cvpr2024_half, _full"),
    "eccv": Venue(4.8, 4.8, 7.6, "tueplots, figsizes.eccv2024"),
    "jmlr": Venue(6.0, 6.0, 8.5, "tueplots, figsizes.jmlr2001"),
    "tmlr": Venue(6.5, 6.5, 9.0, "tueplots, figsizes.tmlr2023"),
    "ieee": Venue(3.5, 7.16, 9.0, "IEEE Author Center, resolution and size"),
    "nature": Venue(89 / 25.4, 183 / 25.4, 170 / 25.4, "Nature, research figure guide"),
}
"""Word → page. EMNLP and NAACL are set as ACL."""
VENUES |= dict.fromkeys(("emnlp", "naacl"), VENUES["acl"])
VENUES |= {"single": Venue(3.3, 3.3, 9.0, "one column"), "double": Venue(7.0, 7.0, 9.0, "two")}
USUAL = "double"  # the page of figures without a width
FULL = "-full"  # behind the name of a venue: both of its columns


def words() -> list[str]:
    """The words for widths."""
    names = list(VENUES)
    for name, venue in VENUES.items():
        if venue.full > venue.column:
            names.append(f"{name}{FULL}")
    return sorted(names)


def length(text: str) -> float | None:
    """A length such as `5.5in`, `89mm`, `8 cm` or `240pt`, in pt; None where it is none."""
    match = _LENGTH.fullmatch(text.strip().lower())
    if match:
        return float(match[1]) * UNITS[match[2]]
    return None


def width(text: str) -> float:
    """The width of a figure in pt, from a length or a word; without these, the most.

    It is cut to whole pt, of which Vega lays out no parts. Raises Error: no width, or too narrow or
    wide.
    """
    text = text or USUAL
    points, name = length(text), text.strip().lower()
    if points is None and name not in words():
        lengths = "there are lengths (5.5in, 89mm, 8cm, 240pt)"
        raise Error(f"{text!r} is not a width; {lengths} and {choices(name, words())}")
    if points is None:
        venue = VENUES[name.removesuffix(FULL)]
        points = 72 * (venue.full if name.endswith(FULL) else venue.column)
    elif not NARROWEST <= points <= WIDEST:
        raise Error(f"{text!r} is not between {NARROWEST / 72:g}in and {WIDEST / 72:g}in")
    return float(math.floor(points))


def height(text: str, width: str) -> float:
    """The most height of a figure in pt: a length, or of its page. Raises Error: no length."""
    plain = length(width) is not None or not width
    if plain:
        name = USUAL
    else:
        name = width.strip().lower().removesuffix(FULL)
    if text:
        points = length(text)
    else:
        points = 72 * VENUES[name].high
    if not points:
        raise Error(f"{text!r} is not a height; there are lengths (9in, 170mm, 20cm, 600pt)")
    return points


def require_fit(drawn: float, place: str, word: str) -> None:
    """Refuse a figure that is `drawn`, in pt, wider than `word`, its `width`."""
    if drawn > width(word) + 0.5:
        needed = f"{math.ceil(drawn / 72 * 20) / 20:g}in"
        message = (
            f"{word!r} is too narrow for what it shows, which takes {needed}: a larger width, "
        )
        message += "fewer panels beside each other or shorter names"
        raise Error(Mistake(f"{place}.width", message))


class Type(msgspec.Struct, kw_only=True, frozen=True):
    """Sizes of type in pt."""

    cell: float | None = None
    """Numbers in cells; by default the largest of 6 to 8 pt that fits."""
    label: float | None = None
    """Labels and titles of axes; by default 7 pt. Names of panels are 1 pt larger, titles 1.5 pt,
    and what stands below a figure is a seventh smaller."""


SMALLEST, LARGEST = 5.0, 20.0  # sizes of type in pt
TYPES = {"nature": Type(cell=7.0, label=7.0)}
"""Venue → its sizes of type: text of 5 to 7 pt, bold letters of 8 (research figure guide)."""


def type_of(sizes: Type | None, width: str) -> Type:
    """The sizes of a figure: as it says, else those of its venue."""
    return sizes or TYPES.get(width.strip().lower().removesuffix(FULL), Type())


def type_mistakes(sizes: Type | None) -> list[Mistake]:
    """What is wrong with the `type` of a figure."""
    wanted_sizes = {}
    if sizes is not None:
        wanted_sizes = {"cell": sizes.cell, "label": sizes.label}
    return [
        Mistake(f".type.{key}", f"{size:g} is not between {SMALLEST:g} and {LARGEST:g} pt")
        for key, size in wanted_sizes.items()
        if size is not None and not SMALLEST <= size <= LARGEST
    ]


TYPEFACES = ("sans", "serif")  # of packages: Source Sans and Source Serif
STYLES = ("regular", "bold", "italic")  # keys of the files of an own typeface


class Font(msgspec.Struct, kw_only=True, frozen=True):
    """A typeface as files of the project, OpenType or TrueType, a file for each face."""

    regular: str = ""
    bold: str = ""
    """Titles and highest values are set in it."""
    italic: str = ""
    """Means are set in it."""


def font_files(font: str | Font) -> list[str]:
    """The files of an own typeface, sorted."""
    if isinstance(font, str):
        return []
    return sorted({getattr(font, style) for style in STYLES})


def font_mistakes(font: str | Font) -> list[Mistake]:
    """What is wrong with the `font` of a figure."""
    if isinstance(font, str):
        files = ", ".join(f"{style}: FILE" for style in STYLES)
        message = f"{font!r} is not a typeface; {choices(font, TYPEFACES)}; or {{{files}}}"
        if font in TYPEFACES:
            return []
        return [Mistake(".font", message)]
    problems = []
    for style in STYLES:
        path = PurePosixPath(getattr(font, style))
        outside = path.is_absolute() or ".." in path.parts or path.parts[:1] == ("~",)
        if not path.name or outside or path.parts[0] in ("results", ".snakemake"):
            why = "is not a file of the project outside results/, such as fonts/x.otf"
            problems.append(Mistake(f".font.{style}", f"{str(path)!r} {why}"))
    if font.regular and font.bold == font.regular:
        why = "is the regular face too, so the highest values would not stand out; write a bold"
        message = f"{font.bold!r} {why} face, perhaps of another typeface"
        problems.append(Mistake(".font.bold", message))
    return problems
