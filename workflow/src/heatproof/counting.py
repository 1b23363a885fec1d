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
from heatproof.reading import parquet
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
    parquet.write(_noted(table(samples), values), empty, counts)
    return {name: found - {None} for name, found in values.items()}


def _noted(pieces: Iterable[pa.Table], values: dict[str, set[Any]]) -> Iterator[pa.Table]:
    for piece in pieces:
        for name, found in values.items():
            if len(found) <= MOST:  # names of samples may be millions
                found.update(piece[name].unique().to_pylist())
        yield piece


def schema(samples: Path) -> pa.Schema:
    """The columns of the counts of a samples table."""
    found = pq.read_schema(samples)
    kinds = [(f.name, WORD if f.type == pa.string() else f.type) for f in found]
    return _counted(pa.schema(kinds).empty_table()).schema


def table(samples: Path) -> Iterator[pa.Table]:
    """The counts of a samples table, piece by piece."""
    names = pq.read_schema(samples).names
    wanted = [*key(names), *numbers(names), "reconstructed"]
    held: list[pa.Table] = []
    with pq.ParquetFile(samples, read_dictionary=names) as file:
        for group in range(file.num_row_groups):
            rows = file.read_row_group(group, columns=wanted, use_threads=False)
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


def _joined(parts: list[pa.Table]) -> pa.Table:
    return pa.concat_tables(parts).unify_dictionaries().combine_chunks()


def _counted(rows: pa.Table) -> pa.Table:
    """The counts of rows sorted by run, sample, epoch and scorer."""
    by = key(rows.column_names)
    if len(_array(rows, "scorer").dictionary) > 1:
        rows = rows.take(_by_scorer(rows)).combine_chunks()
    first = np.flatnonzero(_starts(rows, by))
    columns = {name: rows[name].take(pa.array(first)) for name in by}
    columns["epochs"] = pa.array(np.diff(np.append(first, len(rows))))
    for name in numbers(rows.column_names):
        found = sums(name, *_values(_array(rows, name)), first)
        columns |= {name: pa.array(values) for name, values in found.items()}
    made_up = _flags(_array(rows, "reconstructed")).astype(np.int64)
    columns["reconstructed"] = pa.array(added(made_up, first) > 0)
    return pa.table(columns)


def _by_scorer(rows: pa.Table) -> pa.Array:
    """The rows of each sample by scorer, each by epoch, as they are."""
    scorer = _codes(_array(parquet.canonical(rows.select(["scorer"])), "scorer"))
    return pa.array(np.lexsort([scorer, np.cumsum(_starts(rows, WHOLE))]))


def _starts(rows: pa.Table, names: Sequence[str]) -> Flags:
    """Which rows have other values than the row before."""
    new = np.zeros(len(rows), bool)
    new[:1] = True
    for name in names:
        column = _array(rows, name)
        if _is_constant(column):
            continue
        codes = _codes(column)
        new[1:] |= codes[1:] != codes[:-1]
    return new


def _array(rows: pa.Table, name: str) -> pa.Array:
    column = rows[name]
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def _is_constant(column: pa.Array) -> bool:
    worded = isinstance(column, pa.DictionaryArray)
    return worded and len(column.dictionary) < 2 and not column.null_count


def _codes(column: pa.Array) -> NDArray[Any]:
    """Numbers that tell the values of a column apart."""
    if not isinstance(column, pa.DictionaryArray):
        if not column.null_count and not pa.types.is_boolean(column.type):
            return np.from_dlpack(column)
        column = column.dictionary_encode()
    return np.from_dlpack(column.indices.fill_null(-1) if column.null_count else column.indices)


def _values(column: pa.Array) -> tuple[NDArray[Any], Flags]:
    """A column of numbers, 0 where there is none, and where there is one."""
    if not column.null_count:
        return np.from_dlpack(column), np.ones(len(column), bool)
    return np.from_dlpack(column.fill_null(0)), _flags(column.is_valid())


def _flags(column: pa.Array) -> Flags:
    if not column.true_count:
        return np.zeros(len(column), bool)
    return np.from_dlpack(column.cast(pa.int8())) > 0
