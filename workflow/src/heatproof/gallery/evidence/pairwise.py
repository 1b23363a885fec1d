"""Behind the bins of a pairwise figure: the instances in them and the records of both models."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from heatproof import counts, selection
from heatproof.charts import wording
from heatproof.gallery.evidence._places import PLACE, Logs, Stretches, fair
from heatproof.lazy import numpy as np
from heatproof.lazy import polars as pl
from heatproof.numerals import show
from heatproof.pairwise import binning, compared, pairs, placing

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from heatproof.figures.pairwise import Entry

Story = dict[str, Any]
PLACES = 3
"""Stretches told for one instance of one model."""
INSTANCE = "#instance"
"""Column of the number of an instance; no other is called so."""


def story(
    samples: Sequence[pl.LazyFrame],
    entry: Entry,
    grid: pl.DataFrame,
    partial: Sequence[pl.LazyFrame] | None = None,
) -> Story:
    """What the audit page tells of each bin of a pairwise figure, as plain values.

    `cells` stand in the order of the grid: `facts`, `pairs` (numbers of instances) and `more` (how
    many are left out). `instances` are their names; `records` says for each model and each instance
    that is named: the measure, then where its records lie.
    """
    measured = pl.col(entry.measure).is_not_null()
    graded = [_shown(rows, entry).filter(measured) for rows in samples]
    on = placing.on(entry)
    means = pairs.instances(_counted(graded, partial, entry), entry).sort(on)
    bins = _Bins(means, entry, grid)
    most = fair(size for size in bins.sizes if size)
    found = bins.first(most)
    named = sorted({instance for some in found for instance in some})
    number = {instance: n for n, instance in enumerate(named)}
    told, logs = means[named], Logs()
    return {
        **_axes(grid, entry),
        "facts": ["Instances", "Mean of x − y"],
        "models": entry.models,
        "measure": wording.column(entry.measure, {}),
        "instances": _names(told.select(on)),
        "records": _records(graded, told, on, entry, logs),
        "cells": [
            {
                "facts": _facts(row),
                "pairs": [number[instance] for instance in some],
                "more": size - len(some),
            }
            for row, some, size in zip(grid.iter_rows(named=True), found, bins.sizes, strict=True)
        ],
        "logs": logs.listed(),
    }


def _shown(rows: pl.LazyFrame, entry: Entry) -> pl.LazyFrame:
    """Samples, or counts of them, that the figure shows."""
    tests = selection.tests({**entry.where, entry.compare: [*entry.models]})
    return selection.kept(rows, [*tests.values()])


def _counted(
    graded: Sequence[pl.LazyFrame], partial: Sequence[pl.LazyFrame] | None, entry: Entry
) -> pl.DataFrame:
    """The counts of the figure's samples: `partial` ones, or those of the `graded` samples."""
    by, used = [entry.compare, *entry.join], {*entry.where, entry.compare, *entry.join}
    if partial and used <= {*counts.key(graded[0].collect_schema().names())}:
        names = counts.told_apart(partial[0].collect_schema().names())
        wanted = [*names, f"{entry.measure}.n", f"{entry.measure}.sum"]
        return pl.concat([_shown(part, entry).select(wanted).collect() for part in partial])
    return pl.concat([counts.count(rows.collect(), [entry.measure], by) for rows in graded])


class _Bins:
    """The instances in each bin of the grid, by their row numbers in the means, ascending."""

    def __init__(self, means: pl.DataFrame, entry: Entry, grid: pl.DataFrame) -> None:
        values = {name: means[name].cast(pl.Float64).fill_null(np.nan) for name in entry.models}
        self._pairs: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []
        """Instances of each pair of models, bin after bin, and how many each bin has."""
        for pair in compared.pairs(grid).iter_rows(named=True):
            x, y = values[pair["x"]].to_numpy(), values[pair["y"]].to_numpy()
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


def _names(keys: pl.DataFrame) -> list[str]:
    """What instances are joined on, without what is the same for all."""
    telling = [name for name in keys.columns if keys[name].n_unique() > 1] or keys.columns[-1:]
    return [", ".join(map(str, key)) for key in keys.select(telling).iter_rows()]


def _records(
    graded: Sequence[pl.LazyFrame],
    means: pl.DataFrame,
    on: Sequence[str],
    entry: Entry,
    logs: Logs,
) -> list[list[Any]]:
    """For each model, for each instance of `means`: [measure, *places]; None where it has none."""
    keys = means.select(on).with_columns(pl.Series(INSTANCE, np.arange(len(means))))
    places = {model: Stretches(INSTANCE, PLACES) for model in entry.models}
    for part in graded:
        rows = part.join(keys.lazy(), on=on).select({*PLACE, INSTANCE, entry.compare}).collect()
        for model, found in places.items():
            found.add(rows.filter(pl.col(entry.compare) == model))
    told = {model: found.told(logs) for model, found in places.items()}
    return [
        [
            None if value is None else [show(value, ".4~g"), *told[model].get(n, [])]
            for n, value in enumerate(means[model])
        ]
        for model in entry.models
    ]


def _facts(row: Mapping[str, Any]) -> list[str | None]:
    lead = row["difference"]
    return [f"{row['samples']:,}", None if lead is None else show(lead, "+.3f")]


def _axes(grid: pl.DataFrame, entry: Entry) -> Story:
    """What panels and axes are called, in the figure and for `heatproof trace`."""
    shown = compared.pairs(grid).iter_rows(named=True)
    panels = [
        {
            "pick": [["x_model", pair["x"]], ["y_model", pair["y"]]],
            "words": "",
            "x": f"x: {pair['x']}",
            "y": f"y: {pair['y']}",
        }
        for pair in shown
    ]
    edges = [n / entry.bins for n in range(entry.bins + 1)]
    words = [f"{show(low, '.3~g')} to {show(high, '.3~g')}" for low, high in pairwise(edges)]
    values = [str(edge) for edge in edges[:-1]]
    axes = {axis: {"name": axis, "values": values, "words": words} for axis in ("x", "y")}
    return {"panels": panels, **axes}
