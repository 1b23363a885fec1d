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
from heatproof.kinds.heatmap import by_k, cells, reasons, remarks, words
from heatproof.kinds.heatmap.cell import read_cells, valued_cells
from heatproof.kinds.heatmap.verdicts import verdicts
from heatproof.kinds.lattice import MEAN
from heatproof.kinds.looks import MISSING, tex_marks
from heatproof.kinds.pair_records import TITLES, pair_records, story_of_instances
from heatproof.kinds.picture import Story, Table, TableRow, escape, tex_text
from heatproof.kinds.question import METRIC
from heatproof.kinds.trace import Stretches
from heatproof.metrics import PRINTED, is_printed, metric
from heatproof.samples import selection
from heatproof.util.lazy import polars as pl
from heatproof.util.numerals import span, spanned

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from heatproof.kinds.cell_figure import Cells
    from heatproof.kinds.columns import Grid, Partial, Portions
    from heatproof.kinds.heatmap.cell import Drawn, DrawnCells, Place
    from heatproof.kinds.heatmap.entry import Entry
    from heatproof.kinds.heatmap.verdicts import Verdict
    from heatproof.kinds.picture import Picture
    from heatproof.kinds.question import Question

UNIT = "value_unit"  # column of CSV files that says in what unit the numbers of a row are
CELL = "#cell"
"""Column of the number of a cell in the grid; no hyper-parameter is called so."""


def csv(grid: Grid, entry: Cells) -> str:
    """All of the grid, with the names of the columns along its axes, each number with its unit.

    That is the unit of the logs, whatever the unit in which figures show them.
    """
    question = entry.question
    names = {"x": question.x, "y": question.y}
    for axis, column in (("x", question.x), ("y", question.y)):
        if column in question.grouping:
            names[f"group_{axis}"] = question.grouping[column]
    if question.annotate:
        names[NOTE] = question.noted
    new = {old: name for old, name in names.items() if name not in grid.columns}
    grid = in_own_unit(grid, question)
    if question.beside:
        deviates = bool(question.deviates)
        grid = in_own_unit(grid, question.beside, "note_", deviates=deviates)
    return pictures.grid_csv(grid.rename(new))


def in_own_unit(
    grid: Grid, question: Question, prefix: str = "", *, deviates: bool = False
) -> Grid:
    """The grid with values in the unit of the logs, which a column behind them names.

    `prefix`: before the names of their columns (`kinds.columns`); `deviates`: values are distances.
    """
    if question.several:
        changed = []
        for metric_grid in grid.with_row_index(CELL).partition_by(METRIC):
            alone = question.of_metrics(metric_grid[METRIC][0])
            changed.append(in_own_unit(metric_grid, alone, prefix))
        return pl.concat(changed).sort(CELL).drop(CELL)
    question = structs.replace(question, percent=None)
    unit = units.words(question.word, question.ranges)
    grid = with_words(grid, question, prefix)
    value = f"{prefix}value"
    grid = _insert(grid, value, f"{prefix}{UNIT}", [unit for _ in range(len(grid))])
    log_unit = question.own_unit
    if log_unit is None:
        return grid
    ways = {"value": question.unit.value, "side": log_unit.value, "span": log_unit.span}
    if deviates:
        ways["value"] = log_unit.span
    numbers = []
    for name in grid.columns:
        column = columns.BY_NAME.get(name)
        if column and column.prefix == prefix and column.unit in ways:
            way = ways[column.unit]
            numbers.append(pl.Series(name, [way(number) for number in grid[name]], pl.Float64))
    return grid.with_columns(numbers)


def with_words(grid: Grid, question: Question, prefix: str = "") -> Grid:
    """The grid of one metric with the words of its codes, each in a column behind it."""
    gap = f"{prefix}gap"
    doubt = f"{prefix}unjudged"
    rows = grid.iter_rows(named=True)
    texts = [reasons.gap_words(row, question, prefix) or None for row in rows]
    grid = _insert(grid, gap, f"{gap}_words", texts)
    if doubt not in grid.columns:
        return grid
    texts = [kind and reasons.doubt_words_of(kind, question) for kind in grid[doubt]]
    return _insert(grid, doubt, f"{doubt}_words", texts)


def _insert(grid: Grid, after: str, name: str, texts: Sequence[str | None]) -> Grid:
    """The grid with a column of texts behind another column."""
    place = grid.columns.index(after) + 1
    return grid.clone().insert_column(place, pl.Series(name, texts, pl.String))


def latex(grid: Grid, entry: Cells, content: Picture, note: str = "") -> str:
    """Panels below each other, cells as in the figure, ± one standard error if it shows it.

    Lines below it say what bold and • mean.
    """
    question = entry.question
    rows = cells.shown_cells(grid, question)
    error = question.uncertainty in ("tied", "se")
    deep = question.rows_split
    if not question.nested:
        deep = len(question.panels)
    outer = list(dict.fromkeys(row.panel[deep:] for row in rows))
    panels: dict[str, list[list[Drawn]]] = {}
    for panel, panel_rows in groupby(rows, key=lambda row: row.panel):
        panels.setdefault(", ".join(panel[:deep]), []).append(list(panel_rows))
    meanings = [remark.whole for remark in words.latex_remarks(rows, question, error)]
    if question.annotate:
        title = words.note_title(question)
        meanings.append(f"in brackets: {title}")
    if question.means:
        meanings.append(f"{MEAN}: unweighted, of {words.means_words(rows, question)}")
    meanings += filter(None, [reasons.asked_by_all(grid)])
    if not question.relative_to:
        meanings += words.doubts(rows, question)
    meanings += content.below_table
    names = cells.names_of_figure(grid, rows, question)
    tabular = cells.latex_of_cells(
        panels,
        names,
        lambda row: _tex_of_cell(row, error),
        names.x,
        meanings,
        outer,
        question.nested,
    )
    return tabular.text(note)


def _tex_of_cell(row: Drawn, error: bool) -> str:
    text = tex_text(row.label, is_bold=row.bold and not row.itself)
    if error and row.margin and not row.itself:
        margin = escape(row.margin)
        text = rf"{text}\,$\pm$\,{margin}"
    text += tex_marks(row)
    if row.noted and not row.missing:
        noted = escape(row.noted)
        return f"{text} ({noted})"
    return text


def table(grid: Grid, entry: Entry, content: Picture) -> Table:
    """A row per cell, and all remarks at length."""
    question = entry.question
    details = [remarks.colour_words(entry), *(remark.whole for remark in content.meanings)]
    judged = any(grid[name].count() for name in ("tied", "differs") if name in grid.columns)
    if judged and reasons.is_growing(content.rows, question):
        details.append(reasons.EVERY_LOOK)
    sentences_told = [wording.sentence(detail) for detail in details if detail]
    sentences_told += _verdict_sentences(grid, question, lambda verdict: verdict.at_length)
    plain = plain_table(grid, question)
    return replace(plain, details=sentences_told)


def _panel_verdicts(grid: Grid, question: Question) -> dict[Place, Verdict]:
    """Labels of a panel → its verdict."""
    table = read_cells(grid, question, "tied")
    return verdicts(table, question, cells.all_digits(table, question))


def _brief_verdicts(grid: Grid, question: Question) -> tuple[list[str], list[str]]:
    """The verdicts of all panels in a few words, and in fewer; none where no panel is judged."""
    judged = _panel_verdicts(grid, question)
    told_verdicts = [
        verdict for verdict in judged.values() if verdict.judged and verdict.sort != "sets"
    ]
    if not told_verdicts:
        return [], []
    if len(judged) == 1:  # where none is highest, a remark says so
        brief_texts = [
            wording.sentence(verdict.brief) for verdict in told_verdicts if verdict.sort != "none"
        ]
        return brief_texts, brief_texts
    places: dict[str, list[str]] = {}
    for place, verdict in judged.items():
        if verdict.brief:
            places.setdefault(verdict.brief, []).append(" ".join(place))
    named_panels = [f"{text} in {', '.join(names)}" for text, names in places.items()]
    sorts = Counter(verdict.fewest for verdict in judged.values())
    size = f"{len(judged):,}"
    counted = [f"{text} in {number:,} of {size}" for text, number in sorts.items() if text]
    opening = f"Each {words.panel_noun(question)} by itself (95\u00a0%{LIKE}): "
    return [opening + "; ".join(named_panels)], [opening + "; ".join(counted)]


def _verdict_sentences(
    grid: Grid, question: Question, wording_of: Callable[[Verdict], str]
) -> list[str]:
    """The verdict on each panel, as `wording_of` words it, with the panel's name."""
    texts = []
    for place, verdict in _panel_verdicts(grid, question).items():
        text = wording_of(verdict)
        if text:
            texts.append(f"For {', '.join(place)}: {text}" if place else wording.sentence(text))
    return texts


def plain_table(grid: Grid, question: Question) -> Table:
    """A row per cell, in the unit and to the digit that the figure shows."""
    rows = cells.shown_cells(grid, question)
    titles = [wording.column(name, question.labels) for name in question.along]
    facts = words.cell_facts(question)
    judged = not question.relative_to
    lines = []
    for row in rows:
        texts = [getattr(row, key) or MISSING.sign for key in ("label", *facts.values())]
        line = TableRow(
            (*cells.place_labels(row), *texts),
            best=row.bold,
            incomplete=row.incomplete,
            tied=judged and (row.dotted or (row.bold and row.tied)),
        )
        lines.append(line)
    limits = ""
    if judged:
        limits = reasons.asked_by_all(grid)
    return Table(
        columns=(*titles, _value_column(question), *facts),
        texts=len(titles),
        rows=lines,
        n="; ".join(filter(None, [_problem_words(rows, question), limits])),
        incomplete=_cells_lacking(rows, titles, question),
        key=[remark.whole for remark in words.table_remarks(rows, question)],
    )


def _problem_words(rows: DrawnCells, question: Question) -> str:
    """How many problems numbers rest on."""
    valued = valued_cells(rows)
    if is_printed(question.word):
        if question.relative_to:
            return PRINTED
        return words.counts_words(rows, "cell")
    if question.relative_to:
        shared = span(row.side.problems or 0 for row in valued if row.side)
        return f"{shared} problems shared by a cell and its baseline"
    return f"{spanned((row.samples for row in valued), question.instances)} per cell"


def _cells_lacking(rows: DrawnCells, titles: Sequence[str], question: Question) -> list[str]:
    """The cells that lack records, with why."""
    metrics = {metric_word: metric(metric_word) for metric_word in question.by_metric()}
    gaps = []
    for row in rows:
        if row.incomplete or (row.missing and not row.state.is_whole):
            labels = zip(titles, cells.place_labels(row), strict=True)
            place = ", ".join(f"{title} {label}" for title, label in labels)
            why = row.why or reasons.lack_words(row, metrics[row.metric])
            gaps.append(f"{place}: {why}")
    return gaps


def _value_column(question: Question) -> str:
    return "Value" if question.several else question.value_title


def caption(grid: Grid, entry: Entry, content: Picture) -> list[str]:
    """The axes, number of problems, meanings of marks, gaps, and verdicts if there is room."""
    question = entry.question
    short, at_length = caption_sentences(grid, entry, content, remarks.colour_words(entry))
    # What is not judged anywhere is a remark already, and that no cell differs from its baseline.
    if question.relative_to and grid["differs"].max() is False:
        return pictures.brief(at_length, short)
    verdict_texts = _verdict_sentences(grid, question, lambda verdict: _new_line(verdict, question))
    brief_texts, fewest = _brief_verdicts(grid, question)
    wordy = [at_length + verdict_texts for verdict_texts in (verdict_texts, brief_texts, fewest)]
    return pictures.brief(*wordy, short + brief_texts, short + fewest)


def _new_line(verdict: Verdict, question: Question) -> str:
    """The verdict, unless a remark on the one panel, or on all of the metric, says the same."""
    told_of_all = question.several and not verdict.judged
    is_told = verdict.is_remark and (not question.panels or told_of_all)
    return "" if is_told else verdict.line


def caption_sentences(
    grid: Grid, entry: Cells, content: Picture, colours: str = ""
) -> tuple[list[str], list[str]]:
    """The sentences of captions, short and at length; `colours`: words of the scale."""
    question = entry.question
    opening = [entry.caption or _shown_words(entry, content)] + pictures.where_words(entry)
    opening.append(words.counts_words(content.rows, content.noun, question.instances))
    opening += filter(None, [reasons.asked_by_all(grid)])
    uncounted = [remark for remark in content.meanings if not remark.is_counted]
    plain = plain_table(grid, question)
    lacking = pictures.lacking_words(plain)
    short = _as_sentences([colours, *(remark.text for remark in uncounted)])
    at_length = _as_sentences([colours, *(remark.whole for remark in uncounted)])
    return opening + short + lacking, opening + at_length + lacking


def _as_sentences(texts: Sequence[str]) -> list[str]:
    return [wording.sentence(text) for text in texts if text]


def _shown_words(entry: Cells, content: Picture) -> str:
    """What is shown, in how many panels, and over what numbers are means."""
    question = entry.question
    texts = [f"{entry.title}: {content.shows}" if entry.title else content.shows]
    if question.panels and not question.nested:
        titles = [reasons.among_title(name, question) for name in question.panels]
        listed = " and ".join(titles)
        texts.append(f"a panel for each {listed}")
    if question.mean_over:
        title = reasons.among_title(question.mean_over, question)
        texts.append(f"mean over {title} (unweighted)")
    return ", ".join(texts)


def records(
    samples: Portions,
    entry: Cells,
    grid: Grid,
    partial: Partial = None,
) -> Story:
    """The logs and tasks behind each cell, as plain values.

    `cells`, in the order of the grid: `parts` (its column), and `logs` (`Stretches.listed`).
    """
    question = entry.question
    if question.pair:
        return pair_records(samples, question, grid, partial)
    places = Stretches(CELL)
    numbered = grid.with_row_index(CELL).lazy()
    for rows, metric_word in product(by_k.samples_by_k(samples, question), question.by_metric()):
        alone = question.of_metrics(metric_word).alone()
        valued = rows.filter(pl.col(metric(metric_word).of).is_not_null())
        metric_cells = numbered
        if question.several:
            metric_cells = numbered.filter(pl.col(METRIC) == metric_word)
        metric_cells = metric_cells.select(CELL, *alone.places)
        shown_rows = selection.of_figure(valued, alone)
        placed = shown_rows.join(metric_cells, left_on=alone.along, right_on=alone.places)
        places.add(placed.select(CELL, *roles.PLACE).collect())
    lines = places.listed()
    behind = []
    for number, tasks in enumerate(grid["parts"].to_list()):
        task_values = [list(task.values()) for task in tasks or ()]
        behind.append({"parts": task_values, "logs": lines.get(number, [])})
    return {"cells": behind, "logs": places.logs()}


def story(records: Mapping[str, Any], entry: Cells, grid: Grid, *_: Picture) -> Story:
    """The page's text on each cell, as plain values, from its `records`.

    `cells`, in the order of the grid: `facts` in the order of the figure's `facts`, `flags`,
    `parts` (tasks of a mean) and `logs` (`Stretches.listed`).
    """
    question = entry.question
    rows = cells.shown_cells(grid, question)
    digits = cells.all_digits(rows, question)
    questions = question.by_metric()
    facts = words.cell_facts(question)
    has_tasks = not (question.relative_to or question.pair)
    page = []
    limits = [states.asked_words(row) for row in grid.iter_rows(named=True)]
    flags = words.page_flags(rows, limits, question)
    for row, texts, behind in zip(rows, flags, records["cells"], strict=True):
        task_values: list[Any] = []
        if question.pair:
            task_values = story_of_instances(behind, question)
        for task, value, *counts in behind["parts"] if has_tasks else []:
            (name,) = question.called("task", [task]).values()
            number = questions[row.metric].unit.value(value)
            text = MISSING.sign
            if number is not None:
                metric_digits = digits[row.metric]
                text = metric_digits.value(number)
            task_values.append([name, text] + counts)
        values = [row.told, *(getattr(row, key) or None for key in facts.values())]
        page.append({"facts": values, "flags": texts, "parts": task_values, "logs": behind["logs"]})
    titles = {"parts": wording.column("task", question.labels) if has_tasks else ""}
    if question.pair:
        titles = dict(zip(("parts", "part"), TITLES, strict=True))
    return {
        **_axis_names(grid, question),
        **titles,
        "facts": [_value_column(question), *facts],
        "cells": page,
        "logs": records["logs"],
    }


def _axis_names(grid: Grid, question: Question) -> Story:
    """Names of panels, row by row, and of axes, in the figure and for `heatproof trace`."""
    column_of = dict(zip(question.places, question.along, strict=True))
    names = {
        axis_name: question.called(name, list(dict.fromkeys(grid[axis_name])))
        for axis_name, name in column_of.items()
    }
    titles = {axis: wording.column(column_of[axis], question.labels) for axis in ("x", "y")}
    axes = {
        axis: {
            "name": column_of[axis],
            "values": list(map(str, called)),
            "words": list(called.values()),
        }
        for axis, called in names.items()
        if axis in titles
    }
    panels = []
    for panel in product(*(names[column].items() for column in question.panels)):
        pick = [[column, str(v)] for column, (v, _) in zip(question.panels, panel, strict=True)]
        panels.append({"pick": pick, "words": ", ".join(label for _, label in panel), **titles})
    return {"panels": panels, **axes}
