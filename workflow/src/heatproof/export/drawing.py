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


Spec = dict[str, Any]
"""A figure in Vega-Lite."""
Record = dict[str, Any]
"""What a figure keeps of its making, its provenance; or a block of it."""


@dataclass(frozen=True)
class Drawing:
    """A figure as drawn."""

    spec: Spec
    svg: str  # bare: no declaration, no metadata, and lengths without a unit, which are pt
    library: str = ""
    """JavaScript for the HTML page, if it is made already (`export.library`)."""

    @cached_property
    def record(self) -> Record:
        return record_of(self.spec)

    @cached_property
    def packed(self) -> bytes:
        """The spec as it lies in files; empty without a record."""
        return packed.pack(self.spec) if self.record else b""

    @property
    def entry(self) -> Record:
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
        return {face: "".join(sorted(signs)) for face, signs in sorted(characters.items())}

    def public(self, svg: str) -> str:
        """An SVG with the true names of typefaces, for other programs than our renderer."""
        for face in typefaces.loaded():
            family = typefaces.css(face.family)
            names = f'font-family="{family}, {face.fallbacks}'
            svg = svg.replace(f'font-family="{face.private}', names)
        return svg


def record_of(spec: Spec) -> Record:
    """The provenance record in a spec; empty without one."""
    return dict(spec.get("usermeta", {}).get("heatproof", {}))


def size(svg: str) -> tuple[float, float]:
    """Width and height in pt of the SVG of a figure. Raises ValueError: it has no viewBox."""
    box = _VIEW.search(svg)
    if box is None:
        raise ValueError("an SVG without a viewBox")
    return float(box[1]), float(box[2])


def draw(spec: Spec, library: str = "") -> Drawing:
    """Draw a spec, with the figure's typeface and without a network.

    Raises Error: the spec has another font, or a text that typeface or renderer cannot draw.
    """
    from vl_convert import vegalite_to_svg

    record = record_of(spec)
    shown = {key: value for key, value in spec.items() if key not in ("usermeta", "datasets")}
    texts = sorted(set(_strings(shown)))
    _refuse(record, ((text, _unfit(text)) for text in texts))
    face = typefaces.of_record(record)
    config = {"font": face.stack, **spec.get("config", {})}
    private = _with_private_fonts({**spec, "config": config}, face)
    for typeface in _drawn_with(face):
        typefaces.register(typeface)
    svg = vegalite_to_svg(json.dumps(private), allowed_base_urls=[])
    # The renderer numbers the ids of all figures of a process; here they begin at 0.
    new = {}
    for number, old in enumerate(_ID.findall(svg)):
        stem = old.rstrip("0123456789")
        new[old] = f"{stem}{number}"
    used = r'(?<=id=")(\w+)(?=")|(?<=url\(#)(\w+)(?=\))'
    svg = re.sub(used, lambda name: new.get(name[0], name[0]), svg)
    if typefaces.missing(svg, f"{face.prefix}Regular"):
        svg = _LINE.sub(lambda line: _set_line(line, face), svg)
    if typefaces.EASTERN.private in svg:
        typefaces.register(typefaces.EASTERN)
    # A character that the face lacks would set the whole text in a font of the system.
    faults = ((text, _fault(name, family, text)) for name, family, text in _lines(svg))
    _refuse(record, faults)
    return Drawing(spec, svg, library)


def _drawn_with(face: Typeface) -> list[Typeface]:
    """The typefaces of a drawing whose words are set in `face`."""
    return [face] + list(typefaces.TYPEFACES.values())


def _refuse(record: Record, faults: Iterator[tuple[str, str]]) -> None:
    figure = f"{record['figure']}: " if "figure" in record else ""
    lines = [f"{figure}the text {text!r} {fault}" for text, fault in faults if fault]
    if lines:
        raise Error("\n".join(dict.fromkeys(lines)))


def _unfit(text: str) -> str:
    """Why the renderer fails on a text, without a message; empty if it does not."""
    if text in RESERVED:
        return f"is a word that Vega keeps for itself; {_OTHERWISE}"
    sign = _FORBIDDEN.search(text)
    if sign is None:
        return ""
    return f"holds U+{ord(sign[0]):04X}, which no SVG can hold; {_OTHERWISE}"


def _strings(node: Any) -> Iterator[str]:
    if isinstance(node, str):
        yield node
    elif isinstance(node, dict):
        yield from _strings(list(node.values()))
    elif isinstance(node, list):
        for child in node:
            yield from _strings(child)


def _with_private_fonts(node: Any, face: Typeface, key: str = "") -> Any:
    if isinstance(node, dict):
        return {name: _with_private_fonts(child, face, name) for name, child in node.items()}
    if isinstance(node, list):
        return [_with_private_fonts(child, face) for child in node]
    if isinstance(node, str) and key.lower().endswith("font"):
        for typeface in _drawn_with(face):
            family = typefaces.css(typeface.family)
            node = node.replace(family, typeface.private)
    return node


def _set_line(line: re.Match[str], face: Typeface) -> str:
    """A line of text in a typeface that has all its characters."""
    tag, attributes, words = line.groups()
    fit = face.drawing(unescape(words))
    private = fit.private
    if private == face.private:
        return line[0]
    if "font-family" not in attributes:
        return f'<{tag}{attributes} font-family="{private}">{words}'
    attributes = attributes.replace(face.private, private)
    return f"<{tag}{attributes}>{words}"


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
    families = tuple(typeface.private for typeface in typefaces.loaded())
    if not family.startswith(families):
        names = ", ".join(typeface.family for typeface in typefaces.TYPEFACES.values())
        return f"asks for the font {family!r}; there are {names}"
    fault = typefaces.fault(text, face)
    if not fault:
        return ""
    offer = ""
    if typefaces.wants_extra(text):
        offer = f"pip install '{typefaces.EXTRA}' brings a typeface that can; or "
    return f"{fault}; {offer}{_OTHERWISE}"
