"""The instances of a pairwise figure as numbers: what models are compared on, and in which bins.

A text is stored once (`util.codes`), so that tens of millions of instances fit in memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from heatproof import metrics
from heatproof.kinds.pairwise import words
from heatproof.samples import counts
from heatproof.util import codes
from heatproof.util.lazy import numpy as np
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from heatproof.kinds.pairwise.entry import Entry
    from heatproof.util.codes import Numbered, Rows

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

EQUAL = 1e-9
"""Differences below this are rounding of the logs, not of the models: a tie."""


class Instances(NamedTuple):
    """All instances, in the order of what they are joined on."""

    keys: dict[str, Numbered]
    """What they are joined on, column by column."""
    means: dict[str, Floats]
    """Model → its mean measure of each, NaN where it has none."""
    reconstructed: bool
    """Which instances were solved is made up."""

    def names(self, numbers: Sequence[int]) -> pl.DataFrame:
        """What some of them are joined on."""
        which = [*numbers]
        return pl.DataFrame(
            {name: column.values[column.codes[which]] for name, column in self.keys.items()}
        )


def instance_key(entry: Entry) -> list[str]:
    """Columns that say which samples are of the same instance."""
    return ["task", *(name for name in entry.join if name not in ("task", entry.compare))]


def gather_rows(partial: Sequence[pl.LazyFrame], entry: Entry) -> Rows:
    """Counts (`samples.counts`), given in portions, as numbers."""
    names = counts.told_apart(partial[0].collect_schema().names())
    return counts.gather_counts(partial, metrics.mean(entry.measure), names)


def gather_instances(rows: Rows, entry: Entry) -> Instances:
    """The instances of all models of a figure, of which these are the counts."""
    key = instance_key(entry)
    reconstructed = bool(rows.numbers["reconstructed"].any())
    rows = counts.added_up(rows, [*key, entry.compare])
    numbers, at = codes.dense(*codes.codes(rows, key))
    row_of = np.zeros(len(numbers), np.int64)
    row_of[at] = np.arange(len(at))  # any row of an instance names it
    values = rows.numbers["total"] / rows.numbers["count"]
    model, models = rows.columns[entry.compare]
    means = {}
    for name, value in entry.values.items():
        own = np.isin(model, np.flatnonzero((models == value).to_numpy()))
        means[name] = np.full(len(numbers), np.nan)
        means[name][at[own]] = values[own]
    columns = rows.at(row_of).columns
    return Instances({name: columns[name] for name in key}, means, reconstructed)


def bin_of(at: Floats, size: int) -> Ints:
    """Number of the bin, from 0, that each position between 0 and 1 falls into.

    A hair is added so that 0.3 / 0.1 falls into the bin that starts at 0.3.
    """
    return np.minimum((at * size + EQUAL).astype(np.int64), size - 1)


class Bins:
    """The instances in each bin of the grid, by their numbers, ascending."""

    def __init__(self, instances: Instances, grid: pl.DataFrame) -> None:
        self._pairs: list[tuple[Ints, Ints]] = []
        """Instances of each pair of models, bin after bin, and how many each bin has."""
        size = words.across(grid)
        for pair in words.pair_table(grid).iter_rows(named=True):
            x, y = instances.means[pair["x"]], instances.means[pair["y"]]
            there = np.flatnonzero(~np.isnan(x + y))
            flat = bin_of(y[there], size) * size + bin_of(x[there], size)
            sizes = np.bincount(flat, minlength=size**2)
            self._pairs.append((there[np.argsort(flat, kind="stable")], sizes))

    @property
    def sizes(self) -> list[int]:
        """Instances in each bin."""
        return [size for _, sizes in self._pairs for size in sizes.tolist()]

    def first(self, most: int) -> list[list[int]]:
        """The first instances in each bin, `most` at most."""
        numbers = []
        for rows, sizes in self._pairs:
            starts = np.cumsum(sizes) - sizes
            ends = starts + np.minimum(sizes, most)
            numbers += [rows[a:b].tolist() for a, b in zip(starts, ends, strict=True)]
        return numbers
