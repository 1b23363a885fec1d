"""Aggregates in figures: what can be asked of numbers that were printed, and what cannot."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from heatproof.metrics import metric
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Iterator

    from heatproof.config.entries import Columns, Figure, Source


def faults(figure: Figure, source: Source) -> Iterator[str]:
    """What a figure asks of aggregates that only samples tell, or of samples that only these do.

    `.key: what is wrong`.
    """
    columns = source.columns()
    words: dict[str, str] = {}
    with suppress(Error):  # the metric is told by itself
        words = figure.metrics()
        for key, column in figure.measured().items():
            if why := _fault(words.get(key, ""), column, columns, source.name):
                yield f".{key}: {why}"
    if figure.asks_uncertainty():
        for key, word in list(words.items())[:1]:
            of = metric(word).of
            if metric(word).printed and columns.printed.get(of) == []:
                yield (
                    f".uncertainty: {figure.uncertainty!r}: of {of!r} ({key}) neither n nor stderr "
                    f"is known; sources.{source.name}.aggregates.{of}: {{value: …, stderr: its "
                    "place}} would tell it, or take it out"
                )


def _fault(word: str, column: str, columns: Columns, source: str) -> str:
    """Why a metric cannot be shown of a source; empty if it can."""
    is_printed = bool(word) and metric(word).printed
    if column not in columns.numbers():
        return ""  # told already
    if is_printed and columns.printed and column not in columns.printed:
        return f"{column!r} is none of the aggregates of source {source!r}{_choices(columns)}"
    if is_printed and not columns.printed:
        return (
            f"{word} is of aggregates, and source {source!r} has records of problems; there is "
            f"{'pass@1' if column == 'score' else f'mean({column})'}"
        )
    if columns.printed and not is_printed:
        asked = word or f"a comparison of {column}"
        return (
            f"{asked} needs records of problems, and source {source!r} has aggregates, printed "
            f"numbers alone{_choices(columns)}"
        )
    return ""


def _choices(columns: Columns) -> str:
    named = ", ".join(f"printed({name})" for name in columns.printed)
    return f"; there {'are' if len(columns.printed) > 1 else 'is'} {named}" if named else ""
