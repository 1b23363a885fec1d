"""Behind the bins of a pairwise figure: the instances in them and the records of both models."""

from __future__ import annotations

from functools import partial as partial_
from itertools import pairwise
from math import isnan
from typing import TYPE_CHECKING, Any

from heatproof.config import roles
from heatproof.kinds.cell_records import Logs, Stretches, fair
from heatproof.kinds.pairwise import bins, board_evidence, words
from heatproof.kinds.pairwise.instances import Bins, gather
from heatproof.samples import selection
from heatproof.samples.counts import shown_counts
from heatproof.util.lazy import numpy as np
from heatproof.util.lazy import polars as pl
from heatproof.util.numerals import show

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heatproof.kinds.pairwise.entry import Entry

Story = dict[str, Any]
PLACES = 3
"""Stretches told for one instance of one model."""
INSTANCE = "#instance"
"""Column of the number of an instance; no other is called so."""


def records(
    samples: Sequence[pl.LazyFrame],
    entry: Entry,
    grid: pl.DataFrame,
    partial: Sequence[pl.LazyFrame] | None = None,
) -> Story:
    """What lies in each bin, as plain values: numbers and places, no words.

    `cells` stand in the order of the grid: `pairs` (numbers of instances) and `more` (how many are
    left out). `instances` says what each is joined on; `records`, for each model and each instance
    that is named: the measure, then where its records lie.
    """
    measured = pl.col(entry.measure).is_not_null()
    shown = partial_(selection.shown, figure=entry)
    graded = [shown(rows).filter(measured) for rows in samples]
    used, by = {*entry.shown(), *entry.join}, [entry.compare, *entry.join]
    instances = gather(shown_counts(graded, partial, shown, used, entry.measure, by), entry)
    inside = Bins(instances, grid)
    most = fair(size for size in inside.sizes if size)
    found = inside.first(most)
    named = sorted({instance for some in found for instance in some})
    number = {instance: n for n, instance in enumerate(named)}
    keys, logs = instances.named(named), Logs()
    means = {name: values[named].tolist() for name, values in instances.means.items()}
    return {
        "instances": _names(keys),
        "records": _records(graded, keys, means, entry, logs),
        "cells": [
            {"pairs": [number[instance] for instance in some], "more": size - len(some)}
            for some, size in zip(found, inside.sizes, strict=True)
        ],
        "logs": logs.listed(),
    }


def story(found: Mapping[str, Any], entry: Entry, grid: pl.DataFrame) -> Story:
    """What the audit page tells of each bin of a pairwise figure, as plain values.

    As `records`, with `facts` of each cell and the measures in words.

    Args:
        found: see `records`.
        entry: the figure's block of the config.
        grid: its bins.
    """
    if entry.board:
        own = board_evidence.story(found, entry, grid)
    else:
        rows = zip(grid.iter_rows(named=True), found["cells"], strict=True)
        cells = [{"facts": _facts(row), **cell} for row, cell in rows]
        own = {"panels": _panels(grid, entry), "facts": [*bins.FACTS], "cells": cells}
    return {
        **found,
        **_axes(grid),
        **own,
        "models": [*entry.named],
        "titles": [*entry.titles.values()],
        "measure": entry.axis,
        "records": [
            [None if one is None else [show(one[0], ".4~g"), *one[1:]] for one in of_model]
            for of_model in found["records"]
        ],
    }


def _names(keys: pl.DataFrame) -> list[str]:
    """What instances are joined on, without what is the same for all."""
    telling = [name for name in keys.columns if keys[name].n_unique() > 1] or keys.columns[-1:]
    return [", ".join(map(str, key)) for key in keys.select(telling).iter_rows()]


def _records(
    graded: Sequence[pl.LazyFrame],
    keys: pl.DataFrame,
    means: Mapping[str, Sequence[float]],
    entry: Entry,
    logs: Logs,
) -> list[list[Any]]:
    """For each model, for each instance of `keys`: [measure, *places]; None where it has none."""
    numbers = keys.with_columns(pl.Series(INSTANCE, np.arange(len(keys)))).lazy()
    places = {model: Stretches(INSTANCE, PLACES) for model in entry.named}
    for part in graded:
        rows = part.join(numbers, on=keys.columns)
        found = rows.select({*roles.PLACE, INSTANCE, entry.compare}).collect()
        for model, mine in places.items():
            mine.add(found.filter(pl.col(entry.compare) == entry.named[model]))
    told = {model: found.first_stretches(logs) for model, found in places.items()}
    return [
        [
            None if isnan(value) else [value, *told[model].get(n, [])]
            for n, value in enumerate(means[model])
        ]
        for model in entry.named
    ]


def _facts(row: Mapping[str, Any]) -> list[str | None]:
    lead = row["difference"]
    return [f"{row['samples']:,}", None if lead is None else show(lead, bins.SIGNED)]


def _panels(grid: pl.DataFrame, entry: Entry) -> list[Story]:
    """What panels are called, in the figure and for `heatproof trace`."""
    shown, titles = words.pair_table(grid).iter_rows(named=True), entry.titles
    return [
        {
            "pick": [["x_model", pair["x"]], ["y_model", pair["y"]]],
            "words": "",
            "x": f"x: {titles[pair['x']]}",
            "y": f"y: {titles[pair['y']]}",
        }
        for pair in shown
    ]


def _axes(grid: pl.DataFrame) -> Story:
    """The same of the bins along the axes."""
    size = words.across(grid)
    edges = [n / size for n in range(size + 1)]
    spans = [bins.span(*ends) for ends in pairwise(edges)]
    values = [str(edge) for edge in edges[:-1]]
    return {axis: {"name": axis, "values": values, "words": spans} for axis in ("x", "y")}
