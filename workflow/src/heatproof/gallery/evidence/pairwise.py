"""Behind the bins of a pairwise figure: the instances in them and the records of both models."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from heatproof import counts, selection
from heatproof.charts import wording
from heatproof.gallery.evidence._places import PLACE, Logs, fair, stretches, told
from heatproof.lazy import numpy as np
from heatproof.lazy import polars as pl
from heatproof.numerals import show
from heatproof.pairwise import binning, compared, pairs

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heatproof.figures.pairwise import Entry

Story = dict[str, Any]
PLACES = 3
"""Stretches told for one instance of one model."""


def story(samples: pl.LazyFrame, entry: Entry, grid: pl.DataFrame) -> Story:
    """What the audit page tells of each bin of a pairwise figure, as plain values.

    `cells` stand in the order of the grid: `facts`, `pairs` (numbers of instances) and `more` (how
    many are left out). `instances` are their names; `records` says for each model and each instance
    that is named: the measure, then where its records lie.
    """
    rows = _rows(samples, entry)
    counted = counts.count(rows, [entry.measure], [entry.compare, *entry.join])
    means = pairs.instances(counted, entry)
    on = [name for name in means.columns if name not in entry.models]
    bins = _bins(means, entry, grid)
    most = fair(len(found) for found in bins if found)
    named = sorted({instance for found in bins for instance in found[:most]})
    number = {instance: n for n, instance in enumerate(named)}
    logs = Logs()
    return {
        **_axes(grid, entry),
        "facts": ["Instances", "Mean of x − y"],
        "models": entry.models,
        "measure": wording.column(entry.measure, {}),
        "instances": _names(means.select(on)[named]),
        "records": _records(rows, means, named, entry, logs),
        "cells": [
            {
                "facts": _facts(row),
                "pairs": [number[instance] for instance in found[:most]],
                "more": max(len(found) - most, 0),
            }
            for row, found in zip(grid.iter_rows(named=True), bins, strict=True)
        ],
        "logs": logs.listed(),
    }


def _rows(samples: pl.LazyFrame, entry: Entry) -> pl.DataFrame:
    """The samples behind the figure."""
    chosen = selection.kept(samples, [*selection.tests(entry.where).values()])
    shown = chosen.filter(
        pl.col(entry.compare).is_in(entry.models), pl.col(entry.measure).is_not_null()
    )
    columns = shown.collect_schema().names()
    keep = {*PLACE, *selection.settings(columns), *entry.join, "sample_id", "epoch", "run"}
    keep |= {entry.compare, entry.measure, "reconstructed"}
    return shown.select(name for name in columns if name in keep).collect()


def _bins(means: pl.DataFrame, entry: Entry, grid: pl.DataFrame) -> list[list[int]]:
    """The instances in each bin of the grid, as row numbers of `means`, ascending."""
    size, found = entry.bins, []
    numbered = means.with_row_index("instance")
    for pair in compared.pairs(grid).iter_rows(named=True):
        both = numbered.select("instance", x=pair["x"], y=pair["y"]).drop_nulls()
        column, row = (binning.bin_of(both[axis].to_numpy(), size) for axis in ("x", "y"))
        lists: list[list[int]] = [[] for _ in range(size * size)]
        for instance, flat in zip(both["instance"], row * size + column, strict=True):
            lists[int(flat)].append(int(instance))
        found += lists
    return found


def _names(keys: pl.DataFrame) -> list[str]:
    """What instances are joined on, without what is the same for all."""
    telling = [name for name in keys.columns if keys[name].n_unique() > 1] or keys.columns[-1:]
    return [", ".join(map(str, key)) for key in keys.select(telling).iter_rows()]


def _records(
    rows: pl.DataFrame, means: pl.DataFrame, named: Sequence[int], entry: Entry, logs: Logs
) -> list[list[Any]]:
    """For each model, for each named instance: [measure, *places]; None where it has none."""
    on = [name for name in means.columns if name not in entry.models]
    keys = means.select(on)[named].with_columns(instance=pl.Series(np.arange(len(named))))
    placed = rows.join(keys, on=on)
    return [
        _of_model(
            placed.filter(pl.col(entry.compare) == model), means[model][named].to_list(), logs
        )
        for model in entry.models
    ]


def _of_model(rows: pl.DataFrame, values: Sequence[float | None], logs: Logs) -> list[Any]:
    lines: Mapping[int, list[Any]] = told(stretches(rows, "instance"), "instance", PLACES, logs)
    return [
        None if value is None else [show(value, ".4~g"), *lines.get(n, [])]
        for n, value in enumerate(values)
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
