"""Columns of Arrow tables as numpy arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from heatproof.reading.values import WORD

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Flags = NDArray[np.bool_]


def array(rows: pa.Table, name: str) -> pa.Array:
    """A column in one piece."""
    column = rows[name]
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def is_constant(column: pa.Array) -> bool:
    """Whether it is seen without a look at the rows that they hold one value."""
    worded = isinstance(column, pa.DictionaryArray)
    return worded and len(column.dictionary) < 2 and not column.null_count


def codes(column: pa.Array) -> NDArray[Any]:
    """Numbers that tell the values of a column apart."""
    if not isinstance(column, pa.DictionaryArray):
        if not column.null_count and not pa.types.is_boolean(column.type):
            return np.from_dlpack(column)
        column = column.dictionary_encode()
    return np.from_dlpack(column.indices.fill_null(-1) if column.null_count else column.indices)


def values(column: pa.Array) -> tuple[NDArray[Any], Flags]:
    """A column of numbers, 0 where there is none, and where there is one."""
    if not column.null_count:
        return np.from_dlpack(column), np.ones(len(column), bool)
    return np.from_dlpack(column.fill_null(0)), flags(column.is_valid())


def flags(column: pa.Array) -> Flags:
    """A column of true and false that holds no null."""
    if not column.true_count:
        return np.zeros(len(column), bool)
    return np.from_dlpack(column.cast(pa.int8())) > 0


def spelled(column: pa.Array) -> pa.Array:
    """A column of which only texts are numbered."""
    if isinstance(column, pa.DictionaryArray) and column.type != WORD:
        return column.dictionary_decode()
    return column
