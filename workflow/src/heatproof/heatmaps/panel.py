"""One panel of a heatmap judged: each cell's value and uncertainty, and what chance would give."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from heatproof.lazy import numpy as np
from heatproof.lazy import polars as pl

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heatproof.metrics import Metric
    from heatproof.statistics import Estimate, Interval

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]
    Best = Literal["highest", "lowest"]


@dataclass(frozen=True)
class Panel:
    """The problems of one panel: epochs and sums, arrays of shape (problems, cells)."""

    count: Ints
    total: Floats
    task: Ints
    """Shape (problems,): number of the task that a problem belongs to."""
    family: Ints
    """Shape (problems,): number of its family; families are independent of each other."""
    expected: Ints
    """Shape (cells,): rows a complete run would hold."""
    reconstructed: bool
    """The counts are real, but which problem was solved is made up."""


def judge(panel: Panel, what: Metric, best: Best, shown: str) -> pl.DataFrame:
    """A row per cell: value, counts and uncertainty; what holds for the panel stands in each row.

    `shown`: the figure's `uncertainty`; the tied set and the chance range are made for `tied`.
    """
    one, limits = _reconstructed(panel) if panel.reconstructed else _estimated(panel, what)
    sign = 1 if best == "highest" else -1
    highest = np.nanmax(sign * one.value, initial=-np.inf)
    samples = one.problems if not panel.reconstructed else (panel.count > 0).sum(axis=0)
    frame = pl.DataFrame(
        {
            "value": one.value,
            "samples": samples,
            "epochs": one.epochs,
            "expected": panel.expected,
            "se": one.se,
            "low": limits.low,
            "high": limits.high,
            "best": sign * one.value == highest,
            "reconstructed": panel.reconstructed,
        }
    )
    judged = shown == "tied" and not panel.reconstructed
    against = _against_chance(panel, what, sign) if judged else {}
    columns = {name: against.get(name) for name in CHANCE}
    listed = {"tied"} & against.keys()
    return frame.with_columns(
        pl.Series(name, values if name in listed else [values] * len(frame), _dtype(name))
        for name, values in columns.items()
    ).with_columns(pl.col(pl.Float64).fill_nan(None))


CHANCE = ("tied", "spread", "chance_median", "chance_high", "chance_p", "separated", "needed")
"""Columns that the permutation of settings gives: the tied set (per cell), and for the panel the
spread of its values, median and 95 % of the spread of equal settings, the share of these spreads
that is no smaller, the number of cells told from the best, and how many problems would part the
best from the runner-up."""


def _dtype(name: str) -> pl.DataType:
    kinds = {"tied": pl.Boolean(), "separated": pl.Int64(), "needed": pl.Int64()}
    return kinds.get(name, pl.Float64())


def _points(panel: Panel, what: Metric) -> tuple[Floats, Ints]:
    """Sum and count of each problem, pass@k of a problem being one value of its own."""
    if what.k in (None, 1):
        return panel.total, panel.count
    from heatproof.statistics import pass_at_k

    enough = panel.count >= what.k
    right = np.rint(panel.total).astype(np.int64)
    value = np.zeros(panel.total.shape)
    value[enough] = pass_at_k(panel.count[enough], right[enough], what.k)
    return value, enough.astype(np.int64)


def _estimated(panel: Panel, what: Metric) -> tuple[Estimate, Interval]:
    """Values, standard errors and 95 % intervals, clustered by problem."""
    from heatproof import statistics

    total, count = _points(panel, what)
    if what.k in (None, 1):
        one = statistics.cell_estimates(total, count, panel.task, group=panel.family)
    else:
        right = np.rint(panel.total).astype(np.int64)
        one = statistics.pass_estimates(panel.count, right, what.k, panel.task, group=panel.family)
    within = bool(np.all((one.value >= 0) & (one.value <= 1) | np.isnan(one.value)))
    if what.is_share and within:
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


def _against_chance(panel: Panel, what: Metric, sign: int) -> dict[str, Any]:
    """The tied set, the chance range and the problems needed."""
    from heatproof import statistics

    total, count = _points(panel, what)
    total = sign * total
    tied = statistics.tied(total, count, panel.task, group=panel.family)
    chance = statistics.chance_range(total, count, panel.task, group=panel.family)
    found = statistics.problems_needed(total, count, panel.task, group=panel.family)
    filled = (count > 0).any(axis=0)
    return {
        "tied": tied,
        "spread": chance.spread,
        "chance_median": chance.median,
        "chance_high": chance.high,
        "chance_p": chance.p,
        "separated": int((filled & ~tied).sum()),
        # Beyond that nobody will have them, nor does a column hold them.
        "needed": found.needed if found and (found.needed or 0) < 10**12 else None,
    }
