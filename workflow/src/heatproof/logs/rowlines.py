"""The rows of a Parquet file as lines of JSON: what reads those can read tables too."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    import io
    from collections.abc import Iterator

    from heatproof.logs.raw import Hashed

ROWS = 256
"""Rows taken at a time, at most."""

TOGETHER = 1 << 30
"""Bytes that they may come to, should each hold all that there is in their row group."""

HELD = 1 << 26
"""Bytes of rows that are turned into lines at a time."""

PAGES = 1 << 20
"""Bytes of a column that are taken from the file at a time."""

MAGIC, LEAST = b"PAR1", 12
"""How a Parquet begins and ends, and how many bytes it has at least."""

DAMAGE = (OSError, ValueError, TypeError, LookupError, OverflowError, MemoryError, RuntimeError)
"""What Arrow and its conversions raise of a file that is none, or holds what cannot be."""


class RowLines:
    """A stream of the rows, each an object of the columns in the order of the file.

    Numbers that are none or without end are null, times texts (ISO 8601), bytes base64. Where a row
    lies is where its line lies in this stream.
    """

    def __init__(self, raw: Hashed) -> None:
        self._lines = _lines(raw)
        self._rest = memoryview(b"")  # of which pieces are taken without moving the others

    def read1(self, size: int = -1, /) -> bytes:
        """Up to `size` bytes; none at the end.

        Raises:
            OSError: the file is no Parquet, is damaged, or unpacks to more than it may.
            EOFError: its end is not there.
        """
        if not self._rest:
            try:
                self._rest = memoryview(next(self._lines, b""))
            except DAMAGE as error:
                said = str(error).partition("\n")[0]  # it may hold bytes of the file
                raise OSError(said.encode("unicode_escape").decode()) from error
        size = len(self._rest) if size < 0 else size
        data, self._rest = self._rest[:size], self._rest[size:]
        return bytes(data)


def _is_begun(file: io.RawIOBase | io.BytesIO) -> bool:
    """Whether a file begins as a Parquet does, and does not end as one."""
    size = file.seek(0, os.SEEK_END)
    ends = []
    for at in (0, max(0, size - len(MAGIC))):
        file.seek(at)
        ends.append(file.read(len(MAGIC)) or b"")
    file.seek(0)
    return MAGIC.startswith(ends[0]) and (size < LEAST or ends[1] != MAGIC)


def _lines(raw: Hashed) -> Iterator[bytes]:
    import pyarrow.parquet as pq

    whole = raw.hashed()
    if _is_begun(whole):
        raise EOFError
    file = pq.ParquetFile(
        whole, pre_buffer=False, buffer_size=PAGES, page_checksum_verification=True
    )
    names = file.schema_arrow.names
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise ValueError(f"two columns are called {twice[0]!r}")
    held = sum(file.metadata.row_group(n).num_rows for n in range(file.num_row_groups))
    if held != file.metadata.num_rows:
        raise ValueError(f"it tells of {file.metadata.num_rows} rows, and holds {held}")
    for group in range(file.num_row_groups):
        size = max(1, file.metadata.row_group(group).total_byte_size)
        if size > raw.most():
            raise ValueError(raw.bomb())
        rows = max(1, min(ROWS, TOGETHER // size))
        for batch in file.iter_batches(rows, row_groups=[group], use_threads=False):
            step = len(batch) if batch.nbytes <= HELD else 1
            for start in range(0, len(batch), step):
                found = batch[start : start + step].to_pylist()
                yield b"".join(msgspec.json.encode(row) + b"\n" for row in found)
