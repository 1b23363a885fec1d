"""What became of the logs that were read: how many records, and whether all of them were good."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

import msgspec

from heatproof.logs import logs
from heatproof.util import terminal
from heatproof.util.errors import Error, Mistake
from heatproof.util.numerals import numbered

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from heatproof.config.entries import Source
    from heatproof.formats.api import Declared
    from heatproof.logs.refusals import Refused
    from heatproof.util.lazy import polars as pl


class Summary(msgspec.Struct):
    """What became of one log; a sidecar holds no records of its own."""

    log: str
    blake3: str
    bytes: int
    records: int
    rows: int
    rejected: int
    passed: int = 0
    """Records that config.yaml leaves out."""


FIRST = 5
"""Refused records that are named when there should be none."""


class Outcome(msgspec.Struct):
    """What became of a shard's logs: records = rows + rejected + passed, log by log."""

    manifest: list[Summary]
    refused: list[str]
    """The first refused records, in words."""
    beside: dict[str, list[str]]
    """Log → the sidecars that it was read with."""
    declared: dict[str, list[Declared]]
    """Log → what it says that it was to hold."""
    alike: list[Refused] = []
    """Refused records, counted by what they have in common."""
    left: bool = False
    """Whether of a log that others write to the end was left for the next run."""

    @property
    def digest(self) -> str:
        """By what the logs are known that were read; another if they were not as noted, or left."""
        if self.left:
            return ""
        return logs.manifest({summary.log: summary.blake3 for summary in self.manifest})


def require_clean(outcomes: Iterable[Outcome], entry: Source) -> None:
    """What `strict: true` asks for, of the shards that were read together.

    Raises:
        Error: a record was refused; the message names the first ones.
    """
    found = [one for one in outcomes if any(summary.rejected for summary in one.manifest)]
    if not found:
        return
    count = sum(summary.rejected for one in found for summary in one.manifest)
    named = [line for one in found for line in one.refused][:FIRST]
    tail = [f"and {count - len(named)} more"] if count > len(named) else []
    message = "\n  ".join([f"{numbered(count, 'record')} refused", *named, *tail])
    raise Error(Mistake(f"sources.{entry.name}.strict", message))


def refusals_told(outcomes: Iterable[Outcome], entry: Source, rest: str = "") -> str:
    """The records that were refused, in words: how many, and the first; nothing if none was.

    `rest`: where all of them are, if not in the results of a run.
    """
    found = [*outcomes]
    count = sum(summary.rejected for one in found for summary in one.manifest)
    named = [line for one in found for line in one.refused][:FIRST]
    head = f"heatproof: source {entry.name}: {numbered(count, 'record')} refused"
    tail = f"all of them: {rest or f'results/tables/{entry.name}/*.rejected.parquet'}"
    return "\n  ".join([head, *named, tail]) if count else ""


def digests(path: Path) -> dict[str, str]:
    """Log or sidecar → BLAKE3, of all that a shard was read from, as its manifest tells."""
    with path.open(newline="") as file:
        return {row["log"]: row["blake3"] for row in csv.DictReader(file)}


def known(path: Path) -> dict[str, tuple[str, int]]:
    """The same, with the size of each in bytes."""
    with path.open(newline="") as file:
        return {row["log"]: (row["blake3"], int(row["bytes"])) for row in csv.DictReader(file)}


def refused(manifests: Iterable[Path]) -> dict[str, int]:
    """Log → how many of its records were refused, of all that hold records."""
    found: dict[str, int] = {}
    for path in manifests:
        with path.open(newline="") as file:
            rows = csv.DictReader(file)
            found |= {row["log"]: int(row["rejected"]) for row in rows if int(row["records"])}
    return found


def manifest_text(summaries: Iterable[Summary]) -> str:
    """The summaries as CSV, a line per log."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(Summary.__struct_fields__)
    writer.writerows(msgspec.structs.astuple(summary) for summary in summaries)
    return out.getvalue()


TASKS_AT_MOST = 6
"""Tasks that are named for each scorer."""


def scorer_words(source: str, entry: Source, counts: pl.LazyFrame) -> Iterator[str]:
    """A line for each scorer, with its tasks, and one for each choice that is of no task.

    `counts`: of all shards of the source (`samples.counts`).
    """
    pairs = counts.select("scorer", "task").unique().sort("scorer", "task").collect()
    tasks_of: dict[str, list[str]] = {}
    for scorer, task in pairs.iter_rows():
        tasks_of.setdefault(scorer, []).append(task or "")
    for scorer, tasks in tasks_of.items():
        words = [terminal.name(task) for task in tasks[:TASKS_AT_MOST]]
        more = len(tasks) - TASKS_AT_MOST
        words += [numbered(more, "other task")] if more > 0 else []
        yield f"scored by {terminal.name(scorer)}: {', '.join(words)}"
    for problem in entry.unchosen(sorted({*pairs["task"].drop_nulls()})):
        yield str(problem.below(f"sources.{source}"))
