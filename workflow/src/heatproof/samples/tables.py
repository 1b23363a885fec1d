"""The tables of the pipeline: their columns, their order, their bytes on disk."""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
from collections import defaultdict
from contextlib import contextmanager
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any

from heatproof.config import roles
from heatproof.util.lazy import numpy as np
from heatproof.util.lazy import parquet as pq
from heatproof.util.lazy import polars as pl
from heatproof.util.lazy import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    Samples = pl.LazyFrame  # a row for each graded sample, or for each of their counts
    Portions = Sequence[Samples]  # the same shard by shard, which no memory need hold together
    Table = pl.DataFrame  # rows of samples, refused records or counts
    Pieces = Iterator[Table]  # the rows of a table, some at a time
    Names = Sequence[str]  # of columns
    Kinds = Mapping[str, str]  # column → its type: `str`, `int`, `float` or `bool`
    Starts = NDArray[np.int64]  # of groups of rows: the number of the first row of each

RECORD = "heatproof"  # key of the provenance record in the footer of a table

SAMPLE = roles.KEY[:2]
"""What the rows of one sample of a run share: they stand in one row group, if they fit."""
PART = re.compile(r".+\.[0-9a-f]{16}\.part")  # names of files that are not yet whole
WAITING = ".waiting-"  # begins the names of folders in which rows wait to be sorted
GROUP = 1 << 17  # rows of a row group at most: what is held in memory while writing
BATCH = 1 << 16  # rows of a column that Arrow encodes at a time: the usual 1,000 take twice as long
DISTINCT = {"line", "offset"}  # columns in which hardly a value is there twice
ORDER = roles.PLACE[:-1]  # the order of a rejected table
REJECTED = {
    **{name: roles.OWN[name].type for name in roles.PLACE},
    "kind": "str",
    "field": "str",
    "whole": "bool",
    **dict.fromkeys(("reason", "excerpt", "settings"), "str"),
}
"""Columns of the rejected table, by type: one row per record that was refused.

`kind`: why, for code (`formats.api.Kind`); `field`: the place in the record, or the column, that is
wrong; `whole`: the log was refused, not a record in it; `settings`: JSON of its model, task,
hyper-parameters and score, as far as they are known.
"""


@contextmanager
def swap(path: Path) -> Iterator[Path]:
    """A file with a name of its own that takes the place of `path` unless writing fails."""
    token = secrets.token_hex(8)
    part = path.with_name(f"{path.name}.{token}.part")
    try:
        yield part
        os.replace(part, path)
    finally:
        # Where both are one file already, replacing one by the other does nothing.
        part.unlink(missing_ok=True)


def dtypes(kinds: Kinds) -> dict[str, pl.DataType]:
    """Polars' types of columns of `str`, `int`, `float` and `bool`."""
    types = {"str": pl.String(), "int": pl.Int64(), "float": pl.Float64(), "bool": pl.Boolean()}
    return {name: types[kind] for name, kind in kinds.items()}


def schema(kinds: Kinds) -> pa.Schema:
    """The same as Arrow's, for a file."""
    none = pl.DataFrame(schema=dtypes(kinds))
    return pa.schema(f.with_nullable(roles.is_null(f.name)) for f in none.to_arrow().schema)


def write(frame: Table, path: Path, record: Mapping[str, Any] | None = None) -> None:
    """Write a table whole or not at all, with a record in its footer; see `write_pieces`."""
    footer = b""
    if record:
        footer = json.dumps(record, sort_keys=True).encode()
    write_pieces([frame], frame.to_arrow().schema, path, lambda: footer)


def write_pieces(
    pieces: Iterable[Table],
    schema: pa.Schema,
    path: Path,
    record: Callable[[], bytes] = bytes,
    together: Names = (),
) -> None:
    """Write Parquet whose bytes depend on rows and record alone; whole or not at all.

    The bytes do not depend on where one piece ends: row groups are as long as may be, and each is
    written in one go by this thread alone. Adjacent rows with the same values in the columns
    `together` go into one row group if they fit. `record` is called after all pieces.
    """

    def put(rows: Table) -> None:
        file.write_table(pa.table(rows.rechunk().to_arrow().columns, schema), row_group_size=GROUP)

    with swap(path) as unfinished, pq.ParquetWriter(
        unfinished,
        schema,
        compression="zstd",
        compression_level=3,
        store_schema=False,
        write_batch_size=BATCH,
        data_page_version="2.0",  # read in half the time where nothing is null
        write_statistics=[f.name for f in schema if not pa.types.is_floating(f.type)],
        use_dictionary=[name for name in schema.names if name not in DISTINCT],
        column_encoding=dict.fromkeys(list(DISTINCT & set(schema.names)), "DELTA_BINARY_PACKED"),
    ) as file:  # fmt: skip
        rows = pl.DataFrame()
        for piece in pieces:
            if len(rows):
                rows = pl.concat([rows, piece])
            else:
                rows = piece
            while len(rows) > GROUP:
                stop = GROUP
                if together:
                    *_, last = starts(rows[: GROUP + 1], together).tolist()
                    stop = last or GROUP
                put(rows[:stop])
                rows = rows[stop:]
        if len(rows):
            put(rows)
        if footer := record():
            file.add_key_value_metadata({RECORD: footer})


def read(path: Path) -> tuple[Table, dict[str, Any]]:
    """The rows of a table and the record in its footer; an empty one if there is none."""
    metadata = pl.read_parquet_metadata(path)
    record = json.loads(metadata.get(RECORD, "{}"))
    return pl.read_parquet(path), record


TOGETHER, MANY = 300_000, 2_000_000
"""Bytes of files that are read together: to open a table takes as long as to read 200 kB; and of
samples tables, of which so many hold a million rows, mostly."""
MOST_ROWS = 1 << 20  # of samples whose places are in memory at once, unless one log has more


def shards(paths: Sequence[Path], together: int = TOGETHER) -> list[pl.LazyFrame]:
    """The rows of tables in their order, in portions of files of about `together` bytes."""
    portions: defaultdict[int, list[Path]] = defaultdict(list)
    sizes = [path.stat().st_size for path in paths]
    for path, end in zip(paths, accumulate(sizes), strict=True):
        portions[(end - 1) // together].append(path)
    return [pl.scan_parquet(portion) for portion in portions.values()]


def split_by_logs(samples: Samples) -> Iterator[Samples]:
    """Samples in portions of some million rows, each of whole logs."""
    sizes = samples.group_by("log").len().sort("log").collect(engine="streaming")
    portion = (sizes["len"].cum_sum() - 1) // MOST_ROWS
    if portion.n_unique() <= 1:
        yield samples
        return
    for _, sizes_of_logs in sizes.group_by(portion.alias("portion"), maintain_order=True):
        logs = sizes_of_logs["log"]
        first = pl.lit(logs[0])
        last = pl.lit(logs[-1])
        yield samples.filter(pl.col("log").is_between(first, last))


def setting_names(samples: Samples) -> list[str]:
    """Model, task, hyper-parameters and the like: the columns that tell settings apart."""
    return roles.columns(samples.collect_schema().names(), "setting")


def starts(rows: Table, names: Names) -> Starts:
    """The rows that have other values in some columns than the row before; the first one is."""
    groups = rows.select(pl.struct(names).rle_id()).to_series().to_numpy()
    return np.flatnonzero(np.diff(groups, prepend=-1))


def write_text(text: str, path: Path) -> None:
    """Write a text file whole or not at all."""
    write_bytes(text.encode(), path)


def write_bytes(data: bytes, path: Path) -> None:
    """Write a file whole or not at all."""
    with swap(path) as unfinished:
        unfinished.write_bytes(data)


def remove_unfinished(folder: Path) -> None:
    """Remove what dead jobs left below a folder; no run may be at work there."""
    for place, folders, files in os.walk(folder):
        waiting = [name for name in folders if name.startswith(WAITING)]
        folders[:] = [name for name in folders if name not in waiting]
        for name in waiting:
            shutil.rmtree(Path(place, name), ignore_errors=True)
        for name in filter(PART.fullmatch, files):
            Path(place, name).unlink(missing_ok=True)
