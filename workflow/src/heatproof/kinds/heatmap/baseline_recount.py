"""A cell and its baseline once more: in plain Python and exact fractions, apart from that of grids.

Both are counted on the problems that both hold, found anew among the records.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.charts import units
from heatproof.kinds import recount
from heatproof.metrics import metric
from heatproof.samples import answers
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from fractions import Fraction

    from heatproof.kinds.cell_records import Recounted
    from heatproof.kinds.heatmap.entry import Entry
    from heatproof.metrics import Metric


class Sides(NamedTuple):
    """The records of a cell and of its baseline, those with a number."""

    own: pl.DataFrame
    base: pl.DataFrame
    wanted: set[str]
    """Tasks of which the cell is the mean."""


class Opposite(NamedTuple):
    """A cell beside its baseline; None where it is not known."""

    own: Fraction | None
    base: Fraction | None
    value: Fraction | None
    """Their difference or ratio."""
    common: int
    """Problems that both hold."""

    def said(self, entry: Entry) -> str:
        """Both sides in words: `0.59 − 0.55 of the baseline (ratio=1.0), on 40 problems that …`."""
        where = ", ".join(f"{n}={'none' if v is None else v}" for n, v in entry.relative_to.items())
        if self.own is None or self.base is None:
            return f"baseline ({where}): {self.common:,} problems that both hold"
        sign, unit = "/" if entry.relation == "ratio" else "−", entry.own_unit or units.PLAIN
        own, base = (unit.value(float(side)) for side in (self.own, self.base))
        said = f"{own:.10g} {sign} {base:.10g} of the baseline ({where})"
        if metric(entry.encoding.color).printed:
            return said
        return f"{said}, on {self.common:,} problems that both hold"


def of_baseline(entry: Entry, cell: Mapping[str, Any]) -> pl.Expr:
    """Whether a sample lies in the baseline of a cell, given by column and value."""
    where = entry.baseline().where if entry.other else entry.where
    wanted = {**where, **cell, **entry.apart}
    tests = [_holds(name, value) for name, value in wanted.items()]
    return pl.all_horizontal(tests)


def _holds(name: str, value: Any) -> pl.Expr:
    if value is None:
        return pl.col(name).is_null()
    return pl.col(name).is_in(value) if isinstance(value, list) else pl.col(name) == value


def compare(given: Sides, entry: Entry, what: Metric) -> Opposite:
    """A cell beside its baseline, on the problems that both hold."""
    frames = given.own, given.base
    columns = ["task", "sample_id", what.of, *([answers.COLUMN] if what.votes else [])]
    sides = [[*rows.select(columns).iter_rows()] for rows in frames]
    pooled = any(bool(rows["reconstructed"].any()) for rows in frames)
    tried = [_tried(side, what) for side in sides]
    common = tried[0] & tried[1]
    values = [_mean((row for row in side if row[:2] in common), what, pooled, given.wanted)
              for side in sides]  # fmt: skip
    if None in values:
        return Opposite(None, None, None, len(common))
    ours, theirs = values
    assert ours is not None and theirs is not None  # noqa: PT018, S101
    return Opposite(ours, theirs, _relation(ours, theirs, entry), len(common))


def _tried(rows: Iterable[Any], what: Metric) -> set[tuple[str, str]]:
    """Problems with as many records as the metric needs; of a vote, where some answer is told."""
    told = [*rows]
    sizes = Counter(row[:2] for row in told)
    silent = {task for task, _ in sizes} - {row[0] for row in told if row[-1] is not None}
    return {key for key, many in sizes.items() if many >= (what.k or 1) and key[0] not in silent}


def _mean(rows: Iterable[Any], what: Metric, pooled: bool, wanted: set[str]) -> Fraction | None:
    counts = recount.votes(rows, what, wanted) if what.votes else recount.cell(rows, what, pooled)
    return recount.mean(counts).value if counts.keys() == wanted else None


def _relation(own: Fraction, base: Fraction, entry: Entry) -> Fraction | None:
    if entry.relation == "difference":
        return own - base
    return own / base if base > 0 and own >= 0 else None


class Bases:
    """The baselines of all cells of a figure."""

    def __init__(self, samples: pl.LazyFrame, entry: Entry) -> None:
        self._entry, self._what = entry, metric(entry.encoding.color)
        self._others = [name for name in entry.along if name not in entry.apart]
        rows = samples.filter(of_baseline(entry, {}), pl.col(self._what.of).is_not_null()).collect()
        self._none = rows.clear()
        self._cells = rows.partition_by(self._others, as_dict=True) if self._others else {(): rows}

    def recounted(
        self,
        row: Mapping[str, Any],
        at: Mapping[str, Any],
        own: pl.DataFrame,
        wanted: set[str],
        sizes: tuple[int, ...],
    ) -> tuple[float | None, bool]:
        """The value of a cell counted anew, and whether the grid says the same.

        Args:
            row: of the grid.
            at: column → value of the cell.
            own: its records with a number.
            wanted: tasks of which it is the mean.
            sizes: its problems and epochs, counted anew.
        """
        base = self._cells.get(tuple(at[name] for name in self._others), self._none)
        found = compare(Sides(own, base, wanted), self._entry, self._what)
        value = None if found.value is None else float(found.value)
        return value, agrees(row, found, sizes)


def agrees(row: Mapping[str, Any], found: Opposite, sizes: tuple[int, ...]) -> bool:
    """Whether the grid has the same; `sizes`: problems and epochs of the cell, counted anew."""
    if (row["samples"], row["epochs"]) != sizes or (row["value"] is None) != bool(row["gap"]):
        return False
    stored = {"value": found.value, "own_value": found.own, "baseline_value": found.base}
    same = all(recount.same(row[name], value) for name, value in stored.items())
    return same and row["paired_problems"] == found.common


def marks(rows: Iterable[Mapping[str, Any]], entry: Entry) -> Iterator[Recounted]:
    """What is said of cells and does not follow from the numbers beside it: each a failure."""
    parity = 1 if entry.relation == "ratio" else 0
    names = {entry.x: "x", entry.y: "y"}
    for row in rows:
        cell = ", ".join(f"{name}={row[at]}" for name, at in names.items())
        low, high = row["low"], row["high"]
        if row["differs"] is not None and low is not None and high is not None:
            apart = low > parity or high < parity
            if row["differs"] != apart:
                yield f"{cell}: differs", float(row["differs"]), float(apart), False
        itself = bool(entry.apart) and all(
            value is not None and row.get(names.get(name, name)) == value
            for name, value in entry.apart.items()
        )
        if row["is_baseline"] != itself:
            yield f"{cell}: is_baseline", float(row["is_baseline"]), float(itself), False
