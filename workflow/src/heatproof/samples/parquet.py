"""Write tables piece by piece: Parquet whose bytes depend on the rows alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import pyarrow as pa
import pyarrow.parquet as pq

from heatproof.config import roles
from heatproof.samples import tables
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

GROUP = 1 << 17
"""Rows of a row group at most: what is held in memory while writing."""

BATCH = 1 << 16
"""Rows of a column that Arrow encodes in one go: of the usual thousand, each go costs as much as
its rows do. The bytes are the same."""

EACH = {"line", "offset"}
"""Columns in which hardly a value is there twice."""


def schema(kinds: Mapping[str, str]) -> pa.Schema:
    """Columns given by kind (`str`, `int`, `float`, `bool`) as they stand in a file."""
    none = pl.DataFrame(schema={name: tables.dtype(kind) for name, kind in kinds.items()})
    return pa.schema(f.with_nullable(roles.is_null(f.name)) for f in none.to_arrow().schema)


def write(
    pieces: Iterable[pl.DataFrame],
    schema: pa.Schema,
    path: Path,
    record: Callable[[], bytes] = bytes,
    together: Sequence[str] = (),
) -> None:
    """Write the pieces one after the other, and a record in the footer; whole or not at all.

    `record` is asked for after all pieces. `together`: see `Writer`.
    """
    with tables.whole(path) as part, Writer(part, schema, together) as writer:
        for piece in pieces:
            writer.add(piece)
        if told := record():
            writer.note(told)


class Writer:
    """A file that rows are written to, piece by piece.

    Its bytes do not depend on where one piece ends: row groups are as long as may be, each is
    written in one go, and that in this thread alone. Rows that have the same values `together` in
    some columns, and lie beside each other, go into one row group if they fit.
    """

    def __init__(self, path: Path, schema: pa.Schema, together: Sequence[str] = ()) -> None:
        self._schema, self._together = schema, together
        self._held: list[pl.DataFrame] = []
        self._count = 0
        self._file = pq.ParquetWriter(
            path,
            schema,
            compression="zstd",
            compression_level=3,
            store_schema=False,
            write_batch_size=BATCH,
            data_page_version="2.0",  # read in half the time where nothing is null
            write_statistics=[f.name for f in schema if not pa.types.is_floating(f.type)],
            # Places never repeat; the rest does, so that numbering shortens it.
            use_dictionary=[name for name in schema.names if name not in EACH],
            column_encoding=dict.fromkeys([*EACH & {*schema.names}], "DELTA_BINARY_PACKED"),
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def add(self, rows: pl.DataFrame) -> None:
        """Take rows in; they are written by the group."""
        self._held.append(rows)
        self._count += len(rows)
        if self._count > GROUP:
            held = pl.concat(self._held)
            while len(held) > GROUP:
                stop = self._end(held[: GROUP + 1])
                self._write(held[:stop])
                held = held[stop:]
            self._held, self._count = [held], len(held)

    def _end(self, rows: pl.DataFrame) -> int:
        """Rows of the next group, of these that are one more than there is room for."""
        if self._together:
            new = tables.starts(rows, self._together)
            if len(new) > 1:
                return int(new[-1])
        return GROUP

    def _write(self, rows: pl.DataFrame) -> None:
        columns = rows.rechunk().to_arrow().columns
        self._file.write_table(pa.table(columns, self._schema), row_group_size=GROUP)

    def note(self, record: bytes) -> None:
        """Put a record into the footer."""
        self._file.add_key_value_metadata({tables.RECORD: record})

    def close(self) -> None:
        """Write what is left, and the end of the file."""
        if self._count:
            self._write(pl.concat(self._held))
        self._file.close()
