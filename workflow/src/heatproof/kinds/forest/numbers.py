"""The rows of a forest as CSV, and as a LaTeX table in the same order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof.kinds.forest import words
from heatproof.kinds.forest.layout import layout
from heatproof.kinds.forest.rows import rows
from heatproof.kinds.heatmap import reasons
from heatproof.kinds.heatmap.views_told import csv
from heatproof.kinds.tables import NONE, escape, line, tabular

if TYPE_CHECKING:
    from heatproof.kinds.forest.entry import Entry
    from heatproof.kinds.forest.rows import Row
    from heatproof.util.lazy import polars as pl

__all__ = ["csv", "latex"]


def latex(grid: pl.DataFrame, entry: Entry, note: str = "") -> str:
    """A row a setting: its value, the best in bold, the 95 % interval, and the problems."""
    shown = rows(grid, entry)
    plan = layout(shown, entry)
    heads = [words.settings_title(entry), plan.title, "95 % interval", "problems"]
    body = [line([*map(escape, heads)])]
    for label, found in shown.panels.items():
        title = rf"\multicolumn{{4}}{{l}}{{\textit{{{escape(label)}}}}} \\"
        body += [r"\midrule", *([title] if entry.panel else []), *map(_line, found)]
    meant = [*words.meanings(shown, entry, plan), *reasons.doubts_of(grid)]
    return tabular("lrrr", body, note, meant)


def _line(row: Row) -> str:
    value = escape(row["label"]) or NONE
    bold = rf"\textbf{{{value}}}" if row["bold"] else value
    return line([escape(row["setting"]), bold, escape(row["between"]) or NONE, row["n"] or NONE])
