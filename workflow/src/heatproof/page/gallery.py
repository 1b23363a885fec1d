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
from typing import TYPE_CHECKING, Any, NamedTuple
from xml.etree import ElementTree

import msgspec

from heatproof.charts import spec as specs
from heatproof.charts import theme
from heatproof.export.html_page import TEMPLATES, fill
from heatproof.export.svg import font_faces
from heatproof.kinds import api
from heatproof.kinds.picture import Table, TableRow
from heatproof.provenance import record
from heatproof.util import canonical

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from heatproof.util.lazy import polars as pl

_FACES = ("Regular", "Bold", "It")
_FONTS = "/* fonts */"  # where the template has them


@dataclass(frozen=True)
class FigureCard:
    """What the gallery shows of a figure."""

    entry: Any
    """Its block of the config, of its kind's `Entry`."""
    table: Table
    image: bytes
    """SVG or PNG; it stands in the page as a data URI, so that its ids and styles stay its own."""
    spec: Mapping[str, Any] = field(default_factory=dict)
    files: Sequence[tuple[str, str]] = ()
    """(label, address relative to the page) of all that can be had of it."""
    audit: Mapping[str, Any] = field(default_factory=dict)
    """What is behind each cell, see `audit`; without it, cells cannot be opened."""

    @property
    def audit_text(self) -> str:
        """The same as JSON that can stand in a page."""
        return canonical.text(self.audit)

    @property
    def width(self) -> float:
        """In pt."""
        return size(self.image)[0] or theme.width(self.entry.width)

    @property
    def alt(self) -> str:
        return str(self.spec.get("description", ""))

    @property
    def reconstructed(self) -> bool:
        return bool(record_of(self.spec)["reconstructed"])

    @property
    def omitted(self) -> Sequence[str]:
        """What it was to show and has no room for."""
        return specs.noted(self.spec, "omitted")

    @property
    def uri(self) -> str:
        """The picture as an address that needs no file."""
        kind = "png" if self.image.startswith(b"\x89PNG") else "svg+xml"
        return f"data:image/{kind};base64,{b64encode(self.image).decode()}"


class Totals(NamedTuple):
    """What went in: logs read, rows they gave, records refused."""

    sources: int
    logs: int
    rows: int
    rejected: int


def page(
    figures: Sequence[FigureCard],
    totals: Totals,
    printed: Sequence[Mapping[str, Any]] = (),
) -> str:
    """The gallery as HTML. Its own template and fonts are all it reads.

    `printed`: a source, the `address` of its table, and the `printed.outcome` of that.
    """
    script = (TEMPLATES / "audit.js").read_text(encoding="utf-8")
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
    audits = json.dumps([figure.audit for figure in figures], ensure_ascii=False)
    signs = "".join(sorted({*html, *audits} - {"\n"}))
    return html.replace(_FONTS, font_faces(dict.fromkeys(_FACES, signs)), 1)


def card(
    entry: Any,
    table: Mapping[str, Any],
    image: bytes,
    spec: Mapping[str, Any],
    files: Sequence[tuple[str, str]],
    audit: Mapping[str, Any] | None = None,
) -> FigureCard:
    """The card of a figure, of whose numbers `table` are the plain values of `figure_text`."""
    numbers = Table(**{**table, "rows": [TableRow(**row) for row in table["rows"]]})
    return FigureCard(entry, numbers, image, spec, files, audit or {})


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
    places = specs.noted(spec, "places")
    if not boxes:
        return {}
    return {
        "file": min(files, key=lambda path: (not path.endswith(".png"), not path.endswith(".svg"))),
        "note": " ".join(record.notes(record_of(spec))),
        "size": size(svg),
        "boxes": boxes,
        **({"places": places * len(boxes)} if places else {}),
        **story,
    }


def record_of(spec: Mapping[str, Any]) -> dict[str, Any]:
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
    charts = dict(_groups(root, (0.0, 0.0), None))
    if (inner := specs.noted(spec, "panels")) and 0 in charts:
        left, top, *_ = charts[0]
        return [(left + x, top + y, width, height) for x, y, width, height in inner]
    return [charts[n] for n in sorted(charts) if n in panels]


def size(svg: bytes) -> tuple[float, float]:
    """Width and height of a picture in pt."""
    view = _VIEW.search(svg)
    return (float(view[1]), float(view[2])) if view else (0.0, 0.0)


def _groups(
    node: ElementTree.Element, at: tuple[float, float], panel: int | None
) -> Iterator[tuple[int, Box]]:
    """(number of the chart, box) of each chart that is drawn below a node."""
    if move := _MOVE.match(node.get("transform", "")):
        at = at[0] + float(move[1]), at[1] + float(move[2])
    if number := _PANEL.search(node.get("class", "")):
        panel = int(number[1])
    for child in node:
        if panel is not None and child.get("class") == "background":
            width, height = (float(side) for side in _SIZE.findall(child.get("d", ""))[:2])
            yield panel, (*at, width, height)
            return
        yield from _groups(child, at, panel)


def figure_text(behind: Mapping[str, Any], entry: Any, grid: pl.DataFrame) -> dict[str, Any]:
    """Plain values: the `table` (`kinds.picture.Table`) and the `story` of a figure.

    `behind`: what lies behind its cells, as `records` of its kind has it. The story is what
    `kinds.api.Evidence` tells, without what is empty.
    """
    story = api.kind(entry.kind).story(behind, entry, grid)
    if story:
        story["cells"] = [{key: v for key, v in cell.items() if v} for cell in story["cells"]]
    table = api.kind(entry.kind).table(grid, entry)
    return {"table": msgspec.to_builtins(table), "story": story}
