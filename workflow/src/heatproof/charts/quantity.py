"""An axis of numbers along which points lie: places of values, and ticks."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from heatproof.charts import theme
from heatproof.charts.lettering import text_width, widest
from heatproof.util.lazy import altair as alt
from heatproof.util.numerals import TICK, log_ticks, show, ticks

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Domain = tuple[float, float]

PADDING = 0.04  # free at each end, as a part of the axis
APART = 5.0  # least room between two labels along x
PER_TICK = 20.0  # of an axis of y, at least, in pt
GRID = "#e4e4e4"
TICK_SIZE = 2.5


@dataclass(frozen=True)
class Quantity:
    """An axis of numbers, `size` pt long."""

    domain: Domain
    size: float
    log: bool
    ticks: Sequence[float]
    labels: Sequence[str]  # of the ticks

    def place(self, value: float) -> float:
        """Where a value lies, in pt from the low end."""
        low, high = self.domain
        if self.log:
            low, high, value = math.log(low), math.log(high), math.log(value)
        return (value - low) / (high - low) * self.size

    def holds(self, value: float) -> bool:
        return self.domain[0] <= value <= self.domain[1]

    @property
    def overhang(self) -> float:
        """How far the labels below the axis reach over its right end, in pt."""
        ends = (
            self.place(tick) + text_width(label, theme.LABEL) / 2
            for tick, label in zip(self.ticks, self.labels, strict=True)
        )
        return max(max(ends, default=0.0) - self.size, 0.0)

    def scale(self, upward: bool = False) -> alt.Scale:
        return alt.Scale(
            type="log" if self.log else "linear", domain=list(self.domain),
            range=[self.size, 0] if upward else [0, self.size],
            nice=False, zero=False, clamp=False,
        )  # fmt: skip

    def axis(self, **style: Any) -> alt.Axis:
        """Ticks, labels and a line, unless `style` says otherwise."""
        # Labels by their place in the list, for they may be names and no numbers.
        words = json.dumps(list(self.labels), ensure_ascii=False)
        values = json.dumps(list(self.ticks))
        usual: dict[str, Any] = {
            "domain": True, "domainColor": theme.LINE, "domainWidth": 0.6, "ticks": True,
            "tickSize": TICK_SIZE, "tickRound": False, "labelPadding": 2, "translate": 0,
            "tickCount": len(self.ticks),  # else Vega takes every other of many
            "values": list(self.ticks), "labelExpr": f"({words})[indexof({values}, datum.value)]",
        }  # fmt: skip
        return alt.Axis(**usual | style)


def padded(values: Sequence[float], log: bool, ends: Sequence[float] | None = None) -> Domain:
    """From the lowest to the highest value with some room, or the `ends` themselves.

    On a log axis all values are above 0.
    """
    if ends:
        return ends[0], ends[1]
    low, high = min(values, default=0.0), max(values, default=1.0)
    if log:
        low, high = math.log10(low), math.log10(high)
    air = (high - low) * PADDING or max(abs(low) * 0.05, 0.05 if log else 0.5)
    low, high = low - air, high + air
    return (10**low, 10**high) if log else (low, high)


def upward(domain: Domain, size: float, log: bool, limits: Domain | None = None) -> Quantity:
    """An axis of y with round ticks within the `limits` of its values."""
    return _rounded(domain, size, log, max(int(size / PER_TICK), 2) + 1, limits)


def along(domain: Domain, size: float, log: bool, limits: Domain | None = None) -> Quantity:
    """An axis of x with as many round ticks as have room for labels."""
    for most in range(8, 1, -1):
        axis = _rounded(domain, size, log, most, limits)
        if len(apart(axis, dict(zip(axis.ticks, axis.labels, strict=True)))) == len(axis.ticks):
            break
    return axis


def at_values(domain: Domain, size: float, log: bool, names: Mapping[float, str]) -> Quantity:
    """An axis of x with ticks at named values, as many as have room for labels."""
    kept = apart(Quantity(domain, size, log, (), ()), names)
    return Quantity(domain, size, log, kept, [names[value] for value in kept])


def apart(axis: Quantity, names: Mapping[float, str]) -> list[float]:
    """The values whose labels do not touch, rising: the lowest, then from the highest downwards."""
    values = sorted(names)
    half = {value: text_width(names[value], theme.LABEL) / 2 for value in values}
    kept: list[float] = []
    for value in [*values[:1], *reversed(values[1:])]:
        near = (
            abs(axis.place(value) - axis.place(other)) - half[value] - half[other] for other in kept
        )
        if min(near, default=APART) >= APART:
            kept.append(value)
    return sorted(kept)


def _rounded(domain: Domain, size: float, log: bool, most: int, limits: Domain | None) -> Quantity:
    low, high = domain
    if limits:
        low, high = max(low, limits[0]), min(high, limits[1])
    values = (log_ticks if log else ticks)(low, high, most) or [low]
    largest = max(map(abs, values))
    spec = ".3~s" if largest >= 1e4 else ".3~e" if 0 < largest < 1e-3 else TICK
    return Quantity(domain, size, log, values, [show(value, spec) for value in values])


def label_room(axis: Quantity) -> float:
    """Width in pt of the labels of an axis of y with its ticks."""
    return widest(axis.labels, theme.LABEL) + TICK_SIZE + 2
