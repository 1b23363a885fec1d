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
    said: list[str]
    """Logs and sidecars that are not as they were when the figure was made, in words."""
    grown: list[str]
    """Those that are, but for what was added: they were read as far as they were."""
    unread: dict[str, str]
    """Logs that could not be read: path → why. Their samples are as the tables have them."""


def source_of(given: Mapping[str, Any]) -> Source:
    """The entry of a source as a record tells it.

    Raises:
        Error: it is none that this library knows.
    """
    reader = registry.find(formats, str(given.get("format")), "the record's source", "log format")
    try:
        found: Source = msgspec.convert(given, reader.Entry)
    except msgspec.ValidationError as error:
        raise Error(f"the record's source is no entry of this version: {error}") from None
    return found


def now(path: str, root: Path) -> str:
    """BLAKE3 of a log as it is; or, in words, why there is none."""
    if what := hashed.other(root / path):
        return what
    try:
        return hashed.of_log(root / path)
    except OSError as error:
        return f"not to be read: {error.strerror or error}"


def differing(then: Mapping[str, str], found: Mapping[str, str]) -> list[str]:
    """Logs that are not as they were, in words; path → digest `then`, and as `found` now."""
    return [
        _said(path, then.get(path, ""), found.get(path, hashed.ABSENT))
        for path in sorted(then.keys() | found.keys())
        if then.get(path) != found.get(path, hashed.ABSENT)
    ]


def _said(path: str, then: str, found: str) -> str:
    if not is_digest(found):
        return f"{path} is {found}"
    if not then:
        return f"{path} is new: it was not there when the figure was made"
    return f"{path} changed since the figure was made (blake3 {found[:12]}…, {then[:12]}… then)"


def is_digest(text: str) -> bool:
    """Whether this is a digest, and not words that say why there is none."""
    return len(text) == 64 and " " not in text


def beside(source: Source, logs: Mapping[str, Log], root: Path) -> dict[str, str]:
    """Path → BLAKE3 of now, or why there is none: of logs, and of what they would be read with."""
    named = {*logs, *(path for log in logs.values() for path in log.beside)}
    for path in logs:
        named.update(source.sidecars(path, root))
    return {path: now(path, root) for path in sorted(named)}


@contextmanager
def again(
    shards: Mapping[str, Mapping[str, Log]], wanted: Collection[str], source: Source, root: Path
) -> Iterator[Again]:
    """The samples of tables, those of the `wanted` logs read again; gone when the context ends.

    `shards`: samples table → the logs in it, and what they were when the figure was made.
    """
    logs = {path: log for mine in shards.values() for path, log in mine.items() if path in wanted}
    then = {path: digest for log in logs.values() for path, digest in log.beside.items()}
    then |= {path: log.blake3 for path, log in logs.items()}
    found = beside(source, logs, root)
    whole = dict(found)
    unread = {path: found[path] for path in logs if not is_digest(found[path])}
    with tempfile.TemporaryDirectory(prefix="heatproof-") as name:
        frames = []
        for number, (table, mine) in enumerate(shards.items()):
            made = Path(name) / f"{number}.parquet"
            read = [path for path in mine if path in logs and path not in unread]
            noted = _noted(table, root)
            digests, failed = _read({path: mine[path] for path in read}, source, root, made, noted)
            found |= digests | failed
            unread |= failed
            read = [path for path in read if path not in failed]
            left = tables.scan([root / table]).filter(~pl.col("log").is_in(read))
            frames += [left, *([_once(made, left)] if read else [])]
        samples = pl.concat(frames, how="diagonal_relaxed")
        yield Again(samples, differing(then, found), _grown(then, found, whole), unread)


def _noted(table: str, root: Path) -> dict[str, Extent]:
    """How much was read of each log of a table, and of what it was read with."""
    place = root / paths.manifest(table)
    if hashed.other(place):
        return {}
    with suppress(msgspec.ValidationError, ValueError):  # a damaged one is told by its digest
        return {log.log: Extent(log.blake3, log.bytes) for log in normalize.read_manifest(place)}
    return {}


def _grown(
    then: Mapping[str, str], found: Mapping[str, str], whole: Mapping[str, str]
) -> list[str]:
    return [
        f"{path} has grown since the figure was made: it was read as far as it was then"
        for path, digest in then.items()
        if found.get(path) == digest != whole.get(path)
    ]


def _read(
    logs: Mapping[str, Log], source: Source, root: Path, made: Path, noted: Mapping[str, Extent]
) -> tuple[dict[str, str], dict[str, str]]:
    """Write the samples of logs: path → BLAKE3 of the bytes read, and path → why it was not."""
    failed: dict[str, str] = {}
    try:
        return _written(logs, source, root, made, noted), failed
    except Exception:  # noqa: BLE001 - which of them it was, each by itself will show
        for path in logs:
            try:
                _written({path: logs[path]}, source, root, made, noted)
            except Exception as error:  # noqa: BLE001 - whatever is wrong with a log is told
                failed[path] = f"not to be read: {_first(error)}"
        left = {path: log for path, log in logs.items() if path not in failed}
        return _written(left, source, root, made, noted), failed


def _written(
    logs: Mapping[str, Log], source: Source, root: Path, made: Path, noted: Mapping[str, Extent]
) -> dict[str, str]:
    if not logs:
        return {}
    named = {*logs, *(path for log in logs.values() for path in log.beside)}
    as_then = {path: noted[path] for path in named if path in noted}
    reader = registry.find(formats, source.format, "format", "log format")
    refused = made.with_suffix(".rejected")
    result = normalize.write(
        logs,
        root,
        source,
        reader.read,
        made,
        refused,
        noted=as_then if len(as_then) == len(named) else None,
    )
    return {one.log: one.blake3 for one in result.manifest}


def _once(made: Path, left: pl.LazyFrame) -> pl.LazyFrame:
    """The samples read again, but for those that repeat one of another log of their table.

    These were refused. There are none unless a run may be told by several logs.
    """
    read = tables.scan([made])
    shared = read.filter(~pl.col("run").str.starts_with(pl.col("log")))
    if not len(shared.head(1).collect()):
        return read
    return read.join(left.select(roles.KEY), on=roles.KEY, how="anti")


def _first(error: Exception) -> str:
    return (str(error) or type(error).__name__).splitlines()[0]
