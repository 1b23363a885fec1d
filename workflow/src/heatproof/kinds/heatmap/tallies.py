"""What the page tells of the problems behind a cell: how often each was right, and its tasks."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.charts import units, wording
from heatproof.kinds.cell_records import BUDGET
from heatproof.metrics import PRINTED, metric
from heatproof.samples import answers, counts
from heatproof.util.lazy import polars as pl
from heatproof.util.numerals import show

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heatproof.charts.units import Unit
    from heatproof.kinds.heatmap.entry import Entry
    from heatproof.metrics import Metric
    from heatproof.util.numerals import Digits

    Tally = list[Any]

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
