"""Columns of Arrow tables as numpy arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from heatproof.samples import memory
from heatproof.samples.values import WORD

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


def codes(column: pa.Array) -> list[NDArray[Any]]:
    """Arrays of numbers: rows hold the same value where they are the same in each of them."""
    found, there = values(column.indices if isinstance(column, pa.DictionaryArray) else column)
    if found.dtype == np.float64:
        found = (found + 0.0).view(np.int64)  # what is no number is the same as itself
    return [found, there] if column.null_count else [found]


def values(column: pa.Array) -> tuple[NDArray[Any], Flags]:
    """A column of numbers, 0 where there is none, and where there is one."""
    found, there = memory.numbers(column), memory.there(column)
    return np.where(there, found, found.dtype.type(0)) if column.null_count else found, there


def distinct(column: pa.Array) -> list[Any]:
    """The values that occur in a column, but for null; of texts all those that are numbered."""
    if isinstance(column, pa.DictionaryArray):
        return column.dictionary.to_pylist()  # type: ignore[no-any-return]
    found = memory.numbers(column)[memory.there(column)]
    new = np.append(True, found[1:] != found[:-1])[: len(found)]
    return list(set(found[new].tolist()))


def spelled(column: pa.Array) -> pa.Array:
    """A column of which only texts are numbered."""
    if isinstance(column, pa.DictionaryArray) and column.type != WORD:
        return memory.taken(column.dictionary, memory.numbers(column.indices))
    return column
