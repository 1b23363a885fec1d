"""The last words of a run: what was made, what was refused, where to look."""

from __future__ import annotations

import csv
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from heatproof import paths
from heatproof.lazy import polars as pl
from heatproof.numerals import numbered

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from heatproof.plan import Plan

REASONS = 5
"""Reasons told for each source at most; the rejected tables hold all."""


class Totals(NamedTuple):
    """What became of the logs of a source."""

    logs: int = 0
    records: int = 0
    rows: int = 0
    rejected: int = 0


def totals(manifests: list[Path]) -> Totals:
    """The sums over the manifests that `normalize` wrote beside the tables of a source."""
    found = Totals()
    for path in manifests:
        with path.open(newline="") as file:
            for line in csv.DictReader(file):
                counts = [int(line[name]) for name in ("records", "rows", "rejected")]
                logs = found.logs + (counts[0] > 0)  # a sidecar holds none
                found = Totals(logs, *map(sum, zip(found[1:], counts, strict=True)))
    return found


def text(plan: Plan, strays: Sequence[str] = (), stood: Sequence[str] = ()) -> str:
    """A few lines on all sources that were read, and on files that no job makes (`strays`).

    `stood`: files that jobs left alone.
    """
    figures, made = numbered(len(plan.figures), "figure"), numbered(len(plan.files()), "file")
    lines = [f"heatproof: {figures} in {made}, results/index.html shows them"]
    width = max(map(len, plan.shards), default=0)
    for source, shards in plan.shards.items():
        tables = [paths.table(source, shard) for shard in shards]
        found = totals([plan.root / paths.manifest(table) for table in tables])
        lines.append(
            f"  {source:{width}}  {numbered(found.logs, 'log')}, {numbered(found.rows, 'sample')}"
        )
        if found.rejected:
            lines[-1] += f", {numbered(found.rejected, 'record')} refused:"
            lines += _reasons([plan.root / paths.rejected(table) for table in tables])
            lines.append(f"      all of them: results/tables/{source}/*.rejected.parquet")
    if stood:
        lines.append(
            f"  left as they were, for nothing of theirs changed: {numbered(len(stood), 'file')}"
        )
    if strays:
        more = f" and {len(strays) - 3:,} more" if len(strays) > 3 else ""
        lines.append(f"  no part of what config.yaml asks for: {', '.join(strays[:3])}{more}")
    return "\n".join(lines)


def _reasons(tables: list[Path]) -> list[str]:
    """The most frequent reasons, each with the first record it befell."""
    rejected = pl.concat([pl.read_parquet(path) for path in tables]).sort("log", "line")
    counts = Counter(rejected["reason"])
    first = {row["reason"]: row for row in rejected.reverse().iter_rows(named=True)}
    lines = [
        f"      {count:,} × {reason} (first: {first[reason]['log']}:{first[reason]['line']})"
        for reason, count in counts.most_common(REASONS)
    ]
    more = len(counts) - REASONS
    return lines + ([f"      more reasons: {more}"] if more > 0 else [])
