"""What of the logs was left for the next run: they may be written while they are read.

A run reads what there was when it began (`logs/raw.py`). Here, at its end, it is looked what came
since.

Results of logs that were not as the run had noted them are made again by the next run: by their
settings they would seem to be made of what was noted. Should a log be that again some day, nothing
else would tell.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from heatproof.config import paths
from heatproof.logs import logs, raw
from heatproof.provenance import receipts
from heatproof.samples import outcome
from heatproof.util import terminal
from heatproof.util.atomic_write import swap
from heatproof.util.errors import Error
from heatproof.util.hashed import PIECE, extent
from heatproof.util.numerals import numbered

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from heatproof.config.entries import Ends, Source
    from heatproof.plan.inventory import Noted
    from heatproof.util.hashed import Extent

    Followed = tuple[Source, Mapping[str, Noted]]
    """A source, and shard → what the run noted of its logs."""


NAMED = 5
"""Logs that are named at most, of each kind."""


class Later(NamedTuple):
    """What was left, a line each: path, and what of it."""

    grown: list[str]
    other: list[str]
    """Logs that are not what was noted and more."""
    new: list[str]
    """Logs that came since."""


def text(sources: Mapping[str, Followed], root: Path) -> str:
    """A few lines on what was left; empty if nothing was."""
    found = later(sources, root)
    lines = [
        *_told("still being written: {}; left for the next run:", found.grown),
        *_told("not as the run found them: {}; the next run reads them again:", found.other),
        *_told("new since the run began: {}; left for the next run:", found.new),
    ]
    return "\n".join(lines)


def _told(head: str, lines: Sequence[str]) -> list[str]:
    if not lines:
        return []
    more = [f"and {len(lines) - NAMED:,} more"] if len(lines) > NAMED else []
    named = (f"      {terminal.name(line)}" for line in [*lines[:NAMED], *more])
    return [f"  {head.format(numbered(len(lines), 'log'))}", *named]


def later(sources: Mapping[str, Followed], root: Path) -> Later:
    """What was left of the logs that this run has read, or would have."""
    found = Later([], [], [])
    for name, (source, noted) in sources.items():
        for shard, one in noted.items():
            for path, read in _read(paths.table(name, shard), one, root).items():
                _look(root / path, path, read, one.files[path], source.ends(path), found)
        known = {path for one in noted.values() for path in one.logs}
        found.new.extend(terminal.name(path) for path in _there(source, root) if path not in known)
    return found


def _there(source: Source, root: Path) -> list[str]:
    try:
        return logs.find(source, root)
    except Error:
        return []


def _read(table: str, noted: Noted, root: Path) -> dict[str, tuple[str, int]]:
    """Path → digest and size of what was read of it; nothing if the table is of another run."""
    manifest = root / paths.manifest(table)
    if not manifest.is_file():
        return {}
    read = outcome.known(manifest)
    settled = {path: one.digest for path, one in noted.files.items()} == {
        path: digest for path, (digest, _) in read.items()
    }
    return read if settled or table in results(root) else {}


def _look(
    place: Path, path: str, read: tuple[str, int], noted: Extent, ends: Ends, found: Later
) -> None:
    """Look at a log; most are as they were, which is seen without opening them."""
    (digest, size), name = read, terminal.name(path)
    try:
        now = os.stat(place).st_size
        if now == noted.size and digest == noted.digest:
            return
        with open(place, "rb", buffering=0) as file:
            if raw.has_grown(file.fileno(), noted) or _waits(file.fileno(), digest, noted):
                found.grown.append(f"{name}: {_left(file.fileno(), size, now, ends)}")
                return
    except FileNotFoundError:
        found.other.append(f"{name} is gone")
    except OSError:
        if noted.digest:
            found.other.append(f"{name} cannot be read")
    else:
        found.other.append(f"{name} was written anew")


def _waits(file: int, digest: str, noted: Extent) -> bool:
    """Whether nothing was read of a log that is as it was: what lies beside it was not whole."""
    return not digest and extent(file) == noted


def _left(file: int, start: int, stop: int, ends: Ends) -> str:
    """How much of a log lies between two places."""
    octets = numbered(stop - start, "byte")
    records = sum(data.count(b"\n") for data in _pieces(file, start, stop)) if ends else 0
    return f"{numbered(records, 'record')} ({octets})" if records else octets


def _pieces(file: int, start: int, stop: int) -> Iterator[bytes]:
    while data := os.pread(file, min(PIECE, stop - start), start):
        start += len(data)
        yield data


FOLDER = receipts.FOLDER / "unsettled"


def note(outputs: Sequence[str], root: Path, *, settled: bool) -> None:
    """Leave for the next run whether results that were made together are to be made again."""
    place = root / FOLDER / receipts.name(outputs[0])
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
