"""Count a samples table as it lies on disk: the partial aggregates of `heatproof.samples.counts`.

Row group by row group, so in bounded memory, and by Arrow and numpy alone: a job that reads logs
has these at hand, and need not load a library of frames.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from heatproof.samples import columns, parquet, tallying
from heatproof.samples.counts import told_apart
from heatproof.samples.known import MOST
from heatproof.samples.meaning import Meaning
from heatproof.samples.values import WORD

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from heatproof.readers.api import Declared
    from heatproof.samples.held import Held


def write(
    samples: Path,
    counts: Path,
    held: Held | None = None,
    declared: Mapping[str, Sequence[Declared]] = {},
) -> dict[str, set[Any]]:
    """Write the counts of a samples table, sorted as it is, and what its logs hold.

    `declared`: log → what it says that it was to hold; goes with `held`, beside what it lacks.

    Returns:
        Column → the values in it, but for nulls, of all that say what was run; all of them where
        they are few enough for `heatproof.samples.known`.
    """
    found = schema(samples)
    values: dict[str, set[Any]] = {n: set() for n in told_apart(found.names) if n != "run"}
    whole = parquet.groups(tallying.table(samples), parquet.GROUP)
    meaning = Meaning(declared)

    def record() -> bytes:
        return msgspec.json.encode(meaning.told(held)) if held else b""

    parquet.write(_noted(whole, values, meaning), found, counts, record)
    return {name: found - {None} for name, found in values.items()}


def _noted(
    pieces: Iterable[pa.Table], values: dict[str, set[Any]], meaning: Meaning
) -> Iterator[pa.Table]:
    for piece in map(parquet.canonical, pieces):
        meaning.take(piece)
        for name, found in values.items():
            if len(found) <= MOST:  # names of samples may be millions
                found.update(columns.distinct(columns.array(piece, name)))
        yield piece


def schema(samples: Path) -> pa.Schema:
    """The columns of the counts of a samples table.

    Counts are never null; what was counted may be, where it may be in the samples.
    """
    found = pq.read_schema(samples)
    kinds = [(f.name, WORD if f.type == pa.string() else f.type) for f in found]
    counted = tallying.counted(pa.schema(kinds).empty_table()).schema
    null = {field.name for field in found if field.nullable}
    return pa.schema(field.with_nullable(field.name in null) for field in counted)
