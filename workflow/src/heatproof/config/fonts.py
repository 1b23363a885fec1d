"""What config.yaml may say of the typeface of a figure: a word, or files of one's own."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

import msgspec

from heatproof.util.errors import choices

if TYPE_CHECKING:
    from collections.abc import Iterator

WORDS = ("sans", "serif")
"""Typefaces that lie in packages: Source Sans and Source Serif."""
STYLES = ("regular", "bold", "italic", "bold_italic")
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
    "cmr": "latin-modern",
    "cmr10": "latin-modern",
    "cmu-serif": "latin-modern",
    "lmodern": "latin-modern",
    "latin-modern-roman": "latin-modern",
    "lm-roman": "latin-modern",
    "lm-roman-10": "latin-modern",
    "times-new-roman": "times",
    "times-roman": "times",
    "tex-gyre-termes": "times",
    "arial": "helvetica",
    "tex-gyre-heros": "helvetica",
    "tex-gyre-pagella": "palatino",
}


class Files(msgspec.Struct, kw_only=True, frozen=True):
    """A typeface as files of the project, OpenType or TrueType."""

    family: str = ""
    """One of the names that the files give it; needed of a file with several typefaces."""
    regular: str = ""
    bold: str = ""
    italic: str = ""
    bold_italic: str = ""

    def files(self) -> Iterator[tuple[str, str]]:
        """Key and path of each face that has a file, the regular one first."""
        for style in STYLES:
            if path := getattr(self, style):
                yield style, path

    def mistakes(self) -> list[str]:
        """Mistakes that types do not show: `.key: what is wrong`."""
        found = [
            f".{style}: {wrong}" for style, path in self.files() if (wrong := _misplaced(path))
        ]
        if not self.regular:
            found.append(
                ".regular: names no file; a .ttf or .otf of the project, such as fonts/x.otf"
            )
        elif not self.bold:
            found.append(
                ".bold: names no file, and titles and best values are set in bold; where there is "
                f"no bold face, name the regular one once more: bold: {self.regular}"
            )
        return found


class Font(Files, kw_only=True, frozen=True):
    """The typeface of a figure, and one for the characters that it lacks."""

    fallback: str | Files = ""
    """`sans`, `serif` or files."""

    def mistakes(self) -> list[str]:
        """Mistakes that types do not show: `.key: what is wrong`."""
        if self.family not in WORDS:
            found = super().mistakes()
        else:
            found = [
                f".{style}: {self.family} lies in a package; leave out this file, or the family"
                for style, _ in self.files()
            ]
        if isinstance(self.fallback, Files):
            found += [f".fallback{wrong}" for wrong in self.fallback.mistakes()]
        elif self.fallback and self.fallback not in WORDS:
            found.append(f".fallback: {_unknown(self.fallback)}")
        return found


def font_files(font: str | Font) -> list[str]:
    """The files that the `font` of a figure names, sorted."""
    if isinstance(font, str):
        return []
    more = font.fallback.files() if isinstance(font.fallback, Files) else ()
    return sorted({path for _, path in [*font.files(), *more]})


def _misplaced(path: str) -> str:
    """Why a path cannot be that of a file of the project; empty if it can."""
    parts = PurePosixPath(path).parts
    if PurePosixPath(path).is_absolute() or ".." in parts or path.startswith("~"):
        return f"{path!r} lies outside of this folder; copy it into it, such as to fonts/"
    if parts[:1] in {("results",), (".snakemake",)}:
        return f"{path!r} lies among results; move it to a folder of its own, such as fonts/"
    return ""


def mistakes(font: str | Font) -> list[str]:
    """What is wrong with the `font` of a figure: `.font…: what is wrong`."""
    if isinstance(font, Font):
        return [f".font{wrong}" for wrong in font.mistakes()]
    return [] if font in WORDS else [f".font: {_unknown(font)}"]


def _unknown(word: str) -> str:
    """What to write instead of a word that is no typeface."""
    called = "-".join(word.lower().replace("_", " ").replace("-", " ").split())
    known = _FROM_TEX.get(_ALSO_CALLED.get(called, called))
    if known:
        files = " ".join(f"$(kpsewhich {name}.otf)" for name in known)
        keys = ", ".join(
            f"{style}: fonts/{name}.otf" for style, name in zip(STYLES, known, strict=False)
        )
        return (
            f"{word!r} comes with no package, but with every TeX: mkdir -p fonts && cp {files} "
            f"fonts/, then {{{keys}}}"
        )
    if PurePosixPath(word).suffix.lower() in {".otf", ".ttf", ".ttc"}:
        return f"{word!r} is a file; write {{regular: {word}, bold: …}}"
    return f"{word!r} is not a typeface; {choices(word, WORDS)}; or {{regular: FILE, bold: FILE}}"
