"""verify: what tells of the results beside the manifest: the crate, and the records of figures."""

from __future__ import annotations

import json
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING

import msgspec

from heatproof.charts import spec
from heatproof.config import paths
from heatproof.proof.checks import Failure, Stage
from heatproof.provenance import manifest, provenance
from heatproof.samples import shard_index
from heatproof.util import hashed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from heatproof.plan.plan import Plan
    from heatproof.provenance.manifest import Manifest

BROKEN = (OSError, ValueError, LookupError, TypeError, AttributeError, msgspec.ValidationError)
"""What reading raises of a damaged file."""


def seen(one: Manifest, plan: Plan, files: dict[str, str]) -> dict[str, str]:
    """Path → SHA-256 as told beside the manifest: by the crate, and of grids by the specs."""
    crate = manifest.CRATE
    found = _described(plan.root / crate) if one.files.get(crate) == files.get(crate) else {}
    return found | {told.grid.path: told.grid.sha256 for _, told in _records(plan)}


def _described(crate: Path) -> dict[str, str]:
    """The digests in the crate."""
    try:
        entities = json.loads(hashed.read(crate))["@graph"]
        return {entity["name"]: entity["sha256"] for entity in entities if "sha256" in entity}
    except BROKEN:
        return {}  # told by its digest


class File(msgspec.Struct):
    """A file as a record tells it."""

    path: str
    sha256: str


class Logs(msgspec.Struct):
    """How many logs a record tells of, and the digest of them all."""

    count: int
    blake3: str

    def __str__(self) -> str:
        return f"{self.count:,} logs, blake3 {self.blake3}"


class Told(msgspec.Struct):
    """What is looked at of a figure's record."""

    id: str
    grid: File
    logs: Logs


def _records(plan: Plan) -> Iterator[tuple[str, Told]]:
    """Figure and record, out of specs whose figure's id is right."""
    for name in plan.figures:
        with suppress(*BROKEN):  # told by its digest
            whole = json.loads(hashed.read(plan.root / paths.spec(name)))
            told = msgspec.convert(whole["usermeta"]["heatproof"], Told)
            if spec.figure_id(whole) == told.id:
                yield name, told


def shown(one: Manifest, plan: Plan, files: dict[str, str]) -> Stage:
    """The logs that figures were made of, by their records, against those read into the tables."""
    failures, number = [], 0
    held_in = cache(shard_index.read_index)
    for name, told in _records(plan):
        counts = plan.counts(name)
        if any(files.get(path) != one.files.get(path) for path in counts):
            continue  # told with the tables
        found = shard_index.shown_logs(
            (held_in(plan.root / path) for path in counts), plan.figures[name]
        )
        number += 1
        now = msgspec.convert(provenance.logs(found), Logs)
        if told.logs != now:
            failures.append(Failure(paths.spec(name), str(now), str(told.logs), [name]))
    return Stage("shown", f"the logs of {number:,} figures", failures)
