"""What became of the logs that were read: how many records, and whether all of them were good."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

import msgspec

from heatproof.errors import Error
from heatproof.reading import logs

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from heatproof.config import Source


class Summary(msgspec.Struct):
    """What became of one log; a sidecar holds no records of its own."""

    log: str
    blake3: str
    bytes: int
    records: int
    rows: int
    rejected: int


class Outcome(msgspec.Struct):
    """What became of a shard's logs: records = rows + rejected, log by log."""

    manifest: list[Summary]
    refused: list[str]
    """The first refused records, in words."""
    beside: dict[str, list[str]]
    """Log → the sidecars that it was read with."""


def require_clean(outcome: Outcome, entry: Source) -> None:
    """What `strict: true` asks for.

    Raises:
        Error: a record was refused; the message names the first ones.
    """
    count = sum(summary.rejected for summary in outcome.manifest)
    if not count:
        return
    more = count - len(outcome.refused)
    tail = [f"  and {more} more"] if more > 0 else []
    head = f"config.yaml: sources.{entry.name}.strict: {count} records were refused"
    raise Error("\n".join([head, *(f"  {line}" for line in outcome.refused), *tail]))


def require_unchanged(outcome: Outcome, expected: str) -> None:
    """The logs read must be the logs that the run was planned for.

    Raises:
        Error: their digest differs from `expected`: a log was written during the run.
    """
    found = logs.manifest({summary.log: summary.blake3 for summary in outcome.manifest})
    if found != expected:
        raise Error(
            "a log changed while it was being read; run snakemake again when it is complete"
        )


def digests(path: Path) -> dict[str, str]:
    """Log or sidecar → BLAKE3, of all that a shard was read from, as its manifest tells."""
    with path.open(newline="") as file:
        return {row["log"]: row["blake3"] for row in csv.DictReader(file)}


def manifest_text(summaries: Iterable[Summary]) -> str:
    """The summaries as CSV, a line per log."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(Summary.__struct_fields__)
    writer.writerows(msgspec.structs.astuple(summary) for summary in summaries)
    return out.getvalue()
