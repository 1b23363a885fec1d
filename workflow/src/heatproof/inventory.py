"""What there is to read: source → shard → digest of its logs, looked up once a run.

Jobs on a cluster parse the Snakefile again. They take over what the run that sent them found: no
scan, and no shard that is new to a job because a log arrived in the meantime.
"""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from heatproof.errors import Error
from heatproof.reading import logs
from heatproof.swap import swap

if TYPE_CHECKING:
    from collections.abc import Iterable

    from heatproof import hashed
    from heatproof.config import Source

FOUND = Path(".snakemake/heatproof/found.json")


class Found(msgspec.Struct):
    """The logs of a source."""

    shards: dict[str, str]
    """Shard → digest of its logs."""
    size: int = 0
    """Bytes of all logs; of those that a rule reconstructs, 0."""


def look(sources: Iterable[Source], root: Path, index: hashed.Index) -> dict[str, Found]:
    """Find the logs of all sources; known by what the index says of them.

    A source that a rule reconstructs has one shard, known by the table of printed digits.

    Raises:
        Error: one line for each pattern or file that is not there.
    """
    found: dict[str, Found] = {}
    problems = []
    for source in sources:
        try:
            found[source.name] = _found(source, root, index)
        except Error as error:
            problems.append(str(error))
    if problems:
        raise Error("\n".join(problems))
    return found


def _found(source: Source, root: Path, index: hashed.Index) -> Found:
    if source.reconstruct:
        if not (root / source.reconstruct).is_file():
            place = f"config.yaml: sources.{source.name}.reconstruct"
            raise Error(f"{place}: no file {source.reconstruct!r}")
        printed = index.digests([source.reconstruct], root)[source.reconstruct]
        return Found(dict.fromkeys(logs.shards(source, 1), printed))
    dealt = logs.dealt(source, root)
    read = {shard: logs.with_sidecars(source, mine, root) for shard, mine in dealt.items()}
    shards = {
        shard: logs.manifest(index.digests(files, root)) for shard, files in read.items() if files
    }
    return Found(shards, index.size(chain.from_iterable(dealt.values())))


def save(found: dict[str, Found], path: Path) -> None:
    """Write what was found, if that is new."""
    data = msgspec.json.encode(found)
    if path.is_file() and path.read_bytes() == data:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    with swap(path) as part:
        part.write_bytes(data)


def load(path: Path, sources: Iterable[Source]) -> dict[str, Found] | None:
    """What the run found, if it was about all these sources."""
    try:
        found = msgspec.json.decode(path.read_bytes(), type=dict[str, Found])
    except (OSError, msgspec.DecodeError):
        return None
    return found if all(source.name in found for source in sources) else None
