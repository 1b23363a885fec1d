"""Scales of colour: which colour a value has, in cells, inks, bars and pages alike.

A scale is a list of values with their colours; between two of them colours are mixed in proportion
to the distance on a linear, a log or a symlog axis. Vega draws the same from an explicit domain and
range (d3-scale: `continuous.js`, `log.js`, `symlog.js`), so that no colour is found in two ways.
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
Type = Literal["linear", "log", "symlog"]


@dataclass(frozen=True)
class Axis:
    """Where values lie on an axis of a type, before it is stretched to any length."""

    type: Type = "linear"
    constant: float = 1.0
    """Of symlog: much nearer to zero than this it is linear, much further away logarithmic."""

    def at(self, value: float) -> float:
        """The place of a value."""
        if self.type == "log":
            return math.log(value)
        if self.type == "symlog":
            return math.copysign(math.log1p(abs(value / self.constant)), value)
        return value

    def value(self, at: float) -> float:
        """The value at a place, without the last digits, in which machines may differ."""
        if self.type == "log":
            return _rounded(math.exp(at))
        if self.type == "symlog":
            return _rounded(math.copysign(math.expm1(abs(at)) * self.constant, at))
        return _rounded(at)


@dataclass(frozen=True)
class Scale:
    """Ascending values, their colours, and the axis on which colours are mixed between them."""

    stops: tuple[float, ...]
    colours: tuple[str, ...]
    axis: Axis = Axis()
    center: float | None = None
    """The value of the middle colour, if the user or the values say."""

    @property
    def domain(self) -> Domain:
        """The values at the two ends of the colour bar."""
        return self.stops[0], self.stops[-1]

    def place(self, value: float) -> float:
        """Where a value lies along the colour bar: 0 at the low end, 1 at the high, clamped."""
        low, high = map(self.axis.at, self.domain)
        return (self.axis.at(self._clamped(value)) - low) / (high - low)

    def drawn(self, value: float) -> str:
        """The hex colour in which a value is drawn."""
        value = self._clamped(value)
        below = min(bisect_right(self.stops, value), len(self.stops) - 1) - 1
        low, high = (self.axis.at(stop) for stop in self.stops[below : below + 2])
        part = (self.axis.at(value) - low) / (high - low)
        return colour.mixed(part, self.colours[below : below + 2])

    def ink(self, value: float | None) -> str:
        """Black or white on the colour of a value; black where there is none."""
        return "#000000" if value is None else colour.ink(self.drawn(value))

    def steps(self, count: int) -> list[float]:
        """`count` values from end to end, evenly spaced along the colour bar."""
        low, high = self.domain
        start, end = self.axis.at(low), self.axis.at(high)
        inner = [start + (end - start) * step / (count - 1) for step in range(1, count - 1)]
        return [low, *map(self.axis.value, inner), high]

    @property
    def marked(self) -> float:
        """The value whose tick is left out last: the center, else zero."""
        return float(self.center or 0.0)

    def ticks(self, most: int) -> list[float]:
        """A few round values, and what is `marked` where it lies between the ends."""
        low, high = self.domain
        values: list[float] = []
        if self.axis.type == "log" and len(near := numerals.log_ticks(low, high, most)) > 2:
            values = near
        if self.axis.type == "symlog":
            near = numerals.symlog_ticks(low, high, self.axis.constant, most)
            values = near if len(near) > 1 else []
        marked = [self.marked] if low <= self.marked <= high else []
        return sorted({*(values or numerals.ticks(low, high, most)), *marked})

    def _clamped(self, value: float) -> float:
        return min(max(value, self.stops[0]), self.stops[-1])


def _rounded(value: float) -> float:
    """Without the last digits, in which machines may differ."""
    return float(f"{value:.12g}")


def scale(
    domain: Domain,
    colours: Sequence[str],
    type: Type = "linear",  # noqa: A002  as Vega-Lite and config.yaml call it
    center: float | None = None,
    constant: float | None = None,
) -> Scale:
    """The scale on which colours stand evenly along the axis, from low to high.

    Args:
        domain: its ends; a value beyond one has its colour.
        colours: hex, two or more.
        type: of the axis.
        center: the value of the middle colour. Values as far from it on one side as on the other
            then have colours as far from the middle: of the nearer end's side a part is used.
        constant: of symlog; by default a hundredth of the largest power of ten in the domain.
    """
    if type == "symlog" and not constant:
        constant = 10.0 ** (math.floor(math.log10(max(map(abs, domain))) + 1e-9) - 2)
    axis = Axis(type, (constant or 1.0) if type == "symlog" else 1.0)
    low, high = map(axis.at, domain)
    middle = (low + high) / 2 if center is None else axis.at(center)
    reach = max(high - middle, middle - low)
    start, width, last = middle - reach, 2 * reach, len(colours) - 1
    even = [(start + width * n / last, shade) for n, shade in enumerate(colours)]
    inner = [(at, shade) for at, shade in even if low + width * 1e-9 < at < high - width * 1e-9]
    first, final = (colour.mixed((end - start) / width, colours) for end in (low, high))
    stops = domain[0], *(axis.value(at) for at, _ in inner), domain[1]
    return Scale(stops, (first, *(shade for _, shade in inner), final), axis, center)


class ColorScale(msgspec.Struct, kw_only=True):
    """What config.yaml may say of a scale of colour; values in the unit of the figure."""

    type: Type | None = None
    """By default linear, and of ratios log."""
    center: float | None = None
    """The value of the middle colour; by default zero where values of both signs are coloured by
    a diverging palette."""
    domain: list[float] | None = None
    """Its ends; by default the lowest and the highest value."""
    clip: list[float] | None = None
    """Percentiles that are its ends."""
    reverse: bool = False
    """From the last colour of the palette to the first."""
    constant: float | None = None
    """Of symlog: below it values are as good as linear."""

    def mistakes(self) -> list[Mistake]:
        """Mistakes that types do not show: `.key: what is wrong`."""
        domain, clip, center = self.domain or [], self.clip or [], self.center
        problems = [] if self.domain is None else domain_faults(self.domain)
        if self.clip is not None and not _is_rising(clip, 0, 100):
            problems.append(
                Mistake(".clip", f"{clip!r} is not two percentiles, 0 to 100, such as [2, 98]")
            )
        if clip and domain:
            problems.append(Mistake(".clip", "domain says where the colours end; choose one"))
        if self.constant is not None and self.type != "symlog":
            problems.append(
                Mistake(".constant", f"{self.constant:g} is of symlog, not {self.type or 'linear'}")
            )
        elif self.constant is not None and not self.constant > 0:
            problems.append(Mistake(".constant", f"{self.constant:g} is not above 0"))
        pair = {"center": [] if center is None else [center], "domain": domain}
        return problems + [
            Mistake(f".{key}", f"{value:g} is not above 0, as log needs; symlog takes it")
            for key, values in pair.items()
            for value in values
            if self.type == "log" and value <= 0
        ]

    def words(self) -> str:
        """What a caption says of it; empty where it is the usual one.

        "Colours on a log scale, from percentile 2 to 98 of the values: those beyond have the colour
        of the nearer end".
        """
        parts = [f"on a {self.type} scale"] if self.type not in (None, "linear") else []
        parts += [f"around {self.center:g}"] if self.center is not None else []
        if self.domain:
            parts.append(f"from {self.domain[0]:g} to {self.domain[1]:g}")
        elif self.clip:
            parts.append(f"from percentile {self.clip[0]:g} to {self.clip[1]:g} of the values")
        beyond = ": those beyond have the colour of the nearer end" if self.clip else ""
        return f"Colours {', '.join(parts)}{beyond}".replace("-", "−") if parts else ""


def domain_faults(domain: Sequence[float]) -> list[Mistake]:
    """What is wrong with the ends that a user gives: `.domain: what`."""
    right = _is_rising(domain, -math.inf, math.inf)
    return [] if right else [Mistake(".domain", f"{list(domain)!r} is not [lowest, highest]")]


def require_within(
    values: Sequence[float], domain: Sequence[float] | None, percent: bool, key: str
) -> None:
    """Refuse ends beyond which all values lie: all would be drawn alike, or not at all.

    Args:
        values: what is drawn, in the unit of the figure.
        domain: the ends that a user gives.
        percent: values are percentages.
        key: of config.yaml, where the ends stand.

    Raises:
        Error: no value lies between the ends, and some lie beyond them.
    """
    low, high = domain or (-math.inf, math.inf)
    if any(low < value < high for value in values):
        return
    if all(low <= value <= high for value in values):
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
    if wish.type == "log" and (least := min(values)) <= 0:
        raise Error(
            Mistake(".type", f"log needs values above 0, and there is {least:g}; symlog takes it")
        )
    low, high = wish.domain or [quantile(values, end) for end in wish.clip or (0, 100)]
    if low == high:  # a value in the middle, and ends of the same sign
        reach = abs(low) * 0.01 or 1.0
        even = share and 0 <= low <= 100 and wish.type != "log"
        low, high = (0.0, 100.0) if even else (low - reach, low + reach)
    colours = colours[::-1] if wish.reverse else colours
    return scale((low, high), colours, wish.type or "linear", wish.center, wish.constant)


def quantile(values: Sequence[float], percent: float) -> float:
    """A percentile, linear between the two nearest values: type 7 of Hyndman and Fan (1996)."""
    ranked = sorted(values)
    at = (len(ranked) - 1) * percent / 100
    below = min(int(at), len(ranked) - 1)
    above = min(below + 1, len(ranked) - 1)
    return _rounded(ranked[below] + (ranked[above] - ranked[below]) * (at - below))
