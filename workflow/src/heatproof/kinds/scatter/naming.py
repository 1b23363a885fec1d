"""Names beside points, none on another: each takes the first free place around its point."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from heatproof.charts import theme
from heatproof.charts.lettering import text_width

if TYPE_CHECKING:
    from collections.abc import Sequence

    Box = tuple[float, float, float, float]
    """Left, top, right, bottom, in pt."""

RADIUS = 4.0
"""Of a point with the air around it."""
RINGS = (5.0, 11.0, 19.0)
"""From a point to its name; from the second on, a hair leads there."""
WAYS = ((1, 0), (-1, 0), (0, -1), (0, 1), (1, -1), (1, 1), (-1, -1), (-1, 1))
"""Where a name may stand: right, left, above, below, and between; the first that is free."""
HIGH = theme.LABEL * 1.1


class Name(NamedTuple):
    """A name and where it stands."""

    text: str
    x: float
    """Its left edge."""
    y: float
    """Its middle."""
    led: bool
    """Whether a hair leads to it."""
    end: float
    """Where the hair ends along x."""


def place_names(
    names: Sequence[str],
    points: Sequence[tuple[float, float]],
    lines: Sequence[Box],
    size: tuple[float, float],
) -> list[Name | None]:
    """For each point the place of its name; None where no place is free.

    Greedy, in the order given: the same points, the same places. Where there is no place that is
    free of the `lines`, a name may lie on them, but on no point and no other name.
    """
    dots: list[Box] = [(x - RADIUS, y - RADIUS, x + RADIUS, y + RADIUS) for x, y in points]
    taken: list[Box] = []
    found: list[Name | None] = []
    for n, (text, point) in enumerate(zip(names, points, strict=True)):
        hard = [*taken, *(box for k, box in enumerate(dots) if k != n)]
        name = _free(text, point, [*hard, *lines], size) or _free(text, point, hard, size)
        found.append(name)
        if name:
            wide = text_width(text, theme.LABEL)
            taken.append((name.x - 1, name.y - HIGH / 2, name.x + wide + 1, name.y + HIGH / 2))
    return found


def _free(
    text: str, point: tuple[float, float], taken: Sequence[Box], size: tuple[float, float]
) -> Name | None:
    """The first free place around a point."""
    wide = text_width(text, theme.LABEL)
    for ring in RINGS:
        for right, down in WAYS:
            away = ring * (0.6 if right and down else 1.0)
            x = point[0] + right * away - wide * (0.5 - right / 2)
            y = point[1] + down * (away + HIGH / 2 - 1)
            box = (x, y - HIGH / 2 + 1, x + wide, y + HIGH / 2 - 1)
            inside = box[0] >= 0 and box[1] >= 0 and box[2] <= size[0] and box[3] <= size[1]
            if inside and not any(_meet(box, other) for other in taken):
                end = x + wide * (0.5 - right / 2)
                return Name(text, x, y, ring != RINGS[0], end)
    return None


def _meet(one: Box, other: Box) -> bool:
    apart = one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]
    return not apart
