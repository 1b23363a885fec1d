"""What the logs of a source hold, by run and sample: from tables that are up to date, else read.

No figure need be built before: where the tables of a shard are missing, or were made of other logs,
its logs are read into a folder that is gone afterwards.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from heatproof import counting, counts, inventory, paths, readers, registry, tables
from heatproof.errors import Error
from heatproof.lazy import polars as pl
from heatproof.reading import logs, normalize, outcome

if TYPE_CHECKING:
    from heatproof import hashed
    from heatproof.config import Source


def present(source: Source, root: Path, index: hashed.Index) -> pl.DataFrame:
    """A row per run, settings, sample and scorer: `epochs`, how many are there.

    Raises:
        Error: no log is there, or the source is made by a rule that has not run.
    """
    if source.reconstruct:
        return _made(source, root)
    found = inventory.look([source], root, index)[source.name].shards
    index.save()
    missing = [name for name, digest in found.items() if _digest(source, name, root) != digest]
    kept = [_counts(source, name, root) for name in found if name not in missing]
    frames = [_short(tables.scan([path])) for path in kept]
    return pl.concat([*frames, *_read(source, missing, root)])


def _made(source: Source, root: Path) -> pl.DataFrame:
    made = sorted(_counts(source, "*", root).parent.glob("*.parquet"))
    if not made:
        raise Error(
            f"the logs of {source.name!r} are made from printed digits: run snakemake first"
        )
    return _short(tables.scan(made))


def _read(source: Source, shards: list[str], root: Path) -> list[pl.DataFrame]:
    reader = registry.find(readers, source.format, "format", "log format")
    dealt = logs.dealt(source, root)
    frames = []
    for shard in shards:
        with tempfile.TemporaryDirectory(prefix="heatproof-") as name:
            samples = Path(name) / "samples.parquet"
            rejected = Path(name) / "rejected.parquet"
            normalize.write(dealt[shard], root, source, reader.read, samples, rejected)
            counting.write(samples, Path(name) / "counts.parquet")
            frames.append(_short(tables.scan([Path(name) / "counts.parquet"])))
    return frames


def _short(partial: pl.LazyFrame) -> pl.DataFrame:
    return partial.select(*counts.key(partial.collect_schema().names()), "epochs").collect()


def _counts(source: Source, shard: str, root: Path) -> Path:
    return root / paths.counts(paths.table(source.name, shard))


def _digest(source: Source, shard: str, root: Path) -> str:
    """Digest of the logs that a shard's counts were made of; empty if they are not there."""
    path = root / paths.manifest(paths.table(source.name, shard))
    if not (path.is_file() and _counts(source, shard, root).is_file()):
        return ""
    return logs.manifest(outcome.digests(path))
