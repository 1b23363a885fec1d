"""results/summary.{json,txt}: what went in, what was refused and why, in counts and in words.

Beside it results/README.md: what the folder holds, for whoever gets it without the project.
"""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof import printed as printed_numbers
from heatproof.config import paths
from heatproof.metrics import PRINTED, is_printed
from heatproof.samples.refusals import place_of
from heatproof.util import terminal
from heatproof.util.lazy import polars as pl
from heatproof.util.numerals import numbered

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from pathlib import Path

    from heatproof.config.entries import Figure


REASONS = 5
"""Reasons told in words for each source at most."""
MOST_LEFT = 10
"""Lines on what figures leave out, at most."""
MOST = 100
"""Reasons listed for each source at most; the rejected tables hold all."""


class Totals(NamedTuple):
    """What became of the logs of a source."""

    logs: int = 0
    records: int = 0
    rows: int = 0
    rejected: int = 0
    passed: int = 0
    """What config.yaml leaves out of the records."""


COUNTED = ("records", "rows", "rejected", "passed")


def totals(manifests: list[Path]) -> Totals:
    """The sums over the manifests that `normalize` wrote beside the tables of a source."""
    found = Totals()
    for path in manifests:
        with path.open(newline="") as file:
            for line in csv.DictReader(file):
                counts = [int(line.get(name, 0)) for name in COUNTED]
                logs = found.logs + (counts[0] > 0)  # a sidecar holds none
                found = Totals(logs, *map(sum, zip(found[1:], counts, strict=True)))
    return found


def of_source(tables: Sequence[str], root: Path) -> dict[str, Any]:
    """What became of the logs that the samples `tables`, paths below `root`, were read from.

    The kinds of reasons for refusals stand in the order of their frequency, each with the first
    record that it befell and the number of its `wordings`; `kinds` is how many there are.
    """
    found = totals([root / paths.manifest(table) for table in tables])
    rejected = [root / paths.rejected(table) for table in tables] if found.rejected else []
    kinds, reasons = _reasons(rejected)
    return found._asdict() | {"kinds": kinds, "reasons": reasons}


def _reasons(rejected: list[Path]) -> tuple[int, list[dict[str, Any]]]:
    if not rejected:
        return 0, []
    place = ["log", "line", "offset"]
    columns = [*place, "kind", "reason"]
    rows = pl.concat([pl.read_parquet(path, columns=columns) for path in rejected])
    rows = rows.sort(*place, "reason")
    wordings = rows.select("kind", "reason").unique().iter_rows()
    kinds = {reason: (kind, place_of(reason)) for kind, reason in wordings}
    ways, counts = Counter(kinds.values()), Counter(map(kinds.__getitem__, rows["reason"]))
    first = {kinds[row["reason"]]: row for row in rows.reverse().iter_rows(named=True)}
    return len(counts), [
        {"records": count, "wordings": ways[one]}
        | {name: first[one][name] for name in ("reason", "log", "line")}
        for one, count in counts.most_common(MOST)
    ]


def counted(
    read: Mapping[str, Sequence[str]],
    figures: int,
    files: int,
    root: Path,
    compared: Collection[str] = (),
    omitted: Mapping[str, Sequence[str]] | None = None,
    shown: Iterable[Figure] = (),
) -> dict[str, Any]:
    """All of it as plain values.

    Args:
        read: source → its samples tables.
        figures: how many were made.
        files: how many pictures there are of them.
        root: the project's folder.
        compared: the sources with a table of what was printed.
        omitted: figure → what it was to show and has no room for.
        shown: the figures.
    """
    of_sources = sources(read, root, compared, shown)
    made = {"figures": figures, "files": files, "omitted": omitted or {}}
    return made | {"sources": of_sources}


def sources(
    read: Mapping[str, Sequence[str]],
    root: Path,
    compared: Collection[str],
    shown: Iterable[Figure] = (),
) -> dict[str, Any]:
    """The part of it that tells of sources; arguments as of `counted`."""
    found = {name: of_source(tables, root) for name, tables in sorted(read.items())}
    for figure in shown:
        if figure.source in found and any(map(is_printed, figure.metrics().values())):
            found[figure.source]["aggregates"] = True
    for name in compared:
        found[name]["printed"] = printed_numbers.outcome(
            printed_numbers.read_table(root / paths.printed(name))
        )
    return found


def data(of_all: Mapping[str, Any]) -> str:
    """The same as JSON, for programs."""
    return json.dumps(of_all, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def text(of_all: Mapping[str, Any]) -> str:
    """The same in a few lines, for people."""
    figures, made = numbered(of_all["figures"], "figure"), numbered(of_all["files"], "file")
    head = f"heatproof: {figures} in {made}, {paths.PAGE} shows them"
    return "\n".join([head, *lines(of_all["sources"]), *left_out(of_all["omitted"])])


def left_out(omitted: Mapping[str, Sequence[str]]) -> list[str]:
    """A line for each thing that a figure was to show and has no room for."""
    found = [f"{name}: {terminal.name(line)}" for name, told in omitted.items() for line in told]
    more = [f"  left out: {len(found) - MOST_LEFT:,} things more, see {paths.PAGE}"]
    return [*(f"  left out: {line}" for line in found[:MOST_LEFT]), *more[: len(found) > MOST_LEFT]]


def lines(sources: Mapping[str, Any]) -> list[str]:
    """What became of the logs of each source: one line, and more where records were refused."""
    width = max(map(len, sources), default=0)
    found = []
    for name, one in sources.items():
        read = f"{numbered(one['logs'], 'log')}, {numbered(one['rows'], 'sample')}"
        if one.get("aggregates"):
            told = PRINTED.partition(": ")[2]
            read = f"{numbered(one['logs'], 'log')}, {numbered(one['rows'], 'aggregate')} ({told})"
        if one.get("passed"):
            read += f", {numbered(one['passed'], 'record')} passed over"
        found.append(f"  {name:{width}}  {read}")
        if one["rejected"]:
            found[-1] += f", {numbered(one['rejected'], 'record')} refused:"
            found += _refused(one)
            found.append(f"      all of them: results/tables/{name}/*.rejected.parquet")
        found += [f"      {line}" for key in ("scored", "expect") for line in one.get(key, ())]
        if "printed" in one:
            found += _printed(one["printed"], paths.printed(name))
    return found


def _printed(one: Mapping[str, Any], table: str) -> list[str]:
    """How what the harness printed compares with what was counted."""
    found = []
    for count, first in ("disagreements", "disagree"), ("damaged", "unread"):
        told = [f"        {line}" for line in one.get(first, ())[:REASONS]]
        more = one.get(count, 0) - len(told)
        found += [*told, *([f"        and {more:,} more"] if more else [])]
    head = f"      printed by the harness: {one['values']} ({table}){':' if found else ''}"
    return [head, *found]


def _refused(one: Mapping[str, Any]) -> list[str]:
    """The most frequent kinds of reasons, each with the first record it befell."""
    first = ((why, f"{terminal.name(why['log'])}:{why['line']}") for why in one["reasons"])
    said = [
        f"      {why['records']:,} × {'such as ' * (why['wordings'] > 1)}{why['reason']} "
        f"(first: {place})"
        for why, place in islice(first, REASONS)
    ]
    more = one["kinds"] - REASONS
    return said + ([f"      more reasons: {more:,}"] if more > 0 else [])


TEXT = """\
# Figures of evaluation sweeps, and what they were made of

| figure | kind | shows |
|---|---|---|
{figures}

- `index.html`: all figures on one page; open a cell to see the lines of the logs behind it.
- `figures/`: the pictures. Each holds a record of what it was made of, and prints a short id.
- `figures/FIGURE.caption.tex`, `.md`: a caption to paste, with size, label and alternative text.
- `tables/FIGURE.csv`, `.tex`, `.json`: the numbers behind a figure.
- `specs/`, `grids/`: the chart of a figure as Vega-Lite, and its cells.
- `tables/SOURCE/`: every graded sample with the log, line and bytes that it comes from; beside it
  the records that were refused, and a line for each log.
- `counts/SOURCE/`: what each run holds of each problem, of which the cells are made.
- `summary.txt`, `summary.json`: how many logs and samples went in, how many records were refused
  and why.
- `printed/SOURCE.csv`: what the harness printed beside its logs, compared with what was
  counted of them.
- `ledger.json`: what each job was given and made, with digests of all files.

Made by `snakemake`; in the project's folder, `heatproof verify` makes all of it anew from the logs
and compares every byte, `heatproof trace FIGURE` leads from a picture to its logs.
"""


def readme_text(figures: Iterable[Figure]) -> str:
    """The page in Markdown; it follows from config.yaml alone."""
    rows = (f"| {entry.name} | {entry.kind} | {_cell(entry)} |" for entry in figures)
    return TEXT.format(figures="\n".join(rows))


def _cell(entry: Figure) -> str:
    """Title and words of a figure in one line, free of what Markdown would take for its own."""
    said = ": ".join(filter(None, [entry.title, entry.shows()]))
    return re.sub(r"([\\|<>`*_\[\]&])", r"\\\1", " ".join(said.split()))
