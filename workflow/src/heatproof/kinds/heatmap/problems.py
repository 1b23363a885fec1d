"""The samples of a heatmap by problem: arrays for each panel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.kinds.heatmap import peers
from heatproof.kinds.heatmap.panel import Panel
from heatproof.samples import selection, totals
from heatproof.util import numbered
from heatproof.util.lazy import numpy as np
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from heatproof.kinds.heatmap.entry import Entry
    from heatproof.util.numbered import Rows

    Ints = NDArray[np.int64]
    Flags = NDArray[np.bool_]


class Part(NamedTuple):
    """Cells that are made of the same tasks: those of a panel, or of one task in it."""

    cells: Ints
    """Their places in the grid."""
    lines: list[Ints]
    """For y and x the line on which each lies."""
    tasks: Ints
    """Numbers of the tasks."""
    records: Flags
    """Shape (tasks, cells): whether there are records."""
    failed: Flags
    """The same: whether a run failed of which there is no record."""


def panels(
    rows: Rows,
    axes: dict[str, pl.Series],
    entry: Entry,
    failed: Mapping[tuple[Any, ...], set[str]] | None = None,
) -> Iterator[Panel]:
    """The problems of each panel as arrays; cells in the order of the grid, problems sorted.

    Unless cells are means over tasks, those of each task are a panel of their own: no number of
    theirs is made of, or compared with, that of another task.

    `failed`: values on the axes → tasks of runs that failed there.
    """
    lost = {_place(cell, axes): tasks for cell, tasks in (failed or {}).items()}
    there = _places(rows, axes)
    summed = totals.sums(rows, list(dict.fromkeys([*axes, "task", "sample_id"])))
    at = there if summed is rows else _places(summed, axes)
    places = np.indices([len(axis) for axis in axes.values()]).reshape(len(axes), -1)
    panel = places[0] if entry.panel else np.zeros(places.shape[1], np.int64)
    lines = [panel * (places[axis].max(initial=0) + 1) + places[axis] for axis in (-2, -1)]
    codes = rows.columns["task"].codes
    own = np.full(len(panel), peers.NONE)
    if "task" in axes:
        own = places[[*axes].index("task")]
    elif "task" not in (entry.mean_over, *entry.pool):
        own[there] = codes
        own = peers.filled(own, lines)
    part = panel * (int(own.max(initial=0)) + 2) + own + 1
    for number in np.unique(part):
        cells = np.flatnonzero(part == number)
        local = np.zeros(len(part), np.int64)
        local[cells] = np.arange(len(cells))
        mine, held = part[at] == number, part[there] == number
        tasks, task = np.unique(codes[held], return_inverse=True)
        records = np.zeros((len(tasks), len(cells)), bool)
        records[task, local[there[held]]] = True
        names = rows.columns["task"].values.gather(tasks)
        off = [names.is_in([*lost.get(cell, ())]).to_numpy() for cell in cells.tolist()]
        one = Part(cells, [line[cells] for line in lines], tasks, records, np.array(off).T)
        yield _panel(summed.at(mine), local[at[mine]], one, entry)


def _place(cell: tuple[Any, ...], axes: dict[str, pl.Series]) -> int:
    """Position of a cell in the grid."""
    found = 0
    for value, axis in zip(cell, axes.values(), strict=True):
        found = found * len(axis) + axis.to_list().index(value)
    return found


def _places(rows: Rows, axes: dict[str, pl.Series]) -> Ints:
    """Position of each row's cell in the grid, x innermost."""
    found = np.zeros(len(rows.numbers["count"]), np.int64)
    for axis in axes.values():
        codes, values = rows.columns[axis.name]
        position = {value: at for at, value in enumerate(axis)}
        found *= len(axis)
        found += np.array([position[value] for value in values], np.int64)[codes]
    return found


def _panel(rows: Rows, cell: Ints, part: Part, entry: Entry) -> Panel:
    found, place = numbered.dense(*numbered.codes(rows, ["task", "sample_id"]))
    place += cell * len(found)  # as tables lie: the problems of a cell beside each other
    shape = len(part.cells), len(found)
    count, total = np.zeros(shape, np.int64), np.zeros(shape)
    count.flat[place], total.flat[place] = rows.numbers["count"], rows.numbers["total"]
    names, samples = (rows.columns[name].values for name in ("task", "sample_id"))
    task, sample = np.divmod(found, max(len(samples), 1))
    return Panel(
        count=count.T,
        total=total.T,
        task=np.searchsorted(part.tasks, task),
        family=_families(names[task], samples[sample], entry.family),
        expected=peers.expected(count.T, part.lines),
        reconstructed=bool(rows.numbers["reconstructed"].any()),
        cells=part.cells,
        tasks=names[part.tasks].to_list(),
        records=part.records,
        failed=part.failed,
    )


def _families(task: pl.Series, sample: pl.Series, pattern: str | None) -> Ints:
    """Number of the family of each problem; without a pattern, or a match, each is its own."""
    who = pl.DataFrame({"task": task, "sample_id": sample})
    number = pl.struct("task", selection.family(pattern)).rank("dense") - 1
    return who.select(number).to_series().cast(pl.Int64).to_numpy()
