"""Cells of aggregates: what is known of the uncertainty of numbers that were printed.

No problem behind them is known. So there is no tied set and no chance; of a number there is what
was printed beside it. The number of problems that a share of right answers is of gives Wilson's
interval (1927), beside a standard error too where that is just of such a share; else a standard
error gives value ± 1.96 of them, within 0 and 1 if all numbers of the column lie there. Whether
they are shares is decided by all of them: 0.9 beside 82.0 is in percent. A mean over tasks adds
variances, for tasks are independent. Of a mean over anything else, such as seeds, the numbers may
be of the same problems, so that its standard error is at most the mean of theirs: that is what is
told.
"""

from __future__ import annotations

from collections import Counter
from math import fsum, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.charts.sheet import LIKE
from heatproof.samples import selection
from heatproof.util.lazy import numpy as np
from heatproof.util.lazy import polars as pl
from heatproof.util.numerals import numbered, span

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from heatproof.kinds.heatmap.entry import Entry
    from heatproof.metrics import Metric

PROBLEMS = "problems"
"""Of a grid: how many problems are behind a cell, as printed; null where that is not known."""
N, STDERR = "_n", "_stderr"
"""Columns of samples behind the name of a number (`formats.aggregates`)."""
ERRORS = {
    "printed": "as printed",
    "share": "as printed, or where none was, of a share of as many problems as were printed",
}
RANGES = {"printed": "± 1.96 printed standard errors", "share": "Wilson's of as many problems"}
"""Where standard errors and intervals come from."""
NO_SHARES = (
    ", and as not all numbers lie between 0 and 1, none follows from how many problems there are"
)
OF_TASKS, AT_MOST = "tasks are independent", "at most: the numbers may be of the same problems"
"""What is said of the standard error of a mean over tasks, and over anything else."""


class Number(NamedTuple):
    """A number with what was printed beside it."""

    value: float
    error: float | None
    size: float | None


class Uncertainty(NamedTuple):
    """What is known of the uncertainty of a cell."""

    se: float | None = None
    low: float | None = None
    high: float | None = None
    problems: int | None = None


def numbers(
    samples: pl.DataFrame, along: Sequence[str], what: Metric
) -> dict[tuple[Any, ...], dict[str, list[Number]]]:
    """Place of a cell → task → its numbers, in the order of the samples."""
    columns = [pl.col(name).alias(f"#{at}") for at, name in enumerate((*along, "task", what.of))]
    for end in (STDERR, N):
        name = f"{what.of}{end}"
        beside = pl.col(name) if name in samples.columns else pl.lit(None, pl.Float64)
        columns.append(beside.alias(end))
    by_cell: dict[tuple[Any, ...], dict[str, list[Number]]] = {}
    rows = samples.filter(pl.col(what.of).is_not_null()).select(columns)
    for *cell, task, value, error, size in rows.iter_rows():
        tasks = by_cell.setdefault(tuple(cell), {})
        tasks.setdefault(task, []).append(Number(value, error, size))
    return by_cell


def with_uncertainty(
    grid: pl.DataFrame, samples: pl.LazyFrame, entry: Entry, what: Metric
) -> pl.DataFrame:
    """The grid with `se`, `low`, `high` and `problems` of the numbers behind each cell."""
    chosen = selection.choose(samples, entry.where, f"config.yaml: figures.{entry.name}").collect()
    shares = samples.select(pl.col(what.of).is_between(0, 1).all()).collect().item()
    by_cell = numbers(chosen, entry.along, what)
    cells = [
        uncertainty(by_cell[place], shares) if value is not None and place in by_cell
        else Uncertainty()
        for *at, value in grid.select(*entry.places, "value").iter_rows()
        for place in [tuple(at)]
    ]  # fmt: skip
    kinds = dict.fromkeys(("se", "low", "high"), pl.Float64) | {PROBLEMS: pl.Int64}
    return grid.with_columns(
        pl.Series(name, [getattr(cell, name) for cell in cells], kind)
        for name, kind in kinds.items()
    )


Z = 1.959963984540
"""97.5 % quantile of the standard normal distribution."""


def uncertainty(tasks: Mapping[str, Sequence[Number]], shares: bool) -> Uncertainty:
    """That of the mean over tasks of the means of their numbers.

    `shares`: all numbers of the column lie in 0–1. A standard error of 0 alone gives no interval.
    """
    means = [_mean(parts) for _, parts in sorted(tasks.items())]
    sizes = [number.size for number in means]
    problems = None if None in sizes else int(fsum(size or 0 for size in sizes))
    errors = [_error(number, shares) for number in means]
    if None in errors:
        return Uncertainty(problems=problems)
    se = sqrt(fsum((error or 0.0) ** 2 for error in errors)) / len(means)
    if shares and all(map(_is_binomial, means)):
        from heatproof import statistics

        right = np.array([[number.value * (number.size or 0)] for number in means])
        _, limits = statistics.count_estimates(right, np.array([[size] for size in sizes]))
        return Uncertainty(se, float(limits.low[0]), float(limits.high[0]), problems)
    if not se:
        return Uncertainty(se, problems=problems)
    value = fsum(number.value for number in means) / len(means)
    low, high = value - Z * se, value + Z * se
    if shares:
        low, high = max(low, 0.0), min(high, 1.0)
    return Uncertainty(se, low, high, problems)


def _mean(parts: Sequence[Number]) -> Number:
    """The mean of numbers that may be of the same problems."""
    errors = [number.error for number in parts]
    sizes = [number.size for number in parts if number.size is not None]
    return Number(
        fsum(number.value for number in parts) / len(parts),
        None if None in errors else fsum(error or 0.0 for error in errors) / len(parts),
        min(sizes) if len(sizes) == len(parts) else None,
    )


def _error(number: Number, shares: bool) -> float | None:
    """The standard error of a number: as printed, or of a share of so many."""
    if number.error or number.size is None or not shares:
        return number.error
    return sqrt(number.value * (1 - number.value) / number.size)


NEAR = 0.05
"""Part by which a printed standard error may be off that of a share: it was rounded."""


def _is_binomial(number: Number) -> bool:
    """Whether a share of so many problems says what is known: no error was printed, or its own."""
    if number.size is None or not number.error:
        return number.size is not None
    spread = number.value * (1 - number.value)
    errors = [sqrt(spread / size) for size in (number.size, number.size - 1) if size]
    return any(abs(number.error - error) <= NEAR * error for error in errors)


def counts_words(rows: Iterable[Mapping[str, Any]], what: str) -> str:
    """How many problems are behind the numbers of a `what`, as far as it was printed."""
    sizes = [row[PROBLEMS] for row in rows if not row["missing"]]
    printed = [size for size in sizes if size is not None]
    if not printed:
        return "how many problems are behind them was not printed"
    some = " where it was printed" * (len(printed) < len(sizes))
    return f"{span(printed)} problems a {what}{some}"


def kinds(rows: Iterable[Mapping[str, Any]]) -> Counter[str]:
    """Where intervals of cells come from → of how many: keys of `RANGES`."""
    counts = Counter[str]()
    for row in rows:
        if None not in (row["se"], row["low"], row["high"]):
            half = Z * row["se"]
            sides = row["high"] - row["value"], row["value"] - row["low"]
            even = any(abs(side - half) <= EVEN * half for side in sides)
            counts["printed" if even else "share"] += 1
    return Counter({name: counts[name] for name in RANGES if name in counts})


EVEN = 1e-6


def errors_words(rows: Iterable[Mapping[str, Any]]) -> str:
    """What standard errors are."""
    return f"standard error {ERRORS['share' if kinds(rows)['share'] else 'printed']}"


def ranges_words(rows: Sequence[Mapping[str, Any]]) -> str:
    """What intervals are, and of how many cells where not all have the same."""
    counts, cells = kinds(rows), sum(not row["missing"] for row in rows)
    if [*counts.values()] == [cells]:
        return f"95\u00a0% interval{LIKE}: {RANGES[next(iter(counts))]}"
    parts = [
        f"{RANGES[name]} (in {many:,} of {numbered(cells, 'cell')})"
        for name, many in counts.items()
    ]
    return f"95\u00a0% interval{LIKE}: {', or '.join(parts)}"


def uncertainty_words(rows: Sequence[Mapping[str, Any]], over: str | None) -> str:
    """Where the uncertainty of numbers comes from; `over`: what cells are the mean over."""
    if all(row["se"] is None for row in rows):
        sized = any(row[PROBLEMS] is not None for row in rows)
        return f"no uncertainty was printed{NO_SHARES * sized}"
    mean = {None: "", "task": f"; {OF_TASKS}"}.get(over, f"; of a mean over {over} {AT_MOST}")
    return f"±: {errors_words(rows)}; {ranges_words(rows)}{mean}"


def size_words(row: Mapping[str, Any]) -> str:
    """How many problems are behind a cell."""
    size = row[PROBLEMS] if PROBLEMS in row else row["samples"]
    return "–" if size is None else f"{size:,}"
