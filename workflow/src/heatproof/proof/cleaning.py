"""clean: of what no job makes any more, the files that are ours to remove."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from heatproof.proof import strays
from heatproof.provenance import made, manifest, runs
from heatproof.util import hashed
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from heatproof.plan.plan import Plan


def leftovers(plan: Plan) -> tuple[list[str], list[str]]:
    """What lies in the results and no job makes: what heatproof made, and what it did not.

    A file is ours if a receipt or the manifest tells its very bytes; so is a folder without files.
    """
    known = _known(plan.root)
    mine: list[str] = []
    others: list[str] = []
    for path in strays.of_plan(plan):
        place = plan.root / path
        ours = place.is_dir() or (place.is_file() and known.get(path) == hashed.sha256(place))
        (mine if ours and not place.is_symlink() else others).append(path)
    return mine, others


def _known(root: Path) -> dict[str, str]:
    """Path → SHA-256 of all that heatproof ever left a receipt of here, or that is sealed."""
    found: dict[str, str] = {}
    with suppress(Error):
        found |= manifest.read(root).files
    for one in made.receipts(root):
        found |= one.files
    return found


def remove(paths: Iterable[str], root: Path) -> None:
    """Remove files, what tells of them in the private folder, and folders that are empty then.

    Raises:
        Error: a run is at work.
    """
    if runs.locked(root):
        raise Error(
            "a run is at work here: wait for its end (after one that was killed, run snakemake)"
        )
    for path in paths:
        place = root / path
        if not place.is_dir():
            place.unlink(missing_ok=True)
            made.forget(path, root)
        with suppress(OSError):  # at the first one that is not empty
            for folder in [PurePosixPath(path), *PurePosixPath(path).parents]:
                if len(folder.parts) > 1 and (root / folder).is_dir():
                    os.rmdir(root / folder)
