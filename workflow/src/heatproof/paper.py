"""Digits that a paper prints, beside the cells of our grids: every one is compared."""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from contextlib import suppress
from fractions import Fraction
from math import lcm
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from heatproof.kinds.heatmap.entry import Entry as Heatmap
from heatproof.util import canonical
from heatproof.util.errors import Error, choices

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from heatproof.config.entries import Figure
    from heatproof.util.lazy import polars as pl

MEAN = "mean"  # stands for the benchmark where the number is the mean over all of them


class Entry(msgspec.Struct):
    """Digits that a paper prints of a source's logs; `paper` has one entry for each source."""

    cells: str
    """A CSV of printed digits."""
    means: str | None = None
    """A CSV of printed means over the benchmarks."""


class Check(NamedTuple):
    """A job that compares the grids of a source with printed digits (rule `check_published`)."""

    source: str
    key: str  # where config.yaml asks for it
    figures: list[str]  # whose grids are compared
    files: dict[str, str]  # key below `key` → the file with the numbers


def checks(
    entries: Mapping[str, Entry], figures: Mapping[str, Figure], sources: Collection[str]
) -> Iterator[Check]:
    """A job for each source that some figure shows: its heatmaps of Pass@1, as digits are."""
    for name in sorted(entries.keys() & sources):
        paths = msgspec.structs.asdict(entries[name])
        heatmaps = [
            figure.name
            for figure in figures.values()
            if isinstance(figure, Heatmap)
            and (figure.source, figure.encoding.color) == (name, "pass@1")
        ]
        files = {key: path for key, path in paths.items() if path}
        yield Check(name, f"paper.{name}", heatmaps, files)


class Digits(NamedTuple):
    """One printed number: a share in percent, and what it is of."""

    model: str
    benchmark: str
    ratio: str
    local_window: str
    text: str  # as printed: its decimals tell how it was rounded
    problems: int = 0
    samples: int = 0  # answers to each problem

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


COLUMNS: dict[str, tuple[str, Callable[[str], Any]]] = {
    "model": ("text", str), "benchmark": ("text", str), "ratio": ("number", float),
    "local_window": ("number", int), "pass_at_1": ("number", Fraction),
    "problems": ("count", int), "samples_per_problem": ("count", int),
}  # fmt: skip
"""Columns of a table of printed digits, and what their texts must read as."""
OF_CELLS = {"benchmark": MEAN, "problems": "0", "samples_per_problem": "0"}
"""Those that a table of means over the benchmarks has not → what stands for them."""


def read(text: str, place: str = "printed digits", *, means: bool = False) -> list[Digits]:
    """The rows of a CSV table with the columns `COLUMNS`; `means`: of one of means.

    Raises:
        Error: a column is missing or a value is wrong; `place` (the path) and line are named.
    """
    columns = [column for column in COLUMNS if not (means and column in OF_CELLS)]
    rows = csv.DictReader(io.StringIO(text))
    header = rows.fieldnames or []
    for column in sorted({*columns} - {*header}):
        raise Error(f"{place}: no column {column!r}; {choices(column, header)}")
    digits = []
    for row in rows:
        for column in columns:
            kind, convert = COLUMNS[column]
            with suppress(ValueError):
                value = convert(row[column] or "")
                if kind != "count" or value >= 1:
                    continue
            raise Error(f"{place}:{rows.line_num}: {column}: {row[column]!r} is not a {kind}")
        model, benchmark, ratio, window, share, *counts = (
            (OF_CELLS | row)[column] for column in COLUMNS
        )
        digits.append(Digits(model, benchmark, ratio, window, share, *map(int, counts)))
    return digits


class Comparison(NamedTuple):
    """A printed number beside the one computed from the logs."""

    digits: Digits
    computed: Fraction | None
    """In percent, exact; None: no grid has the cell, or not all of its samples."""
    figures: list[str]  # figures that show the cell

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
) -> list[Comparison]:
    """Each printed number with what the grids say, cells first, then means over the benchmarks.

    `grids` and `entries`: figure → its grid and its config entry, heatmaps of Pass@1 over ratio
    and local window. Values are compared as exact fractions, got back from the floats of the
    grid by the number of graded answers.
    """
    drawn: dict[tuple[Any, ...], dict[str, tuple[float | None, int]]] = defaultdict(dict)
    for figure, grid in grids.items():
        entry = entries[figure]
        for row in grid.iter_rows(named=True):
            axes = {entry["encoding"]["x"]: row["x"], entry["encoding"]["y"]: row["y"]}
            settings = {**row, **entry["where"], **axes}
            if entry.get("mean_over") == "task":
                settings["task"] = MEAN
            place = tuple(map(settings.get, ("model", "task", "ratio", "local_window")))
            if None not in place:
                drawn[place][figure] = row["value"], row["epochs"]
    rows = []
    for digits in (*cells, *means):
        of_model = {d.benchmark: d.graded for d in cells if d.model == digits.model}
        parts = [*of_model.values()] if digits.benchmark == MEAN else [digits.graded]
        at = digits.model, digits.benchmark, float(digits.ratio), int(digits.local_window)
        values, common = drawn.get(at, {}), len(parts) * lcm(*parts)
        exact = {
            Fraction(100 * round(value * common), common)
            for value, epochs in values.values()
            if value is not None and epochs == sum(parts)
        }
        # Two figures that show a cell differently leave it without a number.
        rows.append(Comparison(digits, exact.pop() if len(exact) == 1 else None, [*values]))
    return rows


def table(rows: Iterable[Comparison]) -> str:
    """CSV, a line per printed number; percent, the computed ones to three decimals."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    columns = [*COLUMNS][:4]
    writer.writerow([*columns, "printed", "computed", "agree", "figures"])
    for row in rows:
        computed = "" if row.computed is None else f"{float(row.computed):.3f}"
        model, benchmark, *digits = row.digits[:5]
        names = map(canonical.guarded, (model, benchmark))
        agree = "yes" if row.agree else "no"
        writer.writerow([*names, *digits, computed, agree, " ".join(row.figures)])
    return text.getvalue()


def summary(rows: Sequence[Comparison]) -> str:
    """One sentence: how many agree, and which do not."""
    wrong = []
    for d, computed, _ in (row for row in rows if not row.agree):
        number = "nothing" if computed is None else f"{float(computed):.2f}"
        where = f"{d.model}, {d.benchmark}, window {d.local_window}, ratio {d.ratio}"
        wrong.append(f"; not {where} (printed {d.text}, computed {number})")
    return f"{len(rows) - len(wrong)} of {len(rows)} printed digits agree{''.join(wrong)}."
