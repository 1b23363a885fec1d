"""Behind the cells of a heatmap: numbers, the lines they were read from, and both in words."""

from __future__ import annotations

from functools import partial as partial_
from itertools import product
from typing import TYPE_CHECKING, Any

from heatproof.charts import wording
from heatproof.config import roles
from heatproof.kinds.heatmap import cells, reasons, words
from heatproof.kinds.stretches import BUDGET, Logs, Stretches
from heatproof.metrics import metric
from heatproof.samples import answers, selection
from heatproof.samples.counts import added_up, gather_counts, shown_counts, told_apart
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heatproof.kinds.heatmap.entry import Entry
    from heatproof.kinds.heatmap.panel import Row
    from heatproof.metrics import Metric

Story = dict[str, Any]
CELL = "#cell"
"""Column of the number of a cell in the grid; no hyper-parameter is called so."""


def records(
    samples: Sequence[pl.LazyFrame],
    entry: Entry,
    grid: pl.DataFrame,
    partial: Sequence[pl.LazyFrame] | None = None,
) -> Story:
    """What lies behind each cell, as plain values: numbers and places, no words.

    `cells` stand in the order of the grid: `parts` (see `_parts`), and `logs` (see
    `Stretches.first_stretches`) by the numbers of `logs`.
    """
    what, logs, places = metric(entry.encoding.color), Logs(), Stretches(CELL)
    placed = partial_(_placed, entry=entry, grid=grid)
    graded = [placed(rows.filter(pl.col(what.of).is_not_null())) for rows in samples]
    for rows in graded:
        places.add(rows.select(CELL, *roles.PLACE).collect())
    lines, over = places.first_stretches(logs), [entry.averaged] if entry.averaged else []
    used = {*entry.along, *entry.alone().shown(), *over}
    counted = shown_counts(graded, partial, placed, used, what.of, [CELL, *over])
    parts = _parts(counted, what, _problem_values(graded, counted, entry))
    return {
        **(_bases(samples, entry, grid, logs) if entry.relative_to else {}),
        "cells": [{"parts": parts.get(n, []), "logs": lines.get(n, [])} for n in range(len(grid))],
        "logs": logs.listed(),
    }


def _parts(
    counted: Sequence[pl.LazyFrame], what: Metric, values: pl.DataFrame | None
) -> dict[int, list[Any]]:
    """Cell → [task, value, problems, graded rows] each, where it is the mean of several tasks.

    `values`: those of problems, where they do not follow from counts (`samples.answers`).
    """
    apart, key = told_apart(counted[0].collect_schema().names()), [CELL, "task", "sample_id"]
    rows = added_up(gather_counts(counted, what, [*dict.fromkeys([CELL, *apart])]), key)
    columns = {name: rows.columns[name] for name in key}
    heads = {name: numbers[codes] for name, (codes, numbers) in columns.items()}
    problems = pl.DataFrame({**heads, **rows.numbers}).sort(key)
    if values is not None:
        total = answers.of_problems(problems, values)
        problems, what = problems.with_columns(total=total), what.by_problem()
    pairs = problems.select(CELL, "task").n_unique()
    if pairs > BUDGET or pairs == problems[CELL].n_unique():
        return {}
    parts: dict[int, list[Any]] = {}
    for part in problems.partition_by(CELL, "task", maintain_order=True):
        count, total = part["count"].to_numpy(), part["total"].to_numpy()
        value, size = what.value(count, total)
        if part["reconstructed"].any():
            value, size = float(total.sum() / count.sum()), len(part)
        row = [part["task"][0], value, size, int(count.sum())]
        parts.setdefault(int(part[CELL][0]), []).append(row)
    return {cell: tasks for cell, tasks in parts.items() if len(tasks) > 1}


def _problem_values(
    graded: Sequence[pl.LazyFrame], counted: Sequence[pl.LazyFrame], entry: Entry
) -> pl.DataFrame | None:
    """The value of each problem, where it does not follow from the sum of its samples."""
    what, over = metric(entry.encoding.color), entry.averaged
    key = [*([over] if over else []), CELL, "task", "sample_id"]
    if what.votes:
        values = answers.votes(graded, what, key)
    elif over and what.k:
        apart = told_apart(counted[0].collect_schema().names())
        rows = gather_counts(counted, what, [*dict.fromkeys([*key, *apart])])
        values = answers.values_of_counts(rows, what, key)
    else:
        return None
    return answers.averaged(values, over) if over else values


BASE = "#base"
"""Column of the number of a baseline."""


def _bases(samples: Sequence[pl.LazyFrame], entry: Entry, grid: pl.DataFrame, logs: Logs) -> Story:
    """The logs of baselines as `bases`, and as `base_of` the number of that of each cell."""
    names = dict(zip(entry.along, entry.places, strict=True))
    others = {name: at for name, at in names.items() if name not in entry.relative_to}
    keys = grid.with_row_index(BASE).select(*others.values(), pl.col(BASE) * 0)
    bases = keys.unique(maintain_order=True).drop(BASE).with_row_index(BASE)
    number = dict(zip(bases.drop(BASE).rows(), bases[BASE], strict=True))
    places, measure = Stretches(BASE), metric(entry.encoding.color).of
    tests = [*selection.holding(entry.baseline().where), pl.col(measure).is_not_null()]
    for rows in samples:
        own = rows.filter(*tests).select(*others, *roles.PLACE).rename(others)
        placed = (
            own.join(bases.lazy(), on=[*others.values()])
            if others
            else own.with_columns(pl.lit(0, pl.UInt32).alias(BASE))
        )
        places.add(placed.select(BASE, *roles.PLACE).collect())
    lines = places.first_stretches(logs)
    return {
        "bases": [lines.get(n, []) for n in range(max(len(bases), 1))],
        "base_of": [number.get(row[:-1], 0) for row in keys.rows()],
    }


def story(records: Mapping[str, Any], entry: Entry, grid: pl.DataFrame) -> Story:
    """What the page tells of each cell of a heatmap, as plain values.

    `cells` stand in the order of the grid: `facts` in the order of the figure's `facts`, `flags`,
    `parts` (tasks of which a mean was made) and `logs` (see `Stretches.first_stretches`); beside a
    baseline also `base`, its logs.

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
    for row, cell, base in zip(rows, page, records.get("base_of", ()), strict=False):
        cell["base"] = [] if row["itself"] else records["bases"][base]
    name = f"Logs of the baseline: {words.baseline_name(entry)}"
    return {
        **_axes(grid, entry),
        "facts": [cells.value_title(entry), *facts],
        "parts": "" if beside else wording.column("task", entry.labels),
        "cells": page,
        "logs": records["logs"],
        **({"base": name} if beside else {}),
    }


def _placed(rows: pl.LazyFrame, entry: Entry, grid: pl.DataFrame) -> pl.LazyFrame:
    """Samples, or counts of them, that the figure shows, each with the number of its cell."""
    places = grid.select(entry.places).with_row_index(CELL).lazy()
    own = selection.of_figure(rows, entry.alone())
    return own.join(places, left_on=entry.along, right_on=entry.places)


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
