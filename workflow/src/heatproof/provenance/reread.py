"""The logs behind a figure as they are now: hashed, and their records read again by the reader."""

from __future__ import annotations

import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from heatproof import formats
from heatproof.config import paths, roles
from heatproof.samples import normalize, tables
from heatproof.util import hashed, registry
from heatproof.util.errors import Error
from heatproof.util.hashed import Extent
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from heatproof.config.entries import Source
    from heatproof.samples.shard_index import Log


class Again(NamedTuple):
    """The samples of a figure, those of some logs read again."""

    samples: pl.LazyFrame
    changed: list[str]
    """Logs and sidecars that are not as they were when the figure was made, in words."""
    grown: list[str]
    """Those that are, but for what was added: they were read as far as they were."""
    unread: dict[str, str]
    """Logs that could not be read: path → why. Their samples are as the tables have them."""


def source_of(record: Mapping[str, Any]) -> Source:
    """The entry of a source as a record tells it.

    Raises:
        Error: it is none that this library knows.
    """
    place = "the record's source"
    reader = registry.find(formats, str(record.get("format")), place, "log format")
    try:
        entry: Source = msgspec.convert(record, reader.Entry)
    except msgspec.ValidationError as error:
        raise Error(f"{place} is no entry of this version: {error}") from None
    return entry


def now(path: str, root: Path) -> str:
    """BLAKE3 of a log as it is; or, in words, why there is none."""
    if what := hashed.other(root / path):
        return what
    try:
        return hashed.of_log(root / path)
    except OSError as error:
        return f"not to be read: {error.strerror or error}"


def differing(then: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    """Logs that are not as they were, in words, by their digests `then` and `now`."""
    lines = []
    for path in sorted(then.keys() | now.keys()):
        old, new = then.get(path, ""), now.get(path, hashed.ABSENT)
        if not is_digest(new):
            lines.append(f"{path} is {new}")
        elif not old:
            lines.append(f"{path} is new: it was not there when the figure was made")
        elif old != new:
            digests = f"blake3 {new[:12]}…, {old[:12]}… then"
            lines.append(f"{path} changed since the figure was made ({digests})")
    return lines


def is_digest(text: str) -> bool:
    """Whether this is a digest, and not words that say why there is none."""
    return len(text) == 64 and " " not in text


def beside(source: Source, logs: Mapping[str, Log], root: Path) -> dict[str, str]:
    """Path → BLAKE3 of now, or why there is none: of logs, and of what they would be read with."""
    files = {*logs, *(path for log in logs.values() for path in log.beside)}
    for path in logs:
        files.update(source.sidecars(path, root))
    return {path: now(path, root) for path in sorted(files)}


@contextmanager
def again(
    shards: Mapping[str, Mapping[str, Log]], chosen: Collection[str], source: Source, root: Path
) -> Iterator[Again]:
    """The samples of tables, those of the `chosen` logs read again; gone when the context ends.

    `shards`: samples table → the logs in it, and what they were when the figure was made.
    """
    logs = {path: log for listed in shards.values() for path, log in listed.items()
            if path in chosen}  # fmt: skip
    then = {path: digest for log in logs.values() for path, digest in log.beside.items()}
    then |= {path: log.blake3 for path, log in logs.items()}
    complete = beside(source, logs, root)
    read = dict(complete)
    unread = {path: read[path] for path in logs if not is_digest(read[path])}
    with tempfile.TemporaryDirectory(prefix="heatproof-") as name:
        frames = []
        for number, (table, listed) in enumerate(shards.items()):
            anew = Path(name) / f"{number}.parquet"
            part = {path: log for path, log in listed.items()
                    if path in logs and path not in unread}  # fmt: skip
            digests, failed = _read(part, source, root, anew, _extents(table, root))
            read |= digests | failed
            unread |= failed
            good = [path for path in part if path not in failed]
            left = tables.scan([root / table]).filter(~pl.col("log").is_in(good))
            frames += [left, *([_without_repeats(anew, left)] if good else [])]
        grown = [
            f"{path} has grown since the figure was made: it was read as far as it was then"
            for path, digest in then.items()
            if read.get(path) == digest != complete.get(path)
        ]
        samples = pl.concat(frames, how="diagonal_relaxed")
        yield Again(samples, differing(then, read), grown, unread)


def _extents(table: str, root: Path) -> dict[str, Extent]:
    """How much was read of each log of a table, and of what it was read with."""
    place = root / paths.manifest(table)
    if hashed.other(place):
        return {}
    with suppress(msgspec.ValidationError, ValueError):  # a damaged one is told by its digest
        return {log.log: Extent(log.blake3, log.bytes) for log in normalize.read_manifest(place)}
    return {}


def _read(
    logs: Mapping[str, Log], source: Source, root: Path, table: Path, extents: Mapping[str, Extent]
) -> tuple[dict[str, str], dict[str, str]]:
    """Write the samples of logs: path → BLAKE3 of the bytes read, and path → why it was not."""
    failed: dict[str, str] = {}
    try:
        return _write(logs, source, root, table, extents), failed
    except Exception:  # noqa: BLE001 - which of them it was, each by itself will show
        for path in logs:
            try:
                _write({path: logs[path]}, source, root, table, extents)
            except Exception as error:  # noqa: BLE001 - whatever is wrong with a log is told
                why = (str(error) or type(error).__name__).splitlines()[0]
                failed[path] = f"not to be read: {why}"
        left = {path: log for path, log in logs.items() if path not in failed}
        return _write(left, source, root, table, extents), failed


def _write(
    logs: Mapping[str, Log], source: Source, root: Path, table: Path, extents: Mapping[str, Extent]
) -> dict[str, str]:
    if not logs:
        return {}
    files = {*logs, *(path for log in logs.values() for path in log.beside)}
    noted = {path: extents[path] for path in files} if files <= extents.keys() else None
    reader = registry.find(formats, source.format, "format", "log format")
    rejected = table.with_suffix(".rejected")
    read = normalize.write(logs, root, source, reader.read, table, rejected, noted=noted)
    return {log.log: log.blake3 for log in read.manifest}


def _without_repeats(table: Path, left: pl.LazyFrame) -> pl.LazyFrame:
    """The samples read again, but for those that repeat one of another log of their table.

    These were refused. There are none unless a run may be told by several logs.
    """
    read = tables.scan([table])
    shared = read.filter(~pl.col("run").str.starts_with(pl.col("log")))
    if not len(shared.head(1).collect()):
        return read
    return read.join(left.select(roles.KEY), on=roles.KEY, how="anti")
