"""Files among the results that no job of the workflow makes, such as those of a former figure."""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from heatproof.provenance import artefacts

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from heatproof.plan.plan import Plan

FOLDER = "results"
STAMP = ".snakemake_timestamp"
"""Snakemake keeps the time of a folder that a job makes in such a file in it."""


def strays(root: Path, known: Collection[str]) -> list[str]:
    """What lies below `results/` and is not `known`: files, links, hidden ones, empty folders.

    Links are not followed, unless results lie behind them. A folder ends in a slash.
    """
    above = {str(place) for path in known for place in PurePosixPath(path).parents}
    return sorted(_below(root, FOLDER, frozenset(known), frozenset(above)))


def _below(root: Path, folder: str, known: frozenset[str], above: frozenset[str]) -> Iterator[str]:
    for entry in os.scandir(root / folder) if (root / folder).is_dir() else ():
        path = f"{folder}/{entry.name}"
        if path in above and entry.is_dir():
            yield from _below(root, path, known, above)
        elif path not in known and not (entry.name == STAMP and folder in above & known):
            yield from _inside(path, entry)


def _inside(path: str, entry: os.DirEntry[str]) -> Iterator[str]:
    """A stray itself; or, of a folder, the files in it."""
    if not entry.is_dir(follow_symlinks=False):
        yield path
        return
    with os.scandir(entry) as listed:
        entries = list(listed)
    if not entries:
        yield f"{path}/"
    for one in entries:
        yield from _inside(f"{path}/{one.name}", one)


def of_plan(plan: Plan) -> list[str]:
    """Strays, if `config.yaml` is all that there is to make."""
    return strays(plan.root, artefacts.made_names(plan))
