"""Numbers, table and evidence of kinds that show the cells of a heatmap otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heatproof.charts.sheet import LIKE
from heatproof.kinds.heatmap import evidence, reasons, words
from heatproof.kinds.heatmap import numbers as heatmap_numbers
from heatproof.kinds.heatmap import table as heatmap_table
from heatproof.util.numerals import span

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heatproof.kinds.heatmap.cells import Row
    from heatproof.kinds.heatmap.views import View
    from heatproof.kinds.tables import Table
    from heatproof.util.lazy import polars as pl


def csv(grid: pl.DataFrame, entry: View) -> str:
    """All of the grid, its axes named like the columns of the samples that lie along them."""
    return heatmap_numbers.csv(grid, entry.cells())


def latex(grid: pl.DataFrame, entry: View, note: str = "") -> str:
    """Panels below each other, a column for each x, as the heatmap has them."""
    return heatmap_numbers.latex(grid, entry.cells(), note)


def table(grid: pl.DataFrame, entry: View) -> Table:
    """Value, uncertainty and counts of each cell."""
    return heatmap_table.table(grid, entry.cells())


def records(
    samples: Sequence[pl.LazyFrame],
    entry: View,
    grid: pl.DataFrame,
    partial: Sequence[pl.LazyFrame] | None = None,
) -> dict[str, Any]:
    """What lies behind each cell, as plain values without words."""
    return evidence.records(samples, entry.cells(), grid, partial)


def story(
    found: Mapping[str, Any],
    entry: View,
    grid: pl.DataFrame,
    places: Sequence[Sequence[float]],
) -> dict[str, Any]:
    """The same in words, with the place of each cell in its panel: left, top, width, height, pt."""
    return {**evidence.story(found, entry.cells(), grid), "places": [[*at] for at in places]}


def counts_words(rows: Sequence[Row], what: str) -> str:
    """How many problems and samples the cells with a value rest on; `what` they are called."""
    known = [row for row in rows if not row["missing"]]
    if not known:
        return f"No {what} has a value"
    problems, graded = (span(row[key] for row in known) for key in ("samples", "epochs"))
    both = f"{problems} problems a {what}"
    return both if problems == graded else f"{both}, {graded} graded samples"


def panels_words(entry: View) -> str:
    """What panels there are, and what numbers are the mean of, for the end of a sentence."""
    heat, over = entry.cells(), entry.mean_over
    each = f", a panel for each {reasons.among_title(entry.panel, heat)}" if entry.panel else ""
    mean = f", mean over {reasons.among_title(over, heat)} (unweighted)" if over else ""
    return each + mean


def sentences(parts: Sequence[str]) -> list[str]:
    """What marks mean, each as a sentence of its own."""
    return [f"{part[0].upper()}{part[1:]}" for part in parts]


def without_x(story: dict[str, Any]) -> dict[str, Any]:
    """A story of cells of which x says nothing, for a figure that names no column there."""
    if len(story["x"]["values"]) > 1:
        return story
    panels = [{**panel, "x": ""} for panel in story["panels"]]
    return {**story, "panels": panels, "x": {"name": "", "values": [""], "words": [""]}}


def spread_ends(row: Row, known: str, shown: str) -> tuple[float | None, float | None]:
    """What is drawn around a value: nothing, one standard error to each side, or the interval.

    `known`: what the grid knows; `shown`: what is asked for.
    """
    if "none" in (known, shown) or row["value"] is None:
        return None, None
    if shown == "interval":
        return row["low"], row["high"]
    return (
        (None, None) if row["se"] is None else (row["value"] - row["se"], row["value"] + row["se"])
    )


def errors_meaning(rows: Sequence[Row], uncertainty: str, mark: str) -> str:
    """What is drawn around values, and over what it is counted."""
    counted = any(row["counted"] for row in rows)
    of = words.COUNTED_MEANINGS if counted else words.ERROR_MEANINGS
    meaning = of[uncertainty].partition(": ")[2] if uncertainty in of else ""
    return f"{mark}: {meaning}" + LIKE * (not counted)
