"""Read logs as the workflow does, and check what holds for every reader."""

import io
import json
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from heatproof import formats
from heatproof.config.entries import Source
from heatproof.logs import logs, streams
from heatproof.samples import normalize
from heatproof.samples.derived import files_beside
from heatproof.util import hashed, registry


@cache
def reader(name: str) -> Any:
    """The reader of a format, whose folder is looked through once: each look takes a millisecond."""
    return registry.find(formats, name, "format", "log format")


def entry(**keys: Any) -> Source:
    """A source entry as config.yaml would give it."""
    module = reader(keys["format"])
    made = msgspec.convert({"name": "test", "logs": "**/*.*"} | keys, module.Entry)
    assert getattr(made, "mistakes", list)() == []
    return made


class Normalized(normalize.Outcome, kw_only=True):
    """What became of logs, with their tables."""

    samples: pl.DataFrame
    rejected: pl.DataFrame

    @property
    def digest(self) -> str:
        """By what the logs are known that were read."""
        return logs.manifest_digest({log.log: log.blake3 for log in self.manifest})


def run(root: Path, **keys: Any) -> Normalized:
    """The logs of a source below `root`, normalized; every record must have been accounted for."""
    source = entry(**keys)
    paths = logs.find(source, root)
    result = normalized(root, paths, source)
    account(result, paths)
    files = {*paths}.union(*(files_beside(source, path, root) for path in paths))
    covered = {path: hashed.content(root / path).digest for path in files}
    assert result.digest == logs.manifest_digest(covered)
    return result


def normalized(root: Path, paths: list[str], source: Any) -> Normalized:
    """These logs below `root`, read by the reader of the source's format."""
    return tables_of(paths, root, source, reader(source.format).read)


def tables_of(paths: list[str], root: Path, source: Any, read: Any, **keys: Any) -> Normalized:
    """What `normalize.write` makes of logs, in memory."""
    with TemporaryDirectory(prefix="heatproof-") as folder:
        samples, rejected = Path(folder, "samples.parquet"), Path(folder, "rejected.parquet")
        outcome = normalize.write(paths, root, source, read, samples, rejected, **keys)
        frames = pl.read_parquet(samples), pl.read_parquet(rejected)
    values = msgspec.structs.asdict(outcome)
    return Normalized(**values, samples=frames[0], rejected=frames[1])


def files(root: Path, pattern: str, source: Any) -> Normalized:
    """The files below `root` that the pattern finds, normalized; each holds a record at least."""
    paths = sorted(path.relative_to(root).as_posix() for path in root.rglob(pattern))
    result = normalized(root, paths, source)
    for log in result.manifest:
        assert log.records == log.rows + log.rejected + log.failed + log.passed > 0
    assert sum(log.rows for log in result.manifest) == len(result.samples)
    assert sum(log.rejected + log.failed for log in result.manifest) == len(result.rejected)
    return result


def account(result: Normalized, paths: list[str]) -> None:
    """Count: records = rows + rejected, log by log, and no log without either."""
    told = {log.log: log for log in result.manifest}
    for log in told.values():
        assert log.records == log.rows + log.rejected + log.failed + log.passed
        assert (log.records > 0) == (log.log in paths)
    assert sum(log.rows for log in told.values()) == len(result.samples)
    assert sum(log.rejected + log.failed for log in told.values()) == len(result.rejected)


def traced(result: Normalized, root: Path) -> list[Any]:
    """The JSON record that each row leads back to, in one pass over its log; the last, alone too."""
    rows = result.samples.select("log", "member", "offset", "record_bytes").rows()
    places: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for log, member, offset, length in rows:
        places.setdefault((log, member), []).append((offset, length))
    found: dict[tuple[str, str], dict[tuple[int, int], bytes]] = {}
    for (log, member), given in places.items():
        found[log, member] = streams.slices(root / log, given, member)
        last = given[-1]
        assert streams.slices(root / log, [last], member) == {last: found[log, member][last]}
    return [
        json.loads(found[log, member][offset, length], parse_int=_whole)
        for log, member, offset, length in rows
    ]


def _whole(digits: str) -> int | str:
    """Endless numbers may stand where no reader looks."""
    return int(digits) if len(digits) < 4000 else digits


def table(rows: list[dict[str, Any]], **how: Any) -> bytes:
    """Rows as a Parquet file."""
    buffer = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows), buffer, **how)
    return buffer.getvalue()


def lines(records: list[Any]) -> bytes:
    """Records as JSON Lines."""
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def reasons(result: Normalized) -> list[str]:
    """Why records were refused."""
    return result.rejected["reason"].to_list()
