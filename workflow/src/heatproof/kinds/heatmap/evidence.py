"""Behind the cells of a heatmap: numbers, the lines they were read from, and both in words."""

from __future__ import annotations

import math
from functools import partial as partial_
from itertools import product
from typing import TYPE_CHECKING, Any

from heatproof.charts import wording
from heatproof.config import roles
from heatproof.kinds.cell_records import Logs, Stretches
from heatproof.kinds.heatmap import annotation, baseline_words, cells, printed, reasons, tallies
from heatproof.kinds.heatmap import reasons as words
from heatproof.kinds.heatmap.tallies import CELL
from heatproof.metrics import metric
from heatproof.samples import answers, selection
from heatproof.samples.counts import gather_counts, shown_counts, told_apart
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heatproof.kinds.heatmap.entry import Entry
    from heatproof.kinds.heatmap.panel import Row
    from heatproof.kinds.heatmap.reasons import Among
    from heatproof.metrics import Metric

Story = dict[str, Any]


def records(
    samples: Sequence[pl.LazyFrame],
    entry: Entry,
    grid: pl.DataFrame,
    partial: Sequence[pl.LazyFrame] | None = None,
) -> Story:
    """What lies behind each cell, as plain values: numbers and places, no words.

    `cells` stand in the order of the grid: `tally` and `parts` (see `solved`), and `logs` (see
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
    found = tallies.solved(counted, what)
    counts_right = {} if what.printed else tallies.tallies(found)
    parts = tallies.parts(found, what, _problem_values(graded, counted, entry))
    bases = _bases(samples, entry, grid, logs) if entry.relative_to else {}
    return {
        **bases,
        "graded": found.graded,
        "reconstructed": found.reconstructed,
        "cells": [
            {"tally": counts_right.get(n, []), "parts": parts.get(n, []), "logs": lines.get(n, [])}
            for n in range(len(grid))
        ],
        "logs": logs.listed(),
    }


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
    theirs = grid.with_row_index(BASE).select(*others.values(), pl.col(BASE) * 0)
    each = theirs.unique(maintain_order=True).drop(BASE).with_row_index(BASE)
    number = dict(zip(each.drop(BASE).rows(), each[BASE], strict=True))
    places, measure = Stretches(BASE), metric(entry.encoding.color).of
    tests = [*selection.holding(entry.baseline().where), pl.col(measure).is_not_null()]
    for rows in samples:
        mine = rows.filter(*tests).select(*others, *roles.PLACE).rename(others)
        placed = (
            mine.join(each.lazy(), on=[*others.values()])
            if others
            else mine.with_columns(pl.lit(0, pl.UInt32).alias(BASE))
        )
        places.add(placed.select(BASE, *roles.PLACE).collect())
    lines = places.first_stretches(logs)
    return {
        "bases": [lines.get(n, []) for n in range(max(len(each), 1))],
        "base_of": [number.get(row[:-1], 0) for row in theirs.rows()],
    }


def story(found: Mapping[str, Any], entry: Entry, grid: pl.DataFrame) -> Story:
    """What the audit page tells of each cell of a heatmap, as plain values.

    `cells` stand in the order of the grid: `facts` in the order of the figure's `facts`, `flags`,
    `tally` ([words, count] pairs), `parts` (tasks of which a mean was made) and `logs` (see
    `Stretches.first_stretches`).

    Args:
        found: see `records`.
        entry: the figure's block of the config.
        grid: its cells.
    """
    shown, digits = cells.shown_cells(grid, entry)
    among, higher = words.among_words(shown, entry), _higher(shown, entry)
    limits, unit = reasons.asked_column(grid), entry.unit_of_samples
    alone = {id(row) for row in reasons.untested(shown)}
    kind = {of: found[of] for of in ("graded", "reconstructed")}
    noted = [annotation.title(entry)] if entry.annotate else []
    if entry.relative_to:
        told = _beside(found, entry, shown, kind)
        return told | {"facts": [*told["facts"], *noted]} | _axes(grid, entry)
    return {
        **_axes(grid, entry),
        "facts": [cells.value_title(entry), *cells.facts(entry), *noted],
        "tally": tallies.measure_title(entry, **kind),
        "parts": wording.column("task", entry.labels),
        "cells": [
            {
                "facts": [*_facts(row), *_note(row, entry)],
                "flags": [
                    *_flags(row, among, n in higher, metric(entry.encoding.color)),
                    *([UNTESTED] if id(row) in alone else []),
                    *reasons.asked_notes(limits[n]),
                ],
                "tally": tallies.tally(behind["tally"], **kind, unit=unit),
                "parts": [tallies.part(one, entry, digits) for one in behind["parts"]],
                "logs": behind["logs"],
            }
            for n, (row, behind) in enumerate(zip(shown, found["cells"], strict=True))
        ],
        "logs": found["logs"],
    }


def _beside(
    found: Mapping[str, Any],
    entry: Entry,
    shown: Sequence[Row],
    kind: Mapping[str, bool],
) -> Story:
    """The same of cells beside a baseline: both sides, and as `base` the logs of the baseline."""
    unit = entry.unit_of_samples
    told = [
        {
            "facts": [
                *baseline_words.facts(row),
                *_note(row, entry),
            ],
            "flags": [one for one in (row["gap"] or row["stands"], _framed(row)) if one],
            "tally": tallies.tally(behind["tally"], **kind, unit=unit),
            "parts": [],
            "logs": behind["logs"],
            "base": [] if row["itself"] else found["bases"][base],
        }
        for row, behind, base in zip(shown, found["cells"], found["base_of"], strict=True)
    ]
    return {
        "facts": [cells.value_title(entry), *baseline_words.FACTS],
        "tally": f"Of the cell itself: {tallies.measure_title(entry, **kind)}",
        "parts": "",
        "base": f"Logs of the baseline: {baseline_words.baseline(entry)}",
        "cells": told,
        "logs": found["logs"],
    }


def _placed(rows: pl.LazyFrame, entry: Entry, grid: pl.DataFrame) -> pl.LazyFrame:
    """Samples, or counts of them, that the figure shows, each with the number of its cell."""
    places = grid.select(entry.places).with_row_index(CELL).lazy()
    mine = selection.shown(rows, entry.alone())
    return mine.join(places, left_on=entry.along, right_on=entry.places)


def _facts(row: Row) -> list[str | None]:
    """Value, standard error, interval and counts as text; None for what is not known."""
    graded = f"{row['epochs']:,} of {row['expected']:,}"
    known = row["error"] or None, row["between"] or None
    return [row["told"], *known, printed.size_words(row), graded]


def _note(row: Row, entry: Entry) -> list[str | None]:
    """What is printed beside the value, if something is."""
    return [row["noted"] or None] if entry.annotate else []


UNTESTED = "shares no problem with the others: in no test"


def _flags(row: Row, among: Among, higher: bool, what: Metric) -> list[str]:
    """What is said of a cell; `among`: what the cells are called that it is compared with."""
    top = f"{among.end}{among.its or ' of its panel'}"
    told = {
        f"{top}{' on equal problems' * row['uneven']}": row["best"],
        among.alike: row["tied"] and not row["best"],
        f"its value rests on other problems than that of the {among.end}": higher,
        f"incomplete: {reasons.lack_words(row, what)}": (row["incomplete"] and not row["missing"]),
        row["gap"]: row["missing"],
        _framed(row): row.get("framed_as"),
    }
    return [said for said, holds in told.items() if holds]


def _framed(row: Row) -> str:
    """That a cell has a frame, with its label; empty where it has none."""
    said = row.get("framed_as", "")
    return {"": "", "yes": "highlighted"}.get(said, f"highlighted: {said}")


def _higher(rows: Sequence[Row], entry: Entry) -> set[int]:
    """Cells that are not the best although their values are better: they rest on other problems."""
    sign = 1 if entry.best == "highest" else -1
    most: dict[int, float] = {}
    for row in rows:
        if row["best"] and row["uneven"]:
            most[row["peers"]] = max(sign * row["value"], most.get(row["peers"], -math.inf))
    return {
        n
        for n, row in enumerate(rows)
        if not (row["best"] or row["missing"])
        and row["peers"] in most
        and sign * row["value"] > most[row["peers"]]
    }


def _axes(grid: pl.DataFrame, entry: Entry) -> Story:
    """What panels and axes are called, in the figure and for `heatproof trace`."""
    along = {"x": entry.x, "y": entry.y}
    titles = {axis: wording.column(name, entry.labels) for axis, name in along.items()}
    return {
        "panels": _panels(entry, grid, titles),
        **{axis: _values(entry, name, _distinct(grid, axis)) for axis, name in along.items()},
    }


def _panels(entry: Entry, grid: pl.DataFrame, titles: Mapping[str, str]) -> list[Story]:
    """How each panel is picked, and what it is called; the panels of a row after each other."""
    called = [entry.called(column, _distinct(grid, column)) for column in entry.panels]
    return [
        {
            "pick": [[c, str(value)] for c, (value, _) in zip(entry.panels, one, strict=True)],
            "words": ", ".join(word for _, word in one),
            **titles,
        }
        for one in product(*(names.items() for names in called))
    ]


def _values(entry: Entry, column: str, values: Sequence[Any]) -> Story:
    return {
        "name": column,
        "values": [str(value) for value in values],
        "words": list(entry.called(column, values).values()),
    }


def _distinct(grid: pl.DataFrame, column: str) -> list[Any]:
    return list(dict.fromkeys(grid[column]))
