"""The instances of a pairwise figure as numbers: their means, and those in each bin.

A text is held once, not once an instance: tens of millions fit in memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from heatproof import metrics
from heatproof.kinds.pairwise import binning, compared, placing
from heatproof.samples import counts, totals
from heatproof.util import numbered
from heatproof.util.lazy import numpy as np
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from heatproof.kinds.pairwise.entry import Entry
    from heatproof.util.numbering import Numbered


class Instances(NamedTuple):
    """All instances, by what they are joined on."""

    names: dict[str, Numbered]
    """What they are joined on, column by column."""
    means: dict[str, NDArray[np.float64]]
    """Model → its mean measure of each, NaN where it has none."""

    def named(self, which: Sequence[int]) -> pl.DataFrame:
        """What some of them are joined on."""
        return pl.DataFrame(
            {name: values[codes[[*which]]] for name, (codes, values) in self.names.items()}
        )


def gather(partial: Sequence[pl.LazyFrame], entry: Entry) -> Instances:
    """The instances that counts tell of (`samples.counts`), in portions, of all models shown."""
    names = counts.told_apart(partial[0].collect_schema().names())
    on = placing.on(entry)
    rows = totals.gather(partial, metrics.mean(entry.measure), names)
    rows = totals.sums(rows, [*on, entry.compare])
    found, at = numbered.dense(*numbered.codes(rows, on))
    one = np.zeros(len(found), np.int64)
    one[at] = np.arange(len(at))  # any row of an instance names it
    values = rows.numbers["total"] / rows.numbers["count"]
    model, models = rows.columns[entry.compare]
    means = {}
    for name, value in entry.named.items():
        mine = np.isin(model, np.flatnonzero((models == value).to_numpy()))
        means[name] = np.full(len(found), np.nan)
        means[name][at[mine]] = values[mine]
    return Instances({name: rows.at(one).columns[name] for name in on}, means)


class Bins:
    """The instances in each bin of the grid, by their numbers, ascending."""

    def __init__(self, instances: Instances, entry: Entry, grid: pl.DataFrame) -> None:
        self._pairs: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []
        """Instances of each pair of models, bin after bin, and how many each bin has."""
        for pair in compared.pairs(grid).iter_rows(named=True):
            x, y = instances.means[pair["x"]], instances.means[pair["y"]]
            there = np.flatnonzero(~np.isnan(x + y))
            column, row = (binning.bin_of(each[there], entry.bins) for each in (x, y))
            flat = row * entry.bins + column
            sizes = np.bincount(flat, minlength=entry.bins**2)
            self._pairs.append((there[np.argsort(flat, kind="stable")], sizes))

    @property
    def sizes(self) -> list[int]:
        """Instances in each bin."""
        return [size for _, sizes in self._pairs for size in sizes.tolist()]

    def first(self, most: int) -> list[list[int]]:
        """The first instances in each bin, `most` at most."""
        found = []
        for rows, sizes in self._pairs:
            starts = np.cumsum(sizes) - sizes
            ends = starts + np.minimum(sizes, most)
            found += [rows[a:b].tolist() for a, b in zip(starts, ends, strict=True)]
        return found
