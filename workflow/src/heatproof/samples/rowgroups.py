"""Parquet files read piece by piece, and row groups without the columns that hold one value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from heatproof.samples import memory

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def opened(path: Path, words: Sequence[str]) -> pq.ParquetFile:
    """A table to be read piece by piece, the texts of the columns `words` numbered.

    Nothing is fetched ahead: Arrow would keep all that it is going to read, and take longer.
    """
    return pq.ParquetFile(path, read_dictionary=words, pre_buffer=False)


def read(file: pq.ParquetFile, group: int, wanted: Sequence[str]) -> pa.Table:
    """A row group; a column that holds one value is not read, but made a dictionary of one."""
    known = constants(file.metadata.row_group(group), wanted)
    varying = [name for name in wanted if name not in known]
    rows = file.read_row_group(group, columns=varying, use_threads=False)
    zeros = memory.array(np.zeros(len(rows), np.int32))
    same = {
        name: pa.DictionaryArray.from_arrays(zeros, pa.array([value]), safe=False)
        for name, value in known.items()
    }
    return pa.table({name: same[name] if name in same else rows[name] for name in wanted})


def constants(group: pq.RowGroupMetaData, wanted: Sequence[str]) -> dict[str, Any]:
    """Column → its value, for those `wanted` that hold one value all through a row group.

    Floats are not told: the least and the greatest leave out what is NaN.
    """
    found = {}
    for column in map(group.column, range(group.num_columns)):
        name = column.path_in_schema
        if name not in wanted or column.physical_type in ("FLOAT", "DOUBLE"):
            continue
        told = column.statistics
        if told and told.has_min_max and not told.null_count and told.min == told.max:
            found[name] = told.min
    return found
