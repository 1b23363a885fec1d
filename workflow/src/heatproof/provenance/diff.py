"""diff: two builds cell by cell, and the changed logs behind each changed cell."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from heatproof.config import paths
from heatproof.kinds import api
from heatproof.kinds.trace import cell_address
from heatproof.samples import normalize, tables
from heatproof.util.errors import Error
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

Row = dict[str, Any]


class CellChange(msgspec.Struct):
    """A cell that differs: columns with their values before and now, and the changed logs.

    `interval`: that of its value before, if it had one.
    """

    cell: Row
    columns: dict[str, tuple[Any, Any]]
    interval: tuple[float, float] | None = None
    logs: list[str] = []


class FigureChange(msgspec.Struct):
    """A figure that differs: why its cells cannot be compared, or which of them changed."""

    figure: str
    note: str = ""
    cells: int = 0
    changes: list[CellChange] = []


def compared(before: Path, after: Path, names: Iterable[str] = ()) -> list[FigureChange]:
    """The figures, all or those of `names`, that differ between two folders of results."""
    builds = before, after
    listed = set(names)
    if not listed:
        for build in builds:
            listed |= {grid.stem for grid in (build / "grids").glob("*.parquet")}
    compared = [_figure_change(name, builds) for name in sorted(listed)]
    return [figure for figure in compared if figure.note or figure.changes]


def _figure_change(name: str, builds: Sequence[Path]) -> FigureChange:
    grids = [build / "grids" / f"{name}.parquet" for build in builds]
    for grid, note in zip(grids, ("is new", "is gone"), strict=True):
        if not grid.is_file():
            return FigureChange(name, note)
    (old, footer), (new, _) = map(_read_grid, grids)
    try:
        entry = api.read(footer["entry"])
    except (Error, msgspec.ValidationError):
        return FigureChange(name, "has keys of another version")
    kind = api.kind(entry.kind)
    keys = kind.columns(entry, new)
    if not set(keys.values()) <= set(old.columns):
        return FigureChange(name, "shows other columns")
    in_both = set(old.columns) & set(new.columns)
    columns = [column for column in kind.value_columns(entry, new) if column in in_both]
    changes = _cell_changes(old, new, keys, columns)
    folders = [build / "tables" / entry.source for build in builds]
    if changes and all(folder.is_dir() for folder in folders):
        _add_logs(entry, changes, folders)
    return FigureChange(name, cells=len(new), changes=changes)


def _add_logs(entry: Any, changes: Sequence[CellChange], folders: Sequence[Path]) -> None:
    """Write the changed logs behind each changed cell into it."""
    before, after = map(_log_digests, folders)
    changed_logs = {log for log, _ in before ^ after}
    if changed_logs:
        for change in changes:
            change.logs = sorted(_logs_behind(entry, change.cell, folders) & changed_logs)


def change_lines(figures: Iterable[FigureChange]) -> Iterator[str]:
    """Each figure in a line, below it each changed cell, and below that its changed logs."""
    for figure in figures:
        count = f"{len(figure.changes)} of {figure.cells} cells changed"
        yield f"{figure.figure}: {figure.note or count}"
        for change in figure.changes:
            address = cell_address(figure.figure, change.cell)
            values = [_value_change(name, *pair) for name, pair in change.columns.items()]
            yield f"  {address}: {', '.join(values)}"
            for log in change.logs:
                yield f"    {log}"


def _log_digests(folder: Path) -> set[tuple[str, str]]:
    """The logs of the samples tables of a source, each with its digest."""
    digests = set[tuple[str, str]]()
    for manifest in folder.glob(f"*{paths.LOGS}"):
        digests |= {(log.log, log.blake3) for log in normalize.read_manifest(manifest)}
    return digests


def _logs_behind(entry: Any, cell: Row, folders: Sequence[Path]) -> set[str]:
    """The logs behind a cell, by folders of samples tables."""
    logs = set[str]()
    for folder in folders:
        listed = sorted(folder.glob("*.parquet"))
        samples = [path for path in listed if not path.name.endswith(paths.REJECTED)]
        if samples:
            rows = api.kind(entry.kind).within(pl.scan_parquet(samples), entry, cell)
            logs |= set(rows.select(pl.col("log").unique()).collect()["log"])
    return logs


def _cell_changes(
    old: pl.DataFrame, new: pl.DataFrame, keys: Mapping[str, str], columns: Sequence[str]
) -> list[CellChange]:
    """Cells, by the names and columns `keys`, in which some of `columns` changed."""
    before = _rows_by_place(old, keys.values())
    after = _rows_by_place(new, keys.values())
    changes = []
    for place in before | after:
        first = before.get(place, {})
        second = after.get(place, {})
        differing = {}
        for column in columns:
            values = first.get(column), second.get(column)
            if not (first and second) or values[0] != values[1]:
                differing[column] = values
        if differing:
            cell = dict(zip(keys, place, strict=True))
            changes.append(CellChange(cell, differing, _interval(first)))
    return changes


def _interval(row: Row) -> tuple[float, float] | None:
    low = row.get("low")
    high = row.get("high")
    if low is None or high is None:
        return None
    return low, high


def _rows_by_place(grid: pl.DataFrame, keys: Iterable[str]) -> dict[tuple[Any, ...], Row]:
    rows = {}
    for row in grid.iter_rows(named=True):
        place = tuple(row[key] for key in keys)
        rows[place] = row
    return rows


def _value_change(column: str, before: float | None, after: float | None) -> str:
    words = f"{column} {_number_text(before)} → {_number_text(after)}"
    if before is None or after is None:
        return words
    return f"{words} ({after - before:+.6g})"


def _number_text(value: float | None) -> str:
    if value is None:
        return "no data"
    return f"{value:.10g}"


def _read_grid(path: Path) -> tuple[pl.DataFrame, Row]:
    """The cells of a grid, and the record in its footer. Raises Error: it is damaged."""
    wrong = f"{path}: damaged: it is no longer a grid: call `heatproof run`"
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
