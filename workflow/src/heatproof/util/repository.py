"""Where the files of the repository lie.

They lie around the library in a clone, and inside it where installed: a wheel carries the workflow
in `heatproof/repository/`, under the same names, but for the library itself.
"""

from __future__ import annotations

import re
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Iterable

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
EXTRA = "heatproof[run]"  # what brings Snakemake
DRY = re.compile(r"--dry-?run|-[A-Za-z]*n[A-Za-z]*")


def snakemake(command: str, otherwise: str = "") -> list[str]:
    """The words that start Snakemake.

    Raises Error: it is not installed, for our `command`; `otherwise` says what does without.
    """
    if find_spec("snakemake") is None:
        needed = f"`heatproof {command}` needs Snakemake, which is not installed"
        raise Error(f"{needed}: pip install '{EXTRA}'{otherwise}")
    return [sys.executable, "-m", "snakemake"]


def is_dry(words: Iterable[str]) -> bool:
    """Whether a call of Snakemake with these words runs nothing."""
    return any(map(DRY.fullmatch, words))
