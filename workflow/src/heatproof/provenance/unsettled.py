"""Results of logs that were not as the run had noted them: the next run makes them again.

By their settings they would seem to be made of what was noted. Should a log be that again some
day, nothing else would tell.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from heatproof.provenance import made
from heatproof.util.swap import swap

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

FOLDER = made.FOLDER / "unsettled"


def note(outputs: Sequence[str], root: Path, *, settled: bool) -> None:
    """Leave for the next run whether results that were made together are to be made again."""
    place = root / FOLDER / made.name(outputs[0])
    if settled:
        place.unlink(missing_ok=True)
        return
    place.parent.mkdir(parents=True, exist_ok=True)
    with swap(place) as part:
        part.write_bytes(msgspec.json.encode(outputs))


def results(root: Path) -> list[str]:
    """All results that are to be made again."""
    folder = root / FOLDER
    notes = sorted(folder.glob("[!.]*")) if folder.is_dir() else []
    return [
        output
        for path in notes
        if not path.name.endswith(".part")
        for output in msgspec.json.decode(path.read_bytes(), type=list[str])
    ]
