"""results/summary.{json,txt}: what went in, what was refused and why, in counts and in words.

Beside it results/README.md: what the folder holds, for whoever gets it without the project.
"""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from typing import TYPE_CHECKING, Any

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
COUNTED = ("records", "rows", "rejected", "passed")
"""Columns of the manifests that `normalize` wrote; what passed is left out by config.yaml."""


def of_source(tables: Sequence[str], root: Path) -> dict[str, Any]:
    """What became of the logs that the samples `tables`, paths below `root`, were read from.

    The kinds of reasons for refusals stand in the order of their frequency, each with the first
    record that it befell and the number of its `wordings`; `kinds` is how many there are.
    """
    totals = Counter(dict.fromkeys(("logs", *COUNTED), 0))
    for table in tables:
        with (root / paths.manifest(table)).open(newline="") as file:
            for line in csv.DictReader(file):
                counts = {name: int(line.get(name, 0)) for name in COUNTED}
                # A sidecar holds no records.
                totals.update(counts, logs=int(counts["records"] > 0))
    rejected = [root / paths.rejected(table) for table in tables] if totals["rejected"] else []
    kinds, reasons = _reasons(rejected)
    return {**totals, "kinds": kinds, "reasons": reasons}


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
        {"records": count, "wordings": ways[name]}
        | {key: first[name][key] for key in ("reason", "log", "line")}
        for name, count in counts.most_common(MOST)
    ]


def counted(
    read: Mapping[str, Sequence[str]],
    figures: int,
    files: int,
    root: Path,
    compared: Collection[str] = (),
    omitted: Mapping[str, Sequence[str]] | None = None,
    drawn: Iterable[Figure] = (),
) -> dict[str, Any]:
    """All of it as plain values.

    Args:
        read: source → its samples tables.
        figures: how many were made.
        files: how many pictures there are of them.
        root: the project's folder.
        compared: the sources with a table of what was printed.
        omitted: figure → what it was to show and has no room for.
        drawn: the figures.
    """
    counts = {"figures": figures, "files": files, "omitted": omitted or {}}
    return counts | {"sources": sources(read, root, compared, drawn)}


def sources(
    read: Mapping[str, Sequence[str]],
    root: Path,
    compared: Collection[str],
    drawn: Iterable[Figure] = (),
) -> dict[str, Any]:
    """The part of it that tells of sources; arguments as of `counted`."""
    totals = {name: of_source(tables, root) for name, tables in sorted(read.items())}
    for figure in drawn:
        if figure.source in totals and any(map(is_printed, figure.metrics().values())):
            totals[figure.source]["aggregates"] = True
    for name in compared:
        table = printed_numbers.read_table(root / paths.printed(name))
        totals[name]["printed"] = printed_numbers.outcome(table)
    return totals


def data(totals: Mapping[str, Any]) -> str:
    """The same as JSON, for programs."""
    return json.dumps(totals, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def text(totals: Mapping[str, Any]) -> str:
    """The same in a few lines, for people."""
    figures, files = numbered(totals["figures"], "figure"), numbered(totals["files"], "file")
    head = f"heatproof: {figures} in {files}, {paths.PAGE} shows them"
    omitted = [
        f"  left out: {name}: {terminal.name(line)}"
        for name, lines_of in totals["omitted"].items()
        for line in lines_of
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


def _printed(outcome: Mapping[str, Any], table: str) -> list[str]:
    """How what the harness printed compares with what was counted."""
    words = []
    for count, first in ("disagreements", "disagree"), ("damaged", "unread"):
        words_of = [f"        {line}" for line in outcome.get(first, ())[:REASONS]]
        more = outcome.get(count, 0) - len(words_of)
        words += [*words_of, *([f"        and {more:,} more"] if more else [])]
    head = f"      printed by the harness: {outcome['values']} ({table}){':' if words else ''}"
    return [head, *words]


def _refused(source: Mapping[str, Any]) -> list[str]:
    """The most frequent kinds of reasons, each with the first record it befell."""
    words = [
        f"      {why['records']:,} × {'such as ' * (why['wordings'] > 1)}{why['reason']} "
        f"(first: {terminal.name(why['log'])}:{why['line']})"
        for why in source["reasons"][:REASONS]
    ]
    more = source["kinds"] - REASONS
    return words + ([f"      more reasons: {more:,}"] if more > 0 else [])


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
    rows = []
    for entry in figures:
        words = " ".join(": ".join(filter(None, [entry.title, entry.shows()])).split())
        # Free of what Markdown would take for its own.
        cell = re.sub(r"([\\|<>`*_\[\]&])", r"\\\1", words)
        rows.append(f"| {entry.name} | {entry.kind} | {cell} |")
    return TEXT.format(figures="\n".join(rows))
