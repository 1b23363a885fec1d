"""What a folder holds: files that may be logs, and others with the reason why they are none."""

from __future__ import annotations

import os
import re
import zlib
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from heatproof.formats import detection
from heatproof.logs.logs import fits
from heatproof.logs.raw import POINTER

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
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

SUFFIX = re.compile(r"(?:\.[A-Za-z_-]+)*\.[^.]*$")
FEW = 12
"""Folders of which each has a pattern, at most."""
LISTED = 40
"""Files that are listed one by one, at most."""


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


# ---------------------------------------------------------------------------------------- patterns


def patterns(paths: Sequence[str], others: Sequence[str], more: bool = False) -> str | list[str]:
    """One pattern, or several, that match all `paths` and none of `others`.

    Where there is none, the plainest that matches all; others are then met, and refused. `more`:
    whether files like a single one are to come, as the next run of a harness writes them.
    """
    if len(paths) == 1:
        folder, slash, name = paths[0].rpartition("/")
        wide = f"{_escaped(folder)}{slash}*{_escaped(_ending(name))}"
        free = more and not any(_matches([wide], other) for other in others)
        return wide if free else _escaped(paths[0])
    plainest = _apart(paths, others)
    plainest = plainest if len(plainest) <= LISTED else next(_candidates(paths))
    return plainest if len(plainest) > 1 else plainest[0]


def _apart(paths: Sequence[str], others: Sequence[str]) -> list[str]:
    """The plainest patterns without others; where one part of the folder needs it, part by part."""
    if len(paths) == 1:
        return [_escaped(paths[0])]
    for candidate in _candidates(paths):
        if not any(_matches(candidate, other) for other in others):
            return candidate
    parts: dict[str, list[str]] = defaultdict(list)
    base = os.path.commonpath([path.rpartition("/")[0] for path in paths])
    depth = len(base.split("/")) if base else 0
    for path in paths:
        below = path.split("/")[depth:]
        parts[below[0] if len(below) > 1 else ""].append(path)
    if len(parts) == 1:
        return [_escaped(path) for path in paths]
    return [pattern for part in parts.values() for pattern in _apart(part, others)]


def _matches(patterns: Sequence[str], path: str) -> bool:
    return any(fits(pattern.split("/"), path.split("/")) for pattern in patterns)


def _candidates(paths: Sequence[str]) -> Iterator[list[str]]:
    """From the plainest to the list of all."""
    folders = sorted({path.rpartition("/")[0] for path in paths})
    names = [path.rpartition("/")[2] for path in paths]
    base = os.path.commonpath(folders) if len(folders) > 1 and all(folders) else ""
    base = folders[0] if len(folders) == 1 else base
    above = f"{_escaped(base)}/" if base else ""
    below = "" if len(folders) == 1 else "**/"
    ends = _common([name[::-1] for name in names])[::-1]
    plain = _ending(ends)
    yield [f"{above}{below}*{_escaped(plain)}"]
    starts = _common(names)
    if len(starts) + len(plain) <= min(map(len, names)):
        yield [f"{above}{below}{_escaped(starts)}*{_escaped(plain)}"]
    middle = _middle(names, starts, ends)
    yield [f"{above}{below}{middle}"]
    if len(folders) <= FEW:
        yield [f"{_escaped(folder)}/{middle}" if folder else middle for folder in folders]
    if len(paths) <= LISTED:
        yield [_escaped(path) for path in paths]


def _middle(names: Sequence[str], starts: str, ends: str) -> str:
    """A pattern of what all names begin and end with, of which no sign counts as both."""
    if len({*names}) == 1:
        return _escaped(names[0])
    ends = ends[max(len(starts) + len(ends) - min(map(len, names)), 0) :]
    return f"{_escaped(starts)}*{_escaped(ends)}"


def _common(names: Sequence[str]) -> str:
    """The text that all names begin with."""
    first, last = min(names), max(names)
    same = (n for n, (a, b) in enumerate(zip(first, last, strict=False)) if a != b)
    return first[: next(same, min(len(first), len(last)))]


def _ending(ends: str) -> str:
    """What a file's kind is known by: `.eval_results.json` of `_0.2.eval_results.json`.

    Digits are of what a file holds, such as a time or a temperature: the next one has others.
    """
    match = SUFFIX.search(ends)
    return match[0] if match else ends


def _escaped(text: str) -> str:
    """A text that a pattern takes as it is."""
    return "".join(f"[{sign}]" if sign in "*?[" else sign for sign in text)
