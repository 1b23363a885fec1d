"""Row groups of Parquet files, read without the columns that hold one value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

if TYPE_CHECKING:
    from collections.abc import Sequence


def read(file: pq.ParquetFile, group: int, wanted: Sequence[str]) -> pa.Table:
    """A row group; a column that holds one value is not read, but made a dictionary of one."""
    known = constants(file.metadata.row_group(group))
    varying = [name for name in wanted if name not in known]
    rows = file.read_row_group(group, columns=varying, use_threads=False)
    zeros = pa.array(np.zeros(len(rows), np.int32))
    same = {
        name: pa.DictionaryArray.from_arrays(zeros, pa.array([known[name]]), safe=False)
        for name in wanted
        if name in known
    }
    return pa.table({name: same[name] if name in same else rows[name] for name in wanted})


def constants(group: pq.RowGroupMetaData) -> dict[str, Any]:
    """Column → its value, for those that hold one value all through a row group.

    Floats are not told: the least and the greatest leave out what is NaN.
    """
    columns = [group.column(at) for at in range(group.num_columns)]
    told = {
        column.path_in_schema: column.statistics
        for column in columns
        if column.physical_type not in ("FLOAT", "DOUBLE")
    }
    return {
        name: one.min
        for name, one in told.items()
        if one is not None and one.has_min_max and not one.null_count and one.min == one.max
    }
