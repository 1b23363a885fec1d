"""Cells of aggregates: the uncertainty of numbers that were printed.

No problem behind them is known, so there is no tied set and no chance. A share of right answers
with its number of problems has Wilson's interval (1927), unless a standard error is printed that is
not of such a share; else a standard error gives value ± 1.96 of them, within 0 and 1 if all numbers
of the column lie there (0.9 beside 82.0 is in percent). A mean over tasks adds variances, for tasks
are independent. Numbers of other means, as over seeds, may be of the same problems, so that the
standard error is at most the mean of theirs: this mean is taken.
"""

from __future__ import annotations

from math import fsum, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof import statistics
from heatproof.charts.sheet import LIKE
from heatproof.samples import selection
from heatproof.util.lazy import numpy as np
from heatproof.util.lazy import polars as pl
from heatproof.util.numerals import spanned

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from heatproof.kinds.columns import Grid, Samples
    from heatproof.kinds.heatmap.cell import Cell
    from heatproof.kinds.question import Question
    from heatproof.metrics import Metric

    Uncertainty = tuple[float | None, float | None, float | None, int | None]
    """Standard error, ends of the interval and problems of a cell, as far as they are known."""

PROBLEMS = "problems"
"""Of a grid: how many problems are behind a cell, as printed; null where that is not known."""
COLUMNS = ("se", "low", "high", PROBLEMS)
ERRORS = {
    "se": ("standard error as printed", ", or of a share of as many problems as were printed"),
    "interval": (
        f"95\u00a0% interval{LIKE}",
        ": Wilson's of as many problems as were printed, or ± 1.96 printed standard errors",
    ),
}
"""Uncertainty → what it is, and where it comes from."""
UNKNOWN = None, None, None, None
Z = 1.959963984540  # 97.5 % quantile of the standard normal distribution
NEAR = 0.05  # part by which a printed standard error may be off that of a share: it was rounded


class PrintedNumber(NamedTuple):
    """A number with what was printed beside it."""

    value: float
    error: float | None
    size: float | None

    @property
    def is_binomial(self) -> bool:
        """Whether a share of so many problems says it all: no error was printed, or its own."""
        if self.size is None or not self.error:
            return self.size is not None
        spread = self.value * (1 - self.value)
        errors = [sqrt(spread / size) for size in (self.size, self.size - 1) if size]
        return any(abs(self.error - error) <= NEAR * error for error in errors)


def with_uncertainty(grid: Grid, samples: Samples, question: Question, metric: Metric) -> Grid:
    """The grid with `COLUMNS` of the numbers behind each cell."""
    place = f"config.yaml: {question.place}"
    chosen = selection.choose(samples, question.where, place).collect()
    shares = samples.select(pl.col(metric.of).is_between(0, 1).all()).collect().item()
    cells = _numbers_of_cells(chosen, question, metric)
    uncertainties: list[Uncertainty] = []
    for cell, value in zip(grid.select(question.places).rows(), grid["value"], strict=True):
        uncertainties.append(UNKNOWN)
        if value is not None and cell in cells:
            uncertainties[-1] = uncertainty(cells[cell], shares)
    types = dict.fromkeys(COLUMNS, pl.Float64()) | {PROBLEMS: pl.Int64()}
    return grid.with_columns(pl.DataFrame(uncertainties, types, orient="row"))


def _numbers_of_cells(
    chosen: Grid, question: Question, metric: Metric
) -> dict[tuple[Any, ...], dict[str, list[PrintedNumber]]]:
    """Cell → task → its numbers."""
    # Columns of samples behind the name of a number (`formats.aggregates`).
    columns = [pl.col(name) for name in (*question.along, "task", metric.of)]
    for name in (f"{metric.of}_stderr", f"{metric.of}_n"):
        is_printed = name in chosen.columns
        columns.append(pl.col(name) if is_printed else pl.lit(None, pl.Float64))
    numbered = [column.alias(f"#{number}") for number, column in enumerate(columns)]
    rows = chosen.filter(pl.col(metric.of).is_not_null()).select(numbered)
    cells: dict[tuple[Any, ...], dict[str, list[PrintedNumber]]] = {}
    for *cell, task, value, error, size in rows.iter_rows():
        tasks = cells.setdefault(tuple(cell), {})
        tasks.setdefault(task, []).append(PrintedNumber(value, error, size))
    return cells


def uncertainty(tasks: Mapping[str, Sequence[PrintedNumber]], shares: bool) -> Uncertainty:
    """That of the mean over tasks of the means of their numbers.

    `shares`: all numbers of the column lie in 0–1. A standard error of 0 alone gives no interval.
    """
    means = [_mean_of_numbers(numbers) for _, numbers in sorted(tasks.items())]
    sizes = [number.size for number in means]
    errors = []
    problems = None
    if None not in sizes:
        problems = int(fsum(size or 0 for size in sizes))
    for number in means:
        error = number.error
        if not error and number.size is not None and shares:
            error = sqrt(number.value * (1 - number.value) / number.size)
        if error is None:
            return None, None, None, problems
        errors.append(error)
    se = sqrt(fsum(error**2 for error in errors)) / len(means)
    if shares and all(number.is_binomial for number in means):
        right = np.array([[number.value * (number.size or 0)] for number in means])
        _, limits = statistics.count_estimates(right, np.array([[size] for size in sizes]))
        return se, float(limits.low[0]), float(limits.high[0]), problems
    if not se:
        return se, None, None, problems
    value = fsum(number.value for number in means) / len(means)
    low = value - Z * se
    high = value + Z * se
    if shares:
        return (se, max(low, 0.0), min(high, 1.0), problems)
    return (se, low, high, problems)


def _mean_of_numbers(numbers: Sequence[PrintedNumber]) -> PrintedNumber:
    """The mean of numbers that may be of the same problems."""
    errors = [number.error for number in numbers if number.error is not None]
    sizes = [number.size for number in numbers if number.size is not None]
    return PrintedNumber(
        fsum(number.value for number in numbers) / len(numbers),
        fsum(errors) / len(numbers) if len(errors) == len(numbers) else None,
        min(sizes) if len(sizes) == len(numbers) else None,
    )


def printed_counts_words(rows: Iterable[Cell], noun: str) -> str:
    """How many problems are behind the numbers of a `noun`, as far as it was printed."""
    sizes = [row.problems for row in rows]
    printed = [size for size in sizes if size is not None]
    if not printed:
        return "how many problems are behind them was not printed"
    size_words = spanned(printed, "problems")
    words = f"{size_words} a {noun}"
    if len(printed) < len(sizes):
        return f"{words} where it was printed"
    return words
