"""Count the rows of a samples table as it lies on disk: sorted, row group by row group."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from heatproof.samples import columns, memory, parquet, rowgroups
from heatproof.samples.counts import added, key, numbers, sums
from heatproof.samples.ordering import key_at
from heatproof.samples.tables import SAMPLE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    Flags = NDArray[np.bool_]


def table(samples: Path) -> Iterator[pa.Table]:
    """The counts of a samples table, piece by piece."""
    names = pq.read_schema(samples).names
    return map(counted, pieces(samples, [*key(names), *numbers(names), "reconstructed"]))


def pieces(samples: Path, wanted: Sequence[str]) -> Iterator[pa.Table]:
    """The rows of a samples table, columns `wanted`, in pieces that hold samples as a whole.

    A sample that goes on in the next row group is not cut.
    """
    held: list[pa.Table] = []
    with rowgroups.opened(samples, pq.read_schema(samples).names) as file:
        for group in range(file.num_row_groups):
            rows = rowgroups.read(file, group, wanted)
            if held and key_at(held[-1], len(held[-1]) - 1, SAMPLE) != key_at(rows, 0, SAMPLE):
                yield _joined(held)
                held = []
            held.append(rows)
    if held:
        yield _joined(held)


def _joined(parts: Sequence[pa.Table]) -> pa.Table:
    """Row groups in one, of which one may hold one value where another holds several."""
    if len(parts) == 1:
        return parts[0]
    spelled = [
        pa.table({name: columns.spelled(columns.array(part, name)) for name in part.column_names})
        for part in parts
    ]
    return pa.concat_tables(spelled).unify_dictionaries().combine_chunks()


def counted(rows: pa.Table) -> pa.Table:
    """The counts of rows sorted by run, sample, epoch and scorer."""
    by = key(rows.column_names)
    if len(columns.array(rows, "scorer").dictionary) > 1:
        rows = rows.take(pa.array(_by_scorer(rows))).combine_chunks()
    first = np.flatnonzero(starts(rows, by))
    made = {name: heads(columns.array(rows, name), first) for name in by}
    made["epochs"] = memory.array(np.diff(np.append(first, len(rows))))
    for name in numbers(rows.column_names):
        found = sums(name, *columns.values(columns.array(rows, name)), first)
        made |= {name: memory.array(values) for name, values in found.items()}
    made["reconstructed"] = memory.array(_any(columns.array(rows, "reconstructed"), first))
    return pa.table(made)


def heads(column: pa.Array, first: NDArray[np.int64]) -> pa.Array:
    """What stands in the first row of each group."""
    one = columns.is_constant(column)
    return columns.spelled(column[: len(first)] if one else memory.taken(column, first))


def _by_scorer(rows: pa.Table) -> NDArray[np.int64]:
    """The rows of each sample by scorer, each by epoch, as they are."""
    scorer = columns.array(parquet.canonical(rows.select(["scorer"])), "scorer")
    return np.lexsort([memory.numbers(scorer.indices), np.cumsum(starts(rows, SAMPLE))])


def starts(rows: pa.Table, names: Sequence[str]) -> Flags:
    """Which rows have other values than the row before."""
    new = np.zeros(len(rows), bool)
    new[:1] = True
    for name in names:
        column = columns.array(rows, name)
        if columns.is_constant(column):
            continue
        for codes in columns.codes(column):
            new[1:] |= codes[1:] != codes[:-1]
    return new


def _any(column: pa.Array, first: NDArray[Any]) -> Flags:
    """Of groups of rows, those in which a flag is set."""
    if columns.is_constant(column):
        return np.full(len(first), column.dictionary[0].as_py(), bool)
    return added(memory.numbers(column).astype(np.int64), first) > 0
