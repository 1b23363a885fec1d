"""aggregate: samples → the grid of a heatmap, a row per cell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heatproof import counts, selection
from heatproof.errors import Error, choices
from heatproof.heatmaps import problems
from heatproof.heatmaps.panel import judge
from heatproof.lazy import polars as pl
from heatproof.metrics import metric

if TYPE_CHECKING:
    from heatproof.figures.heatmap import Entry
    from heatproof.metrics import Metric


def aggregate(
    samples: pl.LazyFrame, entry: Entry, partial: pl.LazyFrame | None = None
) -> pl.DataFrame:
    """The grid of a heatmap: the full product of panel, y and x, in drawing order.

    With the `partial` counts of the same samples (`heatproof.counts`) the samples themselves are
    looked at only where epochs count one by one, or to say which record is at fault.

    Raises:
        Error: samples that lie on no cell, that would be mixed, or that are there twice.
    """
    place = f"config.yaml: figures.{entry.name}"
    what = metric(entry.encoding.color)
    used = {*_axes(entry), *entry.where, *_shown(entry)}
    told = counts.told(samples, partial, [what.of], used)
    chosen = None if told is None else _counted(told, entry, what, place)
    if chosen is None:
        chosen = counts.count(_valid(samples, entry, what, place), [what.of], _axes(entry))
    selection.require_measured(chosen, what.of, entry.source, f"{place}.encoding.color")
    axes = {name: _axis(chosen, name, entry, place) for name in _axes(entry)}
    sums = problems.sums(chosen, list(axes), what)
    cells = _cells(axes, entry)
    panels = [problems.panel(sums, cells, at, entry) for at in _panel_values(axes, entry)]
    rows = pl.concat([judge(panel, what, entry.best, entry.uncertainty) for panel in panels])
    return pl.concat([cells, rows], how="horizontal")


def _axes(entry: Entry) -> list[str]:
    return [*([entry.panel] if entry.panel else []), entry.encoding.y, entry.encoding.x]


def _named(entry: Entry) -> dict[str, str]:
    named = {"encoding.x": entry.encoding.x, "encoding.y": entry.encoding.y}
    return named | ({"panel": entry.panel} if entry.panel else {})


def _shown(entry: Entry) -> list[str]:
    """Settings that may differ among the samples of a panel."""
    over = [entry.mean_over] if entry.mean_over else []
    return [*_named(entry).values(), *over, *entry.pool]


def _counted(told: pl.LazyFrame, entry: Entry, what: Metric, place: str) -> pl.DataFrame | None:
    """The counts of the figure's samples, or none where these must be looked at."""
    by = counts.settled(told.collect_schema().names(), [*_axes(entry), *entry.where])
    used = [*by, "epochs", f"{what.of}.n", f"{what.of}.sum", "reconstructed"]
    used += ["score.one", "score.zero"] if what.k else []
    chosen = selection.choose(told.select(used), entry.where, place).collect()
    selection.require_unmixed(chosen, _shown(entry), place)
    if any(chosen[name].null_count() for name in _named(entry).values()):
        return None
    # Two runs of the same settings may hold different epochs of a sample: counts cannot tell.
    if not counts.is_unique(chosen, [*selection.settings(by), "sample_id"]):
        return None
    if what.k and (chosen["epochs"] != chosen["score.one"] + chosen["score.zero"]).any():
        return None
    return chosen


def _valid(samples: pl.LazyFrame, entry: Entry, what: Metric, place: str) -> pl.DataFrame:
    """The figure's samples, of which all can be shown."""
    chosen = selection.choose(samples, entry.where, place).collect()
    selection.require_complete(chosen, _named(entry), place)
    selection.require_unmixed(chosen, _shown(entry), place)
    selection.require_single(chosen, place)
    if what.k and len(odd := chosen.filter(~pl.col("score").is_in([0.0, 1.0]))):
        log, line, score = odd.select("log", "line", "score").row(0)
        raise Error(
            f"{place}.encoding.color: {what.word} needs scores of 0 or 1, "
            f"but {log}:{line} has {score}; there is mean(score)"
        )
    return chosen


def _axis(chosen: pl.DataFrame, name: str, entry: Entry, place: str) -> pl.Series:
    """The values of a column in the order of the axis: `sort` first, else ascending."""
    found = chosen[name].unique().sort()
    wanted = entry.sort.get(name)
    if wanted is None:
        return found
    if missing := [value for value in found if value not in wanted]:
        raise Error(f"{place}.sort.{name}: leaves out {missing[0]!r}; {choices(missing[0], found)}")
    return pl.Series(name, wanted, found.dtype)


def _cells(axes: dict[str, pl.Series], entry: Entry) -> pl.DataFrame:
    """The full product of the axes, panel outermost, x innermost; axes renamed to x and y."""
    product = pl.DataFrame()
    for name, values in axes.items():
        axis = pl.DataFrame({name: values})
        product = axis if not product.width else product.join(axis, how="cross")
    return product.rename({entry.encoding.x: "x", entry.encoding.y: "y"})


def _panel_values(axes: dict[str, pl.Series], entry: Entry) -> list[Any]:
    return axes[entry.panel].to_list() if entry.panel else [None]
