"""The samples of a heatmap by problem, as arrays: a panel for all cells that are compared.

And how many a complete run of each cell would hold: as the logs declare, else as its neighbours do.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from itertools import chain, product
from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.config import roles
from heatproof.kinds import states
from heatproof.kinds.heatmap.properties import PROBLEM, Properties
from heatproof.metrics import metric
from heatproof.samples import counts, selection, shard_index
from heatproof.samples.shard_index import LOG, Size, runs_of_figure
from heatproof.util import codes
from heatproof.util.lazy import numpy as np
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from heatproof.kinds.columns import Grid
    from heatproof.kinds.question import Question
    from heatproof.samples.shard_index import ShardIndex
    from heatproof.util.codes import Rows

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Flags = NDArray[np.bool_]
    Axes = Mapping[str, pl.Series]  # column along which cells lie → its values in drawing order
    Values = tuple[Any, ...]  # of the columns along which cells lie

NO_PROPERTIES = Properties()
NO_SET = -1  # the set of a cell that holds no problem


@dataclass(frozen=True)
class PanelCounts:
    """The problems of one panel: epochs and sums, arrays of shape (problems, cells)."""

    count: Ints
    total: Floats  # of a vote, its value on each problem
    task: Ints  # shape (problems,): the task that a problem belongs to, by its place in `tasks`
    family: Ints  # shape (problems,): number of its family; families are independent of each other
    expected: Ints  # shape (cells,): rows a complete run would hold
    reconstructed: bool  # the counts are real, but which problem was solved is made up
    cells: Ints  # shape (cells,): their places in the grid
    tasks: list[str]  # the tasks of which a cell is the mean: all that have records in the panel
    records: Flags  # shape (tasks, cells): whether there are records, with a number or without
    failed: Flags
    """Shape (tasks, cells): whether logs say that a run was to be there of which nothing came."""
    unbalanced: Flags
    """Shape (tasks, cells): whether the values of `over` do not hold the same samples."""
    stopped: Flags
    """Shape (cells,): whether logs say that samples were stopped by their results."""
    answered: bool = False  # cells lie along a property of answers, which divides them by results
    over: str = ""  # the column, other than task, over which cells are the mean
    ranged: bool = False  # the source says between which numbers all samples lie
    code: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    """Shape (problems,): number of a problem among those of the figure (`codes.codes`), rising."""
    number: int = 0  # that of the drawn panel of which these are cells

    def only(self, kept: Flags) -> PanelCounts:
        """Some of its cells, and the problems that they hold; `kept`: a flag for each cell."""
        has_records = self.count[:, kept].any(axis=1)
        rows = np.ix_(has_records, kept)
        return replace(
            self, cells=self.cells[kept], count=self.count[rows], total=self.total[rows],
            task=self.task[has_records], family=self.family[has_records],
            code=self.code[has_records],
            expected=self.expected[kept], stopped=self.stopped[kept],
            records=self.records[:, kept], failed=self.failed[:, kept],
            unbalanced=self.unbalanced[:, kept],
        )  # fmt: skip


class PlacedCounts(NamedTuple):
    """Rows of counts, and the place of the cell of each."""

    rows: Rows
    at: Ints

    def within(self, cells: Ints) -> PlacedCounts:
        """Those of some cells, given in order, with places among these."""
        is_inside = np.isin(self.at, cells)
        places = np.searchsorted(cells, self.at[is_inside])
        return PlacedCounts(self.rows.take(is_inside), places)


def panels(
    rows: Rows,
    axes: Axes,
    question: Question,
    known: Expected | None = None,
    properties: Properties = NO_PROPERTIES,
) -> Iterator[PanelCounts]:
    """The problems of each panel as arrays; cells in the order of the grid, problems sorted.

    Unless cells are means over tasks, those of each task are a panel of their own: numbers of
    different tasks are never compared. `known`: what logs say of their runs.
    """
    decided = bool(properties.of_answers & set(axes))
    key = list(dict.fromkeys(chain(axes, PROBLEM)))
    recorded = rows._replace(numbers={**rows.numbers, "count": rows.numbers["records"]})
    tables = rows, counts.added_up(rows, key), counts.added_up(recorded, key)
    runs, problems, all_problems = (
        PlacedCounts(table, place_counts(table, axes)) for table in tables
    )
    *_, down, columns = (len(axis) for axis in axes.values())
    places = list(product(*axes.values()))
    lost = [known.failed.get(place, set()) if known else set() for place in places]
    stopped = np.array([known is not None and place in known.stopped for place in places], bool)
    cell = np.arange(len(lost))
    drawn = cell // (down * columns)  # the number of each cell's panel
    lines = [cell // columns, drawn * columns + cell % columns]
    task_numbers = _tasks_of_cells(*runs, axes, lines, question)
    highest_task = task_numbers.max(initial=0)
    tasks_of_panel = int(highest_task) + 2
    panel_numbers = drawn * tasks_of_panel + task_numbers + 1
    mixed = {question.mean_over, *question.pool, *question.mixable} - properties.names
    pooled = _pooled_values(*runs, len(panel_numbers), mixed)
    ids = max(len(rows.columns["sample_id"].values), 1)
    for number in np.unique(panel_numbers):
        is_inside = panel_numbers == number
        cells = np.flatnonzero(is_inside)
        counted = problems.within(cells)
        panel_runs = runs.within(cells)
        count, total, code = by_problem(*counted, len(cells))
        recorded_counts, *_ = by_problem(*all_problems.within(cells), len(cells))
        codes_of_tasks, task = np.unique(panel_runs.rows.columns["task"].codes, return_inverse=True)
        tasks = rows.columns["task"].values.gather(codes_of_tasks).to_list()
        records, unbalanced = np.zeros((2, len(tasks), len(cells)), bool)
        records[task, panel_runs.at] = True
        unbalanced[task, panel_runs.at] = panel_runs.rows.numbers["unbalanced"]
        is_lost = []
        for name in tasks:
            is_lost.append([name in lost[cell] for cell in cells])
        expected = recorded_counts.sum(axis=0)
        if not decided:
            panel_lines = [line[cells] for line in lines]
            _, expected = whole_sizes(recorded_counts, panel_lines, pooled[cells])
        yield PanelCounts(
            count=count, total=total, cells=cells, tasks=tasks, code=code, unbalanced=unbalanced,
            task=np.searchsorted(codes_of_tasks, code // ids),
            family=_families(rows, code, question), expected=expected,
            reconstructed=bool(counted.rows.numbers["reconstructed"].any()),
            records=records, failed=np.array(is_lost, bool).reshape(records.shape),
            stopped=stopped[cells], answered=decided,
            over=question.averaged or "", ranged=metric(question.word).of in question.ranges,
            number=int(drawn[cells[0]]),
        )  # fmt: skip


def of_one_scorer(panels: Sequence[PanelCounts], scorers: Sequence[str]) -> Iterator[PanelCounts]:
    """The panels, each with cells of one scorer: numbers of different scorers are never compared.

    `scorers`: that of each cell of the grid.
    """
    names = np.array(scorers)
    for panel in panels:
        for name in dict.fromkeys(names[panel.cells].tolist()):
            yield panel.only(names[panel.cells] == name)


def _tasks_of_cells(
    rows: Rows,
    row_cells: Ints,
    axes: Axes,
    lines: Sequence[Ints],
    question: Question,
) -> Ints:
    """The number of the task of each cell; `NO_SET` where cells hold several, or it is unknown."""
    shape = [len(axis) for axis in axes.values()]
    if "task" in axes:
        task_axis = list(axes).index("task")
        numbers = np.indices(shape)[task_axis]
        return np.asarray(numbers.reshape(-1))
    task_numbers = np.full(int(np.prod(shape)), NO_SET)
    if "task" in (question.mean_over, *question.pool):
        return task_numbers
    task_column = rows.columns["task"]
    task_numbers[row_cells] = task_column.codes
    return fill_lines(task_numbers, lines)


def _pooled_values(rows: Rows, row_cells: Ints, cells: int, mixed: set[str | None]) -> Ints:
    """How many values of `mixed` columns each cell holds; columns within a run do not count."""
    names = [name for name in rows.columns if name in mixed - {"task", "sample_id", "epoch"}]
    code = codes.codes(rows, names) if names else np.zeros(len(row_cells), np.int64)
    cells_of_values, _ = np.unique(np.stack([row_cells, code]), axis=1)
    return np.asarray(np.bincount(cells_of_values, None, cells))


def place_counts(rows: Rows, axes: Axes) -> Ints:
    """Position of each row's cell in the grid, x innermost."""
    places = np.zeros(len(rows.numbers["count"]), np.int64)
    for axis in axes.values():
        numbers, values = rows.columns[axis.name]
        position = {value: number for number, value in enumerate(axis)}
        places *= len(axis)
        places += np.array([position[value] for value in values], np.int64)[numbers]
    return places


def by_problem(rows: Rows, cell: Ints, cells: int) -> tuple[Ints, Floats, Ints]:
    """Count and total, arrays of shape (problems, cells), and the numbers of the problems."""
    code, place = np.unique(codes.codes(rows, PROBLEM), return_inverse=True)
    place += cell * len(code)  # as tables lie: the problems of a cell beside each other
    count = np.zeros((cells, len(code)), np.int64)
    count.flat[place] = rows.numbers["count"]
    total = np.zeros((cells, len(code)))
    total.flat[place] = rows.numbers["total"]
    return count.T, total.T, code


def _families(rows: Rows, code: Ints, question: Question) -> Ints:
    """Number of the family of each problem; without a pattern, or a match, each is its own.

    `code`: the numbers of the problems among those of the rows.
    """
    tasks, ids = (rows.columns[name].values for name in PROBLEM)
    task, sample = np.divmod(code, max(len(ids), 1))
    who = pl.DataFrame({"task": tasks[task], "sample_id": ids[sample]})
    number = pl.struct("task", selection.family(question.family)).rank("dense") - 1
    return who.select(number).to_series().cast(pl.Int64).to_numpy()


def connected_sets(present: Flags) -> Ints:
    """For each cell the number of its set: the first cell in it; `NO_SET` without problems.

    `present`: (problems, cells), where a problem is held. Cells of two sets share no problem.
    """
    shared = [np.flatnonzero(column) for column in present.T]
    sets = np.where(present.any(axis=0), np.arange(len(shared)), NO_SET)
    lowest = np.full(len(present), len(sets), np.int64)
    before = None
    while before is None or (sets != before).any():
        before = sets.copy()
        for cell, members in enumerate(shared):
            if len(members):
                sets[cell] = min(sets[cell], lowest[members].min())
                lowest[members] = np.minimum(lowest[members], sets[cell])
    return sets


def fill_lines(sets: Ints, lines: Sequence[Ints]) -> Ints:
    """The sets, where a cell without one joins the only set, or that of its row or column.

    `sets`: numbers of sets, or of tasks; `NO_SET` for none. `lines`: for each axis the line on
    which a cell lies, (cells,).
    """
    has_set = sets != NO_SET
    if len(numbers := set(sets[has_set].tolist())) == 1:
        return np.full_like(sets, numbers.pop())
    on_lines: list[dict[int, set[int]]] = []
    for line in lines:
        on_line: dict[int, set[int]] = {}
        for line_number, number in zip(line[has_set].tolist(), sets[has_set].tolist(), strict=True):
            on_line.setdefault(line_number, set()).add(number)
        on_lines.append(on_line)
    # Where each row is of one set, and columns are not, rows tell.
    pure = [max(map(len, on_line.values()), default=1) == 1 for on_line in on_lines]
    one_is_pure = sum(pure) == 1
    used = [axis for axis, is_pure in enumerate(pure) if is_pure or not one_is_pure]
    filled = sets.copy()
    for cell in np.flatnonzero(~has_set):
        only: set[int] = set()
        for axis in used:
            line_number = int(lines[axis][cell])
            line_sets = on_lines[axis].get(line_number, set())
            if len(line_sets) == 1:
                only |= line_sets
        filled[cell] = NO_SET
        if len(only) == 1:
            filled[cell] = only.pop()
    return filled


def whole_sizes(count: Ints, lines: Sequence[Ints], pooled_values: Ints) -> tuple[Ints, Ints]:
    """Problems and rows that a complete run of each cell holds, by what its peers hold.

    A cell is to hold all problems of its peers, unless more cells hold just its own than hold more:
    then these are a part of the data set. It is to hold each as often as the problem that it holds
    most often, but no more often than any cell does. A cell without problems is like the largest of
    its line; 0 where nothing is known.

    `count`: epochs, (problems, cells); `lines`: as in `fill_lines`; `pooled_values`: how many
    values of pooled columns each cell holds, (cells,); all are to hold as many as any.
    """
    cell_sets = connected_sets(count > 0)
    complete = np.zeros_like(count)
    numbers = set(cell_sets.tolist())
    for number in numbers - {NO_SET}:
        is_inside = cell_sets == number
        cells = np.flatnonzero(is_inside)
        set_counts = count[:, cells]
        complete[:, cells] = _complete(set_counts, pooled_values[cells])
    problems = (complete > 0).sum(axis=0)
    rows = complete.sum(axis=0)
    filled = fill_lines(cell_sets, lines)
    for cell in np.flatnonzero((cell_sets == NO_SET) & (filled != NO_SET)):
        like = np.flatnonzero(cell_sets == filled[cell])
        largest = like[np.argmax(rows[like])]
        problems[cell] = problems[largest]
        rows[cell] = rows[largest]
    return problems, rows


def _complete(count: Ints, pooled_values: Ints) -> Ints:
    """How often cells of one set are to hold each problem, (problems, cells)."""
    present = count > 0
    _, kind, twins = np.unique(present.T, axis=0, return_inverse=True, return_counts=True)
    size = present.sum(axis=0)
    larger = (size[None, :] > size[:, None]).sum(axis=1)
    all_values = count.max(axis=0) * pooled_values.max()
    repeats = -(-all_values // np.maximum(pooled_values, 1))
    highest = count.max(axis=1)
    most_often = highest[:, None]
    highest_counts = np.minimum(most_often, repeats[None, :])
    kinds = kind.reshape(-1)
    twin_counts = twins[kinds]
    is_partial = (twin_counts > larger) & (twin_counts > 1)
    return np.where(is_partial[None, :] & ~present, 0, highest_counts)


def _expect_none(grid: Grid, condition: pl.Expr, why: str) -> Grid:
    """The grid, of some cells of which no record is expected; `why`: a code."""
    expected = pl.when(condition).then(0).otherwise("expected")
    gap = pl.when(condition).then(pl.lit(why)).otherwise("gap")
    return grid.with_columns(expected.alias("expected"), gap.alias("gap"))


def _asked_parts(tasks: Mapping[str, tuple[int, int] | None]) -> dict[str, Any]:
    """The columns `asked`, `dataset` and `asked_tasks` of a cell, null where all were asked for.

    `tasks`: task of the cell → problems asked for and there; None where nothing is known.
    """
    limited = {task: sizes for task, sizes in tasks.items() if sizes}
    if not limited:
        return dict.fromkeys(("asked", "dataset", "asked_tasks"))
    problems_asked, problems_there = map(sum, zip(*limited.values(), strict=True))
    task_names = None
    if len(tasks) > 1:
        task_names = sorted(limited)
    return {"asked": problems_asked, "dataset": problems_there, "asked_tasks": task_names}


class Expected:
    """The runs behind the cells of a figure, also those without a sample."""

    def __init__(
        self, rows: Rows, logs: ShardIndex | None, question: Question, properties: Properties
    ) -> None:
        self._question = question
        self._properties = properties
        self._apart = {*question.along, *([question.mean_over] if question.mean_over else [])}
        self._free = self._apart | {*question.pool, *question.mixable}
        """All settings that may differ in a panel."""
        self._sizes: dict[Values, dict[str, list[Size]]] = {}  # cell → task → the sizes of its runs
        self.failed: defaultdict[Values, set[str]] = defaultdict(set)
        """Cell → tasks of its runs without a sample."""
        self.failed_records: Counter[Values] = Counter()
        """Cell → samples of records that say that they failed."""
        self.stopped: set[Values] = set()
        """Cells with runs whose samples were stopped by the results of others."""
        asked_columns = {*self._free, *question.where}
        # Of a part of a run nothing is declared.
        if (
            not logs
            or properties.names & asked_columns
            or asked_columns - {*logs.columns, *roles.GRADERS}
        ):
            return
        index = runs_of_figure(logs, question)
        if any(log.runs for log in index.logs.values()) or index.expect is not None:
            counted = rows.frame([*index.columns, *roles.GRADERS, "sample_id"])
            epochs = rows.numbers["count"]
            counted = counted.with_columns(epochs=epochs)
            self._add(shard_index.runs(counted, index), index.columns)

    def _add(self, runs: pl.DataFrame, names: Sequence[str]) -> None:
        """Add runs; those without a sample only if they are of the settings that the figure shows.

        `names`: columns that are settings.
        """
        lost = pl.col(LOG).is_not_null()
        graded = runs.filter(~lost)
        tasks = set((runs if "task" in self._free else graded)["task"])
        places: dict[Values, dict[str, Any]] = {}
        ordered = pl.concat([graded, runs.filter(lost)])
        for run in ordered.iter_rows(named=True):
            failed = run[LOG] is not None
            cell = tuple(run[name] for name in self._question.along)
            task = run["task"]
            if failed and (None in (*cell, task) or task not in tasks):
                continue
            first_run = places.setdefault(tuple(run[n] for n in names if n in self._apart), run)
            fixed = ((run[n], first_run[n]) for n in names if n not in self._free)
            if failed and any(None is not a != b is not None for a, b in fixed):
                continue
            asked_part = None
            if run["asked"] is not None:
                asked_part = run["asked"], run["dataset"]
            size = Size(run["least"], run["whole"], asked_part)
            sizes = self._sizes.setdefault(cell, {})
            sizes.setdefault(task, []).append(size)
            if failed:
                failed_tasks = self.failed[cell]
                failed_tasks.add(task)
            self.failed_records[cell] += run["failed"]
            if run["stopped"]:
                self.stopped.add(cell)

    def axis(self, values: pl.Series) -> pl.Series:
        """The values along an axis, with those of runs without a sample."""
        axis_number = self._question.along.index(values.name)
        failed_values = {cell[axis_number] for cell in self.failed} - set(values)
        if not failed_values:
            return values
        failed = pl.Series(values.name, list(failed_values), values.dtype)
        return pl.concat([values, failed]).sort()

    def with_sizes(self, panels: Sequence[PanelCounts], places: Grid) -> list[PanelCounts]:
        """The panels with the rows that are expected of each cell, as the grid will have them.

        `places`: a row for each cell of the grid.
        """
        expected, epochs = np.zeros((2, len(places)), np.int64)
        for panel in panels:
            expected[panel.cells] = panel.expected
            epochs[panel.cells] = panel.records.any(axis=0)
        gaps = [None if has_records else states.NOTHING for has_records in epochs.tolist()]
        texts = pl.Series("gap", gaps, pl.String)
        numbers = pl.Series("expected", expected), pl.Series("epochs", epochs)
        sizes = self.with_declared(places.with_columns(*numbers, texts))["expected"].to_numpy()
        return [replace(panel, expected=sizes[panel.cells]) for panel in panels]

    def with_declared(self, grid: Grid) -> Grid:
        """The grid with the rows that logs declare as expected; of a model against itself none.

        A cell without a record says so if there is a log of its run. Other columns
        say of how many problems runs were asked for a part, and how many records failed.
        """
        question = self._question
        if self._sizes:
            grid = self._declared(grid)
        else:
            unknown = pl.lit(None, pl.Int64)
            tasks = pl.lit(None, pl.List(pl.String))
            grid = grid.with_columns(
                asked=unknown, dataset=unknown, asked_tasks=tasks, failed_records=unknown
            )
        grid = self._without_missing(grid)
        if not {"model", question.opponent} <= set(question.along):
            return grid
        column_of = question.grid_columns
        same = pl.col(column_of["model"]) == pl.col(column_of[question.opponent or ""])
        return _expect_none(grid, same & (pl.col("epochs") == 0), states.ITSELF)

    def _without_missing(self, grid: Grid) -> Grid:
        """The grid, in which no cell lacks records that no problem, or no answer, can give.

        A cell lacks some where others with the same properties of problems have some, but not where
        others of the same settings have, of properties of answers.
        """
        column_of = self._question.grid_columns
        of_problems, of_answers = self._properties
        problems = [place for name, place in column_of.items() if name in of_problems]
        answers = [place for name, place in column_of.items() if name in of_answers]
        settings = [place for name, place in column_of.items() if name not in of_answers]
        empty = pl.col("gap").eq_missing(states.NOTHING)
        if problems:
            grid = _expect_none(grid, empty.all().over(problems), states.NONE_SUCH)
        if answers:
            tried = ~empty.all().over(settings or pl.lit(0))
            grid = _expect_none(grid, empty & tried, states.NONE_SUCH)
        return grid

    def _declared(self, grid: Grid) -> Grid:
        deep = len(self._question.panels)
        cells = grid.select(self._question.places).rows()
        most_records: dict[Values, dict[str, int]] = defaultdict(lambda: defaultdict(int))
        for cell, tasks in self._sizes.items():  # the most that logs declare of a task in a panel
            panel = most_records[cell[:deep]]
            for task, runs in tasks.items():
                panel[task] = max(panel[task], sum(run.declared or 0 for run in runs))
        expected, asked_parts = [], []
        for cell, neighbours in zip(cells, grid["expected"], strict=True):
            expected.append(self._expected(cell, most_records[cell[:deep]], neighbours))
            sizes = self._sizes.get(cell, {})
            single: dict[str, tuple[int, int] | None] = {}
            for task, runs in sizes.items():
                task_parts = {run.part for run in runs}
                single[task] = None
                if len(task_parts) == 1:
                    single[task] = task_parts.pop()
            asked_parts.append(_asked_parts(single))
        gaps = []
        for cell, gap in zip(cells, grid["gap"], strict=True):
            is_lost = gap == states.NOTHING and cell in self.failed
            gaps.append(states.FAILED if is_lost else gap)
        failed = [self.failed_records[cell] or None for cell in cells]
        kinds: dict[str, Any] = {"asked": pl.Int64, "dataset": pl.Int64}
        kinds["asked_tasks"] = pl.List(pl.String)
        return grid.with_columns(
            pl.Series("expected", expected, pl.Int64),
            pl.Series("gap", gaps, pl.String),
            *pl.DataFrame(asked_parts, kinds),
            pl.Series("failed_records", failed, pl.Int64),
        )

    def _expected(self, cell: Values, sizes: Mapping[str, int], neighbours: int) -> int:
        """Rows that are expected of a cell; `neighbours`: what its neighbours hold.

        `sizes`: task → the most that logs declare for a cell of its panel.
        """
        cell_columns = self._question.along
        own_runs = self._sizes.get(cell, {})
        if "task" in cell_columns:
            sizes = {(task := cell[cell_columns.index("task")]): sizes[task]}
        elif "task" not in self._free:
            task_names = list(own_runs) or sorted(sizes, key=lambda task: sizes[task])[-1:]
            sizes = {task: sizes[task] for task in task_names}
        total, sure = 0, True
        for task, size in sizes.items():
            runs = own_runs.get(task, [])
            if len(runs) == 1 and runs[0].declared is not None:
                total += runs[0].declared
                continue
            sure = False  # how many runs there should be, none of them says
            total += max(size, sum(run.declared or run.least for run in runs))
        if sure:
            return total
        return max(total, neighbours)
