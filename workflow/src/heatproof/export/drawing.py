"""From a Vega-Lite spec to the one SVG from which every file of a figure is made."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree
from xml.sax.saxutils import unescape

from heatproof.charts import typefaces
from heatproof.export import packed
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Iterator

    from heatproof.charts.typefaces import Typeface

RESERVED = frozenset({
    "constructor", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString",
    "toString", "valueOf", "__defineGetter__", "__defineSetter__", "__lookupGetter__",
    "__lookupSetter__",
})  # fmt: skip
"""Members of every object of JavaScript: Vega takes such a text for an operator of its own."""
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_OTHERWISE = "rename it (title, labels; for values of a column, names)"
_VIEW = re.compile(r'viewBox="\S+ \S+ (\S+) ([^"\s]+)"')
_ID = re.compile(r'(?<=id=")(?:gradient_|clip)\d+(?=")')
_LINE = re.compile(r"<(text|tspan)\b([^>]*)>([^<]*)")
_SVG = "{http://www.w3.org/2000/svg}"


@dataclass(frozen=True)
class Drawing:
    """A figure as drawn."""

    spec: dict[str, Any]
    svg: str  # bare: no declaration, no metadata, and lengths without a unit, which are pt
    library: str = ""
    """JavaScript for the HTML page, if it is made already (`export.library`)."""

    @cached_property
    def record(self) -> dict[str, Any]:
        return dict(self.spec.get("usermeta", {}).get("heatproof", {}))

    @cached_property
    def packed(self) -> bytes:
        """The spec as it lies in files; empty without a record."""
        return packed.pack(self.spec) if self.record else b""

    @property
    def entry(self) -> dict[str, Any]:
        """The figure's block of the config, as the record has it."""
        return self.record.get("entry") or {}

    @property
    def title(self) -> str:
        return str(self.entry.get("title") or self.record.get("figure") or "Figure")

    @property
    def description(self) -> str:
        return str(self.spec.get("description") or self.entry.get("caption") or "")

    @property
    def size(self) -> tuple[float, float]:
        return size(self.svg)

    @cached_property
    def texts(self) -> dict[str, str]:
        """Face → its characters in the drawing, sorted."""
        characters: defaultdict[str, set[str]] = defaultdict(set)
        for face, _, text in _lines(self.svg):
            characters[face].update(text)
        return {face: "".join(sorted(characters[face])) for face in sorted(characters)}

    def public(self, svg: str) -> str:
        """An SVG with the true names of typefaces, for other programs than our renderer."""
        for face in typefaces.loaded():
            names = f'font-family="{typefaces.css(face.family)}, {face.fallbacks}'
            svg = svg.replace(f'font-family="{face.private}', names)
        return svg


def size(svg: str) -> tuple[float, float]:
    """Width and height in pt of the SVG of a figure. Raises ValueError: it has no viewBox."""
    box = _VIEW.search(svg)
    if box is None:
        raise ValueError("an SVG without a viewBox")
    return float(box[1]), float(box[2])


def draw(spec: dict[str, Any], library: str = "") -> Drawing:
    """Draw a spec, with the figure's typeface and without a network.

    Raises Error: the spec has another font, or a text that typeface or renderer cannot draw.
    """
    from vl_convert import vegalite_to_svg

    record = spec.get("usermeta", {}).get("heatproof", {})
    words = {key: value for key, value in spec.items() if key not in ("usermeta", "datasets")}
    _refuse(record, ((text, _unfit(text)) for text in sorted(set(_strings(words)))))
    face = typefaces.of_record(record)
    config = {"font": face.stack, **spec.get("config", {})}
    private = _with_private_fonts({**spec, "config": config}, face)
    for typeface in (face, *typefaces.TYPEFACES.values()):
        typefaces.register(typeface)
    svg = vegalite_to_svg(json.dumps(private), allowed_base_urls=[])
    # The renderer numbers the ids of all figures of a process; here they begin at 0.
    new = {old: f"{old.rstrip('0123456789')}{n}" for n, old in enumerate(_ID.findall(svg))}
    used = r'(?<=id=")(\w+)(?=")|(?<=url\(#)(\w+)(?=\))'
    svg = re.sub(used, lambda name: new.get(name[0], name[0]), svg)
    if typefaces.missing(svg, f"{face.prefix}Regular"):
        svg = _LINE.sub(lambda line: _set_line(line, face), svg)
    if typefaces.EASTERN.private in svg:
        typefaces.register(typefaces.EASTERN)
    # A character that the face lacks would set the whole text in a font of the system.
    _refuse(record, ((text, _fault(name, family, text)) for name, family, text in _lines(svg)))
    return Drawing(spec, svg, library)


def _refuse(record: dict[str, Any], faults: Iterator[tuple[str, str]]) -> None:
    figure = f"{record['figure']}: " if "figure" in record else ""
    lines = [f"{figure}the text {text!r} {fault}" for text, fault in faults if fault]
    if lines:
        raise Error("\n".join(dict.fromkeys(lines)))


def _unfit(text: str) -> str:
    """Why the renderer fails on a text, without a message; empty if it does not."""
    if text in RESERVED:
        return f"is a word that Vega keeps for itself; {_OTHERWISE}"
    sign = _FORBIDDEN.search(text)
    return f"holds U+{ord(sign[0]):04X}, which no SVG can hold; {_OTHERWISE}" if sign else ""


def _strings(node: Any) -> Iterator[str]:
    if isinstance(node, str):
        yield node
    elif isinstance(node, (dict, list)):
        for child in node.values() if isinstance(node, dict) else node:
            yield from _strings(child)


def _with_private_fonts(node: Any, face: Typeface, key: str = "") -> Any:
    if isinstance(node, dict):
        return {name: _with_private_fonts(child, face, name) for name, child in node.items()}
    if isinstance(node, list):
        return [_with_private_fonts(child, face) for child in node]
    if isinstance(node, str) and key.lower().endswith("font"):
        for typeface in (face, *typefaces.TYPEFACES.values()):
            node = node.replace(typefaces.css(typeface.family), typeface.private)
    return node


def _set_line(line: re.Match[str], face: Typeface) -> str:
    """A line of text in a typeface that has all its characters."""
    tag, attributes, words = line.groups()
    private = face.drawing(unescape(words)).private
    if private == face.private:
        return line[0]
    if "font-family" not in attributes:
        return f'<{tag}{attributes} font-family="{private}">{words}'
    return f"<{tag}{attributes.replace(face.private, private)}>{words}"


def lines(node: ElementTree.Element) -> Iterator[tuple[ElementTree.Element, str, str]]:
    """(element, face, family) of each line of a text element."""
    style = node.get("font-weight", "normal"), node.get("font-style", "normal")
    for line in [node, *node]:
        family = line.get("font-family", node.get("font-family", ""))
        yield line, typefaces.face(*style, family), family


def _lines(svg: str) -> list[tuple[str, str, str]]:
    """(face, family, text) of every line of text."""
    root = ElementTree.fromstring(svg)  # noqa: S314 - it comes from our own renderer
    texts = []
    for node in root.iter(f"{_SVG}text"):
        for line, face, family in lines(node):
            if line.text:
                texts.append((face, family, line.text))
    return texts


def _fault(face: str, family: str, text: str) -> str:
    if not family.startswith(tuple(own.private for own in typefaces.loaded())):
        names = ", ".join(own.family for own in typefaces.TYPEFACES.values())
        return f"asks for the font {family!r}; there are {names}"
    fault = typefaces.fault(text, face)
    if fault and typefaces.wants_extra(text):
        return (
            f"{fault}; pip install '{typefaces.EXTRA}' brings a typeface that can; or {_OTHERWISE}"
        )
    return f"{fault}; {_OTHERWISE}" if fault else ""
