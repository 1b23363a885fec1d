"""The order of the values along an axis, or of panels: as listed, by name, by value, by likeness.

Groups come first: within a group values keep the order that is asked for, and those of no group
are last. The first value of x lies left, that of y at the bottom, as numbers do; of names on top.

Of a list of columns along an axis the last lies along it; those before part the figure, then one
strip, into blocks, which are judged as panels are, and which brackets beyond the labels name.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from heatproof.kinds import states
from heatproof.kinds.question import COUNTED, axis_columns
from heatproof.samples import selection
from heatproof.util.errors import Error, Mistake
from heatproof.util.lazy import numpy as np
from heatproof.util.lazy import polars as pl
from heatproof.util.numerals import by_size

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from heatproof.kinds.columns import Grid, Samples
    from heatproof.kinds.question import Question

    Values = NDArray[np.float64]


def axis(column: pl.Series, question: Question) -> pl.Series:
    """The values of a column in drawing order, but for an order that depends on their cells.

    Raises:
        Error: the order that is asked for leaves out a value.
    """
    name = column.name
    order = question.sort.get(column.name)
    ordered = _by_name(column)
    bins = question.orders.get(name, [])
    ordered.sort(key=lambda value: bins.index(value) if value in bins else len(bins))
    if isinstance(order, list) or order == "config":
        key = "sort" if order != "config" else "where"
        ordered = list(question.alone().selected()[name].named if order == "config" else order)
        if missing := [value for value in column if value not in ordered]:
            why = f"leaves out {missing[0]!r}; there are {', '.join(map(str, column))}"
            raise question.fault(f"{key}.{name}", why)
    elif order == "descending":
        ordered = ordered[::-1]
    elif order is None:  # as the groups list them
        members = list(chain.from_iterable(question.members(name).values()))
        ordered.sort(key=lambda v: members.index(v) if v in members else len(members))
    ordered.sort(key=lambda value: group(value, question, name))
    turned = ordered
    if _rises(column, question):
        turned = ordered[::-1]
    return pl.Series(name, turned, column.dtype)


def _by_name(column: pl.Series) -> list[Any]:
    """Its values; of names by the numbers in them."""
    values = column.to_list()
    if column.dtype == pl.String:
        return sorted(values, key=by_size)
    return values


def is_downward(column: pl.Series) -> bool:
    """Whether the first value along y lies on top: names are read from there, and numbers rise."""
    return column.dtype == pl.String


def _rises(column: pl.Series, question: Question) -> bool:
    """Whether the first of the blocks along y, which are counted downwards, is lowest."""
    outer = axis_columns(question.encoding.y)[:-1]
    return column.name in outer and not is_downward(column)


def group(value: Any, question: Question, name: str) -> int:
    """The number of the group that a value of a column is in; beyond the last if it is in none."""
    groups = question.members(name)
    return next((n for n, members in enumerate(groups.values()) if value in members), len(groups))


def with_groups(question: Question, samples: Samples) -> Question:
    """The figure with the values of each group that a column of the samples gives.

    Raises:
        Error: a value is in several groups.
    """
    groups: dict[str, Any] = {**question.groups}
    for name, by in question.grouping.items():
        rows = selection.of_figure(samples, question.alone()).select(name, by).drop_nulls()
        pairs = rows.group_by(name).agg(pl.col(by).unique().sort()).collect().sort(name)
        groups_of = dict(pairs.rows())
        for value, value_groups in groups_of.items():
            listed = ", ".join(map(str, value_groups[: selection.SHOWN]))
            if len(value_groups) > selection.SHOWN:
                listed += ", …"
            why = f"{value!r} has {len(value_groups)} values of {by!r} ({listed}), and needs one"
            if len(value_groups) > 1:
                raise question.fault(f"groups.{name}", why)
        order = axis(pairs[by].explode().unique().sort(), question)
        values = _by_name(pairs[name])
        groups[name] = {}
        for group in order:
            members = [value for value in values if groups_of[value] == [group]]
            groups[name][f"{group}"] = members
    return replace(question, groups=groups)


def group_columns(grid: Grid, question: Question) -> list[pl.Series]:
    """The label of the group of each cell along x, and along y; null for those in none."""
    columns = []
    for axis_name, name in (("x", question.x), ("y", question.y)):
        if members := question.members(name):
            labels = [*members, None]
            cell_labels = [labels[group(value, question, name)] for value in grid[axis_name]]
            columns.append(pl.Series(f"group_{axis_name}", cell_labels, pl.String))
    return columns


def arranged(grid: Grid, question: Question) -> Grid:
    """The cells in the orders that depend on their values.

    Raises:
        Error: cells are missing, so that there is no such order.
    """
    axes = [grid[name].unique(maintain_order=True) for name in question.places]
    values = grid["value"].cast(pl.Float64).fill_null(np.nan).to_numpy()
    cube = values.reshape([len(axis) for axis in axes])
    cell_numbers = np.arange(len(grid)).reshape(cube.shape)
    # Of a model against itself nobody expects a value.
    against_itself = bool((grid["gap"].eq_missing(states.ITSELF)).any())
    for number, name in enumerate(question.along):
        by = question.sort.get(name)
        if by in COUNTED:
            lines = np.moveaxis(cube, number, 0).reshape(len(axes[number]), -1)
            word = _downward_order(str(by), axes[number], name, question)
            ranks = _ranks(lines, word, f"{question.place}.sort.{name}", against_itself)
            groups = [group(value, question, name) for value in axes[number]]
            order = sorted(range(len(groups)), key=lambda n: (groups[n], ranks[n]))
            if _rises(axes[number].alias(name), question):
                order = order[::-1]
            cell_numbers = np.take(cell_numbers, order, axis=number)
    numbers = cell_numbers.reshape(-1)
    return grid[numbers.tolist()]


def _downward_order(by: str, axis: pl.Series, name: str, question: Question) -> str:
    """The order of an axis; of names along y `value` puts the best on top."""
    if name != question.y or not is_downward(axis) or by not in ("value", "-value"):
        return by
    is_lowest = question.best_of(question.word) == "lowest"
    if is_lowest:
        return by
    return {"value": "-value", "-value": "value"}[by]


def _ranks(lines: Values, by: str, place: str, against_itself: bool = False) -> Sequence[float]:
    """What to sort by; `lines`: the values of the cells of each, (values of the axis, cells).

    `against_itself`: models meet each other, so that each line lacks a cell.
    """
    lacking = np.isnan(lines)
    if by == "similarity":
        if lacking.any():
            message = f"{int(lacking.sum()):,} of {lines.size:,} cells have no value, so that"
            why = "similarity is unknown; write value or -value"
            raise Error(Mistake(place, f"{by!r}: {message} {why}"))
        order = leaves(lines)
        return [order.index(n) for n in range(len(order))]
    shared = ~lacking.any(axis=0)
    single = against_itself and (lacking.sum(axis=1) <= 1).all() and lines.shape[1] > 1
    if single:
        values = np.nanmean(lines, axis=1)
    elif shared.any():
        values = lines[:, shared].mean(axis=1)
    else:
        why = f"{by!r}: there are no cells in which all have a value; list them"
        raise Error(Mistake(place, why))
    means = [round(float(mean), 12) for mean in values]
    if by == "-value":
        return [-mean for mean in means]
    return means


def leaves(lines: Values) -> list[int]:
    """The lines so that like ones are neighbours: leaves of an average-linkage tree.

    Sokal & Michener 1958 (UPGMA), by Euclidean distance. Of two branches the one of the lower mean
    comes first, of equal ones that of the earlier line.
    """
    trees = [[n] for n in range(len(lines))]
    size = np.ones(len(lines))
    squares = (lines[:, None] - lines[None]) ** 2
    sums = squares.sum(axis=2)
    distances = np.sqrt(sums)
    np.fill_diagonal(distances, np.inf)
    for _ in range(len(lines) - 1):
        rounded = np.round(distances, 12)
        nearest = int(rounded.argmin())
        first, second = divmod(nearest, len(lines))
        branches = [trees[first], trees[second]]
        branches.sort(key=lambda tree: (round(float(lines[tree].mean()), 12), min(tree)))
        trees[first] = branches[0] + branches[1]
        joined = size[first] * distances[first]
        joined += size[second] * distances[second]
        size[first] += size[second]
        distances[first] = distances[:, first] = joined / size[first]
        distances[second] = distances[:, second] = distances[first, first] = np.inf
    return max(trees, key=len, default=[])
