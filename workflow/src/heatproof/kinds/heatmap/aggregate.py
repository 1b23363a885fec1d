"""aggregate: samples → the grid of a heatmap, a row per cell."""

from __future__ import annotations

from collections import Counter
from functools import reduce
from typing import TYPE_CHECKING, Any

import msgspec

from heatproof.config import roles
from heatproof.kinds import states
from heatproof.kinds.heatmap import baseline, judged, ordering, printed, reasons
from heatproof.kinds.heatmap import grid as grids
from heatproof.kinds.heatmap.entry import METRIC
from heatproof.kinds.heatmap.properties import find_properties
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
    from heatproof.kinds.heatmap.properties import Properties
    from heatproof.metrics import Metric
    from heatproof.samples.shard_index import ShardIndex

    Partial = Sequence[pl.LazyFrame] | None  # counts of the samples, by shards

NOTE = "note_value"  # column of what `annotate` prints: a number, or a value of a column
NOTED = ("value", "samples", "epochs", "gap", "lacks")
"""Columns of the grid of a metric that is printed beside; in the grid behind `note_`."""
SEVERAL = 3  # values that are named at most where a cell has more than one


def aggregate(
    samples: pl.LazyFrame, entry: Entry, partial: Partial = None, logs: ShardIndex | None = None
) -> pl.DataFrame:
    """The grid of a heatmap: the full product of panel, y and x, in drawing order.

    A metric in `annotate` adds the columns `NOTED`, a column `NOTE` alone. With `partial` counts
    (`samples.counts`) samples are read only where epochs count one by one, or to name a record.
    `logs`: what the logs were to hold.

    Raises:
        Error: samples that lie on no cell, would be mixed, or occur twice.
    """
    entry = ordering.with_groups(entry, samples, _place(entry))
    grid = (_of_metrics if entry.several else _grid)(samples, entry, partial, logs)
    grid = grid.with_columns(ordering.group_columns(grid, entry))
    beside = entry.beside
    if beside is None:
        return _with_column_notes(grid, samples, entry) if entry.noted else grid
    own = (_place(entry), f"{_place(entry)}.encoding.color")
    beside = entry.parts if entry.deviates else beside
    counted = _grid_at_key(own, "annotate", samples, beside, partial, logs)
    counted = _deviations(counted, entry.places) if entry.deviates else counted
    notes = counted.select(*entry.places, *(pl.col(name).alias(f"note_{name}") for name in NOTED))
    return grid.join(notes, on=entry.places, how="left", nulls_equal=True, maintain_order="left")


def _deviations(parts: pl.DataFrame, places: Sequence[str]) -> pl.DataFrame:
    """The sample standard deviation of the values of each cell; `parts`: a row for each value.

    Null for fewer than two values, or if one with records has no value.
    """
    empty = [kind for kind, state in states.GAPS.items() if state.is_empty]
    there = parts.filter(~pl.col("gap").is_in(empty).fill_null(value=False))
    value = pl.col("value")
    return there.group_by(places, maintain_order=True).agg(
        value=pl.when(value.null_count() == 0).then(value.std()),
        samples=pl.len().cast(pl.Int64),
        epochs=pl.col("epochs").sum(),
        gap=pl.lit(None, pl.String),
        lacks=pl.lit(None, parts.schema["lacks"]),
    )


def _of_metrics(
    samples: pl.LazyFrame, entry: Entry, partial: Partial, logs: ShardIndex | None
) -> pl.DataFrame:
    """The grids of all metrics, each in the order of the first, with a column `metric`."""
    parts: list[pl.DataFrame] = []
    keys, places = entry.metric_keys(), (f"{_place(entry)}.encoding.color", _place(entry))
    for key, word in keys.items():
        own = entry.of_metrics(word)
        if parts:
            orders = {name: by for name, by in own.sort.items() if by not in ordering.COUNTED}
            own = msgspec.structs.replace(own, sort=orders)
        inside = places[: 1 + bool(parts)]  # mistakes of all metrics are reported at the first
        grid = _grid_at_key(inside, key, samples, own, partial, logs, len(keys))
        first = (parts or [grid])[0].select(own.places)
        grid = first.join(grid, on=own.places, how="left", nulls_equal=True, maintain_order="left")
        peers = pl.col("peers") + len(first) * len(parts)
        parts.append(grid.select(pl.lit(word).alias(METRIC), pl.all()).with_columns(peers))
    size = len(parts[0])  # in each row of panels the metrics follow each other
    step = size // parts[0][entry.row].n_unique() if entry.row else size
    starts = [n * size + at for at in range(0, size, step) for n in range(len(parts))]
    order = [start + n for start in starts for n in range(step)]
    return pl.concat(parts, how="diagonal")[order]


def _grid_at_key(places: Sequence[str], key: str, *arguments: Any) -> pl.DataFrame:
    """The grid of one metric; mistakes at some `places` are reported at its `key`."""
    try:
        return _grid(*arguments)
    except Error as error:
        own = f"{_place(arguments[1])}.{key}"
        mistakes = [m._replace(place=own) if m.place in places else m for m in error.mistakes]
        raise Error(mistakes) from None


def _grid(
    samples: pl.LazyFrame, entry: Entry, partial: Partial, logs: ShardIndex | None, metrics: int = 1
) -> pl.DataFrame:
    """The grid of one metric, without notes; `metrics`: how many the figure shows."""
    what, own, best = metric(entry.word), entry.alone(), entry.best_of(entry.word)
    rows = _counts(samples, partial, own, what)
    properties = find_properties(rows, samples, own, logs)
    expected = grids.Expected(rows, logs, own, properties)
    values = {name: expected.axis(rows.columns[name].values) for name in entry.along}
    axes = {name: ordering.axis(own, entry, _place(entry)) for name, own in values.items()}
    panels = list(grids.panels(rows, axes, entry, expected, properties))
    _require_samples(rows, panels, entry, what)
    columns = (pl.DataFrame({name: values}) for name, values in axes.items())
    product = reduce(lambda outer, inner: outer.join(inner, how="cross"), columns)
    product = product.rename({entry.x: "x", entry.y: "y"})
    panels = expected.with_sizes(panels, product)
    counted = what.by_problem() if _needs_values(entry, what) else what
    differences = None
    if entry.relative_to:
        base = _counts(samples, partial, entry.baseline(), what)
        differences = baseline.beside(
            _drop_unbalanced(rows),
            _drop_unbalanced(base),
            axes,
            entry,
            counted,
            panels,
            expected,
            properties,
        )
        del base
    del rows  # panels hold the same in arrays
    uncertainty = "none" if entry.relative_to else entry.uncertainty
    cells = [judged.judge(panel, counted, best, uncertainty, entry.looks) for panel in panels]
    grid = pl.concat([product, pl.concat(cells).sort("cell").drop("cell")], how="horizontal")
    grid = judged.with_levels(grid, panels, counted, entry, metrics)
    if what.printed:
        grid = printed.with_uncertainty(grid, samples, own, what)
    if differences is not None:
        grid = baseline.against(grid, differences, entry)
    _require_value(grid, entry, properties)
    return ordering.arranged(expected.with_declared(grid), entry, _place(entry))


def _place(entry: Entry) -> str:
    return f"figures.{entry.name}"


def _unique(*names: str | None) -> list[str]:
    return [*dict.fromkeys(name for name in names if name)]


def _counts(samples: pl.LazyFrame, partial: Partial, entry: Entry, what: Metric) -> codes.Rows:
    """The counts of the samples of a figure, or of its baseline, with a flag `unbalanced`."""
    place = _place(entry)
    used = {*entry.where, *_unique(*entry.along, entry.mean_over, *entry.pool)}
    portions = counts.sufficient_counts(samples, partial, [what.of], used)
    rows = None if portions is None else _from_partial(portions, entry, what)
    if rows is None:
        valid = _valid_samples(samples, entry, what)
        counted = counts.count(valid, [what.of], _unique(*entry.along, entry.mean_over))
        by = roles.columns(counted.columns, "place", "key", "setting")
        rows = counts.gather_counts([counted.lazy()], what, by)
    if not rows.numbers["count"].any():
        raise selection.unmeasured(what.of, entry.source, f"{place}.encoding.color")
    if _needs_values(entry, what):
        chosen = selection.choose(samples, entry.where, place, _baseline_keys(entry))
        if what.votes:
            counts.require_answers(chosen, what, entry.source, f"{place}.encoding.color")
        rows = _with_values(rows, chosen, entry, what)
    none = np.zeros(len(rows.numbers["count"]), bool)
    unbalanced = none if entry.averaged is None or what.printed else _unbalanced_rows(rows, entry)
    return rows._replace(numbers={**rows.numbers, "unbalanced": unbalanced})


def _baseline_keys(entry: Entry) -> dict[str, str]:
    """Column → the key that asks for its value, where it is not `where`."""
    return {name: f"relative_to.{name}" for name in entry.relative_to}


def _places(entry: Entry) -> dict[str, str]:
    """Key → column along which cells lie, but for those that the baseline fixes."""
    keys = entry.place_keys().items()
    return {key: name for key, name in keys if name not in entry.relative_to}


def _other_settings(names: Sequence[str], entry: Entry) -> list[str]:
    mixable = _unique(*entry.along, entry.mean_over, *entry.pool)
    return [name for name in roles.settings(names) if name not in mixable]


def _from_partial(
    portions: Sequence[pl.LazyFrame], entry: Entry, what: Metric
) -> codes.Rows | None:
    """The rows of partial counts; None where the samples themselves must be read."""
    cell = _unique(*entry.along, entry.mean_over)
    mixable, names = [*cell, *entry.pool], portions[0].collect_schema().names()
    by = counts.settled(names, [*mixable, *entry.where])
    right = pl.col("score.one") + pl.col("score.zero") if what.graded else pl.col("epochs")
    odd = (pl.col("epochs") != right).alias("odd")
    tests = selection.conditions(portions, entry.where, _place(entry), _baseline_keys(entry))
    shards = [shard.filter(*tests).with_columns(odd) for shard in portions]
    rows = counts.gather_counts(shards, what, by, ["odd"])
    if free := [name for name in _other_settings(by, entry) if len(rows.columns[name].values) > 1]:
        settings = codes.distinct(rows, _unique(*cell, *free))
        selection.require_unmixed(settings, cell, free, _place(entry))
    if any(None in rows.columns[name].values for name in _places(entry).values()):
        return None
    # Two runs of the same settings may hold different epochs of a sample: counts cannot tell.
    single = codes.is_unique(rows, [*_unique(*mixable), "sample_id"])
    return rows if single and not rows.numbers["odd"].any() else None


def _valid_samples(samples: pl.LazyFrame, entry: Entry, what: Metric) -> pl.DataFrame:
    place, cell = _place(entry), _unique(*entry.along, entry.mean_over)
    chosen = selection.choose(samples, entry.where, place, _baseline_keys(entry)).collect()
    selection.require_complete(chosen, _places(entry), place)
    selection.require_unmixed(chosen, cell, _other_settings(chosen.columns, entry), place)
    selection.require_single(chosen, place)
    if what.graded and len(odd := chosen.filter(~pl.col("score").is_in([0.0, 1.0]))):
        log, line, score = odd.select("log", "line", "score").row(0)
        message = (
            f"{what.word} needs scores of 0 or 1, but {log}:{line} has {score:.12g} on the scale "
            "from 0 to 1; write mean(score)"
        )
        raise Error(Mistake(f"{place}.encoding.color", message))
    return chosen


def _needs_values(entry: Entry, what: Metric) -> bool:
    """Whether number and sum of its samples do not give the value of a problem."""
    return what.votes or bool(entry.averaged and what.k and what.k > 1)


def _with_values(rows: codes.Rows, samples: pl.LazyFrame, entry: Entry, what: Metric) -> codes.Rows:
    """The rows with the value of each problem of a cell in place of its sum.

    It stands in the first row of the problem, and 0 in the others, so that the sum of rows is it.
    """
    by = _unique(*entry.along, "task", "sample_id")
    key = _unique(entry.averaged, *by)
    values = counts.votes([samples], what, key) if what.votes else None
    values = counts.values_of_counts(rows, what, key) if values is None else values
    if entry.averaged:
        values = counts.averaged(values, entry.averaged)
    there = np.flatnonzero(rows.numbers["count"] > 0)
    first = there[np.unique(codes.codes(rows.at(there), by), return_index=True)[1]]
    total = np.zeros(len(rows.numbers["count"]))
    total[first] = counts.of_problems(rows.at(first).frame(key), values)
    return rows._replace(numbers={**rows.numbers, "total": total})


def _unbalanced_rows(rows: codes.Rows, entry: Entry) -> grids.Flags:
    """Flags of rows: the values of `mean_over` hold different problems in their cell and task.

    A mean over these values would not weigh them alike.
    """
    cell, beside = _unique(*entry.along, "task"), _unique(*entry.panels, "task")
    problems = counts.added_up(rows, _unique(entry.averaged, *cell, "sample_id"))
    parts = counts.added_up(rows, _unique(entry.averaged, *beside))
    size = Counter(codes.codes(parts, beside).tolist())
    parts_of_panel = np.array([size[code] for code in codes.codes(problems, beside).tolist()])
    _, problem = np.unique(codes.codes(problems, [*cell, "sample_id"]), return_inverse=True)
    count = problems.numbers["count"]
    most = np.zeros(problem.max(initial=0) + 1, np.int64)
    np.maximum.at(most, problem, count)
    unbalanced = (np.bincount(problem)[problem] < parts_of_panel) | (count < most[problem])
    return np.isin(codes.codes(rows, cell), codes.codes(problems, cell)[unbalanced])


def _drop_unbalanced(rows: codes.Rows) -> codes.Rows:
    kept = ~rows.numbers["unbalanced"]
    zeros = {name: np.where(kept, rows.numbers[name], 0) for name in ("count", "total")}
    return rows._replace(numbers={**rows.numbers, **zeros})


def _require_samples(rows: codes.Rows, panels: Sequence[Panel], entry: Entry, what: Metric) -> None:
    """Refuse a metric that the samples cannot give."""
    place, why = f"{_place(entry)}.encoding.color", ""
    key = _unique(entry.averaged, *entry.along, "task", "sample_id")
    most = int(counts.added_up(rows, key).numbers["count"].max(initial=0))
    if (what.join or _needs_values(entry, what)) and any(panel.reconstructed for panel in panels):
        why = (
            f"{what.word} needs the number of each problem, but printed digits give only means; "
            f"write mean({what.of})"
        )
    elif what.k and most < what.k:
        cell = f"no {entry.averaged} of a cell" if entry.averaged else "no cell"
        why = (
            f"{what.word} needs {what.k} samples of a problem, but {cell} has more than {most}; "
            f"write {what.word.rstrip('0123456789')}{most}"
        )
    if why:
        raise Error(Mistake(place, why))


def _require_value(grid: pl.DataFrame, entry: Entry, properties: Properties) -> None:
    """Refuse a figure without any value, with the reason of the first cell that has records."""
    if grid["value"].count():
        return
    if entry.averaged in properties.names:
        whose = "problem" if entry.averaged in properties.of_problems else "answer"
        why = (
            f"each {whose} has one {entry.averaged!r}, so no problem has a mean over its values; "
            f"put {entry.averaged!r} on an axis, or list it under pool, where each sample weighs "
            "the same"
        )
        raise Error(Mistake(f"{_place(entry)}.mean_over", why))
    gaps = ((row, states.read_gap(row)) for row in grid.iter_rows(named=True))
    row, gap = next((row, gap) for row, gap in gaps if gap and not gap.state.is_empty)
    cell = ", ".join(f"{c}={row[n]}" for n, c in zip(entry.places, entry.along, strict=True))
    advice = (
        "A cell is the mean over its tasks: choose those that all cells have under where.task, "
        "or put task on panel, x or y"
    )
    if entry.averaged and any(lack.kind == "uneven" for lack in gap.lacks):
        advice = (
            f"A cell is the mean over {entry.averaged} (mean_over): choose under where what is "
            f"complete, or list {entry.averaged!r} under pool, where each sample weighs the same"
        )
    if entry.relative_to:
        settings = ", ".join(f"{name}={value}" for name, value in entry.relative_to.items())
        same = "The baseline is the cell with the same other settings"
        advice = f"{same} and {settings} (relative_to)"
    words = reasons.gap_words(row, entry)
    why = "no cell has a value, so there is nothing to draw"
    raise Error(Mistake(_place(entry), f"{why}. {cell}: {words}. {advice}"))


def _with_column_notes(grid: pl.DataFrame, samples: pl.LazyFrame, entry: Entry) -> pl.DataFrame:
    """The grid with the one value of a column in each cell; null where a cell has no samples."""
    rows, name = selection.of_figure(samples, entry.alone()), entry.noted
    values = rows.group_by(entry.along).agg(pl.col(name).unique().alias(NOTE)).collect()
    mixed = values.filter(pl.col(NOTE).list.len() > 1).sort(entry.along, nulls_last=True)
    for *where, several in mixed.head(1).iter_rows():
        cell = ", ".join(f"{n}={v}" for n, v in zip(entry.along, where, strict=True))
        words = [str(value) for value in pl.Series(several).sort(nulls_last=True)]
        more = f" and {len(words) - SEVERAL:,} more" if len(words) > SEVERAL else ""
        why = (
            f"{name!r} has {len(words):,} values in one cell ({', '.join(words[:SEVERAL])}{more} "
            f"at {cell}), but a cell prints one; choose one under where.{name}, or put {name!r} "
            "on an axis"
        )
        raise Error(Mistake(f"{_place(entry)}.annotate", why))
    notes = values.with_columns(pl.col(NOTE).list.first())
    notes = notes.rename(dict(zip(entry.along, entry.places, strict=True)))
    return grid.join(notes, on=entry.places, how="left", nulls_equal=True, maintain_order="left")
