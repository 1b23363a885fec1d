"""The order of the values along an axis, or of panels: as listed, by name, by value, by likeness.

Groups come first: within a group values keep the order that is asked for, and those of no group
are last. The first value of x lies left, that of y at the bottom, as numbers do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from heatproof.kinds.heatmap import nesting
from heatproof.util.errors import Error, choices
from heatproof.util.lazy import numpy as np
from heatproof.util.lazy import polars as pl
from heatproof.util.numerals import by_size

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from numpy.typing import NDArray

    from heatproof.kinds.heatmap.entry import Entry

    Values = NDArray[np.float64]
    Run = tuple[str, int]

Order = Literal["ascending", "descending", "value", "-value", "config", "similarity"]
"""`config`: as `where` lists them; `value`: by the mean of the cells, `-value` from the highest."""
COUNTED = ("value", "-value", "similarity")
"""Orders that are known only when all is counted."""


def axis(found: pl.Series, entry: Entry, place: str) -> pl.Series:
    """The values of a column in drawing order, but for an order that hangs on their cells.

    Raises:
        Error: the order that is asked for leaves out a value.
    """
    ordered = _axis(found, entry, place)
    return ordered.reverse() if found.name in nesting.upward(entry) else ordered


def _axis(found: pl.Series, entry: Entry, place: str) -> pl.Series:
    """The same in the order that is asked for, which along y goes upwards."""
    name, wanted = found.name, entry.sort.get(found.name)
    if isinstance(wanted, list):
        return _listed(found, wanted, f"{place}.sort.{name}")
    values = sorted(found, key=by_size) if found.dtype == pl.String else found.to_list()
    if wanted == "config":
        values = [*_listed(found, entry.shown()[name], f"{place}.where.{name}")]
    elif wanted == "descending":
        values = values[::-1]
    if wanted is None:  # as the groups list them
        members = [value for one in entry.groups.get(name, {}).values() for value in one]
        values.sort(key=lambda value: members.index(value) if value in members else len(members))
    values.sort(key=lambda value: group(value, entry, name))
    return pl.Series(name, values, found.dtype)


def _listed(found: pl.Series, wanted: Sequence[Any], place: str) -> pl.Series:
    if missing := [value for value in found if value not in wanted]:
        there = ", ".join(map(str, found))
        raise Error(f"{place}: leaves out {missing[0]!r}; there are {there}")
    return pl.Series(found.name, wanted, found.dtype)


def group(value: Any, entry: Entry, name: str) -> int:
    """The number of the group that a value of a column is in; beyond the last if it is in none."""
    groups = entry.groups.get(name, {})
    return next((n for n, members in enumerate(groups.values()) if value in members), len(groups))


def runs(values: Sequence[Any], entry: Entry, name: str) -> list[Run]:
    """Label and size of each group along an axis; of those in none the label is empty."""
    labels = [*entry.groups.get(name, {}), ""]
    found = [group(value, entry, name) for value in dict.fromkeys(values)]
    return [(labels[n], found.count(n)) for n in dict.fromkeys(found)]


def arranged(grid: pl.DataFrame, entry: Entry, place: str) -> pl.DataFrame:
    """The cells in the orders that hang on their values.

    Raises:
        Error: cells are missing, so that an order cannot be told.
    """
    axes = [grid[name].unique(maintain_order=True) for name in entry.places]
    values = grid["value"].cast(pl.Float64).fill_null(np.nan).to_numpy()
    cube = values.reshape([len(one) for one in axes])
    at = np.arange(len(grid)).reshape(cube.shape)
    for number, name in enumerate(entry.along):
        wanted = entry.sort.get(name)
        if wanted in COUNTED:
            lines = np.moveaxis(cube, number, 0).reshape(len(axes[number]), -1)
            told = f"{place}.sort.{name}: {wanted!r}"
            ranks = _ranks(lines, str(wanted), told)
            groups = [group(value, entry, name) for value in axes[number]]
            order = sorted(range(len(groups)), key=lambda n: (groups[n], ranks[n]))
            order = order[::-1] if name in nesting.upward(entry) else order
            at = np.take(at, order, axis=number)
    return grid[at.reshape(-1).tolist()]


def _ranks(lines: Values, wanted: str, told: str) -> Sequence[float]:
    """What to sort by; `lines`: the values of the cells of each, (values of the axis, cells)."""
    lacking = np.isnan(lines)
    if wanted == "similarity":
        if lacking.any():
            raise Error(
                f"{told}: {int(lacking.sum()):,} of {lines.size:,} cells have no value, so that "
                "likeness cannot be told; there are value and -value"
            )
        order = leaves(lines)
        return [order.index(n) for n in range(len(order))]
    shared = ~lacking.any(axis=0)
    if not shared.any():
        raise Error(f"{told}: no cells are there that all have a value of; list them")
    means = [round(float(mean), 12) for mean in lines[:, shared].mean(axis=1)]
    return [-mean for mean in means] if wanted == "-value" else means


def leaves(lines: Values) -> list[int]:
    """The lines so that like ones are neighbours: leaves of an average-linkage tree.

    Sokal & Michener 1958 (UPGMA), by Euclidean distance. Of two branches the one of the lower mean
    comes first, of equal ones that of the earlier line.
    """
    trees, size = [[n] for n in range(len(lines))], np.ones(len(lines))
    apart = np.sqrt(((lines[:, None] - lines[None]) ** 2).sum(axis=2))
    np.fill_diagonal(apart, np.inf)
    for _ in range(len(lines) - 1):
        first, second = divmod(int(np.round(apart, 12).argmin()), len(lines))
        both = [trees[first], trees[second]]
        both.sort(key=lambda tree: (round(float(lines[tree].mean()), 12), min(tree)))
        trees[first] = both[0] + both[1]
        joined = size[first] * apart[first] + size[second] * apart[second]
        size[first] += size[second]
        apart[first] = apart[:, first] = joined / size[first]
        apart[second] = apart[:, second] = apart[first, first] = np.inf
    return max(trees, key=len, default=[])


def axis_runs(grid: pl.DataFrame, entry: Entry) -> tuple[list[Run], list[Run]]:
    """Of x and of y the label and size of each group; none where an axis has no groups."""
    x, y = (
        runs(grid[axis].to_list(), entry, name) if name in entry.groups else []
        for axis, name in (("x", entry.x), ("y", entry.y))
    )
    return x, y


def mistakes(entry: Entry) -> list[str]:
    """What of `sort` and `groups` cannot be: columns of no axis, orders said twice, overlaps."""
    axes = dict.fromkeys(entry.along)
    found = [
        f".sort.{column}: no axis and no panel is of it; {choices(column, axes)}"
        for column in entry.sort
        if column not in entry.along
    ]
    found += [
        f".sort.{column}: 'config': where.{column} lists no values"
        for column, order in entry.sort.items()
        if order == "config" and not isinstance(entry.where.get(column), list)
    ]
    return found + [wrong for column in entry.groups for wrong in _misgrouped(column, entry)]


def _misgrouped(column: str, entry: Entry) -> list[str]:
    key, axes = f".groups.{column}", (entry.x, entry.y)
    if column not in axes:
        return [f"{key}: groups stand along x or y; {choices(column, axes)}"]
    groups = entry.groups[column]
    found = [f"{key}.{label}: lists no value" for label, values in groups.items() if not values]
    found += [f"{key}: a group has no label"] if "" in groups else []
    every = [value for values in groups.values() for value in values]
    twice = dict.fromkeys(value for n, value in enumerate(every) if value in every[:n])
    found += [f"{key}: {value!r} stands there twice" for value in twice]
    if isinstance(entry.sort.get(column), list):
        found.append(f".sort.{column}: groups.{column} gives the order; take one of them out")
    return found
