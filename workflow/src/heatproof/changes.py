"""What changed from one build to another, as a page: each cell's change as a line, noise pale."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.config.entries import spelling
from heatproof.export.export import fill
from heatproof.kinds.trace import cell_address
from heatproof.util.numerals import fitting_format, numbered, show

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heatproof.provenance.diff import CellChange, FigureChange

SHOWN = 40  # cells of a figure that are drawn at most, those that changed most first
WIDE = 300.0  # CSS pixels from the lowest to the highest value


class ChangedCell(NamedTuple):
    """A cell as it is drawn: both values, in words and as places."""

    address: str
    name: str
    words: str
    before: float | None = None
    after: float | None = None
    pale: bool = False  # the new value lies within the interval of the former one


def changes_page(figures: Sequence[FigureChange], before: str, after: str) -> str:
    """The page; `before` and `after`: what the builds are called."""
    drawn = [_picture(figure) for figure in figures]
    return fill("changes.html.j2", figures=drawn, before=before, after=after, wide=WIDE)


def changes_summary(figures: Sequence[FigureChange]) -> str:
    """How many cells changed, in a few words."""
    cells = sum(len(figure.changes) for figure in figures)
    return f"{numbered(cells, 'cell')} of {numbered(len(figures), 'figure')}"


def _picture(figure: FigureChange) -> dict[str, Any]:
    """What the template shows of a figure."""
    by_size = sorted(figure.changes, key=_change_distance, reverse=True)
    listed = by_size[:SHOWN]
    values = [value for change in listed for value in _changed_values(change) if value is not None]
    low, high = min(values, default=0.0), max(values, default=1.0)
    form = fitting_format(values)
    return {
        "name": figure.figure,
        "note": figure.note,
        "size": figure.cells,
        "number": len(by_size),
        "pale": sum(map(_is_noise, by_size)),
        "ends": [show(low, form), show(high, form)],
        "cells": [_drawn_cell(figure.figure, change, low, high, form) for change in listed],
    }


def _drawn_cell(figure: str, change: CellChange, low: float, high: float, form: str) -> ChangedCell:
    places, words = [], []
    for value in _changed_values(change):
        place = None
        if value is not None:
            place = round((value - low) / (high - low or 1.0) * WIDE, 1)
        places.append(place)
        words.append("no value" if value is None else show(value, form))
    return ChangedCell(
        address=cell_address(figure, change.cell),
        name=", ".join(f"{name} {spelling(value)}" for name, value in change.cell.items()),
        words=" → ".join(words),
        before=places[0],
        after=places[1],
        pale=_is_noise(change),
    )


def _changed_values(change: CellChange) -> tuple[float | None, float | None]:
    """The value of a cell before and after; of one with several, the first that changed."""
    name = "value" if "value" in change.columns else next(iter(change.columns))
    return change.columns[name]


def _change_distance(change: CellChange) -> float:
    before, after = _changed_values(change)
    if before is None or after is None:
        return float("inf")
    return abs(after - before)


def _is_noise(change: CellChange) -> bool:
    """Whether the new value lies within the interval of the former one, if that had any."""
    _, after = _changed_values(change)
    if "value" not in change.columns or change.interval is None or after is None:
        return False
    low, high = change.interval
    return low <= after <= high
