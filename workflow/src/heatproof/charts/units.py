"""The unit in which values are shown: percent of shares, or that of the logs where they have one.

Tables and grids hold what a source says a `range` of as 0–1, so that counts stay exact. Where that
range is not that of shares or percentages, figures and their numbers tell values as logs have them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.metrics import COUNT, metric

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Ranges = Mapping[str, Sequence[float]]  # column → what its 0 and 1 are in the logs

USUAL = ((0.0, 1.0), (0.0, 100.0))  # ranges of scores that are shares or percentages anyway


class Unit(NamedTuple):
    """A value of the grid is shown × `factor`, plus `start`; a distance of two × `factor`."""

    factor: float = 1.0
    start: float = 0.0

    def value(self, number: Any) -> Any:
        """A value in this unit; None of None."""
        return None if number is None else float(f"{self.start + number * self.factor:.12g}")

    def span(self, number: Any) -> Any:
        """A distance in this unit, such as a standard error; None of None."""
        return None if number is None else float(f"{number * self.factor:.12g}")

    @property
    def ends(self) -> tuple[float, float]:
        """What 0 and 1 are in it."""
        return self.value(0.0), self.value(1.0)


PLAIN, PERCENT = Unit(), Unit(100.0)


def own(word: str, ranges: Ranges) -> Unit | None:
    """The unit of the logs for a metric; None where shares, or numbers as they stand, are shown.

    None as well for what does not move with its samples: pass@k counts right ones.
    """
    what = metric(word)
    ends = ranges.get(what.of)
    if not ends or what.graded or what.problem is COUNT:
        return None
    low, high = ends
    if (low, high) in (USUAL if what.of == "score" else USUAL[:1]):
        return None
    return Unit(high - low, low if what.moves else 0.0)


def of_samples(word: str, ranges: Ranges) -> Unit:
    """The unit in which samples, and means of them, are shown beside a metric."""
    if own(word, ranges) is None:
        return PLAIN
    low, high = ranges[metric(word).of]
    return Unit(high - low, low)


def faults(word: str, ranges: Ranges) -> str:
    """Why a metric has no value in the unit of the logs; empty where it has one.

    A sum of what was moved to begin at 0 is not that of the logs.
    """
    what, unit = metric(word), own(word, ranges)
    low = ranges[what.of][0] if unit else 0.0
    if not low or what.keeps:
        return ""
    return (
        f"the {what.of} begins at {low:g} in the logs (range), and is read as 0 to 1: their sum "
        f"would be another; keep it as a measure of its own: measures: {{own_{what.of}: its place "
        "in a record}"
    )
