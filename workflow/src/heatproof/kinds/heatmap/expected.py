"""What is expected of cells: first what the logs declare, then what their neighbours hold."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from heatproof.config import roles
from heatproof.kinds.heatmap import reasons
from heatproof.samples import declared
from heatproof.samples.declared import LOG, Size
from heatproof.samples.shard_index import runs_of_figure
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heatproof.kinds.heatmap.entry import Entry
    from heatproof.samples.shard_index import ShardIndex
    from heatproof.util.codes import Rows

    Values = tuple[Any, ...]


class Expected:
    """The runs behind the cells of a figure, those included of which no sample came."""

    def __init__(self, rows: Rows, logs: ShardIndex | None, entry: Entry) -> None:
        self._entry = entry
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
        index = runs_of_figure(logs, entry)
        if any(log.runs for log in index.logs.values()) or index.expect is not None:
            counted = rows.frame([*index.columns, *roles.GRADERS, "sample_id"])
            counted = counted.with_columns(epochs=rows.numbers["count"])
            self._add(declared.runs(counted, index), index.columns)

    def _add(self, runs: pl.DataFrame, names: Sequence[str]) -> None:
        """Add runs, those first of which there are samples.

        The others have their place on the axes all the same, but not those of other settings than
        the figure shows in their place. `names`: columns that are settings.
        """
        there = runs.filter(pl.col(LOG).is_null())
        tasks = {*(runs if "task" in self._free else there)["task"]}
        places: dict[Values, dict[str, Any]] = {}
        for run in pl.concat([there, runs.filter(pl.col(LOG).is_not_null())]).iter_rows(named=True):
            failed = run[LOG] is not None
            unknown = any(run[name] is None for name in [*self._entry.along, "task"])
            if failed and (unknown or run["task"] not in tasks):
                continue
            part = tuple(run[name] for name in names if name in self._apart)
            other = places.setdefault(part, run)
            fixed = ((run[n], other[n]) for n in names if n not in self._free)
            if failed and any(None is not a != b is not None for a, b in fixed):
                continue
            cell = tuple(run[name] for name in self._entry.along)
            part_of = (run["asked"], run["dataset"]) if run["asked"] is not None else None
            size = Size(run["least"], run["whole"], part_of)
            self._sizes.setdefault(cell, {}).setdefault(run["task"], []).append(size)
            if failed:
                self.failed[cell].add(run["task"])
                for name in self._entry.along:
                    self._more[name].add(run[name])

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
        for task, size in sizes.items():
            runs = runs_of.get(task, [])
            if len(runs) == 1 and runs[0].declared is not None:
                total += runs[0].declared
                continue
            sure = False  # how many runs there should be, none of them says
            total += max(size, sum(run.declared or run.least for run in runs))
        return total if sure else max(total, neighbours)
