"""Rows and rejects on their way from the logs to the tables, in bounded memory."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from heatproof.config import roles
from heatproof.logs import streams
from heatproof.logs.pools import ahead
from heatproof.logs.raw import LFS
from heatproof.logs.refusals import Grouping, is_unended
from heatproof.readers.api import Batch, Declared, Log, Place, Reject, completed
from heatproof.samples import tables
from heatproof.samples.lost import Lost
from heatproof.samples.outcome import FIRST, Outcome, Summary
from heatproof.samples.parquet import groups
from heatproof.samples.repeats import Repeats, Settings
from heatproof.samples.rows import Rows, rejected
from heatproof.samples.sorting import Sorter
from heatproof.samples.straight import Straight
from heatproof.samples.values import schema

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    import pyarrow as pa

    from heatproof.config.entries import Source
    from heatproof.samples.rows import Found, Refused
    from heatproof.util.hashed import Extent

    Read = Callable[[Log, Any], Iterator[Batch | Reject | Declared]]

UNREAD = "", 0
"""Digest and size of a file that could not be read, or of which nothing was to be read yet."""
ROWS = 1 << 15
"""Rows gathered as Python lists before they become a table: bounds the memory of long logs."""

TOLD = ["log", "line", "length", "reason", "settings"]
"""Columns of a rejected table by which its rows are counted."""


class Gathering:
    """Rows and rejects on their way from the logs to the tables."""

    def __init__(self, root: Path, entry: Source, path: Path | None) -> None:
        """`path`: of the samples table; None if it is not to be written."""
        columns = entry.columns()
        self.root, self.entry = root, entry
        self.kinds = tables.samples_kinds(columns)
        self._settings = Settings(["model", "task", *columns.params])
        self._told = [*self._settings.names, "score"]
        self._defaults = columns.defaults
        self._path, self._folder = path, path and path.parent
        folder = self._folder
        self._straight = Straight(path, schema(self.kinds)) if path else None
        self._samples = Sorter(roles.KEY, folder)
        self._long = Sorter(roles.KEY, folder)
        """Rows of the log that is being read, where they are many."""
        self._rejected = Sorter(tables.ORDER, folder)
        self._found: list[Found] = []
        self._refused: list[Refused] = []
        self._rows = 0
        self._spoiled = False
        """Whether nothing of the log that is being read can be taken."""
        self._left = False
        """Whether of a log that others write to the end was left for the next run."""
        self._digests: dict[str, tuple[str, int]] = {}
        self._beside: dict[str, tuple[str, int]] = {}
        self._read_with: dict[str, list[str]] = {}
        self._declared: dict[str, list[Declared]] = {}
        self._asked = Lost(["model", "task", *columns.params], columns.defaults)
        self._kept, self._lost = Counter[str](), Counter[str]()
        self._first: list[str] = []
        self._grouping = Grouping()

    def all(
        self,
        paths: Iterable[str],
        read: Read,
        progress: Callable[[str], None],
        noted: Mapping[str, Extent] | None,
    ) -> None:
        """Read the logs, as far as they were `noted`."""
        places = ((path, f"{self.root}/{path}") for path in sorted(paths))
        for path, held in ahead(places, noted):
            progress(path)
            try:
                self._read(Log(path, self.root, self.entry, held, noted), read)
            except streams.Unreadable as error:
                self._take(path, Reject(Place(1, 0, 0), str(error)))
                self._digests[path] = UNREAD
            self._ended(path)
        self._flush()
        read_or_not = {*self._digests, *self._beside}
        self._beside |= {path: UNREAD for path in noted or () if path not in read_or_not}

    def _read(self, log: Log, read: Read) -> None:
        if log.unbegun():
            self._digests[log.path] = UNREAD
            log.close()
            return
        pointer = [Reject(Place(1, 0, 0), LFS)] if log.pointer() else None
        some, unended = False, []
        for part in pointer or read(log, self.entry):
            if isinstance(part, Reject) and is_unended(part.reason):
                unended.append(part)
                continue
            some |= not isinstance(part, Declared)
            self._take(log.path, part)
        self._digests[log.path] = log.known()
        if unended and log.changed():
            self._left = True
            self._digests[log.path] = log.known() if some else UNREAD
        else:
            for part in unended:
                self._take(log.path, part)
        log.close()
        self._sidecars(log.path, log)

    def _sidecars(self, path: str, log: Log) -> None:
        """Keep the digests of sidecars, those included that the reader had no need to open."""
        named = [one for one in self.entry.sidecars(path, self.root) if log.was_there(one)]
        if not named and not log.sidecars:
            return
        self._beside |= log.sidecars
        self._read_with[path] = sorted({*log.sidecars, *named})
        for beside in named:
            if beside not in self._beside:
                self._beside[beside] = log.known_beside(beside)

    def _take(self, path: str, part: Batch | Reject | Declared) -> None:
        if isinstance(part, Declared):
            self._declared.setdefault(path, []).append(part)
        elif isinstance(part, Reject):
            self._refused.append((path, part))
            self._spoiled |= part.spoils
            self._asked.add(path, part)
        elif count := len(part.places):
            part = completed(part, self._defaults)
            self._found.append((path, part))
            self._settings.add(path, part)
            self._rows += count
        if self._rows >= ROWS or len(self._refused) >= ROWS:
            self._flush(path)

    def _flush(self, reading: str = "") -> None:
        """Make a table of what was gathered, but for the log that one is `reading`, if others are.

        Cut anywhere else than where logs end, rows would seldom come in order.
        """
        whole = [found for found in self._found if found[0] != reading]
        begun = self._found[len(whole) :]
        if whole:
            self._add(self._table(whole))
        elif begun:
            self._long.add(self._table(begun))
        self._found = begun if whole else []
        self._rows = sum(len(part.places) for _, part in self._found)
        self._refuse(self._refused)
        self._refused = []

    def _table(self, found: list[Found]) -> pa.Table:
        table, misfits = Rows(found, self.kinds).table()
        self._refused += misfits
        return table

    def _ended(self, path: str) -> None:
        """A log is read: of a long one now all rows are known, of a spoiled one that none count."""
        if self._spoiled:
            self._forget(path)
        if not self._long:
            return
        self._flush(path)
        for piece in self._long.pieces():
            self._add(piece)
        self._long = Sorter(roles.KEY, self._folder)

    def _forget(self, path: str) -> None:
        """Drop the rows of the log that is being read."""
        self._found = [found for found in self._found if found[0] != path]
        self._rows = sum(len(part.places) for _, part in self._found)
        self._long.drop()
        self._long, self._spoiled = Sorter(roles.KEY, self._folder), False

    def _add(self, rows: pa.Table) -> None:
        if self._straight and self._straight.take(rows):
            _count(rows, self._kept)
            return
        self._turn()
        self._samples.add(rows)

    def _turn(self) -> None:
        """Rows turned out not to come in order: sort them, with those already written."""
        if self._straight:
            for piece in self._straight.back():
                self._samples.add(piece)
        self._straight = None
        self._kept.clear()

    def finished(self) -> bool:
        """Complete the table if all rows went straight into it."""
        if self._settings.several():
            self._turn()
        if self._straight:
            self._straight.finish()
        return self._straight is not None

    def _refuse(self, refused: list[Refused]) -> None:
        if refused:
            self._rejected.add(rejected(refused, tables.REJECTED, self._told))

    def samples(self) -> Iterator[pa.Table]:
        """The rows, sorted by their key, each key once: what repeats it is refused."""
        repeats = Repeats(self.root, self.entry.repeated())
        for piece in self._named().pieces():
            rows, again = repeats.split(piece)
            self._refuse(again)
            _count(rows, self._kept)
            yield rows

    def _named(self) -> Sorter:
        """The rows; sorted once more if it turned out that a log holds several runs."""
        if not self._settings.several():
            return self._samples
        named = Sorter(roles.KEY, self._folder)
        for piece in groups(self._samples.pieces(), ROWS):
            named.add(self._settings.name(piece))
        return named

    def rejected(self) -> Iterator[pa.Table]:
        """The rejects in the order of the logs; to be asked for after all samples."""
        for piece in self._rejected.pieces():
            _count(piece, self._lost)
            for row in piece.select(TOLD).to_pylist():
                self._grouping.add(row)
                if len(self._first) < FIRST:
                    self._first.append("{log}:{line}: {reason}".format_map(row))
            yield piece

    def outcome(self) -> Outcome:
        """To be asked for after all samples and rejects."""
        files = sorted((self._beside | self._digests).items())
        kept, lost = self._kept, self._lost
        manifest = [
            Summary(log, digest, size, kept[log] + lost[log], kept[log], lost[log])
            for log, (digest, size) in files
        ]
        told = self._first, self._read_with, self._meant(), self._grouping.all()
        return Outcome(manifest, *told, self._left)

    def _meant(self) -> dict[str, list[Declared]]:
        """What logs declare; what those without a row do not tell is what it is by default."""
        lost = self._asked.declared(self._path)
        return {
            log: [
                *(one if self._kept[log] else one.completed(self._defaults)
                  for one in self._declared.get(log, [])),
                *lost.get(log, []),
            ]
            for log in sorted(self._declared.keys() | lost.keys())
        }  # fmt: skip


def _count(rows: pa.Table, counts: Counter[str]) -> None:
    for part in rows["log"].chunks:
        found = np.bincount(np.from_dlpack(part.indices), minlength=len(part.dictionary))
        for log, count in zip(part.dictionary.to_pylist(), found.tolist(), strict=True):
            if count:
                counts[log] += count
