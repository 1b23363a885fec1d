"""One panel of a heatmap judged: each cell's value and uncertainty, and what chance would give."""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum
from typing import TYPE_CHECKING, Any, Literal

from heatproof.kinds.heatmap import doubts, gaps, peers
from heatproof.kinds.heatmap.standing import Peers
from heatproof.util.lazy import numpy as np
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heatproof.metrics import Metric
    from heatproof.statistics import Estimate, Interval

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]
    Flags = NDArray[np.bool_]
    Best = Literal["highest", "lowest"]


@dataclass(frozen=True)
class Panel:
    """The problems of one panel: epochs and sums, arrays of shape (problems, cells)."""

    count: Ints
    total: Floats
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


def judge(panel: Panel, what: Metric, best: Best, shown: str) -> pl.DataFrame:
    """A row per cell: value, counts and uncertainty, and how it stands among its peers.

    Peers are the cells with a value that share problems, directly or through others. What holds for
    them together stands in the row of each; a cell without peers is compared with none.

    `shown`: the figure's `uncertainty`; the tied set and the chance range are made for `tied`.
    """
    total, count = what.points(panel.count, panel.total)
    one, limits = _reconstructed(panel) if panel.reconstructed else _estimated(panel, what)
    valued = np.zeros(panel.records.shape, bool)
    for task in range(len(panel.tasks)):
        valued[task] = (count[panel.task == task] > 0).sum(axis=0) >= what.least
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
            "se": se,
            "low": low,
            "high": high,
            "reconstructed": panel.reconstructed,
            "gap": pl.Series(gaps.words(panel, what, valued), dtype=pl.String),
        }
    )
    signed = value if best == "highest" else -value
    totals = total if best == "highest" else -total
    told = Peers(totals, np.where(whole, count, 0), panel.task, panel.family, signed)
    judged = shown == "tied" and not panel.reconstructed and what.join is None
    stands = _stands(told, panel, what, judged, what.is_share and _within(value))
    columns = [pl.Series(name, found, _dtype(name)) for name, found in stands.items()]
    return frame.with_columns(columns).with_columns(pl.col(pl.Float64).fill_nan(None))


LISTED = ("best", "tied")
"""Columns that are each cell's own."""
STANDS = ("best", "peers", "common")
"""Columns that tell how a cell stands among its peers: whether it is the best, the number of their
set (the place in the grid of its first cell), and how many problems all of them hold."""
CHANCE = ("tied", "spread", "spread_equal", "chance_median", "chance_high", "chance_p", "separated",
          "needed")  # fmt: skip
"""Columns that the permutation of settings gives: whether a cell is tied with the best, and for all
peers the spread of their values, and of these on equal problems, median and 95 % of the spread of
equal settings, the share of these spreads that is no smaller, the number of cells told from the
best, and how many problems would part the best from the runner-up."""


def _dtype(name: str) -> pl.DataType:
    if name == doubts.COLUMN:
        return pl.String()
    if name in LISTED:
        return pl.Boolean()
    return pl.Int64() if name in ("peers", "common", "separated", "needed") else pl.Float64()


def _within(value: Floats) -> bool:
    """Whether all values can be shares."""
    return bool(np.all((value >= 0) & (value <= 1) | np.isnan(value)))


def _stands(
    all_: Peers, panel: Panel, what: Metric, judged: bool, share: bool
) -> dict[str, list[Any]]:
    """The columns `STANDS` and `CHANCE` of a panel, whose cells with a value are `all_`."""
    rows: list[dict[str, Any]] = [{"best": False} for _ in panel.cells]
    sets = peers.sets(all_.count > 0)
    for number in np.unique(sets[sets != peers.NONE]):
        among = np.flatnonzero(sets == number)
        if len(among) == 1:
            continue  # compared with none
        group = all_.among(among)
        told: dict[str, Any] = {"peers": int(panel.cells[number]), "common": group.common}
        found = group.judged(share) if judged else {"best": group.best()}
        why = doubts.words(group, found, panel.tasks, share) if judged else ""
        why = doubts.UNEVEN if what.join and group.uneven else why
        if why:
            found = {"best": np.zeros(len(among), bool), doubts.COLUMN: why}
        told |= found
        for at, cell in enumerate(among):
            rows[cell] = {k: v[at] if k in LISTED else v for k, v in told.items()}
    return {name: [row.get(name) for row in rows] for name in (*STANDS, *CHANCE, doubts.COLUMN)}


def _estimated(panel: Panel, what: Metric) -> tuple[Estimate, Interval]:
    """Values, standard errors and 95 % intervals, clustered by problem."""
    from heatproof import statistics

    if what.join:
        return _joined(panel, what)
    total, count = what.points(panel.count, panel.total)
    if what.k in (None, 1) or not count.any():
        one = statistics.cell_estimates(total, count, panel.task, group=panel.family)
    else:
        right = np.rint(panel.total).astype(np.int64)
        one = statistics.pass_estimates(
            panel.count, right, what.k, panel.task, group=panel.family, every=what.every
        )
    if what.is_share and _within(one.value):
        known = one if what.k in (None, 1) else None
        limits = statistics.interval(total, count, panel.task, group=panel.family, known=known)
        return one, limits
    return one, statistics.student_interval(one)


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
