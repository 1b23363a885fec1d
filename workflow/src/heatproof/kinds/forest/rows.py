"""The rows of a forest: the cells of the grid, the best first, with what is drawn of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.charts import theme
from heatproof.kinds.heatmap import cells, printed, views_told
from heatproof.kinds.heatmap.reasons import NOTHING
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heatproof.kinds.forest.entry import Entry
    from heatproof.kinds.heatmap.cells import Names
    from heatproof.util.lazy import polars as pl

    Row = dict[str, Any]


@dataclass(frozen=True)
class Rows:
    """All rows of a figure."""

    panels: Mapping[str, Sequence[Row]]
    """Label of a panel → its rows from top to bottom."""
    names: Names
    titled: bool
    hidden: int
    """Cells without any record, of pairs that were never run."""

    @property
    def all(self) -> list[Row]:
        return [row for rows in self.panels.values() for row in rows]


def rows(grid: pl.DataFrame, entry: Entry) -> Rows:
    """The rows of a grid.

    A row is a cell in words (`cells.letter_cells`) with its place in the grid (`cell`), what it is
    called (`setting`), `lower` and `upper` ends of what is drawn around its value, `bold`, and
    `colour`: ink, or grey where it can be told from the best. By value, the best first, where
    `sort` says nothing of y; what has no value stands last.

    Raises:
        Error: a log axis is asked for, and there are values that have no place on it.
    """
    heat, (table, names) = entry.cells(), views_told.worded(grid, entry)
    numbered = [row | {"cell": n} for n, row in enumerate(table)]
    several = len({row["x"] for row in table}) > 1
    before = Before(*(_before(grid, axis, names) for axis in ("x", "y")))
    parts: dict[tuple[str, ...], list[Row]] = {}
    for row in numbered:
        parts.setdefault(row["panel"], []).append(row)
    found, hidden = {}, 0
    for panel, part in parts.items():
        marked = cells.marked_cells(part, "dots" if heat.best != "none" else "none")
        lettered = cells.letter_cells(marked, None, names.format, entry.uncertainty)
        title = ", ".join(names.of(panel))
        shown = [row for row in lettered if row["gap"] != NOTHING]
        hidden += len(lettered) - len(shown)
        told = [_told(row, lettered, entry, before, several) | {"panel": title} for row in shown]
        found[title] = _ordered(told, entry)
    _require_positive([row for part in found.values() for row in part], entry)
    return Rows(found, names, entry.panel is not None, hidden)


class Before(NamedTuple):
    """What stands before numbers of both columns: alone they say nothing."""

    x: str
    y: str


def _before(grid: pl.DataFrame, axis: str, names: Names) -> str:
    title = names.x if axis == "x" else names.y
    return f"{title} " if grid[axis].dtype.is_numeric() and title else ""


def _told(row: Row, peers: Sequence[Row], entry: Entry, before: Before, several: bool) -> Row:
    judged = any(other["tied"] and other["peers"] == row["peers"] for other in peers)
    grey = judged and not (row["tied"] or row["best"])
    lower, upper = views_told.spread_ends(row, entry.cells().uncertainty, entry.uncertainty)
    return {
        **row,
        "setting": before.y + row["y"] + (f" · {before.x}{row['x']}" if several else ""),
        "lower": lower,
        "upper": upper,
        "grey": grey,
        "colour": theme.LINE if grey else theme.INK,
        "text": theme.QUIET if grey or row["missing"] else theme.INK,
        "n": "" if row["missing"] else printed.size_words(row),
    }


def _ordered(found: Sequence[Row], entry: Entry) -> list[Row]:
    """By value, or as the user sorts them; the same twice keep the order of the grid."""
    sign = 1 if entry.best == "lowest" else -1
    known = [row for row in found if not row["missing"]]
    if entry.encoding.y not in entry.sort:
        known.sort(key=lambda row: (sign * row["value"], row["cell"]))
    return [*known, *(row for row in found if row["missing"])]


def _require_positive(found: Sequence[Row], entry: Entry) -> None:
    low = next((row for row in found if not row["missing"] and not row["value"] > 0), None)
    if entry.scale == "log" and low:
        raise Error(
            f"config.yaml: figures.{entry.name}.scale: {low['told']} ({low['setting']}) has no "
            "place on a log axis; there is linear"
        )
