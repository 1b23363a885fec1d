"""aggregate: samples → the grid of a heatmap, a row per cell."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from heatproof.config import roles
from heatproof.kinds.heatmap import (
    annotation,
    axis_levels,
    baseline,
    ordering,
    printed,
    reasons,
)
from heatproof.kinds.heatmap.expected import Expected
from heatproof.kinds.heatmap.grid import panels as panels_of
from heatproof.kinds.heatmap.judged import judge
from heatproof.metrics import metric
from heatproof.samples import counts, selection
from heatproof.util import codes
from heatproof.util.errors import Error, Mistake
from heatproof.util.lazy import numpy as np
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heatproof.kinds.heatmap.entry import Entry
    from heatproof.kinds.heatmap.grid import Panel
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
    return annotation.grid_of(
        grid, samples, entry, lambda other: _grid(samples, other, partial, logs)
    )


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
    rows = _marked_uneven(rows, own, what)
    expected = Expected(rows, logs, own)
    values = {name: expected.axis(rows.columns[name].values) for name in entry.along}
    axes = {name: ordering.axis(own, entry, place) for name, own in values.items()}
    panels = list(panels_of(rows, axes, entry, expected.failed))
    _require_samples(rows, panels, entry, what)
    counted = what.by_problem() if _is_valued(entry, what) else what
    beside = None
    if entry.relative_to:
        base = _gathered(samples, partial, entry.baseline(), what, _place(entry.baseline()))
        base = _marked_uneven(base, entry.baseline(), what)
        beside = baseline.beside(_even(rows), _even(base), axes, entry, counted)
        del base
    del rows  # the arrays say all: no need to hold the rows beside them
    uncertainty = entry.uncertainty if beside is None else "none"
    judged = pl.concat([judge(panel, counted, entry.best, uncertainty) for panel in panels])
    grid = pl.concat([_cells(axes, entry), judged.sort("cell").drop("cell")], how="horizontal")
    grid = axis_levels.with_levels(grid, panels, counted, entry.best)
    if what.printed:
        grid = printed.with_uncertainty(grid, samples, entry.alone(), what)
    if beside is not None:
        grid = baseline.against(grid, beside, entry)
    _require_value(grid, entry, place)
    return ordering.arranged(reasons.comparable(expected.with_declared(grid)), entry, place)


def _place(entry: Entry) -> str:
    return f"figures.{entry.name}"


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
    used = {*entry.along, *entry.where, *_mixable(entry)}
    portions = counts.sufficient_counts(samples, partial, [what.of], used)
    rows = None if portions is None else _counted(portions, entry, what, place)
    if rows is None:
        valid = _valid(samples, entry, what, place)
        counted = counts.count(valid, [what.of], _cell(entry))
        rows = counts.gather_counts([counted.lazy()], what, counts.told_apart(counted.columns))
    if not rows.numbers["count"].any():
        raise selection.unmeasured(what.of, entry.source, f"{place}.encoding.color")
    if not _is_valued(entry, what):
        return rows
    chosen = selection.choose(samples, entry.where, place, _keys(entry))
    if what.votes:
        counts.require_answers(chosen, what, entry.source, f"{place}.encoding.color")
    return _valued(rows, chosen, entry, what)


def _is_valued(entry: Entry, what: Metric) -> bool:
    """Whether the value of a problem does not follow from the number and sum of its samples."""
    return what.votes or bool(entry.averaged and what.k and what.k > 1)


def _valued(rows: codes.Rows, samples: pl.LazyFrame, entry: Entry, what: Metric) -> codes.Rows:
    """The rows with the value of each problem of a cell for its sum, which counts cannot tell.

    It stands in the first row of the problem, and 0 in the others, so that adding them up gives it.
    """
    by = [*dict.fromkeys([*entry.along, "task", "sample_id"])]
    key = _part_of(entry, by)
    if what.votes:
        values = counts.votes([samples], what, key)
    else:
        values = counts.values_of_counts(rows, what, key)
    if entry.averaged:
        values = counts.averaged(values, entry.averaged)
    there = np.flatnonzero(rows.numbers["count"] > 0)
    first = there[np.unique(codes.codes(rows.at(there), by)[0], return_index=True)[1]]
    total = np.zeros(len(rows.numbers["count"]))
    total[first] = counts.of_problems(rows.at(first).frame(key), values)
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
    if entry.averaged and reasons.UNEVEN_PARTS in row["gap"]:
        advice = (
            f"A cell is the mean over {entry.averaged} (mean_over): choose under where what is "
            f"complete, or list {entry.averaged!r} under pool, where each sample weighs the same"
        )
    if entry.relative_to:
        named = ", ".join(f"{name}={value}" for name, value in entry.relative_to.items())
        advice = f"The baseline is the cell with the same other settings and {named} (relative_to)"
    raise Error(
        Mistake(
            place,
            f"no cell has a value, so there is nothing to draw. {cell}: {row['gap']}. {advice}",
        )
    )


def _part_of(entry: Entry, names: Sequence[str]) -> list[str]:
    """The columns `names`, and before them that over which a cell is the mean unless it is task."""
    return [*dict.fromkeys([*([entry.averaged] if entry.averaged else []), *names])]


def _marked_uneven(rows: codes.Rows, entry: Entry, what: Metric) -> codes.Rows:
    """The rows with `uneven`: whether they are of a cell and task that have no mean over a column.

    Unless each value of `mean_over` holds the same problems, each as often, the mean would not
    weigh them alike. Of aggregates a run that failed is told elsewhere.
    """
    none = np.zeros(len(rows.numbers["count"]), bool)
    if entry.averaged is None or what.printed:
        return rows._replace(numbers={**rows.numbers, "uneven": none})
    cell = [*dict.fromkeys([*entry.along, "task"])]
    problems = counts.added_up(rows, _part_of(entry, [*cell, "sample_id"]))
    beside = [*dict.fromkeys([*entry.panels, "task"])]
    parts = counts.added_up(rows, _part_of(entry, beside))
    size = Counter(codes.codes(parts, beside)[0].tolist())
    parts_of_panel = np.array([size[code] for code in codes.codes(problems, beside)[0].tolist()])
    _, problem = np.unique(codes.codes(problems, [*cell, "sample_id"])[0], return_inverse=True)
    count = problems.numbers["count"]
    most = np.zeros(problem.max(initial=0) + 1, np.int64)
    np.maximum.at(most, problem, count)
    uneven = (np.bincount(problem)[problem] < parts_of_panel) | (count < most[problem])
    wrong = np.isin(codes.codes(rows, cell)[0], codes.codes(problems, cell)[0][uneven])
    return rows._replace(numbers={**rows.numbers, "uneven": wrong})


def _even(rows: codes.Rows) -> codes.Rows:
    """The rows with nothing counted where they are `uneven`."""
    kept = ~rows.numbers["uneven"]
    zeros = {name: np.where(kept, rows.numbers[name], 0) for name in ("count", "total")}
    return rows._replace(numbers={**rows.numbers, **zeros})


def _require_samples(rows: codes.Rows, panels: Sequence[Panel], entry: Entry, what: Metric) -> None:
    """Refuse a metric that the samples cannot give.

    Raises:
        Error: no problem was tried often enough for pass@k, pass^k or maj@k; the message tells how
            often the most were. Or it is made up which problems were solved, and it is no mean.
    """
    place = f"{_place(entry)}.encoding.color"
    if (what.join or _is_valued(entry, what)) and any(panel.reconstructed for panel in panels):
        raise Error(
            Mistake(
                place,
                f"{what.word} needs the number of each problem, and of printed "
                f"digits only means are known; there is mean({what.of})",
            )
        )
    key = _part_of(entry, [*entry.along, "task", "sample_id"])
    most = int(counts.added_up(rows, key).numbers["count"].max(initial=0))
    if what.k and most < what.k:
        cell = f"no {entry.averaged} of a cell" if entry.averaged else "no cell"
        raise Error(
            Mistake(
                place,
                f"{what.word} needs {what.k} samples of a problem, "
                f"and {cell} has more than {most}; there is {what.word.rstrip('0123456789')}{most}",
            )
        )


def _along(entry: Entry) -> dict[str, str]:
    """Key → column along which cells lie; not where a baseline stands for all that lie there."""
    named = entry.axis_keys() | entry.split()
    return {key: name for key, name in named.items() if name not in entry.relative_to}


def _keys(entry: Entry) -> dict[str, str]:
    """Column → the key that asks for its value, where it is not `where`."""
    return {name: f"relative_to.{name}" for name in entry.relative_to}


def _cell(entry: Entry) -> list[str]:
    """Columns that say in which cell, and for a mean over them in which part of it, samples lie."""
    return [*entry.along, *([entry.mean_over] if entry.mean_over else [])]


def _mixable(entry: Entry) -> list[str]:
    """Settings that may differ among the samples of a panel."""
    return [*_cell(entry), *entry.pool]


def _free(names: Sequence[str], entry: Entry) -> list[str]:
    """Settings that the figure does not name."""
    return [name for name in roles.settings(names) if name not in _mixable(entry)]


def _counted(
    portions: Sequence[pl.LazyFrame], entry: Entry, what: Metric, place: str
) -> codes.Rows | None:
    """The counts of the figure's samples, or none where these must be looked at."""
    by = counts.settled(portions[0].collect_schema().names(), [*_mixable(entry), *entry.where])
    right = pl.col("score.one") + pl.col("score.zero") if what.graded else pl.col("epochs")
    odd = (pl.col("epochs") != right).alias("odd")
    tests = selection.conditions(portions, entry.where, place, _keys(entry))
    rows = counts.gather_counts(
        [shard.filter(*tests).with_columns(odd) for shard in portions],
        what,
        by,
        ["odd"],
    )
    free = [name for name in _free(by, entry) if len(rows.columns[name].values) > 1]
    if free:
        found = codes.distinct(rows, [*dict.fromkeys([*_cell(entry), *free])])
        selection.require_unmixed(found, _cell(entry), free, place)
    if any(None in rows.columns[name].values for name in _along(entry).values()):
        return None
    # Two runs of the same settings may hold different epochs of a sample: counts cannot tell.
    single = codes.is_unique(rows, [*dict.fromkeys(_mixable(entry)), "sample_id"])
    return rows if single and not rows.numbers["odd"].any() else None


def _valid(samples: pl.LazyFrame, entry: Entry, what: Metric, place: str) -> pl.DataFrame:
    """The figure's samples, of which all can be shown."""
    chosen = selection.choose(samples, entry.where, place, _keys(entry)).collect()
    selection.require_complete(chosen, _along(entry), place)
    selection.require_unmixed(chosen, _cell(entry), _free(chosen.columns, entry), place)
    selection.require_single(chosen, place)
    if what.graded and len(odd := chosen.filter(~pl.col("score").is_in([0.0, 1.0]))):
        log, line, score = odd.select("log", "line", "score").row(0)
        message = (
            f"{what.word} needs scores of 0 or 1, but {log}:{line} has {score:.12g} on the scale "
            "from 0 to 1; there is mean(score)"
        )
        raise Error(Mistake(f"{place}.encoding.color", message))
    return chosen


def _cells(axes: dict[str, pl.Series], entry: Entry) -> pl.DataFrame:
    """The full product of the axes, panel outermost, x innermost; axes renamed to x and y."""
    product = pl.DataFrame()
    for name, values in axes.items():
        axis = pl.DataFrame({name: values})
        product = axis if not product.width else product.join(axis, how="cross")
    return product.rename({entry.x: "x", entry.y: "y"})
