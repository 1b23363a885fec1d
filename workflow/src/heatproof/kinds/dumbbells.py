"""Changes of dumbbells: from the first of two values of a column to the second, in each row.

A change is a difference on common problems, and is judged as cells are beside a baseline
(`heatmap.baseline`): the first of the two values is the baseline of the second.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from heatproof.kinds.columns import join_cells
from heatproof.kinds.recount import Recount, same
from heatproof.kinds.trace import DerivedNumber, as_float, place_words
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from heatproof.kinds.columns import Grid, Samples
    from heatproof.kinds.question import Question

COLUMNS = {
    "value": "change_value", "low": "change_low", "high": "change_high",
    "differs": "change_differs", "paired_problems": "change_problems",
    "unjudged": "change_unjudged",
}  # fmt: skip
"""Column of a grid beside a baseline → column of the grid of a dumbbell."""


def ends_of(grid: Grid) -> tuple[Any, Any] | None:
    """The two values between which there are changes; None of more, or fewer."""
    values = grid["x"].unique(maintain_order=True).to_list()
    if len(values) != 2 or None in values:
        return None
    return values[0], values[1]


def question_of_changes(question: Question, grid: Grid) -> Question | None:
    """That of the changes of a grid."""
    ends = ends_of(grid)
    if ends is None:
        return None
    first, second = ends
    return replace(
        question, relative_to={question.x: first}, where=question.where | {question.x: second},
        sort={name: order for name, order in question.sort.items() if name != question.x},
        verdict=None, uncertainty="interval",
    )  # fmt: skip


def with_changes(grid: Grid, changes: Grid) -> Grid:
    """The grid with the change of each row; `changes`: the grid of their question."""
    lines = [name for name in grid.columns[: grid.columns.index("value")] if name != "x"]
    changed_values = changes.select(
        *lines, *(pl.col(old).alias(new) for old, new in COLUMNS.items())
    )
    return join_cells(grid, changed_values, lines)


def count_changes(samples: Samples, grid: Grid, question: Question) -> Iterator[DerivedNumber]:
    """The changes of a grid, each counted anew from samples."""
    of_changes = question_of_changes(question, grid)
    if "change_value" not in grid.columns or of_changes is None:
        return
    definition = of_changes.definition()
    recount = Recount(samples, definition)
    for row in grid.unique(of_changes.places[:-1], maintain_order=True).iter_rows(named=True):
        place = _changed_place(row, grid, definition.keys)
        beside: dict[str, Any] = {"own_value": None, "baseline_value": None}
        beside["paired_problems"] = row["change_problems"]
        cell = recount.cell(place, {**row, **beside})
        counted = as_float(cell.value)
        stored = row["change_value"]
        agrees = same(stored, cell.value) and row["change_problems"] == cell.common
        line = {name: value for name, value in place.items() if name != question.x}
        yield DerivedNumber(line, f"{place_words(place)}: change", stored, counted, agrees)


def _changed_place(row: Mapping[str, Any], grid: Grid, keys: Mapping[str, str]) -> dict[str, Any]:
    """The cell of the second value in a row of the grid."""
    ends = ends_of(grid)
    place = {name: row[column] for name, column in keys.items()}
    if ends:
        name = next(name for name, column in keys.items() if column == "x")
        place[name] = ends[1]
    return place
