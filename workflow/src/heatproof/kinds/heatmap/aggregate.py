"""aggregate: samples → the grid of a heatmap, a row per cell."""

from __future__ import annotations

from collections import Counter
from functools import reduce
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from heatproof.config import roles
from heatproof.kinds import states
from heatproof.kinds.columns import NOTE, join_cells
from heatproof.kinds.heatmap import (
    against,
    baseline,
    by_k,
    curves,
    judged,
    ordering,
    printed,
    reasons,
    shares,
)
from heatproof.kinds.heatmap import grid as grids
from heatproof.kinds.heatmap.properties import find_properties
from heatproof.kinds.question import METRIC
from heatproof.kinds.trace import place_words
from heatproof.metrics import metric
from heatproof.samples import counts, selection
from heatproof.util import codes
from heatproof.util.errors import Error, Mistake
from heatproof.util.lazy import numpy as np
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from heatproof.kinds.cell_figure import Cells
    from heatproof.kinds.columns import Grid, Partial, Portions, Samples
    from heatproof.kinds.heatmap.grid import PanelCounts
    from heatproof.kinds.heatmap.properties import Properties
    from heatproof.kinds.question import Question
    from heatproof.kinds.states import Gap
    from heatproof.metrics import Metric
    from heatproof.samples.shard_index import ShardIndex


NOTED = ("value", "samples", "epochs", "gap", "lacks")
"""Columns of the grid of a metric that is printed beside; in the grid behind `note_`."""
SEVERAL = 3  # values that are named at most where a cell has more than one


def aggregate(
    samples: Samples, entry: Cells, partial: Partial = None, logs: ShardIndex | None = None
) -> Grid:
    """The grid of a figure of cells (`count_cells`)."""
    return count_cells(samples, entry.question, partial, logs)


def count_cells(
    samples: Samples, question: Question, partial: Partial, logs: ShardIndex | None
) -> Grid:
    """The grid of a question: the full product of panel, y and x, in drawing order.

    A metric in `annotate` adds the columns `NOTED`, a column `NOTE` alone. With `partial` counts
    (`samples.counts`) samples are read only where epochs count one by one, or to name a record.
    `logs`: what the logs were to hold.

    Raises:
        Error: samples that lie on no cell, would be mixed, or occur twice.
    """
    if question.pair:
        return against.count_square(samples, question, partial)
    question = ordering.with_groups(question, samples)
    count_grid: Callable[..., Grid] = _grid
    if question.several:
        count_grid = _of_metrics
    elif question.k:
        count_grid = _grids_over_k
    grid = count_grid(samples, question, partial, logs)
    grid = grid.with_columns(ordering.group_columns(grid, question))
    note_question = question.beside
    if note_question is None:
        if question.noted:
            return _with_column_notes(grid, samples, question)
        return grid
    own = (question.place, question.metric_place)
    if question.deviates:
        note_question = question.deviating
    counted = _grid_at_key(own, question.keys["note"], samples, note_question, partial, logs)
    if question.deviates:
        counted = _deviations(counted, question.places)
    noted = [pl.col(name).alias(f"note_{name}") for name in NOTED]
    notes = counted.select(*question.places, *noted)
    return join_cells(grid, notes, question.places)


def _deviations(deviating: Grid, places: Sequence[str]) -> Grid:
    """The sample standard deviation of the values of each cell; `deviating`: a row for each value.

    Null for fewer than two values, or if one with records has no value.
    """
    empty = [kind for kind, state in states.GAPS.items() if state.is_empty]
    recorded = deviating.filter(~pl.col("gap").is_in(empty).fill_null(value=False))
    value = pl.col("value")
    return recorded.group_by(places, maintain_order=True).agg(
        value=pl.when(value.null_count() == 0).then(value.std()),
        samples=pl.len().cast(pl.Int64),
        epochs=pl.col("epochs").sum(),
        gap=pl.lit(None, pl.String),
        lacks=pl.lit(None, deviating.schema["lacks"]),
    )


def _of_metrics(
    samples: Samples, question: Question, partial: Partial, logs: ShardIndex | None
) -> Grid:
    """The grids of all metrics, each in the order of the first, with a column `metric`."""
    grids_of_metrics: list[Grid] = []
    keys = question.metric_keys()
    places = (question.metric_place, question.place)
    for key, metric_word in keys.items():
        alone = question.of_metrics(metric_word)
        if grids_of_metrics:
            alone = msgspec.structs.replace(alone, sort=alone.plain_orders())
        places_told = places[
            : 1 + bool(grids_of_metrics)
        ]  # mistakes of all metrics are reported at the first
        grid = _grid_at_key(places_told, key, samples, alone, partial, logs, len(keys))
        first = (grids_of_metrics or [grid])[0].select(alone.places)
        grid = join_cells(first, grid, alone.places)
        peers = pl.col("peers") + len(first) * len(grids_of_metrics)
        grids_of_metrics.append(
            grid.select(pl.lit(metric_word).alias(METRIC), pl.all()).with_columns(peers)
        )
    size = len(grids_of_metrics[0])  # in each row of panels the metrics follow each other
    step = size
    if question.row:
        step = size // grids_of_metrics[0][question.row].n_unique()
    order: list[int] = []
    for start in range(0, size, step):
        for number in range(len(grids_of_metrics)):
            first_cell = number * size + start
            end = first_cell + step
            order += range(first_cell, end)
    return pl.concat(grids_of_metrics, how="diagonal")[order]


def _grids_over_k(
    samples: Samples, question: Question, partial: Partial, logs: ShardIndex | None
) -> Grid:
    """The grids of a metric for each k, as one."""
    parts = []
    places = question.place, question.metric_place
    for number in question.k:
        own = msgspec.structs.replace(question.at_k(number), sort=question.plain_orders())
        portions = partial and [by_k.with_number(counts_, number) for counts_ in partial]
        index = logs and by_k.index_with(logs, number)
        table = by_k.with_number(samples, number)
        grid = _grid_at_key(places, "k", table, own, portions, index, len(question.k))
        parts.append(grid)
    return by_k.join_grids(parts, question)


def _grid_at_key(places: Sequence[str], key: str, *arguments: Any) -> Grid:
    """The grid of one metric; mistakes at some `places` are reported at its `key`."""
    try:
        return _grid(*arguments)
    except Error as error:
        key_place = f"{arguments[1].place}.{key}"
        mistakes = [m._replace(place=key_place) if m.place in places else m for m in error.mistakes]
        raise Error(mistakes) from None


def _grid(
    samples: Samples,
    question: Question,
    partial: Partial,
    logs: ShardIndex | None,
    metrics: int = 1,
) -> Grid:
    """The grid of one metric, without notes; `metrics`: how many the figure shows."""
    shown_metric = metric(question.word)
    alone = question.alone()
    best = question.best_of(question.word)
    rows, axes, product, panels, properties, expected = place_samples(
        samples, question, partial, logs
    )
    _require_samples(rows, panels, question, shown_metric)
    counted = shown_metric
    if _needs_values(question, shown_metric):
        counted = shown_metric.by_problem()
    differences = None
    if question.relative_to:
        base = _counts(samples, partial, question.baseline(), shown_metric)
        differences = baseline.beside_baseline(
            _drop_unbalanced(rows),
            _drop_unbalanced(base),
            axes,
            question,
            counted,
            panels,
            expected,
            properties,
        )
        del base
    del rows  # panels hold the same in arrays
    uncertainty = "none" if question.relative_to else question.uncertainty
    cells = [judged.judge(panel, counted, best, uncertainty, question.looks) for panel in panels]
    grid = pl.concat([product, pl.concat(cells).sort("cell").drop("cell")], how="horizontal")
    grid = judged.with_levels(grid, panels, counted, question, metrics)
    if shown_metric.printed:
        grid = printed.with_uncertainty(grid, samples, alone, shown_metric)
    if differences is not None:
        grid = baseline.against(grid, differences, question)
    if shown_metric.of_row:
        grid = shares.with_shares(grid, question)
    if question.fit:
        grid = curves.with_curves(grid, panels, counted, question)
    _require_value(grid, question, properties)
    grid = expected.with_declared(grid)
    if shown_metric.k and properties.of_answers & set(question.along):
        # Answers part the samples of a problem; that fewer than k have a property is no lack.
        grid = grid.with_columns(pl.min_horizontal("expected", "epochs").alias("expected"))
    return ordering.arranged(grid, question)


class PlacedSamples(NamedTuple):
    """The samples of a figure by problem, and where their cells lie."""

    rows: codes.Rows
    axes: dict[str, pl.Series]
    product: Grid  # the place of each cell, by which panels number them
    panels: list[PanelCounts]
    properties: Properties
    expected: grids.Expected


def place_samples(
    samples: Samples, question: Question, partial: Partial, logs: ShardIndex | None
) -> PlacedSamples:
    """The samples of a question with one metric, by problem and cell."""
    alone = question.alone()
    rows = _counts(samples, partial, alone, metric(question.word))
    properties = find_properties(rows, samples, alone, logs)
    expected = grids.Expected(rows, logs, alone, properties)
    values = {name: expected.axis(rows.columns[name].values) for name in question.along}
    if metric(question.word).of_row:
        values = shares.with_classes(values, question)
        question = shares.in_one_order(question)
    axes = {name: ordering.axis(alone, question) for name, alone in values.items()}
    panels = list(grids.panels(rows, axes, question, expected, properties))
    columns = (pl.DataFrame({name: values}) for name, values in axes.items())
    product = reduce(lambda outer, inner: outer.join(inner, how="cross"), columns)
    scorers = []
    if "scorer" in product.columns:
        scorers = product["scorer"].to_list()
    product = product.rename({question.x: "x", question.y: "y"})
    panels = expected.with_sizes(panels, product)
    if scorers:
        panels = list(grids.of_one_scorer(panels, scorers))
    return PlacedSamples(rows, axes, product, panels, properties, expected)


def _unique_names(*names: str | None) -> list[str]:
    return list(dict.fromkeys(name for name in names if name))


def _counts(
    samples: Samples, partial: Partial, question: Question, shown_metric: Metric
) -> codes.Rows:
    """The counts of the samples of a figure, or of its baseline, with a flag `unbalanced`."""
    place = question.place
    used = {*question.where, *_unique_names(*question.along, question.mean_over, *question.pool)}
    portions = counts.sufficient_counts(samples, partial, [shown_metric.of], used)
    rows = None
    if portions is not None:
        rows = _from_partial(portions, question, shown_metric)
    if rows is None:
        valid = _valid_samples(samples, question, shown_metric)
        counted = counts.count(
            valid, [shown_metric.of], _unique_names(*question.along, question.mean_over)
        )
        by = roles.columns(counted.columns, "place", "key", "setting", "property")
        rows = counts.gather_counts([counted.lazy()], shown_metric, by)
    if not rows.numbers["count"].any():
        raise selection.unmeasured(shown_metric.of, question.source, question.metric_place)
    if _needs_values(question, shown_metric):
        chosen = selection.choose(samples, question.where, place, _baseline_keys(question))
        if shown_metric.votes:
            counts.require_answers(chosen, shown_metric, question.source, question.metric_place)
        rows = _with_values(rows, chosen, question, shown_metric)
    none = np.zeros(len(rows.numbers["count"]), bool)
    unbalanced = none
    if question.averaged is not None and not shown_metric.printed:
        unbalanced = _unbalanced_rows(rows, question)
    numbers = {**rows.numbers, "unbalanced": unbalanced}
    return rows._replace(numbers=numbers)


def _baseline_keys(question: Question) -> dict[str, str]:
    """Column → the key that asks for its value, where it is not `where`."""
    return {name: f"relative_to.{name}" for name in question.relative_to}


def _axis_columns(question: Question) -> dict[str, str]:
    """Key → column along which cells lie, but for those that the baseline fixes."""
    keys = question.place_keys().items()
    return {key: name for key, name in keys if name not in question.relative_to}


def _other_settings(names: Sequence[str], question: Question) -> list[str]:
    mixable = _unique_names(*question.along, question.mean_over, *question.pool, *question.mixable)
    return [name for name in roles.settings(names) if name not in mixable]


def _from_partial(
    portions: Portions, question: Question, shown_metric: Metric
) -> codes.Rows | None:
    """The rows of partial counts; None where the samples themselves must be read."""
    cell = _unique_names(*question.along, question.mean_over)
    mixable = cell + question.pool
    schema = portions[0].collect_schema()
    names = schema.names()
    by = counts.settled_key(names, [*mixable, *question.where])
    right = pl.col("score.one") + pl.col("score.zero") if shown_metric.graded else pl.col("epochs")
    odd = (pl.col("epochs") != right).alias("odd")
    tests = selection.conditions(portions, question.where, question.place, _baseline_keys(question))
    shards = [shard.filter(*tests).with_columns(odd) for shard in portions]
    rows = counts.gather_counts(shards, shown_metric, by, ["odd"])
    if free := [
        name for name in _other_settings(by, question) if len(rows.columns[name].values) > 1
    ]:
        settings = codes.distinct(rows, _unique_names(*cell, *free))
        selection.require_unmixed(settings, cell, free, question.place)
    if any(None in rows.columns[name].values for name in _axis_columns(question).values()):
        return None
    # Two runs of the same settings may hold different epochs of a sample: counts cannot tell.
    single = codes.is_unique(rows, _unique_names(*mixable) + ["sample_id"])
    if single and not rows.numbers["odd"].any():
        return rows
    return None


def _valid_samples(samples: Samples, question: Question, shown_metric: Metric) -> pl.DataFrame:
    place = question.place
    cell = _unique_names(*question.along, question.mean_over)
    chosen = selection.choose(samples, question.where, place, _baseline_keys(question)).collect()
    selection.require_complete(chosen, _axis_columns(question), place)
    selection.require_unmixed(chosen, cell, _other_settings(chosen.columns, question), place)
    selection.require_single(chosen, place)
    if shown_metric.graded and len(odd := chosen.filter(~pl.col("score").is_in([0.0, 1.0]))):
        log, line, score = odd.select("log", "line", "score").row(0)
        message = (
            f"{shown_metric.word} needs scores of 0 or 1, but {log}:{line} has {score:.12g} on the "
            "scale from 0 to 1; write mean(score)"
        )
        raise Error(Mistake(question.metric_place, message))
    return chosen


def _needs_values(question: Question, shown_metric: Metric) -> bool:
    """Whether number and sum of its samples do not give the value of a problem."""
    return shown_metric.votes or bool(question.averaged and shown_metric.k and shown_metric.k > 1)


def _with_values(
    rows: codes.Rows, samples: Samples, question: Question, shown_metric: Metric
) -> codes.Rows:
    """The rows with the value of each problem of a cell in place of its sum.

    It stands in the first row of the problem, and 0 in the others, so that the sum of rows is it.
    """
    by = _unique_names(*question.along, "task", "sample_id")
    key = _unique_names(question.averaged, *by)
    if shown_metric.votes:
        values = counts.votes([samples], shown_metric, key)
    else:
        values = counts.values_of_counts(rows, shown_metric, key)
    if question.averaged:
        values = counts.averaged(values, question.averaged)
    counted = np.flatnonzero(rows.numbers["count"] > 0)
    first = counted[np.unique(codes.codes(rows.take(counted), by), return_index=True)[1]]
    total = np.zeros(len(rows.numbers["count"]))
    total[first] = counts.of_problems(rows.take(first).frame(key), values)
    numbers = {**rows.numbers, "total": total}
    return rows._replace(numbers=numbers)


def _unbalanced_rows(rows: codes.Rows, question: Question) -> grids.Flags:
    """Flags of rows: the values of `mean_over` hold different problems in their cell and task.

    A mean over these values would not weigh them alike.
    """
    cell = _unique_names(*question.along, "task")
    panel_columns = _unique_names(*question.panels, "task")
    problems = counts.added_up(rows, _unique_names(question.averaged, *cell, "sample_id"))
    panel_rows = counts.added_up(rows, _unique_names(question.averaged, *panel_columns))
    size = Counter(codes.codes(panel_rows, panel_columns).tolist())
    parts_of_panel = np.array(
        [size[code] for code in codes.codes(problems, panel_columns).tolist()]
    )
    _, problem = np.unique(codes.codes(problems, cell + ["sample_id"]), return_inverse=True)
    count = problems.numbers["count"]
    highest_count = np.zeros(problem.max(initial=0) + 1, np.int64)
    np.maximum.at(highest_count, problem, count)
    unbalanced = (np.bincount(problem)[problem] < parts_of_panel) | (count < highest_count[problem])
    return np.isin(codes.codes(rows, cell), codes.codes(problems, cell)[unbalanced])


def _drop_unbalanced(rows: codes.Rows) -> codes.Rows:
    kept = ~rows.numbers["unbalanced"]
    zeros = {name: np.where(kept, rows.numbers[name], 0) for name in ("count", "total")}
    numbers = {**rows.numbers, **zeros}
    return rows._replace(numbers=numbers)


def _require_samples(
    rows: codes.Rows, panels: Sequence[PanelCounts], question: Question, shown_metric: Metric
) -> None:
    """Refuse a metric that the samples cannot give."""
    place = question.metric_place
    why = ""
    key = _unique_names(question.averaged, *question.along, "task", "sample_id")
    most_samples = int(counts.added_up(rows, key).numbers["count"].max(initial=0))
    if (shown_metric.join or _needs_values(question, shown_metric)) and any(
        panel.reconstructed for panel in panels
    ):
        why = (
            f"{shown_metric.word} needs the number of each problem, but printed digits give only "
            f"means; write mean({shown_metric.of})"
        )
    elif shown_metric.k and most_samples < shown_metric.k:
        cell = "no cell"
        if question.averaged:
            cell = f"no {question.averaged} of a cell"
        open_word = shown_metric.word.rstrip("0123456789")
        fewer = f"{open_word}{most_samples}"
        needs = f"{shown_metric.word} needs {shown_metric.k} samples of a problem"
        why = f"{needs}, but {cell} has more than {most_samples}; write {fewer}"
    if why:
        raise Error(Mistake(place, why))


def _require_value(grid: Grid, question: Question, properties: Properties) -> None:
    """Refuse a figure without any value, with the reason of the first cell that has records."""
    if grid["value"].count():
        return
    if question.averaged in properties.names:
        whose = "answer"
        if question.averaged in properties.of_problems:
            whose = "problem"
        why = (
            f"each {whose} has one {question.averaged!r}, so no problem has a mean over its "
            f"values; put {question.averaged!r} on an axis, or list it under pool, where each "
            "sample weighs the same"
        )
        raise question.fault("mean_over", why)
    row, gap = next(_gaps_of_records(grid))
    columns = question.grid_columns.items()
    cell = place_words({name: row[column] for name, column in columns})
    advice = (
        "A cell is the mean over its tasks: choose those that all cells have under where.task, "
        "or put task on panel, x or y"
    )
    if question.averaged and any(lack.kind == "uneven" for lack in gap.lacks):
        advice = (
            f"A cell is the mean over {question.averaged} (mean_over): choose under where what is "
            f"complete, or list {question.averaged!r} under pool, where each sample weighs the same"
        )
    if question.relative_to:
        settings = place_words(question.relative_to)
        same = "The baseline is the cell with the same other settings"
        advice = f"{same} and {settings} (relative_to)"
    words = reasons.gap_words(row, question)
    why = "no cell has a value, so there is nothing to draw"
    raise Error(Mistake(question.place, f"{why}. {cell}: {words}. {advice}"))


def _gaps_of_records(grid: Grid) -> Iterator[tuple[dict[str, Any], Gap]]:
    """The rows of the grid with records and without a value, and why."""
    for row in grid.iter_rows(named=True):
        gap = states.read_gap(row)
        if gap and not gap.state.is_empty:
            yield row, gap


def _with_column_notes(grid: Grid, samples: Samples, question: Question) -> Grid:
    """The grid with the one value of a column in each cell; null where a cell has no samples."""
    rows = selection.of_figure(samples, question.alone())
    name = question.noted
    values = rows.group_by(question.along).agg(pl.col(name).unique().alias(NOTE)).collect()
    mixed = values.filter(pl.col(NOTE).list.len() > 1).sort(question.along, nulls_last=True)
    for *cell_values, notes_found in mixed.head(1).iter_rows():
        cell = place_words(dict(zip(question.along, cell_values, strict=True)))
        words = [str(value) for value in pl.Series(notes_found).sort(nulls_last=True)]
        addition = ""
        if len(words) > SEVERAL:
            addition = f" and {len(words) - SEVERAL:,} more"
        why = (
            f"{name!r} has {len(words):,} values in one cell ({', '.join(words[:SEVERAL])}"
            f"{addition} at {cell}), but a cell prints one; choose one under where.{name}, or put "
            f"{name!r} on an axis"
        )
        note_key = question.keys["note"]
        raise question.fault(note_key, why)
    notes = values.with_columns(pl.col(NOTE).list.first())
    notes = notes.rename(question.grid_columns)
    return join_cells(grid, notes, question.places)
