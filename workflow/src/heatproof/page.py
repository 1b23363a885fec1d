"""What a run shows at its end: results/index.html and results/summary.{json,txt}.

The page needs nothing beside it. Of a figure it tells what its entry, numbers, spec and drawing
say: a table of its numbers, where its cells are in the drawing, and the records behind each that is
opened. The numbers are told while the grid is at hand (`figure_text`), and kept as plain values:
the page itself is made without a library of frames, and holds no samples.
"""

from __future__ import annotations

import hashlib
import json
import re
from base64 import b64encode
from collections import Counter
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import msgspec

from heatproof.charts import spec as specs
from heatproof.charts import theme
from heatproof.config import paths
from heatproof.export.export import TEMPLATES, fill, font_faces
from heatproof.kinds import api
from heatproof.metrics import PRINTED, is_printed
from heatproof.provenance import record
from heatproof.samples import normalize
from heatproof.samples.refusals import place_of
from heatproof.util import canonical, terminal
from heatproof.util.lazy import polars as pl
from heatproof.util.numerals import numbered

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from heatproof.config.entries import Figure

    Box = tuple[float, float, float, float]
    """Left, top, width and height in pt, from the upper left corner of the picture."""

FACES = ("Regular", "Bold", "It")
FONTS = "/* fonts */"  # where the template has them
VIEW = re.compile(rb'viewBox="0 0 ([\d.]+) ([\d.]+)"')
MOVE = re.compile(r"translate\(([-.\d]+),([-.\d]+)\)")
PANEL = re.compile(r"\bconcat_(\d+)_group\b")
SIZE = re.compile(r"[hv](-?[\d.]+)")
REASONS = 5  # reasons told in words for each source at most
MOST_LEFT = 10  # lines on what figures leave out, at most
MOST = 100  # reasons listed for each source at most; the rejected tables hold all
COUNTED = ("records", "rows", "rejected", "passed")
"""Columns of the manifests that `normalize` wrote; what passed is left out by config.yaml."""


# ------------------------------------------------------------------------------------ of a figure


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
        "note": " ".join(record.notes(_record(spec))),
        "size": size(svg),
        "boxes": boxes,
        **({"places": places * len(boxes)} if places else {}),
        **story,
    }


def card(
    entry: Any,
    table: Mapping[str, Any],
    image: bytes,
    spec: Mapping[str, Any],
    files: Sequence[tuple[str, str]] = (),
    story: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """What the page shows of a figure.

    Args:
        entry: its block of the config, of its kind's `Entry`.
        table: of `figure_text`.
        image: SVG or PNG; it stands in the page as a data URI, so that its ids and styles stay its
            own.
        spec: its Vega-Lite spec.
        files: (label, address relative to the page) of all that can be had of it.
        story: of `audit`; without it, cells cannot be opened.
    """
    kind = "png" if image.startswith(b"\x89PNG") else "svg+xml"
    return {
        "entry": entry,
        "table": table,
        "uri": f"data:image/{kind};base64,{b64encode(image).decode()}",
        "width": size(image)[0] or theme.width(entry.width),
        "alt": str(spec.get("description", "")),
        "reconstructed": bool(_record(spec)["reconstructed"]),
        "omitted": specs.noted(spec, "omitted"),
        "files": files,
        "story": story or {},
        "audit": canonical.text(story) if story else "",
    }


def _record(spec: Mapping[str, Any]) -> dict[str, Any]:
    """The provenance record in a spec."""
    return {"reconstructed": False, **spec.get("usermeta", {}).get("heatproof", {})}


def cell_boxes(spec: Mapping[str, Any], svg: bytes) -> list[Box]:
    """The boxes of a figure's panels, in their order; cells fill them evenly.

    Charts of the concatenation that have a description are panels; colour bars have none. Where
    panels are no charts of their own, the spec says where they lie in its first one.
    """
    panels = {n for n, chart in enumerate(spec.get("concat", [])) if "description" in chart}
    root = ElementTree.fromstring(svg)  # noqa: S314 - drawn by ourselves
    charts = dict(_charts(root, (0.0, 0.0), None))
    if (inner := specs.noted(spec, "panels")) and 0 in charts:
        left, top, *_ = charts[0]
        return [(left + x, top + y, width, height) for x, y, width, height in inner]
    return [charts[n] for n in sorted(charts) if n in panels]


def _charts(
    node: ElementTree.Element, at: tuple[float, float], panel: int | None
) -> Iterator[tuple[int, Box]]:
    """(number of the chart, box) of each chart that is drawn below a node."""
    if move := MOVE.match(node.get("transform", "")):
        at = at[0] + float(move[1]), at[1] + float(move[2])
    if number := PANEL.search(node.get("class", "")):
        panel = int(number[1])
    for child in node:
        if panel is not None and child.get("class") == "background":
            width, height = (float(side) for side in SIZE.findall(child.get("d", ""))[:2])
            yield panel, (*at, width, height)
            return
        yield from _charts(child, at, panel)


def size(svg: bytes) -> tuple[float, float]:
    """Width and height of a picture in pt."""
    view = VIEW.search(svg)
    return (float(view[1]), float(view[2])) if view else (0.0, 0.0)


# ------------------------------------------------------------------------------- of all figures


def page(cards: Sequence[Mapping[str, Any]], sources: Mapping[str, Any]) -> str:
    """The gallery as HTML. Its own template and fonts are all it reads.

    `cards`: see `card`; `sources`: what went in, see the function of that name.
    """
    totals = {"sources": len(sources)}
    for count in ("logs", "rows", "rejected"):
        totals[count] = sum(source[count] for source in sources.values())
    printed = [{"source": name, "address": f"printed/{name}.csv"} | source["printed"]
               for name, source in sources.items() if "printed" in source]  # fmt: skip
    script = (TEMPLATES / "audit.js").read_text(encoding="utf-8")
    digest = b64encode(hashlib.sha256(script.encode()).digest()).decode()
    html = fill(
        "index.html.j2",
        cards=cards,
        totals=totals,
        printed=printed,
        fonts=FONTS,
        script=script,
        digest=f"sha256-{digest}",
    )
    # The data is ASCII in the page and becomes text there.
    audits = json.dumps([card["story"] for card in cards], ensure_ascii=False)
    signs = "".join(sorted({*html, *audits} - {"\n"}))
    return html.replace(FONTS, font_faces(dict.fromkeys(FACES, signs)), 1)


def sources(
    tables: Mapping[str, Sequence[str]],
    root: Path,
    figures: Iterable[Figure],
    compared: Collection[str] = (),
) -> dict[str, Any]:
    """What became of the logs of each source, as plain values.

    Args:
        tables: source → its samples tables, paths below `root`.
        root: the project's folder.
        figures: all that are drawn.
        compared: the sources with a table of what was printed.
    """
    totals = {name: of_source(listed, root) for name, listed in sorted(tables.items())}
    for figure in figures:
        if figure.source in totals and any(map(is_printed, figure.metrics().values())):
            totals[figure.source]["aggregates"] = True
    for name in compared:
        from heatproof import printed  # numpy: not at every start of a run

        table = printed.read_table(root / paths.printed(name))
        totals[name]["printed"] = printed.outcome(table)
    return totals


def of_source(tables: Sequence[str], root: Path) -> dict[str, Any]:
    """What became of the logs that the samples `tables`, paths below `root`, were read from.

    The kinds of reasons for refusals stand in the order of their frequency, each with the first
    record that it befell and the number of its `wordings`; `kinds` is how many there are.
    """
    logs = [
        log for table in tables for log in normalize.read_manifest(root / paths.manifest(table))
    ]
    # A sidecar holds no records.
    totals: dict[str, Any] = {"logs": sum(log.records > 0 for log in logs)}
    totals |= {name: sum(getattr(log, name) for log in logs) for name in COUNTED}
    if not totals["rejected"]:
        return totals | {"kinds": 0, "reasons": []}
    place = ["log", "line", "offset"]
    columns = [*place, "kind", "reason"]
    rows = pl.concat(
        [pl.read_parquet(root / paths.rejected(table), columns=columns) for table in tables]
    ).sort(*place, "reason")
    wordings = rows.select("kind", "reason").unique().iter_rows()
    kinds = {reason: (kind, place_of(reason)) for kind, reason in wordings}
    ways, counts = Counter(kinds.values()), Counter(map(kinds.__getitem__, rows["reason"]))
    first = {kinds[row["reason"]]: row for row in rows.reverse().iter_rows(named=True)}
    reasons = [
        {"records": count, "wordings": ways[name]}
        | {key: first[name][key] for key in ("reason", "log", "line")}
        for name, count in counts.most_common(MOST)
    ]
    return totals | {"kinds": len(counts), "reasons": reasons}


def text(totals: Mapping[str, Any]) -> str:
    """What results/summary.json holds, in a few lines for people.

    `totals`: `figures` and `files`, how many; `omitted`, figure → what it was to show and has no
    room for; `sources`.
    """
    figures, files = numbered(totals["figures"], "figure"), numbered(totals["files"], "file")
    head = f"heatproof: {figures} in {files}, {paths.PAGE} shows them"
    omitted = [
        f"  left out: {name}: {terminal.name(line)}"
        for name, listed in totals["omitted"].items()
        for line in listed
    ]
    more = [f"  left out: {len(omitted) - MOST_LEFT:,} things more, see {paths.PAGE}"]
    left = omitted[:MOST_LEFT] + more[: len(omitted) > MOST_LEFT]
    return "\n".join([head, *lines(totals["sources"]), *left])


def lines(sources: Mapping[str, Any]) -> list[str]:
    """What became of the logs of each source: one line, and more where records were refused."""
    width = max(map(len, sources), default=0)
    words = []
    for name, source in sources.items():
        rows = numbered(source["rows"], "sample")
        if source.get("aggregates"):
            rows = f"{numbered(source['rows'], 'aggregate')} ({PRINTED.partition(': ')[2]})"
        line = f"  {name:{width}}  {numbered(source['logs'], 'log')}, {rows}"
        if source.get("passed"):
            line += f", {numbered(source['passed'], 'record')} passed over"
        if source["rejected"]:
            line += f", {numbered(source['rejected'], 'record')} refused:"
        words.append(line)
        if source["rejected"]:
            words += _refused(source)
            words.append(f"      all of them: results/tables/{name}/*.rejected.parquet")
        words += [f"      {line}" for key in ("scored", "expect") for line in source.get(key, ())]
        if "printed" in source:
            words += _printed(source["printed"], paths.printed(name))
    return words


def _refused(source: Mapping[str, Any]) -> list[str]:
    """The most frequent kinds of reasons, each with the first record it befell."""
    words = [
        f"      {why['records']:,} × {'such as ' * (why['wordings'] > 1)}{why['reason']} "
        f"(first: {terminal.name(why['log'])}:{why['line']})"
        for why in source["reasons"][:REASONS]
    ]
    more = source["kinds"] - REASONS
    return words + ([f"      more reasons: {more:,}"] if more > 0 else [])


def _printed(outcome: Mapping[str, Any], table: str) -> list[str]:
    """How what the harness printed compares with what was counted."""
    words = []
    for count, first in ("disagreements", "disagree"), ("damaged", "unread"):
        listed = [f"        {line}" for line in outcome.get(first, ())[:REASONS]]
        more = outcome.get(count, 0) - len(listed)
        words += [*listed, *([f"        and {more:,} more"] if more else [])]
    head = f"      printed by the harness: {outcome['values']} ({table}){':' if words else ''}"
    return [head, *words]
