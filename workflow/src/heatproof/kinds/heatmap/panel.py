"""A panel of a heatmap as it is drawn, before anything is laid out: its rows, words and verdict."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.util.numerals import NOISE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from heatproof.charts.bars import Bar
    from heatproof.util.numerals import Digits

Row = dict[str, Any]
Runs = list[tuple[str, int]]
"""Label and number of cells of each group along an axis; empty for an axis without groups."""
Place = tuple[str, ...]
"""Labels of a panel: one for each column that panels are split by."""


class Spread(NamedTuple):
    """Of the cells of a panel, in the unit shown, on equal problems."""

    value: float
    median: float
    """Half of the panels of equal settings spread no more, and 95 % no more than `high`."""
    high: float
    beyond: bool
    """More than chance gives."""
    label: str
    """The value, as printed."""


class Verdict(NamedTuple):
    """What is shown of a panel beside its cells."""

    line: str
    """Empty where there is nothing to say."""
    spread: Spread | None
    """None where chance is not known, or of more than one set of cells."""
    levels: str = ""
    """Which values of an axis may be the best on average, where the line does not say it."""


NOTHING = Verdict("", None)


def doubt(row: Mapping[str, Any]) -> float | None:
    """How far a value may be off: its standard error, or a quarter of its interval without one."""
    error, low, high = (row[name] for name in ("se", "low", "high"))
    if None in (row["value"], low, high) or (error or 0.0) > NOISE * abs(row["value"]):
        return error  # type: ignore[no-any-return]  # rows are words and numbers
    return (high - low) / 4  # type: ignore[no-any-return]


@dataclass(frozen=True)
class Names:
    """What x, y and the value are called, and how values are printed."""

    x: str
    y: str
    value: str
    digits: Digits
    panels: tuple[str, ...]
    """What stands before the number of a panel; nothing before a name, which speaks for itself."""

    groups: tuple[Runs, Runs] = field(default_factory=lambda: ([], []))
    """Groups of x and of y: label and number of values of each."""

    def of(self, place: Place) -> Place:
        """The labels of a panel with what stands before them."""
        return tuple(f"{a} {b}".strip() for a, b in zip(self.panels, place, strict=True))


@dataclass(frozen=True)
class Panel:
    """One small heatmap: its rows, lettered, and its colours. Without any value, no bar."""

    name: str
    """Of its data set."""
    place: Place
    """What it is called: the value of the column of panels, or those of row and column."""
    title: list[str]
    """The title of the figure, if it has one, and what the panel is called."""
    rows: list[Row]
    bar: Bar | None
    answers: Mapping[str, str]
    """Title → expression of its text: what a cell answers who points at it."""
    description: str
    verdict: Verdict
    """What stands beside the cells."""
    letter: str = ""
    """What stands before its name, if panels have letters."""
    blocks: Mapping[str, str] = field(default_factory=dict)
    """Of nested axes, title → expression of the text of what names the block."""
    bare: bool = False
    """A place in a grid of panels for which there is no record at all: words stand there."""

    @property
    def legend(self) -> Bar | None:
        """The bar where it is drawn."""
        return self.bar if self.bar and self.bar.drawn else None

    @property
    def unmarked(self) -> int:
        """The most peers that share the best value and are too many to mark, if not all tie."""
        crowds = Counter(r["peers"] for r in self.rows if r["best"] and not r["bold"])
        level = {r["peers"] for r in self.rows if r["tied"] and not (r["outlined"] or r["dotted"])}
        return max((many for peers, many in crowds.items() if peers not in level), default=0)
