"""A heatmap against a baseline: each cell less one that is the same but for some columns.

Both are taken on common problems (samples of one id in one task), so that own, baseline
and difference always add up. A cell without such problems has no value: a gap is not parity.
"""

from __future__ import annotations

import math
from itertools import groupby, product
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
    from collections.abc import Iterator, Mapping, Sequence

    from heatproof.kinds.heatmap.grid import Flags, Floats, Ints, Panel
    from heatproof.kinds.heatmap.properties import Properties
    from heatproof.kinds.question import Question
    from heatproof.kinds.states import Gap
    from heatproof.metrics import Metric
    from heatproof.statistics import Scores
    from heatproof.util.codes import Rows

    Sums = tuple[Ints, Floats]  # epochs and sums of problems, matrices of shape (problems, cells)
    Columns = dict[str, Any]
    """Column of the grid → its values, NaN or None where not known."""


class Part(NamedTuple):
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

    def common(self, what: Metric) -> Flags:
        """Problems that give a value in a cell and in its baseline, (problems, cells)."""
        _, own_divisor = what.points(*self.own)
        _, base_divisor = what.points(*self.base)
        return np.asarray((own_divisor > 0) & (base_divisor > 0))


def beside(
    rows: Rows,
    base: Rows,
    axes: Mapping[str, pl.Series],
    question: Question,
    what: Metric,
    drawn: Sequence[Panel],
    known: grids.Expected,
    properties: Properties = grids.NO_PROPERTIES,
) -> pl.DataFrame:
    """The differences of cells to their baselines, a row per cell in the order of the grid.

    Columns (`kinds.columns`) `value`, `se`, `low`, `high` (simultaneous for all cells of a panel),
    `own_value`, `baseline_value`, `paired_problems`, `differs`, `gap`, `lacks` and `unjudged`.

    `rows` and `base`: counts of the figure, and of its baseline (`Question.baseline`). `axes`:
    columns that tell cells apart, with their values in drawing order. `drawn`: panels of the
    figure; `known`: what logs say of their runs; `properties`: columns that are no settings.
    """
    growing: dict[int, float | None] = {}
    for panel in drawn:
        parts_there = growing.get(panel.number), judged.grown_part(panel, question.looks)
        growing[panel.number] = min(filter(None, parts_there), default=None)
    made_up = any(bool(side.numbers["reconstructed"].any()) for side in (rows, base))
    frames = []
    for number, parts in _parts(rows, base, axes, question, known, properties):
        if made_up or what.join:
            columns = [_unpaired(part, what, made_up) for part in parts]
        else:
            columns = _paired(parts, what, question, growing[number])
        frames += [_frame(p, c, what) for p, c in zip(parts, columns, strict=True)]
    return pl.concat(frames).sort("cell").drop("cell")


def against(grid: pl.DataFrame, differences: pl.DataFrame, question: Question) -> pl.DataFrame:
    """The grid with the differences of `beside`, and a flag for the baseline itself.

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
    grid = grid.with_columns(differences.drop("gap", "lacks"))
    return grid.with_columns(best=pl.lit(value=False), is_baseline=itself)


def _is_baseline(question: Question) -> pl.Expr:
    """Whether a cell is the baseline; none is where this lies along no axis."""
    places = dict(zip(question.along, question.places, strict=True))
    tests = []
    for name, value in question.relative_to.items():
        if name not in places or value is None:
            return pl.lit(value=False)
        tests.append(pl.col(places[name]) == value)
    return pl.all_horizontal(tests)


def _parts(
    rows: Rows,
    base: Rows,
    axes: Mapping[str, pl.Series],
    question: Question,
    known: grids.Expected,
    properties: Properties,
) -> Iterator[tuple[int, list[Part]]]:
    """The number of each panel, and its parts; arguments as of `beside`."""
    others = {name: values for name, values in axes.items() if name not in question.relative_to}
    beside_of = _baseline_cells(axes, others)
    placed = _aligned(base, others)
    there = np.isin(beside_of, grids.place_rows(placed, others))
    counted = counts.added_up(placed, [*dict.fromkeys([*others, *PROBLEM])])
    counted = _aligned(counted, {name: rows.columns[name].values for name in PROBLEM})
    size = math.prod(map(len, others.values()))
    places = grids.place_rows(counted, others)
    count, total, code = grids.by_problem(counted, places, size)
    below = ((0, 1), (0, 0))  # a last row, for problems that the baseline does not hold
    count = np.pad(count, below)
    total = np.pad(total, below)
    stopped = _stopped_baselines(axes, question, known)
    panels = [*grids.panels(rows, axes, question, known, properties)]
    panels.sort(key=lambda panel: (panel.number, panel.tasks))
    for number, drawn in groupby(panels, key=lambda panel: panel.number):
        parts, families = [], 0
        for panel in drawn:
            line = np.searchsorted(code, panel.code)
            line[~np.isin(panel.code, code)] = len(code)
            beside = np.ix_(line, beside_of[panel.cells])
            part = Part(
                cells=panel.cells,
                own=(panel.count, panel.total),
                base=(count[beside], total[beside]),
                task=panel.task,
                family=panel.family + families,
                tasks=panel.tasks,
                there=there[panel.cells],
                stopped=panel.stopped | stopped[panel.cells],
                answered=panel.answered,
            )
            parts.append(part)
            families += int(panel.family.max(initial=-1)) + 1
        yield number, parts


def _baseline_cells(axes: Mapping[str, pl.Series], others: Mapping[str, pl.Series]) -> Ints:
    """For each cell of the grid, the number of its baseline along the `others` of the axes."""
    places = np.indices([len(values) for values in axes.values()]).reshape(len(axes), -1)
    cells = np.zeros(places.shape[1], np.int64)
    for line, name in zip(places, axes, strict=True):
        if name in others:
            cells = cells * len(others[name]) + line
    return cells


def _stopped_baselines(
    axes: Mapping[str, pl.Series], question: Question, known: grids.Expected
) -> Flags:
    """For each cell of the grid whether results stopped samples of its baseline."""
    stopped = []
    for values in product(*axes.values()):
        place = dict(zip(axes, values, strict=True))
        place |= {name: value for name, value in question.relative_to.items() if name in place}
        stopped.append(tuple(place.values()) in known.stopped)
    return np.array(stopped, bool)


def _aligned(rows: Rows, values: Mapping[str, pl.Series]) -> Rows:
    """The rows whose values in some columns are all among `values`, numbered by these."""
    there = np.ones(len(rows.numbers["count"]), bool)
    columns = {}
    for name, wanted_values in values.items():
        column = rows.columns[name]
        number = {value: n for n, value in enumerate(wanted_values)}
        known = [number.get(value, -1) for value in column.values]
        numbers = np.array(known, np.int32)[column.codes]
        columns[name] = codes.Numbered(numbers, wanted_values)
        there &= numbers >= 0
    return rows._replace(columns={**rows.columns, **columns}).at(np.flatnonzero(there))


def _scores(sums: Sums, what: Metric) -> Scores:
    epochs, total = sums
    if not (what.passes and (epochs >= what.number).any()):
        return statistics.scores(*what.points(epochs, total))
    right = np.rint(total).astype(np.int64)
    return statistics.pass_scores(epochs, right, what.number, every=what.every)


def _paired(
    parts: Sequence[Part], what: Metric, question: Question, grown: float | None
) -> list[Columns]:
    """Of means: differences by problem, and their simultaneous intervals.

    Means of numbers without bounds have none: few problems may hold no large number.
    """
    pairs, sides = [], []
    for part in parts:
        scores = _scores(part.own, what), _scores(part.base, what)
        pairs.append(statistics.Pairs(*scores, part.task, part.family))
        sides += [part.own, part.base]
    gaps = [statistics.gaps(pair) for pair in pairs]
    ranged = what.of in question.ranges
    unbounded = bool(judged.why_unbounded(sides, what.is_share, ranged))
    limits = statistics.simultaneous([*zip(pairs, gaps, strict=True)], grown=grown)
    columns = []
    for part, gap, limit in zip(parts, gaps, limits, strict=True):
        same = np.isnan(gap.difference) | ((gap.se == 0) & (gap.difference == 0))
        why = np.where(np.isnan(limit.low), states.ALIKE, "").astype(object)
        why[part.stopped] = states.STOPPED
        why[part.answered] = states.ANSWERED
        why[unbounded] = states.UNBOUNDED
        why[same] = ""
        told = (why == "") & ~same
        low, high = (np.where(told, end, np.nan) for end in limit)
        apart = ((low > 0) | (high < 0)).tolist()
        numbers = {"own_value": gap.own, "baseline_value": gap.base, "value": gap.difference}
        numbers |= {"se": gap.se, "low": low, "high": high}
        verdicts = {
            "differs": [x if known else None for x, known in zip(apart, told, strict=True)],
            "unjudged": [kind or None for kind in why.tolist()],
        }
        columns.append(numbers | verdicts)
    return columns


def _unpaired(part: Part, what: Metric, made_up: bool) -> Columns:
    """Of other metrics, and of reconstructed problems: no interval is known.

    The value of a side is the mean over tasks, on common problems; NaN if a task has no value.
    """
    own, base = (_joined_values(part, side, what, made_up) for side in (part.own, part.base))
    unknown = np.full(len(own), np.nan)
    why = states.MADE_UP if made_up else states.UNKNOWN
    if what.printed:
        why = states.UNSHARED
    as_often = (part.own[0] == part.base[0]).all(axis=0)
    same = ((own == base) & as_often) | np.isnan(own)
    numbers = {"own_value": own, "baseline_value": base, "value": own - base}
    numbers |= dict.fromkeys(("se", "low", "high"), unknown)
    unjudged = [None if alike else why for alike in same]
    return numbers | {"differs": [None] * len(own), "unjudged": unjudged}


def _joined_values(part: Part, side: Sums, what: Metric, made_up: bool) -> Floats:
    """The value of a side of each cell on common problems."""
    common = part.common(what)
    epochs, sums = side
    values = np.full((len(part.tasks), len(part.cells)), np.nan)
    for task, cell in np.ndindex(values.shape):
        rows = common[:, cell] & (part.task == task)
        count = epochs[rows, cell]
        total = sums[rows, cell]
        value, _ = what.value(count, total)
        if made_up:
            value = total.sum() / count.sum() if count.any() else None
        if value is not None:
            values[task, cell] = value
    means = [math.fsum(column) / max(len(column), 1) for column in values.T]
    return np.array(means)


def _frame(part: Part, columns: Columns, what: Metric) -> pl.DataFrame:
    """The rows of `beside`; values only where every task has enough common problems."""
    common = part.common(what)
    whole = np.zeros((len(part.tasks), len(part.cells)), bool)
    for task in range(len(part.tasks)):
        whole[task] = common[part.task == task].sum(axis=0) >= what.least
    there = np.asarray(whole.all(axis=0) & bool(len(part.tasks)))
    gaps: list[Gap | None] = []
    for cell, has_base in enumerate(part.there.tolist()):
        lacks_none = bool(there[cell])
        gaps.append(None if lacks_none else no_baseline(part.tasks, whole[:, cell], has_base))
    valued = there & ~np.isnan(columns["value"])
    data: Columns = {"cell": part.cells}
    for column in gap_columns(gaps):
        data[column.name] = column
    for name in ("value", "se", "low", "high"):
        data[name] = np.where(valued, columns[name], np.nan)
    for name in ("own_value", "baseline_value"):
        data[name] = np.where(there, columns[name], np.nan)
    data["paired_problems"] = common.sum(axis=0)
    for name in ("unjudged", "differs"):
        known = zip(columns[name], valued, strict=True)
        data[name] = [value if has_value else None for value, has_value in known]
    kinds = {"unjudged": pl.String, "differs": pl.Boolean}
    frame = pl.DataFrame(data, schema_overrides=kinds)
    return frame.with_columns(pl.col(pl.Float64).fill_nan(None))
