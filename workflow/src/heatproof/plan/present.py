"""What the logs of a source hold, by run and sample: from tables that are up to date, else read.

No figure need be built before: where the tables of a shard are missing, or were made of other logs,
its logs are read into a folder that is gone afterwards.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from heatproof import formats
from heatproof.config import paths
from heatproof.ledger import pieces
from heatproof.plan.plan import Plan
from heatproof.samples import counts, normalize, shard_index, tables
from heatproof.samples.shard_index import ShardIndex
from heatproof.util import registry
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from heatproof.config.entries import Source


class Present(NamedTuple):
    """What the logs of a source hold, and what they were to hold."""

    counts: pl.DataFrame
    """A row per run, settings, sample and scorer: `epochs`, how many are there."""
    logs: ShardIndex
    """All logs."""


def present(plan: Plan, name: str) -> Present:
    """What there is of a source.

    Raises:
        Error: no log is there.
    """
    source = plan.sources[name]
    if name not in plan.logs:  # no figure shows it
        plan = Plan(plan.raw, plan.root, config=plan.config, also=[name])
    kept, new = [], []
    for shard, logs in plan.logs[name].items():
        path = plan.root / pieces.place(f"normalize {name}/{shard}")
        whole = path.is_file() and not plan.is_outdated(pieces.read(path))
        if whole and not pieces.changed(path, plan.root):
            kept.append(plan.root / paths.counts(paths.table(name, shard)))
        else:
            new.append(logs)
    return _joined([*map(_told, kept), *_read(source, new, plan.root)], source)


def _joined(parts: Sequence[Present], source: Source) -> Present:
    logs = {path: log for part in parts for path, log in part.logs.logs.items()}
    whole = ShardIndex(parts[0].logs.columns, logs, expect=source.expect)
    return Present(pl.concat([part.counts for part in parts]), whole)


def _read(source: Source, shards: Iterable[Sequence[str]], root: Path) -> list[Present]:
    reader = registry.find(formats, source.format, "format", "log format")
    parts = []
    for logs in shards:
        with tempfile.TemporaryDirectory(prefix="heatproof-") as name:
            samples = Path(name) / "samples.parquet"
            rejected = Path(name) / "rejected.parquet"
            told = normalize.write(logs, root, source, reader.read, samples, rejected)
            path = Path(name) / "counts.parquet"
            shard_index.write_counts(samples, path, told)
            parts.append(_told(path))
    return parts


def _told(path: Path) -> Present:
    """What counts tell."""
    partial = tables.scan([path])
    short = partial.select(*counts.count_key(partial.collect_schema().names()), "epochs")
    return Present(short.collect(), shard_index.read_index(path))
