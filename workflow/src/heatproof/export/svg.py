"""SVG: text stays text, set in an embedded subset of the typeface; the record is its metadata."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape

from heatproof.charts import typefaces
from heatproof.util import canonical

if TYPE_CHECKING:
    from heatproof.export.drawing import Drawing

PX = 96 / 72
"""CSS pixels, which are a number without a unit, to a pt."""
_METADATA = re.compile(
    rb'<metadata\s[^>]*?id="heatproof(?:-[0-9a-f]+)?"[^>]*>(.*?)</metadata>', re.DOTALL
)
_ID = re.compile(r'(?<= id=")\w+(?=")|(?<="url\(#)\w+(?=\)")|(?<= xlink:href="#)\w+(?=")')


def write(drawing: Drawing) -> bytes:
    """The drawing as a document of its own, with title, description and record."""
    return document(drawing, drawing.public, f"<style>{font_faces(drawing.texts)}</style>")


def document(drawing: Drawing, svg: str, definitions: str) -> bytes:
    """An SVG of a drawing with definitions as a document of its own.

    Its size has no unit, for some programs refuse one. Its ids hold the figure's own: several
    figures may stand in one page.
    """
    own = drawing.record.get("id")
    name = f"heatproof-{own}" if own else "heatproof"
    head = (
        f'<title id="{name}-title">{escape(drawing.title)}</title>'
        f'<desc id="{name}-description">{escape(drawing.description)}</desc>'
        f'<metadata id="{name}">{canonical.text(drawing.record)}</metadata>'
        f"{definitions}"
    )
    root, body = svg.split(">", 1)
    for side, length in zip(("width", "height"), drawing.size, strict=True):
        root = re.sub(rf'(?<= {side}=")[^"]*', f"{round(length * PX, 4):.10g}", root)
    body = _ID.sub(rf"\g<0>-{own}", body) if own else body
    names = f'role="img" aria-labelledby="{name}-title" aria-describedby="{name}-description"'
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{root} {names}>{head}{body}\n'.encode()


def font_faces(texts: dict[str, str]) -> str:
    """CSS that brings along the characters of each face: face → characters."""
    rules = []
    for face, text in texts.items():
        family = typefaces.typeface_of(face)
        weight, italic = typefaces.FACES[face.removeprefix(family.prefix)]
        data = b64encode(typefaces.subset(text, face)).decode()
        rules.append(
            f'@font-face{{font-family:"{family.family}";font-weight:{weight};'
            f"font-style:{'italic' if italic else 'normal'};"
            f'src:url("data:font/ttf;base64,{data}") format("truetype")}}'
        )
    return "".join(rules)


def record(data: bytes) -> dict[str, Any] | None:
    """The provenance record of an SVG, also after an editor has saved it anew."""
    metadata = _METADATA.search(data)
    return dict(json.loads(metadata[1])) if metadata else None
