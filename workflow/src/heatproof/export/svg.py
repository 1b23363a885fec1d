"""SVG: text stays text, set in an embedded subset of the typeface; the record is its metadata."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape

from heatproof.charts import lettering
from heatproof.util import canonical

if TYPE_CHECKING:
    from heatproof.export.drawing import Drawing

_METADATA = re.compile(
    rb'<metadata\s[^>]*?id="heatproof(?:-[0-9a-f]+)?"[^>]*>(.*?)</metadata>', re.DOTALL
)


def write(drawing: Drawing) -> bytes:
    """The drawing as a document of its own, sized in pt, with title, description and record.

    Its ids hold the figure's own: several figures may stand in one page.
    """
    name = "-".join(["heatproof", *filter(None, [drawing.record.get("id")])])
    head = (
        f'<title id="{name}-title">{escape(drawing.title)}</title>'
        f'<desc id="{name}-description">{escape(drawing.description)}</desc>'
        f'<metadata id="{name}">{canonical.text(drawing.record)}</metadata>'
        f"<style>{font_faces(drawing.texts)}</style>"
    )
    root, body = drawing.public.split(">", 1)
    root = re.sub(r'(?<= )(width|height)="([^"]*)"', r'\1="\2pt"', root)
    names = f'role="img" aria-labelledby="{name}-title" aria-describedby="{name}-description"'
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{root} {names}>{head}{body}\n'.encode()


def font_faces(texts: dict[str, str]) -> str:
    """CSS that brings along the characters of each face: face → characters."""
    return "".join(_font_face(name, text) for name, text in texts.items())


def _font_face(name: str, text: str) -> str:
    weight, italic = next(key for key, face in lettering.FACES.items() if face == name)
    data = b64encode(lettering.subset(text, name)).decode()
    return (
        f'@font-face{{font-family:"{lettering.FAMILY}";font-weight:{weight};'
        f"font-style:{'italic' if italic else 'normal'};"
        f'src:url("data:font/ttf;base64,{data}") format("truetype")}}'
    )


def record(data: bytes) -> dict[str, Any] | None:
    """The provenance record of an SVG, also after an editor has saved it anew."""
    found = _METADATA.search(data)
    return dict(json.loads(found[1])) if found else None
