"""Rows that come in order go straight into their table, and need not wait to be sorted."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from heatproof.config.roles import KEY
from heatproof.samples import rowgroups, temporary
from heatproof.samples.ordering import again, key_at
from heatproof.samples.parquet import Writer
from heatproof.samples.tables import SAMPLE

if TYPE_CHECKING:
    from collections.abc import Iterator

BACK = 1 << 15
"""Rows read back at a time."""


class Straight:
    """A samples table in the making, as long as each key comes after the one before."""

    def __init__(self, path: Path, schema: pa.Schema) -> None:
        self.path, self._schema = path, schema
        self._room = temporary.room(path.parent)
        self._part = Path(self._room.name, path.name)
        self._writer = Writer(self._part, schema, SAMPLE)
        self._last: tuple[Any, ...] | None = None

    def take(self, rows: pa.Table) -> bool:
        """Write rows that are in order; False, and nothing is written, if they do not go on.

        They do not if their first key does not come after the last one, or one stands twice.
        """
        if not len(rows):
            return True
        if self._last is not None and key_at(rows, 0, KEY) <= self._last:
            return False
        if again(rows, KEY).any():
            return False
        self._writer.add(rows)
        self._last = key_at(rows, len(rows) - 1, KEY)
        return True

    def finish(self) -> None:
        """The table is complete."""
        self._writer.close()
        os.replace(self._part, self.path)
        self._room.cleanup()

    def back(self) -> Iterator[pa.Table]:
        """What was written, read again because it was in vain; to be asked for once."""
        self._writer.close()
        words = [field.name for field in self._schema if pa.types.is_dictionary(field.type)]
        with rowgroups.opened(self._part, words) as file:
            for batch in file.iter_batches(BACK, use_threads=False):
                yield pa.Table.from_batches([batch]).cast(self._schema)
        self._room.cleanup()
