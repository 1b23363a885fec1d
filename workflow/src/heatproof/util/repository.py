"""Where the files of the repository lie, and which versions of packages are installed.

They lie around the library in a clone, inside it where installed: a wheel carries the workflow in
`heatproof/repository/`, each file under its name in the repository, but for the library itself. So
all files are known by the same names, and a build tells the same of its code, whichever of the two
it was made with.
"""

from __future__ import annotations

from functools import cache
from importlib import metadata
from pathlib import Path

LIBRARY = Path(__file__).resolve().parents[1]
"""The library: known by its own place, though a project may link to it."""
INSIDE = "repository"  # folder of an installed library with the rest; `setup.py` makes it
INSTALLED = (LIBRARY / INSIDE / "Snakefile").is_file()
ROOT = LIBRARY / INSIDE if INSTALLED else LIBRARY.parents[2]
"""The repository, but in an installed copy without the library."""
SNAKEFILE = ROOT / "Snakefile"


@cache
def version(name: str) -> str:
    """The installed version of a package: each is looked up once, from several files.

    Raises:
        PackageNotFoundError: it is not installed.
    """
    return metadata.version(name)
