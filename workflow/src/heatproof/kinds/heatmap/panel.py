"""One panel of a heatmap judged: each cell's value and uncertainty, and what chance would give."""

from __future__ import annotations

from dataclasses import dataclass
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
    total, count = _points(panel, what)
    one, limits = _reconstructed(panel) if panel.reconstructed else _estimated(panel, what)
    valued = np.zeros(panel.records.shape, bool)
    for task in range(len(panel.tasks)):
        valued[task] = (count[panel.task == task] > 0).any(axis=0)
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
    judged = shown == "tied" and not panel.reconstructed
    stands = _stands(told, panel, judged, what.is_share and _within(value))
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


def _stands(all_: Peers, panel: Panel, judged: bool, share: bool) -> dict[str, list[Any]]:
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
        if judged and (why := doubts.words(group, found, panel.tasks, share)):
            found = {"best": np.zeros(len(among), bool), doubts.COLUMN: why}
        told |= found
        for at, cell in enumerate(among):
            rows[cell] = {k: v[at] if k in LISTED else v for k, v in told.items()}
    return {name: [row.get(name) for row in rows] for name in (*STANDS, *CHANCE, doubts.COLUMN)}


def _points(panel: Panel, what: Metric) -> tuple[Floats, Ints]:
    """Sum and count of each problem; pass@k and pass^k of a problem are one value of its own."""
    if what.k in (None, 1):
        return panel.total, panel.count
    from heatproof.statistics import pass_at_k

    enough = panel.count >= what.k
    right = np.rint(panel.total).astype(np.int64)
    value = np.zeros(panel.total.shape)
    if enough.any():
        tried = panel.count[enough]
        value[enough] = pass_at_k(tried, right[enough], what.k, every=what.every)
    return value, enough.astype(np.int64)


def _estimated(panel: Panel, what: Metric) -> tuple[Estimate, Interval]:
    """Values, standard errors and 95 % intervals, clustered by problem."""
    from heatproof import statistics

    total, count = _points(panel, what)
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


def _reconstructed(panel: Panel) -> tuple[Estimate, Interval]:
    """What the counts alone allow: each graded sample a trial of its own, no problem known."""
    from heatproof import statistics

    tasks = np.unique(panel.task)
    right = np.array([panel.total[panel.task == task].sum(axis=0) for task in tasks])
    tried = np.array([panel.count[panel.task == task].sum(axis=0) for task in tasks])
    return statistics.count_estimates(right, tried)
