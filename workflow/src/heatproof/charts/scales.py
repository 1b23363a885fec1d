"""Scales of colour: which colour a value has, in cells, inks, bars and pages alike.

A scale is a list of values with their colours; between two of them colours are mixed in proportion
to the distance on a linear or a log axis. Vega draws the same from an explicit domain and
range (d3-scale: `continuous.js`, `log.js`), so that no colour is found in two ways.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import msgspec

from heatproof.charts import colour
from heatproof.util import numerals
from heatproof.util.errors import Error, Mistake

if TYPE_CHECKING:
    from collections.abc import Sequence

Domain = tuple[float, float]


@dataclass(frozen=True)
class Scale:
    """Ascending values, their colours, and whether these are mixed on a log axis between them."""

    stops: tuple[float, ...]
    colours: tuple[str, ...]
    log: bool = False
    center: float | None = None
    """The value of the middle colour, if the user or the values say."""

    @property
    def type(self) -> Literal["linear", "log"]:
        return "log" if self.log else "linear"

    @property
    def domain(self) -> Domain:
        """The values at the two ends of the colour bar."""
        return self.stops[0], self.stops[-1]

    def place(self, value: float) -> float:
        """Where a value lies along the colour bar: 0 at the low end, 1 at the high, clamped."""
        low, high, at = (_at(number, self.log) for number in (*self.domain, self._clamped(value)))
        return (at - low) / (high - low)

    def drawn(self, value: float) -> str:
        """The hex colour in which a value is drawn."""
        value = self._clamped(value)
        below = min(bisect_right(self.stops, value), len(self.stops) - 1) - 1
        low, high = (_at(stop, self.log) for stop in self.stops[below : below + 2])
        part = (_at(value, self.log) - low) / (high - low)
        return colour.mixed(part, self.colours[below : below + 2])

    def ink(self, value: float | None) -> str:
        """Black or white on the colour of a value; black where there is none."""
        return "#000000" if value is None else colour.ink(self.drawn(value))

    @property
    def marked(self) -> float:
        """The value whose tick is left out last: the center, else zero."""
        return float(self.center or 0.0)

    def ticks(self, most: int) -> list[float]:
        """A few round values, and what is `marked` where it lies between the ends."""
        low, high = self.domain
        values = numerals.log_ticks(low, high, most) if self.log else []
        values = values if len(values) > 2 else numerals.ticks(low, high, most)
        return sorted({*values, *([self.marked] if low <= self.marked <= high else [])})

    def _clamped(self, value: float) -> float:
        return min(max(value, self.stops[0]), self.stops[-1])


def _at(value: float, log: bool) -> float:
    return math.log(value) if log else value


def _value(at: float, log: bool) -> float:
    """The value at a place, without the last digits, in which machines may differ."""
    return float(f"{math.exp(at) if log else at:.12g}")


def scale(
    domain: Domain, colours: Sequence[str], log: bool = False, center: float | None = None
) -> Scale:
    """The scale on which colours stand evenly along the axis, from low to high.

    Args:
        domain: its ends; a value beyond one has its colour.
        colours: hex, two or more.
        log: whether the axis is logarithmic.
        center: the value of the middle colour. Values as far from it on one side as on the other
            then have colours as far from the middle: of the nearer end's side a part is used.
    """
    low, high = (_at(end, log) for end in domain)
    middle = (low + high) / 2 if center is None else _at(center, log)
    reach = max(high - middle, middle - low)
    start, width, last = middle - reach, 2 * reach, len(colours) - 1
    even = [(start + width * n / last, shade) for n, shade in enumerate(colours)]
    inner = [(at, shade) for at, shade in even if low + width * 1e-9 < at < high - width * 1e-9]
    first, final = (colour.mixed((end - start) / width, colours) for end in (low, high))
    stops = domain[0], *(_value(at, log) for at, _ in inner), domain[1]
    return Scale(stops, (first, *(shade for _, shade in inner), final), log, center)


class ColorScale(msgspec.Struct, kw_only=True):
    """What config.yaml may say of a scale of colour; values in the unit of the figure."""

    type: Literal["linear", "log"] | None = None
    """By default linear."""
    center: float | None = None
    """The value of the middle colour; by default zero where values of both signs are coloured by
    a diverging palette."""
    domain: list[float] | None = None
    """Its ends; by default the lowest and the highest value."""
    clip: list[float] | None = None
    """Percentiles that are its ends."""

    def mistakes(self) -> list[Mistake]:
        """Mistakes that types do not show: `.key: what is wrong`."""
        domain, clip = self.domain or [], self.clip or []
        problems = []
        if self.domain is not None and not _is_rising(domain, -math.inf, math.inf):
            problems.append(Mistake(".domain", f"{domain!r} is not [lowest, highest]"))
        if self.clip is not None and not _is_rising(clip, 0, 100):
            problems.append(
                Mistake(".clip", f"{clip!r} is not two percentiles, 0 to 100, such as [2, 98]")
            )
        if clip and domain:
            problems.append(Mistake(".clip", "domain says where the colours end; choose one"))
        pair = {"center": [] if self.center is None else [self.center], "domain": domain}
        return problems + [
            Mistake(f".{key}", f"{value:g} is not above 0, as log needs")
            for key, values in pair.items()
            for value in values
            if self.type == "log" and value <= 0
        ]

    def words(self) -> str:
        """What a caption says of it; empty where it is the usual one.

        "Colours on a log scale, from percentile 2 to 98 of the values: those beyond have the colour
        of the nearer end".
        """
        parts = ["on a log scale"] if self.type == "log" else []
        parts += [f"around {self.center:g}"] if self.center is not None else []
        if self.domain:
            parts.append(f"from {self.domain[0]:g} to {self.domain[1]:g}")
        elif self.clip:
            parts.append(f"from percentile {self.clip[0]:g} to {self.clip[1]:g} of the values")
        beyond = ": those beyond have the colour of the nearer end" if self.clip else ""
        return f"Colours {', '.join(parts)}{beyond}".replace("-", "−") if parts else ""


def require_within(
    values: Sequence[float], domain: Sequence[float] | None, percent: bool, key: str
) -> None:
    """Refuse ends of a user beyond which all values lie: all would be drawn alike, or not at all.

    Args:
        values: what is drawn, in the unit of the figure.
        domain: the ends.
        percent: values are percentages.
        key: of config.yaml, where the ends stand.

    Raises:
        Error: no value lies between the ends, and some lie beyond them.
    """
    low, high = domain or (-math.inf, math.inf)
    inside = any(low < value < high for value in values)
    if inside or all(low <= value <= high for value in values):
        return
    in_percent = percent and any(100 * low < value < 100 * high for value in values)
    cure = f"write [{100 * low:g}, {100 * high:g}]" if in_percent else "give ends around them"
    raise Error(
        Mistake(
            key,
            f"no value lies between {low:g} and {high:g}: values are {min(values):.4g} to "
            f"{max(values):.4g}{' in percent' if percent else ''}; {cure}, or take it out",
        )
    )


def _is_rising(ends: Sequence[float], least: float, most: float) -> bool:
    return len(ends) == 2 and least <= ends[0] < ends[1] <= most


def fitted(
    values: Sequence[float], colours: Sequence[str], wish: ColorScale, share: bool = False
) -> Scale | None:
    """The scale for some values, in the unit of the figure; None without any.

    `share`: values are percentages; if all are the same, the scale goes from 0 to 100.

    Raises:
        Error: values that a log axis does not hold; the message begins with the key.
    """
    if not values:
        return None
    log = wish.type == "log"
    if log and (least := min(values)) <= 0:
        raise Error(Mistake(".type", f"log needs values above 0, and there is {least:g}"))
    low, high = wish.domain or [quantile(values, end) for end in wish.clip or (0, 100)]
    if low == high:  # a value in the middle, and ends of the same sign
        reach = abs(low) * 0.01 or 1.0
        even = share and 0 <= low <= 100 and not log
        low, high = (0.0, 100.0) if even else (low - reach, low + reach)
    return scale((low, high), colours, log, wish.center)


def quantile(values: Sequence[float], percent: float) -> float:
    """A percentile, linear between the two nearest values: type 7 of Hyndman and Fan (1996)."""
    ranked = sorted(values)
    at = (len(ranked) - 1) * percent / 100
    below = min(int(at), len(ranked) - 1)
    above = min(below + 1, len(ranked) - 1)
    return _value(ranked[below] + (ranked[above] - ranked[below]) * (at - below), log=False)
