"""What the logs of a source hold, by run and sample: from tables that are up to date, else read.

No figure need be built before: where the tables of a shard are missing, or were made of other logs,
its logs are read into a folder that is gone afterwards.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from heatproof import readers
from heatproof.config import paths
from heatproof.logs import logs
from heatproof.plan import inventory
from heatproof.samples import counting, counts, normalize, outcome, shard_index, tables
from heatproof.samples.shard_index import ShardIndex
from heatproof.util import registry
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from heatproof.config.entries import Source
    from heatproof.plan.inventory import Noted
    from heatproof.util import hashed


class Present(NamedTuple):
    """What the logs of a source hold, and what they were to hold."""

    counts: pl.DataFrame
    """A row per run, settings, sample and scorer: `epochs`, how many are there."""
    logs: ShardIndex
    """All logs."""


def present(source: Source, root: Path, index: hashed.Index) -> Present:
    """What there is of a source.

    Raises:
        Error: no log is there.
    """
    found = inventory.look([source], root, index)[source.name]
    index.save()
    new = {
        name: noted
        for name, noted in found.noted.items()
        if _digest(source, name, root) != found.shards[name]
    }
    kept = [_counts(source, name, root) for name in found.shards if name not in new]
    return _joined([*map(_told, kept), *_read(source, new.values(), root)], source)


def _joined(parts: Sequence[Present], source: Source) -> Present:
    logs = {path: log for part in parts for path, log in part.logs.logs.items()}
    whole = ShardIndex(parts[0].logs.columns, logs, expect=source.expect)
    return Present(pl.concat([part.counts for part in parts]), whole)


def _read(source: Source, shards: Iterable[Noted], root: Path) -> list[Present]:
    reader = registry.find(readers, source.format, "format", "log format")
    parts = []
    for noted in shards:
        with tempfile.TemporaryDirectory(prefix="heatproof-") as name:
            samples = Path(name) / "samples.parquet"
            rejected = Path(name) / "rejected.parquet"
            read = (noted.logs, root, source, reader.read, samples, rejected)
            told = normalize.write(*read, noted=noted.files)
            path = Path(name) / "counts.parquet"
            counting.write_counts(samples, path, counting.index_logs(samples, told), told.declared)
            parts.append(_told(path))
    return parts


def _told(path: Path) -> Present:
    """What counts tell."""
    partial = tables.scan([path])
    short = partial.select(*counts.count_key(partial.collect_schema().names()), "epochs")
    return Present(short.collect(), shard_index.read_index(path))


def _counts(source: Source, shard: str, root: Path) -> Path:
    return root / paths.counts(paths.table(source.name, shard))


def _digest(source: Source, shard: str, root: Path) -> str:
    """Digest of the logs that a shard's counts were made of; empty if they are not there."""
    path = root / paths.manifest(paths.table(source.name, shard))
    if not (path.is_file() and _counts(source, shard, root).is_file()):
        return ""
    return logs.manifest(outcome.digests(path))
