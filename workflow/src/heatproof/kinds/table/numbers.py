"""The cells of a table as CSV, and as the LaTeX table that it looks like."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof.kinds.heatmap import reasons
from heatproof.kinds.heatmap.views_told import csv
from heatproof.kinds.table import words
from heatproof.kinds.table.blocks import blocks
from heatproof.kinds.table.layout import MEAN, layout
from heatproof.kinds.tables import NONE, escape, line, tabular

if TYPE_CHECKING:
    from heatproof.kinds.table.blocks import Block, Blocks, Row
    from heatproof.kinds.table.entry import Entry
    from heatproof.util.lazy import polars as pl

__all__ = ["csv", "latex"]

DOT = r"\rlap{$^{\bullet}$}"
"""Behind what is not distinguishable from the best: it takes no room, so that numbers align."""


def latex(grid: pl.DataFrame, entry: Entry, note: str = "") -> str:
    """Rows and columns as in the figure: bold, dots and uncertainties are the same."""
    shown = blocks(grid, entry)
    plan = layout(shown, entry)
    across = len(shown.x)
    last = 1 + across
    lines = [
        line(["", rf"\multicolumn{{{across}}}{{c}}{{{escape(plan.spanner)}}}"]),
        rf"\cmidrule(lr){{2-{last}}}",
        line([*map(escape, [shown.names.y, *shown.x]), *([MEAN] if entry.margins else [])]),
    ]
    for block in shown.all:
        lines += [r"\midrule", *_block(block, shown, last + entry.margins)]
    meant = [one.replace("±", "+-") for one in words.meanings(shown, entry, plan)]
    meant += filter(None, [reasons.asked_by_all(grid)])
    return tabular(f"l{'r' * (across + entry.margins)}", lines, note, meant)


def _block(block: Block, shown: Blocks, width: int) -> list[str]:
    title = rf"\multicolumn{{{width}}}{{l}}{{\textit{{{escape(block.title)}}}}} \\"
    found = [title] if block.title else []
    for start in range(0, len(block.rows), len(shown.x)):
        row = block.rows[start : start + len(shown.x)]
        name = row[0]["y"]
        mean = [escape(block.means[name])] if block.means else []
        found.append(line([escape(name), *map(_cell, row), *mean]))
    return found


def _cell(row: Row) -> str:
    if row["missing"]:
        return NONE
    text = escape(row["shown"])
    text = rf"\textbf{{{text}}}" if row["bold"] else text
    text = rf"\textit{{{text}}}" if row["incomplete"] else text
    if row["dotted"]:
        text += DOT
    return rf"{text}\,{{\scriptsize {escape(row['spread'])}}}" if row["spread"] else text
