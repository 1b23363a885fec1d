"""The page of a figure: lengths, the pages of journals and conferences, and its typeface."""

from __future__ import annotations

import math
import re
from pathlib import PurePosixPath
from typing import NamedTuple

import msgspec

from heatproof.util.errors import Error, Mistake, choices

UNITS = {"in": 72.0, "mm": 72 / 25.4, "cm": 72 / 2.54, "pt": 1.0}
"""Unit → pt, as Vega, PDF and CSS have them: 72 to an inch."""
_LENGTH = re.compile(r"(\d+\.?\d*|\.\d+)\s*(in|mm|cm|pt)")
NARROWEST, WIDEST = 72.0, 72.0 * 40
"""Between these a figure can be drawn."""


class Venue(NamedTuple):
    """The page of a venue, lengths in inches."""

    column: float
    """Width of its text, or of one of its two columns."""
    full: float
    """Width of both columns; the same where there is one."""
    high: float
    """Height of its text, or what a figure may take of it."""
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
GENERAL = {"single": Venue(3.3, 3.3, 9.0, ""), "double": Venue(7.0, 7.0, 9.0, "")}
"""One column of a page and two, where no venue is named."""
FULL = "-full"
"""Behind the name of a venue: both of its columns."""


def words() -> list[str]:
    """The words for widths."""
    both = [name for name, venue in VENUES.items() if venue.full > venue.column]
    return [*GENERAL, *sorted([*VENUES, *(f"{name}{FULL}" for name in both)])]


def length(text: str) -> float | None:
    """A length such as `5.5in`, `89mm`, `8 cm` or `240pt`, in pt; None where it is none."""
    match = _LENGTH.fullmatch(text.strip().lower())
    return float(match[1]) * UNITS[match[2]] if match else None


def width(text: str) -> float:
    """The width of a figure in whole pt, from a length or the word for one.

    Cut to these, for Vega lays out no parts of them: so it is never wider than its column.

    Raises:
        Error: it is neither, or nothing can be drawn so narrow or wide.
    """
    points = length(text)
    if points is not None:
        if not NARROWEST <= points <= WIDEST:
            low, high = (f"{end / 72:g}in" for end in (NARROWEST, WIDEST))
            raise Error(f"{text!r} is not between {low} and {high}")
        return float(math.floor(points))
    name = text.strip().lower()
    if name not in words():
        raise Error(
            f"{text!r} is not a width; there are lengths (5.5in, 89mm, 8cm, 240pt) and "
            f"{choices(name, words())}"
        )
    venue = _venue(name)
    return float(math.floor(72 * (venue.full if name.endswith(FULL) else venue.column)))


def height(text: str, width: str) -> float:
    """The most height of a figure in pt: a length, or where `text` is empty the page's.

    Raises:
        Error: it is no length.
    """
    if not text:
        page = GENERAL["double"] if length(width) else _venue(width.strip().lower())
        return 72 * page.high
    points = length(text)
    if points is None or not points:
        raise Error(f"{text!r} is not a height; there are lengths (9in, 170mm, 20cm, 600pt)")
    return points


def _venue(name: str) -> Venue:
    return GENERAL.get(name) or VENUES[name.removesuffix(FULL)]


def require_fit(drawn: float, place: str, word: str) -> None:
    """Refuse a figure that what it shows makes wider than it is to be.

    Args:
        drawn: its width in pt.
        place: of the figure in config.yaml.
        word: its `width`.

    Raises:
        Error: with the width that it takes.
    """
    if drawn <= width(word) + 0.5:
        return
    least = math.ceil(drawn / 72 * 20) / 20
    raise Error(
        Mistake(
            f"{place}.width",
            f"{word!r} is too narrow for what it shows, which takes {least:g}in: a "
            "larger width, fewer panels beside each other or shorter names",
        )
    )


# ------------------------------------------------------------------------------------ the typeface

TYPEFACES = ("sans", "serif")
"""Typefaces that lie in packages: Source Sans and Source Serif."""
STYLES = ("regular", "bold", "italic")
"""Keys that name the file of a face."""
_FROM_TEX = {
    "latin-modern": ("lmroman10-regular", "lmroman10-bold", "lmroman10-italic"),
    "times": ("texgyretermes-regular", "texgyretermes-bold", "texgyretermes-italic"),
    "helvetica": ("texgyreheros-regular", "texgyreheros-bold", "texgyreheros-italic"),
    "palatino": ("texgyrepagella-regular", "texgyrepagella-bold", "texgyrepagella-italic"),
}
_ALSO_CALLED = {
    "computer-modern": "latin-modern",
    "computer-modern-roman": "latin-modern",
    "cmr10": "latin-modern",
    "lmodern": "latin-modern",
    "times-new-roman": "times",
    "arial": "helvetica",
}


class Font(msgspec.Struct, kw_only=True, frozen=True):
    """A typeface as files of the project, OpenType or TrueType, a file for each face."""

    regular: str = ""
    bold: str = ""
    """Titles and highest values are set in it."""
    italic: str = ""
    """Means and values that are incomplete are set in it."""

    def mistakes(self) -> list[Mistake]:
        """Mistakes that types do not show: by keys within the entry."""
        faults = {style: _fault(style, getattr(self, style)) for style in STYLES}
        return [Mistake(f".{style}", fault) for style, fault in faults.items() if fault]


def _fault(style: str, path: str) -> str:
    """Why a path cannot be that of a file of the project; empty if it can."""
    if not path:
        return f"names no file; a .ttf or .otf of the project, such as fonts/x-{style}.otf"
    parts = PurePosixPath(path).parts
    if PurePosixPath(path).is_absolute() or ".." in parts or path.startswith("~"):
        return f"{path!r} lies outside of this folder; copy it into it, such as to fonts/"
    if parts[:1] in {("results",), (".snakemake",)}:
        return f"{path!r} lies among results; move it to a folder of its own, such as fonts/"
    return ""


def font_files(font: str | Font) -> list[str]:
    """The files that the `font` of a figure names, sorted."""
    if isinstance(font, str):
        return []
    return sorted({getattr(font, style) for style in STYLES})


def font_mistakes(font: str | Font) -> list[Mistake]:
    """What is wrong with the `font` of a figure: `.font…: what is wrong`."""
    if isinstance(font, Font):
        return [fault.below(".font") for fault in font.mistakes()]
    return [] if font in TYPEFACES else [Mistake(".font", _unknown(font))]


def _unknown(word: str) -> str:
    """What to write instead of a word that is no typeface."""
    name = "-".join(word.lower().replace("_", " ").replace("-", " ").split())
    if files := _FROM_TEX.get(_ALSO_CALLED.get(name, name)):
        copied = " ".join(f"$(kpsewhich {file}.otf)" for file in files)
        keys = ", ".join(
            f"{style}: fonts/{file}.otf" for style, file in zip(STYLES, files, strict=True)
        )
        return (
            f"{word!r} comes with no package, but with every TeX: mkdir -p fonts && cp {copied} "
            f"fonts/, then {{{keys}}}"
        )
    keys = ", ".join(f"{style}: FILE" for style in STYLES)
    if PurePosixPath(word).suffix.lower() in {".otf", ".ttf"}:
        return f"{word!r} is a file; write {{{keys}}}"
    return f"{word!r} is not a typeface; {choices(word, TYPEFACES)}; or {{{keys}}}"
