"""Bins as a picture: a PNG with one pixel for each bin, as a data URL."""

from __future__ import annotations

import struct
import zlib
from base64 import b64encode
from typing import TYPE_CHECKING

from heatproof.charts.colour import drawn, rgb

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from heatproof.charts.colour import Domain


def url(
    rows: Sequence[Mapping[str, Any]], domain: Domain, colours: Sequence[str], log: bool = False
) -> str:
    """The bins, given row by row from the lower left corner, as `data:image/png`.

    Bins without a value are transparent.
    """
    width = len({row["x0"] for row in rows})
    shades = {row["value"] for row in rows if row["value"] is not None}
    pixels = {value: bytes(rgb(drawn(value, domain, colours, log))) + b"\xff" for value in shades}
    lines = [
        b"".join(pixels.get(row["value"], bytes(4)) for row in rows[start : start + width])
        for start in range(0, len(rows), width)
    ]
    return "data:image/png;base64," + b64encode(png(lines[::-1], width)).decode()


def png(lines: Sequence[bytes], width: int) -> bytes:
    """A PNG of RGBA lines, top first (W3C Portable Network Graphics, 8 bits a channel)."""
    header = struct.pack(">IIBBBBB", width, len(lines), 8, 6, 0, 0, 0)
    body = zlib.compress(b"".join(b"\0" + line for line in lines), 9)
    chunks = ((b"IHDR", header), (b"IDAT", body), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*chunk) for chunk in chunks)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
