"""Numbers as they are printed: formats, tick choice, labels of axes."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_SPEC = re.compile(r"(×?)([+,]*)(?:\.(\d+))?(~?)([dfgse%])")
_SIZE = re.compile(r"(\d+(?:\.\d+)?)(?:([kmbgt])(?![a-z]))?", re.IGNORECASE)
_SIZES = {"k": 1e3, "m": 1e6, "b": 1e9, "g": 1e9, "t": 1e12}
_PREFIXES = {-9: "n", -6: "µ", -3: "m", 0: "", 3: "k", 6: "M", 9: "G", 12: "T"}
PLAIN = re.compile(r"-?\d+(\.\d+)?")
TICK = ".6~g"  # six digits, trimmed: a tick at 42.5 never prints as 43
DIGITS, FEWEST, MOST, FINEST = 3, 2, 6, 12
"""Digits of the largest of numbers that stand together; the fewest of a ± or of the smallest; the
most of the largest for the sake of these, or because somebody wrote them down so; the most that
tell what is marked from what is next to it."""
LONG, TINIER = 1e4, 1e-3
"""The largest of numbers from which on they have a prefix of thousands, and below which they have
exponents."""
NOISE = 1e-9  # of a value: a ± that is smaller is what floats leave of none
TINY, SMALL, ALIKE = 1e-4, 0.1, 100.0
"""A category that is no larger than the first is written with an exponent, and so are those beside
it, if none is larger than the second: 1e−5, 1e−4, 1e−3. Numbers of an axis have equal decimals, and
not 0.001 beside 0.010, where the largest is at most so many times the least."""
KIBI, ODD = 1024, 15
"""128k is 128 × the first, where each number of an axis is at most so many times a power of two."""
EXACT, MANY, NEARLY, BYTES = 4, 8, 0.1, 64
"""Numbers on an axis with so many digits are printed as they are; each of so many of them need not
be told exactly, but within this part of their least distance; multiples of the last are sizes that
a computer counts in."""


def is_format(spec: str) -> bool:
    """Whether `show` knows the format."""
    return _SPEC.fullmatch(spec) is not None and not spec.startswith("×")


def show(value: float, spec: str) -> str:
    """A number in a subset of d3's formats: `.1f`, `.3~s`, `,d`, `+.2f`, `.6~g`, `.1e`, `.0%`.

    `s` takes SI prefixes, `~` trims zeros, the minus sign is U+2212 as in d3. Unlike there, that of
    an exponent is so too, 0 has no exponent and no plus, and exact halves go to the even digit. A ×
    before the format stands before the number. `g` has an exponent where that is below −6, or the
    digits do not reach the point (ECMAScript, `Number.prototype.toPrecision`).
    """
    times, flags, digits, trim, kind = _parts(spec)
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


def _parts(spec: str) -> tuple[str, str, int, str, str]:
    """×, flags, digits, ~ and the letter of a format."""
    match = _SPEC.fullmatch(spec)
    if match is None:
        raise ValueError(f"{spec!r} is not a number format such as '.1f', '.3~s' or ',d'")
    times, flags, digits, trim, kind = match.groups()
    return times, flags, int(digits or 6), trim, kind


def _power(value: float) -> int:
    """Of ten, that of the first digit of a number; 0 of 0."""
    return int(f"{value:.{FINEST}e}".partition("e")[2])


def _places_of(value: float) -> int:
    """Decimals of a number, without what floats add to it."""
    digits = f"{Decimal(f'{value:.{FINEST}g}').normalize():f}"
    return len(digits.partition(".")[2])


class Digits(NamedTuple):
    """How numbers that stand together, such as the values of a figure, are printed: in one format.

    What this would print as if it were nothing has two digits of its own: a ± that is smaller than
    the last place of its value, and with it the value and the ends of its interval; and a value
    without a ±. The user's format stays as it is for values.
    """

    spec: str
    fixed: bool = False  # the user asks for this format

    @property
    def step(self) -> float:
        """One of the last place of all numbers; 0 of formats in which that differs."""
        _, _, digits, _, kind = _parts(self.spec)
        return 10.0 ** -(0 if kind == "d" else digits) if kind in "df" else 0.0

    def value(self, value: float, error: float | None = None) -> str:
        """A value; `error`: its ±, where that is known."""
        return show(value, self.spec if self.fixed else self._own(value, error))

    def end(self, end: float, value: float, error: float | None) -> str:
        """An end of the interval of a value."""
        return show(end, self._own(value, error))

    def error(self, error: float, value: float) -> str:
        """The ± of a value, without that sign: no number that has one itself, nor a ×."""
        _, flags, digits, trim, kind = _parts(self._own(value, error))
        digits = {"s": FEWEST, "e": FEWEST - 1}.get(kind, digits)
        spec = f"{flags.strip('+')}{f'.{digits}' if kind != 'd' else ''}{trim}{kind}"
        return show(error, spec)

    def _own(self, value: float, error: float | None) -> str:
        """The format, with more digits where what counts of the two is below its last place."""
        size = abs(error or value)
        times, flags, digits, trim, kind = _parts(self.spec)
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
    """Whether numbers that somebody wrote down can all be printed with the digits they have."""
    sizes = [abs(value) for value in values if value]
    places = max(map(_places_of, sizes), default=0)
    return _power(max(sizes, default=0.0)) + places < MOST


def fitting(
    values: Sequence[float],
    errors: Iterable[float] = (),
    near: Iterable[float] = (),
    written: bool = False,
) -> str:
    """One format for numbers that stand together.

    Three digits of the largest, at most three behind the point; whole numbers stay whole. It has
    more, up to six of the largest, so that a typical (median) ± has two digits, and without any ±
    the smallest number. Where no ± says how sure they are, what the figure marks as different is
    told apart, whatever digits that takes.

    Args:
        values: the numbers.
        errors: the ± of them.
        near: distances from what is marked to the number nearest to it.
        written: somebody wrote the numbers down: where these have few digits, all are printed.
    """
    sizes = [abs(float(value)) for value in values if value]
    spreads = sorted(error for error in errors if error > NOISE * max(sizes, default=0.0))
    largest = max([*sizes, *spreads], default=0.0)
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
    if largest >= LONG and digits < MOST and not exact:
        return f".{max(digits, DIGITS)}s"
    comma = "," * (largest >= LONG)
    return f"{comma}d" if integral else f"{comma}.{max(-place, 0)}f"


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """At most `most` multiples of 1, 2 or 5 · 10ⁿ inside the domain: the finest that are so few."""
    if not high > low:
        return [low]
    power = math.floor(math.log10((high - low) / most)) - 1
    slack = (high - low) * 1e-9  # a hair beyond an end counts as inside
    for step in (digit * 10.0**n for n in range(power, power + 4) for digit in (1, 2, 5)):
        first, last = math.ceil((low - slack) / step), math.floor((high + slack) / step)
        if last - first < most:
            break
    return [float(f"{n * step:.12g}") for n in range(first, last + 1)]


def log_ticks(low: float, high: float, most: int = 7) -> list[float]:
    """1, 2, 5, 10, 20, …, or only powers of ten where those are too many."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for digits in ((1, 2, 5), (1, 3), (1,)):
        candidates = [digit * 10.0**n for n in powers for digit in digits]
        candidates = [tick for tick in candidates if low * (1 - 1e-9) <= tick <= high * (1 + 1e-9)]
        if len(candidates) <= most:
            break
    return candidates


def span(counts: Iterable[int]) -> str:
    """The lowest and the highest of some counts: `29–30`; one number if they are the same."""
    candidates = list(counts) or [0]
    low, high = min(candidates), max(candidates)
    return f"{low:,}" if low == high else f"{low:,}–{high:,}"


def numbered(count: int, what: str) -> str:
    """A count and what is counted: 1 file, 2,000 files."""
    return f"{count:,} {what}{'s' * (count != 1)}"


def words(values: Sequence[Any]) -> list[str]:
    """Labels of the categories of an axis: numbers short and in one style, and no two alike."""
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
    """The format that gives all of some numbers as many decimals as the longest of them needs."""
    texts = [show(value, TICK) for value in values]
    if any("e" in text for text in texts):
        return TICK
    return f".{max((len(text.partition('.')[2]) for text in texts), default=0)}f"


def shortened(labels: Sequence[str]) -> list[str]:
    """What an axis prints of its labels, if these are long numbers: three digits of many of them.

    18559 among others as far from it is 18.6k, and 97.059 is 97.1. As they are where they are few
    or not told apart by that; 20000 is 20k always, and 131072 among sizes that a computer counts
    in, a few times a power of two, is 128k.
    """
    plain = [label.replace("−", "-") for label in labels]
    numbers = [float(label) for label in plain if PLAIN.fullmatch(label)]
    if len(numbers) < max(len(labels), 2) or len(set(numbers)) < len(numbers):
        return list(labels)
    integral, largest = all(map(float.is_integer, numbers)), max(map(abs, numbers))
    digits = max(len(re.sub(r"\D", "", label).strip("0")) for label in plain)
    if largest < LONG if integral else digits <= EXACT:
        return list(labels)
    if integral and all(map(_is_binary, numbers)):
        kilos = (show(n / KIBI, TICK) + "k" if n >= KIBI else f"{n:.0f}" for n in numbers)
        return list(kilos)
    power = min(_power(largest) // 3 * 3, max(_PREFIXES)) if integral else 0
    scaled = [value / 10.0**power for value in numbers]
    # Each need not be told exactly where they are many, and no sizes that a computer counts in.
    rough = len(numbers) >= MANY and not (integral and all(value % BYTES == 0 for value in numbers))
    nearest = min(b - a for a, b in pairwise(sorted(scaled)))
    slack = NEARLY * nearest if rough else 1e-9
    for places in range(3):
        if all(abs(round(value, places) - value) <= slack for value in scaled):
            texts = [f"{value:.{places}f}{_PREFIXES[power]}".replace("-", "−") for value in scaled]
            return [
                "0" if power and not n else text for n, text in zip(numbers, texts, strict=True)
            ]
    return list(labels)


def _is_binary(number: float) -> bool:
    """Whether a number is less than 1024, or a few times a power of two and a multiple of it."""
    odd = int(number)
    while odd and odd % 2 == 0:
        odd //= 2
    return 0 <= number < KIBI or (number % KIBI == 0 and 0 < odd <= ODD)


def by_size(text: str) -> tuple[list[tuple[str, float]], str]:
    """A key that sorts texts by the numbers in them: 70m before 160m before 1.4b."""
    parts, start = [], 0
    for match in _SIZE.finditer(text):
        number = float(match[1]) * _SIZES.get((match[2] or "").lower(), 1)
        parts.append((text[start : match.start()], number))
        start = match.end()
    return [*parts, (text[start:], -math.inf)], text
