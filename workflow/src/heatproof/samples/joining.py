"""join: the tables of a shard of one source as a shard of several sources together.

Logs are not read again: rows get a column that names their source, and columns that only others
have are null. Refused records, counts, and what logs hold and declare come along.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from heatproof.config import roles
from heatproof.formats.joined_format import COLUMN
from heatproof.samples import shard_index, tables
from heatproof.util import canonical
from heatproof.util.lazy import parquet as pq
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from heatproof.config.entries import Source
    from heatproof.samples.shard_index import Log, ShardIndex
    from heatproof.samples.tables import Names, Pieces


def join(
    name: str, job: Sequence[Path], entry: Source, samples: Path, rejected: Path, counts: Path
) -> None:
    """Write the tables of a shard of a joined source.

    `name`: the source whose shard it is; `job`: the samples, refused records and counts of that;
    `entry`: the joined source.
    """
    job_samples, job_rejected, job_counts = job
    kinds = entry.all_columns().kinds()
    pieces = _widened(job_samples, name, tables.dtypes(kinds))
    tables.write_pieces(pieces, tables.schema(kinds), samples, together=tables.SAMPLE)
    refused = pl.read_parquet(job_rejected)
    texts = [_with_source(text, name) for text in refused["settings"]]
    refused = refused.with_columns(pl.Series("settings", texts, pl.String))
    tables.write_pieces([refused], tables.schema(tables.REJECTED), rejected)
    names = roles.columns(list(kinds), "setting")
    index = shard_index.read_index(job_counts)
    index = _renamed(index, names, name)
    shard_index.write_counts(samples, counts, index)


def _widened(path: Path, name: str, kinds: dict[str, pl.DataType]) -> Pieces:
    """The rows of a samples table, in row groups, with all columns of the joined source."""
    table = pl.scan_parquet(path)
    start = 0
    present = table.collect_schema().names()
    columns = []
    for column, kind in kinds.items():
        if column == COLUMN:
            values = pl.lit(name)
        elif column in present:
            values = pl.col(column)
        else:
            values = pl.lit(None, kind)
        columns.append(values.alias(column))
    metadata = pq.read_metadata(path)
    for group in range(metadata.num_row_groups):
        size = metadata.row_group(group).num_rows
        yield table.slice(start, size).select(columns).collect()
        start += size


def _with_source(text: str, name: str) -> str:
    """Settings of a refused record, as JSON, with the source."""
    settings = json.loads(text or "{}")
    return canonical.text(settings | {COLUMN: name})


def _renamed(index: ShardIndex, names: Names, source: str) -> ShardIndex:
    """What logs hold, by the settings of the joined source."""

    def settings(values: Sequence[Any]) -> list[Any]:
        named_settings = dict(zip(index.columns, values, strict=True))
        named_settings[COLUMN] = source
        return [named_settings.get(name) for name in names]

    logs: dict[str, Log] = {}
    for path, log in index.logs.items():
        if log.settings is None:
            log_settings = None
        else:
            log_settings = list(map(settings, log.settings))
        runs = [replace(run, settings=settings(run.settings)) for run in log.runs]
        logs[path] = replace(log, settings=log_settings, runs=runs)
    return replace(index, columns=list(names), logs=logs)
