"""Digits printed in a paper: read, and compared with the cells of our grids, every one."""

from __future__ import annotations

import csv
import io
from fractions import Fraction
from math import lcm
from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.util import spreadsheet
from heatproof.util.errors import Error, choices

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from heatproof.util.lazy import polars as pl

    Place = tuple[str, str, float, int]

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


class Compared(NamedTuple):
    """A printed number beside the one computed from the logs."""

    digits: Digits
    computed: Fraction | None
    """In percent, exact; None: no grid has the cell, or not all of its samples."""
    figures: list[str]
    """Figures that show the cell."""

    @property
    def agree(self) -> bool:
        """Whether the computed number prints as the published one."""
        low, high = self.digits.span
        return self.computed is not None and low <= self.computed / 100 <= high


def compare(
    grids: Mapping[str, pl.DataFrame],
    entries: Mapping[str, Mapping[str, Any]],
    cells: Sequence[Digits],
    means: Sequence[Digits],
) -> list[Compared]:
    """Each printed number with what the grids say, cells first, then means over the benchmarks.

    `grids` and `entries`: figure → its grid and its config entry, heatmaps of Pass@1 over ratio
    and local window. Values are compared as exact fractions, got back from the floats of the
    grid by the number of graded answers. Rounding half up and half to even give the same: with
    150, 200 or 990 answers no share lies on the half, nor does any of the 40 means.
    """
    graded = {(d.model, d.benchmark): d.graded for d in cells}
    shown = _shown(grids, entries)
    found = [_compared(d, [d.graded], shown) for d in cells]
    for mean in means:
        tasks = [n for (model, _), n in graded.items() if model == mean.model]
        found.append(_compared(mean, tasks, shown))
    return found


def _shown(
    grids: Mapping[str, pl.DataFrame], entries: Mapping[str, Mapping[str, Any]]
) -> dict[Place, dict[str, tuple[float | None, int]]]:
    """Place of a cell → figure → its value (0–1) and number of graded answers."""
    shown: dict[Place, dict[str, tuple[float | None, int]]] = {}
    for figure, grid in grids.items():
        for row in grid.iter_rows(named=True):
            if place := _place(row, entries[figure]):
                shown.setdefault(place, {})[figure] = row["value"], row["epochs"]
    return shown


def _place(row: Mapping[str, Any], entry: Mapping[str, Any]) -> Place | None:
    """Model, benchmark, ratio and local window of a cell; None if it is not of these."""
    axes = {entry["encoding"]["x"]: row["x"], entry["encoding"]["y"]: row["y"]}
    settings = {**row, **entry["where"], **axes}
    if entry.get("mean_over") == "task":
        settings["task"] = MEAN
    if any(name not in settings for name in ("model", "task", "ratio", "local_window")):
        return None
    return settings["model"], settings["task"], settings["ratio"], settings["local_window"]


def _compared(
    digits: Digits, graded: list[int], shown: Mapping[Place, Mapping[str, tuple[Any, int]]]
) -> Compared:
    """`graded`: answers in each benchmark that the number is the mean of."""
    place = digits.model, digits.benchmark, float(digits.ratio), int(digits.local_window)
    found = shown.get(place, {})
    common = len(graded) * lcm(*graded)
    exact = {
        Fraction(100 * round(value * common), common)
        for value, epochs in found.values()
        if value is not None and epochs == sum(graded)
    }
    # Two figures that show a cell differently leave it without a number.
    return Compared(digits, exact.pop() if len(exact) == 1 else None, list(found))


def table(rows: Iterable[Compared]) -> str:
    """CSV, a line per printed number; percent, the computed ones to three decimals."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(
        ["model", "benchmark", "ratio", "local_window", "printed", "computed", "agree", "figures"]
    )
    for row in rows:
        computed = "" if row.computed is None else f"{float(row.computed):.3f}"
        agree = "yes" if row.agree else "no"
        model, benchmark, *digits = row.digits[:5]
        named = map(spreadsheet.guarded, (model, benchmark))
        writer.writerow([*named, *digits, computed, agree, " ".join(row.figures)])
    return text.getvalue()


def summary(rows: Sequence[Compared]) -> str:
    """One sentence: how many agree, and which do not."""
    wrong = [row for row in rows if not row.agree]
    said = f"{len(rows) - len(wrong)} of {len(rows)} printed digits agree"
    return f"{said}; not {'; not '.join(map(_told, wrong))}." if wrong else f"{said}."


def _told(row: Compared) -> str:
    d = row.digits
    computed = "nothing" if row.computed is None else f"{float(row.computed):.2f}"
    where = f"{d.model}, {d.benchmark}, window {d.local_window}, ratio {d.ratio}"
    return f"{where} (printed {d.text}, computed {computed})"
