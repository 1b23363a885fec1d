"""Know results by content: what each job made, and which of it was changed since.

Each job leaves receipts, small files in the workflow's private folder, with the SHA-256 of what
it made. The next run compares it with what is there, at one `stat` for each file that was not
written since; what differs is made again, with all that depends on it.
"""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from heatproof.util import hashed
from heatproof.util.swap import swap

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

FOLDER = Path(".snakemake/heatproof")
RECEIPTS = FOLDER / "receipts"
INDEX = FOLDER / "artefacts.json"


class Receipt(msgspec.Struct):
    """What a job made."""

    output: str
    files: dict[str, str]
    """The output itself, or each file in it → SHA-256."""


def name(output: str) -> str:
    """What the files are called that tell of an output in the private folder."""
    return hashlib.sha256(output.encode()).hexdigest()[:16]


def note(outputs: Sequence[str], root: Path) -> None:
    """Leave the receipts of a job that has made `outputs`, files or folders below `root`.

    Each output has its own: which others a job made beside it changes, and a receipt of a job that
    is no more must not contradict the newer one.
    """
    (root / RECEIPTS).mkdir(parents=True, exist_ok=True)
    for output in outputs:
        one = Receipt(output, contents(output, root))
        with swap(_place(output, root)) as part:
            part.write_bytes(msgspec.json.encode(one, order="sorted"))


def _place(output: str, root: Path) -> Path:
    return root / RECEIPTS / f"{name(output)}.json"


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


def receipt(output: str, root: Path) -> Receipt | None:
    """The receipt of an output; a damaged one proves nothing."""
    try:
        found = msgspec.json.decode(_place(output, root).read_bytes(), type=Receipt)
    except (OSError, msgspec.DecodeError):
        return None
    return found if found.output == output else None


def receipts(root: Path) -> Iterator[Receipt]:
    """All receipts that can be read."""
    for path in sorted((root / RECEIPTS).glob("*.json")):
        with suppress(OSError, msgspec.DecodeError):
            yield msgspec.json.decode(path.read_bytes(), type=Receipt)


def forget(output: str, root: Path) -> None:
    """Remove the receipt of an output: it counts as never made."""
    _place(output, root).unlink(missing_ok=True)


def damaged(outputs: Iterable[str], root: Path) -> list[str]:
    """Of `outputs`, those that are there but not as they were made."""
    index = hashed.Index(root / INDEX, hashed.sha256)
    found = [
        output
        for output in outputs
        if (there := files(output, root))
        and (known := receipt(output, root))
        and index.digests(there, root) != known.files
    ]
    index.save()
    return found
