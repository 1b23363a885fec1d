"""The samples of a heatmap by problem, as arrays, and how often each problem was solved."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.charts import units, wording
from heatproof.kinds.cell_records import BUDGET
from heatproof.kinds.heatmap import judging
from heatproof.kinds.heatmap.judging import Panel
from heatproof.metrics import PRINTED, metric
from heatproof.samples import answers, counts, selection
from heatproof.util import codes
from heatproof.util.lazy import numpy as np
from heatproof.util.lazy import polars as pl
from heatproof.util.numerals import show

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from heatproof.charts.units import Unit
    from heatproof.kinds.heatmap.entry import Entry
    from heatproof.metrics import Metric
    from heatproof.util.codes import Rows
    from heatproof.util.numerals import Digits

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Flags = NDArray[np.bool_]
    Tally = list[Any]


class Part(NamedTuple):
    """Cells that are made of the same tasks: those of a panel, or of one task in it."""

    cells: Ints
    """Their places in the grid."""
    lines: list[Ints]
    """For y and x the line on which each lies."""
    tasks: Ints
    """Numbers of the tasks."""
    records: Flags
    """Shape (tasks, cells): whether there are records."""
    failed: Flags
    """The same: whether a run failed of which there is no record."""
    uneven: Flags
    """The same: whether what it is the mean over does not hold the same samples."""
    values: Ints
    """Shape (cells,): how many values there are of what is pooled, or of what the mean is over."""


def panels(
    rows: Rows,
    axes: dict[str, pl.Series],
    entry: Entry,
    failed: Mapping[tuple[Any, ...], set[str]] | None = None,
) -> Iterator[Panel]:
    """The problems of each panel as arrays; cells in the order of the grid, problems sorted.

    Unless cells are means over tasks, those of each task are a panel of their own: no number of
    theirs is made of, or compared with, that of another task.

    `failed`: values on the axes → tasks of runs that failed there.
    """
    lost = {_place(cell, axes): tasks for cell, tasks in (failed or {}).items()}
    there = place_rows(rows, axes)
    summed = counts.added_up(rows, list(dict.fromkeys([*axes, "task", "sample_id"])))
    at = there if summed is rows else place_rows(summed, axes)
    every = _records(rows, [*axes, "task", "sample_id"])
    of_every = place_rows(every, axes)
    values = _pooled(rows, there, entry)
    places = np.indices([len(axis) for axis in axes.values()]).reshape(len(axes), -1)
    panel = number_panels(places, axes, entry)
    lines = [panel * (places[axis].max(initial=0) + 1) + places[axis] for axis in (-2, -1)]
    codes = rows.columns["task"].codes
    own = np.full(len(panel), judging.NO_SET)
    if "task" in axes:
        own = places[[*axes].index("task")]
    elif "task" not in (entry.mean_over, *entry.pool):
        own[there] = codes
        own = judging.fill_lines(own, lines)
    part = panel * (int(own.max(initial=0)) + 2) + own + 1
    for number in np.unique(part):
        cells = np.flatnonzero(part == number)
        local = np.zeros(len(part), np.int64)
        local[cells] = np.arange(len(cells))
        mine, held = part[at] == number, part[there] == number
        tasks, task = np.unique(codes[held], return_inverse=True)
        records, uneven = np.zeros((2, len(tasks), len(cells)), bool)
        records[task, local[there[held]]] = True
        uneven[task, local[there[held]]] = rows.numbers["uneven"][held]
        names = rows.columns["task"].values.gather(tasks)
        off = [
            names.is_in([*lost.get(cell, ())], nulls_equal=True).to_numpy()
            for cell in cells.tolist()
        ]
        across = [line[cells] for line in lines]
        one = Part(
            cells,
            across,
            tasks,
            records,
            np.array(off).T,
            uneven,
            np.bincount(values, None, len(part))[cells],
        )
        whole = part[of_every] == number
        count, *_ = _by_problem(every.at(whole), local[of_every[whole]], len(cells))
        expected = judging.whole_sizes(count.T, across, one.values)[1]
        yield _panel(summed.at(mine), local[at[mine]], one, entry, expected)


def number_panels(places: Ints, axes: Mapping[str, pl.Series], entry: Entry) -> Ints:
    """The number of each cell's panel. `places`: of cells on the axes, shape (axes, cells)."""
    panel = np.zeros(places.shape[1], np.int64)
    for axis, name in enumerate(entry.panels):
        panel = panel * len(axes[name]) + places[axis]
    return panel


def _place(cell: tuple[Any, ...], axes: dict[str, pl.Series]) -> int:
    """Position of a cell in the grid."""
    found = 0
    for value, axis in zip(cell, axes.values(), strict=True):
        found = found * len(axis) + axis.to_list().index(value)
    return found


def place_rows(rows: Rows, axes: dict[str, pl.Series]) -> Ints:
    """Position of each row's cell in the grid, x innermost."""
    found = np.zeros(len(rows.numbers["count"]), np.int64)
    for axis in axes.values():
        codes, values = rows.columns[axis.name]
        position = {value: at for at, value in enumerate(axis)}
        found *= len(axis)
        found += np.array([position[value] for value in values], np.int64)[codes]
    return found


def _records(rows: Rows, key: Sequence[str]) -> Rows:
    """A row per cell and problem, with all of its records as its count."""
    every = rows._replace(numbers={**rows.numbers, "count": rows.numbers["records"]})
    return counts.added_up(every, [*dict.fromkeys(key)])


def _pooled(rows: Rows, there: Ints, entry: Entry) -> Ints:
    """The place of its cell for each value of what cells pool, of which it holds records.

    Of columns that divide a run the number says nothing.
    """
    names = {entry.mean_over, *entry.pool} - {"task", "sample_id", "epoch"}
    apart = [name for name in rows.columns if name in names]
    code, _ = codes.codes(rows, apart) if apart else (np.zeros(len(there), np.int64), 1)
    places: Ints = np.unique(np.stack([there, code]), axis=1)[0]
    return places


def _by_problem(rows: Rows, cell: Ints, cells: int) -> tuple[Ints, Floats, Ints]:
    """Count and total, arrays of shape (cells, problems), and the problems."""
    found, place = codes.dense(*codes.codes(rows, ["task", "sample_id"]))
    place += cell * len(found)  # as tables lie: the problems of a cell beside each other
    shape = cells, len(found)
    count, total = np.zeros(shape, np.int64), np.zeros(shape)
    count.flat[place], total.flat[place] = rows.numbers["count"], rows.numbers["total"]
    return count, total, found


def _panel(rows: Rows, cell: Ints, part: Part, entry: Entry, expected: Ints) -> Panel:
    count, total, found = _by_problem(rows, cell, len(part.cells))
    names, samples = (rows.columns[name].values for name in ("task", "sample_id"))
    task, sample = np.divmod(found, max(len(samples), 1))
    return Panel(
        count=count.T,
        total=total.T,
        task=np.searchsorted(part.tasks, task),
        family=family_numbers(names[task], samples[sample], entry.family),
        expected=expected,
        reconstructed=bool(rows.numbers["reconstructed"].any()),
        cells=part.cells,
        tasks=names[part.tasks].to_list(),
        records=part.records,
        failed=part.failed,
        ranged=metric(entry.encoding.color).of in entry.ranges,
        uneven=part.uneven,
        over=entry.averaged or "",
    )


def family_numbers(task: pl.Series, sample: pl.Series, pattern: str | None) -> Ints:
    """Number of the family of each problem; without a pattern, or a match, each is its own."""
    who = pl.DataFrame({"task": task, "sample_id": sample})
    number = pl.struct("task", selection.family(pattern)).rank("dense") - 1
    return who.select(number).to_series().cast(pl.Int64).to_numpy()


CELL = "#cell"
"""Column of the number of a cell in the grid; no hyper-parameter is called so."""


class Solved(NamedTuple):
    """The problems of all cells."""

    each: pl.DataFrame
    """A row per cell, task and sample, sorted: `count` and `total` as the grid has them."""
    graded: bool
    """Whether all that is counted is right or wrong."""
    reconstructed: bool


def solved(partial: Sequence[pl.LazyFrame], what: Metric) -> Solved:
    """The problems that counts tell of (`samples.counts`), in portions, each with its `CELL`."""
    names = partial[0].collect_schema().names()
    whole = pl.col("score.one") + pl.col("score.zero")
    odd = pl.col("score.n") != whole if what.of == "score" else pl.lit(value=True)
    counted = [part.with_columns(odd=odd) for part in partial]
    apart = [name for name in counts.told_apart(names) if name != CELL]
    rows = counts.gather_counts(counted, what, [CELL, *apart], ["odd"])
    key = [CELL, "task", "sample_id"]
    found = counts.added_up(rows, key)
    named = {name: found.columns[name] for name in key}
    heads = {name: values[codes] for name, (codes, values) in named.items()}
    there = rows.numbers["count"] > 0
    return Solved(
        pl.DataFrame({**heads, **found.numbers}).sort(key),
        not (rows.numbers["odd"] & there).any(),
        bool((rows.numbers["reconstructed"] & there).any()),
    )


def tallies(found: Solved) -> dict[int, Tally]:
    """Cell → how many problems were right how often, as [right, epochs, problems].

    Of reconstructed logs [right rows, wrong rows]: which problem was solved is made up. Of other
    numbers than right and wrong [lowest, middle, highest] mean of a problem.
    """
    if found.each[CELL].n_unique() > BUDGET:
        return {}
    if found.graded and not found.reconstructed:
        return _counts(found.each)
    one = _sums if found.graded else _ends
    parts = found.each.partition_by(CELL, maintain_order=True)
    return {int(part[CELL][0]): one(part) for part in parts}


def _counts(found: pl.DataFrame) -> dict[int, Tally]:
    rows = found.select(CELL, "count", pl.col("total").round().cast(pl.Int64)).rows()
    tallies: dict[int, Tally] = {}
    for (cell, epochs, right), number in sorted(Counter(rows).items(), reverse=True):
        tallies.setdefault(cell, []).append([right, epochs, number])
    return tallies


def _sums(part: pl.DataFrame) -> Tally:
    right = round(part["total"].sum())
    return [right, int(part["count"].sum()) - right]


def _ends(part: pl.DataFrame) -> Tally:
    means = (part["total"] / part["count"]).sort()
    return [means[0], means[len(means) // 2], means[-1]]


def parts(found: Solved, what: Metric, values: pl.DataFrame | None = None) -> dict[int, Tally]:
    """Cell → [task, value, problems, graded rows] each, where it is the mean of several tasks.

    `values`: those of problems, where they do not follow from `found` (`samples.answers`).
    """
    each = found.each
    if values is not None:
        each, what = each.with_columns(total=answers.of_problems(each, values)), what.by_problem()
    pairs = each.select(CELL, "task").n_unique()
    if pairs > BUDGET or pairs == each[CELL].n_unique():
        return {}
    told: dict[int, Tally] = {}
    for part in each.partition_by(CELL, "task", maintain_order=True):
        value, problems = _value(part, what)
        counts = [problems, int(part["count"].sum())]
        told.setdefault(int(part[CELL][0]), []).append([part["task"][0], value, *counts])
    return {cell: tasks for cell, tasks in told.items() if len(tasks) > 1}


def measure_title(entry: Entry, *, graded: bool, reconstructed: bool) -> str:
    """What the tally of a cell is called."""
    if metric(entry.encoding.color).printed:
        return wording.sentence(PRINTED)
    if not graded:
        return f"{metric(entry.encoding.color).of.title()}, mean of a problem"
    return "Graded rows" if reconstructed else "Problems by right epochs"


def tally(numbers: Tally, *, graded: bool, reconstructed: bool, unit: Unit = units.PLAIN) -> Tally:
    """One of `tallies` as pairs of words and a number; `unit`: of the means of problems."""
    if not numbers:
        return []
    if not graded:
        shown = [show(unit.value(mean), ".6~g") for mean in numbers]
        return [*map(list, zip(("lowest", "middle", "highest"), shown, strict=True))]
    if reconstructed:
        return [*map(list, zip(("right", "wrong"), numbers, strict=True))]
    return [[f"{right} of {epochs}", number] for right, epochs, number in numbers]


def part(numbers: Tally, entry: Entry, digits: Digits) -> Tally:
    """One of `parts` as the page shows it; `digits`: of the values of the figure."""
    task, value, *counts = numbers
    shown: float | None = entry.unit.value(value)
    (name,) = entry.called("task", [task]).values()
    return [name, "–" if shown is None else digits.value(shown), *counts]


def _value(part: pl.DataFrame, what: Metric) -> tuple[float | None, int]:
    """Value of one task, and how many problems have one."""
    count, total = part["count"].to_numpy(), part["total"].to_numpy()
    if part["reconstructed"].any():
        return float(total.sum() / count.sum()), len(part)
    return what.value(count, total)
