"""HTML: one page that draws itself, with tooltips, from its own data, scripts and fonts."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from heatproof.export.svg import font_faces
from heatproof.util import canonical

if TYPE_CHECKING:
    from jinja2 import Environment

    from heatproof.export.drawing import Drawing

TEMPLATES = Path(__file__).parent / "templates"
_RECORD = re.compile(rb'<script type="application/json" id="heatproof">(.*?)</script>', re.DOTALL)
_ASCII = "".join(map(chr, range(32, 127)))  # what words outside the drawing are made of


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(TEMPLATES, encoding="utf-8"), autoescape=True,
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True,
    )  # fmt: skip


def fill(template: str, **values: Any) -> str:
    """Fill a template of the folder `templates`; text is escaped where it does not say `safe`."""
    return _environment().get_template(template).render(**values)


def library() -> str:
    """Vega, Vega-Lite and vega-embed as one script: 0.9 MB, 2 s, the same for all figures."""
    from vl_convert import javascript_bundle

    return javascript_bundle()  # type: ignore[call-arg]  # its stub forgets the default


def write(drawing: Drawing) -> bytes:
    """A page that shows the drawing at once and makes it interactive where scripts may run."""
    faces = {name: _ASCII + text for name, text in {"Regular": "", **drawing.texts}.items()}
    text = fill(
        "figure.html.j2",
        title=drawing.title,
        description=drawing.description,
        caption=drawing.entry.get("caption") or "",
        width=drawing.size[0],
        font_faces=font_faces(faces),
        svg=drawing.public,
        record=canonical.text(drawing.record),
        spec=canonical.text(drawing.spec),
        library=drawing.library or library(),
    )
    return text.encode()


def record(data: bytes) -> dict[str, Any] | None:
    """The provenance record of a page."""
    script = _RECORD.search(data)
    return dict(json.loads(script[1])) if script else None
