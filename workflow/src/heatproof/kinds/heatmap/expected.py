"""What is expected of cells: first what the logs declare, then what their neighbours hold."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from heatproof.config import roles
from heatproof.kinds.heatmap import reasons
from heatproof.samples.declared import Meant, Size, run_size
from heatproof.samples.shard_index import meant_runs
from heatproof.util import codes
from heatproof.util.lazy import numpy as np
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Mapping

    from heatproof.kinds.heatmap.entry import Entry
    from heatproof.samples.shard_index import ShardIndex
    from heatproof.util.codes import Rows

    Values = tuple[Any, ...]


class Expected:
    """The runs behind the cells of a figure, those included of which no sample came."""

    def __init__(self, rows: Rows, logs: ShardIndex | None, entry: Entry) -> None:
        self._panels, self._opponent = len(entry.panels), entry.opponent
        self._places, self._axes = entry.places, entry.along
        over = [entry.mean_over] if entry.mean_over else []
        self._cut, self._over = [*self._axes, *over], {*self._axes, *over, *entry.pool}
        """Settings that tell cells apart, or what they are the mean of; and all that may differ."""
        self._names = logs.columns if logs else []
        self._cells: defaultdict[Values, defaultdict[str, list[Size]]]
        self._cells = defaultdict(lambda: defaultdict(list))
        self._more: defaultdict[str, set[Any]] = defaultdict(set)
        self.failed: defaultdict[Values, set[str]] = defaultdict(set)
        """Cells in which runs lie of which no sample came → tasks of these."""
        self._seen: set[Values] = set()
        self._free: dict[Values, Values] = {}
        """Where samples lie by what the figure names → settings of the first that lie there."""
        meant = defaultdict[tuple[Any, ...], list[Meant]](list)
        if not logs or roles.WITHIN & {*self._over, *entry.where}:
            return
        for run in meant_runs(logs, entry):
            meant[tuple(run.settings)].append(run)
        if meant or logs.expect is not None:
            self._hold(rows, meant, logs)
            self._fail(rows, meant, logs)

    def _hold(self, rows: Rows, meant: Mapping[Values, list[Meant]], logs: ShardIndex) -> None:
        """Runs of which there are samples."""
        by, deep = [*self._names, *roles.GRADERS], len(self._names)
        found, at = codes.dense(*codes.codes(rows, by))
        first = np.zeros(len(found), np.int64)
        first[at[::-1]] = np.arange(len(at))[::-1]
        columns = [rows.columns[name] for name in by]
        heads = zip(*(c.values.gather(c.codes[first]).to_list() for c in columns), strict=True)
        count = np.bincount(at, rows.numbers["count"], len(found)).astype(np.int64).tolist()
        problems = np.bincount(at, minlength=len(found)).tolist()
        lacking = {name for those in meant.values() for one in those for name in one.lacks}
        short = _short(rows, at, lacking) if lacking else {}
        for run, head in enumerate(heads):
            settings = head[:deep]
            those = meant.get(settings, [])
            expected = logs.expected_of(settings)
            size = run_size(count[run], problems[run], those, short.get(run, {}), expected)
            self._seen.add(settings)
            self._free.setdefault(self._part(settings), settings)
            self._add(dict(zip(by, head, strict=True)), size)

    def _fail(self, rows: Rows, meant: Mapping[Values, list[Meant]], logs: ShardIndex) -> None:
        """Runs of which there is no sample: they have their place on the axes all the same."""
        tasks = {*rows.columns["task"].values}
        if "task" in self._over:
            tasks |= {dict(zip(self._names, one, strict=True))["task"] for one in meant}
        graders = [name for name in roles.GRADERS if name in self._axes]
        graded = codes.distinct(rows, graders).to_dicts() if graders else [{}]
        for settings, those in meant.items():
            named = dict(zip(self._names, settings, strict=True))
            if settings in self._seen:
                continue
            if any(named.get(name, "") is None for name in [*self._axes, "task"]):
                continue
            if self._mixed(settings) or named["task"] not in tasks:
                continue
            self._free.setdefault(self._part(settings), settings)
            for grader in graded:
                size = run_size(0, 0, those, {}, logs.expected_of(settings))
                self._add(named | grader, size)
                self.failed[self._cell(named | grader)].add(named["task"])
            for name in {*self._axes} & named.keys():
                self._more[name].add(named[name])

    def _mixed(self, settings: Values) -> bool:
        """Whether a run is of other settings than those that the figure shows in its place."""
        others = self._free.get(self._part(settings), settings)
        pairs = zip(self._names, settings, others, strict=True)
        return any(None is not a != b is not None for n, a, b in pairs if n not in self._over)

    def _part(self, settings: Values) -> Values:
        """The settings that the figure names."""
        pairs = zip(self._names, settings, strict=True)
        return tuple(value for name, value in pairs if name in self._cut)

    def _cell(self, named: Mapping[str, Any]) -> Values:
        return tuple(named[name] for name in self._axes)

    def _add(self, named: Mapping[str, Any], run: Size) -> None:
        self._cells[self._cell(named)][named["task"]].append(run)

    def axis(self, found: pl.Series) -> pl.Series:
        """The values along an axis, with those of runs of which no sample came."""
        if not (more := self._more[found.name] - {*found}):
            return found
        return pl.concat([found, pl.Series(found.name, [*more], found.dtype)]).sort()

    def with_declared(self, grid: pl.DataFrame) -> pl.DataFrame:
        """The grid, with what is expected of its cells.

        A model against itself is no cell. Of the others it tells what the logs declare where it
        knows but the neighbours.

        A cell without a record says so if there is a log of its run. Where runs were asked for
        some problems of their data sets alone, a column `asked` says of how many.
        """
        grid = self._declared(grid) if self._cells else grid
        if not {"model", self._opponent} <= {*self._axes}:
            return grid
        sides = (
            dict(zip(self._axes, self._places, strict=True))[n] for n in ("model", self._opponent)
        )
        itself = pl.all_horizontal(
            pl.col(next(sides)) == pl.col(next(sides)), pl.col("epochs") == 0
        )
        return grid.with_columns(
            pl.when(itself).then(0).otherwise("expected").alias("expected"),
            pl.when(itself).then(pl.lit(reasons.ITSELF)).otherwise("gap").alias("gap"),
        )

    def _declared(self, grid: pl.DataFrame) -> pl.DataFrame:
        names = self._places
        usual = self._usual()
        numbers = [
            self._expected(cell, usual, known)
            for *cell, known in grid.select(*names, "expected").iter_rows()
        ]
        words = [
            reasons.FAILED if gap == reasons.NOTHING and tuple(cell) in self.failed else gap
            for *cell, gap in grid.select(*names, "gap").iter_rows()
        ]
        parts = [self._asked(cell) for cell in grid.select(names).iter_rows()]
        new = [pl.Series("expected", numbers, pl.Int64), pl.Series("gap", words, pl.String)]
        new += [pl.Series("asked", parts, pl.String)] if any(parts) else []
        return grid.with_columns(new)

    def _asked(self, cell: Values) -> str | None:
        parts_of = dict[str, tuple[int, int] | None]()
        for task, runs in self._cells[cell].items() if cell in self._cells else ():
            parts = {run.part for run in runs}
            parts_of[task] = parts.pop() if len(parts) == 1 else None
        return reasons.asked_words(parts_of)

    def _own(self, cell: Values) -> list[str]:
        """The tasks of a cell, where each has its own."""
        if "task" in self._axes:
            return [cell[self._axes.index("task")]]
        return [*self._cells[cell]] if cell in self._cells else []

    def _runs(self, cell: Values, task: str) -> list[Size]:
        return self._cells[cell][task] if cell in self._cells else []

    def _usual(self) -> dict[Any, dict[str, int]]:
        """Of each panel its tasks, and the most that logs declare for a cell of them."""
        most: dict[Any, dict[str, int]] = defaultdict(lambda: defaultdict(int))
        for cell, tasks in self._cells.items():
            sizes = most[cell[: self._panels]]
            for task, runs in tasks.items():
                sizes[task] = max(sizes[task], sum(run.declared or 0 for run in runs))
        return most

    def _expected(self, cell: list[Any], usual: dict[Any, dict[str, int]], known: int) -> int:
        """What is expected of a cell; `known`: what its neighbours hold."""
        sizes = usual[tuple(cell[: self._panels])]
        if "task" not in self._over or "task" in self._axes:
            own = self._own(tuple(cell)) or sorted(sizes, key=lambda task: sizes[task])[-1:]
            sizes = {task: sizes[task] for task in own}
        total, sure = 0, True
        for task, most in sizes.items():
            runs = self._runs(tuple(cell), task)
            if len(runs) == 1 and runs[0].declared is not None:
                total += runs[0].declared
                continue
            sure = False  # how many runs there should be, none of them says
            total += max(most, sum(run.declared or run.least for run in runs))
        return total if sure else max(total, known)


def _short(rows: Rows, run: Any, ids: set[str]) -> dict[int, dict[str, int]]:
    """Samples by run and problem, for those problems of which some log lacks samples."""
    column = rows.columns["sample_id"]
    there = np.flatnonzero(column.values.is_in(list(ids)).to_numpy()[column.codes])
    names = column.values.gather(column.codes[there]).to_list()
    counts: defaultdict[int, defaultdict[str, int]] = defaultdict(lambda: defaultdict(int))
    numbers = rows.numbers["count"][there].tolist()
    for at, name, number in zip(run[there].tolist(), names, numbers, strict=True):
        counts[at][name] += number
    return {**counts}
