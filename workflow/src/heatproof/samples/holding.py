"""What each log of a samples table holds: read off the table as it lies on disk."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq

from heatproof.config.roles import settings
from heatproof.samples import counting, tables
from heatproof.samples.held import MOST, Held, Log, Losses

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from heatproof.samples.outcome import Outcome


def held(samples: Path, outcome: Outcome) -> Held:
    """What the logs hold that a samples table was read from; `outcome`: of reading them."""
    *names, _ = settings(pq.read_schema(samples).names)
    digests = {one.log: one.blake3 for one in outcome.manifest}
    found: dict[str, set[tuple[Any, ...]]] = {}
    made_up: set[str] = set()
    for log, reconstructed, *values in _heads(samples, ["log", "reconstructed", *names]):
        one = found.setdefault(log, set())
        if len(one) <= MOST:
            one.add(tuple(values))
        if reconstructed:
            made_up.add(log)
    for log in outcome.declared:
        found.setdefault(log, set())
    logs = {log: Log(
        digests[log],
        None if len(rows) > MOST else [list(row) for row in sorted(rows, key=_order)],
        {path: digests[path] for path in outcome.beside.get(log, ())},
        log in made_up,
    ) for log, rows in sorted(found.items())}  # fmt: skip
    bad = {one.log for one in outcome.alike}
    kept = {one.log: one.rows for one in outcome.manifest if one.log in bad}
    read = [one.records for one in outcome.manifest if one.records]
    return Held(names, logs, Losses(len(read), sum(read), kept, outcome.alike))


def _heads(samples: Path, names: list[str]) -> Iterator[tuple[Any, ...]]:
    """The values of columns, wherever they are others than in the row before."""
    for rows in counting.groups(samples, names):
        yield from rows[tables.starts(rows, names)].iter_rows()


def _order(row: tuple[Any, ...]) -> list[tuple[bool, Any]]:
    return [(value is not None, value) for value in row]
