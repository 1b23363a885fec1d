"""results/index.html: all figures on one page that needs nothing beside it."""

from __future__ import annotations

import hashlib
import json
from base64 import b64encode
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from heatproof.export.pages import fill, source
from heatproof.export.svg import font_faces
from heatproof.kinds.tables import Table
from heatproof.util import canonical

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heatproof.printed.told import Printed

_FACES = ("Regular", "Semibold", "It")
_FONTS = "/* fonts */"  # where the template has them


@dataclass(frozen=True, kw_only=True)
class FigureCard(Table):
    """What the gallery shows of a figure."""

    name: str
    kind: str
    source: str
    image: bytes
    """SVG or PNG; it stands in the page as a data URI, so that its ids and styles stay its own."""
    width: float
    """pt"""
    title: str = ""
    caption: str = ""
    alt: str = ""
    reconstructed: bool = False
    omitted: Sequence[str] = ()
    """What it was to show and has no room for."""
    files: Sequence[tuple[str, str]] = field(default_factory=tuple)
    """(label, address relative to the page)."""
    audit: Mapping[str, Any] = field(default_factory=dict)
    """What is behind each cell, see `audit.audit`; without it, cells cannot be opened."""

    @property
    def audit_text(self) -> str:
        """The same as JSON that can stand in a page."""
        return canonical.text(self.audit)

    @property
    def uri(self) -> str:
        """The picture as an address that needs no file."""
        kind = "png" if self.image.startswith(b"\x89PNG") else "svg+xml"
        return f"data:image/{kind};base64,{b64encode(self.image).decode()}"


@dataclass(frozen=True)
class Totals:
    """What went in: logs read, rows they gave, records refused."""

    sources: int
    logs: int
    rows: int
    rejected: int


def page(
    figures: Sequence[FigureCard],
    totals: Totals,
    printed: Sequence[Printed] = (),
) -> str:
    """The gallery as HTML. Its own template and fonts are all it reads.

    Figures stand in the order given; same cards, same text.
    """
    script = source("audit.js")
    digest = b64encode(hashlib.sha256(script.encode()).digest()).decode()
    html = fill(
        "index.html.j2",
        figures=figures,
        totals=totals,
        printed=printed,
        fonts=_FONTS,
        script=script,
        digest=f"sha256-{digest}",
    )
    # The data is ASCII in the page and becomes text there.
    told = json.dumps([figure.audit for figure in figures], ensure_ascii=False)
    signs = "".join(sorted({*html, *told} - {"\n"}))
    return html.replace(_FONTS, font_faces(dict.fromkeys(_FACES, signs)), 1)
