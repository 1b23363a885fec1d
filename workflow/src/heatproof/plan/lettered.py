"""The typefaces that figures ask for, looked at before any job."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof.charts import runs, typefaces
from heatproof.config.fonts import Font, font_files
from heatproof.util import hashed
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from heatproof.config.entries import Figure

_ASCII = "".join(map(chr, range(32, 127)))
_HELP = (
    "; a fallback draws what a font lacks: fallback: sans, or serif, or {regular: FILE, bold: FILE}"
)


def faults(figure: Figure, root: Path) -> Iterator[str]:
    """What is wrong with the typeface of a figure or with its texts: `font.bold: …`, `title: …`."""
    own = isinstance(figure.font, Font)
    texts = [(key, text) for key, text in figure.texts().items() if not text.isascii()]
    # To look at a typeface takes longer than all else that is done before jobs.
    if not own and not texts:
        return
    try:
        face = typefaces.plain(typefaces.of(figure.font, root))
    except Error as error:
        yield from (f"font{line}" for line in str(error).splitlines())
        return
    if own:
        texts = [*figure.texts().items()]
        lacks = runs.missing(_ASCII, face) + runs.missing(_ASCII, _bold(face))
        if lacks:
            yield f"font: lacks {_listed(lacks)}, of which numbers and words are made{_HELP}"
            return
    for key, text in texts:
        # Which face a text is set in, its kind knows: all that it may be are looked at.
        wrong = runs.fault(text, face) or (own and runs.fault(text, _bold(face)))
        if wrong:
            yield f"{key}: {text!r} {wrong}{_HELP if own else ''}"


def _bold(face: str) -> str:
    return typefaces.face_of(typefaces.typeface_of(face), 700, False)


def _listed(signs: list[str]) -> str:
    shown = [*dict.fromkeys(signs)]
    more = f" and {len(shown) - 8} more" if len(shown) > 8 else ""
    return ", ".join(map(repr, shown[:8])) + more


def digests(figures: Iterable[Figure], root: Path) -> dict[str, str]:
    """Path → SHA-256 of the font files that figures name and that are there."""
    named = sorted({path for figure in figures for path in font_files(figure.font)})
    return {path: hashed.sha256(root / path) for path in named if (root / path).is_file()}
