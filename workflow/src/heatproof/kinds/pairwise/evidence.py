"""Behind a pairwise figure: what the page says of each bin and square that is opened.

The instances in them, and where the records of both models lie.
"""

from __future__ import annotations

from functools import partial as partial_
from itertools import pairwise
from math import isnan
from typing import TYPE_CHECKING, Any

from heatproof.config import roles
from heatproof.kinds.cell_records import Logs, Stretches, fair
from heatproof.kinds.pairwise import board, pairs
from heatproof.kinds.pairwise.aggregate import bin_of, gather_instances, gather_rows
from heatproof.kinds.pairwise.board_layout import MOST
from heatproof.samples import selection
from heatproof.samples.counts import shown_counts
from heatproof.util.lazy import numpy as np
from heatproof.util.lazy import polars as pl
from heatproof.util.numerals import show

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heatproof.kinds.pairwise.aggregate import Instances, Ints
    from heatproof.kinds.pairwise.entry import Entry
    from heatproof.kinds.pairwise.pairs import Pair

Story = dict[str, Any]
PLACES = 3
"""Stretches of records named for one instance of one model."""
LISTED = 20
"""Instances of a square that are named."""
INSTANCE = "#instance"
"""Column of the number of an instance; no other is called so."""
FACTS = (*pairs.FACTS, board.INTERVAL, "Verdict", "x ahead", "Equal", "y ahead")
"""What is said of a square; of a bin the first two."""


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
    shown = partial_(selection.of_figure, figure=entry)
    graded = [shown(rows).filter(measured) for rows in samples]
    used, by = {*entry.shown(), *entry.join}, [entry.compare, *entry.join]
    counts = shown_counts(graded, partial, shown, used, entry.measure, by)
    instances = gather_instances(gather_rows(counts, entry), entry)
    bins = _bins(instances, grid)
    most = fair(len(rows) for rows in bins if len(rows))
    listed = sorted({instance for rows in bins for instance in rows[:most].tolist()})
    number = {instance: n for n, instance in enumerate(listed)}
    keys = pl.DataFrame(
        {name: column.values[column.codes[listed]] for name, column in instances.keys.items()}
    )
    # Without what is the same for all.
    columns = [name for name in keys.columns if keys[name].n_unique() > 1] or keys.columns[-1:]
    means = {name: values[listed].tolist() for name, values in instances.means.items()}
    logs = Logs()
    return {
        "instances": [", ".join(map(str, key)) for key in keys.select(columns).iter_rows()],
        "records": _records(graded, keys, means, entry, logs),
        "cells": [
            {"pairs": [number[n] for n in rows[:most].tolist()], "more": len(rows[most:])}
            for rows in bins
        ],
        "logs": logs.listed(),
    }


def _bins(instances: Instances, grid: pl.DataFrame) -> list[Ints]:
    """Numbers of the instances in each bin of the grid, ascending."""
    bins: list[Ints] = []
    size = pairs.across(grid)
    for models in grid.select("x_model", "y_model").unique(maintain_order=True).rows():
        x, y = (instances.means[model] for model in models)
        there = np.flatnonzero(~np.isnan(x + y))
        flat = bin_of(y[there], size) * size + bin_of(x[there], size)
        ends = np.cumsum(np.bincount(flat, minlength=size**2))[:-1]
        bins += np.split(there[np.argsort(flat, kind="stable")], ends)
    return bins


def _records(
    graded: Sequence[pl.LazyFrame],
    keys: pl.DataFrame,
    means: Mapping[str, Sequence[float]],
    entry: Entry,
    logs: Logs,
) -> list[list[Any]]:
    """For each model, for each instance of `keys`: [measure, *places]; None where it has none."""
    numbers = keys.with_columns(pl.Series(INSTANCE, np.arange(len(keys)))).lazy()
    stretches = {model: Stretches(INSTANCE, PLACES) for model in entry.values}
    for part in graded:
        joined = part.join(numbers, on=keys.columns)
        rows = joined.select({*roles.PLACE, INSTANCE, entry.compare}).collect()
        for model, value in entry.values.items():
            stretches[model].add(rows.filter(pl.col(entry.compare) == value))
    places = {model: own.first_stretches(logs) for model, own in stretches.items()}
    return [
        [
            None if isnan(value) else [value, *places[model].get(n, [])]
            for n, value in enumerate(means[model])
        ]
        for model in entry.values
    ]


def story(found: Mapping[str, Any], entry: Entry, grid: pl.DataFrame) -> Story:
    """What the page says of each bin of a pairwise figure, as plain values.

    As `records`, with `panels`, `facts` of each cell and the measures in words. Of a board the
    squares come first, then the densities, wherever a board of so many models has any: whether they
    have room is known to the drawing alone.
    """
    size = pairs.across(grid)
    edges = [n / size for n in range(size + 1)]
    axis = {
        "values": [str(edge) for edge in edges[:-1]],
        "words": [pairs.span(*ends) for ends in pairwise(edges)],
    }
    every, cells = pairs.read_pairs(grid), found["cells"]
    panels, stories, facts = [], [], len(pairs.FACTS)
    if entry.board:
        every, facts = board.read_board(grid, entry).pairs, len(FACTS)
        panels = [_panel(pair, entry) | {"one": True} for pair in every]
        stories = [_square(pair, cells) for pair in every]
        every = [pair.turned() for pair in every] if len(entry.models) <= MOST else []
    panels += [_panel(pair, entry) for pair in every]
    for pair in every:
        for row in pair.bins:
            texts = [f"{row['samples']:,}", pairs.lead_text(row) or None]
            texts += [None] * (facts - len(texts))
            stories.append({"facts": texts, **cells[row["cell"]]})
    return {
        **found,
        **{name: {"name": name, **axis} for name in ("x", "y")},
        "panels": panels,
        "facts": [*FACTS[:facts]],
        "cells": stories,
        "models": [*entry.values],
        "titles": [*entry.titles.values()],
        "measure": entry.axis,
        "records": [
            [None if record is None else [show(record[0], ".4~g"), *record[1:]] for record in model]
            for model in found["records"]
        ],
    }


def _panel(pair: Pair, entry: Entry) -> Story:
    """What a panel is called, in the figure and for `heatproof trace`."""
    x, y = entry.titles[pair.x], entry.titles[pair.y]
    pick = [["x_model", pair.x], ["y_model", pair.y]]
    return {"pick": pick, "words": "", "x": f"x: {x}", "y": f"y: {y}"}


def _square(pair: Pair, cells: Sequence[Story]) -> Story:
    """The facts of a pair, its first instances over all bins, and how many more there are."""
    # Bin after bin in the order of the grid, whichever of the two is x.
    inside = [cells[n] for n in sorted(row["cell"] for row in pair.bins)]
    instances = [n for cell in inside for n in cell["pairs"]]
    texts = [pair.between, board.verdict(pair), *pair.tallies]
    return {
        "facts": [f"{pair.n:,}", pair.texts()[0], *(text or None for text in texts)],
        "pairs": instances[:LISTED],
        "more": len(instances[LISTED:]) + sum(cell["more"] for cell in inside),
    }
