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


class Known(NamedTuple):
    """What is known of the uncertainty of a cell."""

    se: float | None
    low: float | None
    high: float | None
    problems: int | None


NONE = Known(None, None, None, None)


def numbers(
    samples: pl.DataFrame, along: Sequence[str], what: Metric
) -> dict[tuple[Any, ...], dict[str, list[Number]]]:
    """Place of a cell → task → its numbers, in the order of the samples."""
    there = set(samples.columns)
    beside = [
        (pl.col(name) if name in there else pl.lit(None, pl.Float64)).alias(end)
        for end in (STDERR, N)
        for name in [f"{what.of}{end}"]
    ]
    rows = samples.filter(pl.col(what.of).is_not_null())
    places = [pl.col(name).alias(f"#{at}") for at, name in enumerate(along)]
    found: dict[tuple[Any, ...], dict[str, list[Number]]] = {}
    for *cell, task, value, error, size in rows.select(
        *places, "task", pl.col(what.of).alias("#value"), *beside
    ).iter_rows():
        found.setdefault(tuple(cell), {}).setdefault(task, []).append(Number(value, error, size))
    return found


def with_uncertainty(
    grid: pl.DataFrame, samples: pl.LazyFrame, entry: Entry, what: Metric
) -> pl.DataFrame:
    """The grid with `se`, `low`, `high` and `problems` of the numbers behind each cell."""
    chosen = selection.choose(samples, entry.where, f"figures.{entry.name}").collect()
    shares = samples.select(pl.col(what.of).is_between(0, 1).all()).collect().item()
    found = numbers(chosen, entry.along, what)
    cells = [
        known(found[place], shares) if value is not None and place in found else NONE
        for *at, value in grid.select(*entry.places, "value").iter_rows()
        for place in [tuple(at)]
    ]
    return grid.with_columns(
        *(
            pl.Series(name, [getattr(one, name) for one in cells], pl.Float64)
            for name in ("se", "low", "high")
        ),
        pl.Series(PROBLEMS, [one.problems for one in cells], pl.Int64),
    )


def known(tasks: Mapping[str, Sequence[Number]], shares: bool) -> Known:
    """What is known of the mean over tasks of the means of their numbers.

    `shares`: all numbers of the column lie in 0–1. A standard error of 0 alone gives no interval.
    """
    each = [_of_task(some) for _, some in sorted(tasks.items())]
    sizes = [one.size for one in each]
    problems = None if None in sizes else int(fsum(size or 0 for size in sizes))
    errors = [_error(one, shares) for one in each]
    if None in errors:
        return NONE._replace(problems=problems)
    se = sqrt(fsum((error or 0.0) ** 2 for error in errors)) / len(each)
    if shares and all(_is_binomial(one) for one in each):
        from heatproof import statistics

        tried = np.array([[size] for size in sizes])
        right = np.array([[one.value * (one.size or 0)] for one in each])
        _, limits = statistics.count_estimates(right, tried)
        return Known(se, float(limits.low[0]), float(limits.high[0]), problems)
    if not se:
        return Known(se, None, None, problems)
    value = fsum(one.value for one in each) / len(each)
    low, high = value - Z * se, value + Z * se
    return Known(se, *((max(low, 0.0), min(high, 1.0)) if shares else (low, high)), problems)


Z = 1.959963984540
"""97.5 % quantile of the standard normal distribution."""


def _of_task(some: Sequence[Number]) -> Number:
    """The mean of numbers that may be of the same problems."""
    errors = [one.error for one in some]
    sizes = [one.size for one in some if one.size is not None]
    return Number(
        fsum(one.value for one in some) / len(some),
        None if None in errors else fsum(error or 0.0 for error in errors) / len(some),
        min(sizes) if len(sizes) == len(some) else None,
    )


def _error(one: Number, shares: bool) -> float | None:
    """The standard error of a number: as printed, or of a share of so many."""
    if one.error or one.size is None or not shares:
        return one.error
    return sqrt(one.value * (1 - one.value) / one.size)


NEAR = 0.05
"""Part by which a printed standard error may be off that of a share: it was rounded."""


def _is_binomial(one: Number) -> bool:
    """Whether a share of so many problems tells what is known: no error was printed, or its own."""
    if one.size is None or not one.error:
        return one.size is not None
    spread = one.value * (1 - one.value)
    own = [sqrt(spread / size) for size in (one.size, one.size - 1) if size]
    return any(abs(one.error - error) <= NEAR * error for error in own)


def counts_words(rows: Iterable[Mapping[str, Any]], what: str) -> str:
    """How many problems are behind the numbers of a `what`, as far as it was printed."""
    sizes = [row[PROBLEMS] for row in rows if not row["missing"]]
    told = [size for size in sizes if size is not None]
    if not told:
        return "how many problems are behind them was not printed"
    some = " where it was printed" * (len(told) < len(sizes))
    return f"{span(told)} problems a {what}{some}"


def kinds(rows: Iterable[Mapping[str, Any]]) -> Counter[str]:
    """Where intervals of cells come from → of how many: keys of `RANGES`."""
    found = Counter[str]()
    for row in rows:
        if None not in (row["se"], row["low"], row["high"]):
            half = Z * row["se"]
            sides = row["high"] - row["value"], row["value"] - row["low"]
            found["printed" if any(abs(s - half) <= EVEN * half for s in sides) else "share"] += 1
    return Counter({name: found[name] for name in RANGES if name in found})


EVEN = 1e-6


def errors_words(rows: Iterable[Mapping[str, Any]]) -> str:
    """What standard errors are."""
    return f"standard error {ERRORS['share' if kinds(rows)['share'] else 'printed']}"


def ranges_words(rows: Sequence[Mapping[str, Any]]) -> str:
    """What intervals are, and of how many cells where not all have the same."""
    found, cells = kinds(rows), sum(not row["missing"] for row in rows)
    if [*found.values()] == [cells]:
        (name,) = found
        return f"95\u00a0% interval{LIKE}: {RANGES[name]}"
    each = [
        f"{RANGES[name]} (in {many:,} of {numbered(cells, 'cell')})" for name, many in found.items()
    ]
    return f"95\u00a0% interval{LIKE}: {', or '.join(each)}"


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
