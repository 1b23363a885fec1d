"""Behind a pairwise figure: the instances in each bin, and where their records lie."""

from __future__ import annotations

from functools import partial as partial_
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from heatproof.config import roles
from heatproof.kinds.pairwise import board, pairs
from heatproof.kinds.pairwise.aggregate import bin_of, gather_instances, gather_rows
from heatproof.kinds.trace import Stretches, fair
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
CELL, INSTANCE = "#cell", "#instance"
"""Columns of the numbers of a bin and of an instance; no other is called so."""
LEAD = "Mean of x − y"
FACTS = (LEAD, "Instances", board.INTERVAL, "Verdict", "x ahead", "Equal", "y ahead")
"""What is said of a square; of a bin the first two."""


def records(
    samples: Sequence[pl.LazyFrame],
    entry: Entry,
    grid: pl.DataFrame,
    partial: Sequence[pl.LazyFrame] | None = None,
) -> Story:
    """What lies in each bin, as plain values: numbers and places, no words.

    `cells` stand in the order of the grid: `instances` (what each is joined on, means of x and y),
    `more` (how many are left out), and `logs` (see `Stretches.listed`) by the numbers of
    `logs`.
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
    keys = pl.DataFrame(
        {name: column.values[column.codes[listed]] for name, column in instances.keys.items()}
    )
    # Without what is the same for all.
    columns = [name for name in keys.columns if keys[name].n_unique() > 1] or keys.columns[-1:]
    names = [", ".join(map(str, key)) for key in keys.select(columns).iter_rows()]
    name_of = dict(zip(listed, names, strict=True))
    cells, links = [], []
    for cell, (models, rows) in enumerate(zip(_models(grid), bins, strict=True)):
        x, y = (instances.means[model] for model in models)
        first = rows[:most].tolist()
        parts = [[name_of[n], float(x[n]), float(y[n])] for n in first]
        cells.append({"instances": parts, "more": len(rows) - len(first)})
        links += [(cell, entry.values[model], n) for model in models for n in first]
    schema: Any = {CELL: pl.Int64, entry.compare: samples[0].collect_schema()[entry.compare]}
    of_cells = pl.DataFrame(links, schema | {INSTANCE: pl.Int64}, orient="row").lazy()
    numbers = keys.with_columns(pl.Series(INSTANCE, listed, pl.Int64)).lazy()
    places = Stretches(CELL)
    for part in graded:
        placed = part.join(numbers, on=keys.columns).join(of_cells, on=[INSTANCE, entry.compare])
        places.add(placed.select(CELL, *roles.PLACE).collect())
    lines = places.listed()
    cells = [cell | {"logs": lines.get(n, [])} for n, cell in enumerate(cells)]
    return {"cells": cells, "logs": places.logs()}


def _models(grid: pl.DataFrame) -> list[tuple[str, str]]:
    return grid.select("x_model", "y_model").rows()


def _bins(instances: Instances, grid: pl.DataFrame) -> list[Ints]:
    """Numbers of the instances in each bin of the grid, ascending."""
    bins: list[Ints] = []
    size = pairs.across(grid)
    for models in dict.fromkeys(_models(grid)):
        x, y = (instances.means[model] for model in models)
        there = np.flatnonzero(~np.isnan(x + y))
        flat = bin_of(y[there], size) * size + bin_of(x[there], size)
        ends = np.cumsum(np.bincount(flat, minlength=size**2))[:-1]
        bins += np.split(there[np.argsort(flat, kind="stable")], ends)
    return bins


def story(records: Mapping[str, Any], entry: Entry, grid: pl.DataFrame) -> Story:
    """What the page says of each bin of a pairwise figure, as plain values.

    `cells` with `facts`, `parts` (the instances, each with x − y) and `logs`, panel by panel. Of a
    board the squares come first, then the densities, wherever a board of so many models has any:
    whether they have room is known to the drawing alone.
    """
    size = pairs.across(grid)
    edges = [n / size for n in range(size + 1)]
    axis = {
        "values": [str(edge) for edge in edges[:-1]],
        "words": [pairs.span(*ends) for ends in pairwise(edges)],
    }
    every, facts = pairs.read_pairs(grid), [*FACTS[:2]]
    panels: list[Story] = []
    cells: list[Story] = []
    if entry.board:
        every, facts = board.read_board(grid, entry).pairs, [*FACTS]
        panels = [_panel(pair, entry) | {"one": True} for pair in every]
        cells = [{"facts": _square_facts(pair)} for pair in every]
        every = [pair.turned() for pair in every] if len(entry.models) <= board.MOST else []
    panels += [_panel(pair, entry) for pair in every]
    models = _models(grid)
    for pair in every:
        for row in pair.bins:
            behind, turned = records["cells"][row["cell"]], models[row["cell"]][0] != pair.x
            texts: list[str | None]
            texts = [pairs.lead_text(row) or "no instances", f"{row['samples']:,}"]
            parts = [[name, _difference(x, y, turned)] for name, x, y in behind["instances"]]
            more = [[f"… and {behind['more']:,} more: use the command", ""]] * bool(behind["more"])
            texts += [None] * (len(facts) - 2)
            cells.append({"facts": texts, "parts": parts + more, "logs": behind["logs"]})
    return {
        **{name: {"name": name, **axis} for name in ("x", "y")},
        "panels": panels,
        "facts": facts,
        "parts": "Instance",
        "cells": cells,
        "logs": records["logs"],
    }


def _difference(x: float, y: float, turned: bool) -> str:
    x, y = (y, x) if turned else (x, y)
    return f"{show(x, '.4~g')} − {show(y, '.4~g')}"


def _panel(pair: Pair, entry: Entry) -> Story:
    """What a panel is called, in the figure and for `heatproof trace`."""
    pick = [["x_model", pair.x], ["y_model", pair.y]]
    titles = {axis: f"{axis}: {entry.titles[m]}" for axis, m in (("x", pair.x), ("y", pair.y))}
    return {"pick": pick, "words": "", **titles}


def _square_facts(pair: Pair) -> list[str | None]:
    texts = [pair.texts()[0], f"{pair.n:,}", pair.between, board.verdict(pair), *pair.tallies]
    return [text or None for text in texts]
