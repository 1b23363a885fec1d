"""The instances of a pair of models, each with the records of both, in exact fractions."""

from __future__ import annotations

import re
from collections import defaultdict
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.kinds.behind import as_dicts, ordered
from heatproof.kinds.pairwise.binning import EQUAL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heatproof.config.entries import Word
    from heatproof.kinds.pairwise.entry import Entry
    from heatproof.util.lazy import polars as pl

Key = tuple[str, ...]

Rows = list[dict[str, Any]]


class Instance(NamedTuple):
    """A problem as both models met it: what it is joined on, means of x and y."""

    key: Key
    unit: Key
    """The problem, or family, that it is of."""
    x: Fraction
    y: Fraction
    records: Rows


def index(at: Fraction, size: int) -> int:
    """Number of the bin that a value falls into: as in the grid, a hair below an edge is on it."""
    return min(int(at * size + Fraction(EQUAL)), size - 1)


def instances(rows: pl.DataFrame, models: Sequence[Word], entry: Entry) -> list[Instance]:
    """What both models have, in the order of its name."""
    rows = ordered(rows)
    on = ["task", *(name for name in entry.join if name != "task")]
    mine: dict[Key, dict[Word, Rows]] = defaultdict(lambda: {model: [] for model in models})
    keys, named = rows.select(*on, entry.compare).rows(), as_dicts(rows, entry.measure)
    for (*key, model), record in zip(keys, named, strict=True):
        mine[tuple(map(str, key))][model].append(record)
    return [
        Instance(
            key,
            _unit(key, on, entry.family),
            _mean(by[models[0]]),
            _mean(by[models[1]]),
            [*by[models[0]], *by[models[1]]],
        )
        for key, by in sorted(mine.items())
        if all(by.values())
    ]


def _unit(key: Key, on: Sequence[str], family: str | None) -> Key:
    """The task and problem of an instance, or the family; where no problem is named, itself."""
    if "sample_id" not in on:
        return key
    named = dict(zip(on, key, strict=True))
    found = re.search(family, named["sample_id"]) if family is not None else None
    of = found[1] if found else None
    return named["task"], named["sample_id"] if of is None else of


def _mean(rows: Rows) -> Fraction:
    return sum((Fraction(row["value"]) for row in rows), Fraction(0)) / len(rows)
