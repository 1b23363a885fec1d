"""The problems of each cell beside those of its baseline, as arrays in one order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.kinds.heatmap import problems
from heatproof.samples import counts
from heatproof.util.codes import Numbered
from heatproof.util.lazy import numpy as np
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from heatproof.kinds.heatmap.entry import Entry
    from heatproof.util.codes import Rows

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]
    Flags = NDArray[np.bool_]


class Held(NamedTuple):
    """Epochs and sums of problems, matrices of shape (problems, cells)."""

    epochs: Ints
    total: Floats

    def at(self, rows: Sequence[int], cells: Sequence[int]) -> Held:
        """Some of the problems and cells."""
        place = np.ix_(np.array(rows, np.int64), np.array(cells, np.int64))
        return Held(self.epochs[place], self.total[place])


class Part(NamedTuple):
    """Cells of the same tasks, each beside its baseline."""

    cells: Ints
    """Their places in the grid."""
    own: Held
    base: Held
    task: Ints
    """Shape (problems,): number of the task among `tasks`."""
    family: Ints
    """Shape (problems,): number of the family, the same in all parts of a panel."""
    tasks: list[str]
    """Those of which a cell is the mean: all of which there are records."""
    there: Flags
    """Shape (cells,): whether there is any record of the baseline."""


class Side(NamedTuple):
    """The problems of cells, or of baselines: a row each."""

    cell: Ints
    keys: pl.DataFrame
    """Columns `task` and `sample_id`."""
    held: Held
    """Arrays of shape (rows,)."""
    records: list[tuple[int, str]]
    """Cells and tasks of which there is a record, with a number or without."""


def panels(
    rows: Rows, base: Rows, axes: dict[str, pl.Series], entry: Entry
) -> Iterator[list[Part]]:
    """The parts of each panel that is drawn.

    Args:
        rows: counts of the figure.
        base: those of its baseline (`Entry.baseline`).
        axes: columns that tell cells apart, with their values in drawing order.
        entry: the figure.
    """
    others = {name: values for name, values in axes.items() if name not in entry.apart}
    places = np.indices([len(values) for values in axes.values()]).reshape(len(axes), -1)
    beside = np.zeros(places.shape[1], np.int64)
    for line, name in zip(places, axes, strict=True):
        beside = beside * len(others[name]) + line if name in others else beside
    own, theirs = _side(rows, axes), _side(_on(base, others), others)
    panel = problems.number_panels(places, axes, entry)
    for number in np.unique(panel):
        cells = np.flatnonzero(panel == number)
        yield list(_parts(own, theirs, cells, beside[cells], entry))


def _on(rows: Rows, axes: dict[str, pl.Series]) -> Rows:
    """Those rows whose values lie on the axes."""
    there = np.ones(len(rows.numbers["count"]), bool)
    for name, values in axes.items():
        column, known = rows.columns[name], {*values}
        there &= np.array([value in known for value in column.values], bool)[column.codes]
    kept = rows.at(np.flatnonzero(there))
    columns = {name: _known(kept.columns[name], {*values}) for name, values in axes.items()}
    return kept._replace(columns={**kept.columns, **columns})


def _known(column: Numbered, values: set[Any]) -> Numbered:
    """The column without values that none of its rows has, for which there is no place."""
    kept = [n for n, value in enumerate(column.values) if value in values]
    number = np.zeros(len(column.values), np.int32)
    number[kept] = np.arange(len(kept), dtype=np.int32)
    return Numbered(number[column.codes], column.values.gather(kept))


def _side(rows: Rows, axes: dict[str, pl.Series]) -> Side:
    """Where the rows lie, cells counted along the axes."""
    summed = counts.added_up(rows, list(dict.fromkeys([*axes, "task", "sample_id"])))
    one = summed.at(np.flatnonzero(summed.numbers["count"] > 0))
    heads = [one.columns[name] for name in ("task", "sample_id")]
    keys = pl.DataFrame([column.values.gather(column.codes) for column in heads])
    codes, names = rows.columns["task"]
    places = problems.place_rows(rows, axes)
    pairs = sorted({*zip(places.tolist(), codes.tolist(), strict=True)})
    held = Held(one.numbers["count"], one.numbers["total"])
    at = problems.place_rows(one, axes)
    return Side(at, keys, held, [(cell, names[task]) for cell, task in pairs])


def _parts(own: Side, theirs: Side, cells: Ints, beside: Ints, entry: Entry) -> Iterator[Part]:
    """The parts of one panel. `cells`: those of it; `beside`: the baseline of each."""
    tasks = _tasks(own, cells, entry)
    wanted = np.isin(own.cell, cells)
    keys = own.keys.filter(pl.Series(wanted)).unique().sort("task", "sample_id")
    ours, bases = _held(own, keys, cells), _held(theirs, keys, np.unique(beside))
    column = np.searchsorted(np.unique(beside), beside)
    there = {cell for cell, _ in theirs.records}
    family = problems.family_numbers(keys["task"], keys["sample_id"], entry.family)
    names = keys["task"].to_list()
    kinds: dict[tuple[str, ...], list[int]] = {}
    for at, those in enumerate(tasks):
        kinds.setdefault(tuple(sorted(those)), []).append(at)
    for mine, which in kinds.items():
        number = {name: n for n, name in enumerate(mine)}
        among = [at for at, name in enumerate(names) if name in number]
        yield Part(
            cells[which],
            ours.at(among, which),
            bases.at(among, column[which].tolist()),
            np.array([number[names[at]] for at in among], np.int64),
            family[among],
            [*number],
            np.array([int(beside[at]) in there for at in which], bool),
        )


def _tasks(own: Side, cells: Ints, entry: Entry) -> list[set[str]]:
    """Of each cell the tasks that it is made of."""
    at = {int(cell): n for n, cell in enumerate(cells)}
    found: list[set[str]] = [set() for _ in at]
    for cell, task in own.records:
        if cell in at:
            found[at[cell]].add(task)
    if "task" in (entry.mean_over, *entry.pool):
        return [set().union(*found)] * len(found)
    return found


def _held(side: Side, keys: pl.DataFrame, cells: Ints) -> Held:
    """Its problems as matrices: `keys` along the rows, `cells`, which are sorted, beside them."""
    numbered = keys.with_row_index("row")
    rows = side.keys.join(numbered, on=["task", "sample_id"], how="left", maintain_order="left")
    row = rows["row"].fill_null(len(keys)).to_numpy().astype(np.int64)
    column = np.minimum(np.searchsorted(cells, side.cell), max(len(cells) - 1, 0))
    mine = (row < len(keys)) & (cells[column] == side.cell)
    count, total = np.zeros((len(keys), len(cells)), np.int64), np.zeros((len(keys), len(cells)))
    count[row[mine], column[mine]] = side.held.epochs[mine]
    total[row[mine], column[mine]] = side.held.total[mine]
    return Held(count, total)
