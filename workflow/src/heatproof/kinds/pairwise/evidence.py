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
from heatproof.kinds.pairwise import board, words
from heatproof.kinds.pairwise.board_layout import MOST
from heatproof.kinds.pairwise.instances import Bins, gather_instances, gather_rows
from heatproof.samples import selection
from heatproof.samples.counts import shown_counts
from heatproof.util.lazy import numpy as np
from heatproof.util.lazy import polars as pl
from heatproof.util.numerals import show

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heatproof.kinds.pairwise.board import Board, Duel
    from heatproof.kinds.pairwise.entry import Entry

Story = dict[str, Any]
PLACES = 3
"""Stretches of records named for one instance of one model."""
LISTED = 20
"""Instances of a square that are named."""
INSTANCE = "#instance"
"""Column of the number of an instance; no other is called so."""
FACTS = (*words.FACTS, board.INTERVAL, "Verdict", "x ahead", "Equal", "y ahead")
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
    shown = partial_(selection.shown, figure=entry)
    graded = [shown(rows).filter(measured) for rows in samples]
    used, by = {*entry.shown(), *entry.join}, [entry.compare, *entry.join]
    counts = shown_counts(graded, partial, shown, used, entry.measure, by)
    instances = gather_instances(gather_rows(counts, entry), entry)
    bins = Bins(instances, grid)
    first = bins.first(fair(size for size in bins.sizes if size))
    named = sorted({instance for numbers in first for instance in numbers})
    number = {instance: n for n, instance in enumerate(named)}
    keys, logs = instances.names(named), Logs()
    # Without what is the same for all.
    columns = [name for name in keys.columns if keys[name].n_unique() > 1] or keys.columns[-1:]
    means = {name: values[named].tolist() for name, values in instances.means.items()}
    return {
        "instances": [", ".join(map(str, key)) for key in keys.select(columns).iter_rows()],
        "records": _records(graded, keys, means, entry, logs),
        "cells": [
            {"pairs": [number[instance] for instance in numbers], "more": size - len(numbers)}
            for numbers, size in zip(first, bins.sizes, strict=True)
        ],
        "logs": logs.listed(),
    }


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
    """What the audit page says of each bin of a pairwise figure, as plain values.

    As `records`, with `panels`, `facts` of each cell and the measures in words.

    Args:
        found: see `records`.
        entry: the figure's block of the config.
        grid: its bins.
    """
    size = words.across(grid)
    edges = [n / size for n in range(size + 1)]
    values = [str(edge) for edge in edges[:-1]]
    spans = [words.span(*ends) for ends in pairwise(edges)]
    return {
        **found,
        **{axis: {"name": axis, "values": values, "words": spans} for axis in ("x", "y")},
        **(_board_cells if entry.board else _panel_cells)(found["cells"], entry, grid),
        "models": [*entry.values],
        "titles": [*entry.titles.values()],
        "measure": entry.axis,
        "records": [
            [None if record is None else [show(record[0], ".4~g"), *record[1:]] for record in model]
            for model in found["records"]
        ],
    }


def _panel(x: str, y: str, titles: Mapping[str, str]) -> Story:
    """What a panel is called, in the figure and for `heatproof trace`."""
    pick = [["x_model", x], ["y_model", y]]
    return {"pick": pick, "words": "", "x": f"x: {titles[x]}", "y": f"y: {titles[y]}"}


def _panel_cells(cells: Sequence[Story], entry: Entry, grid: pl.DataFrame) -> Story:
    """Bins in the order of the grid."""
    pairs = words.pair_table(grid).select("x", "y").iter_rows()
    rows = zip(grid.select("samples", "difference").iter_rows(), cells, strict=True)
    return {
        "panels": [_panel(x, y, entry.titles) for x, y in pairs],
        "facts": [*words.FACTS],
        "cells": [{"facts": _bin_facts(*numbers), **cell} for numbers, cell in rows],
    }


def _bin_facts(count: int, difference: float | None) -> list[str | None]:
    return [f"{count:,}", None if difference is None else show(difference, words.SIGNED)]


def _board_cells(cells: Sequence[Story], entry: Entry, grid: pl.DataFrame) -> Story:
    """The squares in the order of the board, then the densities.

    Densities stand there where a board of so many models has any, for it is known to the drawing
    alone whether they had room.
    """
    titles, shown = entry.titles, board.read_board(grid, entry)
    pairs = words.pair_table(grid).select("x", "y").rows()
    size = words.across(grid) ** 2
    bins = []
    for duel in shown.duels:
        pair = (duel.row, duel.column) if duel.turned else (duel.column, duel.row)
        start = pairs.index(pair) * size
        bins.append(cells[start : start + size])
    panels = [_panel(duel.column, duel.row, titles) | {"one": True} for duel in shown.duels]
    squares = [_square(duel, inside) for duel, inside in zip(shown.duels, bins, strict=True)]
    if len(entry.models) <= MOST:
        panels += [_panel(duel.row, duel.column, titles) for duel in shown.duels]
        for duel, inside in zip(shown.duels, bins, strict=True):
            squares += _density(duel, inside, shown)
    return {"panels": panels, "facts": [*FACTS], "cells": squares}


def _square(duel: Duel, cells: Sequence[Story]) -> Story:
    """The facts of a pair, its first instances over all bins, and how many more there are."""
    texts = [duel.between, duel.verdict, *duel.tallies]
    instances = [n for cell in cells for n in cell["pairs"]]
    total = len(instances) + sum(cell["more"] for cell in cells)
    return {
        "facts": [f"{duel.n:,}", duel.lead_text(), *(text or None for text in texts)],
        "pairs": instances[:LISTED],
        "more": total - len(instances[:LISTED]),
    }


def _density(duel: Duel, cells: Sequence[Story], shown: Board) -> list[Story]:
    """The cells of a density, row by row from below: the row's model of the square is its x."""
    across = shown.across
    leads = {
        (round(row["x0"] * across), round(row["y0"] * across)): row["difference"]
        for row in duel.bins
    }
    density = []
    for y in range(across):
        for x in range(across):
            cell = cells[y * across + x] if duel.turned else cells[x * across + y]
            facts = _bin_facts(len(cell["pairs"]) + cell["more"], leads.get((x, y)))
            density.append({"facts": [*facts, *[None] * (len(FACTS) - len(facts))], **cell})
    return density
