"""The tables of the pipeline: their columns, their order, their bytes on disk."""

from __future__ import annotations

import glob
import json
import os
import shutil
import tempfile
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from heatproof.config import paths, roles
from heatproof.util.atomic_write import PART, swap
from heatproof.util.lazy import numpy as np
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from heatproof.config.entries import Columns

RECORD = "heatproof"
"""Key of the provenance record in the footer of a table."""

SAMPLE = roles.KEY[:2]
"""What the rows of one sample of a run share: they stand in one row group, if they fit."""

ABANDONED = 86_400
"""Seconds after which nobody is taken to be still writing a file."""

WAITING = ".waiting-"
"""Begins the names of folders in which rows wait to be sorted."""

ORDER = roles.PLACE[:-1]
"""The order of a rejected table."""

REJECTED = {
    **{name: roles.OWN[name].type for name in roles.PLACE},
    "kind": "str",
    "whole": "bool",
    **dict.fromkeys(("reason", "excerpt", "settings"), "str"),
}
"""Columns of the rejected table, by kind: one row per record that could not be taken.

`kind`: why, for code (`formats.api.Kind`); `whole`: the log was refused, not a record in it;
`settings`: what is known of it all the same, its model, task, hyper-parameters and score, as JSON.
"""


def dtype(name: str) -> pl.DataType:
    """The column type that a config type (`str`, `int`, `float`, `bool`) stands for."""
    types = {"str": pl.String(), "int": pl.Int64(), "float": pl.Float64(), "bool": pl.Boolean()}
    return types[name]


def samples_kinds(columns: Columns) -> dict[str, str]:
    """Columns of the samples table, by kind: one row per run, sample, epoch and scorer."""
    return {**roles.samples(columns.params, columns.measures, columns.answers)}


def samples_schema(columns: Columns) -> dict[str, pl.DataType]:
    """Columns of the samples table, by type."""
    return {name: dtype(kind) for name, kind in samples_kinds(columns).items()}


def rejected_schema() -> dict[str, pl.DataType]:
    """Columns of the rejected table, by type."""
    return {name: dtype(kind) for name, kind in REJECTED.items()}


def write(frame: pl.DataFrame, path: Path, record: Mapping[str, Any] | None = None) -> None:
    """Write Parquet whose bytes depend on rows and record alone; whole or not at all.

    The record goes into the footer. One chunk and a fixed size of row groups, else the bytes
    would follow how the frame was built.
    """
    footer = {RECORD: json.dumps(record, sort_keys=True)} if record else {}
    with whole(path) as part:
        frame.rechunk().write_parquet(
            part,
            compression="zstd",
            compression_level=3,
            row_group_size=1 << 20,
            metadata=footer,
        )


def read(path: Path) -> tuple[pl.DataFrame, dict[str, Any]]:
    """The rows of a table and the record in its footer; an empty one if there is none."""
    return pl.read_parquet(path), json.loads(pl.read_parquet_metadata(path).get(RECORD, "{}"))


def scan(paths: Sequence[Path]) -> pl.LazyFrame:
    """The rows of several tables of one schema."""
    return pl.scan_parquet(list(paths))


TOGETHER = 300_000
"""Bytes of files that are read in one go: to look at a table takes as long as to read 200 kB."""


MANY = 2_000_000
"""Bytes of samples tables that are held together: a million rows, mostly."""


def shards(paths: Sequence[Path], together: int = TOGETHER) -> list[pl.LazyFrame]:
    """The rows of several tables in their order, in portions to be held in memory one at a time.

    `together`: bytes of the files of a portion, about.
    """
    portions: list[list[Path]] = []
    size = together
    for path in paths:
        own = path.stat().st_size
        if size + own > together:
            portions.append([])
            size = 0
        portions[-1].append(path)
        size += own
    return [pl.scan_parquet(portion) for portion in portions]


def starts(rows: pl.DataFrame, names: Sequence[str]) -> NDArray[np.int64]:
    """The rows that have other values in some columns than the row before; the first one is."""
    groups = rows.select(pl.struct(names).rle_id()).to_series().to_numpy()
    return np.flatnonzero(np.diff(groups, prepend=-1))


def rejected(samples: Sequence[str]) -> pl.LazyFrame:
    """The records that were refused beside samples tables at these paths."""
    return pl.scan_parquet([paths.rejected(path) for path in samples])


def write_text(text: str, path: Path) -> None:
    """Write a text file whole or not at all."""
    write_bytes(text.encode(), path)


def write_bytes(data: bytes, path: Path) -> None:
    """Write a file whole or not at all."""
    with whole(path) as part:
        part.write_bytes(data)


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """A file to write that takes the place of `path` when it is complete.

    A job that outlived its run, or that a scheduler takes for lost, may still be writing, on
    another node. What such jobs left is removed when it is a day old.
    """
    for left in path.parent.glob(f"{glob.escape(path.name)}.*.part"):
        with suppress(OSError):
            if time.time() - left.stat().st_mtime > ABANDONED:
                left.unlink()
    with swap(path) as part:
        yield part


def waiting_room(folder: Path | None) -> tempfile.TemporaryDirectory[str]:
    """A new folder below `folder`, or where the system keeps such."""
    return tempfile.TemporaryDirectory(dir=folder, prefix=WAITING)


def remove_abandoned(folder: Path) -> None:
    """Remove the rooms that killed jobs left in a folder a day ago, or longer."""
    for left in folder.glob(f"{WAITING}*"):
        with suppress(OSError):
            if time.time() - left.stat().st_mtime > ABANDONED:
                shutil.rmtree(left)


def remove_unfinished(folder: Path) -> None:
    """Remove what dead jobs left below a folder; no run may be at work there."""
    for place, folders, files in os.walk(folder):
        waiting = [name for name in folders if name.startswith(WAITING)]
        folders[:] = [name for name in folders if name not in waiting]
        for name in waiting:
            shutil.rmtree(Path(place, name), ignore_errors=True)
        for name in filter(PART.fullmatch, files):
            Path(place, name).unlink(missing_ok=True)
