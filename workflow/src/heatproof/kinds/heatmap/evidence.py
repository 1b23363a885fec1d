"""Behind the cells of a heatmap: numbers, the lines they were read from, and both in words."""

from __future__ import annotations

import math
from functools import partial as partial_
from itertools import product
from typing import TYPE_CHECKING, Any

from heatproof.charts import wording
from heatproof.config import roles
from heatproof.kinds.cell_records import Logs, Stretches
from heatproof.kinds.heatmap import annotation, baseline_words, cells, printed, problems, reasons
from heatproof.kinds.heatmap import reasons as words
from heatproof.kinds.heatmap.problems import CELL
from heatproof.metrics import metric
from heatproof.samples import answers, selection
from heatproof.samples.counts import shown_counts
from heatproof.util.lazy import polars as pl
from heatproof.util.numerals import show

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heatproof.kinds.heatmap.entry import Entry
    from heatproof.kinds.heatmap.reasons import Among

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
    lines, used = places.first_stretches(logs), {*entry.along, *entry.alone().shown()}
    found = problems.solved(shown_counts(graded, partial, placed, used, what.of, [CELL]), what)
    by = [CELL, "task", "sample_id"]
    votes = answers.votes(graded, what, by) if what.votes else None
    tallies = {} if what.printed else problems.tallies(found)
    parts = problems.parts(found, what, votes)
    bases = _bases(samples, entry, grid, logs) if entry.relative_to else {}
    return {
        **bases,
        "graded": found.graded,
        "reconstructed": found.reconstructed,
        "cells": [
            {"tally": tallies.get(n, []), "parts": parts.get(n, []), "logs": lines.get(n, [])}
            for n in range(len(grid))
        ],
        "logs": logs.listed(),
    }


BASE = "#base"
"""Column of the number of a baseline."""


def _bases(samples: Sequence[pl.LazyFrame], entry: Entry, grid: pl.DataFrame, logs: Logs) -> Story:
    """The logs of baselines as `bases`, and as `base_of` the number of that of each cell."""
    names = dict(zip(entry.along, entry.places, strict=True))
    others = {name: at for name, at in names.items() if name not in entry.apart}
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
    shown, spec = cells.shown_cells(grid, entry)
    among, higher = words.among_words(shown, entry), _higher(shown, entry)
    limits, unit = reasons.asked_column(grid), entry.unit_of_samples
    kind = {of: found[of] for of in ("graded", "reconstructed")}
    noted = [annotation.title(entry)] if entry.annotate else []
    if entry.relative_to:
        told = _beside(found, entry, shown, spec, kind)
        return told | {"facts": [*told["facts"], *noted]} | _axes(grid, entry)
    return {
        **_axes(grid, entry),
        "facts": [cells.value_title(entry), *cells.facts(entry), *noted],
        "tally": problems.measure_title(entry, **kind),
        "parts": wording.column("task", entry.labels),
        "cells": [
            {
                "facts": [*_facts(row, spec), *_note(row, entry)],
                "flags": [*_flags(row, entry, among, n in higher), *reasons.asked_notes(limits[n])],
                "tally": problems.tally(behind["tally"], **kind, unit=unit),
                "parts": [problems.part(one, entry, spec) for one in behind["parts"]],
                "logs": behind["logs"],
            }
            for n, (row, behind) in enumerate(zip(shown, found["cells"], strict=True))
        ],
        "logs": found["logs"],
    }


def _beside(
    found: Mapping[str, Any],
    entry: Entry,
    shown: Sequence[cells.Row],
    spec: str,
    kind: Mapping[str, bool],
) -> Story:
    """The same of cells beside a baseline: both sides, and as `base` the logs of the baseline."""
    unit = entry.unit_of_samples
    told = [
        {
            "facts": [
                *baseline_words.facts(row, spec, cells.between(row, spec)),
                *_note(row, entry),
            ],
            "flags": [one for one in (row["gap"] or row["stands"], _framed(row)) if one],
            "tally": problems.tally(behind["tally"], **kind, unit=unit),
            "parts": [],
            "logs": behind["logs"],
            "base": [] if row["itself"] else found["bases"][base],
        }
        for row, behind, base in zip(shown, found["cells"], found["base_of"], strict=True)
    ]
    return {
        "facts": [cells.value_title(entry), *baseline_words.FACTS],
        "tally": f"Of the cell itself: {problems.measure_title(entry, **kind)}",
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


def _facts(row: cells.Row, spec: str) -> list[str | None]:
    """Value, standard error, interval and counts as text; None for what is not known."""
    value = row["gap"] if row["value"] is None else show(row["value"], spec)
    graded = f"{row['epochs']:,} of {row['expected']:,}"
    known = cells.error(row, spec) or None, cells.between(row, spec) or None
    return [value, *known, printed.size_words(row), graded]


def _note(row: cells.Row, entry: Entry) -> list[str | None]:
    """What is printed beside the value, if something is."""
    return [row["noted"] or None] if entry.annotate else []


def _flags(row: cells.Row, entry: Entry, among: Among, higher: bool) -> list[str]:
    """What is said of a cell; `among`: what the cells are called that it is compared with."""
    best = "best on equal problems" if row["uneven"] else entry.best
    told = {
        f"{best}{among.its or ' of its panel'}": row["best"],
        f"not distinguishable from the {best}{among.its}": row["tied"] and not row["best"],
        "its value rests on other problems than that of the best": higher,
        "incomplete: a full run holds more rows": row["incomplete"] and not row["missing"],
        row["gap"]: row["missing"],
        _framed(row): row.get("framed_as"),
    }
    return [said for said, holds in told.items() if holds]


def _framed(row: cells.Row) -> str:
    """That a cell has a frame, with its label; empty where it has none."""
    said = row.get("framed_as", "")
    return {"": "", "yes": "highlighted"}.get(said, f"highlighted: {said}")


def _higher(rows: Sequence[cells.Row], entry: Entry) -> set[int]:
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
