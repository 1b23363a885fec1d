"""What there is to read: source → shard → digest of its logs, looked up once a run.

Jobs on a cluster parse the Snakefile again. They take over what the run that sent them found: no
scan, and no shard that is new to a job because a log arrived in the meantime.

Logs that rules of another workflow make need not be there while a run is planned. They are known by
their paths then, and by content only to the job that reads them.
"""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from heatproof.config import roots
from heatproof.logs import logs
from heatproof.util import hashed
from heatproof.util.atomic_write import swap
from heatproof.util.errors import Error
from heatproof.util.hashed import Extent  # noqa: TC001  msgspec reads it

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from heatproof.config.entries import Source

FOUND = Path(".snakemake/heatproof/found.json")
NOTED = Path(".snakemake/heatproof/noted")
"""What each shard is read from, under the digest of it: whoever looks meanwhile changes nothing."""
MADE = "made-"
"""Begins what stands for the digest of a shard with logs that other rules make."""
MADE_INDEX = Path(".snakemake/heatproof/made.json")
KEPT = 86_400.0
"""Seconds for which a note is kept that is not of this run: another may be at work by it."""


class Noted(msgspec.Struct):
    """What a shard is read from: as much as there was of each file when the run began."""

    logs: list[str]
    files: dict[str, Extent]
    """Path → extent, of logs and sidecars, but for what other rules make."""

    @property
    def digest(self) -> str:
        """By what the shard is known."""
        return logs.manifest({path: one.digest for path, one in self.files.items()})


class Found(msgspec.Struct, omit_defaults=True):
    """The logs of a source."""

    shards: dict[str, str]
    """Shard → digest of its logs."""
    size: int = 0
    """Bytes of all logs."""
    noted: dict[str, Noted] = {}
    """Shard → what it is read from; kept apart, see `noted`."""
    compared: bool = False
    """Whether a harness printed numbers of them, or may have, that are to be compared."""
    printed: dict[str, str] = {}
    """Path → digest of files in which it did, but for logs and sidecars."""


def look(
    sources: Iterable[Source],
    root: Path,
    index: hashed.Index,
    folders: Mapping[str, str] | None = None,
    *,
    upstream: bool = False,
) -> dict[str, Found]:
    """Find the logs of all sources; known by what the index says of them.

    `folders`: the `roots` of the config, out of which links must not lead; None where the run has
    seen to that. `upstream`: logs that are named in full may be made by other rules, and are known
    by that.

    Raises:
        Error: one line for each pattern or file that is not there.
    """
    found: dict[str, Found] = {}
    problems = []
    for source in sources:
        try:
            made = logs.in_full(source.logs) if upstream else []
            found[source.name] = _found(source, root, index, folders, made)
        except Error as error:
            problems.append(str(error))
    if problems:
        raise Error("\n".join(problems))
    return found


def _found(
    source: Source,
    root: Path,
    index: hashed.Index,
    folders: Mapping[str, str] | None,
    made: Sequence[str],
) -> Found:
    links: set[str] = set()
    paths = logs.find(source, root, made, links)
    if links and folders is not None and (said := roots.leading_out(links, folders, root)):
        raise Error(f"config.yaml: sources.{source.name}.logs: {said}")
    with_it = {path: source.sidecars(path, root) for path in paths if path not in made}
    there = index.extents({*with_it, *(file for files in with_it.values() for file in files)}, root)
    # Some went while the others were looked at.
    paths = [path for path in paths if path in there or path in made]
    # How many shards there are must not hang on what has been made by now.
    size = 0 if made else sum(there[path].size for path in paths)
    noted = {
        shard: Noted(mine, _of(there, {*mine, *(f for one in mine for f in with_it.get(one, ()))}))
        for shard, mine in logs.deal(paths, logs.shards(source, len(paths), size)).items()
        if mine
    }
    digests = {shard: _known_by(one, made) for shard, one in noted.items()}
    told = _printed_in(source, (path for one in noted.values() for path in one.logs), root)
    beside = told.difference(*(one.files for one in noted.values()))
    extents = index.extents(sorted(beside), root)
    compared = {path: one.digest for path, one in extents.items()}
    return Found(digests, size, noted, bool(told), compared)


def _known_by(noted: Noted, made: Sequence[str]) -> str:
    """The digest of a shard, or what stands for it: of its logs that others make, the paths."""
    later = [path for path in noted.logs if path in made]
    if not later:
        return noted.digest
    known = {path: one.digest for path, one in noted.files.items()}
    return MADE + logs.manifest(known | dict.fromkeys(later, ""))


def is_made(digest: str) -> bool:
    """Whether a shard has logs that other rules make."""
    return digest.startswith(MADE)


def with_made(noted: Noted, source: Source, root: Path) -> Noted:
    """What a shard is read from, with its logs that other rules have made by now.

    Raises:
        Error: one of them is not there.
    """
    later = [path for path in noted.logs if path not in noted.files]
    there = hashed.Index(root / MADE_INDEX).extents(logs.with_sidecars(source, later, root), root)
    if gone := [path for path in later if path not in there]:
        raise Error(f"config.yaml: sources.{source.name}.logs: {gone[0]} is not there")
    return Noted(noted.logs, dict(sorted((noted.files | there).items())))


def _printed_in(source: Source, paths: Iterable[str], root: Path) -> set[str]:
    if not source.compare_printed:
        return set()
    return {file for path in paths for file in source.printed_in(path, root)}


def _of(there: Mapping[str, Extent], paths: Iterable[str]) -> dict[str, Extent]:
    """Those of the extents that are of the paths, in the order of these."""
    return {path: there[path] for path in sorted(paths) if path in there}


def save(found: dict[str, Found], root: Path) -> None:
    """Write what was found, as far as it is new."""
    told = {name: msgspec.structs.replace(one, noted={}) for name, one in found.items()}
    data = msgspec.json.encode(told)
    if not (root / FOUND).is_file() or (root / FOUND).read_bytes() != data:
        _write(root / FOUND, data)
    notes = {
        root / NOTED / one.shards[shard]: note
        for one in found.values()
        for shard, note in one.noted.items()
    }
    new = [path for path in notes if not path.is_file()]
    for path in new:
        _write(path, msgspec.json.encode(notes[path]))
    if new:
        _clear(root / NOTED, set(notes))


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with swap(path) as part:
        part.write_bytes(data)


def _clear(folder: Path, used: set[Path]) -> None:
    """Remove notes of runs that are long over."""
    old = time.time() - KEPT
    for path in set(folder.iterdir()) - used:
        with suppress(FileNotFoundError):
            if path.stat().st_mtime < old:
                path.unlink()


def noted(digest: str, root: Path) -> Noted:
    """What a shard of this digest is read from, as the run noted that sent this job.

    Raises:
        Error: the note is gone.
    """
    try:
        return msgspec.json.decode((root / NOTED / digest).read_bytes(), type=Noted)
    except (OSError, msgspec.DecodeError) as error:
        said = f"{NOTED / digest}: no note of the logs to read: run snakemake again"
        raise Error(said) from error


def load(path: Path, sources: Iterable[Source]) -> dict[str, Found] | None:
    """What the run found, if it was about all these sources."""
    try:
        found = msgspec.json.decode(path.read_bytes(), type=dict[str, Found])
    except (OSError, msgspec.DecodeError):
        return None
    return found if all(source.name in found for source in sources) else None
