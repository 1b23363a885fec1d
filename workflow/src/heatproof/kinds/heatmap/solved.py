"""How often the problems of a cell were solved, and the tasks of which a mean was made."""

from __future__ import annotations

from collections import Counter
from math import fsum
from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.kinds.heatmap import cells
from heatproof.kinds.places import BUDGET
from heatproof.metrics import metric
from heatproof.samples import counts, totals
from heatproof.util.lazy import numpy as np
from heatproof.util.lazy import polars as pl
from heatproof.util.numerals import show

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heatproof.kinds.heatmap.entry import Entry
    from heatproof.metrics import Metric

    Tally = list[list[Any]]


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
    rows = totals.gather(counted, what, [CELL, *apart], ["odd"])
    key = [CELL, "task", "sample_id"]
    found = totals.sums(rows, key)
    named = {name: found.columns[name] for name in key}
    heads = {name: values[codes] for name, (codes, values) in named.items()}
    there = rows.numbers["count"] > 0
    return Solved(
        pl.DataFrame({**heads, **found.numbers}).sort(key),
        not (rows.numbers["odd"] & there).any(),
        bool((rows.numbers["reconstructed"] & there).any()),
    )


def title(found: Solved, entry: Entry) -> str:
    """What the tally of a cell is called."""
    if not found.graded:
        return f"{metric(entry.encoding.color).of.title()}, mean of a problem"
    return "Graded rows" if found.reconstructed else "Problems by right epochs"


def tallies(found: Solved) -> dict[int, Tally]:
    """Cell → how many problems were right how often; of other numbers lowest, middle, highest.

    Of reconstructed logs only the counts of right and wrong rows are told: which problem was
    solved is made up.
    """
    if found.each[CELL].n_unique() > BUDGET:
        return {}
    if found.graded and not found.reconstructed:
        return _counts(found.each)
    tally = _sums if found.graded else _ends
    parts = found.each.partition_by(CELL, maintain_order=True)
    return {int(part[CELL][0]): tally(part) for part in parts}


def _counts(found: pl.DataFrame) -> dict[int, Tally]:
    rows = found.select(CELL, "count", pl.col("total").round().cast(pl.Int64)).rows()
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


def parts(found: Solved, entry: Entry, spec: str) -> dict[int, Tally]:
    """Cell → task, value, problems and graded rows, where it is the mean of several tasks.

    `spec`: format of a value.
    """
    what, each = metric(entry.encoding.color), found.each
    pairs = each.select(CELL, "task").n_unique()
    if pairs > BUDGET or pairs == each[CELL].n_unique():
        return {}
    told: dict[int, Tally] = {}
    for part in each.partition_by(CELL, "task", maintain_order=True):
        value, problems = _value(part, what)
        shown = cells.scaled(value, 100.0 if entry.shows_percent else 1.0)
        words = "–" if shown is None else show(shown, spec)
        counts = [problems, int(part["count"].sum())]
        (name,) = entry.called("task", [part["task"][0]]).values()
        told.setdefault(int(part[CELL][0]), []).append([name, words, *counts])
    return {cell: tasks for cell, tasks in told.items() if len(tasks) > 1}


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
        if not enough.any():
            return None, 0
        each = pass_at_k(count[enough], np.rint(total[enough]).astype(np.int64), what.k)
    return fsum(each) / len(each), len(each)
