"""The samples of a heatmap by problem: sums for each cell, and as arrays for each panel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof import counts, numbered
from heatproof.heatmaps.panel import Panel
from heatproof.lazy import numpy as np
from heatproof.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from heatproof.figures.heatmap import Entry
    from heatproof.metrics import Metric


def sums(chosen: pl.DataFrame, by: Sequence[str], what: Metric) -> pl.DataFrame:
    """A row per cell and problem: `count` epochs and the `total` of the metric's column.

    `chosen` holds a row per run and problem (`heatproof.counts`); where a cell pools several, they
    are summed in the order of their settings by one thread: no sum depends on the machine.
    """
    key = list(dict.fromkeys([*by, "task", "sample_id"]))
    named = {"count": f"{what.of}.n", "total": f"{what.of}.sum"}
    there = chosen[named["count"]] > 0
    rows = chosen if there.all() else chosen.filter(there)
    if numbered.is_unique(rows, key):
        return rows.select(*key, "reconstructed", **{k: pl.col(v) for k, v in named.items()})
    rows = rows.sort(*key, *counts.order(chosen.columns))
    starts = rows.select(pl.struct(key).rle_id().alias("group")).to_series()
    first = np.flatnonzero(np.diff(starts.to_numpy(), prepend=-1))
    found = {k: np.add.reduceat(rows[v].to_numpy(), first) for k, v in named.items()}
    made_up = np.add.reduceat(rows["reconstructed"].to_numpy(), first, dtype=np.int64) > 0
    heads = rows.select(key)[first]
    return heads.with_columns(reconstructed=made_up, **{k: pl.Series(v) for k, v in found.items()})


def panels(sums: pl.DataFrame, axes: dict[str, pl.Series], entry: Entry) -> Iterator[Panel]:
    """The sums of each panel as arrays; cells in the order of the grid, problems sorted."""
    across, up = axes[entry.encoding.x], axes[entry.encoding.y]
    cell = _positions(sums[up.name], up) * len(across) + _positions(sums[across.name], across)
    shape = len(up) * len(across)
    if entry.panel is None:
        yield _panel(sums, cell, shape, entry)
        return
    at = _positions(sums[entry.panel], axes[entry.panel])
    for number in range(len(axes[entry.panel])):
        here = at == number
        yield _panel(sums.filter(here), cell[here], shape, entry)


def _positions(column: pl.Series, axis: pl.Series) -> NDArray[np.int64]:
    """Position of each row's value on an axis."""
    codes, values = numbered.numbered(column)
    position = {value: at for at, value in enumerate(axis)}
    return np.asarray(np.array([position[value] for value in values], np.int64)[codes])


def _panel(sums: pl.DataFrame, cell: NDArray[np.int64], cells: int, entry: Entry) -> Panel:
    tasks, samples = (numbered.numbered(sums[name]) for name in ("task", "sample_id"))
    code = tasks.codes.astype(np.int64) * len(samples.values) + samples.codes
    found, problem = numbered.dense(code, len(tasks.values) * len(samples.values))
    count, total = np.zeros((len(found), cells), np.int64), np.zeros((len(found), cells))
    count[problem, cell], total[problem, cell] = sums["count"].to_numpy(), sums["total"].to_numpy()
    task, sample = np.divmod(found, max(len(samples.values), 1))
    family = _families(tasks.values[task], samples.values[sample], entry.family)
    # A complete run holds every problem seen anywhere in the panel, as often as any cell has it.
    expected = np.full(cells, count.max(axis=1, initial=0).sum())
    made_up = bool(sums["reconstructed"].any())
    return Panel(count, total, task, family, expected, made_up)


def _families(task: pl.Series, sample: pl.Series, pattern: str | None) -> NDArray[np.int64]:
    """Number of the family of each problem; without a pattern, or a match, each is its own."""
    own = pl.col("sample_id")
    name = own if pattern is None else pl.coalesce(own.str.extract(pattern), own)
    who = pl.DataFrame({"task": task, "sample_id": sample})
    return (
        who.select(pl.struct("task", name).rank("dense") - 1).to_series().cast(pl.Int64).to_numpy()
    )
