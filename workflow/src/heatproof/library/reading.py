"""Logs → samples, read as the `normalize` jobs of a run do."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from heatproof import formats
from heatproof.config import configuration, roles
from heatproof.library.frames import plain, public, warn
from heatproof.logs import logs as finding
from heatproof.samples import normalize, refusals, shard_index
from heatproof.util import registry
from heatproof.util.errors import Error, Mistake
from heatproof.util.lazy import polars as pl
from heatproof.util.numerals import by_size, numbered, spanned, words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heatproof.config.entries import Source

    Logs = str | Path | Sequence[str | Path]

NAME = "read"  # the name of the source, which has none in a config


class Tables(NamedTuple):
    """All records of some logs: each is in one of the two."""

    samples: pl.DataFrame
    """A row per graded sample: settings, problem, epoch, score, and its log, line and bytes."""
    rejected: pl.DataFrame  # a row per record that cannot be used: log, line, reason


@public(f"sources.{NAME}")
def read(logs: Logs, *, root: str | Path = ".", **keys: Any) -> pl.DataFrame:
    """The samples of logs; a warning says how many records were refused, and why.

    Args:
        logs: patterns of paths below `root`; `**` spans folders.
        root: the folder in which these paths begin.
        keys: keys of a source in config.yaml (`heatproof guide logs`): `format` (by default it
            is detected), `fields`, `params`, `measures`, `path` …

    Raises:
        Error: no file matches, a key is wrong, or so many records are refused that it is no
            accident; `refused=0.5` accepts up to a half.

    >>> import heatproof as hp
    >>> samples = hp.read("data/tiny-kv/logs/sweep/*/files/*.jsonl")
    >>> samples.filter(model="tiny-s96", task="path", ratio=0.5)["score"].len()
    800
    """
    tables, warning = _read(logs, Path(root), keys)
    if warning:
        warn(warning)
    return tables.samples


@public(f"sources.{NAME}")
def normalize_logs(logs: Logs, *, root: str | Path = ".", **keys: Any) -> Tables:
    """Read logs as `read` does; refused records are a second table instead of a warning.

    >>> import heatproof as hp
    >>> tables = hp.normalize_logs("data/tiny-kv/logs/sweep/*/files/*.jsonl")
    >>> len(tables.samples), len(tables.rejected)
    (33600, 0)
    """
    return _read(logs, Path(root), keys)[0]


def _read(logs: Logs, root: Path, keys: dict[str, Any]) -> tuple[Tables, str]:
    """The tables, and a warning about refused records; empty if there are none."""
    block = plain({"format": "auto", "logs": logs, **keys})
    if not root.is_dir():
        raise Error(f"root: {root} is not a folder")
    entry = configuration.read({"sources": {NAME: block}}, root).sources[NAME]
    tables, refused, problems = tables_of(entry, finding.find(entry, root), root)
    if problems:
        raise Error(problems)
    if not refused:
        return tables, ""
    head = f"heatproof: source {entry.name}: {refused}"
    return tables, f"{head}\n  all of them: hp.normalize_logs(…).rejected"


def tables_of(entry: Source, paths: Sequence[str], root: Path) -> tuple[Tables, str, list[Mistake]]:
    """Read some logs of a source; `root`: the project's folder.

    Beside the tables: how many records were refused, and why, in words; and systematic refusals.
    """
    reader = registry.find(formats, entry.format, "format", "log format")
    with TemporaryDirectory(prefix="heatproof-") as folder:
        samples = Path(folder, "0.parquet")
        counts = Path(folder, "c.parquet")
        rejected = Path(folder, "0.rejected.parquet")
        read = normalize.write(paths, root, entry, reader.read, samples, rejected)
        shard_index.write_counts(samples, counts, read)
        plain_entry = msgspec.to_builtins(entry)
        refused = refusals.grouped([rejected])
        judge = refusals.Judge(plain_entry, read.manifest, refused, [counts], entry.refused)
        tables = Tables(pl.read_parquet(samples), pl.read_parquet(rejected))
        return tables, refusals.words(refused), judge.mistakes()


TYPES = {"String": "text", "Int64": "whole", "Float64": "number", "Boolean": "true, false"}
LISTED = 6  # values of a column, and reasons of refusals, that are listed at most


def contents(tables: Tables) -> str:
    """Describe tables in words: columns with their values, runs, and refused records."""
    samples, rejected = tables
    failed = len(rejected.filter(kind=refusals.FAILED))
    head = numbered(len(samples), "sample")
    if failed:
        head += f", {numbered(failed, 'record')} failed"
    head += f", {numbered(len(rejected) - failed, 'record')} refused"
    lines = [head]
    columns = {name: text for name in samples.columns if (text := _values_text(samples[name]))}
    width = max(map(len, columns), default=0)
    for name, text in columns.items():
        kind = TYPES.get(str(samples[name].dtype), "")
        lines.append(f"  {name:{width}}  {kind:11}  {text}")
    if len(samples):
        settings = list(roles.SETTINGS) + ["run"] + list(roles.GRADERS)
        runs = samples.group_by(settings).len()
        sizes = runs["len"].to_list()
        lines.append(f"{numbered(len(sizes), 'run')} of {spanned(sizes, 'samples')}")
    by_reason = rejected.group_by("reason", maintain_order=True)
    reasons = by_reason.agg(pl.len(), pl.col("log", "line").first())
    reasons = reasons.sort("len", descending=True, maintain_order=True)
    if len(reasons):
        lines.append("refused:")
    for reason, count, log, line in reasons.head(LISTED).iter_rows():
        lines.append(f"  {count} × {reason} (first: {log}:{line})")
    unlisted = len(reasons) - LISTED
    if unlisted > 0:
        lines.append(f"  … and {numbered(unlisted, 'further reason')}")
    return "\n".join(lines)


def content_facts(tables: Tables) -> dict[str, Any]:
    """What `contents` says, for programs; of the values of a column the first in their order."""
    samples, rejected = tables
    columns = {}
    for name in samples.columns:
        if _is_silent(samples[name]):
            continue
        values = samples[name].drop_nulls().unique().sort()
        columns[name] = {
            "type": TYPES.get(str(values.dtype), ""),
            "distinct": len(values),
            "absent": samples[name].null_count(),
            "values": values.head(LISTED).to_list(),
        }
    reasons = rejected.group_by("kind", "field", "reason", maintain_order=True)
    refused = reasons.agg(pl.len().alias("records"), pl.col("log", "line").first())
    return {"samples": len(samples), "columns": columns, "refused": refused.to_dicts()}


def _is_silent(column: pl.Series) -> bool:
    """Whether a column says nothing of what logs hold: places, flags, names that nobody gave."""
    name = column.name
    role = "setting"
    if name in roles.OWN:
        role = roles.OWN[name].role
    if name == "run" or role in ("place", "flag", "answer"):
        return True
    return name in roles.GRADERS and column.drop_nulls().unique().to_list() in ([], [""])


def _values_text(column: pl.Series) -> str:
    """The values of a column, or the lowest and highest; empty of places, flags and the like."""
    name = column.name
    values = column.drop_nulls().unique().sort().to_list()
    if name == "sample_id" and values:
        values.sort(key=by_size)
        return f"{numbered(len(values), 'problem')}, {values[0]} … {values[-1]}"
    if _is_silent(column):
        return ""
    lacking = ""
    if column.null_count():
        lacking = f", none in {column.null_count()} samples"
    labels = words(values)
    listed = ", ".join(labels[:LISTED]) or "none"
    if len(labels) <= LISTED:
        return listed + lacking
    if column.dtype == pl.Float64:
        mean = float(column.mean())  # type: ignore[arg-type]
        return f"{labels[0]} … {labels[-1]}, mean {mean:.4g}{lacking}"
    return f"{listed}, … {len(labels)} in all{lacking}"
