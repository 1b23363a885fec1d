"""One panel judged: values and uncertainties, which cells can be compared, and how they stand.

And which values of an axis may be the best on average. The scores of a problem are averaged over
all cells with one value of the axis, and these averages are judged as cells are. P values are
multiplied by the number of axes of all panels of the figure, whether or not they can be judged
(Bonferroni): a claim is made on each value, so that Holm's steps would not do. So is the number of
cells by which a lead is measured (`statistics.lead`).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum
from typing import TYPE_CHECKING

from heatproof import statistics
from heatproof.kinds import states
from heatproof.kinds.heatmap.gaps import find_gaps, gap_columns
from heatproof.kinds.heatmap.grid import NO_SET, connected_sets
from heatproof.statistics.contrasts import GRID
from heatproof.statistics.estimates import estimates
from heatproof.util.lazy import numpy as np
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heatproof.kinds.columns import Grid
    from heatproof.kinds.heatmap.grid import Flags, Floats, Ints, PanelCounts
    from heatproof.kinds.question import Best, Question
    from heatproof.kinds.states import Gap
    from heatproof.metrics import Metric
    from heatproof.statistics import Estimate, Interval

    Column = list[bool | float | str | None]
    TaskValue = dict[str, float | int | str | None]  # a row of the column `parts`

ALPHA = 0.05  # level of the tied set and of the range: `chance_high` is the quantile 1 − ALPHA
ROUNDING = 1e-9  # cells that differ by less, in parts of the largest score, differ by rounding only
STANDS = ("best", "peers", "common")
"""Columns on the place of a cell among its peers (`kinds.columns`), and, below, on chance."""
CHANCE = (
    "tied", "spread", "spread_equal", "chance_median", "chance_high", "chance_p", "separated",
    "resolution", "resolution_epochs", "resolution_problems", "varying",
)  # fmt: skip
AXES = ("x", "y")
"""Each has a column, `top_x`: whether the cell's value of the axis may be the best on average; null
where that is not judged."""
USUAL = 0.95  # quantile of the scores that a bound must not leave far below itself
NEAR = 0.25  # part of the range that this quantile reaches at least


def judge(
    panel: PanelCounts, metric: Metric, best: Best, uncertainty: str, looks: str | None = None
) -> Grid:
    """A row per cell: value, counts and uncertainty, and how it stands among its peers.

    Peers are the cells with a value that share problems, directly or through others. What holds for
    them together stands in the row of each. `looks`: as `Question.looks`.
    """
    dividend, divisor = metric.points(panel.count, panel.total)
    unbounded = why_unbounded([(panel.count, panel.total)], metric.is_share, panel.ranged)
    valued = ~panel.unbalanced
    for task in range(len(panel.tasks)):
        problems = (divisor[panel.task == task] > 0).sum(axis=0)
        has_enough = problems >= metric.least
        valued[task] &= has_enough
    has_value = np.asarray(valued.all(axis=0) & valued.any(axis=0))
    frame = _cell_numbers(panel, metric, not unbounded, has_value, find_gaps(panel, valued))
    value = frame["value"].to_numpy()
    sign = -1 if best == "lowest" else 1
    has_best = best != "none"
    count = np.where(has_value, divisor, 0)
    peers = Peers(sign * dividend, count, panel.task, panel.family, sign * value)
    is_known = not panel.reconstructed and metric.join is None
    doubt = unbounded
    if panel.stopped.any():
        doubt = states.STOPPED
    if panel.answered and uncertainty == "tied":
        doubt = states.ANSWERED
    judged = uncertainty == "tied" and has_best and is_known and not doubt
    is_share = bool(np.all((value >= 0) & (value <= 1) | np.isnan(value)))
    share = metric.is_share and is_share
    columns = _stands(peers, panel, metric, judged, share, grown_part(panel, looks))
    if not has_best:
        columns |= {"best": [False for _ in value], "unjudged": [None for _ in value]}
    asks_interval = uncertainty == "interval" or (uncertainty == "tied" and has_best)
    if asks_interval and is_known and doubt:
        columns["unjudged"] = [None if missing else doubt for missing in np.isnan(value)]
    kinds = {"best": pl.Boolean, "tied": pl.Boolean, "unjudged": pl.String}
    kinds |= dict.fromkeys(("peers", "common", "separated", "varying"), pl.Int64)
    series = []
    for name, column in columns.items():
        series.append(pl.Series(name, column, kinds.get(name, pl.Float64)))
    return frame.with_columns(series).with_columns(pl.col(pl.Float64).fill_nan(None))


def _cell_numbers(
    panel: PanelCounts, metric: Metric, bounded: bool, has_value: Flags, gaps: Sequence[Gap | None]
) -> Grid:
    """Value, counts and uncertainty of each cell; `has_value`: whether it has a value.

    `gaps`: why a cell has none.
    """
    estimate, limits = _estimate(panel, metric, bounded)
    low, high = (np.where(panel.stopped, np.nan, end) for end in limits)
    numbers = estimate.value, estimate.se, low, high
    value, se, low, high = (np.where(has_value, number, np.nan) for number in numbers)
    is_held = panel.count > 0
    tried = is_held.sum(axis=0)
    # Problems that were tried, where the metric leaves out some.
    left_out = (tried > estimate.problems) & bool(metric.k)
    part_types = {"task": pl.String, "value": pl.Float64, "problems": pl.Int64, "epochs": pl.Int64}
    return pl.DataFrame({
        "cell": panel.cells, "value": value,
        "samples": tried if panel.reconstructed else estimate.problems,
        "epochs": estimate.epochs, "expected": panel.expected,
        "tried": pl.Series(np.where(left_out, tried, 0), dtype=pl.Int64).replace(0, None),
        "se": se, "low": low, "high": high, "reconstructed": panel.reconstructed,
        **{column.name: column for column in gap_columns(gaps)},
        "parts": pl.Series(task_values(panel, metric), dtype=pl.List(pl.Struct(part_types))),
    })  # fmt: skip


def task_values(panel: PanelCounts, metric: Metric) -> list[list[TaskValue] | None]:
    """The value of each task of a cell; None unless the cell is the mean of several."""
    if len(panel.tasks) < 2:
        return [None for _ in panel.cells]
    cells: list[list[TaskValue] | None] = []
    for cell in range(len(panel.cells)):
        tasks = []
        for number, task in enumerate(panel.tasks):
            rows = (panel.task == number) & (panel.count[:, cell] > 0)
            count = panel.count[rows, cell]
            total = panel.total[rows, cell]
            if not rows.any():
                continue
            value, size = metric.value(count, total)
            if panel.reconstructed:
                value = float(total.sum() / count.sum())
                size = len(count)
            numbers = {"value": value, "problems": size, "epochs": int(count.sum())}
            tasks.append({"task": task, **numbers})
        cells.append(tasks if len(tasks) > 1 else None)
    return cells


def why_unbounded(sides: Sequence[tuple[Ints, Floats]], share: bool, ranged: bool) -> str:
    """The code of why some problem, seen or unseen, may outweigh all others; empty where none can.

    Scores from 0 to 1 are bounded, and so are numbers whose `range` the source gives, unless
    nearly all lie far below its upper end: a cap on tokens, which few samples reach, bounds
    nothing. Of others some problem must have all of 1, which costs in small units have not.

    `sides`: epochs, and sums of scores, of all that is compared. `share`: the metric is a share.
    """
    levels_of_sides = []
    for count, total in sides:
        has_epochs = count > 0
        if np.any(has_epochs & ((total < 0) | (total > count))):
            return states.UNBOUNDED
        levels_of_sides.append(total[has_epochs] / count[has_epochs])
    if share:
        return ""
    levels = np.concatenate(levels_of_sides)
    if ranged:
        far = len(levels) > 0 and np.quantile(levels, USUAL, method="inverted_cdf") < NEAR
        return states.FAR_RANGE if far else ""
    if (levels == 1).any():
        return ""
    return states.UNBOUNDED


def grown_part(panel: PanelCounts, looks: str | None) -> float | None:
    """Which part of a sweep is there, if its verdicts are to hold at every look; else None.

    They are where the figure says so (`many`), and of a sweep in which some cell lacks records
    unless the figure says that nobody looks again (`once`).
    """
    records = panel.count.sum(axis=0)
    expected = np.maximum(panel.expected, records)
    if looks == "once" or (looks is None and (expected == records).all()):
        return None
    return float(records.sum() / max(expected.sum(), 1))


def _stands(
    peers: Peers, panel: PanelCounts, metric: Metric, judged: bool, share: bool, grown: float | None
) -> dict[str, Column]:
    """The columns of `STANDS` and `CHANCE`, and doubts; `peers`: all cells of the panel."""
    columns: dict[str, Column] = {}
    for name in (*STANDS, *CHANCE, "unjudged"):
        columns[name] = [None for _ in panel.cells]
        columns["best"] = [False for _ in panel.cells]
    sets = connected_sets(peers.count > 0)
    for number in np.unique(sets[sets != NO_SET]):
        is_member = sets == number
        among = np.flatnonzero(is_member)
        if len(among) == 1:
            continue  # compared with none
        group = peers.among(among)
        standing = _peers_standing(group, panel, metric, judged, share, grown)
        values = vars(standing) | {"peers": int(panel.cells[number]), "common": group.common}
        for name, value in values.items():
            is_flag = isinstance(value, np.ndarray)
            for place, cell in enumerate(among.tolist()):
                columns[name][cell] = value
                if is_flag:
                    columns[name][cell] = bool(value[place])
    return columns


def _peers_standing(
    group: Peers, panel: PanelCounts, metric: Metric, judged: bool, share: bool, grown: float | None
) -> Standing:
    """How some peers of a panel stand; none is best where results may have chosen the samples."""
    if judged and len(group.value) <= states.CROWD:
        return group.judged(share, grown)
    if judged:
        return Standing(best=group.best(), unjudged=states.CROWDED)
    no_best = np.zeros(len(group.value), bool)
    if panel.stopped.any() or panel.answered:
        return Standing(best=no_best)
    if metric.join and group.uneven:
        return Standing(best=no_best, unjudged=states.UNEVEN)
    return Standing(best=group.best())


def _estimate(panel: PanelCounts, metric: Metric, bounded: bool) -> tuple[Estimate, Interval]:
    """Values, standard errors and 95 % intervals, clustered by problem, as far as they are known.

    Of reconstructed problems each graded sample is a trial of its own. Only means have uncertainty.
    """
    unknown = np.full(panel.count.shape[1], np.nan)
    if panel.reconstructed:
        tasks = [panel.task == task for task in np.unique(panel.task)]
        right = np.array([panel.total[rows].sum(axis=0) for rows in tasks])
        tried = np.array([panel.count[rows].sum(axis=0) for rows in tasks])
        return statistics.count_estimates(right, tried)
    if metric.join:
        return _estimate_joined(panel, metric), statistics.Interval(unknown, unknown)
    dividend, divisor = metric.points(panel.count, panel.total)
    if not (metric.passes and divisor.any()):
        estimate = statistics.cell_estimates(dividend, divisor, panel.task, group=panel.family)
        if metric.valued:
            estimate = estimate._replace(epochs=np.where(divisor > 0, panel.count, 0).sum(axis=0))
    else:
        right = np.rint(panel.total).astype(np.int64)
        points = statistics.pass_scores(panel.count, right, metric.number, every=metric.every)
        estimate = estimates(points, panel.count, panel.task, panel.family)
    if not (bounded and divisor.any()):
        return estimate, statistics.Interval(unknown, unknown)
    return estimate, statistics.interval(dividend, divisor, panel.task, group=panel.family)


def _estimate_joined(panel: PanelCounts, metric: Metric) -> Estimate:
    count = panel.count
    total = panel.total
    cells = panel.count.shape[1]
    values = np.full(cells, np.nan)
    unknown = np.full(cells, np.nan)
    problems = np.zeros(cells, np.int64)
    epochs = count.sum(axis=0)
    for cell in range(cells):
        numbers = []
        for task in np.unique(panel.task[count[:, cell] > 0]):
            rows = panel.task == task
            value, size = metric.value(count[rows, cell], total[rows, cell])
            problems[cell] += size
            if value is not None:
                numbers.append(value)
        if numbers:
            values[cell] = fsum(numbers) / len(numbers)
    return statistics.Estimate(values, unknown, problems, epochs, np.zeros(len(values)))


@dataclass(frozen=True, kw_only=True)
class Standing:
    """How some peers stand: columns of `kinds.columns`, flags of shape (cells,)."""

    best: Flags
    tied: Flags | None = None
    spread: float | None = None
    spread_equal: float | None = None
    chance_median: float | None = None
    chance_high: float | None = None
    chance_p: float | None = None
    separated: int | None = None
    resolution: float | None = None
    resolution_epochs: float | None = None
    resolution_problems: float | None = None
    varying: int | None = None
    unjudged: str | None = None  # code of why they are not judged


@dataclass(frozen=True)
class Peers:
    """Cells with a value that share problems; matrices are of shape (problems, cells)."""

    total: Floats  # sums of scores, with a sign that makes the highest the best
    count: Ints
    task: Ints
    family: Ints
    value: Floats  # shape (cells,), with the same sign

    def among(self, cells: Ints) -> Peers:
        """Some of the cells, and the problems that these hold."""
        is_held = (self.count[:, cells] > 0).any(axis=1)
        places = np.ix_(is_held, cells)
        return Peers(
            self.total[places],
            self.count[places],
            self.task[is_held],
            self.family[is_held],
            self.value[cells],
        )

    @property
    def uneven(self) -> bool:
        """Whether some cell lacks a problem that another holds."""
        problems = len(self.count)
        return self.common < problems

    @property
    def common(self) -> int:
        return int((self.count > 0).all(axis=1).sum())

    @property
    def varying(self) -> int:
        """Problems of which not all cells that hold them have the same score."""
        means = self.total / np.maximum(self.count, 1)
        scores = np.where(self.count > 0, means, np.nan)
        distances = np.fmax.reduce(scores, axis=1) - np.fmin.reduce(scores, axis=1)
        return int((distances > ROUNDING).sum())

    def best(self, tied: Flags | None = None) -> Flags:
        """The highest cells; of cells with different problems, the highest on equal problems.

        That is by the mean distance of scores from the mean of their problem over all cells that
        hold it, and within the `tied` set where it is known.
        """
        if not self.uneven:
            return np.asarray(self.value == self.value.max())
        level = statistics.leads_on_equal(self.total, self.count, self.task)
        if tied is not None:
            level = np.where(tied, level, -np.inf)
        scores = self.total / np.maximum(self.count, 1)
        return np.asarray(level >= level.max() - ROUNDING * np.abs(scores).max())

    def judged(self, share: bool, grown: float | None = None) -> Standing:
        """The tied set and what chance gives.

        `share`: no two values are further apart than 1. `grown`: as `grown_part`.
        """
        scores = self.total, self.count, self.task
        tied = statistics.best_p_values(*scores, group=self.family, grown=grown) > ALPHA
        chance = statistics.chance_range(*scores, group=self.family)
        resolution, epochs, problems = statistics.resolution(
            *scores, group=self.family, grown=grown
        )
        best = self.best(tied)
        far = share and max(chance.equal, chance.high) > 1 + ROUNDING
        return Standing(
            best=best,
            tied=tied,
            spread=chance.spread,
            spread_equal=None if far else chance.equal,
            chance_median=None if far else chance.median,
            chance_high=None if far else chance.high,
            chance_p=chance.p,
            separated=int((~tied & ~best).sum()),
            resolution=resolution,
            resolution_epochs=epochs,
            resolution_problems=problems,
            varying=self.varying,
        )


def with_levels(
    grid: Grid,
    panels: Sequence[PanelCounts],
    metric: Metric,
    question: Question,
    metrics: int = 1,
) -> Grid:
    """The grid, in the order in which `panels` number its cells, with the columns of `AXES`."""
    tests = []
    for panel in panels:
        tests += [(panel, axis) for axis in _tested_axes(panel, grid)]
    columns = {f"top_{axis}": np.full(len(grid), None) for axis in AXES}
    best = question.best_of(question.word)
    for panel, axis in tests:
        if grid["spread"][panel.cells].null_count():
            continue  # no verdict on its cells either
        axis_values = grid[axis]
        values = axis_values[panel.cells]
        codes = {value: number for number, value in enumerate(dict.fromkeys(values))}
        level = np.array([codes[value] for value in values])
        grown = grown_part(panel, question.looks)
        tops = judged_levels(panel, level, metric, best, len(tests) * metrics, grown)
        columns[f"top_{axis}"][panel.cells] = tops[level]
    series = [pl.Series(name, top.tolist(), pl.Boolean) for name, top in columns.items()]
    return grid.with_columns(series)


def _tested_axes(panel: PanelCounts, grid: Grid) -> list[str]:
    """The axes of which values are judged: all cells are compared on the same problems."""
    cells = grid[panel.cells]
    size = grid["x"].n_unique() * grid["y"].n_unique()
    same = (cells["common"] == cells["samples"]).fill_null(value=False)
    if len(cells) != size or cells["peers"].n_unique() != 1 or not same.all():
        return []
    return [axis for axis in AXES if 1 < grid[axis].n_unique() < size]


def judged_levels(
    panel: PanelCounts,
    level: Ints,
    metric: Metric,
    best: Best,
    tests: int,
    grown: float | None = None,
) -> Flags:
    """Which values of an axis may be the best, (values,).

    All cells of the `panel` hold all problems. `level`: (cells,), number of the value of each.
    `tests`: axes that are judged; `grown`: as `grown_part`.
    """
    dividend, divisor = metric.points(panel.count, panel.total)
    score = dividend / divisor * (-1 if best == "lowest" else 1)
    unit = np.abs(score).max() / GRID or 1.0  # whole numbers add up to the same on any machine
    scaled = score / unit
    steps = np.rint(scaled)
    number = np.bincount(level)
    levels = [steps[:, level == n].sum(axis=1) for n in range(len(number))]
    sums = unit * np.stack(levels, axis=1)
    counts = np.broadcast_to(number, sums.shape)
    p = statistics.best_p_values(
        sums, counts, panel.task, group=panel.family, tests=tests, grown=grown
    )
    return np.asarray(p > ALPHA)
