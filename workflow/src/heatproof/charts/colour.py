"""Palettes, and colours as they will be drawn, so that contrast is computed and not hoped for.

A palette is a list of hex colours, mixed linearly in sRGB between neighbours: what Vega does with
an explicit `range` and `interpolate: rgb`. `palettes.json` has them, with their sources and
licences. Of ours a twentieth of a ramp holds at most a tenth of its whole distance in CIELAB.
"""

from __future__ import annotations

import json
import math
import re
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Sequence

_TABLES = json.loads(Path(__file__).with_name("palettes.json").read_text("utf-8")).values()
PALETTES: dict[str, list[str]] = {
    name: [f"#{code}" for code in codes.split()]
    for table in _TABLES
    for name, codes in (table["sequential"] | table["diverging"]).items()
}
"""Name → hex colours, in the order of their source."""
USUAL = "lagoon"
"""Where nothing is said, …"""
SIGNED = "poles"
"""… and where there are values on both sides of zero."""
_FOLDED = {name.lower(): name for name in PALETTES} | {"grey": "Greys", "gray": "Greys"}
_DIVERGING = {name.lower() for table in _TABLES for name in table["diverging"]}


def palette(name: str | Sequence[str]) -> list[str]:
    """The hex colours of a palette, low to high: by name, in any case, or a list of them.

    Raises:
        Error: there is none of that name, or one of them is no hex colour.
    """
    if isinstance(name, str):
        plain = name.lower().removesuffix("_r")
        if plain not in _FOLDED:
            near = get_close_matches(plain, _FOLDED, n=1)
            hint = f" (did you mean {_FOLDED[near[0]]!r}?)" if near else ""
            names = ", ".join(sorted(PALETTES, key=str.lower))
            raise Error(
                f"{name!r} is not a palette; there are {names}, each also with _r, or a "
                f"list of hex colours{hint}"
            )
        return PALETTES[_FOLDED[plain]][:: -1 if name.lower() != plain else 1]
    if len(name) < 2:
        raise Error(f"{list(name)!r} is not two or more hex colours")
    for colour in name:
        if not re.fullmatch("#[0-9a-fA-F]{6}", colour):
            hint = f"; a palette is named without a list: {colour}" * (colour.lower() in _FOLDED)
            raise Error(f"{colour!r} is not a hex colour such as '#08519c'{hint}")
    return [colour.lower() for colour in name]


def is_diverging(name: str | Sequence[str]) -> bool:
    """Whether the middle of the palette stands for zero; of own colours nobody knows."""
    return isinstance(name, str) and name.lower().removesuffix("_r") in _DIVERGING


def mixed(part: float, colours: Sequence[str]) -> str:
    """The hex colour at a part, 0 to 1, of a ramp; channels are rounded half up, as in d3."""
    at = min(max(part, 0.0), 1.0) * (len(colours) - 1)
    below = min(int(at), len(colours) - 2)
    ends = zip(rgb(colours[below]), rgb(colours[below + 1]), strict=True)
    channels = (math.floor(low + (high - low) * (at - below) + 0.5) for low, high in ends)
    return "#" + "".join(f"{channel:02x}" for channel in channels)


def rgb(colour: str) -> tuple[int, int, int]:
    """Red, green and blue, 0 to 255, of `#rrggbb`."""
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def luminance(colour: str) -> float:
    """Relative luminance, 0 (black) to 1 (white): WCAG 2.2, "relative luminance"."""
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else float(((part + 0.055) / 1.055) ** 2.4)
        for part in (channel / 255 for channel in rgb(colour))
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(colour: str, other: str) -> float:
    """Contrast ratio, 1 to 21: WCAG 2.2, "contrast ratio"."""
    dark, light = sorted((luminance(colour), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def ink(background: str) -> str:
    """Black or white, whichever reads better: at least 4.58 : 1, as √21 bounds it from below."""
    return max(("#000000", "#ffffff"), key=lambda colour: contrast(colour, background))
