"""How often the problems of a cell were solved, and the tasks of which a mean was made."""

from __future__ import annotations

from collections import Counter
from math import fsum
from typing import TYPE_CHECKING, Any

from heatproof import counts
from heatproof.gallery.evidence._places import BUDGET
from heatproof.heatmaps import cells, problems
from heatproof.lazy import numpy as np
from heatproof.lazy import polars as pl
from heatproof.metrics import metric
from heatproof.numerals import show

if TYPE_CHECKING:
    from heatproof.figures.heatmap import Entry
    from heatproof.metrics import Metric

    Tally = list[list[Any]]


def title(rows: pl.DataFrame, entry: Entry) -> str:
    """What the tally of a cell is called."""
    what = metric(entry.encoding.color).of
    if not _graded(rows, what):
        return f"{what.title()}, mean of a problem"
    return "Graded rows" if rows["reconstructed"].any() else "Problems by right epochs"


def _graded(rows: pl.DataFrame, of: str) -> bool:
    """Whether all that is counted is right or wrong."""
    return of == "score" and bool(rows["score"].is_in([0.0, 1.0]).all())


def counted(rows: pl.DataFrame, entry: Entry) -> pl.DataFrame:
    """Partial aggregates of samples (`heatproof.counts`), each with the number of its `cell`."""
    return counts.count(rows, [metric(entry.encoding.color).of], ["cell"])


def tallies(rows: pl.DataFrame, partial: pl.DataFrame, entry: Entry) -> dict[int, Tally]:
    """Cell → how many problems were right how often; of other numbers lowest, middle, highest.

    Of reconstructed logs only the counts of right and wrong rows are told: which problem was
    solved is made up. `rows`: samples, each with the number of its `cell`; `partial`: `counted`.
    """
    what = metric(entry.encoding.color)
    found = _problems(partial, ["cell"], what)
    if found["cell"].n_unique() > BUDGET:
        return {}
    if _graded(rows, what.of) and not rows["reconstructed"].any():
        return _counts(found)
    tally = _sums if _graded(rows, what.of) else _ends
    parts = found.partition_by("cell", maintain_order=True)
    return {int(part["cell"][0]): tally(part) for part in parts}


def _problems(partial: pl.DataFrame, by: list[str], what: Metric) -> pl.DataFrame:
    """A row per problem of each `by`, sorted: `count` and `total` as the grid has them."""
    key = list(dict.fromkeys([*by, "task", "sample_id"]))
    rows = problems.gather([partial.lazy()], what, counts.told_apart(partial.columns))
    found = problems.sums(rows, key)
    named = {name: found.columns[name] for name in key}
    heads = {name: values[codes] for name, (codes, values) in named.items()}
    return pl.DataFrame({**heads, **found.numbers}).sort(key)


def _counts(found: pl.DataFrame) -> dict[int, Tally]:
    rows = found.select("cell", "count", pl.col("total").round().cast(pl.Int64)).rows()
    tallies: dict[int, Tally] = {}
    for (cell, epochs, right), number in sorted(Counter(rows).items(), reverse=True):
        tallies.setdefault(cell, []).append([f"{right} of {epochs}", number])
    return tallies


def _sums(part: pl.DataFrame) -> Tally:
    right = round(part["total"].sum())
    return [["right", right], ["wrong", int(part["count"].sum()) - right]]


def _ends(part: pl.DataFrame) -> Tally:
    means = (part["total"] / part["count"]).sort()
    at = {"lowest": 0, "middle": len(means) // 2, "highest": len(means) - 1}
    return [[words, show(means[place], ".6~g")] for words, place in at.items()]


def parts(partial: pl.DataFrame, entry: Entry, spec: str) -> dict[int, Tally]:
    """Cell → task, value, problems and graded rows, where it is the mean of several tasks.

    `partial`: see `counted`; `spec`: format of a value.
    """
    what = metric(entry.encoding.color)
    if partial.select(pl.struct("cell", "task").n_unique()).item() == partial["cell"].n_unique():
        return {}
    sums = _problems(partial, ["cell", "task"], what)
    each = sums.partition_by("cell", "task", maintain_order=True)
    if len(each) > BUDGET:
        return {}
    found: dict[int, Tally] = {}
    for part in each:
        value, problems = _value(part, what)
        shown = cells.scaled(value, 100.0 if entry.shows_percent else 1.0)
        told = "–" if shown is None else show(shown, spec)
        counts = [problems, int(part["count"].sum())]
        found.setdefault(int(part["cell"][0]), []).append([part["task"][0], told, *counts])
    return {cell: tasks for cell, tasks in found.items() if len(tasks) > 1}


def _value(part: pl.DataFrame, what: Metric) -> tuple[float | None, int]:
    """Mean over the problems of one task, and their number; in any order of rows the same."""
    from heatproof.statistics import pass_at_k

    count, total = part["count"].to_numpy(), part["total"].to_numpy()
    if part["reconstructed"].any():
        return float(total.sum() / count.sum()), len(part)
    if what.k in (None, 1):
        each = total / count
    else:
        enough = count >= what.k
        each = pass_at_k(count[enough], np.rint(total[enough]).astype(np.int64), what.k)
    return (fsum(each) / len(each) if len(each) else None), len(each)
