"""Files among the results that no job of the workflow makes, such as those of a former figure.

`clean` removes those of them that are ours.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from heatproof.provenance import manifest, receipts
from heatproof.util import hashed
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from heatproof.plan.plan import Plan


FOLDER = "results"


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


def of_plan(plan: Plan) -> list[str]:
    """Strays, if `config.yaml` is all that there is to make."""
    return strays(plan.root, manifest.everything(plan))


def leftovers(plan: Plan) -> tuple[list[str], list[str]]:
    """What lies in the results and no job makes: what heatproof made, and what it did not.

    A file is ours if a receipt or the manifest tells its very bytes; so is a folder without files.
    """
    known = _known(plan.root)
    mine: list[str] = []
    others: list[str] = []
    for path in of_plan(plan):
        place = plan.root / path
        ours = place.is_dir() or (place.is_file() and known.get(path) == hashed.sha256(place))
        (mine if ours and not place.is_symlink() else others).append(path)
    return mine, others


def _known(root: Path) -> dict[str, str]:
    """Path → SHA-256 of all that heatproof ever left a receipt of here, or that is sealed."""
    found: dict[str, str] = {}
    with suppress(Error):
        found |= manifest.read(root).files
    for one in receipts.receipts(root):
        found |= one.files
    return found


def remove(paths: Iterable[str], root: Path) -> None:
    """Remove files, what tells of them in the private folder, and folders that are empty then.

    Raises:
        Error: a run is at work.
    """
    if receipts.locked(root):
        raise Error(
            "a run is at work here: wait for its end (after one that was killed, run snakemake)"
        )
    for path in paths:
        place = root / path
        if not place.is_dir():
            place.unlink(missing_ok=True)
            receipts.forget(path, root)
        with suppress(OSError):  # at the first one that is not empty
            for folder in [PurePosixPath(path), *PurePosixPath(path).parents]:
                if len(folder.parts) > 1 and (root / folder).is_dir():
                    os.rmdir(root / folder)
