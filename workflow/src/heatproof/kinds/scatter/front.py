"""The front: points that no other beats in both metrics, and how sure that is.

A point beats another where it is no worse in both and better in one; the same twice beat nobody, so
that ties are all on the front. It does so beyond doubt where its whole interval is better in both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence


class Spot(NamedTuple):
    """A point with its intervals, turned so that less of x and more of y is better."""

    x: float
    y: float
    x_low: float
    x_high: float
    y_low: float
    y_high: float


class Ends(NamedTuple):
    """What is known of a front from one end of its intervals to the other."""

    x: float
    low: float | None
    high: float | None


def unbeaten(spots: Sequence[Spot]) -> list[bool]:
    """Whether each is on the front."""
    return [not any(_beats(other, one) for other in spots) for one in spots]


def _beats(one: Spot, other: Spot) -> bool:
    return one.x <= other.x and one.y >= other.y and (one.x, one.y) != (other.x, other.y)


def doubtful(spots: Sequence[Spot]) -> list[bool]:
    """Whether each is not beaten beyond doubt: it may be on the front."""
    return [
        not any(other.x_high < one.x_low and other.y_low > one.y_high for other in spots)
        for one in spots
    ]


def steps(spots: Sequence[Spot], end: float, foot: float) -> list[tuple[float, float]]:
    """The corners of the front, from the `foot` of the axis to the far `end` of x."""
    front = sorted({(s.x, s.y) for s, on in zip(spots, unbeaten(spots), strict=True) if on})
    found, level = [], foot
    for x, y in front:
        found += [(x, level), (x, y)]
        level = y
    return [*found, (end, level)] if found else []


def band(spots: Sequence[Spot], end: float, foot: float) -> list[Ends]:
    """What is reached for each x at the worse and the better ends of the intervals.

    The highest y of all points that cost no more. As corners: two at each x where one changes.
    """
    places = sorted({x for s in spots for x in (s.x_low, s.x_high)})
    found: list[Ends] = []
    low = high = foot
    for x in places:
        before = low, high
        low = max((s.y_low for s in spots if s.x_high <= x), default=foot)
        high = max((s.y_high for s in spots if s.x_low <= x), default=foot)
        found += [Ends(x, *before), Ends(x, low, high)]
    return [*found, Ends(end, low, high)]
