"""diff: two builds cell by cell, and the changed logs behind each changed cell.

A build is a folder of results, a project, or what a git revision holds.
"""

from __future__ import annotations

import io
import subprocess
import tempfile
import zipfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from heatproof.config import entries as config
from heatproof.config import paths
from heatproof.kinds import api
from heatproof.provenance.checks import grid
from heatproof.samples import normalize, tables
from heatproof.util.errors import Error
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    Within = Callable[[pl.LazyFrame, config.Figure, Mapping[str, Any]], pl.LazyFrame]


class Change(msgspec.Struct):
    """A cell that differs between two builds."""

    cell: dict[str, Any]
    before: dict[str, Any]
    """Column → value, of those that differ; empty if there was no such cell."""
    after: dict[str, Any]
    logs: list[str]
    """Logs behind the cell in either build that changed, came or went."""


class Figure(msgspec.Struct):
    """What became of a figure."""

    name: str
    cells: int
    changes: list[Change]
    note: str = ""
    """For a figure that only one of the builds has."""


def figures(before: Path, after: Path) -> list[Figure]:
    """Every figure of either build; cells that are the same in both are not listed."""
    stems = {
        path.stem for folder in (before, after) for path in (folder / "grids").glob("*.parquet")
    }
    return [_figure(name, before, after) for name in sorted(stems)]


def _figure(name: str, before: Path, after: Path) -> Figure:
    paths = [folder / "grids" / f"{name}.parquet" for folder in (before, after)]
    for path, note in zip(paths, ("is new", "is gone"), strict=True):
        if not path.is_file():
            return Figure(name, 0, [], note)
    (old, record), (new, _) = map(grid, paths)
    try:
        entry = api.read(record["entry"])
    except (Error, msgspec.ValidationError):
        return Figure(name, len(new), [], "has keys of another version")
    room = api.kind(entry.kind)
    keys = room.columns(entry, new)
    if not {*keys} <= {*old.columns}:
        return Figure(name, len(new), [], "shows other columns")
    changes = _changes(old, new, keys, room.value_columns(entry, new))
    touched = [_logs(folder, record) for folder in (before, after)] if changes else [{}, {}]
    either = touched[0].keys() | touched[1].keys()
    changed = {path for path in either if touched[0].get(path) != touched[1].get(path)}
    for change in changes if changed else ():
        change.logs = _behind(change, entry, room.within, changed, (before, after))
    return Figure(name, len(new), changes)


def _changes(
    old: pl.DataFrame, new: pl.DataFrame, keys: Sequence[str], told: Sequence[str]
) -> list[Change]:
    """`keys`: columns that tell rows apart; `told`: those whose changes are told."""
    shown = [name for name in told if name in old.columns and name in new.columns]
    cells = [
        {tuple(row[k] for k in keys): row for row in grid.iter_rows(named=True)}
        for grid in (old, new)
    ]
    found = []
    for key in cells[0] | cells[1]:
        was, now = cells[0].get(key), cells[1].get(key)
        named = [n for n in shown if was is None or now is None or was[n] != now[n]]
        if named:
            both = [{n: row[n] for n in named} if row else {} for row in (was, now)]
            found.append(Change(dict(zip(keys, key, strict=True)), both[0], both[1], []))
    return found


def _logs(results: Path, record: dict[str, Any]) -> dict[str, str]:
    """Log → digest, of the source that a figure shows."""
    found: dict[str, str] = {}
    for path in sorted((results / "tables" / record["entry"]["source"]).glob(f"*{paths.LOGS}")):
        found |= {log.log: log.blake3 for log in normalize.read_manifest(path)}
    return found


def _behind(
    change: Change, entry: config.Figure, within: Within, changed: set[str], folders: Sequence[Path]
) -> list[str]:
    """The changed logs whose records lie in a cell, in either build."""
    found: set[str] = set()
    for folder in folders:
        found_in = sorted((folder / "tables" / entry.source).glob("*.parquet"))
        mine = [path for path in found_in if not path.name.endswith(paths.REJECTED)]
        if mine:
            rows = within(tables.scan(mine), entry, change.cell)
            found |= set(rows.select(pl.col("log").unique()).collect()["log"])
    return sorted(found & changed)


def text(found: list[Figure]) -> str:
    """What changed, in words."""
    lines = []
    for figure in found:
        if figure.note:
            lines.append(f"{figure.name}: {figure.note}")
        elif figure.changes:
            lines.append(f"{figure.name}: {len(figure.changes)} of {figure.cells} cells changed")
            lines += [line for change in figure.changes for line in _lines(change)]
    return "\n".join(lines) or "all cells of all figures are the same"


def _lines(change: Change) -> list[str]:
    cell = ", ".join(f"{name}={value}" for name, value in change.cell.items())
    parts = []
    for name in change.before | change.after:
        was, now = change.before.get(name), change.after.get(name)
        by = f" ({now - was:+.6g})" if was is not None and now is not None else ""
        parts.append(f"{name} {_number(was)} → {_number(now)}{by}")
    return [f"  {cell}: {', '.join(parts)}", *(f"    {log}" for log in change.logs)]


def _number(value: float | None) -> str:
    return "no data" if value is None else f"{value:.10g}"


@contextmanager
def results(given: str, root: Path) -> Iterator[Path]:
    """The results folder that is meant: a folder, a project, or a git revision that holds results.

    Raises:
        Error: it is none of these.
    """
    for folder in (Path(given), Path(given) / "results"):
        if (folder / "grids").is_dir():
            yield folder
            return
    done = subprocess.run(  # noqa: S603 - git, and a revision that it must understand
        ["git", "-C", str(root), "archive", "--format=zip", "-0", given, "results"],  # noqa: S607
        capture_output=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise Error(f"{given}: neither a folder with results nor a git revision that holds them")
    with tempfile.TemporaryDirectory(prefix="heatproof-") as name:
        with zipfile.ZipFile(io.BytesIO(done.stdout)) as archive:
            archive.extractall(name)
        if not (Path(name) / "results" / "grids").is_dir():
            raise Error(f"{given}: this revision holds no grids in results/")
        yield Path(name) / "results"
