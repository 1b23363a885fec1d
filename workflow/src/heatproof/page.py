"""What a run shows at its end: results/index.html and results/summary.{json,txt}.

The page shows the figures' own SVG files, a table of their numbers, and the records behind a cell.
All of it is made while the figure is drawn (`text_of_figure`). The page loads
results/pages/FIGURE.js when a cell is first opened, so that it is quick with a hundred figures.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from base64 import b64encode
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import msgspec

from heatproof.charts import spec as specs
from heatproof.config import paths
from heatproof.config.choice import read_choices
from heatproof.export.drawing import size
from heatproof.export.export import TEMPLATES, fill, font_faces
from heatproof.kinds import api
from heatproof.kinds.question import AGAINST
from heatproof.metrics import PRINTED, is_printed
from heatproof.provenance import job, record
from heatproof.samples import normalize, shard_index
from heatproof.samples.derived import lacking_words
from heatproof.util import canonical, terminal
from heatproof.util.lazy import polars as pl
from heatproof.util.numerals import numbered

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from heatproof.config.entries import Figure

    Box = tuple[float, float, float, float]
    """Left, top, width and height in pt, from the upper left corner of the picture."""

FACES = ("Regular", "Bold", "It")
FONTS = "/* fonts */"  # where the template has them
MOVE = re.compile(r"translate\(([-.\d]+),([-.\d]+)\)")
PANEL = re.compile(r"\bconcat_(\d+)_group\b")
SIZE = re.compile(r"[hv](-?[\d.]+)")
REASONS = 5  # reasons in words for each source, at most
MOST_LEFT = 10  # lines on what figures leave out, at most
TAP = 24.0  # CSS pixels of a cell that a finger hits (WCAG 2.2, 2.5.8)
WIDEST = 3.0  # times its width that a figure is enlarged for this, at most
MOST = 100  # reasons listed for each source, at most; the rejected tables hold all
LOST = (("failed", "failed"), ("rejected", "refused"))  # records, and what became of them
COUNTED = ("records", "rows", "rejected", "passed", "failed")
"""Columns of the manifests; records that passed are left out by config.yaml."""


# ------------------------------------------------------------------------------------ of a figure


def text_of_figure(
    behind: Mapping[str, Any],
    figure: api.FigureTexts,
    spec: Mapping[str, Any],
    svg: bytes,
    files: Sequence[str],
) -> dict[str, Any]:
    """All that the page tells of a figure, as plain values: `about`, `table` and `story`.

    The `table` is a `kinds.picture.Table`. The `story` is what its kind tells of each
    cell, with the place where it is drawn and the file that `heatproof trace` is to read; empty
    where the kind tells nothing, or where the panels are not found in the drawing.

    Args:
        behind: what lies behind its cells, as `records` of its kind has it.
        figure: its block of the config and its cells.
        spec: its Vega-Lite spec.
        svg: the spec drawn.
        files: paths of the figure's files; its PNG is traced, or else its SVG.
    """
    made_of = {"reconstructed": False, **spec.get("usermeta", {}).get("heatproof", {})}
    width, height = size(svg.decode())
    evidence = figure.story(behind)
    boxes = cell_boxes(spec, svg) if evidence else []
    story: dict[str, Any] = {}
    if boxes:
        places = specs.noted(spec, "places") * len(boxes)
        means = margins(spec)
        first = min(files, key=lambda path: (not path.endswith(".png"), not path.endswith(".svg")))
        story = {
            "file": first,
            "note": " ".join(record.notes(made_of)),
            "size": (width, height),
            "boxes": boxes,
            **({"places": places} if places else {}),
            **({"margins": means} if means else {}),
            **({"quotes": behind["quotes"]} if "quotes" in behind else {}),
            **evidence,
            "cells": [{k: v for k, v in cell.items() if v} for cell in evidence["cells"]],
        }
    about = {
        "alt": " ".join(specs.noted(spec, "alt")),
        "spoken": str(spec.get("description", "")),
        "reconstructed": bool(made_of["reconstructed"]),
        "omitted": specs.noted(spec, "omitted"),
        "models": models(figure.entry, story),
        "width": width,
        "height": height,
        "tapped": width * min(max(TAP / smallest_side(story), 1.0), WIDEST) if story else 0.0,
    }
    table = msgspec.to_builtins(figure.table())
    return {"about": about, "table": table, "story": story}


def script(name: str, text: Mapping[str, Any]) -> str:
    """The content of results/pages/NAME.js; `text`: of `text_of_figure`.

    A page opened as a file may read no other file, but may run scripts beside it.
    """
    return f"heatproof({canonical.text(name)}, {canonical.text(text)});\n"


def models(entry: Any, story: Mapping[str, Any]) -> list[str]:
    """The models of a figure: along an axis, of its panels, or the only one."""
    values: list[str] = []
    for panel in story.get("panels", ()):
        picked = dict(panel["pick"])
        if "model" in picked:
            values += [value for name, value in picked.items() if name in ("model", AGAINST)]
    for axis in ("x", "y"):
        values += story[axis]["values"] if story and story[axis]["name"] == "model" else []
    choice = read_choices(entry.where).get("model")
    if choice and not choice.leaves_out:
        values += map(str, choice.values)
    return list(dict.fromkeys(values))


def smallest_side(story: Mapping[str, Any]) -> float:
    """The shortest side of all cells, in pt."""
    sides: list[float] = [side for place in story.get("places", ()) for side in place[2:] if side]
    shape = [len(story[axis]["values"]) for axis in ("x", "y")]
    for panel, box in zip(story["panels"], story["boxes"], strict=False) if not sides else ():
        cells = [1, 1] if panel.get("one") else shape
        sides += [side / many for side, many in zip(box[2:], cells, strict=True)]
    return min(sides)


def margins(spec: Mapping[str, Any]) -> list[list[dict[str, Any]]]:
    """Box, text, cells and groups of the means of each panel; empty without any."""
    panels = [chart for chart in spec.get("concat", []) if "description" in chart]
    names = [chart.get("data", {}).get("name", "").removeprefix("cells") for chart in panels]
    means = [spec["datasets"].get(f"means{name}", []) for name in names]
    kept = ("left", "top", "right", "foot", "label", "of", "groups")
    listed = [[{key: row[key] for key in kept} for row in rows] for rows in means]
    return listed if any(listed) else []


def cell_boxes(spec: Mapping[str, Any], svg: bytes) -> list[Box]:
    """The boxes of a figure's panels, in their order.

    Panels are charts with a description, or lie in the first chart where the spec says.
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
    """(number of the chart, box) of each chart below a node."""
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


# ------------------------------------------------------------------------------- of all figures


def gallery(settings: Mapping[str, Any], failed: Sequence[Mapping[str, str]] = ()) -> list[str]:
    """The page, summary.json and summary.txt of figures that are drawn.

    Args:
        settings: of the job, as the plan has them (`plan.Plan.settings`).
        failed: of figures that could not be drawn `name`, `title`, and `why`.
    """
    cards, pictures = [], 0
    entries = [api.read(entry) for entry in settings["entries"].values()]
    for entry in entries:
        name, forms = entry.name, sorted({"svg", *entry.formats})
        files = {form: paths.picture(name, form) for form in forms}
        pictures += len(files)
        files |= {"caption": paths.caption(name, "tex"), "spec": paths.spec(name)}
        files |= {"grid": paths.grid(name)}
        files |= {form: paths.numbers(name, form) for form in ("csv", "tex")}
        links = [(label, os.path.relpath(path, "results")) for label, path in files.items()]
        numbers = json.loads(Path(paths.numbers(name, "json")).read_text())
        cards.append({"entry": entry, "files": links, **numbers})
    totals = sources(settings["tables"], Path(), entries, settings["printed"])
    for name, plain in settings["sources"].items():
        _, source = job.source(plain)
        counts = pl.scan_parquet([Path(paths.counts(table)) for table in settings["tables"][name]])
        if incomplete := unfailed_words(source, totals[name]["failed"]):
            totals[name]["whole"] = incomplete
        if source.derived:
            samples = pl.scan_parquet([Path(table) for table in settings["tables"][name]])
            totals[name]["lacking"] = list(lacking_words(source, samples))
        if source.chooses():
            totals[name]["scored"] = list(normalize.scorer_words(name, source, counts))
        if (expect := settings["expect"][name]) is not None:
            totals[name]["expect"] = list(shard_index.expectation_words(name, expect, counts))
    omitted = {card["entry"].name: card["about"]["omitted"] for card in cards}
    omitted = {name: lines for name, lines in omitted.items() if lines}
    every = {"figures": len(cards), "files": pictures, "omitted": omitted, "sources": totals}
    if failed:
        every["failed"] = list(failed)
    plain = json.dumps(every, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
    return [page(cards, totals, failed), plain, f"{text(every)}\n"]


def page(
    cards: Sequence[Mapping[str, Any]],
    sources: Mapping[str, Any],
    failed: Sequence[Mapping[str, str]] = (),
) -> str:
    """The gallery as HTML.

    Args:
        cards: the `entry` of each figure, its `files` (label, address), and its `text_of_figure`.
        sources: of the function of that name.
        failed: as of `gallery`.
    """
    totals = {"sources": len(sources)}
    for count in ("logs", "rows", "rejected"):
        totals[count] = sum(source[count] for source in sources.values())
    printed = [{"source": name, "address": f"printed/{name}.csv"} | source["printed"]
               for name, source in sources.items() if "printed" in source]  # fmt: skip
    choices = {
        "source": {card["entry"].source for card in cards},
        "kind": {card["entry"].kind for card in cards},
        "model": {model for card in cards for model in card["about"]["models"]},
    }
    script = (TEMPLATES / "audit.js").read_text(encoding="utf-8")
    digest = b64encode(hashlib.sha256(script.encode()).digest()).decode()
    html = fill(
        "index.html.j2",
        cards=cards,
        failed=failed,
        choices={name: sorted(values) for name, values in choices.items() if len(values) > 1},
        totals=totals,
        printed=printed,
        fonts=FONTS,
        script=script,
        digest=f"sha256-{digest}",
    )
    views = [[card["table"], card["story"]] for card in cards]
    later = json.dumps(views, ensure_ascii=False)
    signs = "".join(sorted({*html, *later} - {"\n"}))
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

        totals[name]["printed"] = printed.outcome(printed.read_table(root / paths.printed(name)))
    return totals


def unfailed_words(source: Any, failed: int) -> list[str]:
    """A line if no record of a source failed whose key `failed` says which do.

    So a misspelt place is noticed: that it is nowhere may as well be good news.
    """
    places = list(getattr(source, "failed", ()))
    if failed or not places:
        return []
    return [f"no record failed, by `failed`: {', '.join(places)}"]


def of_source(tables: Sequence[str], root: Path) -> dict[str, Any]:
    """What became of the logs of the samples `tables`, paths below `root`.

    `reasons` of refusals are sorted by frequency, each with its first record and the number of its
    `wordings`; `kinds` is how many there are.
    """
    logs = [
        log for table in tables for log in normalize.read_manifest(root / paths.manifest(table))
    ]
    # A sidecar holds no records.
    totals: dict[str, Any] = {"logs": sum(log.records > 0 for log in logs)}
    totals |= {name: sum(getattr(log, name) for log in logs) for name in COUNTED}
    if not totals["rejected"] + totals["failed"]:
        return totals | {"kinds": 0, "reasons": []}
    place = ["log", "line", "offset"]
    columns = place + ["kind", "field", "reason"]
    rows = pl.concat(
        [pl.read_parquet(root / paths.rejected(table), columns=columns) for table in tables]
    ).sort(*place, "reason")
    kinds = rows.select("kind", "field").rows()
    counts = Counter(kinds)
    ways = Counter(rows.select("kind", "field", "reason").unique().drop("reason").iter_rows())
    first = dict(zip(reversed(kinds), rows.reverse().to_dicts(), strict=True))
    reasons = [
        {"records": count, "wordings": ways[name]}
        | {key: first[name][key] for key in ("reason", "log", "line")}
        for name, count in counts.most_common(MOST)
    ]
    return totals | {"kinds": len(counts), "reasons": reasons}


def text(totals: Mapping[str, Any]) -> str:
    """results/summary.json in a few lines.

    `totals`: numbers of `figures` and `files`; `omitted`, figure → lines on what has no room in it;
    `sources`; `failed`, if some figures could not be drawn.
    """
    figures, files = numbered(totals["figures"], "figure"), numbered(totals["files"], "file")
    head = f"heatproof: {figures} in {files}, {paths.PAGE} shows them"
    omitted = [
        f"  left out: {name}: {terminal.name(line)}"
        for name, listed in totals["omitted"].items()
        for line in listed
    ]
    more = [f"  left out: {len(omitted) - MOST_LEFT:,} more, see {paths.PAGE}"]
    left = omitted[:MOST_LEFT] + more[: len(omitted) > MOST_LEFT]
    missing = [f"  not drawn: {figure['name']}" for figure in totals.get("failed", ())]
    return "\n".join([head, *lines(totals["sources"]), *left, *missing])


def lines(sources: Mapping[str, Any]) -> list[str]:
    """A line on the logs of each source, and more where records were refused."""
    width = max(map(len, sources), default=0)
    words = []
    for name, source in sources.items():
        rows = numbered(source["rows"], "sample")
        if source.get("aggregates"):
            rows = f"{numbered(source['rows'], 'aggregate')} ({PRINTED.partition(': ')[2]})"
        line = f"  {name:{width}}  {numbered(source['logs'], 'log')}, {rows}"
        if source.get("passed"):
            line += f", {numbered(source['passed'], 'record')} passed over"
        lost = [(source.get(key), word) for key, word in LOST if source.get(key)]
        for number, word in lost:
            line += f", {numbered(number, 'record')} {word}"
        words.append(f"{line}:" if lost else line)
        if lost:
            words += _refused(source)
            words.append(f"      all of them: results/tables/{name}/*.rejected.parquet")
        words += [
            f"      {line}"
            for key in ("whole", "lacking", "scored", "expect")
            for line in source.get(key, ())
        ]
        if "printed" in source:
            words += _printed(source["printed"], paths.printed(name))
    return words


def _refused(source: Mapping[str, Any]) -> list[str]:
    words = [
        f"      {why['records']:,} × {'such as ' * (why['wordings'] > 1)}{why['reason']} "
        f"(first: {terminal.name(why['log'])}:{why['line']})"
        for why in source["reasons"][:REASONS]
    ]
    more = source["kinds"] - REASONS
    return words + ([f"      more reasons: {more:,}"] if more > 0 else [])


def _printed(outcome: Mapping[str, Any], table: str) -> list[str]:
    """How the numbers that the harness printed compare with the counted ones."""
    words = []
    for count, first in ("disagreements", "disagree"), ("damaged", "unread"):
        listed = [f"        {line}" for line in outcome.get(first, ())[:REASONS]]
        more = outcome.get(count, 0) - len(listed)
        words += [*listed, *([f"        and {more:,} more"] if more else [])]
    head = f"      printed by the harness: {outcome['values']} ({table}){':' if words else ''}"
    return [head] + words
