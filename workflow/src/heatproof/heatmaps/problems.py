"""The samples of a heatmap by problem: arrays for each panel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof import numbered, selection, totals
from heatproof.heatmaps.panel import Panel
from heatproof.lazy import numpy as np
from heatproof.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from heatproof.figures.heatmap import Entry
    from heatproof.numbered import Rows


def panels(rows: Rows, axes: dict[str, pl.Series], entry: Entry) -> Iterator[Panel]:
    """The problems of each panel as arrays; cells in the order of the grid, problems sorted."""
    rows = totals.sums(rows, list(dict.fromkeys([*axes, "task", "sample_id"])))
    across, up = axes[entry.encoding.x], axes[entry.encoding.y]
    cell = _positions(rows, up)
    cell *= len(across)
    cell += _positions(rows, across)
    cells = len(up) * len(across)
    if entry.panel is None:
        yield _panel(rows, cell, cells, entry)
        return
    at = _positions(rows, axes[entry.panel])
    for number in range(len(axes[entry.panel])):
        here = at == number
        yield _panel(rows.at(here), cell[here], cells, entry)


def _positions(rows: Rows, axis: pl.Series) -> NDArray[np.int64]:
    """Position of each row's value on an axis."""
    codes, values = rows.columns[axis.name]
    position = {value: at for at, value in enumerate(axis)}
    return np.asarray(np.array([position[value] for value in values], np.int64)[codes])


def _panel(rows: Rows, cell: NDArray[np.int64], cells: int, entry: Entry) -> Panel:
    found, place = numbered.dense(*numbered.codes(rows, ["task", "sample_id"]))
    place += cell * len(found)  # as tables lie: the problems of a cell beside each other
    count, total = np.zeros(cells * len(found), np.int64), np.zeros(cells * len(found))
    count[place], total[place] = rows.numbers["count"], rows.numbers["total"]
    epochs, totals = count.reshape(cells, len(found)).T, total.reshape(cells, len(found)).T
    tasks, samples = (rows.columns[name].values for name in ("task", "sample_id"))
    task, sample = np.divmod(found, max(len(samples), 1))
    family = _families(tasks[task], samples[sample], entry.family)
    # A complete run holds every problem seen anywhere in the panel, as often as any cell has it.
    expected = np.full(cells, epochs.max(axis=1, initial=0).sum())
    made_up = bool(rows.numbers["reconstructed"].any())
    return Panel(epochs, totals, task, family, expected, made_up)


def _families(task: pl.Series, sample: pl.Series, pattern: str | None) -> NDArray[np.int64]:
    """Number of the family of each problem; without a pattern, or a match, each is its own."""
    who = pl.DataFrame({"task": task, "sample_id": sample})
    number = pl.struct("task", selection.family(pattern)).rank("dense") - 1
    return who.select(number).to_series().cast(pl.Int64).to_numpy()
