"""Patterns of paths: `*` and `?` within a folder, `**` for any folders."""

from __future__ import annotations

import os
import re
import stat
from fnmatch import fnmatchcase, translate
from itertools import takewhile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


WILD = re.compile(r"[*?[]")
ENDING = re.compile(r"\.\w+\*?$")
"""Ends a pattern that means files of a kind."""


def files(pattern: str, root: str) -> Iterator[str]:
    """Files below `root` that a pattern names, as paths below it; some may come twice.

    Raises:
        OSError: a folder on the way may not be listed, or a link leads nowhere.
    """
    yield from _walk(root, "", pattern.split("/"), frozenset())


def _walk(  # noqa: C901 - the cases of a pattern, one below the other
    root: str, folder: str, parts: list[str], above: frozenset[str]
) -> Iterator[str]:
    """Files below `folder` that match the parts of a pattern, as paths below `root`.

    Links are followed, but not into a folder that the path has come through: a loop has no end.
    """
    here = os.path.join(root, folder)
    if parts[0] == "**":
        yield from _walk(root, folder, parts[1:] or ["*"], above)
    real = os.path.realpath(here)
    if real in above:
        return
    try:
        with os.scandir(here) as listed:
            entries = list(listed)
    except (FileNotFoundError, NotADirectoryError):
        return
    start, match = os.path.join(folder, ""), _matcher(parts[0])
    for entry in entries:
        if parts[0] == "**":
            if not entry.name.startswith(".") and _is(entry, entry.is_dir):
                yield from _walk(root, start + entry.name, parts, above | {real})
        elif not match(entry.name):
            continue
        elif len(parts) > 1:
            if _is(entry, entry.is_dir):
                yield from _walk(root, start + entry.name, parts[1:], above | {real})
        elif _is(entry, entry.is_file):
            yield start + entry.name
        else:
            _require_folder(entry, parts[0])


def _require_folder(entry: os.DirEntry[str], part: str) -> None:
    """Raise OSError for what matches a pattern and is no file.

    Folders may well match one that has no ending, or any.
    """
    mode = os.stat(entry.path).st_mode
    if stat.S_ISDIR(mode):
        if ENDING.search(part):
            raise OSError(0, "it is a folder; name the files in it", entry.path)
        return
    kinds = {stat.S_IFIFO: "a FIFO", stat.S_IFSOCK: "a socket"}
    kind = kinds.get(stat.S_IFMT(mode), "a device")
    raise OSError(0, f"it is {kind}, which has no content to come back to", entry.path)


def _matcher(part: str) -> Callable[[str], object]:
    """What tells whether a name matches a part of a pattern; a hidden one only by a dot."""
    return re.compile(("" if part.startswith(".") else "(?![.])") + translate(part)).match


def _is(entry: os.DirEntry[str], kind: Callable[[], bool]) -> bool:
    """Whether an entry is of a kind; raises where a link leads nowhere, and might be of any."""
    if kind():
        return True
    if entry.is_symlink():
        os.stat(entry.path)
    return False


def fits(parts: list[str], names: list[str]) -> bool:
    """Whether the parts of a pattern match the parts of a path; `**` stands for any folders."""
    if not parts:
        return not names
    if parts[0] == "**":
        return any(fits(parts[1:], names[start:]) for start in range(len(names) + 1))
    return bool(names) and fnmatchcase(names[0], parts[0]) and fits(parts[1:], names[1:])


def literal(pattern: str) -> str:
    """The folders that a pattern names in full, with a slash behind each."""
    folders = pattern.split("/")[:-1]
    return "".join(f"{name}/" for name in takewhile(lambda part: not WILD.search(part), folders))


def nearest(pattern: str, root: Path) -> str:
    """What lies in the deepest existing folder on the way of a pattern that matches nothing."""
    folder = root
    for part in pattern.split("/")[:-1]:
        if not (folder / part).is_dir():
            break
        folder /= part
    inside = sorted(entry.name for entry in folder.iterdir())[:8]
    return f"{folder.relative_to(root)}/ holds {', '.join(inside) or 'nothing'}"
