"""The numbers of a heatmap outside of it: CSV, LaTeX, the page's table, the caption."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from heatproof.charts import wording
from heatproof.kinds import columns
from heatproof.kinds import picture as pictures
from heatproof.kinds.heatmap import (
    annotation,
    baseline_words,
    cells,
    draw,
    printed,
    reasons,
    words,
)
from heatproof.kinds.picture import Latex
from heatproof.kinds.tables import NONE, Row, Table, escape, line
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
    titles, what = (
        [wording.column(name, entry.labels) for name in entry.along],
        metric(entry.encoding.color),
    )
    valued = [row for row in rows if not row["missing"]]
    beside: Sequence[str] = ("95 % interval", "± SE", "problems")
    joint = "–"
    size = f"{span(row['samples'] for row in valued)} problems a cell"
    if what.printed:
        size = f"{PRINTED}; {printed.counts_words(rows, 'cell')}"
    if entry.relative_to:
        beside, joint = baseline_words.COLUMNS, " to "
        both = f"{span(row['paired'] for row in valued)} problems that a cell and its baseline hold"
        size = PRINTED if what.printed else both
    gaps = [
        f"{', '.join(f'{t} {n}' for t, n in zip(titles, cells.place(row), strict=True))}: "
        + (row["gap"] if row["missing"] else reasons.lack_words(row, what))
        for row in rows
        if (row["missing"] or row["incomplete"]) and row["gap"] != reasons.ITSELF
    ]
    limits = [] if entry.relative_to else [reasons.asked_by_all(grid)]
    noted = [annotation.title(entry)] if entry.annotate else []
    counted = "numbers" if what.printed else "graded"
    return Table(
        columns=(*titles, cells.value_title(entry), *beside, counted, "of", *noted),
        texts=len(titles),
        rows=[_row(row, joint) for row in rows],
        n="; ".join(filter(None, [size, *limits])),
        key=words.table_meanings(rows, entry),
        incomplete=gaps,
    )


def _row(row: Cell, joint: str) -> Row:
    """`joint`: between the ends of an interval."""
    between = row["between"].replace(" to ", joint)
    texts = [row["label"], between, row["error"].removeprefix("± ")]
    if "paired" in row:
        texts += [row["own_told"], row["base_told"], baseline_words.paired(row) or ""]
    else:
        texts.append(printed.size_words(row))
    texts += [f"{row['epochs']:,}", f"{row['expected']:,}"]
    texts += [row["noted"]] if "noted" in row else []
    tied, excluded = (False, False) if "paired" in row else (row["outlined"], row["excluded"])
    lacks = row["missing"] or row["incomplete"]
    names = (*cells.place(row), *(text or "–" for text in texts))
    return Row(names, row["bold"], lacks, tied, excluded)


# ---------------------------------------------------------------------------------------- captions


def caption(grid: pl.DataFrame, entry: Entry) -> list[str]:
    """What is shown, of how many problems, what the marks mean, the verdicts, what is missing."""
    rows, digits = cells.shown_cells(grid, entry)
    judged = entry.uncertainty in ("tied", "interval") and not entry.relative_to
    judged = judged and entry.marks != "none"
    verdicts = words.verdicts_of(grid, entry, entry.unit.factor, digits) if judged else {}
    content = draw.picture(grid, entry)
    meanings = content.caption or []
    if metric(entry.encoding.color).printed:
        without = (PRINTED, "±: ", "range: ")
        uncertainty = printed.uncertainty_words(rows, entry.mean_over)
        meanings = [uncertainty, *(line for line in meanings if not line.startswith(without))]
    explained = [*filter(None, [entry.color.words()]), *map(wording.sentence, meanings)]
    for place, lines in verdicts.items():
        if lines:
            text, panel = "; ".join(lines), ", ".join(place)
            explained.append(f"For {panel}: {text}" if panel else wording.sentence(text))
    return sentences(grid, entry, content, explained, table(grid, entry))


def sentences(
    grid: pl.DataFrame, entry: Entry, content: Picture, lines: Sequence[str], numbers: Table
) -> list[str]:
    """A caption. `lines`: what marks mean, and verdicts; `numbers`: the page's table."""
    title = f"{entry.title}: " if entry.title else ""
    return [
        entry.caption or f"{title}{content.shows}{words.panels_words(entry)}",
        *pictures.where_words(entry),
        words.counts_words(content.rows, content.noun),
        *filter(None, [reasons.asked_by_all(grid)]),
        *lines,
        *pictures.lacking(numbers),
        *reasons.look_words(grid, numbers.incomplete),
    ]
