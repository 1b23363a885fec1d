"""What the logs of a source hold, by run and sample: from tables that are up to date, else read."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import NamedTuple

from heatproof import formats, ledger
from heatproof.config import paths
from heatproof.plan.plan import Plan
from heatproof.samples import counts, normalize, shard_index, tables
from heatproof.samples.shard_index import ShardIndex
from heatproof.util import registry
from heatproof.util.lazy import polars as pl


class Present(NamedTuple):
    """What the logs of a source hold, and what they were to hold."""

    counts: pl.DataFrame
    """A row per run, settings, sample and scorer: `epochs`, how many are there."""
    logs: ShardIndex
    """All logs."""


def present(plan: Plan, name: str) -> Present:
    """What there is of a source: of tables that are up to date, else read anew and thrown away.

    Raises:
        Error: no log is there.
    """
    source = plan.sources[name]
    if name not in plan.logs:  # no figure shows it
        plan = Plan(plan.raw, plan.root, config=plan.config, also=[name])
    reader = registry.find(formats, source.format, "format", "log format")
    parts = []
    for shard, listed in plan.logs[name].items():
        piece = plan.root / ledger.place(f"normalize {name}/{shard}")
        kept = piece.is_file() and not plan.is_outdated(ledger.read(piece))
        if kept and not ledger.changed(piece, plan.root):
            parts.append(_counted(plan.root / paths.counts(paths.table(name, shard))))
            continue
        with tempfile.TemporaryDirectory(prefix="heatproof-") as folder:
            files = (Path(folder) / f"{part}.parquet" for part in ("samples", "rejected", "counts"))
            samples, rejected, path = files
            read = normalize.write(listed, plan.root, source, reader.read, samples, rejected)
            shard_index.write_counts(samples, path, read)
            parts.append(_counted(path))
    logs_of_all = {path: log for part in parts for path, log in part.logs.logs.items()}
    index = ShardIndex(parts[0].logs.columns, logs_of_all, expect=source.expect)
    return Present(pl.concat([part.counts for part in parts]), index)


def _counted(path: Path) -> Present:
    partial = tables.scan([path])
    short = partial.select(*counts.count_key(partial.collect_schema().names()), "epochs")
    return Present(short.collect(), shard_index.read_index(path))
