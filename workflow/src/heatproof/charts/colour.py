"""Colours as they will be drawn, so that contrast is computed and not hoped for.

A palette is a list of hex colours, mixed linearly in sRGB between neighbours: what Vega does with
an explicit `range` and `interpolate: rgb`. Every function here is pure and needs no library.
"""

from __future__ import annotations

import math
import re
from difflib import get_close_matches
from typing import TYPE_CHECKING

from heatproof.charts.palettes import ALSO, DIVERGING, PALETTES
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Sequence

RGB = tuple[int, int, int]

USUAL = "lagoon"
"""Where nothing is said, …"""
SIGNED = "poles"
"""… and where there are values on both sides of zero."""
_FOLDED = {name.lower(): name for name in PALETTES} | ALSO
_HEX = re.compile(r"#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})")
_NAMED = {
    "white": "#ffffff", "black": "#000000", "red": "#ff0000", "green": "#008000",
    "blue": "#0000ff", "yellow": "#ffff00", "orange": "#ffa500", "purple": "#800080",
    "gray": "#808080", "grey": "#808080", "lightgray": "#d3d3d3", "lightgrey": "#d3d3d3",
    "darkgray": "#a9a9a9", "darkgrey": "#a9a9a9", "navy": "#000080", "teal": "#008080",
    "maroon": "#800000", "brown": "#a52a2a", "pink": "#ffc0cb", "cyan": "#00ffff",
    "magenta": "#ff00ff", "lime": "#00ff00", "olive": "#808000", "silver": "#c0c0c0",
    "steelblue": "#4682b4", "firebrick": "#b22222", "darkblue": "#00008b", "darkred": "#8b0000",
    "darkgreen": "#006400", "gold": "#ffd700", "crimson": "#dc143c", "coral": "#ff7f50",
}  # fmt: skip
"""CSS Color 4, for the hint at what to write."""


def names() -> list[str]:
    """Every palette; `_r` behind it turns it round."""
    return sorted(PALETTES, key=str.lower)


def palette(given: str | Sequence[str]) -> list[str]:
    """The hex colours of a palette, low to high: by name, in any case, or given themselves.

    Raises:
        Error: there is none of that name, or one of them is no hex colour.
    """
    if not isinstance(given, str):
        return _own(given)
    plain = given.lower().removesuffix("_r")
    if plain not in _FOLDED:
        near = get_close_matches(plain, _FOLDED, n=1)
        hint = f" (did you mean {_FOLDED[near[0]]!r}?)" if near else ""
        raise Error(
            f"{given!r} is not a palette; there are {', '.join(names())}, each also with _r, or a "
            f"list of hex colours{hint}"
        )
    found = _FOLDED[plain]
    colours = PALETTES[found.removesuffix("_r")]
    turned = found.endswith("_r") != given.lower().endswith("_r")
    return list(colours[::-1] if turned else colours)


def _own(given: Sequence[str]) -> list[str]:
    if len(given) < 2:
        raise Error(f"{list(given)!r} is not two or more hex colours")
    for one in given:
        if not _HEX.fullmatch(one):
            css = _NAMED.get(one.lower().replace(" ", ""))
            known = f"; a palette is named without a list: {one}" * (one.lower() in _FOLDED)
            hint = f"; did you mean {css!r}?" if css else known
            raise Error(f"{one!r} is not a hex colour such as '#08519c'{hint}")
    plain = [one.removeprefix("#").lower() for one in given]
    return ["#" + (code if len(code) == 6 else "".join(2 * one for one in code)) for code in plain]


def is_diverging(given: str | Sequence[str]) -> bool:
    """Whether the middle of the palette stands for zero; of own colours nobody knows."""
    if not isinstance(given, str):
        return False
    return _FOLDED[given.lower().removesuffix("_r")].removesuffix("_r") in DIVERGING


def mixed(part: float, colours: Sequence[str]) -> str:
    """The hex colour at a part, 0 to 1, of a ramp; channels are rounded half up, as in d3."""
    at = min(max(part, 0.0), 1.0) * (len(colours) - 1)
    below = min(int(at), len(colours) - 2)
    ends = zip(rgb(colours[below]), rgb(colours[below + 1]), strict=True)
    channels = (math.floor(low + (high - low) * (at - below) + 0.5) for low, high in ends)
    return "#" + "".join(f"{channel:02x}" for channel in channels)


def rgb(colour: str) -> RGB:
    """Red, green and blue, 0 to 255, of `#rrggbb`."""
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def luminance(colour: str) -> float:
    """Relative luminance, 0 (black) to 1 (white): WCAG 2.2, "relative luminance"."""
    red, green, blue = (_linear(channel / 255) for channel in rgb(colour))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(channel: float) -> float:
    return channel / 12.92 if channel <= 0.04045 else float(((channel + 0.055) / 1.055) ** 2.4)


def contrast(one: str, other: str) -> float:
    """Contrast ratio, 1 to 21: WCAG 2.2, "contrast ratio"."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def ink(background: str) -> str:
    """Black or white, whichever reads better: at least 4.58 : 1, as √21 bounds it from below."""
    return max(("#000000", "#ffffff"), key=lambda colour: contrast(colour, background))
