"""Where the files of the repository lie.

They lie around the library in a clone, and inside it where installed: a wheel carries the workflow
in `heatproof/repository/`, under the same names, but for the library itself.
"""

from __future__ import annotations

from pathlib import Path

LIBRARY = Path(__file__).resolve().parents[1]
"""The library: known by its own place, though a project may link to it."""
INSIDE = "repository"  # folder of an installed library with the rest; `setup.py` makes it
INSTALLED = (LIBRARY / INSIDE / "Snakefile").is_file()
ROOT = LIBRARY / INSIDE if INSTALLED else LIBRARY.parents[2]
"""The repository, but in an installed copy without the library."""
SNAKEFILE = ROOT / "Snakefile"
GRIDS_FIRST = "HEATPROOF_GRIDS_FIRST"
"""Variable of the environment: the command that makes grids alone, if it may run before all. Then
figures whose grids stay the same are not drawn again."""
