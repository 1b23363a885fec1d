"""aggregate: samples → the grid of a heatmap, a row per cell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heatproof import selection
from heatproof.errors import Error, choices
from heatproof.lazy import numpy as np
from heatproof.lazy import polars as pl
from heatproof.metrics import metric
from heatproof.panel import Panel, judge

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heatproof.figures.heatmap import Entry
    from heatproof.metrics import Metric


def aggregate(samples: pl.LazyFrame, entry: Entry) -> pl.DataFrame:
    """The grid of a heatmap: the full product of panel, y and x, in drawing order.

    Raises:
        Error: samples that lie on no cell, that would be mixed, or that are there twice.
    """
    place = f"config.yaml: figures.{entry.name}"
    what = metric(entry.encoding.color)
    chosen = selection.choose(samples, entry.where, place).collect()
    _require_valid(chosen, entry, what, place)
    axes = {name: _axis(chosen, name, entry, place) for name in _axes(entry)}
    sums = problems(chosen, list(axes), what)
    cells = _cells(axes, entry)
    panels = [_panel(sums, cells, at, entry) for at in _panel_values(axes, entry)]
    rows = pl.concat([judge(panel, what, entry.best, entry.uncertainty) for panel in panels])
    return pl.concat([cells, rows], how="horizontal")


def _axes(entry: Entry) -> list[str]:
    return [*([entry.panel] if entry.panel else []), entry.encoding.y, entry.encoding.x]


def _require_valid(chosen: pl.DataFrame, entry: Entry, what: Metric, place: str) -> None:
    named = {"encoding.x": entry.encoding.x, "encoding.y": entry.encoding.y}
    named |= {"panel": entry.panel} if entry.panel else {}
    over = [entry.mean_over] if entry.mean_over else []
    selection.require_complete(chosen, named, place)
    selection.require_unmixed(chosen, [*named.values(), *over, *entry.pool], place)
    selection.require_single(chosen, place)
    if what.k and len(odd := chosen.filter(~pl.col("score").is_in([0.0, 1.0]))):
        log, line, score = odd.select("log", "line", "score").row(0)
        raise Error(
            f"{place}.encoding.color: {what.word} needs scores of 0 or 1, "
            f"but {log}:{line} has {score}; there is mean(score)"
        )


def _axis(chosen: pl.DataFrame, name: str, entry: Entry, place: str) -> pl.Series:
    """The values of a column in the order of the axis: `sort` first, else ascending."""
    found = chosen[name].unique().sort()
    wanted = entry.sort.get(name)
    if wanted is None:
        return found
    if missing := [value for value in found if value not in wanted]:
        raise Error(f"{place}.sort.{name}: leaves out {missing[0]!r}; {choices(missing[0], found)}")
    return pl.Series(name, wanted, found.dtype)


def problems(chosen: pl.DataFrame, by: Sequence[str], what: Metric) -> pl.DataFrame:
    """A row per cell and problem: `count` epochs and the `total` of the metric's column.

    Summed in the order of the rows by one thread, so that no sum depends on the machine.
    """
    key = list(dict.fromkeys([*by, "task", "sample_id"]))
    rows = chosen.filter(pl.col(what.of).is_not_null()).sort(
        *key, *selection.settings(chosen.columns), "epoch", "run"
    )
    starts = rows.select(pl.struct(key).rle_id().alias("group")).to_series()
    first = np.flatnonzero(np.diff(starts.to_numpy(), prepend=-1))
    total = np.add.reduceat(rows[what.of].to_numpy(), first) if len(first) else np.zeros(0)
    count = np.diff(np.append(first, len(rows)))
    heads = rows.select(*key, "reconstructed")[first]
    return heads.with_columns(count=pl.Series(count, dtype=pl.Int64), total=pl.Series(total))


def _cells(axes: dict[str, pl.Series], entry: Entry) -> pl.DataFrame:
    """The full product of the axes, panel outermost, x innermost; axes renamed to x and y."""
    product = pl.DataFrame()
    for name, values in axes.items():
        axis = pl.DataFrame({name: values})
        product = axis if not product.width else product.join(axis, how="cross")
    return product.rename({entry.encoding.x: "x", entry.encoding.y: "y"})


def _panel_values(axes: dict[str, pl.Series], entry: Entry) -> list[Any]:
    return axes[entry.panel].to_list() if entry.panel else [None]


def _panel(sums: pl.DataFrame, cells: pl.DataFrame, at: Any, entry: Entry) -> Panel:
    """The sums of one panel as arrays; cells in the order of the grid, problems sorted."""
    if entry.panel:
        cells = cells.filter(pl.col(entry.panel) == at)
        sums = sums.filter(pl.col(entry.panel) == at)
    names = {entry.encoding.x: "x", entry.encoding.y: "y"}
    cell = cells.select("x", "y").with_row_index("cell")
    who = (
        sums.select("task", "sample_id")
        .unique()
        .sort("task", "sample_id")
        .with_row_index("problem")
    )
    placed = sums.rename(names).join(cell, on=["x", "y"]).join(who, on=["task", "sample_id"])
    shape = (len(who), len(cell))
    count, total = np.zeros(shape, np.int64), np.zeros(shape)
    index = placed["problem"].to_numpy(), placed["cell"].to_numpy()
    count[index], total[index] = placed["count"].to_numpy(), placed["total"].to_numpy()
    task = who["task"].rank("dense").cast(pl.Int64).to_numpy() - 1
    # A complete run holds every problem seen anywhere in the panel, as often as any cell has it.
    expected = np.full(len(cell), count.max(axis=1, initial=0).sum())
    made_up = bool(sums["reconstructed"].any())
    return Panel(count, total, task, expected, made_up)
