"""Write tables piece by piece: Parquet whose bytes depend on the rows alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from heatproof.samples import memory, tables
from heatproof.samples.ordering import again

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

GROUP = 1 << 17
"""Rows of a row group at most: what is held in memory while writing."""

BATCH = 1 << 16
"""Rows of a column that Arrow encodes in one go: of the usual thousand, each go costs as much as
its rows do. The bytes are the same."""

NEAR = 1 << 10
"""Rows in which the end of what stays together is looked for first."""


def write(
    pieces: Iterable[pa.Table],
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
    """A file that tables are written to, one after the other.

    Its bytes do not depend on where one table ends: row groups are as long as may be, texts are
    numbered anew in each, and the writer runs in this thread alone. Rows that have the same values
    `together` in some columns, and lie beside each other, go into one row group if they fit.
    """

    def __init__(self, path: Path, schema: pa.Schema, together: Sequence[str] = ()) -> None:
        self._schema, self._together = schema, together
        self._held: list[pa.Table] = []
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
            # Offsets never repeat; the rest does, so that numbering shortens it.
            use_dictionary=[name for name in schema.names if name != "offset"],
            column_encoding={"offset": "DELTA_BINARY_PACKED"},
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def add(self, table: pa.Table) -> None:
        """Take rows in; they are written by the group."""
        self._held.append(table)
        self._count += len(table)
        while self._count > GROUP:
            self._write(self._end())

    def _end(self) -> int:
        """Rows of the next group, of which there may be one more than there is room for."""
        if self._together:
            table = pa.concat_tables(self._held)
            for rows in (min(NEAR, GROUP), GROUP):
                near = again(table[GROUP - rows : GROUP + 1], self._together)
                if len(new := np.flatnonzero(~near[1:])):
                    return GROUP - rows + 1 + int(new[-1])
        return GROUP

    def _write(self, rows: int) -> None:
        table = pa.concat_tables(self._held)
        columns = canonical(table[:rows]).columns
        self._file.write_table(pa.table(columns, self._schema), row_group_size=GROUP)
        self._held, self._count = [table[rows:]], len(table) - rows

    def note(self, record: bytes) -> None:
        """Put a record into the footer."""
        self._file.add_key_value_metadata({tables.RECORD: record})

    def close(self) -> None:
        """Write what is left, and the end of the file."""
        if self._count:
            self._write(self._count)
        self._file.close()


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


def plain(table: pa.Table) -> pa.Table:
    """The table with texts spelled out."""
    kinds = [(f.name, f.type.value_type if _is_word(f.type) else f.type) for f in table.schema]
    return table.cast(pa.schema(kinds))


def _is_word(kind: pa.DataType) -> bool:
    return bool(pa.types.is_dictionary(kind))


def canonical(table: pa.Table) -> pa.Table:
    """The table in one piece, its texts numbered in their order, none that does not occur."""
    table = table.unify_dictionaries().combine_chunks()
    columns = [
        _canonical(column.combine_chunks()) if _is_word(column.type) else column
        for column in table.itercolumns()
    ]
    return pa.table(columns, schema=table.schema)


def _canonical(column: pa.DictionaryArray) -> pa.DictionaryArray:
    if len(column.dictionary) == 1 and not column.null_count and len(column):
        return column
    valid = memory.there(column) if column.null_count else None
    there = slice(None) if valid is None else valid
    codes = memory.numbers(column.indices)[there]
    used = np.zeros(len(column.dictionary), bool)
    used[codes] = True
    order = memory.order(column.dictionary)
    if used.all() and (order[1:] > order[:-1]).all():
        return column
    order = order[used[order]]
    numbers = np.zeros(len(used), np.int32)
    numbers[order] = np.arange(len(order), dtype=np.int32)
    anew = np.zeros(len(column), np.int32)
    anew[there] = numbers[codes]
    words = memory.texts_at(column.dictionary, order)
    return pa.DictionaryArray.from_arrays(memory.array(anew, valid), words, safe=False)
