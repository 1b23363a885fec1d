"""A heatmap against a baseline: each cell less, or over, one that is the same but for some columns.

Both are taken on the problems that both hold (samples of one id in one task), so that own, baseline
and difference always add up. A cell without such problems has no value: a gap is not parity.
"""

from __future__ import annotations

from math import fsum
from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.kinds.heatmap import baseline_pairs, judging, reasons
from heatproof.util.lazy import numpy as np
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from heatproof.kinds.heatmap.baseline_pairs import Held, Part
    from heatproof.kinds.heatmap.entry import Entry
    from heatproof.metrics import Metric
    from heatproof.statistics import Gaps, Limits, Pairs, Scores
    from heatproof.util.codes import Rows

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]
    Flags = NDArray[np.bool_]


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
    for parts in baseline_pairs.panels(rows, base, axes, entry):
        if made_up or what.join:
            means = [_unpaired(part, what, made_up) for part in parts]
        else:
            means = _paired(parts, what, entry.relation == "ratio")
        found += [_frame(p, m, what, entry) for p, m in zip(parts, means, strict=True)]
    return pl.concat(found).sort("cell").drop("cell")


def against(grid: pl.DataFrame, found: pl.DataFrame, entry: Entry) -> pl.DataFrame:
    """The grid with what its cells are beside their baseline (`beside`), and which are it.

    No best and no tied set is told: they would be those of another figure.
    """
    emptied = [
        pl.lit(None, grid.schema[name]).alias(name) for name in (*judging.CHANCE, "peers", "common")
    ]
    at = dict(zip(entry.along, entry.places, strict=True))
    given = entry.apart
    inside = bool(given) and all(name in at and value is not None for name, value in given.items())
    tests = [pl.col(at[name]) == value for name, value in given.items()] if inside else []
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


def _scores(held: Held, what: Metric) -> Scores:
    from heatproof import statistics

    if what.votes or what.k in (None, 1) or not (held.epochs >= what.k).any():
        total, count = what.points(held.epochs, held.total)
        return statistics.scores(total, count)
    right = np.rint(held.total).astype(np.int64)
    return statistics.pass_scores(held.epochs, right, what.k, every=what.every)


def _paired(parts: Sequence[Part], what: Metric, ratio: bool) -> list[Means]:
    """Of means: differences by problem, and their simultaneous intervals."""
    from heatproof import statistics

    sides = [(_scores(part.own, what), _scores(part.base, what)) for part in parts]
    pairs = [
        statistics.Pairs(*both, part.task, part.family)
        for both, part in zip(sides, parts, strict=True)
    ]
    found = [statistics.gaps(one) for one in pairs]
    if not all(_is_bounded(part) for part in parts):
        return [_unjudged(gap, ratio) for gap in found]
    limits = statistics.simultaneous([*zip(pairs, found, strict=True)], share=True, ratio=ratio)
    told = []
    for part, one, gap, limit in zip(parts, pairs, found, limits, strict=True):
        why = _doubts(part, one, gap, limit)
        low, high = limit.low, limit.high
        differs = [
            None if said else bool(a > 0 or b < 0)
            for a, b, said in zip(low, high, why, strict=True)
        ]
        if ratio:
            low, high, _ = statistics.fieller(one, gap, limit, share=True)
        doubt = np.array([bool(said) for said in why], bool)
        low, high = (np.where(doubt, np.nan, end) for end in (low, high))
        se = np.full(len(low), np.nan) if ratio else gap.se
        told.append(Means(gap.own, gap.base, gap.difference, se, low, high, differs, why))
    return told


def _is_bounded(part: Part) -> bool:
    """Whether all scores lie from 0 to 1, so that no problem seen or unseen outweighs the rest."""
    sides = part.own, part.base
    return all(bool(np.all((one.total >= 0) & (one.total <= one.epochs))) for one in sides)


def _unjudged(gap: Gaps, ratio: bool) -> Means:
    """Of numbers without bounds: rare large ones may make a mean, and few problems show none."""
    none = np.full(len(gap.own), np.nan)
    se = none if ratio else gap.se
    alike = (gap.se == 0) & (gap.difference == 0)
    why = [None if one else reasons.UNBOUNDED for one in alike]
    differs: list[bool | None] = [None] * len(none)
    return Means(gap.own, gap.base, gap.difference, se, none, none, differs, why)


def _doubts(part: Part, pairs: Pairs, gap: Gaps, limits: Limits) -> list[str | None]:
    """Why there is no interval, of each cell."""
    from heatproof import statistics

    outweighing, few = statistics.doubtful(pairs, share=True)
    said: list[str | None] = []
    for cell in range(len(part.cells)):
        if np.isnan(gap.difference[cell]) or (gap.se[cell] == 0 and not gap.difference[cell]):
            said.append(None)
        elif outweighing:
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


def _value(part: Part, held: Held, common: Flags, cell: int, what: Metric, made_up: bool) -> float:
    """Mean over tasks of what common problems give; NaN where one gives nothing."""
    values = []
    for task in range(len(part.tasks)):
        mine = common[:, cell] & (part.task == task)
        count, total = held.epochs[mine, cell], held.total[mine, cell]
        if made_up:
            values.append(float(total.sum() / count.sum()) if count.any() else None)
        else:
            values.append(what.value(count, total)[0])
    known = [value for value in values if value is not None]
    return fsum(known) / len(known) if known and len(known) == len(values) else float("nan")


def _frame(part: Part, means: Means, what: Metric, entry: Entry) -> pl.DataFrame:
    """The rows of `beside`."""
    whole, common = _whole(part, what), _common(part, what)
    there = np.asarray(whole.all(axis=0) & bool(len(part.tasks)))
    value = np.where(there, means.value, np.nan)
    gaps: list[str | None] = [
        None if there[n] else reasons.unpaired_words(part.tasks, whole[:, n], bool(part.there[n]))
        for n in range(len(part.cells))
    ]
    if entry.relation == "ratio":
        some = np.asarray(there & (means.base > 0) & (means.own >= 0))
        gaps = [
            reasons.no_ratio_words(means.base[n]) if there[n] and not some[n] else gap
            for n, gap in enumerate(gaps)
        ]
        with np.errstate(invalid="ignore", divide="ignore"):
            value = np.where(some, means.own / means.base, np.nan)
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
