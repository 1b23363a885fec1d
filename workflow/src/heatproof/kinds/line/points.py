"""The points of a line figure: the cells of the grid with their style, errors and what they say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from heatproof.charts import series
from heatproof.kinds.heatmap import cells, views_told
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heatproof.charts.series import Style
    from heatproof.kinds.heatmap.cells import Names
    from heatproof.kinds.line.entry import Entry
    from heatproof.util.lazy import polars as pl

    Row = dict[str, Any]


@dataclass(frozen=True)
class Points:
    """All points of a figure."""

    panels: Mapping[str, Sequence[Row]]
    """Label of a panel → its rows, line by line, along x."""
    x: Mapping[Any, str]
    """Value of x → what it is called, in the order of the axis."""
    styles: Mapping[str, Style]
    """Name of a line → how it is drawn."""
    called: Mapping[str, str]
    """The same → what stands beside it: a number says nothing without its column."""
    names: Names
    numeric: bool
    """Whether distances along x mean something."""
    bars: bool
    """Whether errors are bars, and not bands."""

    @property
    def rows(self) -> list[Row]:
        return [row for rows in self.panels.values() for row in rows]


def points(grid: pl.DataFrame, entry: Entry) -> Points:
    """The points of a grid.

    A row is a cell in words (`cells.letter_cells`) with its place in the grid (`cell`), `line`,
    `at` (the place along x: the number itself, or the place in order), `lower` and `upper` ends
    of what is drawn around it, the `segment` of its line that is drawn without a gap, `alone` on
    it, and its style.

    Raises:
        Error: a log axis is asked for, and there are values that have no place on it.
    """
    heat, (table, names) = entry.cells(), views_told.worded(grid, entry)
    rows = cells.letter_cells(table, None, names.format, heat.uncertainty)
    x = entry.called(entry.encoding.x, grid["x"].to_list())
    numeric = grid["x"].dtype.is_numeric() and entry.x_scale != "ordinal"
    _require_positive(rows, [*x], entry, numeric)
    styles = series.styles(list(dict.fromkeys(row["y"] for row in rows)))
    before = f"{names.y} " if grid["y"].dtype.is_numeric() and names.y else ""
    order = {value: n for n, value in enumerate(x)}
    found: dict[str, list[Row]] = {}
    for n, (row, value) in enumerate(zip(rows, grid["x"].to_list(), strict=True)):
        told = {
            **row,
            "panel": ", ".join(row["panel"]),
            "cell": n,
            "line": row["y"],
            "at": float(value) if numeric else float(order[value]),
            **dict(
                zip(
                    ("lower", "upper"),
                    views_told.spread_ends(row, heat.uncertainty, entry.uncertainty),
                    strict=True,
                )
            ),
            **styles[row["y"]].told(),
        }
        found.setdefault(told["panel"], []).append(told)
    bars = entry.errors == "bars" or (entry.errors is None and not numeric)
    panels = {label: _segmented(part) for label, part in found.items()}
    called = {name: before + name for name in styles}
    return Points(panels, x, styles, called, names, numeric, bars)


def _segmented(rows: Sequence[Row]) -> list[Row]:
    """The rows of a panel with the number of the piece of line that they are on.

    A point without a value ends a piece: what lies between others is not known.
    """
    found: list[Row] = []
    number, order = 0, {name: n for n, name in enumerate(dict.fromkeys(r["line"] for r in rows))}
    for row in sorted(rows, key=lambda row: (order[row["line"]], row["at"])):
        new = not found or found[-1]["line"] != row["line"]
        number += new or row["missing"] or found[-1]["missing"]
        found.append({**row, "segment": number})
    sizes: dict[int, int] = {}
    for row in found:
        sizes[row["segment"]] = sizes.get(row["segment"], 0) + 1
    return [{**row, "alone": sizes[row["segment"]] == 1} for row in found]


def _require_positive(rows: Sequence[Row], x: Sequence[Any], entry: Entry, numeric: bool) -> None:
    """Raises Error where a log axis is to hold what is 0 or below."""
    place = f"config.yaml: figures.{entry.name}"
    wrong = [value for value in x if numeric and not value > 0]
    if entry.x_scale == "log" and wrong:
        raise Error(
            f"{place}.x_scale: {entry.encoding.x}={wrong[0]} has no place on a log axis; "
            "there are linear and ordinal"
        )
    low = next((row for row in rows if not row["missing"] and not row["value"] > 0), None)
    if entry.y_scale == "log" and low:
        raise Error(
            f"{place}.y_scale: {low['told']} (x {low['x']}, {low['y']}) has no place on a log "
            "axis; there is linear"
        )
