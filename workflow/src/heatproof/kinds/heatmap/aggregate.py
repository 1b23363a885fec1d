"""aggregate: samples → the grid of a heatmap, a row per cell."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from heatproof.config import roles
from heatproof.kinds.heatmap import (
    annotation,
    baseline_cells,
    ordering,
    printed,
    problems,
    reasons,
    trends,
)
from heatproof.kinds.heatmap.expected import Expected
from heatproof.kinds.heatmap.judging import judge
from heatproof.metrics import metric
from heatproof.samples import answers, counts, selection
from heatproof.samples.shards_of_figure import Unfit
from heatproof.util import codes
from heatproof.util.errors import Absent, Error
from heatproof.util.lazy import numpy as np
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heatproof.kinds.heatmap.entry import Entry
    from heatproof.kinds.heatmap.judging import Panel
    from heatproof.metrics import Metric
    from heatproof.samples.shard_index import ShardIndex


def aggregate(
    samples: pl.LazyFrame,
    entry: Entry,
    partial: Sequence[pl.LazyFrame] | None = None,
    logs: ShardIndex | None = None,
) -> pl.DataFrame:
    """The grid of a heatmap: the full product of panel, y and x, in drawing order.

    What is printed beside the values stands in columns of its own (`annotation`). With the
    `partial` counts of the same samples (`samples.counts`) the samples themselves are looked at
    only where epochs count one by one, or to say which record is at fault. `logs` say what they
    were to hold.

    Raises:
        Error: samples that lie on no cell, that would be mixed, or that are there twice.
    """
    grid = _grid(samples, entry, partial, logs)
    if not entry.annotate:
        return grid
    return annotation.grid_of(grid, samples, entry, lambda one: _grid(samples, one, partial, logs))


def _grid(
    samples: pl.LazyFrame,
    entry: Entry,
    partial: Sequence[pl.LazyFrame] | None,
    logs: ShardIndex | None,
) -> pl.DataFrame:
    """The grid of the values alone."""
    place = _place(entry)
    what, own = metric(entry.encoding.color), entry.alone()
    rows = _gathered(samples, partial, own, what, place)
    expected = Expected(rows, logs, own)
    found = {name: expected.axis(rows.columns[name].values) for name in entry.along}
    axes = {name: ordering.axis(values, entry, place) for name, values in found.items()}
    panels = list(problems.panels(rows, axes, entry, expected.failed))
    _require_samples(panels, what, place)
    beside = None
    if entry.relative_to:
        base = _gathered(samples, partial, entry.baseline(), what, _place(entry.baseline()))
        beside = baseline_cells.beside(rows, base, axes, entry, what)
        del base
    del rows  # the arrays say all: no need to hold the rows beside them
    shown = entry.uncertainty if beside is None else "none"
    judged = pl.concat([judge(panel, what, entry.best, shown) for panel in panels])
    grid = pl.concat([_cells(axes, entry), judged.sort("cell").drop("cell")], how="horizontal")
    grid = trends.with_trends(grid, panels, what)
    if what.printed:
        grid = printed.with_uncertainty(grid, samples, entry.alone(), what)
    if beside is not None:
        grid = baseline_cells.against(grid, beside, entry)
    _require_value(grid, entry, place)
    return ordering.arranged(reasons.comparable(expected.with_declared(grid)), entry, place)


def _place(entry: Entry) -> str:
    return f"config.yaml: figures.{entry.name}"


def _gathered(
    samples: pl.LazyFrame,
    partial: Sequence[pl.LazyFrame] | None,
    entry: Entry,
    what: Metric,
    place: str,
) -> codes.Rows:
    """The counts of all samples that the figure shows, or those of its baseline.

    Raises:
        Error: as `aggregate`.
    """
    used = {*entry.along, *entry.where, *_shown(entry)}
    told = counts.sufficient_counts(samples, partial, [what.of], used)
    rows = None if told is None else _counted(told, entry, what, place)
    if rows is None:
        valid = _valid(samples, entry, what, place)
        counted = counts.count(valid, [what.of], _cell(entry))
        rows = counts.gather_counts([counted.lazy()], what, counts.told_apart(counted.columns))
    some = bool(rows.numbers["count"].any())
    selection.require_measured(some, what.of, entry.source, f"{place}.encoding.color")
    if not what.printed:  # a run that failed is told: its cell is incomplete
        _require_even(rows, entry, place)
    if not what.votes:
        return rows
    chosen = selection.choose(samples, entry.where, place, keys=_keys(entry))
    answers.require_some(chosen, what, entry.source, f"{place}.encoding.color")
    return _voted(rows, chosen, entry, what)


def _voted(rows: codes.Rows, samples: pl.LazyFrame, entry: Entry, what: Metric) -> codes.Rows:
    """The rows with the vote on each problem of a cell for its sum, which counts cannot tell.

    It stands in the first row of the problem, and 0 in the others, so that adding them up gives it.
    """
    by = [*dict.fromkeys([*entry.along, "task", "sample_id"])]
    found = answers.votes([samples], what, by)
    there = np.flatnonzero(rows.numbers["count"] > 0)
    first = there[np.unique(codes.codes(rows.at(there), by)[0], return_index=True)[1]]
    total = np.zeros(len(rows.numbers["count"]))
    total[first] = answers.of_rows(rows.at(first), found)
    return rows._replace(numbers={**rows.numbers, "total": total})


def _require_value(grid: pl.DataFrame, entry: Entry, place: str) -> None:
    """Refuse to draw a figure without a single value.

    Raises:
        Error: no cell has one; the message tells why of the first with records, and what to do.
    """
    if grid["value"].count():
        return
    row = grid.filter(~pl.col("gap").is_in(reasons.EMPTY)).row(0, named=True)
    names = dict(zip(entry.places, entry.along, strict=True))
    cell = ", ".join(f"{column}={row[name]}" for name, column in names.items())
    advice = (
        "A cell is the mean over its tasks: choose those that all cells have under where.task, "
        "or put task on panel, x or y"
    )
    if entry.relative_to:
        named = ", ".join(f"{name}={value}" for name, value in entry.relative_to.items())
        advice = f"The baseline is the cell with the same other settings and {named} (relative_to)"
        if entry.other:
            advice = f"The baseline is the cell at the same place of {entry.other} (relative_to)"
    raise Error(
        f"{place}: no cell has a value, so there is nothing to draw. {cell}: {row['gap']}. {advice}"
    )


def _require_even(rows: codes.Rows, entry: Entry, place: str) -> None:
    """Refuse a mean over anything but tasks whose parts hold a problem unequally often.

    The parts hold the same problems, whose samples are counted together: that is the unweighted
    mean of the parts where each has as many.

    Raises:
        Error: some problem is there more often in one part than in another.
    """
    over = entry.mean_over
    if over in (None, "task"):
        return
    axes = [*entry.along, "task"]
    each = counts.added_up(rows, [*dict.fromkeys([*axes, "sample_id", over])])
    beside = [*entry.panels, "task"]
    parts = counts.added_up(rows, [*dict.fromkeys([*beside, over])])
    size = Counter(codes.codes(parts, beside)[0].tolist())
    wanted = np.array([size[code] for code in codes.codes(each, beside)[0].tolist()])
    _, problem = np.unique(codes.codes(each, [*axes, "sample_id"])[0], return_inverse=True)
    count = each.numbers["count"]
    most = np.zeros(problem.max(initial=0) + 1, np.int64)
    np.maximum.at(most, problem, count)
    uneven = (np.bincount(problem)[problem] < wanted) | (count < most[problem])
    if uneven.any():
        at = int(np.flatnonzero(uneven)[0])
        told = {n: each.columns[n].values[int(each.columns[n].codes[at])] for n in each.columns}
        cell = ", ".join(f"{n}={told[n]}" for n in dict.fromkeys([*axes, "sample_id"]))
        raise Error(
            f"{place}.mean_over: the samples of {cell} are not as many for each {over}, so their "
            f"mean would not weigh each {over} alike; choose under where what is complete, or list "
            f"{over!r} under pool, where each sample weighs the same"
        )


def _require_samples(panels: Sequence[Panel], what: Metric, place: str) -> None:
    """Refuse a metric that the samples cannot give.

    Raises:
        Error: no problem was tried often enough for pass@k, pass^k or maj@k; the message tells how
            often the most were. Or it is made up which problems were solved, and it is no mean.
    """
    if (what.join or what.votes) and any(panel.reconstructed for panel in panels):
        raise Error(
            f"{place}.encoding.color: {what.word} needs the number of each problem, and of printed "
            f"digits only means are known; there is mean({what.of})"
        )
    most = max(int(panel.count.max(initial=0)) for panel in panels)
    if what.k and most < what.k:
        raise Absent(
            f"{place}.encoding.color: {what.word} needs {what.k} samples of a problem, "
            f"and no cell has more than {most}; there is {what.word.rstrip('0123456789')}{most}"
        )


def _named(entry: Entry) -> dict[str, str]:
    """Key → column along which cells lie; not where a baseline stands for all that lie there."""
    named = entry.axis_keys() | entry.split()
    return {key: name for key, name in named.items() if name not in entry.apart}


def _keys(entry: Entry) -> dict[str, str]:
    """Column → the key that asks for its value, where it is not `where`."""
    return {name: f"relative_to.{name}" for name in entry.apart}


def _cell(entry: Entry) -> list[str]:
    """Columns that say in which cell, and for a mean over them in which part of it, samples lie."""
    return [*entry.along, *([entry.mean_over] if entry.mean_over else [])]


def _shown(entry: Entry) -> list[str]:
    """Settings that may differ among the samples of a panel."""
    return [*_cell(entry), *entry.pool]


def _free(names: Sequence[str], entry: Entry) -> list[str]:
    """Settings that the figure does not name."""
    return [name for name in roles.settings(names) if name not in _shown(entry)]


def _counted(
    told: Sequence[pl.LazyFrame], entry: Entry, what: Metric, place: str
) -> codes.Rows | None:
    """The counts of the figure's samples, or none where these must be looked at."""
    by = counts.settled(told[0].collect_schema().names(), [*_shown(entry), *entry.where])
    right = pl.col("score.one") + pl.col("score.zero") if what.graded else pl.col("epochs")
    odd = (pl.col("epochs") != right).alias("odd")
    tests = selection.asked(told, entry.where, place, keys=_keys(entry))
    rows = counts.gather_counts(
        [selection.kept(shard, tests).with_columns(odd) for shard in told], what, by, ["odd"]
    )
    free = [name for name in _free(by, entry) if len(rows.columns[name].values) > 1]
    if free:
        found = codes.distinct(rows, [*dict.fromkeys([*_cell(entry), *free])])
        selection.require_unmixed(found, _cell(entry), free, place)
    if any(None in rows.columns[name].values for name in _named(entry).values()):
        return None
    # Two runs of the same settings may hold different epochs of a sample: counts cannot tell.
    single = codes.is_unique(rows, [*dict.fromkeys(_shown(entry)), "sample_id"])
    return rows if single and not rows.numbers["odd"].any() else None


def _valid(samples: pl.LazyFrame, entry: Entry, what: Metric, place: str) -> pl.DataFrame:
    """The figure's samples, of which all can be shown."""
    chosen = selection.choose(samples, entry.where, place, keys=_keys(entry)).collect()
    selection.require_complete(chosen, _named(entry), place)
    selection.require_unmixed(chosen, _cell(entry), _free(chosen.columns, entry), place)
    selection.require_single(chosen, place)
    if what.graded and len(odd := chosen.filter(~pl.col("score").is_in([0.0, 1.0]))):
        log, line, score = odd.select("log", "line", "score").row(0)
        needs = f"{place}.encoding.color: {what.word} needs scores of"
        raise Unfit(
            "score",
            lambda own: (
                f"{needs} {own(0)} or {own(1)}, but {log}:{line} has {own(score)}; "
                "there is mean(score)"
            ),
        )
    return chosen


def _cells(axes: dict[str, pl.Series], entry: Entry) -> pl.DataFrame:
    """The full product of the axes, panel outermost, x innermost; axes renamed to x and y."""
    product = pl.DataFrame()
    for name, values in axes.items():
        axis = pl.DataFrame({name: values})
        product = axis if not product.width else product.join(axis, how="cross")
    return product.rename({entry.x: "x", entry.y: "y"})
