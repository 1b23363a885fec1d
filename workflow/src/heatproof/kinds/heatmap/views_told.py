"""Numbers, table, evidence and caption of kinds that show the cells of a heatmap otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heatproof.charts.sheet import LIKE
from heatproof.kinds import plain
from heatproof.kinds.heatmap import caption as captions
from heatproof.kinds.heatmap import cells, evidence, reasons, words
from heatproof.kinds.heatmap import numbers as heatmap_numbers
from heatproof.kinds.heatmap import table as heatmap_table
from heatproof.metrics import PRINTED, is_share

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from heatproof.kinds.heatmap.cells import Names, Row
    from heatproof.kinds.heatmap.entry import Entry
    from heatproof.kinds.heatmap.views import View
    from heatproof.kinds.tables import Table
    from heatproof.util.lazy import polars as pl


def csv(grid: pl.DataFrame, entry: View) -> str:
    """All of the grid, its axes named like the columns of the samples that lie along them."""
    return heatmap_numbers.csv(grid, entry.cells())


def latex(grid: pl.DataFrame, entry: View, note: str = "") -> str:
    """Panels below each other, a column for each x, as the heatmap has them."""
    return heatmap_numbers.latex(grid, entry.cells(), note)


def table(grid: pl.DataFrame, entry: View) -> Table:
    """Value, uncertainty and counts of each cell."""
    return heatmap_table.table(grid, entry.cells())


def records(
    samples: Sequence[pl.LazyFrame],
    entry: View,
    grid: pl.DataFrame,
    partial: Sequence[pl.LazyFrame] | None = None,
) -> dict[str, Any]:
    """What lies behind each cell, as plain values without words."""
    return evidence.records(samples, entry.cells(), grid, partial)


Box = tuple[float, ...]
"""Left, top, width and height in a panel, in pt."""
NOWHERE: Box = (0.0, 0.0, 0.0, 0.0)
"""Of a cell that is not shown."""


def story(
    found: Mapping[str, Any], entry: View, grid: pl.DataFrame, places: Mapping[int, Box]
) -> dict[str, Any]:
    """The same in words, with the place of each cell in its panel, by its number in the grid."""
    told = evidence.story(found, entry.cells(), grid)
    return {**told, "places": [[*places.get(n, NOWHERE)] for n in range(len(grid))]}


def met(parts: Iterable[tuple[Sequence[Row], Sequence[Box]]]) -> dict[int, Box]:
    """Number of a cell in the grid → its place, of the rows of each panel beside theirs."""
    return {row["cell"]: box for rows, boxes in parts for row, box in zip(rows, boxes, strict=True)}


def caption(
    grid: pl.DataFrame,
    entry: View,
    shown: str,
    counted: tuple[Sequence[Row], str],
    meant: Sequence[str],
    more: Sequence[str] = (),
) -> list[str]:
    """What is shown, of how many problems, what the marks mean, what is missing.

    Args:
        grid: of the figure.
        entry: the same.
        shown: in a few words; panels and means are told after them.
        counted: the rows with their numbers of problems, and what one is called.
        meant: what marks mean, each a sentence of its own.
        more: sentences beside them.
    """
    title = f"{entry.title}: " if entry.title else ""
    return [
        entry.caption or f"{title}{shown}{captions.panels_words(entry.cells())}",
        *plain.where_words(entry),
        captions.counts_words(*counted),
        *filter(None, [reasons.asked_by_all(grid)]),
        *(f"{part[0].upper()}{part[1:]}" for part in meant if part != PRINTED),
        *more,
        *plain.lacking(table(grid, entry)),
    ]


def worded(grid: pl.DataFrame, entry: View) -> tuple[list[Row], Names]:
    """The cells in words and in the unit shown, and what the entry calls things."""
    heat = entry.cells()
    rows = cells.cell_table(grid, heat, heat.unit, heat.uncertainty)
    return rows, cells.panel_names(grid, rows, heat)


def value_title(entry: View) -> str:
    """What the metric is called, with its unit."""
    return cells.value_title(entry.cells())


def value_limits(heat: Entry) -> tuple[float, float] | None:
    """What values there can be of the metric, in the unit shown; shares lie from 0 to 1."""
    return heat.unit.ends if is_share(heat.encoding.color) or heat.own_unit else None


def without_x(story: dict[str, Any]) -> dict[str, Any]:
    """A story of cells of which x says nothing, for a figure that names no column there."""
    if len(story["x"]["values"]) > 1:
        return story
    panels = [{**panel, "x": ""} for panel in story["panels"]]
    return {**story, "panels": panels, "x": {"name": "", "values": [""], "words": [""]}}


def spread_ends(row: Row, known: str, shown: str) -> tuple[float | None, float | None]:
    """What is drawn around a value: nothing, one standard error to each side, or the interval.

    `known`: what the grid knows; `shown`: what is asked for.
    """
    if "none" in (known, shown) or row["value"] is None:
        return None, None
    if shown == "interval":
        return row["low"], row["high"]
    return (
        (None, None) if row["se"] is None else (row["value"] - row["se"], row["value"] + row["se"])
    )


def errors_meaning(rows: Sequence[Row], uncertainty: str, mark: str) -> str:
    """What is drawn around values, and over what it is counted."""
    of = words.error_meanings(rows)
    meaning = of[uncertainty].partition(": ")[2] if uncertainty in of else ""
    return f"{mark}: {meaning}" + LIKE * (of is words.ERROR_MEANINGS)
