"""The samples of a heatmap by problem, as arrays: a panel for all cells that are compared."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from heatproof.metrics import metric
from heatproof.samples import counts, selection
from heatproof.util import codes
from heatproof.util.lazy import numpy as np
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from heatproof.kinds.heatmap.entry import Entry
    from heatproof.util.codes import Rows

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Flags = NDArray[np.bool_]

PROBLEM = ("task", "sample_id")
NO_SET = -1
"""The set of a cell that holds no problem."""


@dataclass(frozen=True)
class Panel:
    """The problems of one panel: epochs and sums, arrays of shape (problems, cells)."""

    count: Ints
    total: Floats
    """Of a vote, its value on each problem."""
    task: Ints
    """Shape (problems,): the task that a problem belongs to, by its place in `tasks`."""
    family: Ints
    """Shape (problems,): number of its family; families are independent of each other."""
    expected: Ints
    """Shape (cells,): rows a complete run would hold."""
    reconstructed: bool
    """The counts are real, but which problem was solved is made up."""
    cells: Ints
    """Shape (cells,): their places in the grid."""
    tasks: list[str]
    """The tasks of which a cell is the mean: all that have records in the panel."""
    records: Flags
    """Shape (tasks, cells): whether there are records, with a number or without."""
    failed: Flags
    """Shape (tasks, cells): whether logs say that a run was to be there of which nothing came."""
    uneven: Flags
    """Shape (tasks, cells): whether the values of `over` do not hold the same samples."""
    over: str = ""
    """The column, other than task, over which cells are the mean."""
    ranged: bool = False
    """The source says between which numbers all samples lie."""
    code: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    """Shape (problems,): number of a problem among those of the figure (`codes.codes`), rising."""
    number: int = 0
    """That of the drawn panel of which these are cells."""


def panels(
    rows: Rows,
    axes: Mapping[str, pl.Series],
    entry: Entry,
    failed: Mapping[tuple[Any, ...], set[str]] = {},
) -> Iterator[Panel]:
    """The problems of each panel as arrays; cells in the order of the grid, problems sorted.

    Unless cells are means over tasks, those of each task are a panel of their own: no number of
    theirs is made of, or compared with, that of another task.

    `failed`: values on the axes → tasks of runs that failed there.
    """
    key = list(dict.fromkeys([*axes, *PROBLEM]))
    at_rows = place_rows(rows, axes)
    summed = counts.added_up(rows, key)
    at = at_rows if summed is rows else place_rows(summed, axes)
    every = counts.added_up(
        rows._replace(numbers={**rows.numbers, "count": rows.numbers["records"]}), key
    )
    at_every = place_rows(every, axes)
    places = np.indices([len(axis) for axis in axes.values()]).reshape(len(axes), -1)
    drawn = number_panels(places, axes, entry)
    lines = [drawn * (places[axis].max(initial=0) + 1) + places[axis] for axis in (-2, -1)]
    task_of_row, names = rows.columns["task"]
    own = np.full(len(drawn), NO_SET)
    if "task" in axes:
        own = places[[*axes].index("task")]
    elif "task" not in (entry.mean_over, *entry.pool):
        own[at_rows] = task_of_row
        own = fill_lines(own, lines)
    part = drawn * (int(own.max(initial=0)) + 2) + own + 1
    lost: list[set[str]] = [set() for _ in part]
    for values, tasks_lost in failed.items():
        positions = [axis.to_list().index(v) for v, axis in zip(values, axes.values(), strict=True)]
        lost[int(np.ravel_multi_index(positions, [len(axis) for axis in axes.values()]))] = (
            tasks_lost
        )
    pooled = np.bincount(_pooled(rows, at_rows, entry), None, len(part))
    for number in np.unique(part):
        cells = np.flatnonzero(part == number)
        local = np.zeros(len(part), np.int64)
        local[cells] = np.arange(len(cells))
        inside = part[at_rows] == number
        tasks, task = np.unique(task_of_row[inside], return_inverse=True)
        records, uneven = np.zeros((2, len(tasks), len(cells)), bool)
        records[task, local[at_rows[inside]]] = True
        uneven[task, local[at_rows[inside]]] = rows.numbers["uneven"][inside]
        task_names = names.gather(tasks).to_list()
        which = part[at_every] == number
        every_count, _, _ = by_problem(every.at(which), local[at_every[which]], len(cells))
        counted = summed.at(part[at] == number)
        count, total, code = by_problem(counted, local[at[part[at] == number]], len(cells))
        ids = rows.columns["sample_id"].values
        task_code, sample = np.divmod(code, max(len(ids), 1))
        yield Panel(
            count=count,
            total=total,
            task=np.searchsorted(tasks, task_code),
            family=_families(names[task_code], ids[sample], entry.family),
            expected=whole_sizes(every_count, [line[cells] for line in lines], pooled[cells])[1],
            reconstructed=bool(counted.numbers["reconstructed"].any()),
            cells=cells,
            tasks=task_names,
            records=records,
            failed=np.array(
                [[name in lost[cell] for cell in cells] for name in task_names], bool
            ).reshape(records.shape),
            uneven=uneven,
            over=entry.averaged or "",
            ranged=metric(entry.encoding.color).of in entry.ranges,
            code=code,
            number=int(drawn[cells[0]]),
        )


def number_panels(places: Ints, axes: Mapping[str, pl.Series], entry: Entry) -> Ints:
    """The number of each cell's panel. `places`: of cells on the axes, shape (axes, cells)."""
    panel = np.zeros(places.shape[1], np.int64)
    for axis, name in enumerate(entry.panels):
        panel = panel * len(axes[name]) + places[axis]
    return panel


def place_rows(rows: Rows, axes: Mapping[str, pl.Series]) -> Ints:
    """Position of each row's cell in the grid, x innermost."""
    places = np.zeros(len(rows.numbers["count"]), np.int64)
    for axis in axes.values():
        numbers, values = rows.columns[axis.name]
        position = {value: at for at, value in enumerate(axis)}
        places *= len(axis)
        places += np.array([position[value] for value in values], np.int64)[numbers]
    return places


def by_problem(rows: Rows, cell: Ints, cells: int) -> tuple[Ints, Floats, Ints]:
    """Count and total, arrays of shape (problems, cells), and the numbers of the problems."""
    code, place = codes.dense(*codes.codes(rows, PROBLEM))
    place += cell * len(code)  # as tables lie: the problems of a cell beside each other
    count, total = np.zeros((cells, len(code)), np.int64), np.zeros((cells, len(code)))
    count.flat[place], total.flat[place] = rows.numbers["count"], rows.numbers["total"]
    return count.T, total.T, code


def _pooled(rows: Rows, at: Ints, entry: Entry) -> Ints:
    """The place of its cell for each value of what cells pool, of which it holds records.

    Of columns that divide a run the number says nothing.
    """
    names = {entry.mean_over, *entry.pool} - {"task", "sample_id", "epoch"}
    apart = [name for name in rows.columns if name in names]
    code = codes.codes(rows, apart)[0] if apart else np.zeros(len(at), np.int64)
    places: Ints = np.unique(np.stack([at, code]), axis=1)[0]
    return places


def _families(task: pl.Series, sample: pl.Series, pattern: str | None) -> Ints:
    """Number of the family of each problem; without a pattern, or a match, each is its own."""
    who = pl.DataFrame({"task": task, "sample_id": sample})
    number = pl.struct("task", selection.family(pattern)).rank("dense") - 1
    return who.select(number).to_series().cast(pl.Int64).to_numpy()


# --------------------------------------------------------------- which cells hold the same problems


def connected_sets(present: Flags) -> Ints:
    """For each cell the number of its set: the first cell in it; `NO_SET` without problems.

    `present`: (problems, cells), where a problem is held. Cells of two sets share no problem.
    """
    shared = [np.flatnonzero(column) for column in present.T]
    sets = np.array([n if len(members) else NO_SET for n, members in enumerate(shared)], np.int64)
    lowest = np.full(len(present), len(sets), np.int64)
    before = None
    while before is None or (sets != before).any():
        before = sets.copy()
        for cell, members in enumerate(shared):
            if len(members):
                sets[cell] = min(sets[cell], lowest[members].min())
                lowest[members] = np.minimum(lowest[members], sets[cell])
    return sets


def fill_lines(sets: Ints, lines: Sequence[Ints]) -> Ints:
    """The same, a cell without a set being of the only one, or of that of its row or column.

    Args:
        sets: numbers of sets, or of other things that cells are of; `NO_SET` for a cell of none.
        lines: for each axis the line on which a cell lies, (cells,).
    """
    there = sets != NO_SET
    if len(numbers := {*sets[there].tolist()}) == 1:
        return np.full_like(sets, numbers.pop())
    on_lines: list[dict[int, set[int]]] = []
    for line in lines:
        on_line: dict[int, set[int]] = {}
        for at, number in zip(line[there].tolist(), sets[there].tolist(), strict=True):
            on_line.setdefault(at, set()).add(number)
        on_lines.append(on_line)
    # Where each row is of one set, and columns are not, rows tell.
    pure = [all(len(some) == 1 for some in on_line.values()) for on_line in on_lines]
    used = [n for n, is_pure in enumerate(pure) if is_pure or sum(pure) != 1]
    filled = sets.copy()
    for cell in np.flatnonzero(~there):
        beside = [on_lines[n].get(int(lines[n][cell]), set()) for n in used]
        only = {number for some in beside if len(some) == 1 for number in some}
        filled[cell] = only.pop() if len(only) == 1 else NO_SET
    return filled


def whole_sizes(count: Ints, lines: Sequence[Ints], parts: Ints) -> tuple[Ints, Ints]:
    """Problems and rows that a complete run of each cell holds, by what its peers hold.

    A cell is to hold all problems of those that share some with it, unless more cells hold just its
    own than hold more: then these are a part of the data set. It holds each as often as the problem
    that it holds most often, but no more often than any cell does: others may have run more epochs.
    Where nothing is known of the problems of a cell it is 0; one without any is like the largest.

    Args:
        count: epochs, (problems, cells).
        lines: as in `fill_lines`.
        parts: how many values of what cells pool, (cells,); all are to hold as many as any.
    """
    own = connected_sets(count > 0)
    complete = np.zeros_like(count)
    for number in {*own.tolist()} - {NO_SET}:
        cells = np.flatnonzero(own == number)
        complete[:, cells] = _complete(count[:, cells], parts[cells])
    problems, rows = (complete > 0).sum(axis=0), complete.sum(axis=0)
    filled = fill_lines(own, lines)
    for cell in np.flatnonzero((own == NO_SET) & (filled != NO_SET)):
        like = np.flatnonzero(own == filled[cell])
        largest = like[np.argmax(rows[like])]
        problems[cell], rows[cell] = problems[largest], rows[largest]
    return problems, rows


def _complete(count: Ints, parts: Ints) -> Ints:
    """How often cells of one set are to hold each problem, (problems, cells)."""
    present = count > 0
    _, kind, twins = np.unique(present.T, axis=0, return_inverse=True, return_counts=True)
    size = present.sum(axis=0)
    larger = (size[None, :] > size[:, None]).sum(axis=1)
    repeats = -(-count.max(axis=0) * parts.max() // np.maximum(parts, 1))
    most = np.minimum(count.max(axis=1)[:, None], repeats[None, :])
    alike = twins[kind.reshape(-1)]
    part = (alike > larger) & (alike > 1)
    return np.where(part[None, :] & ~present, 0, most)
