"""The order of the values along an axis, or of panels: as listed, by name, by value, by likeness.

Groups come first: within a group values keep the order that is asked for, and those of no group
are last. The first value of x lies left, that of y at the bottom, as numbers do.

Of a list of columns along an axis the last lies along it; those before part the figure, then one
strip, into blocks, which are judged as panels are, and which brackets beyond the labels name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from heatproof.charts import wording
from heatproof.kinds.heatmap import reasons
from heatproof.util.errors import Error, Mistake, choices
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
    return ordered.reverse() if found.name in upward(entry) else ordered


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
        raise Error(Mistake(place, f"leaves out {missing[0]!r}; there are {there}"))
    return pl.Series(found.name, wanted, found.dtype)


def group(value: Any, entry: Entry, name: str) -> int:
    """The number of the group that a value of a column is in; beyond the last if it is in none."""
    groups = entry.groups.get(name, {})
    return next((n for n, members in enumerate(groups.values()) if value in members), len(groups))


def runs(values: Sequence[Any], entry: Entry, name: str) -> list[Run]:
    """Label and size of each group along an axis; of those in none the label is empty."""
    labels = [*entry.groups.get(name, {}), ""]
    numbers = [group(value, entry, name) for value in dict.fromkeys(values)]
    return [(labels[n], numbers.count(n)) for n in dict.fromkeys(numbers)]


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
            key = f"{place}.sort.{name}"
            ranks = _ranks(lines, str(wanted), key)
            groups = [group(value, entry, name) for value in axes[number]]
            order = sorted(range(len(groups)), key=lambda n: (groups[n], ranks[n]))
            order = order[::-1] if name in upward(entry) else order
            at = np.take(at, order, axis=number)
    return grid[at.reshape(-1).tolist()]


def _ranks(lines: Values, wanted: str, place: str) -> Sequence[float]:
    """What to sort by; `lines`: the values of the cells of each, (values of the axis, cells)."""
    lacking = np.isnan(lines)
    if wanted == "similarity":
        if lacking.any():
            message = (
                f"{wanted!r}: {int(lacking.sum()):,} of {lines.size:,} cells have no value, so "
                "that likeness cannot be told; there are value and -value"
            )
            raise Error(Mistake(place, message))
        order = leaves(lines)
        return [order.index(n) for n in range(len(order))]
    shared = ~lacking.any(axis=0)
    if not shared.any():
        message = f"{wanted!r}: no cells are there that all have a value of; list them"
        raise Error(Mistake(place, message))
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


def mistakes(entry: Entry) -> list[Mistake]:
    """What of `sort` and `groups` cannot be: columns of no axis, orders said twice, overlaps."""
    axes = dict.fromkeys(entry.along)
    problems = [
        Mistake(f".sort.{column}", f"no axis and no panel is of it; {choices(column, axes)}")
        for column in entry.sort
        if column not in entry.along
    ]
    problems += [
        Mistake(f".sort.{column}", f"'config': where.{column} lists no values")
        for column, order in entry.sort.items()
        if order == "config" and not isinstance(entry.where.get(column), list)
    ]
    return problems + [wrong for column in entry.groups for wrong in _misgrouped(column, entry)]


def _misgrouped(column: str, entry: Entry) -> list[Mistake]:
    key, axes = f".groups.{column}", (entry.x, entry.y)
    if column not in axes:
        return [Mistake(key, f"groups stand along x or y; {choices(column, axes)}")]
    groups = entry.groups[column]
    problems = [
        Mistake(f"{key}.{label}", "lists no value")
        for label, values in groups.items()
        if not values
    ]
    problems += [Mistake(key, "a group has no label")] if "" in groups else []
    every = [value for values in groups.values() for value in values]
    twice = dict.fromkeys(value for n, value in enumerate(every) if value in every[:n])
    problems += [Mistake(key, f"{value!r} stands there twice") for value in twice]
    if isinstance(entry.sort.get(column), list):
        problems.append(
            Mistake(f".sort.{column}", f"groups.{column} gives the order; take one of them out")
        )
    return problems


LEVELS = 3
"""Columns that may lie along one axis: of more nobody reads the brackets."""


def levels(given: str | Sequence[str]) -> list[str]:
    """The columns along an axis, the outermost first."""
    return [given] if isinstance(given, str) else [*given] or [""]


def _keys(entry: Entry, axis: str) -> dict[str, str]:
    columns = getattr(entry.encoding, axis)
    if isinstance(columns, str):
        return {f"encoding.{axis}": columns}
    return {f"encoding.{axis}[{n}]": column for n, column in enumerate(columns)}


def inner_keys(entry: Entry) -> dict[str, str]:
    """Key in the entry → the innermost column along x, and along y."""
    return dict([*_keys(entry, "x").items()][-1:] + [*_keys(entry, "y").items()][-1:])


def outer_keys(entry: Entry) -> dict[str, str]:
    """Key in the entry → each column that parts the strip into blocks; those along y first."""
    return dict([*_keys(entry, "y").items()][:-1] + [*_keys(entry, "x").items()][:-1])


def upward(entry: Entry) -> list[str]:
    """Columns of blocks along y: their first value is lowest, and blocks are counted downwards."""
    return levels(entry.encoding.y)[:-1]


def nested_words(entry: Entry) -> tuple[str, str]:
    """What lies along x and y, for the middle of a sentence: `Ratio within each Task`."""
    x, y = (
        " within each ".join(wording.column(name, entry.labels) or name for name in columns[::-1])
        for columns in (levels(entry.encoding.x), levels(entry.encoding.y))
    )
    return x, y


GROUPS_NAMED = 3
"""Groups that are spelled out at most."""


def empty_words(grid: pl.DataFrame, entry: Entry) -> list[str]:
    """What would leave no cell empty where each value along an axis is of one block alone."""
    return [
        words
        for axis, line in (("x", "columns"), ("y", "rows"))
        for words in _empty_words(grid, entry, axis, line)
    ]


def _empty_words(grid: pl.DataFrame, entry: Entry, axis: str, line: str) -> list[str]:
    *outer, inner = levels(getattr(entry.encoding, axis))
    if not outer:
        return []
    there = grid.filter(pl.col("gap").is_null() | (pl.col("gap") != reasons.NOTHING))
    pairs = there.select(*outer, axis).unique(maintain_order=True)
    many = grid.select(*outer, axis).n_unique()
    blocks: dict[str, list[str]] = {}
    for *names, value in pairs.iter_rows():
        blocks.setdefault(" ".join(map(str, names)), []).append(str(value))
    if pairs[axis].n_unique() < len(pairs) or len(blocks) < 2 or len(pairs) == len(blocks):
        return []
    named_blocks = [f"{name}: [{', '.join(members)}]" for name, members in blocks.items()]
    more = [*named_blocks[:GROUPS_NAMED], *["…"] * (len(named_blocks) > GROUPS_NAMED)]
    none = f"{many - len(pairs):,} of {many:,} {line} are empty"
    groups = f"`groups: {{{inner}: {{{', '.join(more)}}}}}`"
    why = f"each {inner} is of one {' and '.join(outer)} alone"
    cure = f"`{axis}: {inner}` with {groups} has no empty ones"
    return [f"room for its cells: {none}, as {why}; {cure}"]


def nesting_mistakes(entry: Entry) -> list[Mistake]:
    """What does not go with blocks of one strip."""
    key = next(iter(outer_keys(entry))).partition("[")[0]
    panels = {"panel": entry.panel, "row": entry.row, "column": entry.column}
    problems = [
        Mistake(
            f".{word}",
            f"{column!r} beside nested axes ({key}): they make the blocks of one strip; put "
            f"{column!r} in the list, or take one of them out",
        )
        for word, column in panels.items()
        if column
    ]
    lone = {"columns": entry.columns, "letters": entry.letters}
    return problems + [
        Mistake(
            f".{word}",
            f"{value!r}: it is of panels, and nested axes ({key}) make blocks of one strip",
        )
        for word, value in lone.items()
        if value is not None
    ]


def level_mistakes(entry: Entry) -> list[Mistake]:
    """Lists along an axis that hold no column, or too many."""
    return [
        Mistake(
            f".encoding.{axis}", f"lists {len(columns) or 'no'} columns; there may be 1 to {LEVELS}"
        )
        for axis in ("x", "y")
        for columns in (getattr(entry.encoding, axis),)
        if not isinstance(columns, str) and not 1 <= len(columns) <= LEVELS
    ]


def scale_mistakes(entry: Entry) -> list[Mistake]:
    """A scale for each row or column of blocks, where the axis is not nested that makes them."""
    axis = {"row": "y", "column": "x"}.get(entry.scale or "", "")
    if not axis or len(levels(getattr(entry.encoding, axis))) > 1:
        return []
    return [
        Mistake(
            ".scale",
            f"{entry.scale!r}: encoding.{axis} lists no second column to part it into them",
        )
    ]
