"""Crossings of curves once more: by plain halving, from cells counted anew (`kinds.recount`).

The curve that fits all problems is the one that fits the values of cells with weights by how many
problems they hold, as all problems of a cell have the same x.
"""

from __future__ import annotations

from math import exp, fsum, log, log2
from typing import TYPE_CHECKING, NamedTuple

from heatproof.charts.quantity import clamped
from heatproof.kinds.recount import Recount
from heatproof.kinds.trace import DerivedNumber, place_words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from heatproof.kinds.columns import Grid, Samples
    from heatproof.kinds.question import Question

CLOSE = 1e-6  # of two crossings, in parts of one
HALVINGS = 80
FARTHEST = 200.0  # no slope is steeper, of curves that are not separated
REACH = 60.0  # no value of x lies as many doublings from the centre


class Point(NamedTuple):
    """A cell of a line."""

    place: float  # log2 x
    value: float
    problems: int


def count_crossings(samples: Samples, grid: Grid, question: Question) -> Iterator[DerivedNumber]:
    """The crossing of each line of a grid, counted once more."""
    if question.crossing is None:
        return
    definition = question.definition()
    recount = Recount(samples, definition)
    line_keys = {name: column for name, column in definition.keys.items() if column != "x"}
    for rows in grid.partition_by(list(line_keys.values()), maintain_order=True):
        points = []
        for row in rows.iter_rows(named=True):
            place = {name: row[column] for name, column in definition.keys.items()}
            cell = recount.cell(place, row)
            if cell.value is not None:
                problems = sum(count.samples for count in cell.sides[0].tasks.values())
                points.append(Point(log2(row["x"]), float(cell.value), problems))
        first = rows.row(0, named=True)
        line = {name: first[column] for name, column in line_keys.items()}
        counted = None
        if first["curve_gap"] in (None, "before", "beyond"):
            counted = crossing_of(points, question)
        stored = first["curve_crossing"]
        agrees = _agrees(stored, counted, points)
        yield DerivedNumber(line, f"{place_words(line)}: crossing", stored, counted, agrees)


def _agrees(stored: float | None, counted: float | None, points: Sequence[Point]) -> bool:
    """Whether a crossing is the one counted anew; beyond the data none is stored."""
    if counted is None:
        return stored is None
    if stored is None:
        places = [point.place for point in points]
        return not min(places) <= log2(counted) <= max(places)
    return abs(stored - counted) <= CLOSE * stored


def crossing_of(points: Sequence[Point], question: Question) -> float:
    """Where the curve through points crosses the level of a figure."""
    unit = question.unit
    level = ((question.crossing or 0.0) - unit.start) / unit.factor
    total = sum(point.problems for point in points)
    centre = fsum(point.place * point.problems for point in points) / total
    centred = [point._replace(place=point.place - centre) for point in points]
    if question.fit == "log-linear":
        start, slope = _straight_line(centred)
        linear_level = level
    else:
        slope = _halved(lambda slope: _pull_along(centred, slope), FARTHEST)
        start = _start_of(centred, slope)
        linear_level = log(level / (1 - level))
    place = (linear_level - start) / slope
    doublings = clamped(centre + place, -FARTHEST, FARTHEST)
    return float(2**doublings)


def _straight_line(points: Sequence[Point]) -> tuple[float, float]:
    """Start and slope by least squares; `points`: around a centre of 0."""
    total = sum(point.problems for point in points)
    mean = fsum(point.value * point.problems for point in points) / total
    products = [point.place * (point.value - mean) * point.problems for point in points]
    squares = [point.place**2 * point.problems for point in points]
    return mean, fsum(products) / fsum(squares)


def _pull_along(points: Sequence[Point], slope: float) -> float:
    """How far values lie above a curve of that slope, the more the larger x; falls with it."""
    start = _start_of(points, slope)
    return fsum(point.place * _rest(point, start, slope) for point in points)


def _start_of(points: Sequence[Point], slope: float) -> float:
    """The start with which a curve of that slope has the mean of all values."""

    def above(start: float) -> float:
        return fsum(_rest(point, start, slope) for point in points)

    return _halved(above, FARTHEST + REACH * abs(slope))


def _rest(point: Point, start: float, slope: float) -> float:
    """How far the value of a point lies above a logistic curve, times its problems."""
    rise = slope * point.place
    linear = start + rise
    tail = exp(-abs(linear))
    fitted = (1.0 if linear > 0 else tail) / (1 + tail)
    distance = point.value - fitted
    return (distance) * point.problems


def _halved(falling: Callable[[float], float], farthest: float) -> float:
    """Where a falling function is 0."""
    low, high = -farthest, farthest
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if falling(middle) > 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2
