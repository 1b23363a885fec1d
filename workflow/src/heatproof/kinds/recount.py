"""What numbers are, and their values and counts once more, in exact fractions and plain Python.

A `Definition` says of which records a number is made and how; `trace`, `verify` and pairs of models
count from it alone, without the code of grids. Uncertainty, marks and verdicts are not recounted.
The row of the metric (`heatproof.metrics`) gives the value of a problem and of a task; a cell of
several tasks is the unweighted mean of theirs.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from itertools import chain
from math import comb, isqrt, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.charts.units import PLAIN, Unit
from heatproof.config.choice import conditions_of
from heatproof.kinds import states
from heatproof.metrics import exact_mean, exact_sum
from heatproof.pair_numbers import HAIR, exact_tally, rate_again
from heatproof.samples.counts import ANSWER
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from heatproof.kinds.columns import Samples
    from heatproof.kinds.states import GridRow
    from heatproof.metrics import Metric
    from heatproof.pair_numbers import PairNumber

    Values = Mapping[str, Any]  # column → its value
    Problems = dict[str, dict[tuple[Any, ...], "CountedProblem"]]  # task → key → problem

CLOSE = 1e-9  # two values further apart than this are not the same number rounded twice
PARTS = "#parts"
"""Column of how many values a task has of the column that cells are averaged over."""


class CountedRecord(NamedTuple):
    """A record with a number of the metric."""

    number: Fraction
    answer: str | None
    made_up: bool  # which problems were solved is not known, only how many


class CountedProblem(NamedTuple):
    """A problem with its records."""

    value: Any  # a fraction, or None where the metric needs more records, or an answer
    records: Sequence[CountedRecord]
    even: bool  # each value of the column that cells are averaged over is there, equally often


class Count(NamedTuple):
    """Value of some records, and its numbers of problems and epochs."""

    value: Fraction | None
    samples: int
    epochs: int


def same(value: float | None, counted: Fraction | None) -> bool:
    """Whether a stored value is the counted one, but for the last bits of a float."""
    if value is None or counted is None:
        return value is None and counted is None
    distance = abs(Fraction(value) - counted)
    return distance <= Fraction(CLOSE) * max(Fraction(1), abs(counted))


exact_number = lru_cache(maxsize=1 << 14)(Fraction)
"""A number as a fraction; samples have few numbers, each many times."""


def mean(tasks: Mapping[str, Count], expected: Collection[str]) -> Count:
    """The cell of several tasks: no value as soon as one that is expected has none."""
    values = [tasks[task].value if task in tasks else None for task in expected]
    values_known = [value for value in values if value is not None]
    value = None
    if values_known and len(values_known) == len(values):
        value = exact_mean(values_known)
    samples = sum(count.samples for count in tasks.values())
    return Count(value, samples, sum(count.epochs for count in tasks.values()))


@dataclass(frozen=True, kw_only=True)
class Definition:
    """What the numbers of a grid are: all that recount and trace know of a figure."""

    metric: Metric
    keys: Mapping[str, str]
    """Column of the samples → column of the grid; these tell one cell from another."""
    where: Values  # values that all samples have
    part: Values = field(default_factory=dict)
    """Column of the grid → its value in the rows that are of this metric; of one metric, none."""
    names: Mapping[str, str] = field(default_factory=dict)
    """Column of `part` → what it is called, if otherwise."""
    relative_to: Values = field(default_factory=dict)
    """Values that the baseline of a cell has instead of the cell's own."""
    pair: PairNumber | None = None  # a number of two values of a column
    against: tuple[str, str] = ("", "")
    """That column, and the name of the other value in an address, which the grid has as `x`."""
    opponent: str = ""  # of games, the column that has the other value
    problem: Sequence[str] = ("sample_id",)  # columns that tell problems of a task apart
    task: str = "task"  # the column of tasks; without one, all problems are of one task
    panels: Sequence[str] = ()  # of the keys, those whose values have panels of their own
    joins_tasks: bool = False  # a number needs all tasks of its panel
    averaged: str = ""  # a number is the mean over the values of this column, problem by problem
    deviates: str = ""  # a number is the standard deviation of values, one for each of this column
    prefix: str = ""  # what stands before the grid's `value`, `samples`, `epochs` and `gap`
    title: str = ""  # what it is called, where a cell has several numbers
    unit: Unit = PLAIN  # in which values are shown
    side_unit: Unit = PLAIN  # that of the two sides of a difference, and of the values of tasks
    sample_unit: Unit = PLAIN  # that of single samples

    def places(self) -> dict[str, str]:
        """Name in the address of a cell → the column of the grid that has it."""
        places = {self.names.get(column, column): column for column in self.part} | {**self.keys}
        if self.pair:
            places[self.against[1]] = "x"
        return places

    def sides(self, cell: Values) -> list[pl.Expr]:
        """Conditions of the samples of a cell, given by column and value, and of its baseline."""
        cell_values = {**self.where, **cell}
        if self.against[1] in cell:
            return [conditions_of({**self.where, **side}) for side in self.pair_places(cell)]
        conditions = [conditions_of(cell_values)]
        if self.relative_to:
            baseline = {**cell_values, **self.relative_to}
            conditions.append(conditions_of(baseline))
        return conditions

    def pair_places(self, cell: Values) -> list[dict[str, Any]]:
        """Columns and values of the samples of both sides of a pair."""
        column, name = self.against
        panel = {key: cell[key] for key in self.keys if key != column}
        places = []
        for value, other in ((cell[column], cell[name]), (cell[name], cell[column])):
            place = panel | {column: value}
            if self.opponent:
                place[self.opponent] = other
            places.append(place)
        return places

    def numbered(self, rows: pl.DataFrame) -> pl.DataFrame:
        return rows.filter(pl.col(self.metric.of).is_not_null())

    def problems(self, rows: pl.DataFrame) -> Problems:
        """Task → key of a problem → problem."""
        records: Any = defaultdict(lambda: defaultdict(list))
        answered = set()
        for task, *key, parts, part, number, answer, made_up in self._numbered_rows(rows):
            record = CountedRecord(exact_number(number), answer, made_up)
            records[task, (*key,), parts][part].append(record)
            if answer is not None:
                answered.add((task, part))
        problems: Problems = {}
        for (task, key, count), by_part in records.items():
            sizes = set(map(len, by_part.values()))
            value = None
            voted = not self.metric.votes or all((task, part) in answered for part in by_part)
            if voted and min(sizes) >= (self.metric.k or 1):
                value = exact_mean(
                    [_problem_value(listed, self.metric) for listed in by_part.values()]
                )
            even = not self.averaged or (len(by_part) == count and len(sizes) == 1)
            listed = list(chain.from_iterable(by_part.values()))
            problems.setdefault(task, {})[key] = CountedProblem(value, listed, even)
        return problems

    def _numbered_rows(self, rows: pl.DataFrame) -> Iterator[tuple[Any, ...]]:
        """Task, key, parts and part, number, answer and `made_up` of each record."""
        none = pl.lit(None)
        columns = [pl.col(self.task) if self.task else pl.lit("")]
        columns += [pl.col(name) for name in self.problem]
        if self.averaged:
            columns += [pl.col(PARTS), pl.col(self.averaged)]
        else:
            columns += [none, none]
        columns.append(pl.col(self.metric.of))
        columns.append(pl.col(ANSWER) if self.metric.votes else none)
        columns.append(pl.col("reconstructed"))
        aliases = [column.alias(f"{number}") for number, column in enumerate(columns)]
        return self.numbered(rows).sort("task").select(aliases).iter_rows()

    def counts(self, *sides: Problems) -> list[dict[str, Count]]:
        """Task → value and counts, for each side of a comparison."""
        made_up = False
        for side in sides:
            made_up = made_up or any(map(_is_made_up, side.values()))
        pooled = made_up and not self.metric.votes  # each record is a trial of its own
        counts = []
        for side in sides:
            tasks = {task: self._count(side[task].values(), pooled) for task in side}
            counts.append(tasks)
        return counts

    def _count(self, problems: Collection[CountedProblem], pooled: bool) -> Count:
        used = [problem for problem in problems if problem.value is not None]
        numbers = [record.number for record in _records_of(used)]
        values = [[problem.value] for problem in used]
        count = Count(*self.metric.by_problem().exact(values), len(numbers))
        if pooled and used:
            pooled_mean = exact_mean(numbers)
            count = count._replace(value=pooled_mean)
        even = all(problem.even for problem in problems)
        if even:
            return count
        return count._replace(value=None)


def _same_bins(
    instances: Sequence[ComparedInstance], counts: Sequence[int], leads: Sequence[float | None]
) -> bool:
    """Whether the instances lie in the bins of the unit square as the grid has it."""
    size = isqrt(len(counts))
    inside: list[list[Fraction]] = [[] for _ in counts]
    for instance in instances:
        column, row = (
            min(int(side.value * size + HAIR), size - 1) for side in (instance.x, instance.y)
        )
        inside[row * size + column].append(instance.x.value - instance.y.value)
    if list(map(len, inside)) != list(counts):
        return False
    means = [exact_mean(bin_leads) if bin_leads else None for bin_leads in inside]
    return all(same(lead, mean) for lead, mean in zip(leads, means, strict=True))


def _records_of(problems: Iterable[CountedProblem]) -> list[CountedRecord]:
    records: list[CountedRecord] = []
    for problem in problems:
        records += problem.records
    return records


def _is_made_up(problems: Mapping[Any, CountedProblem]) -> bool:
    return any(record.made_up for record in _records_of(problems.values()))


def on_common(*sides: Problems) -> list[Problems]:
    """The problems with a value on both sides, of tasks that are even on both."""
    common: list[Problems] = [{}, {}]
    for task in sides[0].keys() & sides[1].keys():
        task_sides = [side[task] for side in sides]
        valued, even = [], True
        for problems in task_sides:
            valued.append({key for key, problem in problems.items() if problem.value is not None})
            even = even and all(problem.even for problem in problems.values())
        keys = set.intersection(*valued)
        if keys and even:
            for side, problems in zip(common, task_sides, strict=True):
                side[task] = {key: problems[key] for key in keys}
    return common


def _problem_value(records: Sequence[CountedRecord], metric: Metric) -> Fraction:
    if not metric.votes:
        return metric.problem.exact([record.number for record in records], metric.number)
    by_answer = defaultdict(list)
    for record in records:
        by_answer[record.answer or ""].append(record.number)
    blank = by_answer.pop("", [])
    ballots = sorted((len(numbers), exact_mean(numbers)) for numbers in by_answer.values())
    worth = exact_mean(blank or [Fraction(0)])
    return _vote_share(tuple(ballots), len(blank), worth, metric.number)


@lru_cache(maxsize=1 << 14)
def _vote_share(
    ballots: tuple[tuple[int, Fraction], ...], blanks: int, worth: Fraction, k: int
) -> Fraction:
    """The mean, over all choices of k samples, of the score of the answer that most of them give.

    A ballot is how many samples gave an answer, and their mean score. Answers that equally many
    give have the mean of their scores; samples without an answer, `blanks` with the mean score
    `worth`, count only in choices without any answer.

    Why not simpler: to list all choices is plain, but of 32 of 64 samples there are 10¹⁸. Here
    answers are added one by one, and of choices so far only how large they are, how often their
    most frequent answer occurs, and how many answers occur as often: a few thousand states. It is
    checked against the plain listing for small numbers.
    """
    size = blanks + sum(n for n, _ in ballots)
    if ballots and size == k:  # one choice: all of them
        most_votes = ballots[-1][0]
        return exact_mean([score for votes, score in ballots if votes == most_votes])
    # Samples chosen, the most of one answer, answers that as many give → choices, and the sum over
    # them of the scores of these answers.
    ways: dict[tuple[int, int, int], tuple[int, Any]]
    ways = {(chosen, 0, 0): (comb(blanks, chosen), 0) for chosen in range(min(blanks, k) + 1)}
    for n, score in ballots:
        points: Fraction | int = score
        if score.denominator == 1:
            points = int(score)  # whole numbers add up faster
        after: Any = defaultdict(lambda: (0, 0))
        for (chosen, top_count, tied), (choices, scores) in ways.items():
            for picked in range(min(n, k - chosen) + 1):
                state = (chosen + picked, top_count, tied)
                total = scores
                if picked > top_count:
                    state = (chosen + picked, picked, 1)
                    total = choices * points
                elif picked and picked == top_count:
                    state = (chosen + picked, top_count, tied + 1)
                    total = scores + choices * points
                picks = comb(n, picked)
                choices_before, total_before = after[state]
                after[state] = choices_before + picks * choices, total_before + picks * total
        ways = after
    means = [
        scores / Fraction(tied) for (n, _, tied), (_, scores) in ways.items() if n == k and tied
    ]
    total = comb(blanks, k) * worth + exact_sum(means)
    return total / comb(size, k)


STORED = ("value", "samples", "epochs", "gap")


class Side(NamedTuple):
    """A cell, or its baseline."""

    rows: pl.DataFrame
    tasks: Mapping[str, Count]


class ComparedInstance(NamedTuple):
    """What two values are compared on."""

    key: tuple[Any, ...]
    x: CountedProblem
    y: CountedProblem


class PairSide(NamedTuple):
    """One side of a pair: its instances, and the number of the value of each."""

    problems: Mapping[tuple[Any, ...], CountedProblem]
    numbers: Mapping[tuple[Any, ...], int]


class CountedCell(NamedTuple):
    """A cell counted anew."""

    value: Fraction | None  # the mean over tasks, less that of the baseline
    agrees: bool  # with the grid, of value, problems and epochs
    sides: Sequence[Side]  # the cell, and its baseline where it has one
    on_common: Sequence[Fraction | None] = ()  # values of both on their common problems
    common: int = 0  # number of these
    instances: Sequence[ComparedInstance] = ()  # of a pair


class Recount:
    """The records of a figure, cell by cell."""

    def __init__(
        self, samples: Samples, definition: Definition, panel: Mapping[str, Any] = {}
    ) -> None:
        """`panel`: column → value, to count one panel alone."""
        panel_columns = [*definition.panels, *filter(None, [definition.deviates])]
        self._definition = definition
        panels = list(dict.fromkeys(panel_columns + ["task"]))
        shared = [name for name in definition.keys if name not in definition.relative_to]
        own_keys = [*definition.keys, *filter(None, [definition.opponent])]
        self._sides: list[Any] = []
        for keys, test in zip([own_keys, shared], definition.sides(panel), strict=False):
            rows = samples.filter(test).collect()
            if column := definition.averaged:
                has_number = pl.col(definition.metric.of).is_not_null()
                values = pl.col(column)
                part_values = values.filter(has_number)
                rows = rows.with_columns(part_values.n_unique().over(panels).alias(PARTS))
            if definition.joins_tasks and not self._sides:
                tasks = rows.select(*map(pl.col, panel_columns), pl.col("task").alias("#task"))
                self._tasks = tasks.unique().rows()
            cells = {(): rows}
            if keys:
                cells = rows.partition_by(keys, as_dict=True)
            self._sides.append((keys, cells, rows.clear()))
        self._pair_sides: dict[tuple[Any, ...], PairSide] = {}
        self._numbers: dict[
            Fraction, int
        ] = {}  # value of an instance → its number, faster to count
        self._ratings: dict[tuple[Any, ...], dict[Any, float] | None] = {}

    def rows(self, at: Values) -> list[pl.DataFrame]:
        """The records of a cell, given by column and value, and those of its baseline."""
        rows = []
        for keys, cells, none in self._sides:
            place = tuple(at[key] for key in keys)
            rows.append(cells.get(place, none))
        return rows

    def cell(self, place: Values, row: GridRow) -> CountedCell:
        """A cell, given by column and value, beside its row of the grid."""
        definition = self._definition
        if definition.pair:
            return self._pair(place, row, definition.pair)
        rows = self.rows(place)
        if definition.deviates:
            return self._deviation(rows[0], place, row)
        value, *size, gap = (row[f"{definition.prefix}{name}"] for name in STORED)
        problems = list(map(definition.problems, rows))
        sides = [
            Side(side_rows, *definition.counts(p))
            for side_rows, p in zip(rows, problems, strict=True)
        ]
        panel = [place[name] for name in definition.panels]
        expected = self._expected(rows[0], panel)
        total = mean(sides[0].tasks, expected)
        if definition.metric.of_row:
            share = self._share(place)
            total = total._replace(value=share)
        agrees = size == list(total[1:])
        if not definition.relative_to:
            agrees &= same(value, total.value)
            agrees &= value is not None or states.is_empty(gap) == (not len(rows[0]))
            return CountedCell(total.value, agrees, sides)
        common = on_common(*problems)
        cell_counts, base_counts = definition.counts(*common)
        cell_value = mean(cell_counts, expected).value
        base = mean(base_counts, expected).value
        if cell_value is None or base is None:
            cell_value = base = None
        counted = None
        if cell_value is not None and base is not None:
            counted = cell_value - base
        number = sum(map(len, common[0].values()))
        agrees &= row["paired_problems"] == number
        agrees &= (value is None) == bool(gap)
        agrees &= same(value, counted)
        agrees &= same(row["own_value"], cell_value)
        agrees &= same(row["baseline_value"], base)
        return CountedCell(counted, agrees, sides, (cell_value, base), number)

    def _pair(self, place: Values, row: GridRow, number: PairNumber) -> CountedCell:
        """A number of two values, on the instances that both have."""
        definition = self._definition
        value, samples, epochs, gap = (row[name] for name in STORED)
        if gap == states.ITSELF:
            column, name = definition.against
            return CountedCell(None, place[column] == place[name] and value is None, [])
        rows = [self._pair_rows(side) for side in definition.pair_places(place)]
        instances = self._instances(place)
        pairs = self._value_pairs(place)
        counted = None
        if number.of_all:
            counted = self._margin(place)
        elif instances:
            counted = number.exact(pairs)
        records = [len(instance.x.records) + len(instance.y.records) for instance in instances]
        agrees = [samples, epochs] == [len(instances), sum(records)]
        agrees &= same(value, counted) and (value is None) == bool(gap)
        if instances:
            tally = [row[name] for name in ("wins", "ties", "losses")]
            agrees &= exact_tally(pairs) == tally
        if row.get("bin_samples"):
            agrees &= _same_bins(instances, row["bin_samples"], row["bin_leads"])
        sides = [Side(side_rows, {}) for side_rows in rows]
        return CountedCell(counted, agrees, sides, instances=instances, common=len(instances))

    def _pair_rows(self, side: Values) -> pl.DataFrame:
        """The records of one side of a pair."""
        keys, cells, none = self._sides[0]
        rows: pl.DataFrame = cells.get(tuple(side[key] for key in keys), none)
        return rows

    def _sides_of(self, place: Values) -> list[PairSide]:
        """What both sides of a pair hold."""
        sides = []
        for side in self._definition.pair_places(place):
            key = tuple(side.values())
            if key not in self._pair_sides:
                counted = self._definition.problems(self._pair_rows(side))
                problems = counted.get("", {})
                numbers = {}
                for problem_key, problem in problems.items():
                    number = self._numbers.setdefault(problem.value, len(self._numbers))
                    numbers[problem_key] = number
                self._pair_sides[key] = PairSide(problems, numbers)
            sides.append(self._pair_sides[key])
        return sides

    def _value_pairs(self, place: Values) -> dict[tuple[Fraction, Fraction], int]:
        """Values of both sides of a pair → how many instances have these."""
        first, second = (side.numbers for side in self._sides_of(place))
        counts = Counter((first[key], second[key]) for key in first if key in second)
        values = list(self._numbers)
        return {(values[x], values[y]): count for (x, y), count in counts.items()}

    def _instances(self, place: Values) -> list[ComparedInstance]:
        """The instances that both sides of a pair have."""
        first, second = (side.problems for side in self._sides_of(place))
        return [ComparedInstance(key, first[key], second[key]) for key in first if key in second]

    def _margin(self, place: Values) -> Fraction | None:
        """By how much a value is rated above another, from the games of all in the panel."""
        column, name = self._definition.against
        panel = {key: place[key] for key in self._definition.keys if key != column}
        panel_key = tuple(panel.values())
        if panel_key not in self._ratings:
            self._ratings[panel_key] = self._rate(panel)
        ratings = self._ratings[panel_key]
        if ratings is None:
            return None
        return Fraction(ratings[place[column]] - ratings[place[name]])

    def _rate(self, panel: Values) -> dict[Any, float] | None:
        """Value → its rating; None where ratings are not finite."""
        column, name = self._definition.against
        keys, cells, _ = self._sides[0]
        places = [dict(zip(keys, key, strict=True)) for key in cells]
        inside = [place for place in places if panel.items() <= place.items()]
        values = list(dict.fromkeys(place[column] for place in inside))
        size = range(len(values))
        wins = [[Fraction(0) for _ in size] for _ in size]
        for number, value in enumerate(values):
            for other_number, other in enumerate(values):
                if number == other_number:
                    continue
                pair = {**panel, column: value, name: other}
                won, ties, _ = exact_tally(self._value_pairs(pair))
                wins[number][other_number] = Fraction(2 * won + ties, 2)
        ratings = rate_again(wins)
        if ratings is None:
            return None
        return dict(zip(values, ratings, strict=True))

    def _share(self, place: Values) -> Fraction | None:
        """The graded samples of a cell as a part of those of its row."""
        keys, cells, _ = self._sides[0]
        column = next(name for name, axis in self._definition.keys.items() if axis == "x")
        number = keys.index(column)
        counted, total = 0, 0
        for cell_place, rows in cells.items():
            values = list(cell_place)
            values[number] = place[column]
            if values == [place[key] for key in keys]:
                size = len(self._definition.numbered(rows))
                total += size
                if cell_place[number] == place[column]:
                    counted += size
        if total:
            return Fraction(counted, total)
        return None

    def _expected(self, rows: pl.DataFrame, panel: list[Any]) -> set[str]:
        """The tasks that a value needs: those of its panel, or of its records."""
        if not self._definition.joins_tasks:
            return set(rows["task"])
        return {task for *values, task in self._tasks if values == panel}

    def _deviation(self, rows: pl.DataFrame, place: Values, row: GridRow) -> CountedCell:
        """The sample standard deviation of what each value of a column gives."""
        definition = self._definition
        totals = []
        for (varied_value,), varied_rows in rows.partition_by(
            [definition.deviates], as_dict=True
        ).items():
            expected = self._expected(
                varied_rows, [*(place[name] for name in definition.panels), varied_value]
            )
            tasks = definition.counts(definition.problems(varied_rows))[0]
            totals.append(mean(tasks, expected))
        values = [total.value for total in totals if total.value is not None]
        counted = None
        if len(values) == len(totals) > 1:
            squares = sum((value - exact_mean(values)) ** 2 for value in values)
            counted = Fraction(sqrt(squares / (len(values) - 1)))
        value, *size, _ = (row[f"{definition.prefix}{name}"] for name in STORED)
        counted_size = [
            len(totals) or None,
            sum(total.epochs for total in totals) if totals else None,
        ]
        agrees = size == counted_size and same(value, counted)
        sides = [Side(rows, {})]
        return CountedCell(counted, agrees, sides)
