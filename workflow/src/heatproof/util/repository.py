"""Where the files of the repository lie: around the library in a clone, inside it where installed.

A wheel carries the workflow in `heatproof/repository/`, each file under its name in the repository,
but for the library itself. So all files are known by the same names, and a build tells the same of
its code, whichever of the two it was made with.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Callable

LIBRARY = Path(__file__).resolve().parents[1]
"""The library: known by its own place, though a project may link to it."""
INSIDE = "repository"
"""Folder of an installed library with the rest; `setup.py` makes it."""
INSTALLED = (LIBRARY / INSIDE / "Snakefile").is_file()
ROOT = LIBRARY / INSIDE if INSTALLED else LIBRARY.parents[2]
"""The repository, but in an installed copy without the library."""
SNAKEFILE = ROOT / "Snakefile"
RULES = ("Snakefile", "workflow/rules")
"""File and folder that Snakemake may fetch from elsewhere, as `github(…)`."""
SOURCES = "workflow/src"
"""The packages of ours, in the repository."""
PACKAGES = ("heatproof", "snakemake_logger_plugin_heatproof")
"""They lie beside each other, installed or not; Snakemake finds its plugins by such names."""


def name(path: Path, root: Path = ROOT, library: Path = LIBRARY) -> str:
    """What a file of ours is called in the repository."""
    if path.is_relative_to(root):
        return path.relative_to(root).as_posix()
    return f"{SOURCES}/{path.relative_to(library.parent).as_posix()}"


def require_same(fetched: Callable[[str], str]) -> None:
    """Refuse rules from elsewhere that are not those of this library.

    `fetched`: name of a file in the repository → where Snakemake has put what it fetched of it.

    Raises:
        Error: one of them differs; what a build tells of its code would be wrong.
    """
    file, folder = RULES
    there = [file, *(f"{folder}/{path.name}" for path in sorted((ROOT / folder).glob("*.smk")))]
    for one in there:
        # Snakemake keeps them without their last line break.
        if Path(fetched(one)).read_bytes().rstrip() != (ROOT / one).read_bytes().rstrip():
            raise Error(
                f"{one} was fetched in another version than that of the heatproof installed here: "
                "name its tag in the module, or install heatproof of that tag"
            )
