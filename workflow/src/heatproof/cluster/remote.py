"""Results in remote storage: jobs work on local copies, in a place that the provider chooses.

`results/` then leads there, folder by folder, so that every file is found under the name that the
project has for it, and that name goes into records and manifests: the bytes are those of a run
without remote storage.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Iterable

RESULTS = "results"
PLACE = "HEATPROOF_RESULTS"
"""Environment variable: where the local copies of the results lie, as jobs are told their paths."""


def link(outputs: Iterable[str], place: str, root: Path) -> None:
    """Let `results/…` lead to the local copies below `place`.

    Raises:
        Error: results of a run without remote storage are in the way.
    """
    os.environ[PLACE] = place
    for output in sorted({output.split("/")[1] for output in outputs}):
        here, there = root / RESULTS / output, os.path.abspath(os.path.join(root, place, output))
        if here.is_symlink() and os.readlink(here) == there:
            continue
        if here.is_symlink():
            here.unlink()
        elif here.exists():
            raise Error(
                f"{RESULTS}/{output} is of a run without remote storage: move {RESULTS}/ away, "
                "or run without --default-storage-provider"
            )
        here.parent.mkdir(parents=True, exist_ok=True)
        here.symlink_to(there)


def unlink(outputs: Iterable[str], root: Path) -> None:
    """Without remote storage, results are files here: links to local copies go."""
    for output in {output.split("/")[1] for output in outputs}:
        if (root / RESULTS / output).is_symlink():
            (root / RESULTS / output).unlink()


def named(path: str | Path) -> str:
    """What the project calls a file that a job was given: `results/…` again."""
    place, plain = os.environ.get(PLACE), Path(path).as_posix()
    if place and plain.startswith(f"{place}/"):
        return RESULTS + plain.removeprefix(place)
    return plain
