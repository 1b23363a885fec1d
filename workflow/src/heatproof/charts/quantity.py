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


def clamped(value: float, low: float, high: float) -> float:
    """The value, or the end beyond which it lies."""
    return min(max(value, low), high)


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
        overhang = 0.0
        for tick, label in zip(self.ticks, self.labels, strict=True):
            end = self.place(tick) + text_width(label, theme.LABEL) / 2
            overhang = max(overhang, end - self.size)
        return overhang

    def scale(self, upward: bool = False) -> alt.Scale:
        ends = [0, self.size]
        if upward:
            ends.reverse()
        return alt.Scale(
            type="log" if self.log else "linear", domain=list(self.domain), range=ends,
            nice=False, zero=False, clamp=False,
        )  # fmt: skip

    def axis(self, **style: Any) -> alt.Axis:
        """Ticks, labels and a line, unless `style` says otherwise."""
        # Labels by their place in the list, for they may be names and no numbers.
        labels = json.dumps(list(self.labels), ensure_ascii=False)
        values = json.dumps(list(self.ticks))
        label_keys: dict[str, Any] = {
            "tickCount": len(self.ticks),  # else Vega takes every other of many
            "values": list(self.ticks), "labelExpr": f"({labels})[indexof({values}, datum.value)]",
        }  # fmt: skip
        usual: dict[str, Any] = {
            "domain": True, "domainColor": theme.LINE, "domainWidth": 0.6, "ticks": True,
            "tickSize": TICK_SIZE, "tickRound": False, "labelPadding": 2, "translate": 0,
        }  # fmt: skip
        return alt.Axis(**usual | label_keys | style)


def padded(values: Sequence[float], log: bool, ends: Sequence[float] | None = None) -> Domain:
    """From the lowest to the highest value with some room, or the `ends` themselves.

    On a log axis all values are above 0.
    """
    if ends:
        return ends[0], ends[1]
    low, high = min(values, default=0.0), max(values, default=1.0)
    if log:
        low, high = math.log10(low), math.log10(high)
    least_air = 0.05 if log else 0.5
    air = (high - low) * PADDING or max(abs(low) * 0.05, least_air)
    low, high = low - air, high + air
    if log:
        return 10**low, 10**high
    return low, high


def upward(domain: Domain, size: float, log: bool, limits: Domain | None = None) -> Quantity:
    """An axis of y with round ticks within the `limits` of its values."""
    most_ticks = max(int(size / PER_TICK), 2) + 1
    return _rounded(domain, size, log, most_ticks, limits)


def rightward(domain: Domain, size: float, log: bool, limits: Domain | None = None) -> Quantity:
    """An axis of x with as many round ticks as have room for labels."""
    for most_ticks in range(8, 1, -1):
        axis = _rounded(domain, size, log, most_ticks, limits)
        names = dict(zip(axis.ticks, axis.labels, strict=True))
        if len(_roomy_ticks(axis, names)) == len(axis.ticks):
            break
    return axis


def at_values(domain: Domain, size: float, log: bool, names: Mapping[float, str]) -> Quantity:
    """An axis of x with ticks at named values, as many as have room for labels."""
    bare = Quantity(domain, size, log, (), ())
    kept = _roomy_ticks(bare, names)
    labels = [names[value] for value in kept]
    return Quantity(domain, size, log, kept, labels)


def _roomy_ticks(axis: Quantity, names: Mapping[float, str]) -> list[float]:
    """The values whose labels do not touch, rising: the lowest, then from the highest downwards."""
    values = sorted(names)
    half = {value: text_width(names[value], theme.LABEL) / 2 for value in values}
    kept: list[float] = []
    for value in values[:1] + values[:0:-1]:
        place = axis.place(value)
        gaps = [abs(place - axis.place(tick)) - half[value] - half[tick] for tick in kept]
        if min(gaps, default=APART) >= APART:
            kept.append(value)
    return sorted(kept)


def _rounded(
    domain: Domain, size: float, log: bool, most_ticks: int, limits: Domain | None
) -> Quantity:
    low, high = domain
    if limits:
        low, high = max(low, limits[0]), min(high, limits[1])
    find_ticks = log_ticks if log else ticks
    values = find_ticks(low, high, most_ticks) or [low]
    largest = max(map(abs, values))
    spec = TICK
    if largest >= 1e4:
        spec = ".3~s"
    elif 0 < largest < 1e-3:
        spec = ".3~e"
    return Quantity(domain, size, log, values, [show(value, spec) for value in values])


def label_room(axis: Quantity) -> float:
    """Width in pt of the labels of an axis of y with its ticks."""
    return widest(axis.labels, theme.LABEL) + TICK_SIZE + 2
