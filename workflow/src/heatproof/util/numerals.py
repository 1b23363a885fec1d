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
    if not value:
        flags = flags.replace("+", "")
    if kind == "s":
        flags = flags.replace(",", "")
    value, spec, unit = _python_format(value, kind, digits)
    text, mark, exponent = format(value, flags + spec).partition("e")
    if trim and "." in text:
        text = text.rstrip("0").rstrip(".")
    if mark:
        text = f"{text}e{int(exponent):+d}"
    if not text.strip("-0.,"):
        text = text.lstrip("-")
    return times + text.replace("-", "−") + unit


def _python_format(value: float, kind: str, digits: int) -> tuple[float, str, str]:
    """What to print for a value, Python's format of it, and the unit behind it."""
    if kind == "d":
        return float(round(value)), ".0f", ""
    if kind == "%":
        return value * 100, f".{digits}f", "%"
    if kind == "s":
        rounded = float(f"{value:.{digits - 1}e}")
        power = _prefix_power(rounded)
        value = rounded / 10.0**power
        places = max(digits - _power(value) - 1, 0)
        return value, f".{places}f", _PREFIXES[power]
    if kind == "e":
        return value, f".{digits}e" if value else ".0f", ""
    if kind == "g":
        last = max(digits, 1) - 1
        power = int(f"{value:.{last}e}".partition("e")[2])
        if not -7 < power <= last:
            return value, f".{last}e", ""
        digits = last - power
    return value, f".{digits}f", ""


def _prefix_power(value: float) -> int:
    """The power of ten of the prefix that a number takes."""
    power = _power(value) // 3 * 3
    return min(max(power, min(_PREFIXES)), max(_PREFIXES))


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
        if kind == "d":
            return 1.0
        return 10.0**-digits if kind == "f" else 0.0

    def value(self, value: float, error: float | None = None) -> str:
        """A value; `error`: its ±, if it has one."""
        spec = self.spec if self.fixed else self._cell_spec(value, error)
        return show(value, spec)

    def end(self, end: float, value: float, error: float | None) -> str:
        return show(end, self._cell_spec(value, error))

    def error(self, error: float, value: float) -> str:
        """The ± of a value, without a sign or a ×."""
        _, flags, digits, trim, kind = _format_parts(self._cell_spec(value, error))
        if kind in "se" and error:  # down to the last place of the value, and two digits at least
            if value:
                digits += _power(error) - _power(value)
            digits = max(digits, FEWEST - (kind == "e"))
        spec = flags.strip("+")
        if kind != "d":
            spec += f".{digits}"
        return show(error, f"{spec}{trim}{kind}")

    def _cell_spec(self, value: float, error: float | None) -> str:
        """The format, with more digits where the ±, or else the value, is below its last place."""
        size = abs(error or value)
        times, flags, digits, trim, kind = _format_parts(self.spec)
        power = _power(value)
        last = {"d": 0, "f": -digits, "%": -digits - 2, "e": power - digits}
        step = 10.0 ** last.get(kind, power - digits + 1)
        if not size or size < abs(value) * NOISE or size >= step * (1 - NOISE):
            return self.spec
        place = _power(size) + 1 - FEWEST
        if kind in "df%":
            places = max(-place - 2 * (kind == "%"), 0)
            return f"{times}{flags}.{places}{trim}{kind.replace('d', 'f')}"
        digits = power - place + 1
        if kind == "s" and digits >= MOST:
            return f"{times}{flags.strip(',')},.{max(-place, 0)}f"
        return f"{times}{flags}.{digits - (kind == 'e')}{trim}{kind}"


def few_digits(values: Iterable[float]) -> bool:
    """Whether written numbers can all be printed with the digits that they have."""
    sizes = [abs(value) for value in values if value]
    power = _power(max(sizes, default=0.0))
    places = max(map(_places_of, sizes), default=0)
    return power + places < MOST


def fitting_format(
    values: Sequence[float],
    errors: Iterable[float] = (),
    gaps: Iterable[float] = (),
    written: bool = False,
) -> str:
    """One format for numbers that stand together.

    Three digits of the largest, at most three behind the point; whole numbers stay whole. More, up
    to six of the largest, so that the median ± has two digits, and without any ± the smallest
    number. Without any ±, numbers that are marked as different are printed as different.

    `gaps`: distances from what is marked to the number nearest to it. `written`: somebody wrote the
    numbers down: if they have few digits, all are printed.
    """
    sizes = [abs(float(value)) for value in values if value]
    high = max(sizes, default=0.0)
    spreads = sorted(error for error in errors if error > NOISE * high)
    largest = max(sizes + spreads, default=0.0)
    integral = not spreads and all(map(float.is_integer, sizes))
    exact = written and few_digits(sizes)
    first = _power(largest)
    place = _last_place(sizes, integral, exact)
    smallest: float | None = None
    if spreads:
        smallest = spreads[(len(spreads) - 1) // 2]
    elif not (integral or exact or largest >= LONG):
        smallest = min(sizes)
    if smallest is not None:
        needed = max(_power(smallest) - FEWEST, first - MOST) + 1
        place = min(place, needed)
    if not spreads:
        finest = first - FINEST + 1
        needed_places = [max(_power(gap), finest) for gap in gaps if gap]
        place = min(needed_places + [place])
    digits = first - place + 1
    if 0 < largest < TINIER:
        return f".{digits - 1}e"
    if largest >= LONG and place > 1 and digits < MOST and not exact:
        return f".{max(digits, DIGITS)}s"
    spec = "d" if integral else f".{max(-place, 0)}f"
    return f",{spec}" if largest >= LONG else spec


def _last_place(sizes: Sequence[float], integral: bool, exact: bool) -> int:
    """The power of ten of the last digit that numbers of these sizes show, without any ±."""
    high = max(sizes, default=0.0)
    if exact:
        return -max(map(_places_of, sizes), default=0)
    if 0 < high < TINIER:
        return _power(high) + 1 - FEWEST
    if high >= LONG:
        return _power(high) + 1 - DIGITS
    if integral:
        return 0
    return max(min(_power(high) - DIGITS + 1, 0), -DIGITS)


def ticks(low: float, high: float, limit: int = 6) -> list[float]:
    """The multiples of 1, 2 or 5 · 10ⁿ in the domain, of the finest with no more than `limit`."""
    if not high > low:
        return [low]
    power = math.floor(math.log10((high - low) / limit)) - 1
    slack = (high - low) * 1e-9  # a hair beyond an end counts as inside
    for exponent, digit in product(range(power, power + 4), (1, 2, 5)):
        step = digit * 10.0**exponent
        first = math.ceil((low - slack) / step)
        last = math.floor((high + slack) / step)
        if last - first < limit:
            break
    return [float(f"{number * step:.12g}") for number in range(first, last + 1)]


def log_ticks(low: float, high: float, limit: int = 7) -> list[float]:
    """1, 2, 5, 10, 20, …, or only powers of ten where those are more than `limit`."""
    lowest, highest = math.floor(math.log10(low)), math.ceil(math.log10(high))
    powers = range(lowest, highest + 1)
    first, last = low * (1 - 1e-9), high * (1 + 1e-9)
    for digits in ((1, 2, 5), (1, 3), (1,)):
        ticks = []
        for power, digit in product(powers, digits):
            tick = digit * 10.0**power
            if first <= tick <= last:
                ticks.append(tick)
        if len(ticks) <= limit:
            break
    return ticks


def span(counts: Iterable[int]) -> str:
    """The lowest and the highest count: `29–30`; one number if they are the same."""
    candidates = list(counts) or [0]
    low, high = min(candidates), max(candidates)
    if low == high:
        return f"{low:,}"
    return f"{low:,}–{high:,}"


def spanned(counts: Iterable[int], noun: str) -> str:
    """The same and what is counted, in the plural: 29–30 problems, 1 problem."""
    text = span(counts)
    if text == "1":
        noun = noun.removesuffix("s")
    return f"{text} {noun}"


def numbered(count: int, noun: str) -> str:
    """A count and what is counted: 1 file, 2,000 files."""
    if count != 1:
        noun += "s"
    return f"{count:,} {noun}"


def words(values: Sequence[Any]) -> list[str]:
    """Labels of the categories of an axis: numbers in one style, and no two alike."""
    sizes = [abs(value) for value in values if isinstance(value, float) and value]
    spec = TICK
    smallest, largest = min(sizes, default=0.0), max(sizes, default=0.0)
    all_small = largest < SMALL or (smallest < TINY and largest == SMALL)
    if 0 < smallest <= TINY and all_small:
        spec = ".5~e"
    elif sizes and largest <= ALIKE * smallest:
        common = even([value for value in values if isinstance(value, float)])
        if common <= ".2f" or smallest >= SMALL:
            spec = common
    names = {True: "yes", False: "no", None: "none", "": "(empty)"}
    labels = []
    for value in values:
        if isinstance(value, float):
            is_tiny = 0 < abs(value) < TINY
            labels.append(show(value, ".5~e" if is_tiny else spec))
        elif isinstance(value, int) and not isinstance(value, bool):
            labels.append(str(value).replace("-", "−"))
        else:
            labels.append(names.get(value) or str(value))
    if len(set(labels)) < len(labels):
        return list(map(repr, values))
    return labels


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
    integral = all(map(float.is_integer, numbers))
    smallest, largest = min(numbers), max(map(abs, numbers))
    digits = max(map(_count_digits, plain))
    is_short = largest < LONG if integral else digits <= EXACT
    if is_short:
        return list(labels)
    if integral and all(_is_binary(int(number)) for number in numbers):
        return list(map(_binary_label, numbers))
    exact = all(float(f"{number:.3g}") == number for number in numbers)
    if integral and exact and smallest > 0 and largest >= WIDE * smallest:
        return [show(number, ".3~s").replace("G", "B") for number in numbers]
    power = _prefix_power(largest) if integral else 0
    scaled = [value / 10.0**power for value in numbers]
    slack = 1e-9
    are_bytes = integral and all(value % BYTES == 0 for value in numbers)
    if len(numbers) >= MANY and not are_bytes:
        slack = NEARLY * min(high - low for low, high in pairwise(sorted(scaled)))
    for places in range(3):
        if all(abs(round(value, places) - value) <= slack for value in scaled):
            return [_scaled_label(value, places, power) for value in scaled]
    return list(labels)


def _count_digits(label: str) -> int:
    """How many digits a number has between zeros at its ends."""
    return len(re.sub(r"\D", "", label).strip("0"))


def _binary_label(number: float) -> str:
    if number < KIBI:
        return f"{number:.0f}"
    return show(number / KIBI, TICK) + "k"


def _scaled_label(value: float, places: int, power: int) -> str:
    """A number of thousands, millions …; 0 has no prefix."""
    if power and not value:
        return "0"
    prefix = _PREFIXES[power].replace("G", "B")
    return f"{value:.{places}f}{prefix}".replace("-", "−")


def _is_binary(number: int) -> bool:
    """Whether a number is below 1024, or a multiple of it and a few times a power of two."""
    if 0 <= number < KIBI:
        return True
    power_of_two = number & -number
    return number % KIBI == 0 and 0 < number // power_of_two <= ODD


COMPARING = "<≤≥> "  # signs before a number: <8k, 8k–16k, ≥16k


def by_size(text: str) -> tuple[list[tuple[str, float]], str]:
    """A sort key: texts by the numbers in them, 70m before 160m before 1.4b; a before B."""
    pieces, start, lower = [], 0, text.lower().lstrip(COMPARING)
    for match in _SIZE.finditer(lower):
        prefix = (match[2] or "").lower()
        number = float(match[1]) * _SIZES.get(prefix, 1)
        pieces.append((lower[start : match.start()], number))
        start = match.end()
    pieces.append((lower[start:], -math.inf))
    return pieces, text
