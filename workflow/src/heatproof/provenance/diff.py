"""diff: two builds cell by cell, and the changed logs behind each changed cell.

A build is a folder of results, or a project.
"""

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
    from collections.abc import Sequence


class Change(msgspec.Struct):
    """A cell that differs between two builds."""

    cell: dict[str, Any]
    before: dict[str, Any]  # column → value, of those that differ; empty if there was no such cell
    after: dict[str, Any]
    logs: list[str] = []  # logs behind the cell in either build that changed, came or went


class Figure(msgspec.Struct):
    """What became of a figure."""

    name: str
    cells: int
    changes: list[Change]
    note: str = ""  # for a figure that only one of the builds has


def figures(before: Path, after: Path) -> list[Figure]:
    """Every figure of either build; cells that are the same in both are not listed."""
    names = {grid.stem for build in (before, after) for grid in (build / "grids").glob("*.parquet")}
    return [_figure(name, (before, after)) for name in sorted(names)]


def _figure(name: str, builds: Sequence[Path]) -> Figure:
    grids = [build / "grids" / f"{name}.parquet" for build in builds]
    for grid, note in zip(grids, ("is new", "is gone"), strict=True):
        if not grid.is_file():
            return Figure(name, 0, [], note)
    (old, footer), (new, _) = map(_read_grid, grids)
    try:
        entry = api.read(footer["entry"])
    except (Error, msgspec.ValidationError):
        return Figure(name, len(new), [], "has keys of another version")
    cells = api.kind(entry.kind)
    keys = cells.columns(entry, new)
    if not {*keys} <= {*old.columns}:
        return Figure(name, len(new), [], "shows other columns")
    columns = [column for column in cells.value_columns(entry, new) if column in old.columns]
    changes = _changes(old, new, keys, columns)
    folders = [build / "tables" / entry.source for build in builds]
    then, now = (
        {(log.log, log.blake3) for path in folder.glob(f"*{paths.LOGS}")
         for log in normalize.read_manifest(path)}
        for folder in folders
    )  # fmt: skip
    changed = {log for log, _ in then ^ now}
    for change in changes if changed else ():
        logs = set[str]()
        for folder in folders:
            listed = sorted(folder.glob("*.parquet"))
            samples = [path for path in listed if not path.name.endswith(paths.REJECTED)]
            if samples:
                rows = cells.within(tables.scan(samples), entry, change.cell)
                logs |= {*rows.select(pl.col("log").unique()).collect()["log"]}
        change.logs = sorted(logs & changed)
    return Figure(name, len(new), changes)


def _read_grid(path: Path) -> tuple[pl.DataFrame, dict[str, Any]]:
    """The cells of a grid, and the record in its footer. Raises Error: the file is damaged."""
    wrong = f"{path}: damaged, no grid of ours any more: run snakemake"
    try:
        cells, footer = tables.read(path)
    except (pl.exceptions.PolarsError, ValueError) as error:
        raise Error(wrong) from error
    if "entry" not in footer:
        raise Error(wrong)
    return cells, footer


def _changes(
    old: pl.DataFrame, new: pl.DataFrame, keys: Sequence[str], columns: Sequence[str]
) -> list[Change]:
    """`keys`: columns that tell rows apart; `columns`: those whose changes are told."""
    columns = [column for column in columns if column in new.columns]
    before, after = (
        {tuple(row[key] for key in keys): row for row in grid.iter_rows(named=True)}
        for grid in (old, new)
    )
    changes = []
    for place in before | after:
        was, now = before.get(place), after.get(place)
        differ = [c for c in columns if was is None or now is None or was[c] != now[c]]
        if differ:
            was, now = ({c: row[c] for c in differ} if row else {} for row in (was, now))
            changes.append(Change(dict(zip(keys, place, strict=True)), was, now))
    return changes


def text(figures: list[Figure]) -> str:
    """What changed, in words."""
    lines = []
    for figure in figures:
        if figure.note:
            lines.append(f"{figure.name}: {figure.note}")
        elif figure.changes:
            lines.append(f"{figure.name}: {len(figure.changes)} of {figure.cells} cells changed")
        for change in figure.changes:
            cell = ", ".join(f"{name}={value}" for name, value in change.cell.items())
            parts = []
            for name in change.before | change.after:
                was, now = change.before.get(name), change.after.get(name)
                by = f" ({now - was:+.6g})" if was is not None and now is not None else ""
                parts.append(f"{name} {_number(was)} → {_number(now)}{by}")
            lines += [f"  {cell}: {', '.join(parts)}", *(f"    {log}" for log in change.logs)]
    return "\n".join(lines) or "all cells of all figures are the same"


def _number(value: float | None) -> str:
    return "no data" if value is None else f"{value:.10g}"


def results(build: str) -> Path:
    """The folder with the results of a build, which is given by itself or by its project.

    Raises:
        Error: there is none.
    """
    for folder in (Path(build), Path(build) / "results"):
        if (folder / "grids").is_dir():
            return folder
    raise Error(f"{build}: no folder with results")
