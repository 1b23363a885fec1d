"""Cells of a heatmap counted once more, in plain Python and exact fractions, from their records.

It shares no code with that of grids. Values and counts are recounted; what follows from them
(uncertainty, marks, verdicts) is not.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.charts import units
from heatproof.kinds import recount
from heatproof.kinds.cell_records import where
from heatproof.kinds.heatmap.reasons import EMPTY, UNEVEN_PARTS
from heatproof.metrics import metric
from heatproof.samples import answers
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from fractions import Fraction

    from heatproof.kinds.heatmap.entry import Entry
    from heatproof.metrics import Metric

    Values = tuple[Any, ...]
    """The values of some columns."""


@dataclass(frozen=True)
class Cell:
    """A cell counted anew."""

    records: pl.DataFrame
    """All of it."""
    numbered: pl.DataFrame
    """Those with a number of the metric."""
    tasks: Mapping[str, recount.Count]
    total: recount.Count
    """The mean over tasks; no value where a task lacks one."""
    gap: str
    """Why there is no value; empty where there is one."""
    sides: Sides | None
    """The cell and its baseline, where it is relative to one."""
    agrees: bool
    """Whether the grid has the same value, problems and epochs."""

    @property
    def value(self) -> float | None:
        """The value that the grid should have."""
        value = self.sides.difference if self.sides else self.total.value
        return None if value is None else float(value)


class Figure:
    """The records of a figure, cell by cell."""

    def __init__(self, samples: pl.LazyFrame, entry: Entry, panel: Mapping[str, Any]) -> None:
        """`panel`: column → value, where one panel alone is counted."""
        self.entry, self.metric = entry, metric(entry.encoding.color)
        here = [pl.col(name) == value for name, value in panel.items()]
        rows = samples.filter(where(entry.where), *here).collect()
        self._none, self._cells = rows.clear(), rows.partition_by(entry.along, as_dict=True)
        self._tasks: defaultdict[Values, set[str]] = defaultdict(set)
        for *values, task in _keys(rows, [*entry.panels, "task"]):
            self._tasks[tuple(values)].add(task)
        self._parts = Parts(rows.filter(pl.col(self.metric.of).is_not_null()), entry)
        self._baselines = Baselines(samples, entry) if entry.relative_to else None

    def cell(self, at: Mapping[str, Any], row: Mapping[str, Any]) -> Cell:
        """A cell, given by column and value, beside its row of the grid."""
        records = self._cells.get(tuple(at[name] for name in self.entry.along), self._none)
        numbered = records.filter(pl.col(self.metric.of).is_not_null())
        uneven = self._parts.uneven(numbered)
        tasks = {
            task: count._replace(value=None) if task in uneven else count
            for task, count in count_tasks(numbered, self.entry).items()
        }
        expected = self._tasks_of(at, records)
        lacking = sorted(t for t in expected if t not in tasks or tasks[t].value is None)
        total = recount.mean(tasks)
        total = total._replace(value=None) if lacking else total
        sides, counts = None, (row["samples"], row["epochs"])
        if self._baselines:
            even = numbered.filter(~pl.col("task").is_in([*uneven]))
            sides = self._baselines.compare(at, even, expected)
            agrees = sides.agree(row) and counts == total[1:]
        else:
            agrees = recount.same(row["value"], total.value) and counts == total[1:]
            if row["value"] is None and (row["gap"] in EMPTY) == bool(len(records)):
                agrees = False
        gap = self._gap(tasks, lacking, uneven, len(records))
        return Cell(records, numbered, tasks, total, gap, sides, agrees)

    def _tasks_of(self, at: Mapping[str, Any], records: pl.DataFrame) -> set[str]:
        """The tasks that a cell should tell of: of a mean over tasks, all of its panel."""
        if "task" in at:
            return {at["task"]}
        if "task" in (self.entry.mean_over, *self.entry.pool):
            return self._tasks[tuple(at[name] for name in self.entry.panels)]
        return {*records["task"]}

    def _gap(
        self,
        tasks: Mapping[str, recount.Count],
        lacking: Iterable[str],
        uneven: set[str],
        records: int,
    ) -> str:
        if not records:
            return "no record"
        if not (lacking := [*lacking]):
            return ""
        averaged, what = self.entry.averaged, self.metric
        parts = [task for task in lacking if task in uneven]
        few = [task for task in lacking if task in tasks and task not in uneven]
        none = [task for task in lacking if task not in tasks]
        of_tasks = ", ".join(filter(None, none))
        whose = f" for each {averaged}" if averaged and what.k else ""
        reasons = {
            f"no {what.of}" + f" of {of_tasks}" * bool(of_tasks): none,
            f"{UNEVEN_PARTS} {averaged} of {', '.join(parts)}": parts,
            f"{what.lacks}{whose} of {', '.join(few)}": few,
        }
        why = "; ".join(reason for reason, names in reasons.items() if names)
        return f"no value: {why} in {records:,} records"


def _keys(rows: pl.DataFrame, names: list[str]) -> set[Values]:
    """The values of some columns, of which one may be there twice."""
    columns = [pl.col(name).alias(f"{n}") for n, name in enumerate(names)]
    return {*rows.select(columns).unique().iter_rows()}


def count_tasks(rows: pl.DataFrame, entry: Entry) -> dict[str, recount.Count]:
    """Task → what its records give."""
    what, columns = metric(entry.encoding.color), recount_columns(rows, entry).iter_rows()
    if what.votes:
        return recount.votes(columns, what)
    return recount.cell(columns, what, pooled=bool(rows["reconstructed"].any()))


def recount_columns(rows: pl.DataFrame, entry: Entry) -> pl.DataFrame:
    """What `recount` asks of records: task, sample, number, answer of a vote, and its part."""
    what = metric(entry.encoding.color)
    part = [pl.col(name).alias("part") for name in part_columns(entry)]
    answer = [answers.COLUMN] if what.votes else []
    return rows.select("task", "sample_id", pl.col(what.of).alias("number"), *answer, *part)


# ----------------------------------------------------------- means over another column than task


def part_columns(entry: Entry) -> list[str]:
    """The column over which cells are the mean, unless it is task or the mean is of aggregates."""
    over = entry.averaged
    return [over] if over and not metric(entry.encoding.color).printed else []


class Parts:
    """The values of the column over which cells are the mean, that each panel holds of a task."""

    def __init__(self, rows: pl.DataFrame, entry: Entry) -> None:
        self._columns = part_columns(entry)
        self._panel, self._deep = [*entry.panels, "task"], len(entry.panels) + 1
        keys = _keys(rows, [*self._panel, *self._columns]) if self._columns else ()
        self._sizes = Counter(key[: self._deep] for key in keys)

    def uneven(self, rows: pl.DataFrame) -> set[str]:
        """Tasks of a cell of which some problem is not there as often for each of these values."""
        if not self._columns:
            return set()
        names = [*self._panel, "sample_id", *self._columns]
        problems: defaultdict[Values, Counter[Any]] = defaultdict(Counter)
        columns = [pl.col(name).alias(f"{n}") for n, name in enumerate(names)]
        for row in rows.select(columns).iter_rows():
            problems[row[: self._deep + 1]][row[self._deep + 1 :]] += 1
        return {
            key[self._deep - 1]
            for key, parts in problems.items()
            if len(parts) < self._sizes[key[: self._deep]] or len({*parts.values()}) > 1
        }


# ------------------------------------------------------------------------ a cell and its baseline


class Sides(NamedTuple):
    """A cell beside its baseline, on the problems that both hold; None where it is not known."""

    own: Fraction | None
    base: Fraction | None
    problems: int
    records: pl.DataFrame
    """Of the baseline."""

    @property
    def difference(self) -> Fraction | None:
        """What the grid has as its value."""
        return None if self.own is None or self.base is None else self.own - self.base

    def agree(self, row: Mapping[str, Any]) -> bool:
        """Whether the grid has the same."""
        if (row["value"] is None) != bool(row["gap"]) or row["paired_problems"] != self.problems:
            return False
        values = {"value": self.difference, "own_value": self.own, "baseline_value": self.base}
        return all(recount.same(row[name], value) for name, value in values.items())

    def words(self, entry: Entry) -> str:
        """`0.59 − 0.55 of the baseline (ratio=1.0), on 40 problems that both hold`."""
        where = ", ".join(f"{n}={'none' if v is None else v}" for n, v in entry.relative_to.items())
        if self.own is None or self.base is None:
            return f"baseline ({where}): {self.problems:,} problems that both hold"
        unit = entry.own_unit or units.PLAIN
        own, base = (unit.value(float(side)) for side in (self.own, self.base))
        words = f"{own:.10g} − {base:.10g} of the baseline ({where})"
        if metric(entry.encoding.color).printed:
            return words
        return f"{words}, on {self.problems:,} problems that both hold"


def of_baseline(entry: Entry, cell: Mapping[str, Any]) -> pl.Expr:
    """Whether a sample lies in the baseline of a cell, given by column and value."""
    values = {**entry.where, **cell, **entry.relative_to}
    return pl.all_horizontal(_holds(name, value) for name, value in values.items())


def _holds(name: str, value: Any) -> pl.Expr:
    if value is None:
        return pl.col(name).is_null()
    return pl.col(name).is_in(value) if isinstance(value, list) else pl.col(name) == value


class Baselines:
    """The baselines of all cells of a figure."""

    def __init__(self, samples: pl.LazyFrame, entry: Entry) -> None:
        self._entry, self._metric = entry, metric(entry.encoding.color)
        self._shared = [name for name in entry.along if name not in entry.relative_to]
        number = pl.col(self._metric.of).is_not_null()
        rows = samples.filter(of_baseline(entry, {}), number).collect()
        self._none, self._parts = rows.clear(), Parts(rows, entry.baseline())
        self._cells = rows.partition_by(self._shared, as_dict=True) if self._shared else {(): rows}

    def compare(self, at: Mapping[str, Any], own: pl.DataFrame, tasks: set[str]) -> Sides:
        """A cell, given by column and value, on the problems that its baseline holds too.

        `own`: its records with a number; `tasks`: those of which it is the mean.
        """
        records = self._cells.get(tuple(at[name] for name in self._shared), self._none)
        base = records.filter(~pl.col("task").is_in([*self._parts.uneven(records)]))
        pooled = any(bool(rows["reconstructed"].any()) for rows in (own, base))
        sides = [[*recount_columns(rows, self._entry).iter_rows()] for rows in (own, base)]
        tried = [_tried(rows, self._metric) for rows in sides]
        common = tried[0] & tried[1]
        values = []
        for rows in sides:
            both = (row for row in rows if row[:2] in common)
            if self._metric.votes:
                counts = recount.votes(both, self._metric, tasks)
            else:
                counts = recount.cell(both, self._metric, pooled)
            values.append(recount.mean(counts).value if counts.keys() == tasks else None)
        if None in values:
            return Sides(None, None, len(common), base)
        return Sides(values[0], values[1], len(common), base)


def _tried(rows: Iterable[Values], what: Metric) -> set[tuple[str, str]]:
    """Problems with as many records as the metric needs; of a vote, where there is an answer."""
    rows, deep = [*rows], 4 if what.votes else 3
    sizes = Counter((row[:2], row[deep:]) for row in rows)
    few = {key for (key, _), many in sizes.items() if many < (what.k or 1)}
    silent = {row[0] for row in rows} - {row[0] for row in rows if row[deep - 1] is not None}
    return {key for key, _ in sizes if key not in few and key[0] not in silent}
