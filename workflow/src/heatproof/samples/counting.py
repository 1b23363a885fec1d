"""A samples table counted as it lies on disk, and what each of its logs holds.

Row group by row group, so in bounded memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from heatproof.config import roles
from heatproof.samples import counts, parquet, tables
from heatproof.samples.declared import Declarations
from heatproof.samples.shard_index import PROBLEMS_AT_MOST, Log, Losses, ShardIndex
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from heatproof.formats.api import Declared
    from heatproof.samples.outcome import Outcome


def write_counts(
    samples: Path,
    path: Path,
    held: ShardIndex | None = None,
    declared: Mapping[str, Sequence[Declared]] = {},
) -> None:
    """Write the counts of a samples table, sorted as it is, and what its logs hold.

    `declared`: log → what it says that it was to hold; goes with `held`, beside what it lacks.
    """
    declarations = Declarations(declared)

    def record() -> bytes:
        return msgspec.json.encode(declarations.with_declared(held)) if held else b""

    def compared() -> Iterator[pl.DataFrame]:
        for piece in count_table(samples):
            declarations.take(piece)
            yield piece

    parquet.write(compared(), counts_schema(samples), path, record)


def counts_schema(samples: Path) -> pa.Schema:
    """The columns of the counts of a samples table.

    Counts are never null; what was counted may be, where it may be in the samples.
    """
    null = {field.name for field in pq.read_schema(samples) if field.nullable}
    none = pl.DataFrame(schema=pl.read_parquet_schema(samples))
    fields = counted(none).to_arrow().schema
    return pa.schema(field.with_nullable(field.name in null) for field in fields)


def count_table(samples: Path) -> Iterator[pl.DataFrame]:
    """The counts of a samples table, piece by piece."""
    names = pq.read_schema(samples).names
    wanted = [*counts.count_key(names), *counts.number_columns(names), "reconstructed"]
    return map(counted, pieces(samples, wanted))


def groups(samples: Path, wanted: Sequence[str]) -> Iterator[pl.DataFrame]:
    """The rows of a samples table, columns `wanted`, one row group after the other."""
    rows, start = pl.scan_parquet(samples).select(wanted), 0
    told = pq.read_metadata(samples)
    for group in range(told.num_row_groups):
        size = told.row_group(group).num_rows
        yield rows.slice(start, size).collect()
        start += size


def pieces(samples: Path, wanted: Sequence[str]) -> Iterator[pl.DataFrame]:
    """The same in pieces that hold samples as a whole: one may go on in the next row group."""
    rest: list[pl.DataFrame] = []
    for rows in groups(samples, wanted):
        if rest and rest[-1].select(tables.SAMPLE).row(-1) != rows.select(tables.SAMPLE).row(0):
            yield pl.concat(rest)
            rest = []
        rest.append(rows)
    if rest:
        yield pl.concat(rest)


def counted(rows: pl.DataFrame) -> pl.DataFrame:
    """The counts of rows sorted by their key."""
    graders = [name for name in roles.GRADERS if rows[name].n_unique() > 1]
    if graders:
        rows = rows.sort(*tables.SAMPLE, *graders, maintain_order=True)
    return counts.of_groups(rows, counts.count_key(rows.columns))


def index_logs(samples: Path, outcome: Outcome) -> ShardIndex:
    """What the logs hold that a samples table was read from; `outcome`: of reading them."""
    names = roles.of(pq.read_schema(samples).names, "setting")
    digests = {one.log: one.blake3 for one in outcome.manifest}
    found: dict[str, set[tuple[Any, ...]]] = {}
    made_up: set[str] = set()
    for log, reconstructed, *values in _heads(samples, ["log", "reconstructed", *names]):
        one = found.setdefault(log, set())
        if len(one) <= PROBLEMS_AT_MOST:
            one.add(tuple(values))
        if reconstructed:
            made_up.add(log)
    for log in outcome.declared:
        found.setdefault(log, set())
    logs = {log: Log(
        digests[log],
        None if len(rows) > PROBLEMS_AT_MOST else [list(row) for row in sorted(rows, key=_order)],
        {path: digests[path] for path in outcome.beside.get(log, ())},
        log in made_up,
    ) for log, rows in sorted(found.items())}  # fmt: skip
    bad = {one.log for one in outcome.alike}
    kept = {one.log: one.rows for one in outcome.manifest if one.log in bad}
    read = [one.records for one in outcome.manifest if one.records]
    return ShardIndex(names, logs, Losses(len(read), sum(read), kept, outcome.alike))


def _heads(samples: Path, names: list[str]) -> Iterator[tuple[Any, ...]]:
    """The values of columns, wherever they are others than in the row before."""
    for rows in groups(samples, names):
        yield from rows[tables.starts(rows, names)].iter_rows()


def _order(row: tuple[Any, ...]) -> list[tuple[bool, Any]]:
    return [(value is not None, value) for value in row]
