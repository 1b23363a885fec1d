"""results/index.html: all figures on one page that needs nothing beside it.

Of a figure it tells what its entry, numbers, spec and drawing say: a table of its numbers, where
its cells are in the drawing, and the records behind each that is opened. The numbers are told while
the grid is at hand, and kept as plain values: the page itself is made without a library of frames,
and holds no samples.
"""

from __future__ import annotations

import hashlib
import json
import re
from base64 import b64encode
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import msgspec

from heatproof.charts import theme
from heatproof.charts.spec import noted
from heatproof.export.html_page import TEMPLATES, fill
from heatproof.export.svg import font_faces
from heatproof.kinds import api
from heatproof.kinds.tables import Row, Table
from heatproof.provenance import provenance
from heatproof.util import canonical

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from heatproof.printed import OnPage
    from heatproof.util.lazy import polars as pl


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
    printed: Sequence[OnPage] = (),
    left_out: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> str:
    """The gallery as HTML. Its own template and fonts are all it reads.

    Figures stand in the order given; same cards, same text. Behind them come those that were
    `left_out`, each with its mistakes.
    """
    script = (TEMPLATES / "audit.js").read_text(encoding="utf-8")
    digest = b64encode(hashlib.sha256(script.encode()).digest()).decode()
    html = fill(
        "index.html.j2",
        figures=figures,
        totals=totals,
        printed=printed,
        left_out=left_out,
        fonts=_FONTS,
        script=script,
        digest=f"sha256-{digest}",
    )
    # The data is ASCII in the page and becomes text there.
    told = json.dumps([figure.audit for figure in figures], ensure_ascii=False)
    signs = "".join(sorted({*html, *told} - {"\n"}))
    return html.replace(_FONTS, font_faces(dict.fromkeys(_FACES, signs)), 1)


def card(
    entry: Any,
    table: Mapping[str, Any],
    image: bytes,
    spec: Mapping[str, Any],
    files: Sequence[tuple[str, str]],
    audit: Mapping[str, Any] | None = None,
) -> FigureCard:
    """The card of a figure.

    Args:
        entry: its block of the config, of its kind's `Entry`.
        table: the numbers behind it, see `figure_text`.
        image: the figure as SVG or PNG.
        spec: its Vega-Lite spec, for the description and the record.
        files: (label, address) of all that can be had of it.
        audit: what is behind its cells, see `audit.audit`.
    """
    record = spec.get("usermeta", {}).get("heatproof", {})
    return FigureCard(
        name=entry.name,
        kind=entry.kind,
        source=entry.source,
        image=image,
        width=size(image)[0] or theme.width(entry.width),
        title=entry.title,
        caption=entry.caption,
        alt=str(spec.get("description", "")),
        reconstructed=bool(record.get("reconstructed")),
        omitted=noted(spec, "omitted"),
        files=files,
        audit=audit or {},
        **{**table, "rows": [Row(**row) for row in table["rows"]]},
    )


def audit(
    story: Mapping[str, Any], spec: Mapping[str, Any], svg: bytes, files: Sequence[str]
) -> dict[str, Any]:
    """The story of each cell, where it is drawn, and the file that `heatproof trace` is to read.

    Args:
        story: what is told of its cells, see `figure_text`.
        spec: its Vega-Lite spec.
        svg: the spec drawn.
        files: paths of the figure's files; its PNG is traced, or else its SVG.

    Returns:
        Plain values; empty if the panels are not found in the drawing, or the kind tells nothing.
    """
    boxes = cell_boxes(spec, svg) if story else []
    places = noted(spec, "places")
    if not boxes:
        return {}
    return {
        "file": min(files, key=lambda path: (not path.endswith(".png"), not path.endswith(".svg"))),
        "note": " ".join(provenance.notes(record(spec))),
        "size": size(svg),
        "boxes": boxes,
        **({"places": places * len(boxes)} if places else {}),
        **story,
    }


def record(spec: Mapping[str, Any]) -> dict[str, Any]:
    """The provenance record in a spec."""
    return {"reconstructed": False, **spec.get("usermeta", {}).get("heatproof", {})}


Box = tuple[float, float, float, float]
"""Left, top, width and height in pt, from the upper left corner of the picture."""

_VIEW = re.compile(rb'viewBox="0 0 ([\d.]+) ([\d.]+)"')
_MOVE = re.compile(r"translate\(([-.\d]+),([-.\d]+)\)")
_PANEL = re.compile(r"\bconcat_(\d+)_group\b")
_SIZE = re.compile(r"[hv](-?[\d.]+)")


def cell_boxes(spec: Mapping[str, Any], svg: bytes) -> list[Box]:
    """The boxes of a figure's panels, in their order; cells fill them evenly.

    Charts of the concatenation that have a description are panels; colour bars have none. Where
    panels are no charts of their own, the spec says where they lie in its first one.
    """
    panels = {n for n, chart in enumerate(spec.get("concat", [])) if "description" in chart}
    root = ElementTree.fromstring(svg)  # noqa: S314 - drawn by ourselves
    every = dict(_groups(root, (0.0, 0.0), None))
    if (own := noted(spec, "panels")) and 0 in every:
        left, top, *_ = every[0]
        return [(left + x, top + y, width, height) for x, y, width, height in own]
    found = {n: box for n, box in every.items() if n in panels}
    return [found[n] for n in sorted(found)]


def size(svg: bytes) -> tuple[float, float]:
    """Width and height of a picture in pt."""
    found = _VIEW.search(svg)
    return (float(found[1]), float(found[2])) if found else (0.0, 0.0)


def _groups(
    node: ElementTree.Element, at: tuple[float, float], panel: int | None
) -> Iterator[tuple[int, Box]]:
    """(number of the chart, box) of each chart that is drawn below a node."""
    if move := _MOVE.match(node.get("transform", "")):
        at = at[0] + float(move[1]), at[1] + float(move[2])
    if named := _PANEL.search(node.get("class", "")):
        panel = int(named[1])
    for child in node:
        if panel is not None and child.get("class") == "background":
            width, height = (float(side) for side in _SIZE.findall(child.get("d", ""))[:2])
            yield panel, (*at, width, height)
            return
        yield from _groups(child, at, panel)


def figure_text(found: Mapping[str, Any], entry: Any, grid: pl.DataFrame) -> dict[str, Any]:
    """Plain values: the `table` (`table.Table`) and the `story` of a figure.

    Args:
        found: what lies behind its cells, as `records` of its kind has it.
        entry: the figure's block of the config.
        grid: its cells.

    Returns:
        `story` is what `kinds.api.Evidence` tells, without what is empty.
    """
    story = api.kind(entry.kind).story(found, entry, grid)
    if story:
        story["cells"] = [{key: v for key, v in cell.items() if v} for cell in story["cells"]]
    table = api.kind(entry.kind).table(grid, entry)
    return {"table": msgspec.to_builtins(table), "story": story}
