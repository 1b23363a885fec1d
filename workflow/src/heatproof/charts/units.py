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
        if number is None:
            return None
        return float(f"{self.start + number * self.factor:.12g}")

    @overload
    def span(self, number: float) -> float: ...
    @overload
    def span(self, number: None) -> None: ...
    def span(self, number: float | None) -> float | None:
        """A distance in this unit, such as a standard error."""
        if number is None:
            return None
        return float(f"{number * self.factor:.12g}")

    @property
    def ends(self) -> tuple[float, float]:
        """0 and 1 in this unit."""
        return self.value(0.0), self.value(1.0)


PLAIN, PERCENT = Unit(), Unit(100.0)


def logged_unit(metric_word: str, ranges: Ranges) -> Unit | None:
    """The unit of the logs for a metric; None for shares, plain numbers and counts (pass@k)."""
    definition = metric(metric_word)
    ends = ranges.get(definition.of)
    if not ends or definition.graded or definition.problem is COUNT or definition.unit:
        return None
    low, high = ends
    usual = USUAL if definition.of == "score" else USUAL[:1]
    if (low, high) in usual:
        return None
    return Unit(high - low, low if definition.moves else 0.0)


def words(metric_word: str, ranges: Ranges) -> str:
    """What the values of a metric are counted in: `0 to 1`, the range of the logs, `records`."""
    definition = metric(metric_word)
    column = definition.unit_of
    if definition.unit:
        return definition.unit
    if logged_unit(metric_word, ranges):
        low, high = (show(end, TICK) for end in ranges[column])
        return f"{low} to {high}"
    if not column:
        return "records"
    return SHARE if column in SHARE_COLUMNS else "as logged"


def of_samples(metric_word: str, ranges: Ranges) -> Unit:
    """The unit of samples, and of their means, beside a metric."""
    if logged_unit(metric_word, ranges) is None:
        return PLAIN
    low, high = ranges[metric(metric_word).of]
    return Unit(high - low, low)


def faults(metric_word: str, ranges: Ranges) -> str:
    """Why a metric has no value in the unit of the logs, such as a sum; empty where it has one."""
    definition = metric(metric_word)
    column = definition.of
    if definition.keeps or logged_unit(metric_word, ranges) is None:
        return ""
    low, _ = ranges[column]
    if not low:
        return ""
    return (
        f"the {column} begins at {low:g} in the logs (range), but is read as 0 to 1: its sum "
        f"would differ; keep it as a measure of its own: measures: {{own_{column}: its place "
        "in a record}"
    )
