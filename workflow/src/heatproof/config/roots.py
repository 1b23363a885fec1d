"""`roots` of config.yaml: folders elsewhere that stand for a folder of the project.

Logs are known by their paths in the project, the same on every machine. Where they lie elsewhere, a
link in the project leads there, and the config says to where, so that a machine that has them in
another place says that alone.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

from heatproof.util.errors import Error, Mistake

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

SECTION = "roots"
NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*\Z")
TAKEN = ("results",)
"""Folders of a project that are no one's to rename."""
SCHEMA = {
    "type": "object",
    "description": "Name of a folder in the project → a folder elsewhere that it stands for.",
    "propertyNames": {"pattern": "^[A-Za-z0-9_][A-Za-z0-9_.-]*$"},
    "additionalProperties": {"type": "string"},
}


def given(raw: Mapping[str, Any]) -> dict[str, str]:
    """Name → folder, as the config says it.

    Raises:
        Error: one line for each mistake.
    """
    said = raw.get(SECTION) or {}
    if not isinstance(said, dict):
        raise Error(Mistake(SECTION, f"{said!r} is not a mapping of names to folders"))
    if problems := [*_mistakes(said)]:
        raise Error(problems)
    return {str(name): str(folder) for name, folder in said.items()}


def _mistakes(said: Mapping[Any, Any]) -> Iterator[Mistake]:
    for name, folder in said.items():
        place = f"{SECTION}.{name}"
        if not NAME.match(str(name)) or name in TAKEN:
            message = f"{name!r} cannot name a folder of the project; a word of your own, no /"
            yield Mistake(place, message)
        if not isinstance(folder, str) or not folder:
            yield Mistake(place, f"{folder!r} is not the path of a folder")


def mount(folders: Mapping[str, str], root: Path, *, later: bool = False) -> None:
    """Let each name lead to its folder, by a link in the project; one that is there stays.

    `later`: a folder may be made by then.

    Raises:
        Error: a line for each name that something else has, and each folder that is not there.
    """
    problems = []
    if folders:
        root.mkdir(parents=True, exist_ok=True)
    for name, folder in folders.items():
        link, there = root / name, os.path.join(root, folder)
        place = f"{SECTION}.{name}"
        if not later and not os.path.exists(there):
            problems.append(Mistake(place, f"there is no folder {folder!r}"))
        elif not os.path.lexists(link):
            link.symlink_to(folder)
        elif os.path.realpath(link) != os.path.realpath(there):
            message = f"{link} is there and is not {folder}; move it away, or take another name"
            problems.append(Mistake(place, message))
    if problems:
        raise Error(problems)


def followed(path: str, folders: Mapping[str, str], root: Path) -> str:
    """Where a path of the project leads to, as seen from where `root` is named from."""
    first, _, rest = path.partition("/")
    inside = os.path.join(folders[first], rest) if first in folders else path
    return os.path.normpath(os.path.join(root, inside))


def called(folder: str) -> str:
    """A name that a folder may have in a project, much like its own."""
    plain = re.sub(r"[^A-Za-z0-9_.-]", "-", folder).lstrip(".-")
    return plain if plain and plain not in TAKEN else "logs"
