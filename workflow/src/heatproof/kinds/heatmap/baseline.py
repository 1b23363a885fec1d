"""A heatmap against a baseline: each cell less one that is the same but for some columns.

Both are taken on the problems that both hold (samples of one id in one task), so that own, baseline
and difference always add up. A cell without such problems has no value: a gap is not parity.
"""

from __future__ import annotations

from math import fsum
from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.kinds.heatmap import judging, problems, reasons
from heatproof.samples import counts
from heatproof.util.codes import Numbered
from heatproof.util.lazy import numpy as np
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from heatproof.kinds.heatmap.entry import Entry
    from heatproof.metrics import Metric
    from heatproof.statistics import Gaps, Limits, Pairs, Scores
    from heatproof.util.codes import Rows

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]
    Flags = NDArray[np.bool_]


class Held(NamedTuple):
    """Epochs and sums of problems, matrices of shape (problems, cells)."""

    epochs: Ints
    total: Floats

    def at(self, rows: Sequence[int], cells: Sequence[int]) -> Held:
        """Some of the problems and cells."""
        place = np.ix_(np.array(rows, np.int64), np.array(cells, np.int64))
        return Held(self.epochs[place], self.total[place])


class Part(NamedTuple):
    """Cells of the same tasks, each beside its baseline."""

    cells: Ints
    """Their places in the grid."""
    own: Held
    base: Held
    task: Ints
    """Shape (problems,): number of the task among `tasks`."""
    family: Ints
    """Shape (problems,): number of the family, the same in all parts of a panel."""
    tasks: list[str]
    """Those of which a cell is the mean: all of which there are records."""
    there: Flags
    """Shape (cells,): whether there is any record of the baseline."""


class Side(NamedTuple):
    """The problems of cells, or of baselines: a row each."""

    cell: Ints
    keys: pl.DataFrame
    """Columns `task` and `sample_id`."""
    held: Held
    """Arrays of shape (rows,)."""
    records: list[tuple[int, str]]
    """Cells and tasks of which there is a record, with a number or without."""


def _panels(
    rows: Rows, base: Rows, axes: dict[str, pl.Series], entry: Entry
) -> Iterator[list[Part]]:
    """The parts of each panel that is drawn.

    Args:
        rows: counts of the figure.
        base: those of its baseline (`Entry.baseline`).
        axes: columns that tell cells apart, with their values in drawing order.
        entry: the figure.
    """
    others = {name: values for name, values in axes.items() if name not in entry.relative_to}
    places = np.indices([len(values) for values in axes.values()]).reshape(len(axes), -1)
    beside = np.zeros(places.shape[1], np.int64)
    for line, name in zip(places, axes, strict=True):
        beside = beside * len(others[name]) + line if name in others else beside
    own, bases = _side(rows, axes), _side(_on(base, others), others)
    panel = problems.number_panels(places, axes, entry)
    for number in np.unique(panel):
        cells = np.flatnonzero(panel == number)
        yield list(_parts(own, bases, cells, beside[cells], entry))


def _on(rows: Rows, axes: dict[str, pl.Series]) -> Rows:
    """Those rows whose values lie on the axes."""
    there = np.ones(len(rows.numbers["count"]), bool)
    for name, values in axes.items():
        column, places = rows.columns[name], {*values}
        there &= np.array([value in places for value in column.values], bool)[column.codes]
    kept = rows.at(np.flatnonzero(there))
    columns = {name: _known(kept.columns[name], {*values}) for name, values in axes.items()}
    return kept._replace(columns={**kept.columns, **columns})


def _known(column: Numbered, values: set[Any]) -> Numbered:
    """The column without values that none of its rows has, for which there is no place."""
    kept = [n for n, value in enumerate(column.values) if value in values]
    number = np.zeros(len(column.values), np.int32)
    number[kept] = np.arange(len(kept), dtype=np.int32)
    return Numbered(number[column.codes], column.values.gather(kept))


def _side(rows: Rows, axes: dict[str, pl.Series]) -> Side:
    """Where the rows lie, cells counted along the axes."""
    summed = counts.added_up(rows, list(dict.fromkeys([*axes, "task", "sample_id"])))
    one = summed.at(np.flatnonzero(summed.numbers["count"] > 0))
    heads = [one.columns[name] for name in ("task", "sample_id")]
    keys = pl.DataFrame([column.values.gather(column.codes) for column in heads])
    codes, names = rows.columns["task"]
    places = problems.place_rows(rows, axes)
    pairs = sorted({*zip(places.tolist(), codes.tolist(), strict=True)})
    sums = Held(one.numbers["count"], one.numbers["total"])
    at = problems.place_rows(one, axes)
    return Side(at, keys, sums, [(cell, names[task]) for cell, task in pairs])


def _parts(own: Side, opposite: Side, cells: Ints, beside: Ints, entry: Entry) -> Iterator[Part]:
    """The parts of one panel. `cells`: those of it; `beside`: the baseline of each."""
    tasks = _tasks(own, cells, entry)
    inside = np.isin(own.cell, cells)
    keys = own.keys.filter(pl.Series(inside)).unique().sort("task", "sample_id")
    cells_held, bases = _held(own, keys, cells), _held(opposite, keys, np.unique(beside))
    column = np.searchsorted(np.unique(beside), beside)
    there = {cell for cell, _ in opposite.records}
    family = problems.family_numbers(keys["task"], keys["sample_id"], entry.family)
    names = keys["task"].to_list()
    kinds: dict[tuple[str, ...], list[int]] = {}
    for at, names_of in enumerate(tasks):
        kinds.setdefault(tuple(sorted(names_of)), []).append(at)
    for members, which in kinds.items():
        number = {name: n for n, name in enumerate(members)}
        among = [at for at, name in enumerate(names) if name in number]
        yield Part(
            cells[which],
            cells_held.at(among, which),
            bases.at(among, column[which].tolist()),
            np.array([number[names[at]] for at in among], np.int64),
            family[among],
            [*number],
            np.array([int(beside[at]) in there for at in which], bool),
        )


def _tasks(own: Side, cells: Ints, entry: Entry) -> list[set[str]]:
    """Of each cell the tasks that it is made of."""
    at = {int(cell): n for n, cell in enumerate(cells)}
    tasks: list[set[str]] = [set() for _ in at]
    for cell, task in own.records:
        if cell in at:
            tasks[at[cell]].add(task)
    if "task" in (entry.mean_over, *entry.pool):
        return [set().union(*tasks)] * len(tasks)
    return tasks


def _held(side: Side, keys: pl.DataFrame, cells: Ints) -> Held:
    """Its problems as matrices: `keys` along the rows, `cells`, which are sorted, beside them."""
    numbered = keys.with_row_index("row")
    rows = side.keys.join(numbered, on=["task", "sample_id"], how="left", maintain_order="left")
    row = rows["row"].fill_null(len(keys)).to_numpy().astype(np.int64)
    column = np.minimum(np.searchsorted(cells, side.cell), max(len(cells) - 1, 0))
    inside = (row < len(keys)) & (cells[column] == side.cell)
    count, total = np.zeros((len(keys), len(cells)), np.int64), np.zeros((len(keys), len(cells)))
    count[row[inside], column[inside]] = side.held.epochs[inside]
    total[row[inside], column[inside]] = side.held.total[inside]
    return Held(count, total)


class Means(NamedTuple):
    """Of each cell what stands in the grid, NaN for what is not known."""

    own: Floats
    base: Floats
    value: Floats
    se: Floats
    low: Floats
    high: Floats
    differs: list[bool | None]
    why: list[str | None]
    """Why there is no interval."""


def beside(
    rows: Rows, base: Rows, axes: dict[str, pl.Series], entry: Entry, what: Metric
) -> pl.DataFrame:
    """What each cell is beside its baseline, a row per cell in the order of the grid.

    Columns `value`, `se`, `low`, `high` (simultaneous for all cells of a panel), `own_value`,
    `baseline_value`, `paired_problems` (that both hold), `differs` (whether the interval leaves out
    parity; null where none is told, unless both are the same on all problems), `gap` and `unjudged`
    (why there is no interval).

    Args:
        rows: counts of the figure.
        base: those of its baseline (`Entry.baseline`).
        axes: columns that tell cells apart, with their values in drawing order.
        entry: the figure.
        what: its metric.
    """
    made_up = any(bool(one.numbers["reconstructed"].any()) for one in (rows, base))
    found = []
    for parts in _panels(rows, base, axes, entry):
        if made_up or what.join:
            means = [_unpaired(part, what, made_up) for part in parts]
        else:
            means = _paired(parts, what, entry)
        found += [_frame(p, m, what) for p, m in zip(parts, means, strict=True)]
    return pl.concat(found).sort("cell").drop("cell")


def against(grid: pl.DataFrame, found: pl.DataFrame, entry: Entry) -> pl.DataFrame:
    """The grid with what its cells are beside their baseline (`beside`), and which are it.

    No best and no tied set is told: they would be those of another figure.
    """
    emptied = [
        pl.lit(None, grid.schema[name]).alias(name) for name in (*judging.CHANCE, "peers", "common")
    ]
    at = dict(zip(entry.along, entry.places, strict=True))
    baseline = entry.relative_to
    inside = bool(baseline) and all(
        name in at and value is not None for name, value in baseline.items()
    )
    tests = [pl.col(at[name]) == value for name, value in baseline.items()] if inside else []
    itself = pl.all_horizontal(tests) if inside else pl.lit(value=False)
    return grid.with_columns(
        *emptied,
        *found.drop("gap"),
        best=pl.lit(value=False),
        gap=grid["gap"].zip_with(grid["gap"].is_not_null(), found["gap"]),
        is_baseline=itself.fill_null(value=False),
    )


def _common(part: Part, what: Metric) -> Flags:
    """Problems that give a value in a cell and in its baseline, (problems, cells)."""
    divisors = [what.points(held.epochs, held.total)[1] for held in (part.own, part.base)]
    return np.asarray((divisors[0] > 0) & (divisors[1] > 0))


def _whole(part: Part, what: Metric) -> Flags:
    """Cells in which every task has enough common problems, (tasks, cells)."""
    common = _common(part, what)
    sizes = [common[part.task == n].sum(axis=0) for n in range(len(part.tasks))]
    return np.array(sizes, np.int64).reshape(len(sizes), len(part.cells)) >= what.least


def _scores(sums: Held, what: Metric) -> Scores:
    from heatproof import statistics

    if what.valued or what.k in (None, 1) or not (sums.epochs >= what.k).any():
        total, count = what.points(sums.epochs, sums.total)
        return statistics.scores(total, count)
    right = np.rint(sums.total).astype(np.int64)
    return statistics.pass_scores(sums.epochs, right, what.k, every=what.every)


def _paired(parts: Sequence[Part], what: Metric, entry: Entry) -> list[Means]:
    """Of means: differences by problem, and their simultaneous intervals."""
    from heatproof import statistics

    sides = [(_scores(part.own, what), _scores(part.base, what)) for part in parts]
    pairs = [
        statistics.Pairs(*both, part.task, part.family)
        for both, part in zip(sides, parts, strict=True)
    ]
    found = [statistics.gaps(one) for one in pairs]
    sums_of = [(side.epochs, side.total) for part in parts for side in (part.own, part.base)]
    if not judging.is_bounded(sums_of, known=what.is_share or what.of in entry.ranges):
        return [_unjudged(gap) for gap in found]
    limits = statistics.simultaneous([*zip(pairs, found, strict=True)], share=True)
    means = []
    for part, one, gap, limit in zip(parts, pairs, found, limits, strict=True):
        why = _doubts(part, one, gap, limit)
        low, high = limit.low, limit.high
        differs = [
            None if reason else bool(a > 0 or b < 0)
            for a, b, reason in zip(low, high, why, strict=True)
        ]
        doubt = np.array([bool(reason) for reason in why], bool)
        low, high = (np.where(doubt, np.nan, end) for end in (low, high))
        means.append(Means(gap.own, gap.base, gap.difference, gap.se, low, high, differs, why))
    return means


def _unjudged(gap: Gaps) -> Means:
    """Of numbers without bounds: rare large ones may make a mean, and few problems show none."""
    none = np.full(len(gap.own), np.nan)
    alike = (gap.se == 0) & (gap.difference == 0)
    why = [None if one else reasons.UNBOUNDED for one in alike]
    differs: list[bool | None] = [None] * len(none)
    return Means(gap.own, gap.base, gap.difference, gap.se, none, none, differs, why)


def _doubts(part: Part, pairs: Pairs, gap: Gaps, limits: Limits) -> list[str | None]:
    """Why there is no interval, of each cell."""
    from heatproof import statistics

    small, few = statistics.doubtful(pairs, share=True)
    said: list[str | None] = []
    for cell in range(len(part.cells)):
        if np.isnan(gap.difference[cell]) or (gap.se[cell] == 0 and not gap.difference[cell]):
            said.append(None)
        elif outweighing := small[cell]:
            said.append(reasons.outweighed_words(part.tasks[outweighing[0]], outweighing[1]))
        elif few[cell]:
            said.append(reasons.FEW_PAIRED)
        else:
            said.append(reasons.ALIKE if np.isnan(limits.low[cell]) else None)
    return said


def _unpaired(part: Part, what: Metric, made_up: bool) -> Means:
    """Of other metrics, and where which problems were solved is made up: no interval is known."""
    common = _common(part, what)
    own, base = (
        np.array(
            [_value(part, held, common, cell, what, made_up) for cell in range(len(part.cells))]
        )
        for held in (part.own, part.base)
    )
    none = np.full(len(part.cells), np.nan)
    why: str | None = reasons.MADE_UP if made_up else f"no interval: none is known of {what.word}"
    why = reasons.UNSHARED if what.printed else why
    same = (own == base) & (part.own.epochs == part.base.epochs).all(axis=0)
    said = [None if np.isnan(a) or itself else why for a, itself in zip(own, same, strict=True)]
    differs: list[bool | None] = [None] * len(own)
    return Means(own, base, own - base, none, none, none, differs, said)


def _value(part: Part, sums: Held, common: Flags, cell: int, what: Metric, made_up: bool) -> float:
    """Mean over tasks of what common problems give; NaN where one gives nothing."""
    values = []
    for task in range(len(part.tasks)):
        rows = common[:, cell] & (part.task == task)
        count, total = sums.epochs[rows, cell], sums.total[rows, cell]
        if made_up:
            values.append(float(total.sum() / count.sum()) if count.any() else None)
        else:
            values.append(what.value(count, total)[0])
    numbers = [value for value in values if value is not None]
    return fsum(numbers) / len(numbers) if numbers and len(numbers) == len(values) else float("nan")


def _frame(part: Part, means: Means, what: Metric) -> pl.DataFrame:
    """The rows of `beside`."""
    whole, common = _whole(part, what), _common(part, what)
    there = np.asarray(whole.all(axis=0) & bool(len(part.tasks)))
    value = np.where(there, means.value, np.nan)
    gaps: list[str | None] = [
        None if there[n] else reasons.unpaired_words(part.tasks, whole[:, n], bool(part.there[n]))
        for n in range(len(part.cells))
    ]
    shown = ~np.isnan(value)
    floats = {"value": value, "se": means.se, "low": means.low, "high": means.high}
    floats |= {"own_value": means.own, "baseline_value": means.base}
    told: dict[str, Any] = {"gap": gaps, reasons.UNJUDGED: means.why, "differs": means.differs}
    told = {
        name: [one if shown[n] or name == "gap" else None for n, one in enumerate(column)]
        for name, column in told.items()
    }
    kinds = {"gap": pl.String, reasons.UNJUDGED: pl.String, "differs": pl.Boolean}
    return pl.DataFrame(
        {
            "cell": part.cells,
            **{
                name: np.where(there if name.endswith("_value") else shown, one, np.nan)
                for name, one in floats.items()
            },
            "paired_problems": common.sum(axis=0).astype(np.int64),
            **{name: pl.Series(name, column, kinds[name]) for name, column in told.items()},
        }
    ).with_columns(pl.col(pl.Float64).fill_nan(None))
