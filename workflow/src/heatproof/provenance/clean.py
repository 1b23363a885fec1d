"""Files among the results that no job of the workflow makes, such as those of a former figure.

`heatproof clean` removes those of them that are ours.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from heatproof.ledger import pieces
from heatproof.util import hashed
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from heatproof.plan.plan import Plan

LOCKS = Path(".snakemake/locks")


def is_locked(root: Path) -> bool:
    """Whether a run is at work in a folder, or was killed there."""
    return any((root / LOCKS).glob("*.lock"))


def strays(plan: Plan) -> list[str]:
    """What lies below `results/` and no job makes: files, links, hidden ones, empty folders.

    Links are not followed, unless results lie behind them. A folder ends in a slash.
    """
    known = {*plan.results(), pieces.LEDGER}
    above = {str(place) for path in known for place in PurePosixPath(path).parents}
    return sorted(_below(plan.root, "results", known, above))


def misplaced(plan: Plan) -> list[str]:
    """What lies where a result belongs and is no file, or no folder where one belongs: in words."""
    results, found = plan.results(), []
    above = {str(place) for path in results for place in PurePosixPath(path).parents} - {"."}
    for path in [*sorted(above), *results]:
        what, folder = hashed.other(plan.root / path), path in above
        if what not in ("" if not folder else "a folder", *hashed.NOTHING):
            found.append(f"{path} is {what or 'a file'}, not {'a folder' if folder else 'a file'}")
    return found


def _below(root: Path, folder: str, known: set[str], above: set[str]) -> Iterator[str]:
    for entry in os.scandir(root / folder) if (root / folder).is_dir() else ():
        path = f"{folder}/{entry.name}"
        if path in above and entry.is_dir():
            yield from _below(root, path, known, above)
        elif path not in known:
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


def leftovers(plan: Plan) -> tuple[list[str], list[str]]:
    """What lies in the results and no job makes: what heatproof made, and what it did not.

    A file is ours if the ledger tells its very bytes; so is a piece, and a folder without files.
    """
    try:
        ledger = pieces.load(plan.root)
    except Error:
        ledger = {}
    made = {path: file for piece in ledger.values() for path, file in piece.outputs.items()}
    own = {pieces.place(job) for job in ledger}
    mine, others = list[str](), list[str]()
    for path in strays(plan):
        known = path.endswith("/") or path in own
        known = known or (path in made and pieces.contents(plan.root / path) == made[path])
        (mine if known else others).append(path)
    return mine, others


def remove(paths: Iterable[str], root: Path) -> None:
    """Remove files, and folders that are empty then.

    Raises:
        Error: a run is at work.
    """
    if is_locked(root):
        raise Error(
            "a run is at work here: wait for its end (after one that was killed: "
            "snakemake --unlock)"
        )
    for path in paths:
        place = root / path
        if not place.is_dir():
            place.unlink(missing_ok=True)
        with suppress(OSError):  # at the first one that is not empty
            for folder in [PurePosixPath(path), *PurePosixPath(path).parents]:
                if len(folder.parts) > 1 and (root / folder).is_dir():
                    os.rmdir(root / folder)
