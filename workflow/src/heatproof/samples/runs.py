"""Rows in order that wait on disk: what is too much for the memory while more is sorted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

BLOCK = 4096
"""Rows read at a time from a run on disk: of each run, so many are held while runs are merged."""


class Run:
    """Rows in order: first those on disk, then those held."""

    def __init__(self) -> None:
        self.held: list[pa.Table] = []
        self.last: tuple[Any, ...] = ()
        self._path: Path | None = None
        self._writer: pa.RecordBatchStreamWriter | None = None

    def spill(self, path: Path, *, last: bool) -> None:
        """Write what is held; the last run stays open for more."""
        if self.held and self._writer is None:
            self._path = path
            options = pa.ipc.IpcWriteOptions(compression="lz4", use_threads=False)
            self._writer = pa.ipc.new_stream(path, self.held[0].schema, options=options)
        for table in self.held:
            assert self._writer is not None  # noqa: S101 - what is held has opened it
            for start in range(0, len(table), BLOCK):
                self._writer.write_table(trimmed(table[start : start + BLOCK]))
        self.held = []
        if not last:
            self._close()

    def _close(self) -> None:
        if self._writer:
            self._writer.close()
        self._writer = None

    def remove(self) -> None:
        """Give the room back that the run takes."""
        self.held = []
        if self._path:
            self._path.unlink()

    def blocks(self) -> Iterator[pa.Table]:
        """The rows in order, in tables of no fixed size."""
        self._close()
        if self._path:
            with pa.OSFile(str(self._path)) as file, pa.ipc.open_stream(file) as stream:
                for batch in stream:
                    yield pa.Table.from_batches([batch])
        yield from self.held


def trimmed(table: pa.Table) -> pa.Table:
    """The table without texts that do not occur, where there are many of them."""
    for at, field in enumerate(table.schema):
        if not pa.types.is_dictionary(field.type):
            continue
        column = table[at].combine_chunks()
        if len(column.dictionary) <= max(len(column), 64):
            continue
        plain = column.cast(field.type.value_type)
        table = table.set_column(at, field, plain.dictionary_encode())
    return table
