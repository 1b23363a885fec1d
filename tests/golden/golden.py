"""Every output of many figures and log formats, known by hashes: what changes them is noticed.

    python tests/golden                 compare with recorded.txt
    python tests/golden --record        write recorded.txt and texts/ anew
    python tests/golden --keep FILE     keep the outputs themselves, as JSON
    python tests/golden --against FILE  compare with outputs that were kept: first differences

`--only WORD` takes the cases whose name holds it, and records these alone. To see what a change does: keep the outputs of the
commit before in one checkout, compare in the other. Of the figures that tests compare, texts/ has what a person can read:
table, LaTeX, caption, recount and mistakes. A case is a figure of figures.yaml, a figure of
docs/figures.md, or a specimen of a log format; figures of real logs need the data of this project.
"""

import argparse
import csv
import difflib
import hashlib
import importlib.util
import json
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
import polars as pl
import yaml

from heatproof import formats
from heatproof.charts import spec, theme
from heatproof.config import configuration, venues
from heatproof.kinds import api
from heatproof.library import reading
from heatproof.logs import logs
from heatproof.util import canonical, registry
from heatproof.util.errors import Error
from support import data, specimens, toys

HERE = Path(__file__).parent
PROJECT = HERE.parent.parent
RECORDED = HERE / "recorded.txt"
TEXTS = HERE / "texts"
READABLE = ("mistakes", "refused", "csv", "tex", "caption", "recount")
LONGEST = 40  # lines of an output, or of a difference, that are to be read
Outputs = dict[str, str]
"""What a case gives, as text, by the name of the output; of a refusal, its message."""


def cases() -> dict[str, Callable[[], Outputs]]:
    """Name → what makes the outputs of a case."""
    figures = {name: lambda block=block: figure(block) for name, block in _blocks()}
    formats = {f"format {name}": lambda name=name: source(name) for name in specimens.SOURCES}
    return figures | formats


def _blocks() -> Iterator[tuple[str, dict[str, Any]]]:
    """The blocks of all figures, as config.yaml would hold them."""
    given = data.load(HERE / "figures.yaml")
    for name, base in given["bases"].items():
        options = [option for words in base["options"] for option in given["options"][words]]
        for number, option in enumerate(options or [{}]):
            where = base["entry"].get("where", {})
            if "where" in option and base["entry"]["source"] == "toy":
                where = where | option["where"]
            block = {"name": "golden", **base["entry"], **option, "where": where}
            yield f"{name} {number:02}", block
    for name, block in _documented().items():
        for width in [None, *given["widths"]]:
            yield f"docs {name} {width or ''}".strip(), block | ({"width": width} if width else {})


@cache
def _pictures() -> dict[str, Any]:
    """The config of docs/figures.md."""
    place = importlib.util.spec_from_file_location("pictures", PROJECT / "docs/draw.py")
    assert place
    assert place.loader
    pictures = importlib.util.module_from_spec(place)
    place.loader.exec_module(pictures)
    return {key: value for key, value in pictures.config().items() if not key.startswith(".")}


def _documented() -> dict[str, dict[str, Any]]:
    """The figures of docs/figures.md, whole and by name."""
    figures = configuration.read(_pictures(), PROJECT).figures
    return {entry.name: json.loads(msgspec.json.encode(entry)) for entry in figures.values()}


@cache
def samples(name: str) -> pl.DataFrame:
    """The samples table of a source: a toy, or one of the gallery."""
    if toy := {
        "toy": toys.sweep, "banded": toys.banded, "duel": toys.duel, "trio": toys.trio,
    }.get(name):  # fmt: skip
        return toy()
    sources = yaml.safe_load((PROJECT / "config.yaml").read_text())["sources"]
    block = (_pictures()["sources"] | sources)[name]
    keys = {key: value for key, value in block.items() if key not in ("logs", "shards")}
    return reading.normalize_logs(block["logs"], root=PROJECT, **keys).samples


@cache
def _grid(text: str) -> pl.DataFrame:
    """The grid of a block, given as JSON without the keys that only shape the drawing."""
    entry = api.read(json.loads(text))
    return api.kind(entry.kind).aggregate(samples(entry.source).lazy(), entry)


def figure(block: dict[str, Any]) -> Outputs:
    """All that a figure says: grid, spec, numbers, caption, page, recount."""
    try:
        entry = api.read(block)
        if mistakes := entry.mistakes():
            return {"mistakes": "\n".join(mistake.sentence for mistake in mistakes)}
        table = samples(block["source"])
        shown = {key: value for key, value in block.items() if key not in entry.drawing()}
        grid = _grid(canonical.text(shown))
    except (Error, msgspec.ValidationError) as error:
        return {"refused": f"{error}"}

    with theme.using(venues.type_of(entry.type, entry.width)):
        return {name: _words(make) for name, make in _makers(entry, table, grid).items()}


def _words(make: Callable[[], str]) -> str:
    try:
        return make()
    except Error as error:
        return f"refused: {error}"


def _makers(entry: Any, table: pl.DataFrame, grid: pl.DataFrame) -> dict[str, Callable[[], str]]:
    kind = api.kind(entry.kind)

    def page() -> str:
        records = json.loads(canonical.text(kind.records([table.lazy()], entry, grid)))
        rows = msgspec.to_builtins(kind.table(grid, entry))
        return canonical.text([rows, records, kind.story(records, entry, grid)])

    def recount() -> str:
        cells = kind.recounted(table.lazy(), grid, entry)
        return "\n".join(repr(tuple(cell)) for cell in cells)

    makers: dict[str, Callable[[], str]] = {
        "grid": grid.write_json,
        "spec": lambda: spec.text(kind.draw(grid, entry, notes=["a note"]), {}),
        "csv": lambda: kind.csv(grid, entry),
        "tex": lambda: kind.latex(grid, entry, "a note"),
        "caption": lambda: "\n".join(kind.caption(grid, entry)),
        "page": page,
    }
    return makers | ({"recount": recount} if len(table) < 1000 else {})


def source(name: str) -> Outputs:
    """The tables of a specimen of a log format, whole and after two kinds of damage."""
    files, keys = specimens.SOURCES[name]
    outputs: Outputs = {}
    for damage, change in {"": bytes, "cut-": lambda data: data[: len(data) * 2 // 3]}.items():
        with TemporaryDirectory() as folder:
            specimens.write(Path(folder), {path: change(data) for path, data in files.items()})
            entry = msgspec.convert(
                {"name": "golden", "logs": "**/*.*", "refused": 1.0} | keys,
                registry.find(formats, keys["format"], "format", "log format").Entry,
            )
            try:
                read, *_ = reading.tables_of(entry, logs.find(entry, Path(folder)), Path(folder))
                outputs[f"{damage}samples"] = read.samples.write_json()
                rejected = read.rejected.drop("kind", "field", "whole")
                outputs[f"{damage}rejected"] = rejected.write_json()
            except Error as error:
                outputs[f"{damage}refused"] = f"{error}".replace(folder, "")
    return outputs


def digests(outputs: Outputs) -> dict[str, str]:
    """A short hash of each output."""
    return {name: hashlib.sha256(text.encode()).hexdigest()[:8] for name, text in outputs.items()}


@cache
def quick() -> list[str]:
    """The cases that tests compare, which take some seconds."""
    names: list[str] = data.load(HERE / "figures.yaml")["quick"]
    return names


def readable(outputs: Outputs) -> str:
    """What a person can compare, in one text: the first lines of each output.

    Columns of the table without any value are left out; the hashes are of all.
    """
    parts = []
    for name in READABLE:
        if name in outputs:
            text = filled_columns(outputs[name]) if name == "csv" else outputs[name]
            lines = text.strip().splitlines()
            more = [f"… {len(lines) - LONGEST} more lines"] if len(lines) > LONGEST else []
            parts.append("\n".join([f"== {name}", *lines[:LONGEST], *more, ""]))
    return "\n".join(parts)


def filled_columns(text: str) -> str:
    """The columns of a CSV file that have a value."""
    rows = list(csv.reader(text.splitlines()))
    columns = [column for column in zip(*rows, strict=True) if any(column[1:])]
    return "\n".join(",".join(row) for row in zip(*columns, strict=True))


def text_of(name: str) -> Path:
    """Where the readable outputs of a case are recorded."""
    return TEXTS / f"{name.replace(' ', '_')}.txt"


def recorded_text(name: str) -> str:
    path = text_of(name)
    return path.read_text(encoding="utf-8") if path.exists() else ""


def record_text(name: str, outputs: Outputs) -> None:
    if text := readable(outputs):
        TEXTS.mkdir(exist_ok=True)
        text_of(name).write_text(text, encoding="utf-8")


def text_difference(name: str, outputs: Outputs) -> list[str]:
    """The lines by which the readable outputs of a case differ from those recorded."""
    before, after = recorded_text(name).splitlines(), readable(outputs).splitlines()
    lines = difflib.unified_diff(before, after, "recorded", "now", lineterm="", n=1)
    return list(lines)[:LONGEST]


def recorded() -> dict[str, dict[str, str]]:
    """What stands in recorded.txt: a line a case."""
    lines = RECORDED.read_text(encoding="utf-8").splitlines()
    split = (line.split(": ", 1) for line in lines)
    return {name: dict(pair.split("=") for pair in pairs.split()) for name, pairs in split}


def _first_difference(before: str, after: str) -> str:
    place = next((n for n, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), 0)
    start = max(place - 60, 0)
    return f"      {before[start : place + 100]!r}\n   →  {after[start : place + 100]!r}"


def record(outputs: dict[str, Outputs], *, all_cases: bool) -> None:
    """Write the hashes of cases, and the texts of those that tests compare."""
    for name in set(outputs).intersection(quick()):
        record_text(name, outputs[name])
    told = {} if all_cases else recorded()
    told |= {name: digests(texts) for name, texts in outputs.items()}
    lines = []
    for name in cases():
        if name in told:
            pairs = " ".join(f"{key}={digest}" for key, digest in told[name].items())
            lines.append(f"{name}: {pairs}\n")
    RECORDED.write_text("".join(lines), encoding="utf-8")


def main() -> int:
    """Compare, record or keep."""
    way = argparse.RawTextHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=way)
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--against", type=Path)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    outputs = {name: make() for name, make in cases().items() if options.only in name}
    if options.keep:
        options.keep.write_text(json.dumps(outputs, ensure_ascii=False, indent=0))
        return 0
    if options.record:
        record(outputs, all_cases=not options.only)
        return 0
    kept = json.loads(options.against.read_text()) if options.against else {}
    before = {name: digests(texts) for name, texts in kept.items()} if kept else recorded()
    differ: Counter[str] = Counter()
    for name, texts in outputs.items():
        after = digests(texts)
        for key in sorted({*after, *before.get(name, {})}):
            if after.get(key) == before.get(name, {}).get(key):
                continue
            differ[key] += 1
            print(f"{name}: {key}")
            if kept and differ[key] <= 5:
                print(_first_difference(kept.get(name, {}).get(key, ""), texts.get(key, "")))
    for name in set(outputs).intersection(quick()):
        print("".join(f"{line}\n" for line in text_difference(name, outputs[name])), end="")
    gone = [name for name in before if options.only in name and name not in outputs]
    counts = ", ".join(f"{key} {number}" for key, number in differ.items()) or "nothing"
    print(f"{len(outputs)} cases; differs: {counts}; gone: {', '.join(gone) or 'none'}")
    return int(bool(differ or gone))
