"""What lies behind numbers about two values, for the page: instances, and the places of records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heatproof.config import roles
from heatproof.kinds import pair_grid
from heatproof.kinds.trace import Stretches, fair
from heatproof.metrics import metric
from heatproof.samples import selection
from heatproof.util.lazy import numpy as np
from heatproof.util.lazy import polars as pl
from heatproof.util.numerals import show

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heatproof.kinds.columns import Grid, Partial, Portions
    from heatproof.kinds.pair_grid import Instances
    from heatproof.kinds.picture import Story
    from heatproof.kinds.question import Question

CELL = "#cell"  # column of the number of a cell
TITLES = "Instance", "Row − column"
"""What the page calls instances, and what it says of each."""


def pair_records(samples: Portions, question: Question, grid: Grid, partial: Partial) -> Story:
    """The instances of each cell, as plain values: numbers and places, no words.

    `cells` stand in the order of the grid: `instances` (what each is joined on, and the means of
    both sides; those that differ most come first), `more` (how many are left out), and `logs` (see
    `Stretches.listed`) by the numbers of `logs`.
    """
    panels = pair_grid.read_instances(pl.concat(samples), question, partial)
    ordered = []
    for row in grid.iter_rows(named=True):
        panel = tuple(row[name] for name in question.panels)
        instances = panels[panel]
        ordered.append(_by_distance(instances, row["y"], row["x"]))
    most_listed = fair(len(numbers) for numbers in ordered if len(numbers))
    cells = []
    links: list[dict[str, Any]] = []
    for cell, row in enumerate(grid.iter_rows(named=True)):
        panel = tuple(row[name] for name in question.panels)
        instances = panels[panel]
        numbers = ordered[cell]
        listed = numbers[:most_listed]
        names = _instance_names(instances, listed)
        sides = instances.sides(row["y"], row["x"])
        values = []
        for number, name in zip(listed.tolist(), names, strict=True):
            scores = [float(instances.means[side][number]) for side in sides]
            values.append([name, *scores])
            place = {CELL: cell} | dict(zip(question.panels, panel, strict=True))
            for key, column in instances.keys.items():
                place[key] = column.value_of(number)
            columns = question.side_columns
            links += [place | dict(zip(columns, side, strict=True)) for side in sides]
        cells.append({"instances": values, "more": len(numbers) - len(listed)})
    places = _stretches(samples, question, links)
    lines = places.listed()
    for number, behind in enumerate(cells):
        behind["logs"] = lines.get(number, [])
    return {"cells": cells, "logs": places.logs()}


def _by_distance(instances: Instances, value: Any, other: Any) -> Any:
    """Numbers of the instances of two values, those that differ most first."""
    if value == other:
        return np.zeros(0, np.int64)
    sides = instances.sides(value, other)
    common = instances.common(sides)
    if not len(common):
        return common
    first, second = (instances.means[side][common] for side in sides)
    return common[np.argsort(-np.abs(first - second), kind="stable")]


def _instance_names(instances: Instances, listed: Any) -> list[str]:
    """What instances are called: without the columns that are the same for all of a panel."""
    columns = [column for column in instances.keys.values() if len(set(column.codes.tolist())) > 1]
    columns = columns or list(instances.keys.values())[-1:]
    names = []
    for number in listed.tolist():
        values = (column.value_of(number) for column in columns)
        names.append(", ".join(map(str, values)))
    return names


def _stretches(samples: Portions, question: Question, links: Sequence[dict[str, Any]]) -> Stretches:
    """The places of the records of some instances; `links`: cell, panel, side and instance."""
    schema = samples[0].collect_schema()
    columns = [*question.panels, *question.side_columns, *question.instance_key]
    names = list(dict.fromkeys(columns))
    types: Any = {CELL: pl.Int64} | {name: schema[name] for name in names}
    linked = pl.DataFrame(list(links), types).lazy()
    places = Stretches(CELL)
    for rows in samples:
        is_graded = pl.col(metric(question.word).of).is_not_null()
        graded = selection.of_figure(rows, question).filter(is_graded)
        placed = graded.join(linked, on=names, nulls_equal=True)
        places.add(placed.select(CELL, *roles.PLACE).collect())
    return places


def story_of_instances(behind: Mapping[str, Any], question: Question) -> list[list[str]]:
    """The instances of a cell in words, each with the scores of the row and of the column."""
    unit = question.definition().sample_unit
    texts = []
    for name, first, second in behind["instances"]:
        sides = [show(unit.value(side), ".4~g") for side in (first, second)]
        texts.append([name, " − ".join(sides)])
    if behind["more"]:
        texts.append([f"… and {behind['more']:,} more: use the command", ""])
    return texts
