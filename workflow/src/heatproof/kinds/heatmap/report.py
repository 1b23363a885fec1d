"""The texts of a heatmap: CSV, LaTeX, caption, the page and its records."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import groupby, product
from typing import TYPE_CHECKING, Any

from msgspec import structs

from heatproof.charts import units, wording
from heatproof.charts.sheet import LIKE
from heatproof.config import roles
from heatproof.kinds import columns, states
from heatproof.kinds import picture as pictures
from heatproof.kinds.columns import NOTE
from heatproof.kinds.heatmap import cells, reasons, remarks, words
from heatproof.kinds.heatmap.cell import read_cells
from heatproof.kinds.heatmap.ordering import MEAN
from heatproof.kinds.heatmap.verdicts import verdicts
from heatproof.kinds.picture import NONE, Table, TableRow, escape
from heatproof.kinds.question import METRIC
from heatproof.kinds.trace import Stretches
from heatproof.metrics import PRINTED, metric
from heatproof.samples import selection
from heatproof.util.lazy import polars as pl
from heatproof.util.numerals import span

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from heatproof.kinds.cell_figure import Cells
    from heatproof.kinds.heatmap.cell import Drawn, Place
    from heatproof.kinds.heatmap.entry import Entry
    from heatproof.kinds.heatmap.verdicts import Verdict
    from heatproof.kinds.picture import Picture
    from heatproof.kinds.question import Question

Story = dict[str, Any]
UNIT = "value_unit"  # column of CSV files that says in what unit the numbers of a row are
CELL = "#cell"
"""Column of the number of a cell in the grid; no hyper-parameter is called so."""


def csv(grid: pl.DataFrame, entry: Cells) -> str:
    """All of the grid, with the names of the columns along its axes, each number with its unit.

    That is the unit of the logs, whatever the unit in which figures show them.
    """
    question = entry.question
    names = {"x": question.x, "y": question.y}
    axes = ((name, question.grouping.get(column)) for name, column in names.items())
    names |= {f"group_{name}": by for name, by in axes if by}
    names |= {NOTE: question.noted} if question.annotate else {}
    new = {old: name for old, name in names.items() if name not in grid.columns}
    grid = in_own_unit(grid, question)
    if question.beside:
        grid = in_own_unit(grid, question.beside, "note_", deviates=bool(question.deviates))
    return pictures.csv(grid.rename(new))


def in_own_unit(
    grid: pl.DataFrame, question: Question, prefix: str = "", *, deviates: bool = False
) -> pl.DataFrame:
    """The grid with values in the unit of the logs, which a column behind them names.

    `prefix`: before the names of their columns (`kinds.columns`); `deviates`: values are distances.
    """
    if question.several:
        parts = grid.with_row_index(CELL).partition_by(METRIC)
        changed = (
            in_own_unit(part, question.of_metrics(part[METRIC][0]), prefix) for part in parts
        )
        return pl.concat(changed).sort(CELL).drop(CELL)
    question = structs.replace(question, percent=None)
    words = units.words(question.word, question.ranges)
    unit = pl.Series(f"{prefix}{UNIT}", [words] * len(grid), pl.String)
    grid = with_words(grid, question, prefix)
    grid = grid.insert_column(grid.columns.index(f"{prefix}value") + 1, unit)
    own = question.own_unit
    if own is None:
        return grid
    ways = {"value": question.unit.value, "side": own.value, "span": own.span}
    if deviates:
        ways["value"] = own.span
    return grid.with_columns(
        pl.Series(name, [*map(ways[column.unit], grid[name])], pl.Float64)
        for name, column in columns.BY_NAME.items()
        if name in grid.columns and column.prefix == prefix and column.unit in ways
    )


def with_words(grid: pl.DataFrame, question: Question, prefix: str = "") -> pl.DataFrame:
    """The grid of one metric with the words of its codes, each in a column behind it."""
    rows = grid.iter_rows(named=True)
    gaps = [reasons.gap_words(row, question, prefix) or None for row in rows]
    texts = {"gap": gaps}
    if f"{prefix}unjudged" in grid.columns:
        kinds = grid[f"{prefix}unjudged"]
        texts["unjudged"] = [kind and reasons.doubt_words(kind, question) for kind in kinds]
    grid = grid.clone()
    for name, words_of_code in texts.items():
        column = pl.Series(f"{prefix}{name}_words", words_of_code, pl.String)
        grid.insert_column(grid.columns.index(f"{prefix}{name}") + 1, column)
    return grid


DAGGER = r"\rlap{$^{\dagger}$}"  # it takes no room, so that numbers align


def latex(grid: pl.DataFrame, entry: Cells, _: Picture, note: str = "") -> str:
    """Panels below each other, cells as in the figure, ± one standard error if it shows it.

    Comments say that bold is the highest, † stands for an outline, and an underline for a bar.
    """
    question = entry.question
    rows = cells.shown_cells(grid, question)
    error = question.uncertainty in ("tied", "se")
    deep = question.rows_split if question.nested else len(question.panels)
    outer = [*dict.fromkeys(row.panel[deep:] for row in rows)]
    panels: dict[str, list[list[Drawn]]] = {}
    for panel, part in groupby(rows, key=lambda row: row.panel):
        panels.setdefault(", ".join(panel[:deep]), []).append([*part])
    meanings = [
        *(remark.whole for remark in words.latex_remarks(rows, question, error)),
        *([f"in brackets: {words.note_title(question)}"] if question.annotate else []),
        *(
            [f"{MEAN}: unweighted, of {words.means_words(rows, question)}"]
            if question.means
            else []
        ),
        *filter(None, [reasons.asked_by_all(grid)]),
        *(words.doubts(grid, question) if not question.relative_to else []),
    ]
    names, text = cells.figure_names(grid, rows, question), lambda row: _tex(row, error)
    tabular = cells.latex(panels, names, text, names.x, meanings, outer, question.nested)
    return tabular.text(note)


def _tex(row: Drawn, error: bool) -> str:
    if row.missing:
        return NONE
    text = escape(row.label)
    if not row.itself:
        text = rf"\textbf{{{text}}}" if row.bold else text
        if error and row.error:
            text = rf"{text}\,$\pm$\,{escape(row.error.removeprefix('± '))}"
        text = rf"\underline{{{text}}}" if row.excluded else text
        text = f"{text}{DAGGER}" if row.outlined and not row.bold else text
    return f"{text} ({escape(row.noted)})" if row.noted else text


def table(grid: pl.DataFrame, entry: Entry, content: Picture) -> Table:
    """A row per cell, and all remarks at length."""
    question = entry.question
    details = [remarks.colour_words(entry), *(remark.whole for remark in content.meanings)]
    plain = plain_table(grid, question)
    judged = any(grid[name].count() for name in ("tied", "differs") if name in grid.columns)
    if judged and reasons.is_growing(content.rows, question):
        details.append(reasons.EVERY_LOOK)
    verdicts = _verdicts(grid, question, lambda verdict: verdict.at_length)
    return replace(plain, details=[*map(wording.sentence, filter(None, details)), *verdicts])


def _judged(grid: pl.DataFrame, question: Question) -> dict[Place, Verdict]:
    """Labels of a panel → its verdict."""
    table = read_cells(grid, question, "tied")
    return verdicts(table, question, cells.all_digits(table, question))


def _brief_verdicts(grid: pl.DataFrame, question: Question) -> tuple[list[str], list[str]]:
    """The verdicts of all panels in a few words, and in fewer; none where no panel is judged."""
    judged = _judged(grid, question)
    told = [verdict for verdict in judged.values() if verdict.judged and verdict.sort != "sets"]
    if not told:
        return [], []
    if len(judged) == 1:  # where none is highest, a remark says so
        few = [wording.sentence(verdict.brief) for verdict in told if verdict.sort != "none"]
        return few, few
    panel = "block" if question.nested else "panel"
    places: dict[str, list[str]] = {}
    for place, verdict in judged.items():
        if verdict.brief:
            places.setdefault(verdict.brief, []).append(" ".join(place))
    named = [f"{text} in {', '.join(names)}" for text, names in places.items()]
    sorts = Counter(verdict.fewest for verdict in judged.values() if verdict.fewest)
    size = f"{len(judged):,}"
    counted = [f"{text} in {number:,} of {size}" for text, number in sorts.items()]
    opening = f"Each {panel} by itself (95\u00a0%{LIKE}): "
    return [opening + "; ".join(named)], [opening + "; ".join(counted)]


def _verdicts(
    grid: pl.DataFrame, question: Question, wording_of: Callable[[Verdict], str]
) -> list[str]:
    texts = {place: wording_of(verdict) for place, verdict in _judged(grid, question).items()}
    return [
        f"For {', '.join(place)}: {text}" if place else wording.sentence(text)
        for place, text in texts.items()
        if text
    ]


def plain_table(grid: pl.DataFrame, question: Question) -> Table:
    """A row per cell, in the unit and to the digit that the figure shows."""
    rows = cells.shown_cells(grid, question)
    titles = [wording.column(name, question.labels) for name in question.along]
    what, facts = metric(question.word), words.facts(question)
    valued = [row for row in rows if not row.missing]
    size = f"{span(row.samples for row in valued)} problems per cell"
    if what.printed:
        size = PRINTED if question.relative_to else words.counts_words(rows, "cell")
    elif question.relative_to:
        shared = span(row.side.problems or 0 for row in valued if row.side)
        size = f"{shared} problems shared by a cell and its baseline"
    whats = {word: metric(word) for word in question.by_metric()}
    gaps = [
        f"{', '.join(f'{t} {n}' for t, n in zip(titles, cells.place(row), strict=True))}: "
        + (row.why or reasons.lack_words(row, whats[row.metric]))
        for row in rows
        if row.incomplete or (row.missing and not row.state.is_whole)
    ]
    limits = "" if question.relative_to else reasons.asked_by_all(grid)
    judged = not question.relative_to
    lines = [
        TableRow(
            (*cells.place(row), *(getattr(row, key) or "–" for key in ("label", *facts.values()))),
            best=row.bold, incomplete=row.missing or row.incomplete,
            tied=judged and row.outlined, excluded=judged and row.excluded,
        )
        for row in rows
    ]  # fmt: skip
    return Table(
        columns=(*titles, _value_column(question), *facts), texts=len(titles), rows=lines,
        n="; ".join(filter(None, [size, limits])), incomplete=gaps,
        key=[remark.whole for remark in words.table_remarks(rows, question)],
    )  # fmt: skip


def _value_column(question: Question) -> str:
    return "Value" if question.several else question.value_title


def caption(grid: pl.DataFrame, entry: Entry, content: Picture) -> list[str]:
    """The axes, number of problems, meanings of marks, gaps, and verdicts if there is room."""
    question = entry.question
    short, whole = sentences(grid, entry, content, remarks.colour_words(entry))
    # What is not judged anywhere is a remark already, and that no cell differs from its baseline.
    none_differs = bool(question.relative_to) and grid["differs"].max() is False
    verdicts = [] if none_differs else _verdicts(grid, question, lambda v: _new_line(v, question))
    few, fewest = ([], []) if none_differs else _brief_verdicts(grid, question)
    wordy = [[*whole, *end] for end in (verdicts, few, fewest)]
    return pictures.brief(*wordy, [*short, *few], [*short, *fewest])


def _new_line(verdict: Verdict, question: Question) -> str:
    """The verdict, unless a remark on the one panel, or on all of the metric, says the same."""
    is_told = verdict.is_remark and (
        not question.panels or (question.several and not verdict.judged)
    )
    return "" if is_told else verdict.line


def sentences(
    grid: pl.DataFrame, entry: Cells, content: Picture, colours: str = ""
) -> tuple[list[str], list[str]]:
    """The sentences of captions, short and at length; `colours`: words of the scale."""
    question = entry.question
    panels = () if question.nested else question.panels
    titles = " and ".join(reasons.among_title(name, question) for name in panels)
    over = f"mean over {reasons.among_title(question.mean_over or '', question)} (unweighted)"
    parts = [
        f"{entry.title}: {content.shows}" if entry.title else content.shows,
        *([f"a panel for each {titles}"] if titles else []),
        *([over] if question.mean_over else []),
    ]
    opening = [
        entry.caption or ", ".join(parts),
        *pictures.where_words(entry),
        words.counts_words(content.rows, content.noun),
        *filter(None, [reasons.asked_by_all(grid)]),
    ]
    told = [remark for remark in content.meanings if not remark.is_counted]
    texts = [remark.text for remark in told], [remark.whole for remark in told]
    lacking = pictures.lacking(plain_table(grid, question))
    short, whole = (
        [*opening, *(wording.sentence(text) for text in [colours, *said] if text), *lacking]
        for said in texts
    )
    return short, whole


def records(
    samples: Sequence[pl.LazyFrame],
    entry: Cells,
    grid: pl.DataFrame,
    partial: Sequence[pl.LazyFrame] | None = None,  # noqa: ARG001 - all kinds are asked alike
) -> Story:
    """The logs and tasks behind each cell, as plain values.

    `cells`, in the order of the grid: `parts` (its column), and `logs` (`Stretches.listed`).
    """
    question = entry.question
    places, numbered = Stretches(CELL), grid.with_row_index(CELL).lazy()
    for rows, word in product(samples, question.by_metric()):
        own, valued = question.of_metrics(word).alone(), pl.col(metric(word).of).is_not_null()
        inside = numbered.filter(pl.col(METRIC) == word) if question.several else numbered
        placed = selection.of_figure(rows.filter(valued), own).join(
            inside.select(CELL, *own.places), left_on=own.along, right_on=own.places
        )
        places.add(placed.select(CELL, *roles.PLACE).collect())
    lines = places.listed()
    return {
        "cells": [
            {"parts": [[*part.values()] for part in some or ()], "logs": lines.get(n, [])}
            for n, some in enumerate(grid["parts"].to_list())
        ],
        "logs": places.logs(),
    }


def story(records: Mapping[str, Any], entry: Cells, grid: pl.DataFrame, *_: Picture) -> Story:
    """The page's text on each cell, as plain values, from its `records`.

    `cells`, in the order of the grid: `facts` in the order of the figure's `facts`, `flags`,
    `parts` (tasks of a mean) and `logs` (`Stretches.listed`).
    """
    question = entry.question
    rows = cells.shown_cells(grid, question)
    digits, figures = cells.all_digits(rows, question), question.by_metric()
    facts, beside, page = words.facts(question), bool(question.relative_to), []
    limits = [states.asked_words(row) for row in grid.iter_rows(named=True)]
    flags = words.page_flags(rows, limits, question)
    for row, texts, behind in zip(rows, flags, records["cells"], strict=True):
        parts, word = [], row.metric
        for task, value, *counts in [] if beside else behind["parts"]:
            (name,) = question.called("task", [task]).values()
            own = figures[word].unit.value(value)
            parts.append([name, "–" if own is None else digits[word].value(own), *counts])
        values = [row.told, *(getattr(row, key) or None for key in facts.values())]
        page.append({"facts": values, "flags": texts, "parts": parts, "logs": behind["logs"]})
    return {
        **_axes(grid, question),
        "facts": [_value_column(question), *facts],
        "parts": "" if beside else wording.column("task", question.labels),
        "cells": page,
        "logs": records["logs"],
    }


def _axes(grid: pl.DataFrame, question: Question) -> Story:
    """Names of panels, row by row, and of axes, in the figure and for `heatproof trace`."""
    along = dict(zip(question.places, question.along, strict=True))
    names = {at: question.called(name, list(dict.fromkeys(grid[at]))) for at, name in along.items()}
    titles = {axis: wording.column(along[axis], question.labels) for axis in ("x", "y")}
    axes = {
        axis: {"name": along[axis], "values": [*map(str, called)], "words": [*called.values()]}
        for axis, called in names.items()
        if axis in titles
    }
    panels = []
    for panel in product(*(names[column].items() for column in question.panels)):
        pick = [[column, str(v)] for column, (v, _) in zip(question.panels, panel, strict=True)]
        panels.append({"pick": pick, "words": ", ".join(word for _, word in panel), **titles})
    return {"panels": panels, **axes}
