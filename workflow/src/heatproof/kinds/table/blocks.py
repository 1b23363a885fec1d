"""The cells of a table as text: blocks of rows, each a panel, with marks and colours."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from math import fsum
from typing import TYPE_CHECKING, Any

from heatproof.kinds.heatmap import cells, reasons, views_told, words
from heatproof.util.numerals import show

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heatproof.kinds.heatmap.cells import Names
    from heatproof.kinds.table.entry import Entry
    from heatproof.util.lazy import polars as pl

    Row = dict[str, Any]

DASH = "–"
"""Stands where there is no number."""


@dataclass(frozen=True)
class Block:
    """The rows of one panel."""

    title: str
    rows: Sequence[Row]
    """Its cells in the order of the grid, from the first row of the table to the last."""
    means: Mapping[str, str]
    """Row → mean of its numbers in words; empty without that column."""
    spoken: str


@dataclass(frozen=True)
class Blocks:
    """A whole table."""

    all: Sequence[Block]
    x: Sequence[str]
    """Names of the columns."""
    y: Sequence[str]
    names: Names
    doubts: Sequence[str]
    """Why of some cells no best is told."""

    @property
    def rows(self) -> list[Row]:
        return [row for block in self.all for row in block.rows]


def blocks(grid: pl.DataFrame, entry: Entry) -> Blocks:
    """The table of a grid.

    A row is a cell in words (`cells.letter_cells`) with `shown`, its number or a dash, `spread` as
    the entry asks for it, `ground`, the colour behind it, and the flags `bold` and `dotted`.

    Raises:
        Error: the colours that the user wants do not hold the values.
    """
    heat, (table, names) = entry.cells(), views_told.worded(grid, entry)
    scale = cells.color_scale(table, heat, cells.is_signed(table, heat)) if entry.color else None
    each = reasons.among_words(table, heat).each
    found = []
    for panel, part in groupby(table, key=lambda row: row["panel"]):
        marked = cells.marked_cells(list(part), heat.marks)
        rows = cells.letter_cells(marked, scale, names.format, entry.uncertainty)
        title = ", ".join(names.of(panel))
        called = (names.x, names.y, names.value)
        spoken = words.spoken_panel(title, rows, called, names.format, heat.end, each)
        lettered = [
            row
            | {
                "panel": title,
                "shown": row["label"] or DASH,
                "ground": scale.drawn(row["value"]) if scale and not row["missing"] else None,
            }
            for row in rows
        ]
        means = _means(lettered, names.format) if entry.margins else {}
        found.append(Block(title, lettered, means, spoken))
    x, y = (list(dict.fromkeys(row[axis] for row in table)) for axis in ("x", "y"))
    return Blocks(found, x, y, names, reasons.doubts_of(grid))


def _means(rows: Sequence[Row], spec: str) -> dict[str, str]:
    """Row → the mean of its cells; a dash as soon as one has no value."""
    found: dict[str, list[float | None]] = {}
    for row in rows:
        found.setdefault(row["y"], []).append(row["value"])
    return {
        name: DASH
        if any(value is None for value in values)
        else show(fsum(v for v in values if v is not None) / len(values), spec)
        for name, values in found.items()
    }
