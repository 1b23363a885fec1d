"""The numbers behind a figure as text: what stands below it on the page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True)
class Row:
    """A row of the numbers behind a figure, as text."""

    cells: tuple[str, ...]
    best: bool = False
    incomplete: bool = False
    """Fewer rows than a complete run would hold, too few for a value, or none."""
    tied: bool = False
    """Not distinguishable from the best, or the best."""


@dataclass(frozen=True)
class Table:
    """The numbers behind a figure, as text."""

    columns: Sequence[str] = ()
    texts: int = 0
    """How many columns, from the first, hold names; those after them hold numbers."""
    rows: Sequence[Row] = ()
    n: str = ""
    """How many samples the numbers rest on, in words."""
    incomplete: Sequence[str] = ()
    """Cells with fewer rows than expected, or no value: `task a, ratio 0.1: 149 of 150`."""
