"""What one job does together: to start one takes as long as several figures or hundreds of logs."""

from __future__ import annotations

from itertools import groupby
from math import ceil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from heatproof.config.entries import Figure

FIGURES = 6
"""Figures in a batch at most: enough to make up for the start of the tools."""
SHARDS = 16
"""Shards in a batch at most."""
BYTES = 100_000_000
"""Bytes of logs in a batch, about: a second of reading. Of long logs each shard is a job."""


def figures(entries: Mapping[str, Figure]) -> list[list[str]]:
    """Names of figures, by batches: equal ones for each source.

    A source whose logs cannot be read stops its own figures, and no other source is read for them.
    """
    found = []
    for source in dict.fromkeys(entry.source for entry in entries.values()):
        names = [name for name, entry in entries.items() if entry.source == source]
        size = ceil(len(names) / ceil(len(names) / FIGURES))
        found += [names[start : start + size] for start in range(0, len(names), size)]
    return found


def shards(names: Iterable[str], size: int, *, slow: bool = False) -> dict[str, list[str]]:
    """Batch → the shards of a source in it; `size`: bytes of all its logs.

    Batches of a power of two, by the numbers of the shards: a log or a shard more, and all others
    stay in their batches until the logs have become twice as long. Where reading is `slow`, as
    where answers are graded by a library, each shard is a batch.
    """
    numbers = {name: int(name) for name in names}
    most = 1 if slow else min(SHARDS, BYTES * len(numbers) // max(size, 1))
    per = 1 << max(most.bit_length() - 1, 0)
    found = groupby(numbers, key=lambda name: numbers[name] // per)
    return {f"{batch:04d}": list(mine) for batch, mine in found}
