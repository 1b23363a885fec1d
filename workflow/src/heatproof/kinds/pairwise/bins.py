"""What the marks of a pairwise figure read: bins with the square they fill and their value.

Bins as a picture: a PNG with one pixel for each bin, as a data URL.
"""

from __future__ import annotations

import math
import struct
import zlib
from base64 import b64encode
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from heatproof.charts.colour import rgb
from heatproof.util import deflate
from heatproof.util.numerals import show, ticks

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heatproof.charts.scales import Domain, Scale
    from heatproof.util.lazy import polars as pl


Row = dict[str, Any]
Reading = Literal["count", "difference"]
SIGNED = "+.3f"
FACTS = ("Instances", "Mean of x − y")
"""What is told of a bin, on the page as in the figure."""
SMALL = 0.001
SMALLEST = 0.18
"""Side of the square of a bin with one instance, at least, as a part of the bin's."""


@dataclass(frozen=True)
class Pair:
    """One panel: its bins, empty ones included, and how often which model is ahead."""

    reading: Reading
    x: str
    y: str
    bins: list[Row]
    points: list[Row]
    n: int
    wins: int
    ties: int
    losses: int
    mean: float | None
    """Of x − y over the instances; null where it is not known."""
    low: float | None
    high: float | None
    """Its interval, which holds for all pairs together."""
    told: str
    """Of how many problems, or families, the interval is; empty if each instance is one."""

    @cached_property
    def across(self) -> int:
        """Bins along an axis."""
        return len({row["x0"] for row in self.bins})

    @property
    def tally(self) -> list[str]:
        """The counts in words."""
        ahead = f"x ahead {self.wins:,}", f"equal {self.ties:,}", f"y ahead {self.losses:,}"
        return [f"n {self.n:,}", *ahead]

    @property
    def verdict(self) -> list[str]:
        """The mean difference with its interval, in words; as far as they are known."""
        if self.mean is None:
            return []
        said = f"mean x − y {show(self.mean, SIGNED)}"
        if self.low is not None and self.high is not None:
            said += f" [{show(self.low, SIGNED)},\u00a0{show(self.high, SIGNED)}]"
        return [said + self.told]


def chance(p: float) -> str:
    """A p value, to three decimals where a level may lie near, very small ones with a bound."""
    if p < SMALL:
        return f"p < {SMALL:g}"
    return f"p = {show(p, '.3f' if p < 0.1 else '.2f')}"


def pairs(
    grid: pl.DataFrame,
    reading: Reading,
    with_points: bool,
    called: Mapping[str, str],
    units: str,
) -> list[Pair]:
    """The panels in the order of the grid.

    `called`: what models are called in the figure; `units`: what instances are of.
    """
    grid = grid if with_points else grid.with_columns(points=None)
    most = max(int(count) for count in grid["samples"])
    parts = grid.partition_by("x_model", "y_model", maintain_order=True)
    return [_pair(part.to_dicts(), reading, most, called, units) for part in parts]


def _pair(
    rows: Sequence[Row], reading: Reading, most: int, called: Mapping[str, str], units: str
) -> Pair:
    first = rows[0]
    several = first["units"] not in (None, first["pair_n"])
    return Pair(
        reading=reading,
        x=called[first["x_model"]],
        y=called[first["y_model"]],
        bins=[_bin(row, reading, most) for row in rows],
        points=[point for row in rows for point in row["points"] or ()],
        n=first["pair_n"],
        wins=first["wins"],
        ties=first["ties"],
        losses=first["losses"],
        mean=first["mean"],
        low=first["simultaneous_low"],
        high=first["simultaneous_high"],
        told=f" by {first['units']:,} {units}" if several else "",
    )


def _bin(row: Row, reading: Reading, most: int) -> Row:
    """A bin with `value`, null where it is empty, and the edges of the square that is filled."""
    part = side(row["samples"], 1 if reading == "count" else most)
    left, right = shrunk(row["x0"], row["x1"], part)
    bottom, top = shrunk(row["y0"], row["y1"], part)
    value = row["samples"] if reading == "count" else row["difference"]
    return {
        **{key: row[key] for key in ("x0", "x1", "y0", "y1", "samples", "difference")},
        "left": left,
        "right": right,
        "bottom": bottom,
        "top": top,
        "value": value if row["samples"] else None,
        "x_told": span(row["x0"], row["x1"]),
        "y_told": span(row["y0"], row["y1"]),
        "lead": "" if row["difference"] is None else show(row["difference"], SIGNED),
    }


def span(low: float, high: float) -> str:
    """From one edge of a bin to the other, in words."""
    return f"{show(low, '.3~g')} to {show(high, '.3~g')}"


def side(samples: int, most: int) -> float:
    """Side of a bin's square as a part of the bin's: its area is as the instances, up to `most`."""
    return min(max(math.sqrt(samples / most), SMALLEST), 1.0) if samples else 0.0


def shrunk(low: float, high: float, part: float) -> tuple[float, float]:
    """An interval in the middle of another, a `part` of it long."""
    middle, half = (low + high) / 2, (high - low) / 2 * part
    return float(f"{middle - half:.9g}"), float(f"{middle + half:.9g}")


def domain(pairs: Sequence[Pair], reading: Reading) -> Domain:
    """Of counts from 1 to the highest; of differences as far below zero as above, a round number.

    Two at least, so that a scale of counts has two ends.
    """
    values = [row["value"] for pair in pairs for row in pair.bins if row["value"] is not None]
    if reading == "count":
        return 1.0, float(max([2, *values]))
    furthest = max(map(abs, values), default=0.0) or 1.0
    step = ticks(0.0, furthest, 5)[1]
    end = float(f"{math.ceil(furthest / step - 1e-9) * step:.9g}")
    return -end, end


def url(rows: Sequence[Mapping[str, Any]], scale: Scale) -> str:
    """The bins, given row by row from the lower left corner, as `data:image/png`.

    Bins without a value are transparent.
    """
    width = len({row["x0"] for row in rows})
    shades = {row["value"] for row in rows if row["value"] is not None}
    pixels = {value: bytes(rgb(scale.drawn(value))) + b"\xff" for value in shades}
    lines = [
        b"".join(pixels.get(row["value"], bytes(4)) for row in rows[start : start + width])
        for start in range(0, len(rows), width)
    ]
    return "data:image/png;base64," + b64encode(png(lines[::-1], width)).decode()


def png(lines: Sequence[bytes], width: int) -> bytes:
    """A PNG of RGBA lines, top first (W3C Portable Network Graphics, 8 bits a channel)."""
    header = struct.pack(">IIBBBBB", width, len(lines), 8, 6, 0, 0, 0)
    body = deflate.compress(b"".join(b"\0" + line for line in lines), 9)
    chunks = ((b"IHDR", header), (b"IDAT", body), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*chunk) for chunk in chunks)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
