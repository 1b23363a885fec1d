"""From a Vega-Lite spec to the one SVG from which every file of a figure is made."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple
from xml.etree import ElementTree
from xml.sax.saxutils import escape

from heatproof.charts import outlines, typefaces
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Iterator

    from heatproof.charts.typefaces import Typeface

RESERVED = frozenset({
    "constructor", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString",
    "toString", "valueOf", "__defineGetter__", "__defineSetter__", "__lookupGetter__",
    "__lookupSetter__",
})  # fmt: skip
"""What every object of JavaScript has: Vega takes such a text for an operator of its own."""
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_OTHERWISE = "call it otherwise (title, labels; for values of a column, names)"
_VIEW = re.compile(r'viewBox="\S+ \S+ (\S+) ([^"\s]+)"')
_ID = re.compile(r'(?<=id=")(?:gradient_|clip)\d+(?=")')


@dataclass(frozen=True)
class Drawing:
    """A figure as drawn."""

    spec: dict[str, Any]
    svg: str
    """Bare: no declaration, no metadata, and lengths without a unit, which are pt."""
    library: str = ""
    """JavaScript for the HTML page, if it has been made already (see `html_page.library`)."""

    @cached_property
    def record(self) -> dict[str, Any]:
        """The provenance record; empty if the spec has none."""
        return dict(self.spec.get("usermeta", {}).get("heatproof", {}))

    @property
    def entry(self) -> dict[str, Any]:
        """The figure's block of the config, as the record has it."""
        entry = self.record.get("entry")
        return entry if isinstance(entry, dict) else {}

    @property
    def title(self) -> str:
        """What the figure is called: in the config, else in the spec, else its file's name."""
        title = self.entry.get("title") or self.spec.get("title")
        title = title.get("text") if isinstance(title, dict) else title
        title = " ".join(title) if isinstance(title, list) else title
        return str(title or self.record.get("figure") or "Figure")

    @property
    def description(self) -> str:
        """A text for those who do not see the figure; may be empty."""
        return str(self.spec.get("description") or self.entry.get("caption") or "")

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in pt."""
        return size(self.svg)

    @cached_property
    def texts(self) -> dict[str, str]:
        """Face → the characters it draws, sorted."""
        characters: defaultdict[str, set[str]] = defaultdict(set)
        for name, _, text in _texts(self.svg):
            for face, signs in typefaces.runs(text, name):
                characters[face].update(signs)
        return {name: "".join(sorted(characters[name])) for name in sorted(characters)}

    @property
    def public(self) -> str:
        """The SVG with typefaces under their true names, for readers other than our renderer."""
        svg = self.svg
        for one in typefaces.loaded():
            ours = f'font-family="{typefaces.css(one.family)}, {one.others}'
            svg = svg.replace(f'font-family="{one.private}', ours)
            svg = svg.replace(one.private, typefaces.css(one.family))
        return svg


def size(svg: str) -> tuple[float, float]:
    """Width and height in pt of the SVG of a figure, as drawn or as it lies in its file.

    Raises:
        ValueError: it has no viewBox.
    """
    found = _VIEW.search(svg)
    if found is None:
        raise ValueError("an SVG without a viewBox")
    return float(found[1]), float(found[2])


def draw(spec: dict[str, Any], library: str = "") -> Drawing:
    """Draw a spec, with the project's typeface and with no network.

    Raises:
        Error: the spec asks for another font, for a character that the typeface lacks, or for a
            text that the renderer fails on.
    """
    from vl_convert import vegalite_to_svg

    _require_drawable(spec)
    one = typefaces.of_record(spec.get("usermeta", {}).get("heatproof", {}))
    private = _with_private_font(spec, one)
    private["config"] = {"font": typefaces.with_private(one.stack, one),
                         **private.get("config", {})}  # fmt: skip
    typefaces.register_all(json.dumps(private["config"]), one)
    svg = vegalite_to_svg(json.dumps(private), allowed_base_urls=[])
    drawing = Drawing(spec, _with_signs(_renumber(svg), one), library)
    _check(drawing)
    return drawing


def _require_drawable(spec: dict[str, Any]) -> None:
    """Refuse texts that end the renderer without a word of which it was."""
    figure = _named(spec.get("usermeta", {}).get("heatproof", {}))
    words = {key: value for key, value in spec.items() if key not in ("usermeta", "datasets")}
    faults = [
        f"{figure}the text {text!r} {wrong}; {_OTHERWISE}"
        for text in sorted({*_strings(words)})
        if (wrong := _undrawable(text))
    ]
    if faults:
        raise Error("\n".join(faults))


def _undrawable(text: str) -> str:
    if text in RESERVED:
        return "is a word that Vega keeps for itself"
    found = _FORBIDDEN.search(text)
    return f"holds U+{ord(found[0]):04X}, which no SVG can hold" if found else ""


def _strings(node: Any) -> Iterator[str]:
    """All texts in a spec, keys left out."""
    if isinstance(node, str):
        yield node
    elif isinstance(node, (dict, list)):
        for child in node.values() if isinstance(node, dict) else node:
            yield from _strings(child)


def _with_private_font(node: Any, one: Typeface, key: str = "") -> Any:
    """A copy of a spec in which every font property names the private copy of the typeface."""
    if isinstance(node, dict):
        return {name: _with_private_font(child, one, name) for name, child in node.items()}
    if isinstance(node, list):
        return [_with_private_font(child, one) for child in node]
    is_font = isinstance(node, str) and key.lower().endswith("font")
    return typefaces.with_private(node, one) if is_font else node


def _texts(svg: str) -> list[tuple[str, str, str]]:
    """(face, family, text) of every text element, in order."""
    root = ElementTree.fromstring(svg)  # noqa: S314 - it comes from our own renderer
    nodes = root.iter("{http://www.w3.org/2000/svg}text")
    return [(text_face(node), node.get("font-family", ""), "".join(node.itertext()))
            for node in nodes]  # fmt: skip


def _check(drawing: Drawing) -> None:
    """One character from elsewhere changes the face of the whole text, and with the system."""
    figure = _named(drawing.record)
    faults = (f"{figure}{fault}" for fault in map(_fault, _texts(drawing.svg)) if fault)
    if told := "\n".join(dict.fromkeys(faults)):
        raise Error(told)


def _named(record: dict[str, Any]) -> str:
    """How a message begins: with the figure, if that is known."""
    return f"{record['figure']}: " if "figure" in record else ""


def _fault(found: tuple[str, str, str]) -> str:
    """What is wrong with a text; empty if nothing is."""
    name, family, text = found
    if not family.startswith(tuple(one.private for one in typefaces.loaded())):
        known = ", ".join(one.family for one in typefaces.TYPEFACES.values())
        return f"the text {text!r} asks for the font {family!r}; there are {known}"
    wrong = typefaces.fault(text, name)
    return wrong and f"the text {text!r} {wrong}; {_OTHERWISE}"


TEXT = re.compile(r"<text\b[^>]*(?:(?<=/)>|>.*?</text>)", re.DOTALL)
"""A text element."""
_ANCHOR = re.compile(r' text-anchor="(\w+)"')
_BEFORE = {"start": 0.0, "middle": 0.5, "end": 1.0}
"""Anchor → the share of a line that lies before it."""


class Part(NamedTuple):
    """What one face draws of a line of a text, and where it begins, in pt."""

    signs: str
    face: str
    line: outlines.Line
    scale: float
    """Units of the font to pt."""
    x: float
    y: float


def parts(node: ElementTree.Element) -> Iterator[Part]:
    """The parts of a text element, line by line, from left to right."""
    face, size = text_face(node), float(node.get("font-size", "0").removesuffix("px"))
    x, y = float(node.get("x", 0)), float(node.get("y", 0))
    for line in [node, *node]:
        x, y = float(line.get("x", x)), float(line.get("y", y)) + float(line.get("dy", 0))
        # As SVG has it: runs of white space are one space.
        words = re.sub("[ \t\n]+", " ", line.text or "").strip(" ")
        runs = typefaces.runs(words, face)
        lines = [outlines.line(signs, name) for name, signs in runs]
        widths = [size / shaped.em * shaped.width for shaped in lines]
        start = x - _BEFORE[node.get("text-anchor", "start")] * sum(widths)
        places = accumulate(widths, initial=start)
        for (name, signs), shaped, place in zip(runs, lines, places, strict=False):
            yield Part(signs, name, shaped, size / shaped.em, place, y)


def _with_signs(svg: str, typeface: Typeface) -> str:
    """The SVG in which each sign that a package's typeface draws names it, and has its place.

    Our renderer takes a whole text from elsewhere where a face lacks a character.
    """
    if typeface.package:
        return svg

    def placed(text: re.Match[str]) -> str:
        node = ElementTree.fromstring(text[0])  # noqa: S314 - it comes from our own renderer
        runs = [*parts(node)]
        if {part.face for part in runs} <= {text_face(node)}:
            return text[0]
        content = "".join(map(_tspan, runs))
        head = text[0][: text[0].index(">") + 1]
        return f"{_ANCHOR.sub('', head, count=1)}{content}</text>"

    return TEXT.sub(placed, svg)


def _tspan(part: Part) -> str:
    """A part at its place; SVG leaves blanks at its ends out."""
    words = part.signs.strip()
    blanks = part.signs[: len(part.signs) - len(part.signs.lstrip())]
    x = part.x + part.scale * outlines.line(blanks, part.face).width
    family = typefaces.typeface_of(part.face).private
    place = f'x="{round(x, 6):.10g}" y="{part.y:.10g}" font-family="{family}"'
    return f"<tspan {place}>{escape(words)}</tspan>" if words else ""


def text_face(node: ElementTree.Element) -> str:
    """The face of a text element."""
    style = node.get("font-weight", "normal"), node.get("font-style", "normal")
    return typefaces.face(*style, node.get("font-family", ""))


def _renumber(svg: str) -> str:
    """Number ids from 0: the renderer counts on through all the figures of a process."""
    new = {old: f"{old.rstrip('0123456789')}{n}" for n, old in enumerate(_ID.findall(svg))}
    pattern = r'(?<=id=")(\w+)(?=")|(?<=url\(#)(\w+)(?=\))'
    return re.sub(pattern, lambda found: new.get(found[0], found[0]), svg)
