"""What lies beside results while they are written, and what of it killed jobs left behind."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

from heatproof.samples.tables import is_abandoned
from heatproof.util.atomic_write import PART

PREFIX = ".waiting-"


def room(folder: Path | None) -> tempfile.TemporaryDirectory[str]:
    """A new folder below `folder`, or where the system keeps such."""
    return tempfile.TemporaryDirectory(dir=folder, prefix=PREFIX)


def forget(folder: Path) -> None:
    """Remove the rooms that killed jobs left in a folder a day ago, or longer."""
    for left in folder.glob(f"{PREFIX}*"):
        with suppress(OSError):
            if is_abandoned(left):
                shutil.rmtree(left)


def clear(folder: Path) -> None:
    """Remove what dead jobs left below a folder; no run may be at work there."""
    for place, folders, files in os.walk(folder):
        waiting = [name for name in folders if name.startswith(PREFIX)]
        folders[:] = [name for name in folders if name not in waiting]
        for name in waiting:
            shutil.rmtree(Path(place, name), ignore_errors=True)
        for name in filter(PART.fullmatch, files):
            Path(place, name).unlink(missing_ok=True)
