"""One panel judged: values and uncertainties, which cells can be compared, and how they stand."""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum
from typing import TYPE_CHECKING, Any, Literal

from heatproof.kinds.heatmap import reasons
from heatproof.util.lazy import numpy as np
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from heatproof.metrics import Metric
    from heatproof.statistics import Estimate, Interval

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]
    Flags = NDArray[np.bool_]
    Best = Literal["highest", "lowest", "none"]


@dataclass(frozen=True)
class Panel:
    """The problems of one panel: epochs and sums, arrays of shape (problems, cells)."""

    count: Ints
    total: Floats
    """Of a vote, its value on each problem."""
    task: Ints
    """Shape (problems,): the task that a problem belongs to, by its place in `tasks`."""
    family: Ints
    """Shape (problems,): number of its family; families are independent of each other."""
    expected: Ints
    """Shape (cells,): rows a complete run would hold."""
    reconstructed: bool
    """The counts are real, but which problem was solved is made up."""
    cells: Ints
    """Shape (cells,): their places in the grid."""
    tasks: list[str]
    """The tasks of which a cell is the mean: all that have records in the panel."""
    records: Flags
    """Shape (tasks, cells): whether there are records, with a number or without."""
    failed: Flags
    """Shape (tasks, cells): whether logs say that a run was to be there of which nothing came."""
    uneven: Flags
    """Shape (tasks, cells): whether the values of `over` do not hold the same samples."""
    over: str = ""
    """The column, other than task, over which cells are the mean."""
    ranged: bool = False
    """The source says between which numbers all samples lie."""


def judge(panel: Panel, what: Metric, best: Best, shown: str) -> pl.DataFrame:
    """A row per cell: value, counts and uncertainty, and how it stands among its peers.

    Peers are the cells with a value that share problems, directly or through others. What holds for
    them together stands in the row of each; a cell without peers is compared with none.

    `shown`: the figure's `uncertainty`; the tied set and the chance range are made for `tied`, if
    some end of the values is the `best`.
    """
    total, count = what.points(panel.count, panel.total)
    one, limits = _reconstructed(panel) if panel.reconstructed else _estimated(panel, what)
    valued = np.zeros(panel.records.shape, bool)
    for task in range(len(panel.tasks)):
        valued[task] = (count[panel.task == task] > 0).sum(axis=0) >= what.least
    valued &= ~panel.uneven
    whole = valued.all(axis=0) & valued.any(axis=0)
    value, se, low, high = (
        np.where(whole, found, np.nan) for found in (one.value, one.se, limits.low, limits.high)
    )
    frame = pl.DataFrame(
        {
            "cell": panel.cells,
            "value": value,
            "samples": one.problems if not panel.reconstructed else (panel.count > 0).sum(axis=0),
            "epochs": one.epochs,
            "expected": panel.expected,
            reasons.TRIED: _tried(panel, what, one.problems),
            "se": se,
            "low": low,
            "high": high,
            "reconstructed": panel.reconstructed,
            "gap": pl.Series(reasons.gap_words(panel, what, valued), dtype=pl.String),
        }
    )
    signed = -value if best == "lowest" else value
    totals = -total if best == "lowest" else total
    told = Peers(totals, np.where(whole, count, 0), panel.task, panel.family, signed)
    known = not panel.reconstructed and what.join is None
    bounded = is_bounded([(panel.count, panel.total)], known=what.is_share or panel.ranged)
    judged = shown == "tied" and best != "none" and known and bounded
    stands = _stands(told, panel, what, judged, what.is_share and _within(value))
    if best == "none":
        stands |= {"best": [False] * len(panel.cells), reasons.UNJUDGED: [None] * len(panel.cells)}
    if known and not bounded and (shown == "interval" or (shown == "tied" and best != "none")):
        stands[reasons.UNJUDGED] = [None if x else reasons.UNBOUNDED_MEAN for x in np.isnan(value)]
    columns = [pl.Series(name, found, _dtype(name)) for name, found in stands.items()]
    return frame.with_columns(columns).with_columns(pl.col(pl.Float64).fill_nan(None))


def _tried(panel: Panel, what: Metric, problems: Ints) -> pl.Series:
    """Problems that were tried where the metric leaves out some, null elsewhere."""
    tried = (panel.count > 0).sum(axis=0)
    some = (tried > problems) & bool(what.k)
    return pl.Series(np.where(some, tried, 0), dtype=pl.Int64).replace(0, None)


LISTED = ("best", "tied")
"""Columns that are each cell's own."""
STANDS = ("best", "peers", "common")
"""Columns that tell how a cell stands among its peers: whether it is the best, the number of their
set (the place in the grid of its first cell), and how many problems all of them hold."""
CHANCE = ("tied", "spread", "spread_equal", "chance_median", "chance_high", "chance_p", "separated")
"""Columns that the permutation of settings gives: whether a cell is tied with the best, and for all
peers the spread of their values, and of these on equal problems, median and 95 % of the spread of
equal settings, the share of these spreads that is no smaller, and the number of cells told from
the best."""


def _dtype(name: str) -> pl.DataType:
    if name == reasons.UNJUDGED:
        return pl.String()
    if name in LISTED:
        return pl.Boolean()
    return pl.Int64() if name in ("peers", "common", "separated") else pl.Float64()


def is_bounded(sides: Sequence[tuple[Ints, Floats]], *, known: bool) -> bool:
    """Whether scores lie from 0 to 1, so that no problem, seen or unseen, outweighs all others.

    Args:
        sides: epochs, and sums of scores, of all that is compared.
        known: it is what the metric, or the range of the source, says. Else some problem has
            all of 1, which times and costs in small units have not.
    """
    inside = not any(
        np.any((count > 0) & ((total < 0) | (total > count))) for count, total in sides
    )
    full = any(np.any((total == count) & (count > 0)) for count, total in sides)
    return bool(inside and (known or full))


def _within(value: Floats) -> bool:
    """Whether all values can be shares."""
    return bool(np.all((value >= 0) & (value <= 1) | np.isnan(value)))


def _stands(
    all_: Peers, panel: Panel, what: Metric, judged: bool, share: bool
) -> dict[str, list[Any]]:
    """The columns `STANDS` and `CHANCE` of a panel, whose cells with a value are `all_`."""
    rows: list[dict[str, Any]] = [{"best": False} for _ in panel.cells]
    sets = connected_sets(all_.count > 0)
    for number in np.unique(sets[sets != NO_SET]):
        among = np.flatnonzero(sets == number)
        if len(among) == 1:
            continue  # compared with none
        group = all_.among(among)
        flags: dict[str, Any] = {"peers": int(panel.cells[number]), "common": group.common}
        standing = group.judged(share) if judged else {"best": group.best()}
        why = reasons.doubt_words(group, standing, panel.tasks, share) if judged else ""
        why = reasons.UNEVEN if what.join and group.uneven else why
        if why and judged and (apart := group.surely_apart(standing, share)).any():
            standing |= {"tied": ~apart, "separated": int(apart.sum())}
            why = ""
        if why:
            standing = {"best": np.zeros(len(among), bool), reasons.UNJUDGED: why}
        flags |= standing
        for at, cell in enumerate(among):
            rows[cell] = {k: v[at] if k in LISTED else v for k, v in flags.items()}
    return {name: [row.get(name) for row in rows] for name in (*STANDS, *CHANCE, reasons.UNJUDGED)}


def _estimated(panel: Panel, what: Metric) -> tuple[Estimate, Interval]:
    """Values, standard errors and 95 % intervals, clustered by problem."""
    from heatproof import statistics

    if what.join:
        return _joined(panel, what)
    total, count = what.points(panel.count, panel.total)
    plain = what.valued or what.k in (None, 1) or not count.any()
    if plain:
        part = statistics.cell_estimates(total, count, panel.task, group=panel.family)
        if what.valued:
            part = part._replace(epochs=np.where(count > 0, panel.count, 0).sum(axis=0))
    else:
        right = np.rint(panel.total).astype(np.int64)
        part = statistics.pass_estimates(
            panel.count, right, what.number, panel.task, group=panel.family, every=what.every
        )
    if not is_bounded([(panel.count, panel.total)], known=what.is_share or panel.ranged):
        unknown = np.full(len(part.value), np.nan)
        return part, statistics.Interval(unknown, unknown)
    if what.is_share:
        counted = part if plain else None
        limits = statistics.interval(total, count, panel.task, group=panel.family, estimate=counted)
        return part, limits
    return part, statistics.student_interval(part)


def _joined(panel: Panel, what: Metric) -> tuple[Estimate, Interval]:
    """Values of another metric than a mean: of these no uncertainty is known."""
    from heatproof.statistics import Estimate, Interval

    cells = panel.count.shape[1]
    value, problems, unknown = (
        np.full(cells, np.nan),
        np.zeros(cells, np.int64),
        np.full(cells, np.nan),
    )
    for cell in range(cells):
        tasks = [panel.task == task for task in np.unique(panel.task[panel.count[:, cell] > 0])]
        found = [what.value(panel.count[mine, cell], panel.total[mine, cell]) for mine in tasks]
        problems[cell] = sum(number for _, number in found)
        values = [one for one, _ in found if one is not None]
        if values:
            value[cell] = fsum(values) / len(values)
    epochs = panel.count.sum(axis=0)
    one = Estimate(value, unknown, problems, epochs, np.zeros(cells))
    return one, Interval(unknown, unknown)


def _reconstructed(panel: Panel) -> tuple[Estimate, Interval]:
    """What the counts alone allow: each graded sample a trial of its own, no problem known."""
    from heatproof import statistics

    tasks = np.unique(panel.task)
    right = np.array([panel.total[panel.task == task].sum(axis=0) for task in tasks])
    tried = np.array([panel.count[panel.task == task].sum(axis=0) for task in tasks])
    return statistics.count_estimates(right, tried)


ROUNDING = 1e-9
"""Cells that differ by less, in parts of the largest score, differ by rounding only."""


@dataclass(frozen=True)
class Peers:
    """Cells with a value that share problems; matrices are of shape (problems, cells)."""

    total: Floats
    """Sums of scores, with a sign that makes the highest the best."""
    count: Ints
    task: Ints
    family: Ints
    value: Floats
    """Shape (cells,), with the same sign."""

    def among(self, cells: Ints) -> Peers:
        """Some of the cells, and the problems that these hold."""
        inside = (self.count[:, cells] > 0).any(axis=1)
        if inside.all() and len(cells) == len(self.value):
            return self
        total, count = self.total[inside][:, cells], self.count[inside][:, cells]
        return Peers(total, count, self.task[inside], self.family[inside], self.value[cells])

    @property
    def uneven(self) -> bool:
        """Whether some cell lacks a problem that another holds."""
        return not bool((self.count > 0).all(axis=1).all())

    @property
    def common(self) -> int:
        """Problems that all cells hold."""
        return int((self.count > 0).all(axis=1).sum())

    def best(self, tied: Flags | None = None) -> Flags:
        """The highest cells; of cells with other problems each, the highest on equal problems.

        That is by the mean distance of their scores from the mean of the same problem over all
        cells that hold it. Where the `tied` set is known, the best are of it.
        """
        from heatproof import statistics

        if not self.uneven:
            return np.asarray(self.value == self.value.max())
        level = statistics.levels(self.total, self.count, self.task)
        level = level if tied is None else np.where(tied, level, -np.inf)
        scores = self.total / np.maximum(self.count, 1)
        return np.asarray(level >= level.max() - ROUNDING * np.abs(scores).max())

    def judged(self, share: bool) -> dict[str, Any]:
        """The tied set and what chance gives; `share`: no two values are further apart than 1."""
        from heatproof import statistics

        tied = statistics.tied(self.total, self.count, self.task, ALPHA, group=self.family)
        chance = statistics.chance_range(
            self.total, self.count, self.task, ALPHA, group=self.family
        )
        best = self.best(tied)
        far = share and max(chance.equal, chance.high) > 1 + ROUNDING
        return {
            "best": best,
            "tied": tied,
            "spread": chance.spread,
            "spread_equal": None if far else chance.equal,
            "chance_median": None if far else chance.median,
            "chance_high": None if far else chance.high,
            "chance_p": chance.p,
            "separated": int((~tied & ~best).sum()),
        }

    def surely_apart(self, judged: Mapping[str, Any], share: bool) -> Flags:
        """Of the cells that are told from the best, those that are where others are in doubt."""
        from heatproof import statistics

        apart = ~(judged["tied"] | judged["best"])
        best, behind = int(np.flatnonzero(judged["best"])[0]), np.flatnonzero(apart)
        scores = self.total, self.count, self.task, self.family
        apart[behind] = statistics.doubts(*scores, best, behind, share).sure
        return np.asarray(apart)


ALPHA = 0.05
"""Level of the tied set and of the range: `chance_high` is the quantile 1 − ALPHA."""
NO_SET = -1
"""The set of a cell that holds no problem."""
ALIKE = 0.5
"""Of the problems of a cell, the share that others must hold to be taken for the same ones."""


def connected_sets(present: Flags) -> Ints:
    """For each cell the number of its set: the first cell in it; `NONE` without problems.

    `present`: (problems, cells), where a problem is held. Cells of two sets share no problem.
    """
    shared = [np.flatnonzero(column) for column in present.T]
    sets = np.array([n if len(members) else NO_SET for n, members in enumerate(shared)], np.int64)
    lowest = np.full(len(present), len(sets), np.int64)
    before = None
    while before is None or (sets != before).any():
        before = sets.copy()
        for cell, members in enumerate(shared):
            if len(members):
                sets[cell] = min(sets[cell], lowest[members].min())
                lowest[members] = np.minimum(lowest[members], sets[cell])
    return sets


def fill_lines(found: Ints, lines: Sequence[Ints]) -> Ints:
    """The same, a cell without a set being of the only one, or of that of its row or column.

    Args:
        found: numbers of sets, or of other things that cells are of; `NONE` for a cell of none.
        lines: for each axis the line on which a cell lies, (cells,).
    """
    there = found != NO_SET
    if len(known := {*found[there].tolist()}) == 1:
        return np.full_like(found, known.pop())
    more, only = found.copy(), []
    for line in lines:
        held: dict[int, set[int]] = {}
        for at, one in zip(line[there].tolist(), found[there].tolist(), strict=True):
            held.setdefault(at, set()).add(one)
        only.append(held)
    # Where each row is of one set, and columns are not, rows tell.
    telling = [n for n, held in enumerate(only) if all(len(those) == 1 for those in held.values())]
    used = telling if len(telling) == 1 else range(len(lines))
    for cell in np.flatnonzero(~there):
        beside = [only[n].get(int(lines[n][cell]), set()) for n in used]
        told = set().union(*(those for those in beside if len(those) == 1))
        more[cell] = told.pop() if len(told) == 1 else NO_SET
    return more


def alike_sets(present: Flags, lines: Sequence[Ints]) -> Ints:
    """For each cell the first of those that plainly run the same problems; `NONE` without any.

    Of the smaller of two, be they cells or what several of them hold together, a share of at least
    `ALIKE` is held by the other. A cell as near to two is of that on its own row or column.

    Args:
        present: (problems, cells), where a problem is held.
        lines: as in `filled`.
    """
    found = connected_sets(present)
    for number in np.unique(found[found != NO_SET]):
        cells = np.flatnonzero(found == number)
        held = present[:, cells]
        held = held[held.any(axis=1)]
        first = _grouped(held, [line[cells] for line in lines])
        while len(whole := np.unique(first)) > 1:
            unions = np.array([held[:, first == one].any(axis=1) for one in whole]).T
            if len(np.unique(again := _grouped(unions, []))) == len(whole):
                break
            first = whole[again][np.searchsorted(whole, first)]
        found[cells] = cells[first]
    return found


def _grouped(held: Flags, lines: Sequence[Ints]) -> Ints:
    """For each column the first of its group: the larger ones go before and are joined by others.

    `lines`: as in `filled`.
    """
    size = held.sum(axis=0)
    groups: list[list[int]] = []
    unions: list[Flags] = []
    for cell in np.argsort(-size, kind="stable").tolist():
        mine = held[:, cell]
        near = [
            (int((one & mine).sum()), any((line[group] == line[cell]).any() for line in lines), -n)
            for n, (one, group) in enumerate(zip(unions, groups, strict=True))
        ]
        shared, _, n = max(near, default=(0, False, 0))
        if shared and shared >= ALIKE * size[cell]:
            groups[-n].append(cell)
            unions[-n] |= mine
        else:
            groups.append([cell])
            unions.append(mine.copy())
    found = np.zeros(len(size), np.int64)
    for group in groups:
        found[group] = min(group)
    return found


def whole_sizes(count: Ints, lines: Sequence[Ints], parts: Ints) -> tuple[Ints, Ints]:
    """Problems and rows that a complete run of each cell holds, by what it and those alike hold.

    A cell is to hold all problems of those that are alike, unless more cells hold just its own than
    hold more: then these are a part of the data set. It holds each as often as the problem that it
    holds most often, but no more often than any cell does: others may have run more epochs. Where
    nothing is known of the problems of a cell it is 0; one without any is like the largest.

    Args:
        count: epochs, (problems, cells).
        lines: as in `fill_lines`.
        parts: how many values of what cells pool, (cells,); all are to hold as many as any.
    """
    own = alike_sets(count > 0, lines)
    wanted = np.zeros_like(count)
    for one in {*own.tolist()} - {NO_SET}:
        cells = np.flatnonzero(own == one)
        wanted[:, cells] = _wanted(count[:, cells], parts[cells])
    problems, rows = (wanted > 0).sum(axis=0), wanted.sum(axis=0)
    filled = fill_lines(own, lines)
    for cell in np.flatnonzero((own == NO_SET) & (filled != NO_SET)):
        like = np.flatnonzero(own == filled[cell])
        largest = like[np.argmax(rows[like])]
        problems[cell], rows[cell] = problems[largest], rows[largest]
    return problems, rows


def _wanted(count: Ints, parts: Ints) -> Ints:
    """How often cells that are alike are to hold each problem, (problems, cells)."""
    held = count > 0
    _, kind, twins = np.unique(held.T, axis=0, return_inverse=True, return_counts=True)
    size = held.sum(axis=0)
    larger = (size[None, :] > size[:, None]).sum(axis=1)
    repeats = -(-count.max(axis=0) * parts.max() // np.maximum(parts, 1))
    wanted = np.minimum(count.max(axis=1)[:, None], repeats[None, :])
    part = (twins[kind.reshape(-1)] > larger) & (twins[kind.reshape(-1)] > 1)
    return np.where(part[None, :] & ~held, 0, wanted)
