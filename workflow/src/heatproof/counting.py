"""Count a samples table as it lies on disk: the partial aggregates of `heatproof.counts`.

Row group by row group, so in bounded memory, and by Arrow and numpy alone: a job that reads logs
has these at hand, and need not load a library of frames.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from heatproof.counts import added, key, numbers, sums
from heatproof.known import MOST
from heatproof.reading import columns, parquet, rowgroups
from heatproof.reading.values import WORD

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    Flags = NDArray[np.bool_]

WHOLE = ("run", "sample_id")
"""What a piece of a table must hold all rows of."""


def write(samples: Path, counts: Path) -> dict[str, set[Any]]:
    """Write the counts of a samples table, sorted as it is.

    Returns:
        Column → the values in it, but for nulls, of all that say what was run; all of them where
        they are few enough for `heatproof.known`.
    """
    empty = schema(samples)
    names = [name for name in empty.names[: empty.names.index("epochs")] if name != "run"]
    values: dict[str, set[Any]] = {name: set() for name in names}
    pieces = parquet.groups(table(samples), parquet.GROUP)
    parquet.write(_noted(pieces, values), empty, counts)
    return {name: found - {None} for name, found in values.items()}


def _noted(pieces: Iterable[pa.Table], values: dict[str, set[Any]]) -> Iterator[pa.Table]:
    for piece in pieces:
        for name, found in values.items():
            if len(found) <= MOST:  # names of samples may be millions
                found.update(piece[name].unify_dictionaries().unique().to_pylist())
        yield piece


def schema(samples: Path) -> pa.Schema:
    """The columns of the counts of a samples table."""
    found = pq.read_schema(samples)
    fields = {f.name: f.with_type(WORD) if f.type == pa.string() else f for f in found}
    counted = _counted(pa.schema(fields.values()).empty_table()).schema
    return pa.schema(fields.get(f.name, f.with_nullable(False)) for f in counted)


def table(samples: Path) -> Iterator[pa.Table]:
    """The counts of a samples table, piece by piece."""
    names = pq.read_schema(samples).names
    wanted = [*key(names), *numbers(names), "reconstructed"]
    held: list[pa.Table] = []
    with pq.ParquetFile(samples, read_dictionary=names) as file:
        for group in range(file.num_row_groups):
            rows = rowgroups.read(file, group, wanted)
            starts = np.flatnonzero(_starts(rows, WHOLE))
            if len(starts) > 1:
                # A sample may go on from the group before, and into the next: it is counted whole.
                second, last = starts[1], starts[-1]
                yield _counted(_joined([*held, rows[:second]]))
                yield _counted(rows[second:last])
                held, rows = [], rows[last:]
            held.append(rows)
    if held:
        yield _counted(_joined(held))


def _joined(parts: Sequence[pa.Table]) -> pa.Table:
    """Parts of row groups, each of which may hold one value where another holds several."""
    spelled = [
        pa.table({name: columns.spelled(columns.array(part, name)) for name in part.column_names})
        for part in parts
    ]
    return pa.concat_tables(spelled).unify_dictionaries().combine_chunks()


def _counted(rows: pa.Table) -> pa.Table:
    """The counts of rows sorted by run, sample, epoch and scorer."""
    by = key(rows.column_names)
    if len(columns.array(rows, "scorer").dictionary) > 1:
        rows = rows.take(_by_scorer(rows)).combine_chunks()
    first = np.flatnonzero(_starts(rows, by))
    made = {name: _heads(rows, name, first) for name in by}
    made["epochs"] = pa.array(np.diff(np.append(first, len(rows))))
    for name in numbers(rows.column_names):
        found = sums(name, *columns.values(columns.array(rows, name)), first)
        made |= {name: pa.array(values) for name, values in found.items()}
    made["reconstructed"] = pa.array(_any(columns.array(rows, "reconstructed"), first))
    return pa.table(made)


def _heads(rows: pa.Table, name: str, first: NDArray[Any]) -> pa.Array:
    """A column of the first row of each group."""
    column = columns.array(rows, name)
    one = columns.is_constant(column)
    return columns.spelled(column[: len(first)] if one else column.take(pa.array(first)))


def _by_scorer(rows: pa.Table) -> pa.Array:
    """The rows of each sample by scorer, each by epoch, as they are."""
    scorer = columns.codes(columns.array(parquet.canonical(rows.select(["scorer"])), "scorer"))
    return pa.array(np.lexsort([scorer, np.cumsum(_starts(rows, WHOLE))]))


def _starts(rows: pa.Table, names: Sequence[str]) -> Flags:
    """Which rows have other values than the row before."""
    new = np.zeros(len(rows), bool)
    new[:1] = True
    for name in names:
        column = columns.array(rows, name)
        if columns.is_constant(column):
            continue
        codes = columns.codes(column)
        new[1:] |= codes[1:] != codes[:-1]
    return new


def _any(column: pa.Array, first: NDArray[Any]) -> Flags:
    """Of groups of rows, those in which a flag is set."""
    if columns.is_constant(column):
        return np.full(len(first), column.dictionary[0].as_py(), bool)
    return added(columns.flags(column).astype(np.int64), first) > 0
