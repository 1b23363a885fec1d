"""Heads of a few logs, read before any job: does the config fit them at all?

They are read by the very readers, and judged as whole sources are (`samples.systematic`). Where
something in them was refused, it is looked at more closely: small sources whole, so that the word
is the one that the jobs would have; of large ones more of each log. Of those it is told what no
further record would mend: all that was looked at is refused for one kind of reason, scores lie
above the scale, or a choice is open that a reader needs. All else is left to the jobs.
"""

from __future__ import annotations

import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from heatproof import readers
from heatproof.logs.raw import SUMMED
from heatproof.logs.refusals import is_unended
from heatproof.samples import counting, faulty_keys, normalize, systematic
from heatproof.util import hashed, registry
from heatproof.util.errors import Error
from heatproof.util.hashed import Extent
from heatproof.util.lazy import polars as pl
from heatproof.util.numerals import numbered

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from heatproof.config.entries import Source
    from heatproof.samples.shard_index import Losses

HEAD = 64 << 10
"""Bytes of a long log that are looked at."""
PACKED = 4
"""Times as many of a packed one: of what is unpacked the last piece is lost, for it has no end."""
DOCUMENT = 1 << 20
"""Bytes of a log that is read whole if at all, as documents and archives are."""
CLOSER = 2 << 20
"""Bytes that are looked at where something is amiss: at most, a second or two."""
MANY = 1000
"""Logs that are looked at, at most, where something is amiss."""


UNSEEN = "; where the others differ, refused: 0.9 has all be read and judged"
"""How to go on where too few were looked at: a share that is accepted is one of all records."""


class Looked(NamedTuple):
    """What was seen."""

    problems: list[str]
    """What is wrong with the source, a line each."""
    samples: pl.DataFrame | None
    """Some of its samples; none if something is wrong."""
    whole: bool = False
    """Whether these are all that there are."""


def look(
    source: Source,
    chosen: Sequence[str],
    shards: Sequence[Sequence[str]],
    files: Mapping[str, Extent],
    root: Path,
    *,
    closely: bool = False,
) -> Looked:
    """Look at some logs of a source.

    Args:
        source: its entry.
        chosen: the logs to be looked at first.
        shards: the logs of each.
        files: what there is of each log and sidecar.
        root: the project.
        closely: at all of a small source, though nothing be amiss.
    """
    return _Heads(source.without_libraries(), chosen, shards, files, root).looked(closely=closely)


class _Read(NamedTuple):
    """What became of some logs."""

    problems: list[str]
    losses: list[Losses]
    samples: pl.DataFrame
    """Of the first shard, for some shards are enough to look at."""

    def refused(self) -> bool:
        return any(one.refused for one in self.losses)


class _Heads:
    """Looks at a source, at first from afar."""

    def __init__(
        self,
        source: Source,
        chosen: Sequence[str],
        shards: Sequence[Sequence[str]],
        files: Mapping[str, Extent],
        root: Path,
    ) -> None:
        self.source, self.chosen, self.shards = source, chosen, shards
        self.files, self.root = files, root
        self.logs = sorted(path for shard in shards for path in shard)
        self.plain = msgspec.to_builtins(source)

    def looked(self, *, closely: bool) -> Looked:
        try:
            first = None if closely else self._read([self.chosen], HEAD)
            if first and not first.refused():
                return Looked([], first.samples)
        except Error:  # a choice is open; in the head of a log not all may be seen that there is
            pass
        try:
            return self.closer()
        except Error as error:
            return Looked(str(error).splitlines(), None)

    def closer(self) -> Looked:
        """Raises Error: a choice is open."""
        if len(self.logs) <= MANY and self._size(self.logs) <= CLOSER:
            found = self._read(self.shards, CLOSER)
            return Looked(found.problems, None if found.problems else found.samples, whole=True)
        each = CLOSER // max(1, len(self.chosen))
        try:
            found = self._read([self.chosen], each)
        except Error:
            if self._size(self.chosen) <= CLOSER:
                raise
            return Looked([], None)
        problems = self._certain(found, each)
        return Looked(problems, None if problems else found.samples)

    def _size(self, paths: Iterable[str]) -> int:
        return sum(self.files[path].size for path in paths)

    def _certain(self, found: _Read, each: int) -> list[str]:
        """What no further record would mend; the share that it is of the source is not known."""
        refused = [one for losses in found.losses for one in losses.refused]
        cut = {path for path in self.chosen if self.files[path].size > each}
        kinds = {one.kind for one in refused if not is_unended(one.reason)}
        none = not len(found.samples) and len(kinds) == 1
        none &= not any(one.whole and one.log in cut and not _of_path(one.kind) for one in refused)
        above = [kind for kind in kinds if kind.startswith(systematic.ABOVE)]
        if self.source.refused is not None or not (none or above):
            return []
        seen = f"; told by the heads of {len(self.chosen):,} of {numbered(len(self.logs), 'log')}"
        seen += UNSEEN
        told = (line.partition(systematic.WAY_ON)[0] + seen for line in found.problems)
        return [line for line in told if none or "scores lie above" in line]

    def _read(self, shards: Sequence[Sequence[str]], most: int) -> _Read:
        """Read logs, of each as much as is wanted.

        Raises:
            Error: a choice is open.
        """
        read = registry.find(readers, self.source.format, "format", "log format").read
        losses, counts, kept = [], [], []
        with tempfile.TemporaryDirectory(prefix="heatproof-") as folder:
            for number, logs in enumerate(shards):
                noted = self._noted(logs, most)
                mine = [path for path in logs if path in noted]
                place = Path(folder) / f"{number:04d}"
                samples, path = place / "samples.parquet", place / "counts.parquet"
                place.mkdir()
                rejected = place / "rejected.parquet"
                told = normalize.write(
                    mine, self.root, self.source, read, samples, rejected, noted=noted
                )
                index = counting.index_logs(samples, told)
                counting.write_counts(samples, path, index, told.declared)
                losses.append(index.losses)
                counts.append(path)
                kept.append(pl.read_parquet(samples))
            problems = systematic.problems(self.plain, counts, self.source.refused)
        return _Read(problems, losses, pl.concat(kept))

    def _noted(self, logs: Iterable[str], most: int) -> dict[str, Extent]:
        """What is read of each log; those left out that cannot be read in part."""
        found: dict[str, Extent] = {}
        for path in logs:
            whole = self.files[path]
            if whole.size <= max(most, DOCUMENT if most < DOCUMENT else 0):
                found[path] = whole
            elif self.source.ends(path):
                found[path] = _head(self.root / path, most)
            elif path.endswith(SUMMED):
                found[path] = _head(self.root / path, PACKED * most)
        beside = {one for path in found for one in self.source.sidecars(path, self.root)}
        return found | {one: self.files[one] for one in sorted(beside) if one in self.files}


def _of_path(kind: str) -> bool:
    return kind.startswith(faulty_keys.NO_MATCH)


def _head(path: Path, size: int) -> Extent:
    """The first bytes of a log; nothing of one that is gone."""
    with suppress(OSError), open(path, "rb", buffering=0) as file:
        return hashed.extent(file.fileno(), size)
    return Extent("", 0)
