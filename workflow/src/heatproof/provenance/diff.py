"""diff: two builds cell by cell, and the changed logs behind each changed cell."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from heatproof.config import paths
from heatproof.kinds import api
from heatproof.samples import normalize, tables
from heatproof.util.errors import Error
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def compared(before: Path, after: Path) -> list[str]:
    """Lines about the changed figures of two folders of results; none if all cells are the same."""
    builds = before, after
    names = {grid.stem for build in builds for grid in (build / "grids").glob("*.parquet")}
    return [line for name in sorted(names) for line in _figure(name, builds)]


def _figure(name: str, builds: Sequence[Path]) -> Iterator[str]:
    grids = [build / "grids" / f"{name}.parquet" for build in builds]
    for grid, note in zip(grids, ("is new", "is gone"), strict=True):
        if not grid.is_file():
            yield f"{name}: {note}"
            return
    (old, footer), (new, _) = map(_read_grid, grids)
    try:
        entry = api.read(footer["entry"])
    except (Error, msgspec.ValidationError):
        yield f"{name}: has keys of another version"
        return
    kind = api.kind(entry.kind)
    keys = kind.columns(entry, new)
    if not {*keys} <= {*old.columns}:
        yield f"{name}: shows other columns"
        return
    columns = [c for c in kind.value_columns(entry, new) if c in old.columns and c in new.columns]
    if not (changes := _changes(old, new, keys, columns)):
        return
    yield f"{name}: {len(changes)} of {len(new)} cells changed"
    folders = [build / "tables" / entry.source for build in builds]
    logs = [
        {(log.log, log.blake3) for path in folder.glob(f"*{paths.LOGS}")
         for log in normalize.read_manifest(path)}
        for folder in folders
    ]  # fmt: skip
    changed = {log for log, _ in logs[0] ^ logs[1]}
    for cell, words in changes:
        yield f"  {', '.join(f'{key}={value}' for key, value in cell.items())}: {words}"
        behind = _logs(entry, cell, folders) if changed else set()
        yield from (f"    {log}" for log in sorted(behind & changed))


def _logs(entry: Any, cell: dict[str, Any], folders: Sequence[Path]) -> set[str]:
    """The logs behind a cell, by folders of samples tables."""
    logs = set[str]()
    for folder in folders:
        listed = sorted(folder.glob("*.parquet"))
        samples = [path for path in listed if not path.name.endswith(paths.REJECTED)]
        if samples:
            rows = api.kind(entry.kind).within(pl.scan_parquet(samples), entry, cell)
            logs |= {*rows.select(pl.col("log").unique()).collect()["log"]}
    return logs


def _changes(
    old: pl.DataFrame, new: pl.DataFrame, keys: Sequence[str], columns: Sequence[str]
) -> list[tuple[dict[str, Any], str]]:
    """Cells, by `keys`, with the changes of `columns` in words."""
    before, after = (
        {tuple(row[key] for key in keys): row for row in grid.iter_rows(named=True)}
        for grid in (old, new)
    )
    changes = []
    for place in before | after:
        parts = []
        for column in columns:
            values: list[Any] = [rows.get(place, {}).get(column) for rows in (before, after)]
            if place in before and place in after and values[0] == values[1]:
                continue
            words = ("no data" if value is None else f"{value:.10g}" for value in values)
            by = f" ({values[1] - values[0]:+.6g})" if None not in values else ""
            parts.append(f"{column} {' → '.join(words)}{by}")
        if parts:
            changes.append((dict(zip(keys, place, strict=True)), ", ".join(parts)))
    return changes


def _read_grid(path: Path) -> tuple[pl.DataFrame, dict[str, Any]]:
    """The cells of a grid, and the record in its footer. Raises Error: it is damaged."""
    wrong = f"{path}: damaged: it is no longer a grid: run snakemake"
    try:
        cells, footer = tables.read(path)
    except (pl.exceptions.PolarsError, ValueError) as error:
        raise Error(wrong) from error
    if "entry" not in footer:
        raise Error(wrong)
    return cells, footer


def results(build: str) -> Path:
    """The folder of results in a project, or itself. Raises Error: there is none."""
    for folder in (Path(build), Path(build) / "results"):
        if (folder / "grids").is_dir():
            return folder
    raise Error(f"{build}: not a folder with results")
