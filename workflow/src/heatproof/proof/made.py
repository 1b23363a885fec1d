"""Know results by content: what each job made, and which of it was changed since.

Each job leaves receipts, small files in the workflow's private folder, with the SHA-256 of what
it made. The next run compares it with what is there, at one `stat` for each file that was not
written since; what differs is made again, with all that depends on it.
"""

from __future__ import annotations

import hashlib
import os
import secrets
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from heatproof import hashed

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

FOLDER = Path(".snakemake/heatproof")
RECEIPTS = FOLDER / "receipts"
INDEX = FOLDER / "artefacts.json"


def note(outputs: Sequence[str], root: Path) -> None:
    """Leave the receipts of a job that has made `outputs`, files or folders below `root`.

    Each output has its own: which others a job made beside it changes, and a receipt of a job that
    is no more must not contradict the newer one.
    """
    folder = root / RECEIPTS
    folder.mkdir(parents=True, exist_ok=True)
    for output in outputs:
        name = hashlib.sha256(output.encode()).hexdigest()[:16]
        part = folder / f"{name}.{secrets.token_hex(8)}.part"
        part.write_bytes(msgspec.json.encode({output: contents(output, root)}, order="sorted"))
        os.replace(part, folder / f"{name}.json")


def contents(output: str, root: Path) -> dict[str, str]:
    """Path below `root` → SHA-256: of the output itself, or of each file in it."""
    return {path: hashed.sha256(root / path) for path in files(output, root)}


def files(output: str, root: Path) -> list[str]:
    """The output itself, or the files in it; none if it is not there.

    Hidden ones do not count: Snakemake keeps the time of a folder in one.
    """
    place = root / output
    if place.is_dir():
        names = [entry.name for entry in os.scandir(place) if entry.is_file()]
        return sorted(f"{output}/{name}" for name in names if not name.startswith("."))
    return [output] if place.is_file() else []


def receipts(root: Path) -> dict[str, dict[str, str]]:
    """Output → its files and their digests, of all jobs that left a receipt."""
    found: dict[str, dict[str, str]] = {}
    folder = root / RECEIPTS
    for path in sorted(folder.glob("*.json")) if folder.is_dir() else ():
        try:
            found |= msgspec.json.decode(path.read_bytes(), type=dict[str, dict[str, str]])
        except msgspec.DecodeError:
            continue  # a damaged receipt proves nothing
    return found


def damaged(outputs: Iterable[str], root: Path) -> list[str]:
    """Of `outputs`, those that are there but not as they were made."""
    known = receipts(root)
    index = hashed.Index(root / INDEX, hashed.sha256)
    found = [
        output
        for output in outputs
        if output in known
        and (there := files(output, root))
        and index.digests(there, root) != known[output]
    ]
    index.save()
    return found
