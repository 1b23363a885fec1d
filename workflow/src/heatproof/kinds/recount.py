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
from math import comb
from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.charts.units import PLAIN, Unit
from heatproof.samples.counts import ANSWER
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from heatproof.config.entries import Word
    from heatproof.metrics import Metric

    Record = tuple[str, str, float, str | None, Any]
    """Task, sample, what was measured, the answer (where answers count), and the value of the
    column that a cell is averaged over."""

CLOSE = 1e-9  # two values further apart than this are not the same number rounded twice


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


def average(values: Sequence[Fraction]) -> Fraction:
    """The mean of some numbers."""
    return sum(values, Fraction(0)) / len(values)


def mean(tasks: Mapping[str, Count]) -> Count:
    """The cell of several tasks: no value as soon as one of them has none."""
    values = [count.value for count in tasks.values() if count.value is not None]
    value = average(values) if values and len(values) == len(tasks) else None
    samples = sum(count.samples for count in tasks.values())
    return Count(value, samples, sum(count.epochs for count in tasks.values()))


# ------------------------------------------------------------------------------ records → a number


def count(
    records: Iterable[Record], metric: Metric, pooled: bool = False, answered: Collection[str] = ()
) -> dict[str, Count]:
    """Task → what its records give.

    Args:
        records: of any tasks.
        metric: what is counted; a vote has no value where a task has no answer.
        pooled: each record is a trial of its own, as where only counts are known.
        answered: tasks of which other records have answers.
    """
    problems: Any = defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
    answers_in = set()
    for task, sample, measured, answer, part in records:
        problems[task][sample][part].append((Fraction(measured), answer))
        if answer is not None:
            answers_in.add((task, part))
    counts = {}
    for task in sorted(problems):
        used = [
            parts
            for parts in problems[task].values()
            if min(map(len, parts.values())) >= (metric.k or 1)
            and (
                not metric.votes
                or task in answered
                or all((task, part) in answers_in for part in parts)
            )
        ]
        epochs = sum(len(samples) for parts in used for samples in parts.values())
        if pooled and used:
            scores = [score for parts in used for part in parts.values() for score, _ in part]
            counts[task] = Count(average(scores), len(used), epochs)
        else:
            values = [[average([_value(p, metric) for p in parts.values()])] for parts in used]
            counts[task] = Count(*metric.by_problem().exact(values), epochs)
    return counts


def _value(samples: Sequence[tuple[Fraction, str | None]], metric: Metric) -> Fraction:
    """The value of a problem."""
    if not metric.votes:
        return metric.problem.exact([score for score, _ in samples], metric.number)
    by_answer = defaultdict(list)
    for score, answer in samples:
        by_answer[answer or ""].append(score)
    blank = by_answer.pop("", [])
    ballots = sorted((len(scores), average(scores)) for scores in by_answer.values())
    return _vote(tuple(ballots), len(blank), average(blank or [Fraction(0)]), metric.number)


@lru_cache(maxsize=1 << 14)
def _vote(
    ballots: tuple[tuple[int, Fraction], ...], blanks: int, worth: Fraction, k: int
) -> Fraction:
    """The mean, over all choices of k samples, of the score of the answer most of them give.

    Of answers that as many give it is the mean of theirs; samples without an answer, `blanks` with
    the mean score `worth`, count where no other is chosen. A ballot is how many samples gave an
    answer, and their mean score.
    """
    size = blanks + sum(n for n, _ in ballots)
    if ballots and size == k:  # one choice: all of them
        return average([score for n, score in ballots if n == ballots[-1][0]])
    highest = max((n for n, score in ballots if score), default=0)  # above it the sum is 0
    heights = range(1, min(k, highest) + 1)
    total = sum((_at_height(ballots, blanks, height, k) for height in heights), Fraction(0))
    return (comb(blanks, k) * worth + total) / comb(size, k)


def _at_height(
    ballots: Sequence[tuple[int, Fraction]], blanks: int, height: int, k: int
) -> Fraction:
    """Sum over the choices of k samples whose highest count of an answer is `height`."""
    low = blanks + sum(n for n, _ in ballots if n < height)
    # Samples chosen, answers at the height → choices, and the sum over them of these scores.
    ways: dict[tuple[int, int], tuple[int, Any]]
    ways = {(chosen, 0): (comb(low, chosen), 0) for chosen in range(min(low, k) + 1)}
    for n, score in ballots:
        if n < height:
            continue
        own = int(score) if score.denominator == 1 else score
        after: Any = defaultdict(lambda: (0, 0))
        for (chosen, tied), (choices, scores) in ways.items():
            for more in range(min(height, k - chosen) + 1):
                top = more == height
                key, picks = (chosen + more, tied + top), comb(n, more)
                gain = scores + (choices * own if top else 0)
                after[key] = after[key][0] + picks * choices, after[key][1] + picks * gain
        ways = after
    sums = (scores / Fraction(tied) for (n, tied), (_, scores) in ways.items() if n == k and tied)
    return sum(sums, Fraction(0))


# ------------------------------------------------------------------------ a grid and its definition


def where(values: Mapping[str, Word | list[Word]]) -> pl.Expr:
    """The condition under which a sample belongs to a figure."""
    tests = [
        pl.col(column).is_in(value if isinstance(value, list) else [value])
        for column, value in values.items()
    ]
    return pl.all_horizontal(tests) if tests else pl.lit(value=True)


@dataclass(frozen=True, kw_only=True)
class Definition:
    """What the numbers of a grid are: all that a recount and a trace know of a figure."""

    metric: Metric
    keys: Mapping[str, str]
    """Column of the samples → column of the grid; these tell one cell from another."""
    where: Mapping[str, Any]  # values that all samples have
    relative_to: Mapping[str, Any] = field(default_factory=dict)
    """Values that the baseline of a cell has instead of the cell's own."""
    panels: Sequence[str] = ()  # of the keys, those whose values have panels of their own
    joins_tasks: bool = False
    """A number is made of all tasks of its panel, and there is none where one is lacking."""
    averaged: str = ""  # a number is the mean over the values of this column, problem by problem
    empty: Sequence[str] = ()  # words of `gap` that say that there is no record
    prefix: str = ""  # what stands before the grid's `value`, `samples`, `epochs` and `gap`
    title: str = ""  # what it is called, where a cell has several numbers
    unit: Unit = PLAIN  # in which values are shown
    side_unit: Unit = PLAIN  # that of the two sides of a difference, and of the values of tasks
    sample_unit: Unit = PLAIN  # that of single samples

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

    def numbered(self, rows: pl.DataFrame) -> pl.DataFrame:
        """The records with a number of the metric."""
        return rows.filter(pl.col(self.metric.of).is_not_null())

    def records(self, rows: pl.DataFrame) -> list[Any]:
        """Rows of the samples as a `Record` each."""
        answer = pl.col(ANSWER) if self.metric.votes else pl.lit(None)
        part = pl.col(self.averaged) if self.averaged else pl.lit(None)
        columns = pl.col(self.metric.of).alias("number"), answer.alias("answer"), part.alias("part")
        return rows.select("task", "sample_id", *columns).rows()

    def count(self, *sides: pl.DataFrame, answered: Collection[str] = ()) -> list[dict[str, Count]]:
        """Task → what its records give, of one table or of several that are compared."""
        made_up = any(bool(rows["reconstructed"].any()) for rows in sides)
        pooled = made_up and not self.metric.votes
        return [count(self.records(rows), self.metric, pooled, answered) for rows in sides]


class Cell(NamedTuple):
    """A cell counted anew."""

    records: pl.DataFrame
    tasks: Mapping[str, Count]
    value: Fraction | None
    """What the grid should have: the mean over tasks, less that of the baseline."""
    agrees: bool  # whether the grid has the same value, problems and epochs
    base: pl.DataFrame | None = None  # the records of its baseline
    sides: Sequence[Fraction | None] = ()
    """Both values on the problems that both hold; None where it is not known."""
    common: int = 0  # how many these are


class Recount:
    """The records of a figure, cell by cell."""

    def __init__(
        self, samples: pl.LazyFrame, definition: Definition, panel: Mapping[str, Any]
    ) -> None:
        """`panel`: column → value, where one panel alone is counted."""
        self._definition = definition
        rows = samples.filter(where(definition.where), **panel).collect()
        self._none = rows.clear()
        self._cells = rows.partition_by([*definition.keys], as_dict=True)
        self._panel_task = [*dict.fromkeys([*definition.panels, "task"])]
        self._tasks = {*rows.select(self._panel_task).unique().iter_rows()}
        self._parts = self._count_parts(definition.numbered(rows))
        self._shared = [name for name in definition.keys if name not in definition.relative_to]
        if definition.relative_to:
            base = definition.numbered(samples.filter(definition.lies_in_baseline({})).collect())
            self._base_parts = self._count_parts(base)
            self._bases = (
                base.partition_by(self._shared, as_dict=True) if self._shared else {(): base}
            )

    def cell(self, at: Mapping[str, Any], row: Mapping[str, Any]) -> Cell:
        """A cell, given by column and value, beside its row of the grid."""
        definition, prefix = self._definition, self._definition.prefix
        records = self._cells.get(tuple(at[name] for name in definition.keys), self._none)
        numbered = definition.numbered(records)
        even, uneven = self._even_tasks(numbered, self._parts)
        (counts,) = definition.count(numbered)
        tasks = {t: c._replace(value=None) if t in uneven else c for t, c in counts.items()}
        expected = self._expected_tasks(at, records)
        total = mean(tasks)
        if any(task not in tasks or tasks[task].value is None for task in expected):
            total = total._replace(value=None)
        agrees = (row[f"{prefix}samples"], row[f"{prefix}epochs"]) == total[1:]
        if definition.relative_to:
            base, (own, other), common = self._compare(at, even, expected)
            value = None if own is None or other is None else own - other
            sides = {"value": value, "own_value": own, "baseline_value": other}
            agrees &= row["paired_problems"] == common
            agrees &= (row["value"] is None) == bool(row["gap"])
            agrees &= all(same(row[name], side) for name, side in sides.items())
            return Cell(records, tasks, value, agrees, base, (own, other), common)
        agrees &= same(row[f"{prefix}value"], total.value)
        if row[f"{prefix}value"] is None:
            agrees &= (row[f"{prefix}gap"] in definition.empty) == (not len(records))
        return Cell(records, tasks, total.value, agrees)

    def _expected_tasks(self, at: Mapping[str, Any], records: pl.DataFrame) -> set[str]:
        if "task" in at:
            return {at["task"]}
        if self._definition.joins_tasks:
            panel = tuple(at[name] for name in self._definition.panels)
            return {task for *values, task in self._tasks if tuple(values) == panel}
        return {*records["task"]}

    def _compare(self, at: Mapping[str, Any], own: pl.DataFrame, tasks: set[str]) -> Any:
        """The baseline of a cell, and both on the problems that both hold: values, and how many.

        `own`: records of the cell with a number; `tasks`: those of which it is the mean.
        """
        records = self._bases.get(tuple(at[name] for name in self._shared), self._none)
        base, _ = self._even_tasks(records, self._base_parts)
        common = self._tried(own) & self._tried(base)
        keys = pl.DataFrame([*common], {"task": pl.String, "sample_id": pl.String}, orient="row")
        both = [side.join(keys, on=keys.columns, how="semi") for side in (own, base)]
        counts = self._definition.count(*both, answered=tasks)
        values = [mean(side).value if side.keys() == tasks else None for side in counts]
        return base, ([None, None] if None in values else values), len(common)

    def _tried(self, rows: pl.DataFrame) -> set[tuple[str, str]]:
        """Problems with as many records as the metric needs, and of a vote with an answer."""
        metric, records = self._definition.metric, self._definition.records(rows)
        sizes = Counter((task, sample, part) for task, sample, _, _, part in records)
        few = {(task, sample) for (task, sample, _), n in sizes.items() if n < (metric.k or 1)}
        silent: set[str] = set()
        if metric.votes:
            silent = {r[0] for r in records} - {r[0] for r in records if r[3] is not None}
        return {(t, s) for t, s, _ in sizes if (t, s) not in few and t not in silent}

    def _count_parts(self, rows: pl.DataFrame) -> Counter[Any]:
        """Panel and task → how many values of the column over which cells are averaged."""
        column = self._definition.averaged
        if not column:
            return Counter()
        keys = rows.select(*self._panel_task, column).unique().iter_rows()
        return Counter(key[:-1] for key in keys)

    def _even_tasks(self, rows: pl.DataFrame, sizes: Counter[Any]) -> tuple[pl.DataFrame, set[str]]:
        """The rows of a cell that are of tasks with a value, and the other tasks.

        Of a task that is averaged over a column, each problem is there as often for each of the
        values that its panel holds (`sizes`), or there is no value.
        """
        column, problems = self._definition.averaged, defaultdict[Any, Counter[Any]](Counter)
        if not column:
            return rows, set()
        for *key, sample, part in rows.select(*self._panel_task, "sample_id", column).iter_rows():
            problems[tuple(key), sample][part] += 1
        uneven = {
            key[self._panel_task.index("task")]
            for (key, _), parts in problems.items()
            if len(parts) < sizes[key] or len({*parts.values()}) > 1
        }
        return rows.filter(~pl.col("task").is_in([*uneven])), uneven
