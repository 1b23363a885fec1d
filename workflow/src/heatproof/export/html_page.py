"""HTML: one page that draws itself, with tooltips, from its own data, scripts and fonts."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from heatproof.export.pages import fill
from heatproof.export.svg import font_faces
from heatproof.util import canonical

if TYPE_CHECKING:
    from heatproof.export.drawing import Drawing


_RECORD = re.compile(rb'<script type="application/json" id="heatproof">(.*?)</script>', re.DOTALL)
_ASCII = "".join(map(chr, range(32, 127)))  # what words outside the drawing are made of


def library() -> str:
    """Vega, Vega-Lite and vega-embed as one script: 0.9 MB, 2 s, the same for all figures."""
    from vl_convert import javascript_bundle

    return javascript_bundle()  # type: ignore[call-arg]  # its stub forgets the default


def write(drawing: Drawing) -> bytes:
    """A page that shows the drawing at once and makes it interactive where scripts may run."""
    faces = {name: _ASCII + text for name, text in {"Regular": "", **drawing.texts}.items()}
    width, _ = drawing.size
    text = fill(
        "figure.html.j2",
        title=drawing.title,
        description=drawing.description,
        caption=drawing.entry.get("caption") or "",
        width=width,
        font_faces=font_faces(faces),
        svg=drawing.public,
        record=canonical.text(drawing.record),
        spec=canonical.text(drawing.spec),
        library=drawing.library or library(),
    )
    return text.encode()


def record(data: bytes) -> dict[str, Any] | None:
    """The provenance record of a page."""
    found = _RECORD.search(data)
    return dict(json.loads(found[1])) if found else None
