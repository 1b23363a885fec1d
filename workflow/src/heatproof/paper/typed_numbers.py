"""Numbers as they stand in a text, and whether one is a rounding of a number of a figure."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heatproof.kinds.printed_values import Exact, PrintedFigure

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

    def rounds(self, exact: float, scale: float = 1.0) -> bool:
        """Whether it is this number, rounded; exact halves go either way."""
        distance = abs(self.value - exact * scale)
        return distance <= self.step + TINY * max(1.0, abs(exact * scale))


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


def is_value(number: Number, exact: float | None, figure: PrintedFigure) -> bool:
    """Whether a number is a value of a figure; one of percent may be written as a share."""
    if exact is None:
        return False
    if number.rounds(exact):
        return True
    if figure.percent and abs(number.value) <= 1 and number.places >= OFTEN:
        return number.rounds(exact, 1 / SHARE)
    is_share = not figure.percent and abs(exact) <= 1
    return is_share and abs(number.value) > 1 and number.rounds(exact, SHARE)


def is_printed(number: Number, exact: Exact, figure: PrintedFigure) -> bool:
    """Whether it is the value of a cell, or another number that the cell has."""
    return is_value(number, exact.value, figure) or any(map(number.rounds, exact.beside))


def is_error(number: Number, exact: Exact, figure: PrintedFigure) -> bool:
    """Whether it is a standard error, or half of an interval."""
    sizes = [exact.se, *exact.beside]
    if exact.low is not None and exact.high is not None:
        sizes.append((exact.high - exact.low) / 2)
        if exact.value is not None:
            sizes += [exact.value - exact.low, exact.high - exact.value]
    return any(is_value(number, size, figure) for size in sizes)


def is_end(number: Number, exact: Exact, figure: PrintedFigure) -> bool:
    """Whether it is an end of an interval."""
    return any(is_value(number, end, figure) for end in (exact.low, exact.high))


def is_count(number: Number, exact: Exact) -> bool:
    """Whether it is the number of problems, or of records."""
    return number.value in (exact.n, exact.records)
