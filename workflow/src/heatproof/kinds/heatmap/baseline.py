"""A heatmap against a baseline: each cell less one that is the same but for some columns.

Both are taken on common problems (samples of one id in one task), so that own, baseline
and difference always add up. A cell without such problems has no value: a gap is not parity.
"""

from __future__ import annotations

import math
from itertools import chain, groupby, product
from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof import statistics
from heatproof.kinds import states
from heatproof.kinds.heatmap import grid as grids
from heatproof.kinds.heatmap import judged
from heatproof.kinds.heatmap.gaps import gap_columns, no_baseline
from heatproof.kinds.heatmap.properties import PROBLEM
from heatproof.samples import counts
from heatproof.util import codes
from heatproof.util.lazy import numpy as np
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from heatproof.kinds.columns import Grid
    from heatproof.kinds.heatmap.grid import Axes, Flags, Floats, Ints, PanelCounts
    from heatproof.kinds.heatmap.properties import Properties
    from heatproof.kinds.question import Question
    from heatproof.kinds.states import Gap
    from heatproof.metrics import Metric
    from heatproof.statistics import Scores
    from heatproof.util.codes import Rows

    Sums = tuple[Ints, Floats]  # epochs and sums of problems, matrices of shape (problems, cells)
    Columns = dict[str, Any]
    """Column of the grid → its values, NaN or None where not known."""


class PairedCells(NamedTuple):
    """Cells of the same tasks, each beside its baseline."""

    cells: Ints  # their places in the grid
    own: Sums
    base: Sums
    task: Ints  # shape (problems,): number of the task among `tasks`
    family: Ints  # shape (problems,): number of the family, the same in all parts of a panel
    tasks: list[str]  # those of which a cell is the mean: all of which there are records
    there: Flags  # shape (cells,): whether there is any record of the baseline
    stopped: Flags  # shape (cells,): whether results stopped samples of the cell or its baseline
    answered: bool  # whether cells, or their baseline, lie along a property of answers

    def common(self, metric: Metric) -> Flags:
        """Problems that give a value in a cell and in its baseline, (problems, cells)."""
        _, own_divisor = metric.points(*self.own)
        _, base_divisor = metric.points(*self.base)
        return np.asarray((own_divisor > 0) & (base_divisor > 0))


def beside_baseline(
    rows: Rows,
    base: Rows,
    axes: Axes,
    question: Question,
    metric: Metric,
    drawn: Sequence[PanelCounts],
    expected: grids.Expected,
    properties: Properties = grids.NO_PROPERTIES,
) -> Grid:
    """The differences of cells to their baselines, a row per cell in the order of the grid.

    Columns (`kinds.columns`) `value`, `se`, `low`, `high` (simultaneous for all cells of a panel),
    `own_value`, `baseline_value`, `paired_problems`, `differs`, `gap`, `lacks` and `unjudged`.

    `rows` and `base`: counts of the figure, and of its baseline (`Question.baseline`). `axes`:
    columns that tell cells apart, with their values in drawing order. `drawn`: panels of the
    figure; `expected`: what logs say of their runs; `properties`: columns that are no settings.
    """
    growing: dict[int, float | None] = {}
    for panel in drawn:
        parts_there = growing.get(panel.number), judged.grown_part(panel, question.looks)
        growing[panel.number] = min(filter(None, parts_there), default=None)
    flags = rows.numbers["reconstructed"], base.numbers["reconstructed"]
    made_up = any(bool(flag.any()) for flag in flags)
    frames = []
    for number, panel_parts in _panel_parts(rows, base, axes, question, expected, properties):
        if made_up or metric.join:
            columns = [_unpaired(part, metric, made_up) for part in panel_parts]
        else:
            columns = _paired(panel_parts, metric, question, growing[number])
        frames += [_baseline_frame(p, c, metric) for p, c in zip(panel_parts, columns, strict=True)]
    cells = pl.concat(frames)
    return cells.sort("cell").drop("cell")


def against(grid: Grid, differences: Grid, question: Question) -> Grid:
    """The grid with the differences of `beside_baseline`, and a flag for the baseline itself.

    It has no best and no tied set: they would be those of another figure.
    """
    emptied = [*judged.CHANCE, "peers", "common"]
    nulls = [pl.lit(None, grid.schema[name]).alias(name) for name in emptied]
    valued = pl.col("gap").is_null()
    gaps = [
        pl.when(valued).then(differences[name]).otherwise(name).alias(name)
        for name in ("gap", "lacks")
    ]
    itself = _is_baseline(question).fill_null(value=False)
    grid = grid.with_columns(nulls).with_columns(gaps)
    numbers = differences.drop("gap", "lacks")
    grid = grid.with_columns(numbers)
    return grid.with_columns(best=pl.lit(value=False), is_baseline=itself)


def _is_baseline(question: Question) -> pl.Expr:
    """Whether a cell is the baseline; none is where this lies along no axis."""
    places = question.grid_columns
    tests = []
    for name, value in question.relative_to.items():
        if name not in places or value is None:
            return pl.lit(value=False)
        tests.append(pl.col(places[name]) == value)
    return pl.all_horizontal(tests)


def _panel_parts(
    rows: Rows,
    base: Rows,
    axes: Axes,
    question: Question,
    expected: grids.Expected,
    properties: Properties,
) -> Iterator[tuple[int, list[PairedCells]]]:
    """The number of each panel, and its parts; arguments as of `beside_baseline`."""
    free_axes = {name: values for name, values in axes.items() if name not in question.relative_to}
    beside_of = _baseline_cells(axes, free_axes)
    placed = _aligned(base, free_axes)
    has_baseline = np.isin(beside_of, grids.place_counts(placed, free_axes))
    key = list(dict.fromkeys(chain(free_axes, PROBLEM)))
    counted = counts.added_up(placed, key)
    problems = {name: rows.columns[name].values for name in PROBLEM}
    counted = _aligned(counted, problems)
    size = math.prod(map(len, free_axes.values()))
    places = grids.place_counts(counted, free_axes)
    count, total, code = grids.by_problem(counted, places, size)
    last_row = ((0, 1), (0, 0))  # a last row, for problems that the baseline does not hold
    count = np.pad(count, last_row)
    total = np.pad(total, last_row)
    stopped = _stopped_baselines(axes, question, expected)
    panels = list(grids.panels(rows, axes, question, expected, properties))
    panels.sort(key=lambda panel: (panel.number, panel.tasks))
    for number, drawn in groupby(panels, key=lambda panel: panel.number):
        panel_parts, families = [], 0
        for panel in drawn:
            line = np.searchsorted(code, panel.code)
            line[~np.isin(panel.code, code)] = len(code)
            base_cells = np.ix_(line, beside_of[panel.cells])
            panel_part = PairedCells(
                cells=panel.cells,
                own=(panel.count, panel.total),
                base=(count[base_cells], total[base_cells]),
                task=panel.task,
                family=panel.family + families,
                tasks=panel.tasks,
                there=has_baseline[panel.cells],
                stopped=panel.stopped | stopped[panel.cells],
                answered=panel.answered,
            )
            panel_parts.append(panel_part)
            families += int(panel.family.max(initial=-1)) + 1
        yield number, panel_parts


def _baseline_cells(axes: Axes, free_axes: Axes) -> Ints:
    """For each cell of the grid, the number of its baseline along `free_axes`."""
    shape = [len(values) for values in axes.values()]
    places = np.indices(shape).reshape(len(axes), -1)
    cells = np.zeros(places.shape[1], np.int64)
    for line, name in zip(places, axes, strict=True):
        if name in free_axes:
            cells = cells * len(free_axes[name]) + line
    return cells


def _stopped_baselines(axes: Axes, question: Question, expected: grids.Expected) -> Flags:
    """For each cell of the grid whether results stopped samples of its baseline."""
    stopped = []
    for values in product(*axes.values()):
        place = dict(zip(axes, values, strict=True))
        place |= {name: value for name, value in question.relative_to.items() if name in place}
        stopped.append(tuple(place.values()) in expected.stopped)
    return np.array(stopped, bool)


def _aligned(rows: Rows, values: Axes) -> Rows:
    """The rows whose values in some columns are all among `values`, numbered by these."""
    found_rows = np.ones(len(rows.numbers["count"]), bool)
    columns = {}
    for name, wanted_values in values.items():
        column = rows.columns[name]
        number = {value: n for n, value in enumerate(wanted_values)}
        value_numbers = [number.get(value, -1) for value in column.values]
        numbers = np.array(value_numbers, np.int32)[column.codes]
        columns[name] = codes.Numbered(numbers, wanted_values)
        found_rows &= numbers >= 0
    return rows._replace(columns={**rows.columns, **columns}).take(np.flatnonzero(found_rows))


def problem_scores(sums: Sums, metric: Metric) -> Scores:
    """The value of each problem in each cell; `sums`: epochs and sums."""
    epochs, total = sums
    if not (metric.passes and (epochs >= metric.number).any()):
        return statistics.scores(*metric.points(epochs, total))
    right = np.rint(total).astype(np.int64)
    return statistics.pass_scores(epochs, right, metric.number, every=metric.every)


def _paired(
    panel_parts: Sequence[PairedCells], metric: Metric, question: Question, grown: float | None
) -> list[Columns]:
    """Of means: differences by problem, and their simultaneous intervals.

    Means of numbers without bounds have none: few problems may hold no large number.
    """
    pairs, sides = [], []
    for panel_part in panel_parts:
        scores = problem_scores(panel_part.own, metric), problem_scores(panel_part.base, metric)
        pairs.append(statistics.Pairs(*scores, panel_part.task, panel_part.family))
        sides += [panel_part.own, panel_part.base]
    gaps = [statistics.gaps(pair) for pair in pairs]
    ranged = metric.of in question.ranges
    unbounded = bool(judged.why_unbounded(sides, metric.is_share, ranged))
    limits = statistics.simultaneous(list(zip(pairs, gaps, strict=True)), grown=grown)
    counts: list[Any] = [None for _ in panel_parts]
    if question.uncertainty == "stars":
        counts = statistics.stars(list(zip(pairs, gaps, strict=True)), grown=grown)
    columns = []
    for panel_part, gap, limit, stars in zip(panel_parts, gaps, limits, counts, strict=True):
        is_equal = (gap.se == 0) & (gap.difference == 0)
        same = np.isnan(gap.difference) | is_equal
        why = np.where(np.isnan(limit.low), states.ALIKE, "").astype(object)
        why[panel_part.stopped] = states.STOPPED
        why[panel_part.answered] = states.ANSWERED
        why[unbounded] = states.UNBOUNDED
        why[same] = ""
        undoubted = why == ""
        has_verdict = (undoubted) & ~same
        low, high = (np.where(has_verdict, end, np.nan) for end in limit)
        leaves_out_zero = ((low > 0) | (high < 0)).tolist()
        numbers = {"own_value": gap.cell, "baseline_value": gap.base, "value": gap.difference}
        numbers |= {"se": gap.se, "low": low, "high": high}
        verdicts = {
            "differs": _masked(leaves_out_zero, has_verdict),
            "unjudged": [kind or None for kind in why.tolist()],
        }
        if stars is not None:
            verdicts["star_levels"] = _masked(stars, has_verdict)
        columns.append(numbers | verdicts)
    return columns


def _masked(values: Sequence[Any], valid: Flags) -> list[Any]:
    """The values that are known."""
    return [value if is_known else None for value, is_known in zip(values, valid, strict=True)]


def _unpaired(panel_part: PairedCells, metric: Metric, made_up: bool) -> Columns:
    """Of other metrics, and of reconstructed problems: no interval is known.

    The value of a side is the mean over tasks, on common problems; NaN if a task has no value.
    """
    cell_values = _joined_values(panel_part, panel_part.own, metric, made_up)
    base = _joined_values(panel_part, panel_part.base, metric, made_up)
    unknown = np.full(len(cell_values), np.nan)
    why = states.UNKNOWN
    if made_up:
        why = states.MADE_UP
    if metric.printed:
        why = states.UNSHARED
    as_often = (panel_part.own[0] == panel_part.base[0]).all(axis=0)
    same = ((cell_values == base) & as_often) | np.isnan(cell_values)
    numbers = {"own_value": cell_values, "baseline_value": base, "value": cell_values - base}
    numbers |= dict.fromkeys(("se", "low", "high"), unknown)
    unjudged = [None if is_same else why for is_same in same]
    return numbers | {"differs": [None for _ in unjudged], "unjudged": unjudged}


def _joined_values(panel_part: PairedCells, side: Sums, metric: Metric, made_up: bool) -> Floats:
    """The value of a side of each cell on common problems."""
    common = panel_part.common(metric)
    epochs, sums = side
    shape = len(panel_part.tasks), len(panel_part.cells)
    values = np.full(shape, np.nan)
    for task, cell in np.ndindex(values.shape):
        rows = common[:, cell] & (panel_part.task == task)
        count = epochs[rows, cell]
        total = sums[rows, cell]
        value, _ = metric.value(count, total)
        if made_up:
            value = None
            if count.any():
                value = total.sum() / count.sum()
        if value is not None:
            values[task, cell] = value
    means = [math.fsum(column) / max(len(column), 1) for column in values.T]
    return np.array(means)


def _baseline_frame(panel_part: PairedCells, columns: Columns, metric: Metric) -> Grid:
    """The rows of `beside_baseline`; values only where every task has enough common problems."""
    common = panel_part.common(metric)
    has_enough = np.zeros((len(panel_part.tasks), len(panel_part.cells)), bool)
    for task in range(len(panel_part.tasks)):
        problems = common[panel_part.task == task].sum(axis=0)
        has_enough[task] = problems >= metric.least
    there = np.asarray(has_enough.all(axis=0) & bool(len(panel_part.tasks)))
    gaps: list[Gap | None] = []
    for cell, has_base in enumerate(panel_part.there.tolist()):
        why = no_baseline(panel_part.tasks, has_enough[:, cell], has_base)
        gaps.append(None if there[cell] else why)
    valued = there & ~np.isnan(columns["value"])
    data: Columns = {"cell": panel_part.cells}
    for column in gap_columns(gaps):
        data[column.name] = column
    for name in ("value", "se", "low", "high"):
        data[name] = np.where(valued, columns[name], np.nan)
    for name in ("own_value", "baseline_value"):
        data[name] = np.where(there, columns[name], np.nan)
    data["paired_problems"] = common.sum(axis=0)
    kinds: dict[str, Any] = {"unjudged": pl.String, "differs": pl.Boolean}
    if "star_levels" in columns:
        kinds["star_levels"] = pl.Int64
    for name in kinds:
        data[name] = _masked(columns[name], valued)
    frame = pl.DataFrame(data, schema_overrides=kinds)
    return frame.with_columns(pl.col(pl.Float64).fill_nan(None))
