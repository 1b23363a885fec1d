"""Files among the results that no job of the workflow makes, such as those of a former figure.

`heatproof clean` removes those of them that are ours.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from heatproof import ledger
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Iterable

    from heatproof.plan.plan import Plan


def orphans(plan: Plan) -> list[str]:
    """What lies below `results/` and no job makes: files, links, hidden ones, empty folders.

    Links are not followed, unless results lie behind them. A folder ends in a slash.
    """
    results = {*plan.results(), ledger.LEDGER}
    above = {str(place) for path in results for place in PurePosixPath(path).parents}
    strays, folders = list[str](), ["results"] if (plan.root / "results").is_dir() else []
    while folders:
        folder = folders.pop()
        with os.scandir(plan.root / folder) as entries:
            inside = [(f"{folder}/{entry.name}", entry) for entry in entries]
        if not inside and folder not in above:
            strays.append(f"{folder}/")
        for path, entry in inside:
            if entry.is_dir(follow_symlinks=path in above):
                folders.append(path)
            elif path not in results:
                strays.append(path)
    return sorted(strays)


def leftovers(plan: Plan) -> tuple[list[str], list[str]]:
    """What lies in the results and no job makes: what heatproof made, and what it did not.

    A file is ours if the ledger tells its very bytes; so is a piece, and a folder without files.
    """
    try:
        pieces = ledger.load(plan.root)
    except Error:
        pieces = {}
    outputs = {path: file for piece in pieces.values() for path, file in piece.outputs.items()}
    places = {ledger.place(job) for job in pieces}
    own_files, others = list[str](), list[str]()
    for path in orphans(plan):
        own = path.endswith("/") or path in places
        own = own or (path in outputs and ledger.contents(plan.root / path) == outputs[path])
        (own_files if own else others).append(path)
    return own_files, others


def remove(paths: Iterable[str], root: Path) -> None:
    """Remove files, and folders that are empty then."""
    for path in paths:
        place = root / path
        if not place.is_dir():
            place.unlink(missing_ok=True)
        with suppress(OSError):  # at the first one that is not empty
            for folder in [PurePosixPath(path), *PurePosixPath(path).parents]:
                if len(folder.parts) > 1 and (root / folder).is_dir():
                    os.rmdir(root / folder)
