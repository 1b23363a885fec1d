"""Values and counts of a grid once more, in exact fractions and plain Python, from its records.

No code is shared with that of grids, and what follows from values (uncertainty, marks, verdicts) is
not counted again. What a problem and a task give is said by the row of the metric
(`heatproof.metrics`); a cell of several tasks is the unweighted mean of theirs.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from math import comb, lcm
from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.charts.units import PLAIN, Unit
from heatproof.kinds.cell_records import where
from heatproof.samples import answers
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from heatproof.metrics import Metric

    Row = tuple[Any, ...]
    """Task, sample and what was measured; then the value of the column that a cell is averaged
    over."""
    Ballot = tuple[Any, ...]
    """The same, with the answer behind what was measured."""
    Scores = dict[tuple[Any, ...], list[Fraction]]
    """What was measured of a problem, for each value of the column."""
    Answer = tuple[str, int, Fraction]
    """What stands for it, how many samples gave it, and their mean score."""

CLOSE = 1e-9
"""Two values further apart than this are not the same number rounded twice."""


class Count(NamedTuple):
    """Value of some records, and how many problems and epochs went into it."""

    value: Fraction | None
    samples: int
    epochs: int


def same(value: float | None, counted: Fraction | None) -> bool:
    """Whether a stored value is the one counted, but for the last bits of a float."""
    if value is None or counted is None:
        return value is None and counted is None
    return abs(Fraction(value) - counted) <= Fraction(CLOSE) * max(Fraction(1), abs(counted))


# ------------------------------------------------------------------------------ records → a number


def average(values: Sequence[Fraction]) -> Fraction:
    """The mean of some numbers."""
    return sum(values, Fraction(0)) / len(values)


def mean(tasks: Mapping[str, Count]) -> Count:
    """The cell of several tasks: no value as soon as one of them has none."""
    values = [count.value for count in tasks.values() if count.value is not None]
    value = average(values) if values and len(values) == len(tasks) else None
    samples = sum(count.samples for count in tasks.values())
    return Count(value, samples, sum(count.epochs for count in tasks.values()))


def cell(rows: Iterable[Row], what: Metric, pooled: bool = False) -> dict[str, Count]:
    """Task → what its records give.

    `pooled`: each record is a trial of its own, as where only counts are known.
    """
    tasks: dict[str, dict[str, Scores]]
    tasks = defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
    for task, sample, measured, *part in rows:
        tasks[task][sample][tuple(part)].append(Fraction(measured))
    return {task: _task(problems, what, pooled) for task, problems in sorted(tasks.items())}


def _task(problems: dict[str, Scores], what: Metric, pooled: bool) -> Count:
    used = [parts for parts in problems.values() if min(map(len, parts.values())) >= (what.k or 1)]
    flat = [[score for scores in parts.values() for score in scores] for parts in used]
    epochs = sum(map(len, flat))
    if pooled and used:
        return Count(average([score for scores in flat for score in scores]), len(used), epochs)
    by_part = [[what.problem.exact(s, what.number) for s in parts.values()] for parts in used]
    values = [[average(parts)] for parts in by_part]
    return Count(*what.by_problem().exact(values), epochs)


def votes(rows: Iterable[Ballot], what: Metric, answered: Iterable[str] = ()) -> dict[str, Count]:
    """The same of a vote on the answers (`maj@k`); no value where a task has no answer.

    It goes by the height of the highest count among k samples. `answered`: tasks of which other
    records have answers.
    """
    tasks: dict[str, dict[str, dict[tuple[Any, ...], dict[str, list[Fraction]]]]]
    tasks = defaultdict(lambda: defaultdict(lambda: defaultdict(lambda: defaultdict(list))))
    with_answers: set[tuple[Any, ...]] = set()
    for task, sample, measured, answer, *part in rows:
        tasks[task][sample][tuple(part)][answer or ""].append(Fraction(measured))
        if answer is not None:
            with_answers.add((task, *part))
    sure, counts = {*answered}, {}
    for task, problems in sorted(tasks.items()):
        values, epochs = [], 0
        for parts in problems.values():
            sizes = [sum(map(len, ballots.values())) for ballots in parts.values()]
            silent = task not in sure and any((task, *part) not in with_answers for part in parts)
            if min(sizes) >= what.number and not silent:
                shares = [_vote(_by_answer(ballots), what.number) for ballots in parts.values()]
                values.append([average(shares)])
                epochs += sum(sizes)
        counts[task] = Count(*what.exact(values), epochs)
    return counts


def _by_answer(samples: Mapping[str, Sequence[Fraction]]) -> tuple[Answer, ...]:
    """Samples without an answer come first. Others are alike whatever they say."""
    sizes = sorted((len(scores), average(scores)) for name, scores in samples.items() if name)
    blank = samples.get("", [])
    first = [("", len(blank), average(blank))] if blank else []
    return (*first, *(("*", *size) for size in sizes))


@lru_cache(maxsize=1 << 14)
def _vote(ballots: tuple[Answer, ...], k: int) -> Fraction:
    """The mean, over all choices of k samples, of the score of the answer most of them give.

    Of answers that as many give it is the mean of theirs; samples without one count where no other
    is chosen.
    """
    sizes = [(size, score) for answer, size, score in ballots if answer]
    blank, worth = next(((size, score) for a, size, score in ballots if not a), (0, Fraction(0)))
    if sizes and blank + sum(size for size, _ in sizes) == k:  # one choice: all of them
        return average([score for size, score in sizes if size == max(sizes)[0]])
    highest = max((size for size, score in sizes if score), default=0)  # above it the sum is 0
    heights = range(1, min(k, highest) + 1)
    total = comb(blank, k) * worth
    total += sum((_at_height(sizes, blank, height, k) for height in heights), Fraction(0))
    return total / comb(blank + sum(size for size, _ in sizes), k)


def _at_height(sizes: Sequence[tuple[int, Fraction]], blank: int, height: int, k: int) -> Fraction:
    """Sum over the choices of k samples whose highest count of an answer is `height`."""
    scale = lcm(*(score.denominator for _, score in sizes))
    low = blank + sum(size for size, _ in sizes if size < height)
    # Samples chosen, answers at the height → choices, and the sum over them of these scores.
    ways = {(j, 0): (comb(low, j), 0) for j in range(min(low, k) + 1)}
    for size, score in sizes:
        if size < height:
            continue
        after: defaultdict[tuple[int, int], tuple[int, int]] = defaultdict(lambda: (0, 0))
        for (chosen, tied), (choices, scores) in ways.items():
            for more in range(min(height, k - chosen) + 1):
                at, top = comb(size, more), more == height
                own = choices * int(score * scale) if top else 0
                before = after[chosen + more, tied + top]
                after[chosen + more, tied + top] = (
                    before[0] + at * choices,
                    before[1] + at * (scores + own),
                )
        ways = after
    sums = ((scores, tied) for (chosen, tied), (_, scores) in ways.items() if chosen == k and tied)
    return sum((Fraction(scores, tied * scale) for scores, tied in sums), Fraction(0))


# ------------------------------------------------------------------------ a grid and its definition


@dataclass(frozen=True, kw_only=True)
class Definition:
    """What the numbers of a grid are: all that a recount and a trace know of a figure."""

    metric: Metric
    keys: Mapping[str, str]
    """Column of the samples → column of the grid; these tell one cell from another."""
    where: Mapping[str, Any]
    """Values that all samples have."""
    relative_to: Mapping[str, Any] = field(default_factory=dict)
    """Values that the baseline of a cell has instead of the cell's own."""
    panels: Sequence[str] = ()
    """Of the keys, those whose values have panels of their own."""
    joins_tasks: bool = False
    """A number is made of all tasks of its panel, and there is none where one is lacking."""
    averaged: str = ""
    """A number is the mean over the values of this column, problem by problem."""
    empty: Sequence[str] = ()
    """Words of `gap` that say that there is no record."""
    prefix: str = ""
    """What stands before the grid's `value`, `samples`, `epochs` and `gap`."""
    title: str = ""
    """What it is called, where a cell has several numbers."""
    unit: Unit = PLAIN
    """In which values are shown."""
    side_unit: Unit = PLAIN
    """That of the two sides of a difference, and of the values of tasks."""
    sample_unit: Unit = PLAIN
    """That of single samples."""

    def lies_in(self, cell: Mapping[str, Any]) -> pl.Expr:
        """Whether a sample lies in a cell, given by column and value, or in its baseline."""
        own = where(self.where) & pl.all_horizontal(pl.col(n) == v for n, v in cell.items())
        return own | self.lies_in_baseline(cell) if self.relative_to else own

    def lies_in_baseline(self, cell: Mapping[str, Any]) -> pl.Expr:
        values = {**self.where, **cell, **self.relative_to}
        return pl.all_horizontal(
            pl.col(name).is_null() if value is None else where({name: value})
            for name, value in values.items()
        )

    def count(self, rows: pl.DataFrame) -> dict[str, Count]:
        """Task → what its records give."""
        if self.metric.votes:
            return votes(self.ballots(rows), self.metric)
        return cell(self.ballots(rows), self.metric, pooled=bool(rows["reconstructed"].any()))

    def ballots(self, rows: pl.DataFrame) -> list[Row]:
        part = [pl.col(self.averaged).alias("part")] if self.averaged else []
        answer = [answers.COLUMN] if self.metric.votes else []
        number = pl.col(self.metric.of).alias("number")
        return rows.select("task", "sample_id", number, *answer, *part).rows()

    def numbered(self, rows: pl.DataFrame) -> pl.DataFrame:
        """The records with a number of the metric."""
        return rows.filter(pl.col(self.metric.of).is_not_null())


@dataclass(frozen=True)
class Cell:
    """A cell counted anew."""

    records: pl.DataFrame
    tasks: Mapping[str, Count]
    value: float | None
    """What the grid should have: the mean over tasks, less that of the baseline."""
    agrees: bool
    """Whether the grid has the same value, problems and epochs."""
    sides: Sides | None = None


class Sides(NamedTuple):
    """A cell and its baseline, on the problems that both hold; None where it is not known."""

    own: Fraction | None
    base: Fraction | None
    problems: int
    records: pl.DataFrame
    """Of the baseline."""


class Recount:
    """The records of a figure, cell by cell."""

    def __init__(
        self, samples: pl.LazyFrame, definition: Definition, panel: Mapping[str, Any]
    ) -> None:
        """`panel`: column → value, where one panel alone is counted."""
        self._of = definition
        here = [pl.col(name) == value for name, value in panel.items()]
        rows = samples.filter(where(definition.where), *here).collect()
        self._none = rows.clear()
        self._cells = rows.partition_by([*definition.keys], as_dict=True)
        self._tasks: defaultdict[Row, set[str]] = defaultdict(set)
        for *values, task in _distinct(rows, [*definition.panels, "task"]):
            self._tasks[tuple(values)].add(task)
        self._parts = Parts(definition.numbered(rows), definition)
        self._shared = [name for name in definition.keys if name not in definition.relative_to]
        if definition.relative_to:
            base = definition.numbered(samples.filter(definition.lies_in_baseline({})).collect())
            self._base_parts = Parts(base, definition)
            self._bases = (
                base.partition_by(self._shared, as_dict=True) if self._shared else {(): base}
            )

    def cell(self, at: Mapping[str, Any], row: Mapping[str, Any]) -> Cell:
        """A cell, given by column and value, beside its row of the grid."""
        definition, prefix = self._of, self._of.prefix
        records = self._cells.get(tuple(at[name] for name in definition.keys), self._none)
        numbered = definition.numbered(records)
        uneven = self._parts.uneven(numbered)
        tasks = {
            task: count._replace(value=None) if task in uneven else count
            for task, count in definition.count(numbered).items()
        }
        expected = self._expected_tasks(at, records)
        total = mean(tasks)
        if any(task not in tasks or tasks[task].value is None for task in expected):
            total = total._replace(value=None)
        agrees = (row[f"{prefix}samples"], row[f"{prefix}epochs"]) == total[1:]
        if definition.relative_to:
            sides = self._compare(at, numbered.filter(~pl.col("task").is_in([*uneven])), expected)
            value = None if None in sides[:2] else float(sides.own - sides.base)  # type: ignore[operator]
            return Cell(records, tasks, value, agrees and _sides_agree(sides, row), sides)
        value = None if total.value is None else float(total.value)
        agrees = agrees and same(row[f"{prefix}value"], total.value)
        if row[f"{prefix}value"] is None and (row[f"{prefix}gap"] in definition.empty) == bool(
            len(records)
        ):
            agrees = False
        return Cell(records, tasks, value, agrees)

    def _expected_tasks(self, at: Mapping[str, Any], records: pl.DataFrame) -> set[str]:
        if "task" in at:
            return {at["task"]}
        if self._of.joins_tasks:
            return self._tasks[tuple(at[name] for name in self._of.panels)]
        return {*records["task"]}

    def _compare(self, at: Mapping[str, Any], own: pl.DataFrame, tasks: set[str]) -> Sides:
        """A cell on the problems that its baseline holds too.

        `own`: its records with a number; `tasks`: those of which it is the mean.
        """
        definition, what = self._of, self._of.metric
        records = self._bases.get(tuple(at[name] for name in self._shared), self._none)
        base = records.filter(~pl.col("task").is_in([*self._base_parts.uneven(records)]))
        pooled = any(bool(rows["reconstructed"].any()) for rows in (own, base))
        sides = [definition.ballots(rows) for rows in (own, base)]
        common = set.intersection(*(_tried(rows, what) for rows in sides))
        values = []
        for rows in sides:
            both = [row for row in rows if row[:2] in common]
            counts = votes(both, what, tasks) if what.votes else cell(both, what, pooled)
            values.append(mean(counts).value if counts.keys() == tasks else None)
        values = [None, None] if None in values else values
        return Sides(values[0], values[1], len(common), base)


def _sides_agree(sides: Sides, row: Mapping[str, Any]) -> bool:
    if (row["value"] is None) != bool(row["gap"]) or row["paired_problems"] != sides.problems:
        return False
    difference = None if sides.own is None or sides.base is None else sides.own - sides.base
    values = {"value": difference, "own_value": sides.own, "baseline_value": sides.base}
    return all(same(row[name], value) for name, value in values.items())


def _tried(rows: Iterable[Row], what: Metric) -> set[tuple[str, str]]:
    """Problems with as many records as the metric needs; of a vote, where there is an answer."""
    rows, deep = [*rows], 4 if what.votes else 3
    sizes = Counter((row[:2], row[deep:]) for row in rows)
    few = {key for (key, _), size in sizes.items() if size < (what.k or 1)}
    silent = {row[0] for row in rows} - {row[0] for row in rows if row[deep - 1] is not None}
    return {key for key, _ in sizes if key not in few and key[0] not in silent}


class Parts:
    """The values of the column over which cells are averaged, as each panel holds them of a task.

    A task of a cell has no value where some problem of it is not there as often for each of them.
    """

    def __init__(self, rows: pl.DataFrame, definition: Definition) -> None:
        self._column = definition.averaged
        self._panel = [*definition.panels, "task"]
        keys = _distinct(rows, [*self._panel, self._column]) if self._column else ()
        self._sizes = Counter(key[:-1] for key in keys)

    def uneven(self, rows: pl.DataFrame) -> set[str]:
        """Tasks of a cell of which that holds."""
        if not self._column:
            return set()
        problems: defaultdict[Row, Counter[Any]] = defaultdict(Counter)
        for *problem, part in _columns(rows, [*self._panel, "sample_id", self._column]).iter_rows():
            problems[tuple(problem)][part] += 1
        return {
            problem[-2]
            for problem, parts in problems.items()
            if len(parts) < self._sizes[problem[:-1]] or len({*parts.values()}) > 1
        }


def _columns(rows: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
    """Some columns, of which one may be there twice."""
    return rows.select(pl.col(name).alias(f"{n}") for n, name in enumerate(names))


def _distinct(rows: pl.DataFrame, names: Sequence[str]) -> set[Row]:
    return {*_columns(rows, names).unique().iter_rows()}
