"""The table of a figure of any kind: the columns of its grid, as they stand there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof.charts import wording
from heatproof.gallery.table import Row, Table
from heatproof.numbers import _plain
from heatproof.numerals import span

if TYPE_CHECKING:
    from heatproof.config import Figure
    from heatproof.lazy import polars as pl


def table(grid: pl.DataFrame, entry: Figure) -> Table:  # noqa: ARG001 - all kinds are asked alike
    """A row per row of the grid.

    `samples` (problems), `epochs` and `expected` (graded rows) mean the same in grids of all kinds.
    """
    shown = _plain.flat(grid)
    names = [name for name, kind in shown.schema.items() if not kind.is_numeric()]
    ordered = [*names, *(name for name in shown.columns if name not in names)]
    texts = zip(*(_plain.texts(shown[name], "–") for name in ordered), strict=True)
    lacks = _lacks(grid)
    rows = [Row(row, incomplete=gap) for row, gap in zip(texts, lacks, strict=True)]
    gaps = [", ".join(row.cells[: len(names)]) or str(n) for n, row in enumerate(rows, 1)]
    return Table(
        columns=[wording.column(name, {}) for name in ordered],
        texts=len(names),
        rows=rows,
        n=f"{span(grid['samples'])} problems a number" if "samples" in grid.columns else "",
        incomplete=[gap for gap, lack in zip(gaps, lacks, strict=True) if lack],
    )


def _lacks(grid: pl.DataFrame) -> list[bool]:
    """Of which rows a complete run would hold more."""
    if not {"epochs", "expected"} <= {*grid.columns}:
        return [False] * len(grid)
    return (grid["epochs"] < grid["expected"]).fill_null(value=True).to_list()
