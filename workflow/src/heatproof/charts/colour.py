"""Colours: palettes, and scales from values to colours.

A palette is a list of hex colours, mixed linearly in sRGB between neighbours, as Vega does with an
explicit `range` and `interpolate: rgb`. `palettes.json` has them, with sources and licences. In our
own, a twentieth of the ramp has at most a tenth of its distance in CIELAB.

A scale is a list of values with their colours, mixed in proportion to the distance on a linear or a
log axis. Vega draws the same from an explicit domain and range (d3-scale: `continuous.js`,
`log.js`), so the contrast of texts is computed from the colours that are drawn.
"""

from __future__ import annotations

import json
import math
import re
from bisect import bisect_right
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec

from heatproof.util import numerals
from heatproof.util.errors import Error, Mistake

if TYPE_CHECKING:
    from collections.abc import Sequence

AxisType = Literal["linear", "log"]
Domain = tuple[float, float]
_TABLES = json.loads(Path(__file__).with_name("palettes.json").read_text("utf-8")).values()
PALETTES: dict[str, list[str]] = {}
"""Name → hex colours, in the order of their source."""
_DIVERGING: set[str] = set()
for _table in _TABLES:
    for _name, _codes in (_table["sequential"] | _table["diverging"]).items():
        PALETTES[_name] = [f"#{code}" for code in _codes.split()]
    _DIVERGING.update(map(str.lower, _table["diverging"]))
USUAL = "lagoon"
"""The palette by default, …"""
SIGNED = "poles"
"""… and for values on both sides of zero."""
ALIKE = ("RdGy", "RdYlGn", "Spectral")
"""Diverging palettes whose two sides look alike to many colour-blind readers."""
_FOLDED = {name.lower(): name for name in PALETTES} | {"grey": "Greys", "gray": "Greys"}


def palette(name: str | Sequence[str]) -> list[str]:
    """The hex colours of a palette, low to high, by its name or as a list.

    Raises Error: no palette has that name, or a text of the list is no hex colour.
    """
    if isinstance(name, str):
        plain = name.lower().removesuffix("_r")
        if plain not in _FOLDED:
            hint = ""
            if similar := get_close_matches(plain, _FOLDED, n=1):
                hint = f" (did you mean {_FOLDED[similar[0]]!r}?)"
            names = ", ".join(sorted(PALETTES, key=str.lower))
            raise Error(
                f"{name!r} is not a palette; there are {names}, each also with _r, or a "
                f"list of hex colours{hint}"
            )
        colours = PALETTES[_FOLDED[plain]]
        is_reversed = name.lower() != plain
        return colours[::-1] if is_reversed else list(colours)
    if len(name) < 2:
        raise Error(f"{list(name)!r} is not two or more hex colours")
    for colour in name:
        if not re.fullmatch("#[0-9a-fA-F]{6}", colour):
            hint = ""
            if colour.lower() in _FOLDED:
                hint = f"; a palette is named without a list: {colour}"
            raise Error(f"{colour!r} is not a hex colour such as '#08519c'{hint}")
    return [colour.lower() for colour in name]


def is_diverging(name: str | Sequence[str]) -> bool:
    """Whether the middle of a named palette stands for zero."""
    return isinstance(name, str) and name.lower().removesuffix("_r") in _DIVERGING


def sides_alike(name: str | Sequence[str]) -> list[str]:
    """A line on a palette whose two sides look alike to many readers; none on others."""
    if not isinstance(name, str) or _FOLDED.get(name.lower().removesuffix("_r")) not in ALIKE:
        return []
    lost = f"the difference between the two sides of {name}, for many colour-blind readers"
    return [f"{lost}: `{SIGNED}` and `RdBu` show it"]


def mixed(share: float, colours: Sequence[str]) -> str:
    """The hex colour at a share, 0 to 1, of a ramp; d3 rounds channels half up, too."""
    position = min(max(share, 0.0), 1.0) * (len(colours) - 1)
    first = min(int(position), len(colours) - 2)
    weight = position - first
    mixture = "#"
    for low, high in zip(rgb(colours[first]), rgb(colours[first + 1]), strict=True):
        channel = math.floor(low + (high - low) * weight + 0.5)
        mixture += f"{channel:02x}"
    return mixture


def rgb(colour: str) -> tuple[int, int, int]:
    """Red, green and blue, 0 to 255, of `#rrggbb`."""
    red, green, blue = bytes.fromhex(colour[1:])
    return red, green, blue


def luminance(colour: str) -> float:
    """Relative luminance, 0 (black) to 1 (white): WCAG 2.2, "relative luminance"."""
    red, green, blue = map(_linear_channel, rgb(colour))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear_channel(channel: int) -> float:
    share = channel / 255
    if share <= 0.04045:
        return share / 12.92
    return float(((share + 0.055) / 1.055) ** 2.4)


def contrast(colour: str, background: str) -> float:
    """Contrast ratio, 1 to 21: WCAG 2.2, "contrast ratio"."""
    dark, light = sorted((luminance(colour), luminance(background)))
    return (light + 0.05) / (dark + 0.05)


def perceived_contrast(ink: str, background: str) -> float:
    """Lightness contrast of text, 0 to 108: |Lc| of APCA, version 0.1.9, of Somers (2022)."""
    text, ground = _screen_luminance(ink), _screen_luminance(background)
    dark_on_light = math.pow(ground, 0.56) - math.pow(text, 0.57)
    light_on_dark = math.pow(text, 0.62) - math.pow(ground, 0.65)
    return max(114 * max(dark_on_light, light_on_dark) - 2.7, 0.0)


def _screen_luminance(colour: str) -> float:
    """What a screen shows of a colour; near black, light of the room is added."""
    red, green, blue = (math.pow(channel / 255, 2.4) for channel in rgb(colour))
    light = 0.2126729 * red + 0.7151522 * green + 0.072175 * blue
    return light + math.pow(max(0.022 - light, 0.0), 1.414)


BLACK, WHITE = "#000000", "#ffffff"
ENOUGH = 60.0  # perceived contrast with which digits of this size read well


def ink(background: str) -> str:
    """Black or white, whichever is seen better: of a contrast of at least 54."""
    black, white = (perceived_contrast(colour, background) for colour in (BLACK, WHITE))
    return BLACK if black >= white else WHITE


def row_inks(backgrounds: Sequence[str]) -> list[str]:
    """Black or white on each cell of a row: the one that reads well, if one does.

    On a few blues and greens neither does. Such cells that stand side by side have one ink, with
    which the hardest to read of them reads best.
    """
    inks: list[str] = []
    for is_clear, cells in groupby(backgrounds, _has_clear_ink):
        stretch = list(cells)
        if is_clear:
            inks += map(ink, stretch)
        else:
            common = _common_ink(stretch)
            inks += [common for _ in stretch]
    return inks


def _has_clear_ink(background: str) -> bool:
    return perceived_contrast(ink(background), background) >= ENOUGH


def _common_ink(backgrounds: Sequence[str]) -> str:
    """Black or white, whichever has the greater contrast where it has least."""
    worst = {}
    for colour in (BLACK, WHITE):
        worst[colour] = min(perceived_contrast(colour, ground) for ground in backgrounds)
    return BLACK if worst[BLACK] >= worst[WHITE] else WHITE


# ----------------------------------------------------------------------------------------- scales


@dataclass(frozen=True)
class Scale:
    """Rising values and their colours, mixed between them on a linear or a log axis."""

    stops: tuple[float, ...]
    colours: tuple[str, ...]
    log: bool = False
    center: float | None = None
    """The value of the middle colour, if it is fixed."""

    @property
    def type(self) -> AxisType:
        return "log" if self.log else "linear"

    @property
    def domain(self) -> Domain:
        return self.stops[0], self.stops[-1]

    def place(self, value: float) -> float:
        """Where a value lies along the bar: 0 at the low end, 1 at the high end, clamped."""
        low, high = self.domain
        return _share(self._clamped(value), low, high, self.log)

    def drawn(self, value: float) -> str:
        value = self._clamped(value)
        upper = min(bisect_right(self.stops, value), len(self.stops) - 1)
        share = _share(value, self.stops[upper - 1], self.stops[upper], self.log)
        return mixed(share, self.colours[upper - 1 : upper + 1])

    def ink(self, value: float) -> str:
        """Black or white on the colour of a value."""
        return ink(self.drawn(value))

    def row_inks(self, values: Sequence[float | None]) -> list[str]:
        """Black or white on the colours of a row of values; black where there is none."""
        inks = iter(row_inks([self.drawn(value) for value in values if value is not None]))
        return [BLACK if value is None else next(inks) for value in values]

    @property
    def marked(self) -> float:
        return float(self.center or 0.0)

    def ticks(self, limit: int) -> list[float]:
        """At most `limit` round values, and `marked` if it lies between the ends."""
        low, high = self.domain
        values: list[float] = []
        if self.log:
            values = numerals.log_ticks(low, high, limit)
        if len(values) <= 2:
            values = numerals.ticks(low, high, limit)
        if low <= self.marked <= high:
            values = values + [self.marked]
        return sorted(set(values))

    def _clamped(self, value: float) -> float:
        return min(max(value, self.stops[0]), self.stops[-1])


def _position(value: float, log: bool) -> float:
    return math.log(value) if log else value


def _share(value: float, low: float, high: float, log: bool) -> float:
    """Where a value lies between two others, along the axis: 0 to 1."""
    start, end = _position(low, log), _position(high, log)
    return (_position(value, log) - start) / (end - start)


def scale(
    domain: Domain, colours: Sequence[str], log: bool = False, center: float | None = None
) -> Scale:
    """The scale of colours that stand evenly along the axis, from low to high.

    With a `center`, which has the middle colour, both sides change at the same rate: the side of
    the nearer end uses a part of its colours.
    """
    low, high = (_position(end, log) for end in domain)
    if center is None:
        middle = (low + high) / 2
    else:
        middle = _position(center, log)
    reach = max(high - middle, middle - low)
    start, width, last = middle - reach, 2 * reach, len(colours) - 1
    air = width * 1e-9
    stops = [domain[0]]
    shades = [mixed((low - start) / width, colours)]
    for n, shade in enumerate(colours):
        position = start + width * n / last
        if low + air < position < high - air:
            value = math.exp(position) if log else position
            # The last digits may differ between machines.
            stops.append(float(f"{value:.12g}"))
            shades.append(shade)
    stops.append(domain[1])
    shades.append(mixed((high - start) / width, colours))
    return Scale(tuple(stops), tuple(shades), log, center)


class ColorScale(msgspec.Struct, kw_only=True):
    """A colour scale in config.yaml; values in the unit of the figure."""

    type: AxisType | dict[str, AxisType] | None = None
    """By default linear; for several metrics, perhaps metric → one of these."""
    center: float | None = None
    """The value of the middle colour; by default zero where values of both signs are coloured by
    a diverging palette."""
    domain: list[float] | None = None
    """Its ends; by default the lowest and the highest value, or further where all may be chance."""
    clip: list[float] | None = None
    """Percentiles that are its ends."""

    def of_metric(self, metric: str) -> ColorScale:
        """The scale of one metric."""
        if not isinstance(self.type, dict):
            return self
        return msgspec.structs.replace(self, type=self.type.get(metric))

    def mistakes(self) -> list[Mistake]:
        domain, clip = self.domain or [], self.clip or []
        problems = []
        if self.domain is not None and not _is_rising(domain, -math.inf, math.inf):
            problems.append(Mistake(".domain", f"{domain!r} is not [lowest, highest]"))
        if self.clip is not None and not _is_rising(clip, 0, 100):
            problems.append(
                Mistake(".clip", f"{clip!r} is not two percentiles, 0 to 100, such as [2, 98]")
            )
        if clip and domain:
            problems.append(
                Mistake(".clip", "domain sets the ends of the colours already; choose one")
            )
        if self.type != "log":
            return problems
        places = [(".domain", value) for value in domain]
        if self.center is not None:
            places.insert(0, (".center", self.center))
        for place, value in places:
            if value <= 0:
                problems.append(Mistake(place, f"{value:g} is not above 0, as log needs"))
        return problems

    def words(self) -> str:
        """The sentence of the caption; empty for a usual scale.

        "Colours on a log scale, from percentile 2 to 98 of the values; …".
        """
        phrases, beyond = [], ""
        if self.type == "log":
            phrases.append("on a log scale")
        if self.center is not None:
            phrases.append(f"centred on {self.center:g}")
        if self.domain:
            low, high = self.domain
            phrases.append(f"from {low:g} to {high:g}")
        elif self.clip:
            low, high = self.clip
            phrases.append(f"from percentile {low:g} to {high:g} of the values")
        if self.clip:
            beyond = "; values beyond have the colour of the nearer end"
        if not phrases:
            return ""
        return f"Colours {', '.join(phrases)}{beyond}".replace("-", "−")


def require_within(
    values: Sequence[float], domain: Sequence[float] | None, percent: bool, key: str
) -> None:
    """Refuse a `domain` that holds no value: all cells would look alike.

    `values` and `domain` are in the unit of the figure; `key`: of the domain in config.yaml.

    Raises Error: no value lies between the ends, and some lie beyond them.
    """
    low, high = domain or (-math.inf, math.inf)
    if any(low < value < high for value in values):
        return
    if all(low <= value <= high for value in values):
        return
    ends = f"{min(values):.4g} to {max(values):.4g}"
    cure = "give ends around them"
    if percent:
        ends += " in percent"
        if any(100 * low < value < 100 * high for value in values):
            cure = f"write [{100 * low:g}, {100 * high:g}]"
    why = f"no value lies between {low:g} and {high:g}: values are {ends}; {cure}, or remove it"
    raise Error(Mistake(key, why))


def impossible(domain: Sequence[float], possible: Domain | None, metric: str) -> list[Mistake]:
    """A `domain` that holds no value which the metric can have.

    `possible`: the ends between which its values lie, in the unit of the figure, if they are known.
    """
    lowest, highest = possible or (-math.inf, math.inf)
    low, high = domain
    if lowest < high and low < highest:
        return []
    why = (
        f"no value lies between {low:g} and {high:g}: {metric} goes from {lowest:g} to {highest:g}"
    )
    return [Mistake(".domain", f"{why}; give ends within, or remove it")]


def _is_rising(ends: Sequence[float], lowest: float, highest: float) -> bool:
    if len(ends) != 2:
        return False
    low, high = ends
    return lowest <= low < high <= highest


def fitted(
    values: Sequence[float], colours: Sequence[str], wish: ColorScale, share: bool = False
) -> Scale | None:
    """The scale for values in the unit of the figure; None without any.

    `share`: values are percentages; if all are equal, the scale goes from 0 to 100.

    Raises Error: a log axis does not hold the values.
    """
    if not values:
        return None
    log = wish.type == "log"
    if log and (lowest := min(values)) <= 0:
        raise Error(Mistake(".type", f"log needs values above 0, but there is {lowest:g}"))
    percentiles = wish.clip or (0, 100)
    low, high = wish.domain or [quantile(values, end) for end in percentiles]
    if low == high and share and 0 <= low <= 100 and not log:
        low, high = 0.0, 100.0
    elif low == high:  # a value in the middle, and ends of the same sign
        reach = abs(low) * 0.01 or 1.0
        low, high = low - reach, low + reach
    return scale((low, high), colours, log, wish.center)


def quantile(values: Sequence[float], percent: float) -> float:
    """A percentile, linear between the two nearest values: type 7 of Hyndman and Fan (1996)."""
    ranked = sorted(values)
    last = len(ranked) - 1
    position = last * percent / 100
    lower = min(int(position), last)
    low, high = ranked[lower], ranked[min(lower + 1, last)]
    return float(f"{low + (high - low) * (position - lower):.12g}")
