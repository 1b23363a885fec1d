"""Folders for what waits on disk, beside the tables and gone when these are written."""

from __future__ import annotations

import shutil
import tempfile
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from heatproof.samples.tables import ABANDONED

if TYPE_CHECKING:
    from pathlib import Path

PREFIX = ".waiting-"


def room(folder: Path | None) -> tempfile.TemporaryDirectory[str]:
    """A new folder below `folder`, or where the system keeps such; those of killed jobs go."""
    for left in folder.glob(f"{PREFIX}*") if folder else ():
        with suppress(OSError):
            if time.time() - left.stat().st_mtime > ABANDONED:
                shutil.rmtree(left)
    return tempfile.TemporaryDirectory(dir=folder, prefix=PREFIX)
