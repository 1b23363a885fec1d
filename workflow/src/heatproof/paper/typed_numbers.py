"""Numbers as they stand in a text, and whether one is a rounding of a number of a figure."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import combinations
from statistics import fmean
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heatproof.kinds.printed_values import Exact, PrintedCell, PrintedFigure

Role = Literal["value", "error", "end", "count", "difference", "mean", "other"]
"""What a number says of cells; `other`: nothing."""
NUMBER = re.compile(
    r"(?:(?<![\w.,/:\-–−+])|(?<=[\d%][-–])|(?<=[\s(\[=≈~±][-–]))"
    r"(?P<sign>[+−-](?=[\d.]))?(?P<digits>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)(?![\w]|\.\d|,\d)"
)
TINY = 1e-9  # of 1, what floats add to a half
SHARE = 100.0  # a share in percent
OFTEN = 2  # decimals from which a number below 1 may be a share of a percentage


class Number(NamedTuple):
    """A number of a text."""

    text: str
    value: float
    places: int  # decimals
    start: int
    end: int
    sign: str = ""

    @property
    def step(self) -> float:
        """Half of one unit of its last place."""
        return 0.5 * 10.0**-self.places

    def rounds(self, exact: float) -> bool:
        """Whether it is this number, rounded; exact halves go either way."""
        return abs(self.value - exact) <= self.step + TINY * max(1.0, abs(exact))


@lru_cache(maxsize=1 << 14)
def read_numbers(text: str) -> Sequence[Number]:
    """The numbers of a text, in its order."""
    numbers = []
    for match in NUMBER.finditer(text):
        digits = match["digits"].replace(",", "")
        sign = match["sign"] or ""
        value = float(digits)
        if sign in ("-", "−"):
            value = -value
        places = len(digits.partition(".")[2])
        numbers.append(Number(match[0], value, places, match.start(), match.end(), sign))
    return numbers


def values_of(cells: Sequence[PrintedCell]) -> list[float]:
    """The values that some cells have."""
    return [cell.exact.value for cell in cells if cell.exact.value is not None]


def fits(number: Number, role: Role, cells: Sequence[PrintedCell], figure: PrintedFigure) -> bool:
    """Whether a number is what it says of one of some cells, or of some together."""
    values = values_of(cells)
    if role == "mean":
        distance = abs(number.value - fmean(values))
        return distance <= 2 * number.step + TINY
    if role == "difference":
        if is_apart(number, cells):
            return True
        listed = values + [-value for value in values]  # of a figure of differences
    else:
        listed = []
        for cell in cells:
            listed += [fact for fact in _facts(cell.exact, role) if fact is not None]
    return any(_is_fact(number, fact, figure) for fact in listed)


def _facts(exact: Exact, role: Role) -> Sequence[float | None]:
    """The numbers of a cell in a role."""
    if role == "value":
        return [exact.value] + exact.beside
    if role == "end":
        return [exact.low, exact.high]
    if role == "count":
        return [exact.n, exact.records]
    errors = [exact.se] + exact.beside
    if exact.low is not None and exact.high is not None:
        errors.append((exact.high - exact.low) / 2)
        if exact.value is not None:
            errors += [exact.value - exact.low, exact.high - exact.value]
    return errors


def _is_fact(number: Number, fact: float, figure: PrintedFigure) -> bool:
    """Whether a number is a fact, rounded; one of percent may be written as a share."""
    if number.rounds(fact):
        return True
    if figure.percent and abs(number.value) <= 1 and number.places >= OFTEN:
        return number.rounds(fact / SHARE)
    is_share = not figure.percent and abs(fact) <= 1
    return is_share and abs(number.value) > 1 and number.rounds(fact * SHARE)


def is_apart(number: Number, cells: Sequence[PrintedCell]) -> bool:
    """Whether two cells are so far apart, in points or in percent of one, as they are printed."""
    slack = 2 * number.step + TINY
    for pair in combinations(values_of(cells), 2):
        distance = abs(pair[0] - pair[1])
        sizes = [distance]
        sizes += [SHARE * distance / abs(value) for value in pair if value]
        if any(abs(abs(number.value) - size) <= slack for size in sizes):
            return True
    return False
