"""Where the files of the repository lie, and what packages it pins.

They lie around the library in a clone, inside it where installed: a wheel carries the workflow in
`heatproof/repository/`, each file under its name in the repository, but for the library itself. So
all files are known by the same names, and a build tells the same of its code, whichever of the two
it was made with.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import metadata
from pathlib import Path

LIBRARY = Path(__file__).resolve().parents[1]
"""The library: known by its own place, though a project may link to it."""
INSIDE = "repository"
"""Folder of an installed library with the rest; `setup.py` makes it."""
INSTALLED = (LIBRARY / INSIDE / "Snakefile").is_file()
ROOT = LIBRARY / INSIDE if INSTALLED else LIBRARY.parents[2]
"""The repository, but in an installed copy without the library."""
SNAKEFILE = ROOT / "Snakefile"
PINS = "requirements/run.txt"
"""In the repository; an installed copy has none, for its packages are the user's to choose."""


@cache
def pinned() -> dict[str, str]:
    """Package → pinned version; several, where they differ by Python or platform."""
    text = (ROOT / PINS).read_text() if (ROOT / PINS).is_file() else ""
    versions: dict[str, list[str]] = {}
    for name, number in re.findall(r"^([\w.-]+)==([^\s;\\]+)", text, re.MULTILINE):
        versions.setdefault(re.sub(r"[-_.]+", "-", name).lower(), []).append(number)
    return {name: " or ".join(sorted({*numbers})) for name, numbers in versions.items()}


@cache
def version(name: str) -> str:
    """The installed version of a package: each is looked up once, from several files.

    Raises:
        PackageNotFoundError: it is not installed.
    """
    return metadata.version(name)


def installed(name: str) -> str:
    """The same; empty where it is not installed."""
    try:
        return version(name)
    except metadata.PackageNotFoundError:
        return ""
