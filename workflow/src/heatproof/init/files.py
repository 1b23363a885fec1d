"""What a folder holds: files that may be logs, and others with the reason why they are none."""

from __future__ import annotations

import os
import re
import zlib
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from heatproof.formats import detection
from heatproof.logs.raw import POINTER

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

SKIPPED = {"__pycache__", "node_modules"}
"""Folders that hold no logs, beside hidden ones."""
OWN = {"results", "workflow"}
"""Folders of a project that hold none, if it is the project itself that is looked through."""
LIKELY = (".json", ".jsonl", ".ndjson", ".csv", ".tsv", ".parquet", ".eval")
"""Endings of files that may be logs."""
TEXTS = (".txt", ".log", ".out", "")
"""Endings of files that may be lines of JSON all the same."""
CLOSED = {
    (".pkl", ".pickle", ".pt", ".pth", ".npy", ".npz", ".joblib", ".dill"): (
        "pickles and arrays are not opened; export JSON lines, a problem a line"
    ),
    (".xlsx", ".xls", ".ods"): "tables of an office program are not opened; save them as CSV",
    (".db", ".sqlite", ".sqlite3", ".duckdb", ".feather", ".arrow", ".h5", ".hdf5"): (
        "databases are not opened; export CSV or Parquet, a problem a row"
    ),
    (".zip", ".tar", ".tgz", ".7z", ".rar", ".bz2", ".xz"): (
        "archives of files are not opened; unpack them"
    ),
}
"""Endings of files that hold data, and why it is not read."""
BLANK = 4096
"""A file so small that holds blanks alone is empty, too."""


class File(NamedTuple):
    """A file, by its path in the project, and its size in bytes."""

    path: str
    size: int


class Inventory(NamedTuple):
    """The files of a folder."""

    files: list[File]
    """Those that may be logs."""
    pointers: list[File]
    """What git-LFS left in the place of logs; sizes are those of the logs."""
    empty: list[str]
    closed: dict[str, list[str]]
    """Reason → files with data that is not read."""
    passed: dict[str, list[str]]
    """Ending → files that are no logs, such as plots and texts."""


def inventory(folder: Path, within: str) -> Inventory:
    """The files of a folder that is called `within` in the project (empty: the project itself).

    A file stands for itself.
    """
    inventory = Inventory([], [], [], defaultdict(list), defaultdict(list))
    if folder.is_file():
        _sort(inventory, within, str(folder), folder.stat().st_size)
        return inventory
    for path, place, size in _walk(folder, within, frozenset()):
        _sort(inventory, path, place, size)
    return inventory


def _walk(folder: str | Path, within: str, above: frozenset[str]) -> Iterator[tuple[str, str, int]]:
    """Path in the project, place and size of each file; a loop of links has an end."""
    real = os.path.realpath(folder)
    if real in above:
        return
    with os.scandir(folder) as listed:
        entries = sorted(listed, key=lambda entry: entry.name)
    for entry in entries:
        if entry.name.startswith(".") or not _is_utf8(entry.name):
            continue
        path = f"{within}/{entry.name}" if within else entry.name
        if entry.is_file():
            yield path, entry.path, entry.stat().st_size
        elif entry.is_dir() and entry.name not in SKIPPED and (within or entry.name not in OWN):
            yield from _walk(entry.path, path, above | {real})


def _is_utf8(name: str) -> bool:
    return name.isprintable() and name.encode(errors="replace").decode() == name


def ending(path: str) -> str:
    """How a file's name ends, without what packs it: `.jsonl` of `a.jsonl.gz`."""
    return os.path.splitext(detection.plain(path))[1].lower()


def _sort(inventory: Inventory, path: str, place: str, size: int) -> None:
    end = ending(path)
    reason = next((why for ends, why in CLOSED.items() if end in ends), "")
    start = _beginning(place) if size < BLANK else b"x"
    if size < 1024 and start.startswith(POINTER):
        size_line = re.search(rb"^size (\d+)", start, re.MULTILINE)
        inventory.pointers.append(File(path, int(size_line[1]) if size_line else 0))
    elif reason:
        inventory.closed[reason].append(path)
    elif end not in LIKELY and end not in TEXTS:
        inventory.passed[end].append(path)
    elif not start.strip():
        inventory.empty.append(path)
    else:
        inventory.files.append(File(path, size))


def _beginning(place: str) -> bytes:
    try:
        with open(place, "rb") as file:
            return file.read(BLANK)
    except OSError:
        return b"x"  # who looks into it will tell


def chosen(files: Iterable[File], most: int = detection.FILES) -> list[File]:
    """Those that are looked into: some of each folder and ending, in an order without a pattern.

    Sorted names have one (a seed, a temperature), and each n-th of them may be all of one kind.
    """
    groups: dict[tuple[str, str], list[File]] = defaultdict(list)
    for file in sorted(files, key=lambda file: zlib.crc32(file.path.encode())):
        groups[file.path.rpartition("/")[0], ending(file.path)].append(file)
    picked: list[File] = []
    deep = 0
    while len(picked) < most and (left := [g[deep] for g in groups.values() if len(g) > deep]):
        picked += left[: most - len(picked)]
        deep += 1
    return sorted(picked)


def kinds(path: str) -> list[tuple[str, ...]]:
    """What files are alike by, the surest first."""
    folder, _, name = path.rpartition("/")
    plain = re.sub(r"\d+", "0", name)
    end = ending(path)
    return [(folder, plain), (re.sub(r"\d+", "0", folder), plain), (folder, "", end), ("", "", end)]
