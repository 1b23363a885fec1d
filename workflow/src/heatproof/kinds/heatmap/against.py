"""Numbers about two values of a column: the full square of all pairs, in drawing order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof.kinds import pair_grid, states
from heatproof.kinds.heatmap import ordering
from heatproof.kinds.question import COUNTED
from heatproof.util.errors import Error, Mistake
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from heatproof.kinds.columns import Grid, Partial, Samples
    from heatproof.kinds.pair_grid import Instances, Place
    from heatproof.kinds.question import Question


def count_square(samples: Samples, question: Question, partial: Partial) -> Grid:
    """The grid of a number about two values: each value along y beside each along x.

    The values stand along x as they do along y, the first on the left.

    Raises:
        Error: no two values have an instance in common, or none has a number that is defined.
    """
    panels = pair_grid.read_instances(samples, question, partial)
    values = _compared_values(panels, question.y, question)
    compared = {}
    for panel in _ordered(panels, question):
        instances = panels[panel]
        panel_values = {side[0] for side in instances.means}
        compared_values = [value for value in values if value in panel_values]
        compared[panel] = pair_grid.compare_pairs(instances, compared_values, question)
    grid = pair_grid.grid_of(compared, values, question)
    if not grid["value"].count():
        why = _why_empty(grid, question)
        raise Error(Mistake(question.place, why))
    return _arranged(grid, question)


def _compared_values(
    panels: Mapping[Place, Instances], column: str, question: Question
) -> pl.Series:
    """The values that are compared in any panel, in the order that does not rest on numbers."""
    values: dict[Any, None] = {}
    for panel in panels.values():
        values |= dict.fromkeys(side[0] for side in panel.means)
    return ordering.axis(pl.Series(column, list(values)).sort(), question)


def _ordered(panels: Mapping[Place, Any], question: Question) -> Sequence[Place]:
    """The panels in drawing order."""
    ordered = list(panels)
    for number, name in reversed(list(enumerate(question.panels))):
        panel_values = dict.fromkeys(panel[number] for panel in panels)
        values = pl.Series(name, list(panel_values)).sort()
        order = ordering.axis(values, question).to_list()
        ordered.sort(key=lambda panel, n=number, of=order: of.index(panel[n]))  # type: ignore[misc]
    return ordered


def _why_empty(grid: Grid, question: Question) -> str:
    """Why no two values have a number."""
    gaps = set(grid["gap"]) - {states.ITSELF}
    if not gaps:
        only = grid["y"][0]
        return f"{question.word} is of two values, but {question.y!r} has one: {only!r}"
    if gaps == {states.UNCOMMON}:
        shared = " and ".join(question.join)
        return (
            f"no two values of {question.y!r} share any {shared}, so there is nothing to compare; "
            "`join` names the columns that samples of one instance share"
        )
    words = ", or ".join(states.GAPS[gap].words for gap in states.GAPS if gap in gaps)
    return f"{question.word} has no value for any two values of {question.y!r}: {words}"


def _arranged(grid: Grid, question: Question) -> Grid:
    """The grid with its values in the order that is asked for; names by value, the best on top."""
    order = question.sort.get(question.y)
    by_value = order is None and ordering.is_downward(grid["y"])
    if order not in COUNTED and not by_value:
        return grid
    if order == "similarity":
        return _reordered(grid, _alike_order(grid, question))
    lines: dict[Any, list[float]] = {}
    for value, number in grid.select("y", "value").iter_rows():
        lines.setdefault(value, [])
        if number is not None:
            lines[value].append(number)
    means = {value: sum(numbers) / len(numbers) for value, numbers in lines.items() if numbers}
    with_mean = [value for value in lines if value in means]
    from_highest = ordering.is_downward(grid["y"]) == (order != "-value")
    with_mean.sort(key=lambda value: round(means[value], 9), reverse=from_highest)
    return _reordered(grid, with_mean + [value for value in lines if value not in means])


def _alike_order(grid: Grid, question: Question) -> list[Any]:
    """The values so that those with like numbers are neighbours; each is like itself."""
    values = grid["y"].unique(maintain_order=True).to_list()
    largest = float(grid["value"].max())  # type: ignore[arg-type]
    if question.shows_leads:
        largest = 0.0
    filled = pl.when(pl.col("gap").eq_missing(states.ITSELF)).then(largest).otherwise("value")
    filled_grid = grid.with_columns(value=filled)
    numbers = filled_grid["value"]
    missing = numbers.null_count()
    if missing:
        why = f"'similarity': {missing:,} cells have no value; write value or -value"
        raise question.fault(f"sort.{question.y}", why)
    cube = numbers.to_numpy().reshape(-1, len(values), len(values))
    lines = cube.swapaxes(0, 1).reshape(len(values), -1)
    return [values[number] for number in ordering.leaves(lines)]


def _reordered(grid: Grid, order: Sequence[Any]) -> Grid:
    """The grid with the same order of values along both axes, panels as they are."""
    number_of = {value: number for number, value in enumerate(order)}
    size = len(order)
    rows = []
    for number, (y, x) in enumerate(grid.select("y", "x").iter_rows()):
        panel = number // size**2
        rows.append((panel, number_of[y], number_of[x], number))
    return grid[[number for *_, number in sorted(rows)]]
