"""Builds to compare: a folder of results, a project, or what a git revision holds."""

from __future__ import annotations

import io
import subprocess
import tempfile
import zipfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def results(given: str, root: Path) -> Iterator[Path]:
    """The results folder that is meant: a folder, a project, or a git revision that holds results.

    Raises:
        Error: it is none of these.
    """
    for folder in (Path(given), Path(given) / "results"):
        if (folder / "grids").is_dir():
            yield folder
            return
    done = subprocess.run(  # noqa: S603 - git, and a revision that it must understand
        ["git", "-C", str(root), "archive", "--format=zip", "-0", given, "results"],  # noqa: S607
        capture_output=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise Error(f"{given}: neither a folder with results nor a git revision that holds them")
    with tempfile.TemporaryDirectory(prefix="heatproof-") as name:
        with zipfile.ZipFile(io.BytesIO(done.stdout)) as archive:
            archive.extractall(name)
        if not (Path(name) / "results" / "grids").is_dir():
            raise Error(f"{given}: this revision holds no grids in results/")
        yield Path(name) / "results"
