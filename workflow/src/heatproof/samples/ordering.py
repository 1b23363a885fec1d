"""The order of rows by their key, and what of it one table tells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from heatproof.samples import memory

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

LARGEST = 1 << 62
"""How many numbers there may be of all columns together, to be one number."""


def key_at(table: pa.Table, row: int, key: Sequence[str]) -> tuple[Any, ...]:
    """The key of a row."""
    return tuple(table[name][row].as_py() for name in key)


def ordered(table: pa.Table, key: Sequence[str]) -> pa.Table:
    """The rows in the order of the key; those of equal key as they were."""
    table = table.unify_dictionaries().combine_chunks()
    positions = order(table, key)
    return table if positions is None else moved(table, positions)


def moved(table: pa.Table, positions: NDArray[np.int64], still: Collection[str] = ()) -> pa.Table:
    """The rows at some positions of a table in one piece; in `still` columns, all rows stay."""
    columns = [
        column if name in still else memory.taken(column.chunk(0), positions)
        for name, column in zip(table.column_names, table.columns, strict=True)
    ]
    return pa.table(columns, schema=table.schema)


def order(table: pa.Table, key: Sequence[str]) -> NDArray[np.int64] | None:
    """The positions of the rows in order, of a table in one piece; None if they are in order."""
    if not len(table):
        return None
    ranked = [_ranks(table[name].combine_chunks()) for name in key]
    size = 1
    for _, count in ranked:
        size *= count
    if size >= LARGEST:
        return np.lexsort([codes for codes, _ in reversed(ranked)])
    total = np.zeros(len(table), np.int64)
    for codes, count in ranked:
        if count > 1:
            total *= count
            total += codes
    if (total[1:] >= total[:-1]).all():
        return None
    return np.argsort(total, kind="stable")


def _ranks(array: pa.Array) -> tuple[NDArray[np.int64], int]:
    """For each value its number in order, and how many numbers there are.

    Of numbers too far apart to be counted from the least one, the values themselves.
    """
    if pa.types.is_dictionary(array.type):
        ranks = np.empty(len(array.dictionary), np.int64)
        ranks[memory.order(array.dictionary)] = np.arange(len(ranks))
        return ranks[np.from_dlpack(array.indices)], len(ranks)
    values = np.asarray(np.from_dlpack(array), np.int64)
    low = int(values.min())
    count = int(values.max()) - low + 1
    return (values - low if count < LARGEST else values), count


def again(table: pa.Table, key: Sequence[str]) -> NDArray[np.bool_]:
    """Of rows in order: whether the key of each stood in the row before; False for the first."""
    rows = table.select(key).unify_dictionaries().combine_chunks()
    same = np.ones(len(rows), bool)
    same[:1] = False
    for name in key:
        column = rows[name].combine_chunks()
        values = column.indices if pa.types.is_dictionary(column.type) else column
        codes = np.from_dlpack(values)
        same[1:] &= codes[1:] == codes[:-1]
    return same
