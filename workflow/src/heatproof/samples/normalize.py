"""normalize: logs → samples table and rejected table; every record ends in one of the two."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import msgspec

from heatproof.config import roles
from heatproof.formats.api import Batch, Declared, Log, Passed, Place, Reject, completed
from heatproof.formats.lines import line_by_line
from heatproof.logs import streams
from heatproof.logs.raw import LFS
from heatproof.logs.refusals import Grouping, is_unended
from heatproof.samples import parquet, tables
from heatproof.samples.declared import Lost
from heatproof.samples.outcome import FIRST, Outcome, Summary, manifest_text, require_clean
from heatproof.samples.rows import Repeats, Settings, rejected, rows_of
from heatproof.samples.sorting import Sorter
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    from heatproof.config.entries import Source
    from heatproof.samples.rows import Part, Refused
    from heatproof.util.hashed import Extent

    Read = Callable[[Log, Any], Iterator[Batch | Reject | Declared | Passed]]

__all__ = ["manifest_text", "normalize", "require_clean", "write"]

UNREAD = "", 0
"""Digest and size of a file that could not be read, or of which nothing was to be read yet."""
ROWS = 1 << 15
"""Rows gathered as Python lists before they become a frame: bounds the memory of long logs."""

TOLD = ["log", "line", "length", "reason", "settings"]
"""Columns of a rejected table by which its rows are counted."""


class Normalized(Outcome, kw_only=True):
    """The outcome with its tables, in memory."""

    samples: pl.DataFrame
    rejected: pl.DataFrame


def write(
    paths: Iterable[str],
    root: Path,
    entry: Source,
    read: Read,
    samples: Path,
    rejected: Path,
    progress: Callable[[str], None] = lambda _: None,
    noted: Mapping[str, Extent] | None = None,
) -> Outcome:
    """Read the logs at `paths` (relative to `root`) with a reader's `read`; write their tables.

    Memory does not grow with the logs: rows wait on disk, beside the tables, to be sorted.
    `progress` is called with each log's path before it is read. `noted`: of each file that is
    read, logs and sidecars, how much; all there is if it is not given.
    """
    tables.remove_abandoned(samples.parent)
    reading = Reading(root, entry, samples.parent)
    reading.all(paths, read, progress, noted)
    kinds = parquet.schema(reading.kinds)
    parquet.write(reading.samples(), kinds, samples, together=tables.SAMPLE)
    parquet.write(reading.rejected(), parquet.schema(tables.REJECTED), rejected)
    return reading.outcome(tables.scan([samples]))


def normalize(
    paths: Iterable[str],
    root: Path,
    entry: Source,
    read: Read,
    progress: Callable[[str], None] = lambda _: None,
    noted: Mapping[str, Extent] | None = None,
) -> Normalized:
    """As `write`, but with the tables in memory."""
    reading = Reading(root, entry, None)
    reading.all(paths, read, progress, noted)
    kept = pl.concat(
        [pl.DataFrame(schema=tables.samples_schema(entry.columns())), *reading.samples()]
    )
    lost = pl.concat([pl.DataFrame(schema=tables.rejected_schema()), *reading.rejected()])
    told = msgspec.structs.asdict(reading.outcome(kept.lazy()))
    return Normalized(**told, samples=kept, rejected=lost)


class Reading:
    """Logs on their way to rows and rejects, and what else is to be known of each."""

    def __init__(self, root: Path, entry: Source, folder: Path | None) -> None:
        """`folder`: below which rows wait that are too many for the memory."""
        columns = entry.columns()
        self.root, self.entry, self._folder = root, entry, folder
        self.kinds = tables.samples_kinds(columns)
        self._settings = Settings(["model", "task", *columns.params])
        self._told = [*self._settings.names, "score"]
        self._defaults = columns.defaults
        self._samples = Sorter(roles.KEY, folder)
        self._rejected = Sorter(tables.ORDER, folder)
        self._found: list[Part] = []
        self._refused: list[Refused] = []
        self._rows = 0
        self._spoiled: set[str] = set()
        """Logs of which no row can be taken."""
        self._left = False
        """Whether of a log that others write to the end was left for the next run."""
        self._digests: dict[str, tuple[str, int]] = {}
        self._beside: dict[str, tuple[str, int]] = {}
        self._read_with: dict[str, list[str]] = {}
        self._declared: dict[str, list[Declared]] = {}
        kinds = {name: self.kinds[name] for name in self._settings.names}
        self._asked = Lost(kinds, columns.defaults, getattr(entry, "versus", ""))
        self._kept, self._lost, self._passed = Counter[str](), Counter[str](), Counter[str]()
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
        for path in sorted(paths):
            progress(path)
            try:
                self._read(Log(path, self.root, self.entry, noted), read)
            except streams.Unreadable as error:
                self._take(path, Reject(Place(1, 0, 0), str(error), kind=error.kind, whole=True))
                self._digests[path] = UNREAD
        self._flush()
        read_or_not = {*self._digests, *self._beside}
        self._beside |= {path: UNREAD for path in noted or () if path not in read_or_not}

    def _read(self, log: Log, read: Read) -> None:
        if log.file.unbegun():
            self._digests[log.path] = UNREAD
            log.close()
            return
        pointer = (
            [Reject(Place(1, 0, 0), LFS, kind="damage", whole=True)] if log.file.pointer() else None
        )
        some, unended = False, []
        for part in line_by_line(log, pointer or read(log, self.entry)):
            if isinstance(part, Reject) and is_unended(part.reason):
                unended.append(part)
                continue
            some |= not isinstance(part, Declared | Passed)
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

    def _take(self, path: str, part: Batch | Reject | Declared | Passed) -> None:
        if isinstance(part, Declared):
            self._declared.setdefault(path, []).append(part)
        elif isinstance(part, Passed):
            self._passed[path] += part.count
        elif isinstance(part, Reject):
            self._refused.append((path, part))
            self._asked.add(path, part)
            if part.spoils:
                self._spoiled.add(path)
        elif count := len(part.places):
            part = completed(part, self._defaults)
            self._found.append((path, part))
            self._settings.add(path, part)
            self._rows += count
        if self._rows >= ROWS or len(self._refused) >= ROWS:
            self._flush()

    def _flush(self) -> None:
        """Make frames of what was gathered."""
        if self._found:
            rows, misfits = rows_of(self._found, self.kinds)
            self._samples.add(rows)
            self._refused += misfits
            for path, misfit in misfits:
                self._asked.add(path, misfit)
        self._found, self._rows = [], 0
        self._refuse(self._refused)
        self._refused = []

    def _refuse(self, refused: list[Refused]) -> None:
        if refused:
            self._rejected.add(rejected(refused, self._told))

    def samples(self) -> Iterator[pl.DataFrame]:
        """The rows, sorted by their key, each key once: what repeats it is refused."""
        repeats = Repeats(self.root, self.entry.repeated())
        for piece in self._named().pieces():
            taken = piece.filter(~pl.col("log").is_in(self._spoiled)) if self._spoiled else piece
            if len(taken):
                rows, again = repeats.split(taken)
                self._refuse(again)
                if getattr(self.entry, "aggregates", None):
                    self._contradicted(again)
                _count(rows, self._kept)
                yield rows

    def _contradicted(self, again: list[Refused]) -> None:
        """Other numbers that were printed of a run: of these it lacks what was refused."""
        for path, refused in again:
            told = {name: refused.told[name] for name in ("run", *self._settings.names)}
            self._asked.add(path, msgspec.structs.replace(refused, told=told))

    def _named(self) -> Sorter:
        """The rows; sorted once more if it turned out that a log holds several runs."""
        if not self._settings.several():
            return self._samples
        named = Sorter(roles.KEY, self._folder)
        for piece in self._samples.pieces():
            named.add(self._settings.named(piece))
        return named

    def rejected(self) -> Iterator[pl.DataFrame]:
        """The rejects in the order of the logs; to be asked for after all samples."""
        for piece in self._rejected.pieces():
            _count(piece, self._lost)
            for row in piece.select(TOLD).iter_rows(named=True):
                self._grouping.add(row)
                if len(self._first) < FIRST:
                    self._first.append("{log}:{line}: {reason}".format_map(row))
            yield piece

    def outcome(self, samples: pl.LazyFrame) -> Outcome:
        """To be asked for after all samples and rejects; `samples`: all of them."""
        files = sorted((self._beside | self._digests).items())
        kept, lost, left = self._kept, self._lost, self._passed
        manifest = [
            Summary(
                log,
                digest,
                size,
                kept[log] + lost[log] + left[log],
                kept[log],
                lost[log],
                left[log],
            )
            for log, (digest, size) in files
        ]
        told = self._first, self._read_with, self._meant(samples), self._grouping.all()
        return Outcome(manifest, *told, self._left)

    def _meant(self, samples: pl.LazyFrame) -> dict[str, list[Declared]]:
        """What logs declare; what those without a row do not tell is what it is by default."""
        lost = self._asked.declared(samples)
        return {
            log: [
                *(one if self._kept[log] else one.completed(self._defaults)
                  for one in self._declared.get(log, [])),
                *lost.get(log, []),
            ]
            for log in sorted(self._declared.keys() | lost.keys())
        }  # fmt: skip


def _count(rows: pl.DataFrame, counts: Counter[str]) -> None:
    """Add up the rows of each log."""
    counts.update(dict(rows["log"].value_counts().iter_rows()))
