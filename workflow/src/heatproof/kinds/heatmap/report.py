"""The numbers of a heatmap outside of it: CSV, LaTeX, the page's table, the caption."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from heatproof.charts import wording
from heatproof.kinds import columns
from heatproof.kinds import picture as pictures
from heatproof.kinds.heatmap import (
    annotation,
    cells,
    draw,
    reasons,
    words,
)
from heatproof.kinds.picture import NONE, Latex, Table, TableRow, escape, line
from heatproof.metrics import PRINTED, metric
from heatproof.util.lazy import polars as pl
from heatproof.util.numerals import span

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heatproof.kinds.heatmap.entry import Entry
    from heatproof.kinds.heatmap.panel import Row as Cell
    from heatproof.kinds.picture import Picture

# --------------------------------------------------------------------------------------------- CSV


def csv(grid: pl.DataFrame, entry: Entry) -> str:
    """All of the grid, its axes named like the columns of the samples that lie along them.

    Values are in the unit of the logs where the figure shows them in it, and shares as they are.
    """
    names = {"x": entry.x, "y": entry.y}
    names |= {annotation.NOTE: entry.noted} if entry.annotate else {}
    new = {old: name for old, name in names.items() if name not in grid.columns}
    grid = in_own_unit(grid, entry)
    if entry.beside and (own := entry.beside.own_unit):
        notes = [*map(own.value, grid[annotation.NOTE])]
        grid = grid.with_columns(pl.Series(annotation.NOTE, notes, pl.Float64))
    return pictures.csv(grid.rename(new))


def in_own_unit(grid: pl.DataFrame, entry: Entry, prefix: str = "") -> pl.DataFrame:
    """The grid with values as logs have them, where figures show them so.

    `prefix`: before the names of their columns (`kinds.columns`).
    """
    own = entry.own_unit
    if own is None:
        return grid
    units = {"value": entry.unit.value, "side": own.value, "span": own.span}
    return grid.with_columns(
        pl.Series(name, [*map(units[column.unit], grid[name])], pl.Float64)
        for name, column in columns.BY_NAME.items()
        if name in grid.columns and column.prefix == prefix and column.unit in units
    )


# ------------------------------------------------------------------------------------------- LaTeX

DAGGER = r"\rlap{$^{\dagger}$}"
"""Behind what is not told apart from the highest: it takes no room, so that numbers align."""


def latex(grid: pl.DataFrame, entry: Entry, note: str = "") -> str:
    """Panels below each other, cells as the figure has them, ± one standard error if it shows it.

    In bold the highest, as in the figure; what is not told apart from it has a dagger where the
    figure outlines it, and what is told apart is underlined where it has bars. Comments say so.
    """
    rows, _ = cells.shown_cells(grid, entry)
    error = entry.uncertainty in ("tied", "se")
    deep = entry.rows_split if entry.nested else len(entry.panels)
    texts = {
        place: _tex(row, error) for row in rows for place in [(row["panel"], row["y"], row["x"])]
    }
    y = [*dict.fromkeys(row["y"] for row in reversed(rows))]
    outer = [*dict.fromkeys(row["panel"][deep:] for row in rows)]
    across = [(*block, x) for block in outer for x in dict.fromkeys(row["x"] for row in rows)]
    parts = {
        ", ".join(down): [
            line(
                [escape(name), *(texts[(*down, *place[:-1]), name, place[-1]] for place in across)]
            )
            for name in y
        ]
        for down in dict.fromkeys(row["panel"][:deep] for row in rows)
    }
    titles = [wording.column(name, entry.labels) for name in (*entry.panels[deep:], entry.x)]
    head = [*_headings(across, titles)] if entry.nested else [
        line(["", rf"\multicolumn{{{len(across)}}}{{c}}{{{escape(titles[-1])}}}"]),
        rf"\cmidrule(lr){{2-{len(across) + 1}}}",
    ]  # fmt: skip
    names = [wording.column(entry.y, entry.labels), *(place[-1] for place in across)]
    meanings = [
        *words.latex_meanings(rows, entry, error),
        *([f"in brackets: {annotation.title(entry)}"] if entry.annotate else []),
        *filter(None, [reasons.asked_by_all(grid)]),
        *(reasons.doubts_of(grid) if not entry.relative_to else []),
    ]
    table = Latex(
        columns=f"l{'r' * len(across)}",
        head=[*head, line([*map(escape, names)])],
        parts=parts,
        meanings=meanings,
    )
    return table.text(note)


def _headings(places: Sequence[tuple[str, ...]], titles: Sequence[str]) -> list[str]:
    """A line of names with rules for each level but the last, then the title of that."""
    lines = []
    for deep in range(1, len(titles)):
        names, rules, start = [""], [], 2
        for place, part in groupby(places, key=lambda place: place[:deep]):
            wide = len([*part])
            names.append(rf"\multicolumn{{{wide}}}{{c}}{{{escape(place[-1])}}}")
            rules.append(rf"\cmidrule(lr){{{start}-{start + wide - 1}}}")
            start += wide
        lines += [line(names), " ".join(rules)]
    title = rf"\multicolumn{{{len(places)}}}{{c}}{{{escape(titles[-1])}}}"
    return [*lines, line(["", title])] if titles[-1] else lines


def _tex(row: Cell, error: bool) -> str:
    """A cell, with what is printed beside the value in brackets."""
    if row["missing"]:
        return NONE
    text = escape(row["label"])
    if not row.get("itself"):
        text = rf"\textbf{{{text}}}" if row["bold"] else text
        if error and row["error"]:
            text = rf"{text}\,$\pm$\,{escape(row['error'].removeprefix('± '))}"
        text = rf"\underline{{{text}}}" if row["excluded"] else text
        text = f"{text}{DAGGER}" if row["outlined"] and not row["bold"] else text
    return f"{text} ({escape(row['noted'])})" if row.get("noted") else text


# --------------------------------------------------------------------------------- the page's table


def table(grid: pl.DataFrame, entry: Entry) -> Table:
    """A row per cell, in the unit and to the digit that the figure shows."""
    rows, _ = cells.shown_cells(grid, entry)
    titles = [wording.column(name, entry.labels) for name in entry.along]
    what, facts = metric(entry.encoding.color), words.facts(entry)
    valued = [row for row in rows if not row["missing"]]
    size = f"{span(row['samples'] for row in valued)} problems a cell"
    if what.printed:
        size = PRINTED if entry.relative_to else words.counts_words(rows, "cell")
    elif entry.relative_to:
        size = f"{span(row['paired'] for row in valued)} problems that a cell and its baseline hold"
    gaps = [
        f"{', '.join(f'{t} {n}' for t, n in zip(titles, cells.place(row), strict=True))}: "
        + (row["gap"] if row["missing"] else reasons.lack_words(row, what))
        for row in rows
        if (row["missing"] or row["incomplete"]) and row["gap"] != reasons.ITSELF
    ]
    limits = "" if entry.relative_to else reasons.asked_by_all(grid)
    return Table(
        columns=(*titles, cells.value_title(entry), *facts),
        texts=len(titles),
        rows=[
            TableRow(
                (*cells.place(row), *(row[key] or "–" for key in ("label", *facts.values()))),
                row["bold"],
                row["missing"] or row["incomplete"],
                row["outlined"] and not entry.relative_to,
                row["excluded"] and not entry.relative_to,
            )
            for row in rows
        ],
        n="; ".join(filter(None, [size, limits])),
        key=words.table_meanings(rows, entry),
        incomplete=gaps,
    )


# ---------------------------------------------------------------------------------------- captions


def caption(grid: pl.DataFrame, entry: Entry) -> list[str]:
    """What is shown, of how many problems, what the marks mean, the verdicts, what is missing."""
    content, digits = draw.picture(grid, entry), cells.shown_cells(grid, entry)[1]
    lines = [wording.sentence(meaning) for meaning in content.meanings if meaning != PRINTED]
    lines = [*filter(None, [entry.color.words()]), *lines]
    judged = {} if entry.marks == "none" else words.verdicts(grid, entry, digits)
    for place, verdict in judged.items():
        if text := words.verdict_words(verdict, digits):
            lines.append(f"For {', '.join(place)}: {text}" if place else wording.sentence(text))
    return sentences(grid, entry, content, lines, table(grid, entry))


def sentences(
    grid: pl.DataFrame, entry: Entry, content: Picture, lines: Sequence[str], numbers: Table
) -> list[str]:
    """A caption. `lines`: what marks mean, and verdicts; `numbers`: the page's table."""
    panels = () if entry.nested else entry.panels
    titles = " and ".join(reasons.among_title(name, entry) for name in panels)
    over = f"mean over {reasons.among_title(entry.mean_over or '', entry)} (unweighted)"
    parts = [
        f"{entry.title}: {content.shows}" if entry.title else content.shows,
        *([f"a panel for each {titles}"] if titles else []),
        *([over] if entry.mean_over else []),
    ]
    judged = any(grid[name].count() for name in ("tied", "differs") if name in grid.columns)
    return [
        entry.caption or ", ".join(parts),
        *pictures.where_words(entry),
        words.counts_words(content.rows, content.noun),
        *filter(None, [reasons.asked_by_all(grid)]),
        *lines,
        *pictures.lacking(numbers),
        *([reasons.ONE_LOOK] if judged and numbers.incomplete else []),
    ]
