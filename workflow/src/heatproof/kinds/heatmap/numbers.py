"""The cells of a heatmap as CSV, and as LaTeX tables like the panels."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from heatproof.charts import wording
from heatproof.kinds import plain
from heatproof.kinds.heatmap import annotation, baseline_words, cells, printed, reasons
from heatproof.kinds.tables import NONE, escape, line, tabular
from heatproof.metrics import metric
from heatproof.util.lazy import polars as pl

DAGGER = r"\rlap{$^{\dagger}$}"
"""Behind what is not told apart from the highest: it takes no room, so that numbers align."""

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heatproof.kinds.heatmap.entry import Entry
    from heatproof.kinds.heatmap.panel import Row


def csv(grid: pl.DataFrame, entry: Entry) -> str:
    """All of the grid, its axes named like the columns of the samples that lie along them.

    Values are in the unit of the logs where the figure shows them in it, and shares as they are.
    """
    names = {"x": entry.x, "y": entry.y}
    names |= {annotation.NOTE: entry.noted} if entry.annotate else {}
    new = {old: name for old, name in names.items() if name not in grid.columns}
    grid = in_own_unit(grid, entry)
    if entry.beside and (own := entry.beside.own_unit):
        noted = [*map(own.value, grid[annotation.NOTE])]
        grid = grid.with_columns(pl.Series(annotation.NOTE, noted, pl.Float64))
    return plain.csv(grid.rename(new), entry)


VALUES, SIDES = ("value", "low", "high"), ("own_value", "baseline_value")
SPANS = ("se", "spread", "spread_equal", "chance_median", "chance_high")
"""Columns of the grid that are values, values of both sides of a difference, distances."""


def in_own_unit(grid: pl.DataFrame, entry: Entry, prefix: str = "") -> pl.DataFrame:
    """The grid with values as logs have them, where figures show them so.

    `prefix`: before the names of their columns.
    """
    own = entry.own_unit
    if own is None:
        return grid
    units = {**dict.fromkeys(VALUES, entry.unit.value), **dict.fromkeys(SIDES, own.value)}
    units |= dict.fromkeys(SPANS, own.span)
    return grid.with_columns(
        pl.Series(f"{prefix}{name}", [*map(unit, grid[f"{prefix}{name}"])], pl.Float64)
        for name, unit in units.items()
        if f"{prefix}{name}" in grid.columns
    )


def latex(grid: pl.DataFrame, entry: Entry, note: str = "") -> str:
    """Panels below each other, cells as the figure has them, ± one standard error if it shows it.

    In bold the highest, as in the figure; what is not told apart from it has a dagger where the
    figure outlines it, and what is told apart is underlined where it has bars. Comments say so.
    """
    error = entry.uncertainty in ("tied", "se")
    rows = _lettered(grid, entry, error)
    along = [wording.column(name, entry.labels) for name in (entry.x, entry.y)]
    across = list(dict.fromkeys(row["x"] for row in rows))
    wide = len(across)
    if entry.nested:
        body, wide = _strip(rows, entry)
    else:
        body = _panels(rows, across, along, titled=bool(entry.panels))
    meaning = _meant_beside if entry.relative_to else _meant
    comments = [
        *meaning(rows, entry, error),
        *([f"in brackets: {annotation.title(entry)}"] if entry.annotate else []),
        *filter(None, [reasons.asked_by_all(grid)]),
        *(reasons.doubts_of(grid) if not entry.relative_to else []),
    ]
    return tabular(f"l{'r' * wide}", body, note, comments)


def _strip(rows: Sequence[Row], entry: Entry) -> tuple[list[str], int]:
    """The lines of a strip of blocks, those of a row beside each other, and its columns.

    Blocks are named over their columns, and above their rows.
    """
    deep = entry.rows_split
    blocks = {panel: list(part) for panel, part in groupby(rows, key=lambda row: row["panel"])}
    across = [*dict.fromkeys(panel[deep:] for panel in blocks)]
    inner = [*dict.fromkeys(row["x"] for row in rows)]
    places = [(*outer, x) for outer in across for x in inner]
    y = escape(wording.column(entry.y, entry.labels))
    lines = _headings(places, [wording.column(name, entry.labels) for name in _across(entry)])
    lines.append(line([y, *(escape(place[-1]) for place in places)]))
    for down in dict.fromkeys(panel[:deep] for panel in blocks):
        name = escape(", ".join(down))
        title = rf"\multicolumn{{{len(places) + 1}}}{{l}}{{\textit{{{name}}}}} \\"
        beside = [_rows_of(blocks[*down, *outer], len(inner)) for outer in across]
        lines += [r"\midrule", *([title] if down else [])]
        lines += [
            line([escape(cut[0][0]["y"]), *(cell["text"] for one in cut for cell in one)])
            for cut in zip(*beside, strict=True)
        ]
    return lines, len(places)


def _across(entry: Entry) -> list[str]:
    """Columns along x, the outermost first."""
    return [*entry.panels[entry.rows_split :], entry.x]


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


def _panels(
    rows: Sequence[Row], across: Sequence[str], titles: Sequence[str], titled: bool
) -> list[str]:
    """`across`: labels of x; `titles`: of the axes."""
    width, (x, y) = len(across), map(escape, titles)
    lines = [
        line(["", rf"\multicolumn{{{width}}}{{c}}{{{x}}}"]),
        rf"\cmidrule(lr){{2-{width + 1}}}",
        line([y, *map(escape, across)]),
    ]
    for panel, part in groupby(rows, key=lambda row: row["panel"]):
        title = rf"\multicolumn{{{width + 1}}}{{l}}{{\textit{{{escape(', '.join(panel))}}}}} \\"
        lines += [r"\midrule", *([title] if titled else []), *_block(list(part), width)]
    return lines


def _lettered(grid: pl.DataFrame, entry: Entry, error: bool) -> list[Row]:
    """Cells in the unit and to the digit that the figure shows, with their LaTeX as `text`."""
    rows, _ = cells.shown_cells(grid, entry)
    return [row | {"text": _cell(row, error) + _note(row)} for row in rows]


def _note(row: Row) -> str:
    """What is printed beside the value, in brackets."""
    noted = row.get("noted") and not row["missing"]
    return f" ({escape(row['noted'])})" if noted else ""


def _cell(row: Row, error: bool) -> str:
    if row["missing"]:
        return NONE
    if row.get("itself"):
        return escape(row["label"])
    value = escape(row["label"])
    text = rf"\textbf{{{value}}}" if row["bold"] else value
    if error and row["error"]:
        text = rf"{text}\,$\pm$\,{escape(row['error'].removeprefix('± '))}"
    text = rf"\underline{{{text}}}" if row["excluded"] else text
    return f"{text}{DAGGER}" if row["outlined"] and not row["bold"] else text


WIDE = "over problems x samples, from counts alone: too small for problems like these"


def table_key(rows: Sequence[Row], entry: Entry, dagger: str = "†") -> list[str]:
    """What bold, daggers and lines mean in a table, if any is, and which cells are in no test."""
    bold = any(row["bold"] for row in rows)
    if entry.relative_to:
        return [f"bold: {baseline_words.apart_words(rows, entry)}"] if bold else []
    among = reasons.among_words(rows, entry)
    alike = [row for row in rows if row["outlined"] and not row["bold"]]
    excluded = [row for row in rows if row["excluded"]]
    meanings = {
        f"bold: {among.top}": bold,
        f"{dagger}: {among.tested(alike)}": bool(alike),
        f"underlined: {among.tested(excluded, apart=True)}": bool(excluded),
        (alone := reasons.untested_words(rows)): bool(alone),
    }
    return [words for words, occurs in meanings.items() if occurs]


def _meant_beside(rows: Sequence[Row], entry: Entry, error: bool) -> list[str]:
    """The same of cells beside a baseline."""
    meanings = baseline_words.meanings(rows, entry, values=True, errors=False)
    meanings += ["+-: standard error of the difference"] * (
        error and any(row["se"] for row in rows)
    )
    gaps = dict.fromkeys(f"{NONE}: {row['gap']}" for row in rows if row["missing"])
    return [*meanings, *gaps]


def _meant(rows: Sequence[Row], entry: Entry, error: bool) -> list[str]:
    """What bold, daggers and ± mean, in words, and why numbers are not there."""
    what = metric(entry.encoding.color)
    over = WIDE if rows[0]["counted"] else "over problems"
    errors = f"+-: standard error {over}"
    if what.printed:
        errors = f"+-: {printed.errors_words(rows)}"
    gaps = dict.fromkeys(f"{NONE}: {row['gap']}" for row in rows if row["missing"])
    return [
        *([what.caveat] if what.join else []),
        *table_key(rows, entry, "dagger"),
        *([errors] if error and any(row["se"] is not None for row in rows) else []),
        *gaps,
    ]


def _block(rows: Sequence[Row], width: int) -> list[str]:
    """The rows of a panel from top to bottom, which is from the last of the grid to the first."""
    cut = _rows_of(rows, width)
    return [line([escape(row[0]["y"]), *(cell["text"] for cell in row)]) for row in cut]


def _rows_of(rows: Sequence[Row], width: int) -> list[Sequence[Row]]:
    """The rows of cells of a panel, the uppermost first."""
    starts = range(0, len(rows), width)
    return [rows[start : start + width] for start in reversed(starts)]
