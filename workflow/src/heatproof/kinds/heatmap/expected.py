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
    Runs = Mapping[Values, list[Meant]]
    """Settings → what the logs declare of their runs."""


class Expected:
    """The runs behind the cells of a figure, those included of which no sample came."""

    def __init__(self, rows: Rows, logs: ShardIndex | None, entry: Entry) -> None:
        self._entry, self._names = entry, logs.columns if logs else []
        self._apart = {*entry.along, *([entry.mean_over] if entry.mean_over else [])}
        """Settings that tell cells apart, or what they are the mean of."""
        self._free = self._apart | {*entry.pool}
        """All settings that may differ in a panel."""
        self._sizes: dict[Values, dict[str, list[Size]]] = {}
        """Cell → task → the sizes of its runs."""
        self._more: defaultdict[str, set[Any]] = defaultdict(set)
        self.failed: defaultdict[Values, set[str]] = defaultdict(set)
        """Cells in which runs lie of which no sample came → tasks of these."""
        if not logs or roles.WITHIN & {*self._free, *entry.where}:
            return
        runs: defaultdict[Values, list[Meant]] = defaultdict(list)
        for run in meant_runs(logs, entry):
            runs[tuple(run.settings)].append(run)
        if runs or logs.expect is not None:
            self._add_failed(rows, runs, logs, self._add_present(rows, runs, logs))

    def _add_present(self, rows: Rows, runs: Runs, logs: ShardIndex) -> dict[Values, Values]:
        """Add runs of which there are samples: their settings → those that the figure names."""
        by, deep = [*self._names, *roles.GRADERS], len(self._names)
        groups, at = codes.dense(*codes.codes(rows, by))
        first = np.zeros(len(groups), np.int64)
        first[at[::-1]] = np.arange(len(at))[::-1]
        columns = [rows.columns[name] for name in by]
        heads = zip(*(c.values.gather(c.codes[first]).to_list() for c in columns), strict=True)
        count = np.bincount(at, rows.numbers["count"], len(groups)).astype(np.int64).tolist()
        problems = np.bincount(at, minlength=len(groups)).tolist()
        lacking = {name for several in runs.values() for run in several for name in run.lacks}
        short = _short(rows, at, lacking) if lacking else {}
        present: dict[Values, Values] = {}
        for n, head in enumerate(heads):
            settings = head[:deep]
            declared, expected = runs.get(settings, []), logs.expected_of(settings)
            size = run_size(count[n], problems[n], declared, short.get(n, {}), expected)
            present.setdefault(settings, self._part(settings))
            self._add(dict(zip(by, head, strict=True)), size)
        return present

    def _add_failed(
        self, rows: Rows, runs: Runs, logs: ShardIndex, present: Mapping[Values, Values]
    ) -> None:
        """Add runs of which there is no sample: they have their place on the axes all the same.

        Not one of other settings than those that the figure shows in its place.
        """
        tasks = {*rows.columns["task"].values}
        if "task" in self._free:
            tasks |= {dict(zip(self._names, run, strict=True))["task"] for run in runs}
        graders = [name for name in roles.GRADERS if name in self._entry.along]
        graded = codes.distinct(rows, graders).to_dicts() if graders else [{}]
        places = {part: settings for settings, part in [*present.items()][::-1]}
        for settings, declared in runs.items():
            values = dict(zip(self._names, settings, strict=True))
            unknown = any(values.get(name, "") is None for name in [*self._entry.along, "task"])
            if settings in present or values["task"] not in tasks or unknown:
                continue
            other = places.setdefault(self._part(settings), settings)
            pairs = zip(values, settings, other, strict=True)
            if any(None is not a != b is not None for n, a, b in pairs if n not in self._free):
                continue
            for grader in graded:
                size = run_size(0, 0, declared, {}, logs.expected_of(settings))
                self.failed[self._add(values | grader, size)].add(values["task"])
            for name in {*self._entry.along} & values.keys():
                self._more[name].add(values[name])

    def _part(self, settings: Values) -> Values:
        """The settings that the figure names."""
        pairs = zip(self._names, settings, strict=True)
        return tuple(value for name, value in pairs if name in self._apart)

    def _add(self, values: Mapping[str, Any], size: Size) -> Values:
        """Add a run to its cell, which is returned."""
        cell = tuple(values[name] for name in self._entry.along)
        self._sizes.setdefault(cell, {}).setdefault(values["task"], []).append(size)
        return cell

    def axis(self, values: pl.Series) -> pl.Series:
        """The values along an axis, with those of runs of which no sample came."""
        if not (more := self._more[values.name] - {*values}):
            return values
        return pl.concat([values, pl.Series(values.name, [*more], values.dtype)]).sort()

    def with_declared(self, grid: pl.DataFrame) -> pl.DataFrame:
        """The grid, with what is expected of its cells.

        A model against itself is no cell. Of the others it tells what the logs declare where it
        knows but the neighbours.

        A cell without a record says so if there is a log of its run. Where runs were asked for
        some problems of their data sets alone, a column `asked` says of how many.
        """
        entry = self._entry
        grid = self._declared(grid) if self._sizes else grid
        if not {"model", entry.opponent} <= {*entry.along}:
            return grid
        at = dict(zip(entry.along, entry.places, strict=True))
        same = pl.col(at["model"]) == pl.col(at[entry.opponent or ""])
        itself = pl.all_horizontal(same, pl.col("epochs") == 0)
        return grid.with_columns(
            pl.when(itself).then(0).otherwise("expected").alias("expected"),
            pl.when(itself).then(pl.lit(reasons.ITSELF)).otherwise("gap").alias("gap"),
        )

    def _declared(self, grid: pl.DataFrame) -> pl.DataFrame:
        most = self._most()
        numbers, gaps, parts = [], [], []
        for *values, neighbours, gap in grid.select(
            *self._entry.places, "expected", "gap"
        ).iter_rows():
            cell = tuple(values)
            numbers.append(self._expected(cell, most, neighbours))
            failed = gap == reasons.NOTHING and cell in self.failed
            gaps.append(reasons.FAILED if failed else gap)
            sizes = {
                task: {run.part for run in runs} for task, runs in self._sizes.get(cell, {}).items()
            }
            single = {task: p.pop() if len(p) == 1 else None for task, p in sizes.items()}
            parts.append(reasons.asked_words(single))
        new = [pl.Series("expected", numbers, pl.Int64), pl.Series("gap", gaps, pl.String)]
        new += [pl.Series("asked", parts, pl.String)] if any(parts) else []
        return grid.with_columns(new)

    def _most(self) -> dict[Values, dict[str, int]]:
        """Of each panel its tasks, and the most that logs declare for a cell of them."""
        most: dict[Values, dict[str, int]] = defaultdict(lambda: defaultdict(int))
        for cell, tasks in self._sizes.items():
            panel = most[cell[: len(self._entry.panels)]]
            for task, runs in tasks.items():
                panel[task] = max(panel[task], sum(run.declared or 0 for run in runs))
        return most

    def _expected(
        self, cell: Values, most: Mapping[Values, dict[str, int]], neighbours: int
    ) -> int:
        """What is expected of a cell; `neighbours`: what these hold."""
        sizes, along = most[cell[: len(self._entry.panels)]], self._entry.along
        runs_of = self._sizes.get(cell, {})
        if "task" in along:
            sizes = {(task := cell[along.index("task")]): sizes[task]}
        elif "task" not in self._free:
            own = [*runs_of] or sorted(sizes, key=lambda task: sizes[task])[-1:]
            sizes = {task: sizes[task] for task in own}
        total, sure = 0, True
        for task, declared in sizes.items():
            runs = runs_of.get(task, [])
            if len(runs) == 1 and runs[0].declared is not None:
                total += runs[0].declared
                continue
            sure = False  # how many runs there should be, none of them says
            total += max(declared, sum(run.declared or run.least for run in runs))
        return total if sure else max(total, neighbours)


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
