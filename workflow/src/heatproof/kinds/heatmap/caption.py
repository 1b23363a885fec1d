"""The caption of a heatmap: what its picture has no room for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof.charts import wording
from heatproof.kinds import plain
from heatproof.kinds.heatmap import (
    cells,
    draw,
    ordering,
    printed,
    reasons,
    words,
)
from heatproof.kinds.heatmap.table import table
from heatproof.metrics import PRINTED, metric

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heatproof.kinds.heatmap.entry import Entry
    from heatproof.kinds.heatmap.panel import Row
    from heatproof.util.lazy import polars as pl


def caption(grid: pl.DataFrame, entry: Entry) -> list[str]:
    """What is shown, of how many problems, what the marks mean, the verdicts, what is missing."""
    rows, digits = cells.shown_cells(grid, entry)
    judged = entry.uncertainty in ("tied", "interval") and not entry.relative_to
    judged = judged and entry.marks != "none"
    verdicts = words.verdicts_of(grid, entry, entry.unit.factor, digits) if judged else {}
    rows_table = table(grid, entry)
    return [
        entry.caption or _shown(entry),
        *plain.where_words(entry),
        words.counts_words(rows, "cell"),
        *filter(None, [reasons.asked_by_all(grid)]),
        *filter(None, [entry.color.said()]),
        *_method(grid, rows, entry),
        *(_verdict(", ".join(place), lines) for place, lines in verdicts.items() if lines),
        *plain.lacking(rows_table),
        *reasons.look_words(grid, rows_table.incomplete),
    ]


def _shown(entry: Entry) -> str:
    x, y = ordering.nested_words(entry) if entry.nested else _axes(entry)
    title = f"{entry.title}: " if entry.title else ""
    over = f"{x} (across) and {y} (up){words.panels_words(entry)}"
    return f"{title}{cells.value_title(entry)} by {over}"


def _axes(entry: Entry) -> tuple[str, str]:
    return wording.column(entry.x, entry.labels), wording.column(entry.y, entry.labels)


def _verdict(panel: str, lines: Sequence[str]) -> str:
    words = "; ".join(lines)
    return f"For {panel}: {words}" if panel else wording.sentence(words)


def _method(grid: pl.DataFrame, rows: Sequence[Row], entry: Entry) -> list[str]:
    """What the marks that the figure has mean, and how the uncertainty of numbers is known."""
    parts, plan, _ = draw.planned(grid, entry)
    meanings = draw.meanings(parts, plan, entry, whole=True)
    if metric(entry.encoding.color).printed:
        without = {PRINTED, *words.error_meanings(rows).values()}
        uncertainty = printed.uncertainty_words(rows, entry.mean_over)
        meanings = [uncertainty, *(meaning for meaning in meanings if meaning not in without)]
    return [wording.sentence(meaning) for meaning in meanings]
