"""What the library's modules import of it, read from their text; nothing is run."""

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from heatproof.util import repository

IMPORT = re.compile(
    r"^\s*from (?P<package>heatproof[\w.]*) import (?P<names>\([^)]*\)|.+)$"
    r"|^\s*import (?P<module>heatproof[\w.]*)",
    re.MULTILINE,
)
TYPES = re.compile(r"^if TYPE_CHECKING:\n(?:[ ].*\n|\n)+", re.MULTILINE)
"""Imports that never happen."""


@cache
def path(module: str) -> Path | None:
    """The file of a module; None if there is no such module."""
    base = repository.LIBRARY.parent.joinpath(*module.split("."))
    places = (base.with_suffix(".py"), base / "__init__.py")
    return next((place for place in places if place.is_file()), None)


def closure(modules: Iterable[str]) -> set[str]:
    """These modules and all of this library that they import, inside functions too."""
    found, waiting = set[str](), [*modules]
    while waiting:
        module = waiting.pop()
        if module not in found:
            found.add(module)
            waiting += imported(module)
    return found


@cache
def imported(module: str) -> tuple[str, ...]:
    """The modules of the library that one imports."""
    place, found = path(module), set[str]()
    for match in IMPORT.finditer(TYPES.sub("", place.read_text()) if place else ""):
        if match["module"]:
            found.add(match["module"])
            continue
        names = re.findall(r"\w+", re.sub(r"#.*|\bas \w+", "", match["names"]))
        inside = {f"{match['package']}.{name}" for name in names}
        found |= {one for one in inside if path(one)} | {match["package"]}
    return tuple(sorted(found))
