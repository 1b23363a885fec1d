"""The points of a scatter as CSV, and as a LaTeX table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof.kinds.heatmap import numbers, printed, views_told
from heatproof.kinds.scatter import words
from heatproof.kinds.scatter.layout import layout
from heatproof.kinds.scatter.points import points, settings_title
from heatproof.kinds.tables import NONE, escape, line, tabular

if TYPE_CHECKING:
    from heatproof.kinds.scatter.entry import Entry
    from heatproof.kinds.scatter.points import Row
    from heatproof.util.lazy import polars as pl


def csv(grid: pl.DataFrame, entry: Entry) -> str:
    """All of the grid, its axes named like the columns of the samples that lie along them."""
    return views_told.csv(numbers.in_own_unit(grid, entry.costs(), "x_"), entry)


def latex(grid: pl.DataFrame, entry: Entry, note: str = "") -> str:
    """A row a point, by what lies along x; those on the front in bold."""
    shown = points(grid, entry)
    value = views_told.value_title(entry)
    heads = [settings_title(entry), shown.x, "95 % interval", value, "95 % interval", "problems"]
    body = [line([*map(escape, heads)])]
    for label, rows in shown.panels.items():
        title = rf"\multicolumn{{6}}{{l}}{{\textit{{{escape(label)}}}}} \\"
        ranked = sorted(rows, key=lambda row: (row["cost"], row["cell"]))
        body += [r"\midrule", *([title] if entry.panel else []), *map(_line, ranked)]
    meant = [f"bold: {words.front_words(shown, entry)}"] if entry.front != "none" else []
    meant += words.meanings(shown, entry, layout(shown, entry))
    return tabular("lrrrrr", body, note, meant)


def _line(row: Row) -> str:
    name = escape(row["setting"])
    texts = [row["cost_told"], row["cost_between"], row["told"], row["between"]]
    name = rf"\textbf{{{name}}}" if row["front"] else name
    return line([name, *(escape(text) or NONE for text in texts), printed.size_words(row)])
