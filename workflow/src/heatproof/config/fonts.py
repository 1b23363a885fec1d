"""What config.yaml may say of the typeface of a figure: a word, or files of the project."""

from __future__ import annotations

from pathlib import PurePosixPath

import msgspec

from heatproof.util.errors import Mistake, choices

WORDS = ("sans", "serif")
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


def mistakes(font: str | Font) -> list[Mistake]:
    """What is wrong with the `font` of a figure: `.font…: what is wrong`."""
    if isinstance(font, Font):
        return [fault.below(".font") for fault in font.mistakes()]
    return [] if font in WORDS else [Mistake(".font", _unknown(font))]


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
    return f"{word!r} is not a typeface; {choices(word, WORDS)}; or {{{keys}}}"
