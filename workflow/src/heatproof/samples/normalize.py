"""normalize: logs → samples table and rejected table; every record ends in one of the two."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from heatproof.samples import parquet, tables
from heatproof.samples.gathering import Gathering
from heatproof.samples.outcome import Outcome, manifest_text, require_clean
from heatproof.samples.values import schema
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    import pyarrow as pa

    from heatproof.config.entries import Source
    from heatproof.samples.gathering import Read
    from heatproof.util.hashed import Extent

__all__ = ["manifest_text", "normalize", "require_clean", "write"]


class Normalized(Outcome, kw_only=True):
    """The outcome with its tables, in memory."""

    samples: pl.DataFrame
    rejected: pl.DataFrame


def write(
    paths: Iterable[str],
    root: Path,
    entry: Source,
    read: Read,
    samples: Path,
    rejected: Path,
    progress: Callable[[str], None] = lambda _: None,
    noted: Mapping[str, Extent] | None = None,
) -> Outcome:
    """Read the logs at `paths` (relative to `root`) with a reader's `read`; write their tables.

    Memory does not grow with the logs: rows wait on disk, beside the tables, to be sorted.
    `progress` is called with each log's path before it is read. `noted`: of each file that is
    read, logs and sidecars, how much; all there is if it is not given.
    """
    reading = Gathering(root, entry, samples)
    reading.all(paths, read, progress, noted)
    if not reading.finished():
        kinds = schema(reading.kinds)
        parquet.write(reading.samples(), kinds, samples, together=tables.SAMPLE)
    parquet.write(reading.rejected(), schema(tables.REJECTED), rejected)
    return reading.outcome()


def normalize(
    paths: Iterable[str],
    root: Path,
    entry: Source,
    read: Read,
    progress: Callable[[str], None] = lambda _: None,
    noted: Mapping[str, Extent] | None = None,
) -> Normalized:
    """As `write`, but with the tables in memory."""
    reading = Gathering(root, entry, None)
    reading.all(paths, read, progress, noted)
    kept = _frame(reading.samples(), tables.samples_schema(entry.columns()))
    lost = _frame(reading.rejected(), tables.rejected_schema())
    outcome = reading.outcome()
    told = msgspec.structs.asdict(outcome)
    return Normalized(**told, samples=kept, rejected=lost)


def _frame(pieces: Iterable[pa.Table], columns: dict[str, pl.DataType]) -> pl.DataFrame:
    frames = [pl.DataFrame(parquet.plain(piece)).cast(dict[Any, Any](columns)) for piece in pieces]
    return pl.concat([pl.DataFrame(schema=columns), *frames])
