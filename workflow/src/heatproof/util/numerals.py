"""Numbers as they are printed: formats, tick choice, labels of axes."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from itertools import pairwise, product
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_SPEC = re.compile(r"(×?)([+,]*)(?:\.(\d+))?(~?)([dfgse%])")
_SIZE = re.compile(r"(\d+(?:\.\d+)?)(?:([kmbgt])(?![a-z]))?", re.IGNORECASE)
_SIZES = {"k": 1e3, "m": 1e6, "b": 1e9, "g": 1e9, "t": 1e12}
_PREFIXES = {-9: "n", -6: "µ", -3: "m", 0: "", 3: "k", 6: "M", 9: "G", 12: "T"}
PLAIN = re.compile(r"-?\d+(\.\d+)?")
TICK = ".6~g"  # six digits, trimmed: a tick at 42.5 never prints as 43
DIGITS = 3  # of the largest of numbers that stand together
FEWEST = 2  # digits of a ±, or of the smallest number
MOST = 6  # digits of the largest, where a ± or the smallest needs them or they were written down
FINEST = 12  # digits that may be needed to tell what is marked from what is next to it
LONG, TINIER = 1e4, 1e-3  # from this largest number on prefixes (12.3k), below that exponents
NOISE = 1e-9  # of a value: a ± that is smaller is what floats leave of none
TINY, SMALL = 1e-4, 0.1
"""A category up to the first is written with an exponent, and so are those beside it, if none is
larger than the second: 1e−5, 1e−4, 1e−3."""
ALIKE = 100.0  # times the least number of an axis: up to there all have the same decimals
KIBI, ODD = 1024, 15
"""128k is 128 × the first, where each number of an axis is at most so many times a power of two."""
EXACT = 4  # digits of numbers on an axis that are printed as they are
MANY, NEARLY = 8, 0.1
"""So many numbers of an axis are rounded, if by no more than this part of their least distance."""
WIDE = 100.0  # times the least number of an axis: from there on each has a prefix of its own
BYTES = 64  # multiples of it are sizes that a computer counts in


def is_format(spec: str) -> bool:
    """Whether `show` takes the format from a user, so without a ×."""
    return _SPEC.fullmatch(spec) is not None and not spec.startswith("×")


def show(value: float, spec: str) -> str:
    """A number in a subset of d3's formats: `.1f`, `.3~s`, `,d`, `+.2f`, `.6~g`, `.1e`, `.0%`.

    `s` takes SI prefixes, `~` trims zeros, the minus sign is U+2212 as in d3. Unlike there, that of
    an exponent is so too, 0 has no exponent and no plus, and exact halves go to the even digit. `g`
    has an exponent below −6, or where the digits do not reach the point (ECMAScript,
    `Number.prototype.toPrecision`). A × before the format stands before the number.
    """
    times, flags, digits, trim, kind = _format_parts(spec)
    value = float(value) + 0.0  # no negative zero
    flags = flags if value else flags.replace("+", "")
    places, letter, unit = digits, "f", ""
    if kind == "d":
        value, places = float(round(value)), 0
    elif kind == "%":
        value, unit = value * 100, "%"
    elif kind == "s":
        rounded = float(f"{value:.{digits - 1}e}")
        power = min(max(_power(rounded) // 3 * 3, min(_PREFIXES)), max(_PREFIXES))
        value, unit, flags = rounded / 10.0**power, _PREFIXES[power], flags.replace(",", "")
        places = max(digits - _power(value) - 1, 0)
    elif kind == "e":
        places, letter = (digits, "e") if value else (0, "f")
    elif kind == "g":
        last = max(digits, 1) - 1
        power = int(f"{value:.{last}e}".partition("e")[2])
        places, letter = (last - power, "f") if -7 < power <= last else (last, "e")
    mantissa, mark, exponent = format(value, f"{flags}.{places}{letter}").partition("e")
    if trim and "." in mantissa:
        mantissa = mantissa.rstrip("0").rstrip(".")
    text = f"{mantissa}e{int(exponent):+d}" if mark else mantissa
    text = text.lstrip("-") if not text.strip("-0.,") else text
    return times + text.replace("-", "−") + unit


def _format_parts(spec: str) -> tuple[str, str, int, str, str]:
    """×, flags, digits, ~ and the letter of a format."""
    match = _SPEC.fullmatch(spec)
    if match is None:
        raise ValueError(f"{spec!r} is not a number format such as '.1f', '.3~s' or ',d'")
    times, flags, digits, trim, kind = match.groups()
    return times, flags, int(digits or 6), trim, kind


def _power(value: float) -> int:
    """The power of ten of a number's first digit; 0 of 0."""
    return int(f"{value:.{FINEST}e}".partition("e")[2])


def _places_of(value: float) -> int:
    """Decimals of a number, without what floats add to it."""
    digits = f"{Decimal(f'{value:.{FINEST}g}').normalize():f}"
    return len(digits.partition(".")[2])


class Digits(NamedTuple):
    """The format of numbers that stand together, such as the values of a figure.

    What it would print as 0 gets more digits, so that two count: a ± that is smaller than the last
    place of its value, and with it the value and the ends of its interval; and a value without a ±.
    The user's format stays as it is for values.
    """

    spec: str
    fixed: bool = False  # the user asks for this format

    @property
    def step(self) -> float:
        """One unit of the last place; 0 of formats in which that differs between numbers."""
        _, _, digits, _, kind = _format_parts(self.spec)
        return 10.0 ** -(0 if kind == "d" else digits) if kind in "df" else 0.0

    def value(self, value: float, error: float | None = None) -> str:
        """A value; `error`: its ±, if it has one."""
        return show(value, self.spec if self.fixed else self._own(value, error))

    def end(self, end: float, value: float, error: float | None) -> str:
        return show(end, self._own(value, error))

    def error(self, error: float, value: float) -> str:
        """The ± of a value, without a sign or a ×."""
        _, flags, digits, trim, kind = _format_parts(self._own(value, error))
        if kind in "se" and error:  # down to the last place of the value, and two digits at least
            digits += _power(error) - _power(value) if value else 0
            digits = max(digits, FEWEST - (kind == "e"))
        spec = f"{flags.strip('+')}{f'.{digits}' if kind != 'd' else ''}{trim}{kind}"
        return show(error, spec)

    def _own(self, value: float, error: float | None) -> str:
        """The format, with more digits where the ±, or else the value, is below its last place."""
        size = abs(error or value)
        times, flags, digits, trim, kind = _format_parts(self.spec)
        last = {"d": 0, "f": -digits, "%": -digits - 2, "e": _power(value) - digits}
        step = 10.0 ** last.get(kind, _power(value) - digits + 1)
        if not size or size < abs(value) * NOISE or size >= step * (1 - NOISE):
            return self.spec
        place = _power(size) + 1 - FEWEST
        if kind in "df%":
            places = max(-place - 2 * (kind == "%"), 0)
            return f"{times}{flags}.{places}{trim}{kind.replace('d', 'f')}"
        digits = _power(value) - place + 1
        if kind == "s" and digits >= MOST:
            return f"{times}{flags.strip(',')},.{max(-place, 0)}f"
        return f"{times}{flags}.{digits - (kind == 'e')}{trim}{kind}"


def few_digits(values: Iterable[float]) -> bool:
    """Whether written numbers can all be printed with the digits that they have."""
    sizes = [abs(value) for value in values if value]
    return _power(max(sizes, default=0.0)) + max(map(_places_of, sizes), default=0) < MOST


def fitting_format(
    values: Sequence[float],
    errors: Iterable[float] = (),
    near: Iterable[float] = (),
    written: bool = False,
) -> str:
    """One format for numbers that stand together.

    Three digits of the largest, at most three behind the point; whole numbers stay whole. More, up
    to six of the largest, so that the median ± has two digits, and without any ± the smallest
    number. Without any ±, numbers that are marked as different are printed as different.

    `near`: distances from what is marked to the number nearest to it. `written`: somebody wrote the
    numbers down: if they have few digits, all are printed.
    """
    sizes = [abs(float(value)) for value in values if value]
    spreads = sorted(error for error in errors if error > NOISE * max(sizes, default=0.0))
    largest = max(sizes + spreads, default=0.0)
    first, integral = _power(largest), not spreads and all(size.is_integer() for size in sizes)
    exact = written and few_digits(sizes)
    high = max(sizes, default=0.0)
    if exact:
        place = -max(map(_places_of, sizes), default=0)
    elif 0 < high < TINIER or high >= LONG:
        place = _power(high) + 1 - (FEWEST if high < TINIER else DIGITS)
    else:
        place = 0 if integral else max(min(_power(high) - DIGITS + 1, 0), -DIGITS)
    least = spreads[(len(spreads) - 1) // 2 :][:1]
    if not (spreads or integral or exact or largest >= LONG):
        least = [min(sizes)]
    place = min([place, *(max(_power(size) - FEWEST, first - MOST) + 1 for size in least)])
    if not spreads:
        place = min([place, *(max(_power(gap), first - FINEST + 1) for gap in near if gap)])
    digits = first - place + 1
    if 0 < largest < TINIER:
        return f".{digits - 1}e"
    if largest >= LONG and place > 1 and digits < MOST and not exact:
        return f".{max(digits, DIGITS)}s"
    spec = "d" if integral else f".{max(-place, 0)}f"
    return f",{spec}" if largest >= LONG else spec


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """The multiples of 1, 2 or 5 · 10ⁿ inside the domain, of the finest of which `most` suffice."""
    if not high > low:
        return [low]
    power = math.floor(math.log10((high - low) / most)) - 1
    slack = (high - low) * 1e-9  # a hair beyond an end counts as inside
    for exponent, digit in product(range(power, power + 4), (1, 2, 5)):
        step = digit * 10.0**exponent
        first = math.ceil((low - slack) / step)
        last = math.floor((high + slack) / step)
        if last - first < most:
            break
    return [float(f"{number * step:.12g}") for number in range(first, last + 1)]


def log_ticks(low: float, high: float, most: int = 7) -> list[float]:
    """1, 2, 5, 10, 20, …, or only powers of ten where those are more than `most`."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    first, last = low * (1 - 1e-9), high * (1 + 1e-9)
    for digits in ((1, 2, 5), (1, 3), (1,)):
        ticks = [digit * 10.0**power for power, digit in product(powers, digits)]
        ticks = [tick for tick in ticks if first <= tick <= last]
        if len(ticks) <= most:
            break
    return ticks


def span(counts: Iterable[int]) -> str:
    """The lowest and the highest count: `29–30`; one number if they are the same."""
    candidates = list(counts) or [0]
    low, high = min(candidates), max(candidates)
    return f"{low:,}" if low == high else f"{low:,}–{high:,}"


def spanned(counts: Iterable[int], noun: str) -> str:
    """The same and what is counted, in the plural: 29–30 problems, 1 problem."""
    text = span(counts)
    if text == "1":
        noun = noun.removesuffix("s")
    return f"{text} {noun}"


def numbered(count: int, noun: str) -> str:
    """A count and what is counted: 1 file, 2,000 files."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def words(values: Sequence[Any]) -> list[str]:
    """Labels of the categories of an axis: numbers in one style, and no two alike."""
    sizes = [abs(value) for value in values if isinstance(value, float) and value]
    spec = TICK
    least, largest = min(sizes, default=0.0), max(sizes, default=0.0)
    if 0 < least <= TINY and (largest < SMALL or (least < TINY and largest == SMALL)):
        spec = ".5~e"
    elif sizes and largest <= ALIKE * least:
        same = even([value for value in values if isinstance(value, float)])
        spec = same if same <= ".2f" or least >= SMALL else TICK
    names = {True: "yes", False: "no", None: "none", "": "(empty)"}
    labels = []
    for value in values:
        if isinstance(value, float):
            labels.append(show(value, ".5~e" if 0 < abs(value) < TINY else spec))
        elif isinstance(value, int) and not isinstance(value, bool):
            labels.append(str(value).replace("-", "−"))
        else:
            labels.append(names.get(value) or str(value))
    return labels if len(set(labels)) == len(labels) else [repr(value) for value in values]


def even(values: Sequence[float]) -> str:
    """The format with as many decimals as the longest of the numbers needs."""
    places = 0
    for value in values:
        text = show(value, TICK)
        if "e" in text:
            return TICK
        places = max(places, len(text.partition(".")[2]))
    return f".{places}f"


def shorten_labels(labels: Sequence[str]) -> list[str]:
    """The labels of an axis, shorter if they are long numbers: 20000 is 20k.

    Many are rounded to three digits, if they stay distinct: 18559 is 18.6k, and 97.059 is 97.1.
    If the largest is a hundred times the smallest, each has a prefix of its own: 70M, 1.4B.
    Sizes that a computer counts in, a few times a power of two, are told so: 131072 is 128k.
    """
    plain = [label.replace("−", "-") for label in labels]
    numbers = [float(label) for label in plain if PLAIN.fullmatch(label)]
    if len(numbers) < max(len(labels), 2) or len(set(numbers)) < len(numbers):
        return list(labels)
    integral, largest = all(map(float.is_integer, numbers)), max(map(abs, numbers))
    digits = max(len(re.sub(r"\D", "", label).strip("0")) for label in plain)
    if largest < LONG if integral else digits <= EXACT:
        return list(labels)
    if integral and all(_is_binary(int(number)) for number in numbers):
        return [show(n / KIBI, TICK) + "k" if n >= KIBI else f"{n:.0f}" for n in numbers]
    exact = all(float(f"{number:.3g}") == number for number in numbers)
    if integral and exact and min(numbers) > 0 and largest >= WIDE * min(numbers):
        return [show(number, ".3~s").replace("G", "B") for number in numbers]
    power = min(_power(largest) // 3 * 3, max(_PREFIXES)) if integral else 0
    scaled = [value / 10.0**power for value in numbers]
    rough = len(numbers) >= MANY and not (integral and all(value % BYTES == 0 for value in numbers))
    nearest = min(b - a for a, b in pairwise(sorted(scaled)))
    slack = NEARLY * nearest if rough else 1e-9
    for places in range(3):
        if all(abs(round(value, places) - value) <= slack for value in scaled):
            return [_scaled_label(value, places, power) for value in scaled]
    return list(labels)


def _scaled_label(value: float, places: int, power: int) -> str:
    """A number of thousands, millions …; 0 has no prefix."""
    if power and not value:
        return "0"
    prefix = _PREFIXES[power].replace("G", "B")
    return f"{value:.{places}f}{prefix}".replace("-", "−")


def _is_binary(number: int) -> bool:
    """Whether a number is below 1024, or a multiple of it and a few times a power of two."""
    power_of_two = number & -number
    return 0 <= number < KIBI or (number % KIBI == 0 and 0 < number // power_of_two <= ODD)


COMPARING = "<≤≥> "  # signs before a number: <8k, 8k–16k, ≥16k


def by_size(text: str) -> tuple[list[tuple[str, float]], str]:
    """A sort key: texts by the numbers in them, 70m before 160m before 1.4b; a before B."""
    parts, start, lower = [], 0, text.lower().lstrip(COMPARING)
    for match in _SIZE.finditer(lower):
        number = float(match[1]) * _SIZES.get((match[2] or "").lower(), 1)
        parts.append((lower[start : match.start()], number))
        start = match.end()
    return (parts + [(lower[start:], -math.inf)]), text
