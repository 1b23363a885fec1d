"""Tables of digits printed in a paper."""

from __future__ import annotations

import csv
import io
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.util.errors import Error, choices

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MEAN = "mean"
"""Stands for the benchmark where the number is the mean over all of them."""


class Digits(NamedTuple):
    """One printed number: a share in percent, and what it is of."""

    model: str
    benchmark: str
    ratio: str
    local_window: str
    text: str
    """As printed: its decimals tell how it was rounded."""
    problems: int = 0
    samples: int = 0
    """Answers to each problem."""

    def __str__(self) -> str:
        where = f"ratio {self.ratio}, local window {self.local_window}"
        return f"{self.model}, {self.benchmark}, {where}: {self.text}"

    @property
    def graded(self) -> int:
        return self.problems * self.samples

    @property
    def span(self) -> tuple[Fraction, Fraction]:
        """Lowest and highest share (0–1) that prints so.

        A share on the half between two printed numbers fits both, whichever way it was rounded.
        """
        half = Fraction(1, 2 * 10 ** len(self.text.partition(".")[2]))
        return (Fraction(self.text) - half) / 100, (Fraction(self.text) + half) / 100


def _count(text: str) -> int:
    if int(text) < 1:
        raise ValueError
    return int(text)


SETTINGS: dict[str, Callable[[str], Any]] = {
    "model": str,
    "benchmark": str,
    "ratio": float,
    "local_window": int,
    "pass_at_1": Fraction,
}
"""Column of a table → what its text must read as."""


def read(text: str, place: str = "printed digits") -> list[Digits]:
    """The rows of a CSV table: `SETTINGS`, problems, samples_per_problem.

    Raises:
        Error: a column is missing or a value is wrong; `place` (the path) and line are named.
    """
    columns = {**SETTINGS, "problems": _count, "samples_per_problem": _count}
    return [Digits(*values) for values in _rows(text, place, columns)]


def read_means(text: str, place: str = "printed means") -> list[Digits]:
    """The rows of a CSV table of means over the benchmarks: `SETTINGS` without benchmark.

    Raises:
        Error: as for `read`.
    """
    columns = {name: kind for name, kind in SETTINGS.items() if name != "benchmark"}
    return [Digits(model, MEAN, *values) for model, *values in _rows(text, place, columns)]


def _rows(text: str, place: str, columns: dict[str, Callable[[str], Any]]) -> Iterator[list[Any]]:
    """The values of each line; numbers of settings stay as they are printed."""
    rows = csv.DictReader(io.StringIO(text))
    found = rows.fieldnames or []
    for column in sorted(columns.keys() - set(found)):
        raise Error(f"{place}: no column {column!r}; {choices(column, found)}")
    for row in rows:
        for column, kind in columns.items():
            try:
                kind(row[column] or "")
            except ValueError:
                said = f"{row[column]!r} is not a {'count' if kind is _count else 'number'}"
                raise Error(f"{place}:{rows.line_num}: {column}: {said}") from None
        yield [int(row[name]) if kind is _count else row[name] for name, kind in columns.items()]
