"""Behind the cells of a heatmap: numbers, the lines they were read from, and both in words."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

from heatproof.charts import wording
from heatproof.config import roles
from heatproof.kinds.heatmap import cells, reasons, words
from heatproof.kinds.trace import Stretches
from heatproof.metrics import metric
from heatproof.samples import selection
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heatproof.kinds.heatmap.entry import Entry
    from heatproof.kinds.heatmap.panel import Row

Story = dict[str, Any]
CELL = "#cell"
"""Column of the number of a cell in the grid; no hyper-parameter is called so."""


def records(
    samples: Sequence[pl.LazyFrame],
    entry: Entry,
    grid: pl.DataFrame,
    partial: Sequence[pl.LazyFrame] | None = None,  # noqa: ARG001 - all kinds are asked alike
) -> Story:
    """What lies behind each cell, as plain values: numbers and places, no words.

    `cells` stand in the order of the grid: `parts` (its column), and `logs` (see
    `Stretches.listed`) by the numbers of `logs`.
    """
    what, places = metric(entry.encoding.color), Stretches(CELL)
    cells_ = grid.select(entry.places).with_row_index(CELL).lazy()
    for rows in samples:
        own = selection.of_figure(rows.filter(pl.col(what.of).is_not_null()), entry.alone())
        placed = own.join(cells_, left_on=entry.along, right_on=entry.places)
        places.add(placed.select(CELL, *roles.PLACE).collect())
    lines = places.listed()
    parts = grid["parts"].to_list() if "parts" in grid.columns else [None] * len(grid)
    return {
        "cells": [
            {"parts": [[*part.values()] for part in some or ()], "logs": lines.get(n, [])}
            for n, some in enumerate(parts)
        ],
        "logs": places.logs(),
    }


def story(records: Mapping[str, Any], entry: Entry, grid: pl.DataFrame) -> Story:
    """What the page tells of each cell of a heatmap, as plain values.

    `cells` stand in the order of the grid: `facts` in the order of the figure's `facts`, `flags`,
    `parts` (tasks of which a mean was made) and `logs` (see `Stretches.listed`).

    Args:
        records: see `records`.
        entry: the figure's block of the config.
        grid: its cells.
    """
    rows, digits = cells.shown_cells(grid, entry)
    facts, beside, page = words.facts(entry), bool(entry.relative_to), []
    flags = _flags(rows, grid, entry)
    for row, said, behind in zip(rows, flags, records["cells"], strict=True):
        parts = []
        for task, value, *counts in [] if beside else behind["parts"]:
            (name,) = entry.called("task", [task]).values()
            own = entry.unit.value(value)
            parts.append([name, "–" if own is None else digits.value(own), *counts])
        texts = [row["told"], *(row[key] or None for key in facts.values())]
        page.append({"facts": texts, "flags": said, "parts": parts, "logs": behind["logs"]})
    return {
        **_axes(grid, entry),
        "facts": [cells.value_title(entry), *facts],
        "parts": "" if beside else wording.column("task", entry.labels),
        "cells": page,
        "logs": records["logs"],
    }


def _flags(rows: Sequence[Row], grid: pl.DataFrame, entry: Entry) -> list[list[str]]:
    """What is said of each cell: how it stands, and what it lacks."""
    what, alone = metric(entry.encoding.color), {id(row) for row in reasons.untested(rows)}
    top = f"{entry.best} of its {reasons.figure_scope(rows, entry) or 'panel'}"
    alike = words.alike_words(rows, entry)
    flags = []
    for row, limit in zip(rows, reasons.asked_column(grid), strict=True):
        label = row.get("framed_as")
        if entry.relative_to:
            said = {row["gap"] or row["stands"]: row["gap"] or row["stands"]}
        else:
            said = {
                f"{top}{' on equal problems' * row['uneven']}": row["best"],
                alike: row["tied"] and not row["best"],
                f"incomplete: {reasons.lack_words(row, what)}": row["incomplete"]
                and not row["missing"],
                row["gap"]: row["missing"],
            }
        said["highlighted" if label == "yes" else f"highlighted: {label}"] = label
        if not entry.relative_to:
            said["shares no problem with the others: in no test"] = id(row) in alone
            said[f"asked for {limit}"] = limit
        flags.append([text for text, holds in said.items() if holds])
    return flags


def _axes(grid: pl.DataFrame, entry: Entry) -> Story:
    """What panels and axes are called, in the figure and for `heatproof trace`.

    The panels of a row stand after each other, each with the values that pick it.
    """

    def names(column: str, at: str) -> dict[Any, str]:
        return entry.called(column, list(dict.fromkeys(grid[at])))

    along = {"x": entry.x, "y": entry.y}
    titles = {axis: wording.column(column, entry.labels) for axis, column in along.items()}
    panels = product(*(names(column, column).items() for column in entry.panels))
    return {
        "panels": [
            {
                "pick": [[c, str(v)] for c, (v, _) in zip(entry.panels, panel, strict=True)],
                "words": ", ".join(word for _, word in panel),
                **titles,
            }
            for panel in panels
        ],
        **{
            axis: {
                "name": column,
                "values": [str(value) for value in names(column, axis)],
                "words": [*names(column, axis).values()],
            }
            for axis, column in along.items()
        },
    }
