"""The unit in which values are shown: percent for shares, or the unit of the logs.

Tables and grids hold columns with a `range` as 0–1, so that counts stay exact. Figures show their
values as the logs have them, unless the range is that of shares or percentages.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, overload

from heatproof import metrics
from heatproof.metrics import COUNT, SHARE_COLUMNS, metric
from heatproof.util.numerals import TICK, show

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Ranges = Mapping[str, Sequence[float]]  # column → its 0 and 1 in the logs

SHARE = metrics.SHARE
USUAL = ((0.0, 1.0), (0.0, 100.0))  # ranges of scores that are shares or percentages


class Unit(NamedTuple):
    """A value is shown as `start` + `factor` × value; a distance of two values as `factor` × it."""

    factor: float = 1.0
    start: float = 0.0

    @overload
    def value(self, number: float) -> float: ...
    @overload
    def value(self, number: None) -> None: ...
    def value(self, number: float | None) -> float | None:
        return None if number is None else float(f"{self.start + number * self.factor:.12g}")

    @overload
    def span(self, number: float) -> float: ...
    @overload
    def span(self, number: None) -> None: ...
    def span(self, number: float | None) -> float | None:
        """A distance in this unit, such as a standard error."""
        return None if number is None else float(f"{number * self.factor:.12g}")

    @property
    def ends(self) -> tuple[float, float]:
        """0 and 1 in this unit."""
        return self.value(0.0), self.value(1.0)


PLAIN, PERCENT = Unit(), Unit(100.0)


def own(word: str, ranges: Ranges) -> Unit | None:
    """The unit of the logs for a metric; None for shares, plain numbers and counts (pass@k)."""
    what = metric(word)
    ends = ranges.get(what.of)
    if not ends or what.graded or what.problem is COUNT or what.unit:
        return None
    low, high = ends
    if (low, high) in (USUAL if what.of == "score" else USUAL[:1]):
        return None
    return Unit(high - low, low if what.moves else 0.0)


def words(word: str, ranges: Ranges) -> str:
    """What the values of a metric are counted in: `0 to 1`, the range of the logs, `records`."""
    column = metric(word).unit_of
    if metric(word).unit:
        return metric(word).unit
    if own(word, ranges):
        low, high = (show(end, TICK) for end in ranges[column])
        return f"{low} to {high}"
    if not column:
        return "records"
    return SHARE if column in SHARE_COLUMNS else "as logged"


def of_samples(word: str, ranges: Ranges) -> Unit:
    """The unit of samples, and of their means, beside a metric."""
    if own(word, ranges) is None:
        return PLAIN
    low, high = ranges[metric(word).of]
    return Unit(high - low, low)


def faults(word: str, ranges: Ranges) -> str:
    """Why a metric has no value in the unit of the logs, such as a sum; empty where it has one."""
    what, unit = metric(word), own(word, ranges)
    low = ranges[what.of][0] if unit else 0.0
    if not low or what.keeps:
        return ""
    return (
        f"the {what.of} begins at {low:g} in the logs (range), but is read as 0 to 1: its sum "
        f"would differ; keep it as a measure of its own: measures: {{own_{what.of}: its place "
        "in a record}"
    )
