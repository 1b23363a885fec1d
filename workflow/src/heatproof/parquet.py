"""Write tables piece by piece: Parquet whose bytes depend on the rows alone."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

GROUP = 1 << 17
"""Rows of a row group: what is held in memory while writing."""


def write(pieces: Iterable[pa.Table], schema: pa.Schema, path: Path) -> None:
    """Write the pieces one after the other; whole or not at all.

    The bytes do not depend on where one piece ends: row groups have a fixed number of rows, and
    the writer, which runs in this thread alone, numbers texts anew in each.
    """
    plain = pa.schema([(f.name, _plain(f.type)) for f in schema])
    part = path.with_name(path.name + ".part")
    with pq.ParquetWriter(
        part,
        plain,
        compression="zstd",
        compression_level=3,
        store_schema=False,
        # Offsets never repeat; the rest does, so that numbering shortens it.
        use_dictionary=[name for name in plain.names if name != "offset"],
        column_encoding={"offset": "DELTA_BINARY_PACKED"} if "offset" in plain.names else None,
    ) as writer:
        for group in groups(pieces, GROUP):
            writer.write_table(group.cast(plain), row_group_size=GROUP)
    os.replace(part, path)


def groups(pieces: Iterable[pa.Table], rows: int) -> Iterator[pa.Table]:
    """The same rows in tables of just `rows` rows each, but for the last."""
    held: list[pa.Table] = []
    count = 0
    for piece in pieces:
        held.append(piece)
        count += len(piece)
        while count >= rows:
            table = pa.concat_tables(held)
            yield table[:rows]
            held, count = [table[rows:]], count - rows
    if count:
        yield pa.concat_tables(held)


def _plain(kind: pa.DataType) -> pa.DataType:
    return kind.value_type if pa.types.is_dictionary(kind) else kind
