"""Numbers as they are printed: formats, tick choice, labels of axes."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_SPEC = re.compile(r"([+,]*)(?:\.(\d+))?(~?)([dfgse%])")
_SIZE = re.compile(r"(\d+(?:\.\d+)?)(?:([kmbgt])(?![a-z]))?", re.IGNORECASE)
_SIZES = {"k": 1e3, "m": 1e6, "b": 1e9, "g": 1e9, "t": 1e12}
_PREFIXES = {-9: "n", -6: "µ", -3: "m", 0: "", 3: "k", 6: "M", 9: "G", 12: "T"}
TICK = ".6~g"
"""Six digits, trimmed: a tick at 42.5 never prints as 43."""
TINY = 1e-4
"""A category below is written with an exponent …"""
SMALL = 0.1
"""… and so are those beside it, if none is larger than this: 1e−5, 1e−4, 1e−3."""


def is_format(spec: str) -> bool:
    """Whether `show` knows the format."""
    return _SPEC.fullmatch(spec) is not None


def show(value: float, spec: str) -> str:
    """A number in a subset of d3's formats: `.1f`, `.3~s`, `,d`, `+.2f`, `.6~g`, `.1e`, `.0%`.

    `s` takes SI prefixes, `~` trims zeros, the minus sign is U+2212 as in d3. Unlike there, that of
    an exponent is so too, 0 has no exponent, and exact halves go to the even digit.
    """
    found = _SPEC.fullmatch(spec)
    if found is None:
        raise ValueError(f"{spec!r} is not a number format such as '.1f', '.3~s' or ',d'")
    flags, digits, trim, kind = found.groups()
    value = float(value) + 0.0  # no negative zero
    if kind == "s":
        text, unit = _si(value, int(digits or 6))
    elif kind == "d":
        text, unit = f"{round(value):{flags}d}", ""
    else:
        value = value * 100 if kind == "%" else value
        written, places = _written(value, kind, int(digits or 6))
        text = _short_exponent(format(value, f"{flags}.{places}{written}"))
        unit = kind.strip("fgde")
    text = _trimmed(text) if trim else text
    text = text.lstrip("-") if not text.strip("-0.,") else text
    return text.replace("-", "−") + unit


def _written(value: float, kind: str, digits: int) -> tuple[str, int]:
    """`f` or `e`, and the digits behind the point; `g` becomes either.

    An exponent stands where it is below −6, or the digits do not reach the point (ECMAScript,
    `Number.prototype.toPrecision`).
    """
    if kind == "e" and not value:
        return "f", 0
    if kind != "g":
        return "e" if kind == "e" else "f", digits
    digits = max(digits, 1)
    power = int(f"{value:.{digits - 1}e}".partition("e")[2])
    return ("f", digits - 1 - power) if -7 < power < digits else ("e", digits - 1)


def _short_exponent(text: str) -> str:
    """Python gives exponents two digits at least."""
    mantissa, mark, exponent = text.partition("e")
    return f"{mantissa}e{int(exponent):+d}" if mark else text


def _si(value: float, digits: int) -> tuple[str, str]:
    """Mantissa with `digits` significant digits, and the prefix of its thousand."""
    rounded = float(f"{value:.{digits - 1}e}")
    power = math.floor(math.log10(abs(rounded)) / 3 + 1e-9) * 3 if rounded else 0
    power = min(max(power, min(_PREFIXES)), max(_PREFIXES))
    mantissa = rounded / 10.0**power
    whole = math.floor(math.log10(abs(mantissa)) + 1e-9) + 1 if mantissa else 1
    return f"{mantissa:.{max(digits - whole, 0)}f}", _PREFIXES[power]


def _trimmed(text: str) -> str:
    mantissa, mark, exponent = text.partition("e")
    return (mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa) + mark + exponent


def fitting(values: Sequence[float]) -> str:
    """One format for all values of a figure: about three significant digits of the largest."""
    largest = max((abs(value) for value in values), default=0.0)
    if largest >= 1e4 or 0 < largest < 1e-3:
        return ".3s" if largest >= 1e4 else ".1e"
    if all(float(value).is_integer() for value in values):
        return "d"
    whole = math.floor(math.log10(largest)) if largest > 0 else 0
    return f".{min(max(2 - whole, 0), 3)}f"


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """At most `most` multiples of 1, 2 or 5 · 10ⁿ inside the domain: the finest that are so few."""
    if not high > low:
        return [low]
    power = math.floor(math.log10((high - low) / most)) - 1
    steps = (digit * 10.0**n for n in range(power, power + 4) for digit in (1, 2, 5))
    return next(found for step in steps if len(found := _multiples(low, high, step)) <= most)


def _multiples(low: float, high: float, step: float) -> list[float]:
    """Multiples of the step in the closed domain; a hair beyond its ends counts as inside."""
    slack = (high - low) * 1e-9
    first, last = math.ceil((low - slack) / step), math.floor((high + slack) / step)
    return [float(f"{n * step:.12g}") for n in range(first, last + 1)]


def log_ticks(low: float, high: float, most: int = 7) -> list[float]:
    """1, 2, 5, 10, 20, …, or only powers of ten where those are too many."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for digits in ((1, 2, 5), (1, 3), (1,)):
        found = [digit * 10.0**n for n in powers for digit in digits]
        found = [tick for tick in found if low * (1 - 1e-9) <= tick <= high * (1 + 1e-9)]
        if len(found) <= most:
            break
    return found


def symlog_ticks(low: float, high: float, constant: float, most: int = 7) -> list[float]:
    """Zero, and powers of ten on both sides from the constant on: every n-th, the largest first."""
    furthest = max(abs(low), abs(high))
    slack = furthest * 1e-9
    last = math.floor(math.log10(furthest) + 1e-9)
    powers = [10.0**n for n in range(last, math.ceil(math.log10(constant) - 1e-9) - 1, -1)]
    for step in range(1, len(powers) + 1):
        sizes = powers[::step]
        found = sorted({0.0, *sizes, *(-size for size in sizes)})
        found = [tick for tick in found if low - slack <= tick <= high + slack]
        if len(found) <= most:
            break
    return found


def span(counts: Iterable[int]) -> str:
    """The lowest and the highest of some counts: `29–30`; one number if they are the same."""
    found = list(counts) or [0]
    low, high = min(found), max(found)
    return f"{low:,}" if low == high else f"{low:,}–{high:,}"


def numbered(count: int, what: str) -> str:
    """A count and what is counted: 1 file, 2,000 files."""
    return f"{count:,} {what}{'s' * (count != 1)}"


def words(values: Sequence[Any]) -> list[str]:
    """Labels of the categories of an axis: numbers short and in one style, and no two alike."""
    sizes = [abs(value) for value in values if isinstance(value, float) and value]
    exponents = bool(sizes) and min(sizes) < TINY and max(sizes) <= SMALL
    labels = [_word(value, exponents) for value in values]
    return labels if len(set(labels)) == len(labels) else [repr(value) for value in values]


def by_size(text: str) -> tuple[list[tuple[str, float]], str]:
    """A key that sorts texts by the numbers in them: 70m before 160m before 1.4b."""
    parts, start = [], 0
    for found in _SIZE.finditer(text):
        number, unit = found.groups()
        parts.append(
            (text[start : found.start()], float(number) * _SIZES.get(str(unit).lower(), 1))
        )
        start = found.end()
    return [*parts, (text[start:], -math.inf)], text


def _word(value: Any, exponents: bool) -> str:
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "none"}[value]
    if isinstance(value, int):
        return str(value).replace("-", "−")
    if isinstance(value, float):
        return show(value, ".5~e" if exponents or 0 < abs(value) < TINY else TICK)
    return str(value) or "(empty)"
