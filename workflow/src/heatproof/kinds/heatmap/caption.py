"""The caption of a heatmap: what its picture has no room for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof.charts import wording
from heatproof.kinds import plain
from heatproof.kinds.heatmap import (
    annotation,
    baseline_words,
    cells,
    nesting,
    printed,
    reasons,
    words,
)
from heatproof.kinds.heatmap.table import table
from heatproof.metrics import PRINTED, metric
from heatproof.util.numerals import span

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heatproof.kinds.heatmap.cells import Row
    from heatproof.kinds.heatmap.entry import Entry
    from heatproof.util.lazy import polars as pl


def caption(grid: pl.DataFrame, entry: Entry) -> list[str]:
    """What is shown, of how many problems, what the marks mean, the verdicts, what is missing."""
    rows, spec = cells.shown_cells(grid, entry)
    judged = entry.uncertainty == "tied" and not entry.relative_to
    said = words.verdicts_of(grid, entry, entry.unit.factor, spec) if judged else {}
    return [
        entry.caption or _shown(entry),
        *plain.where_words(entry),
        counts_words(rows, "cell"),
        *filter(None, [reasons.asked_by_all(grid)]),
        *filter(None, [entry.color.said()]),
        *_method(rows, entry),
        *([_noted(entry)] if entry.annotate else []),
        *(_verdict(", ".join(place), told) for place, told in said.items() if told),
        *plain.lacking(table(grid, entry)),
    ]


def _shown(entry: Entry) -> str:
    x, y = nesting.said(entry) if entry.nested else _axes(entry)
    title = f"{entry.title}: " if entry.title else ""
    return f"{title}{cells.value_title(entry)} by {x} (across) and {y} (up){panels_words(entry)}"


def _noted(entry: Entry) -> str:
    said = annotation.meaning(entry)
    return f"{said[0].upper()}{said[1:]}"


def _axes(entry: Entry) -> tuple[str, str]:
    return wording.column(entry.x, entry.labels), wording.column(entry.y, entry.labels)


def panels_words(entry: Entry) -> str:
    """What panels there are, and what numbers are the mean of, for the end of a sentence."""
    panels = () if entry.nested else entry.panels
    named = " and ".join(reasons.among_title(name, entry) for name in panels)
    each = f", a panel for each {named}" if named else ""
    over = entry.mean_over
    mean = f", mean over {reasons.among_title(over, entry)} (unweighted)" if over else ""
    return each + mean


def counts_words(rows: Sequence[Row], what: str) -> str:
    """How many problems and samples the cells with a value rest on; `what` they are called."""
    known = [row for row in rows if not row["missing"]]
    if not known:
        return f"No {what} has a value"
    if printed.PROBLEMS in known[0]:
        return f"{PRINTED[0].upper()}{PRINTED[1:]}; {printed.counts_words(known, what)}"
    problems, graded = (span(row[key] for row in known) for key in ("samples", "epochs"))
    both = f"{problems} problems a {what}"
    return both if problems == graded else f"{both}, {graded} graded samples"


def _verdict(panel: str, told: Sequence[str]) -> str:
    words = "; ".join(told)
    return f"For {panel}: {words}" if panel else f"{words[0].upper()}{words[1:]}"


def _method(rows: Sequence[Row], entry: Entry) -> list[str]:
    """What is said of problems, and how the tied set was found."""
    if entry.relative_to:
        said = baseline_words.meanings(rows, entry, values=True, errors=True)
        return [f"{one[0].upper()}{one[1:]}" for one in said]
    what = metric(entry.encoding.color)
    found = [f"Values are the {what.said}; no uncertainty is told"] if what.join else []
    if what.printed:
        known = printed.uncertainty_words(rows, entry.mean_over)
        return [f"{known[0].upper()}{known[1:]}"]
    if entry.uncertainty in words.ERROR_MEANINGS and any(row["se"] is not None for row in rows):
        counted = any(row["counted"] for row in rows)
        meanings = words.COUNTED_MEANINGS if counted else words.ERROR_MEANINGS
        found.append(meanings[entry.uncertainty])
    if entry.uncertainty == "tied":
        found += _marks(rows, entry)
    return found


MARKS = {"outline": ("bold", "outlined"), "dots": ("framed", "framed or with a dot")}
"""How a verdict marks the best, and all that tie with it."""
SHOWN = ("outlined", "dotted")
"""Flags of cells of which some has one where a tied set is marked."""


def _marks(rows: Sequence[Row], entry: Entry) -> list[str]:
    """What the marks of the tied set mean; nothing where it has none."""
    flags = {flag for row in cells.marked_cells(rows, entry.marks) for flag in SHOWN if row[flag]}
    if not flags:
        return []
    (best, tied), told = MARKS[entry.marks], reasons.among_words(rows, entry)
    each = told.each or " of a panel" * bool(entry.panels)
    end = entry.best
    alike = f"all settings that may share the {end} true mean"
    return [
        f"{best.capitalize()}: the {end} value{each}{words.ON_EQUAL * told.equal}",
        (
            f"{tied.capitalize()}: with 95\u00a0% confidence, {alike} (paired over problems, "
            "simultaneous over the cells compared)"
        ),
    ]
