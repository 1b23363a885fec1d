"""From a Vega-Lite spec to the one SVG from which every file of a figure is made."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from heatproof.charts import runs, typefaces
from heatproof.export import in_parts
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
            for run in runs.runs(text, name):
                characters[run.face].update(run.text)
        return {name: "".join(sorted(characters[name])) for name in sorted(characters)}

    @property
    def placed(self) -> str:
        """The SVG as our renderer is to draw it: see `in_parts`."""
        return in_parts.placed(self.svg)

    @property
    def public(self) -> str:
        """The SVG with typefaces under their true names, for readers other than our renderer."""
        svg = in_parts.named(self.svg)
        for one in typefaces.known():
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
    drawing = Drawing(spec, _renumber(svg), library)
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
    found = []
    root = ElementTree.fromstring(svg)  # noqa: S314 - it comes from our own renderer
    for node in root.iter("{http://www.w3.org/2000/svg}text"):
        family = node.get("font-family", "")
        style = node.get("font-weight", "normal"), node.get("font-style", "normal")
        found.append((typefaces.face(*style, family), family, "".join(node.itertext())))
    return found


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
    if not family.startswith(tuple(one.private for one in typefaces.known())):
        known = ", ".join(one.family for one in typefaces.TYPEFACES.values())
        return f"the text {text!r} asks for the font {family!r}; there are {known}"
    wrong = runs.fault(text, name)
    return wrong and f"the text {text!r} {wrong}; {_OTHERWISE}"


def _renumber(svg: str) -> str:
    """Number ids from 0: the renderer counts on through all the figures of a process."""
    new = {old: f"{old.rstrip('0123456789')}{n}" for n, old in enumerate(_ID.findall(svg))}
    pattern = r'(?<=id=")(\w+)(?=")|(?<=url\(#)(\w+)(?=\))'
    return re.sub(pattern, lambda found: new.get(found[0], found[0]), svg)
