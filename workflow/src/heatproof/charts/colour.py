"""Colours as they will be drawn, so that contrast is computed and not hoped for.

A palette is a list of hex colours, mixed linearly in sRGB between neighbours: what Vega does with
an explicit `range` and `interpolate: rgb`. Every function here is pure and needs no library.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from heatproof.util.errors import Error, choices

if TYPE_CHECKING:
    from collections.abc import Sequence

RGB = tuple[int, int, int]

# Light to dark but for viridis, magma and cividis, which go dark to light; puor and rdbu have
# their middle at a grey that differs from the paper.
PALETTES: dict[str, tuple[str, ...]] = {
    name: tuple(f"#{code}" for code in codes.split())
    for name, codes in {
        "ylgnbu": "ffffd9 edf8b1 c7e9b4 7fcdbb 41b6c4 1d91c0 225ea8 253494 081d58",
        "ylorbr": "ffffe5 fff7bc fee391 fec44f fe9929 ec7014 cc4c02 993404 662506",
        "blues": "f7fbff deebf7 c6dbef 9ecae1 6baed6 4292c6 2171b5 08519c 08306b",
        "greys": "ffffff f0f0f0 d9d9d9 bdbdbd 969696 737373 525252 252525 000000",
        "viridis": "440154 472d7b 3b528b 2c728e 21918c 28ae80 5ec962 addc30 fde725",
        "magma": "000004 1c1044 4f127b 812581 b5367a e55064 fb8761 fec287 fcfdbf",
        "cividis": "00224e 123570 3b496c 575d6d 707173 8a8678 a59c74 c3b369 fee838",
        "puor": "7f3b08 b35806 e08214 f3b767 c6c6c6 aca3d1 8073ac 542788 2d004b",
        "rdbu": "67001f b2182b d6604d efa58a c6c6c6 92c0dc 4393c3 2166ac 053061",
    }.items()
}
DIVERGING = frozenset({"puor", "rdbu"})
USUAL = "ylgnbu"
"""Where nothing is said, …"""
SIGNED = "rdbu"
"""… and where there are values on both sides of zero."""


def names() -> list[str]:
    """Every palette, and with `_r` its reverse."""
    return sorted([*PALETTES, *(f"{name}_r" for name in PALETTES)])


def palette(name: str) -> list[str]:
    """The hex colours of a palette, low to high; in names case does not count (`YlGnBu_r`).

    Raises:
        Error: there is none of that name.
    """
    plain = name.lower()
    colours = PALETTES.get(plain.removesuffix("_r"))
    if colours is None:
        raise Error(f"{name!r} is not a palette; {choices(plain, names())}")
    return list(colours[::-1] if plain.endswith("_r") else colours)


def is_diverging(name: str) -> bool:
    """Whether the middle of the palette stands for zero."""
    return name.lower().removesuffix("_r") in DIVERGING


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
